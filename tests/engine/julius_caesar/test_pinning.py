import pytest

from lictor.engine import julius_caesar as game
from support.position import at, goals, legal, play, position

FIVE_IN_ROME = """
    genua    caesar: legio_7 legio_8 legio_9 legio_10
    ravenna  caesar: legio_11 legio_12
    narbo    caesar: legio_13
    rome     pompey: legio_1 legio_2 legio_3 legio_4 legio_5
    """


def test_6_13_four_attackers_from_genua_pin_four_of_five_defenders() -> None:
    """S25, and the Pinning Example."""
    state = position(FIVE_IN_ROME)
    play(state, "caesar", *(f"move legio_{number} rome" for number in (7, 8, 9, 10, 11, 12)))
    assert game.snapshot(state)["reserves"] == ["legio_11", "legio_12"]
    play(state, "caesar", "end_moves", "end_levies")
    for number in (1, 2, 3, 4, 5):
        ways = goals(state, "pompey", f"move legio_{number} ")
        assert {way.split()[0] for way in ways} == {"neapolis", "asculum"}
    play(state, "pompey", "move legio_3 neapolis")
    assert {order.split()[1] for order in legal(state, "pompey", "move")} == {"cleopatra"}


@pytest.mark.parametrize("edition", ["2.0", "1.x"])
def test_6_12_the_first_road_used_is_the_main_attack(edition: str) -> None:
    """S26."""
    state = position(
        """
        genua    caesar: legio_7 legio_8 legio_9 legio_10
        ravenna  caesar: legio_11 legio_12
        narbo    caesar: legio_13
        rome     pompey: legio_1 legio_2 legio_3 legio_4
        """,
        edition=edition,
    )
    play(state, "caesar", "move legio_11 rome")
    play(state, "caesar", *(f"move legio_{number} rome" for number in (7, 8, 9, 10)))
    play(state, "caesar", "move legio_12 rome")
    assert game.snapshot(state)["reserves"] == ["legio_10", "legio_7", "legio_8", "legio_9"]
    play(state, "caesar", "end_moves", "end_levies")
    play(state, "pompey", "move legio_1 neapolis")
    assert {order.split()[1] for order in legal(state, "pompey", "move")} == {
        "legio_2", "legio_3", "legio_4", "cleopatra",
    }  # fmt: skip
    play(state, "pompey", "move legio_4 neapolis")
    assert {order.split()[1] for order in legal(state, "pompey", "move")} == {"cleopatra"}


def test_6_12_each_road_of_an_attack_takes_a_point() -> None:
    state = position(FIVE_IN_ROME, card="1/2")
    play(state, "caesar", "move legio_7 rome", "move legio_8 rome")
    assert {order.split()[1] for order in legal(state, "caesar", "move")} == {"legio_9", "legio_10"}


def test_6_14_a_block_that_responds_is_a_reserve_and_frees_nobody() -> None:
    """S27."""
    state = position(
        """
        genua     caesar: legio_7 legio_8 legio_9 legio_10
        narbo     caesar: legio_13
        rome      pompey: legio_1 legio_2 legio_3 legio_4
        neapolis  pompey: pompey
        """
    )
    play(state, "caesar", *(f"move legio_{number} rome" for number in (7, 8, 9, 10)))
    play(state, "caesar", "end_moves", "end_levies")
    assert {order.split()[1] for order in legal(state, "pompey", "move")} == {"pompey", "cleopatra"}
    play(state, "pompey", "move pompey rome")
    assert game.snapshot(state)["reserves"] == ["pompey"]
    assert {order.split()[1] for order in legal(state, "pompey", "move")} == {"cleopatra"}


def test_6_14_only_adjacent_blocks_respond() -> None:
    """S28."""
    state = position(
        """
        rome     caesar: legio_7 | pompey: legio_1
        rhegium  pompey: legio_6
        """,
        to_move="pompey",
        player1="caesar",
        attacks={"rome": ("caesar", "genua")},
    )
    assert goals(state, "pompey", "move legio_6 ") == {
        "neapolis", "neapolis brundisium", "neapolis sipontum", "messana", "messana lilybaeum", "messana syracuse",
    }  # fmt: skip


def test_6_14_road_limits_of_an_attack_hold_for_a_response() -> None:
    state = position(
        """
        rhegium  caesar: legio_7 | pompey: legio_1
        messana  pompey: legio_5 legio_6
        """,
        to_move="pompey",
        player1="caesar",
        attacks={"rhegium": ("caesar", "neapolis")},
    )
    play(state, "pompey", "move legio_5 rhegium")
    assert game.snapshot(state)["reserves"] == ["legio_5"]
    assert "rhegium" not in goals(state, "pompey", "move legio_6 ")


def test_6_13_a_navis_may_not_leave_by_the_border_the_enemy_used() -> None:
    """S29."""
    state = position(
        """
        tarraco  caesar: c_navis_1 | pompey: p_navis_1 legio_5
        """,
        to_move="pompey",
        player1="caesar",
        attacks={"tarraco": ("caesar", "mare_hispanum")},
    )
    assert {order.split()[1] for order in legal(state, "pompey", "move")} == {"legio_5", "cleopatra"}
    assert {way.split()[0] for way in goals(state, "pompey", "move legio_5 ")} == {"narbo", "bilbilis", "carthago_nova"}
    play(state, "pompey", "move legio_5 bilbilis")
    assert {order.split()[1] for order in legal(state, "pompey", "move")} == {"cleopatra"}


def test_6_13_one_attacking_navis_lets_one_of_two_defenders_go() -> None:
    """S29: with two legions, only one of them leaves by road."""
    state = position(
        """
        tarraco  caesar: c_navis_1 | pompey: legio_5 legio_6
        """,
        to_move="pompey",
        player1="caesar",
        attacks={"tarraco": ("caesar", "mare_hispanum")},
    )
    assert {order.split()[1] for order in legal(state, "pompey", "move")} == {"legio_5", "legio_6", "cleopatra"}
    play(state, "pompey", "move legio_6 narbo")
    assert {order.split()[1] for order in legal(state, "pompey", "move")} == {"cleopatra"}


def test_6_13_a_navis_leaves_a_port_that_is_attacked_by_road() -> None:
    state = position(
        """
        tarraco  caesar: legio_7 | pompey: p_navis_1 legio_5
        """,
        to_move="pompey",
        player1="caesar",
        attacks={"tarraco": ("caesar", "narbo")},
    )
    assert {way.split()[0] for way in goals(state, "pompey", "move p_navis_1 ")} == {"mare_hispanum"}
    assert {way.split()[0] for way in goals(state, "pompey", "move legio_5 ")} == {"bilbilis", "carthago_nova"}
    play(state, "pompey", "move p_navis_1 mare_hispanum")
    assert {order.split()[1] for order in legal(state, "pompey", "move")} == {"cleopatra"}


def test_6_13_an_unpinned_block_may_attack() -> None:
    """S30."""
    state = position(
        """
        genua    caesar: legio_7
        ravenna  caesar: legio_8
        rome     pompey: legio_5 legio_6
        """
    )
    play(state, "caesar", "move legio_7 rome", "end_moves", "end_levies")
    assert "ravenna" in goals(state, "pompey", "move legio_5 ")
    assert "genua" not in {way.split()[0] for way in goals(state, "pompey", "move legio_5 ")}
    play(state, "pompey", "move legio_5 ravenna")
    assert game.snapshot(state)["contested"] == {"rome": "caesar", "ravenna": "pompey"}
    assert game.snapshot(state)["reserves"] == []
    assert {order.split()[1] for order in legal(state, "pompey", "move")} == {"cleopatra"}


def test_6_13_roads_of_attacking_reserves_are_closed_too_but_only_for_the_first_step() -> None:
    state = position(FIVE_IN_ROME)
    play(state, "caesar", "move legio_7 rome", "move legio_11 rome", "move legio_12 rome")
    play(state, "caesar", "end_moves", "end_levies")
    assert goals(state, "pompey", "move legio_1 ") == {
        "neapolis", "neapolis rhegium", "neapolis brundisium", "neapolis sipontum",
        "asculum", "asculum sipontum", "asculum ravenna",
    }  # fmt: skip


def test_6_13_one_attacker_lets_four_of_five_defenders_go() -> None:
    state = position(FIVE_IN_ROME)
    play(state, "caesar", "move legio_7 rome", "end_moves", "end_levies")
    play(state, "pompey", *(f"move legio_{number} neapolis" for number in (1, 2, 3, 4)))
    assert at(state, "legio_5") == "rome"
    assert {order.split()[1] for order in legal(state, "pompey", "move")} == {"cleopatra"}
