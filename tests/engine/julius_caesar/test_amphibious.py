from lictor.engine import julius_caesar as game
from support.position import at, goals, legal, play, position

THREE_SEAS = """
    mare_tyrrhenum  caesar: c_navis_1
    mare_internum   caesar: c_navis_2
    mare_egypticum  caesar: c_navis_3
    rome            caesar: legio_10 legio_11
    neapolis        caesar: legio_12
    """
TO_ANTIOCH = "mare_tyrrhenum mare_internum mare_egypticum antioch"


def test_6_3_a_voyage_over_three_seas_costs_one_point() -> None:
    """S20."""
    state = position(THREE_SEAS, card="3/1")
    play(state, "caesar", f"sail legio_10 {TO_ANTIOCH}")
    assert (at(state, "legio_10"), game.snapshot(state)["moves_left"]) == ("antioch", 2)
    assert {order.split()[1] for order in legal(state, "caesar") - {"end_moves"}} == {"legio_11", "legio_12"}


def test_6_3_sidebar_two_legions_sail_from_rome_to_antioch_for_two_points() -> None:
    """Amphibious Move Example: done before player 2 moves."""
    state = position(THREE_SEAS, card="3/1")
    play(state, "caesar", f"sail legio_10 {TO_ANTIOCH}", f"sail legio_11 {TO_ANTIOCH}")
    assert game.snapshot(state)["moves_left"] == 1
    play(state, "caesar", "end_moves", "end_levies")
    assert game.to_act(state) == ("pompey",)
    assert (at(state, "legio_10"), at(state, "legio_11")) == ("antioch", "antioch")


def test_6_3_sidebar_all_seas_crossed_must_be_friendly() -> None:
    state = position(
        """
        mare_tyrrhenum  caesar: c_navis_1
        mare_internum   pompey: p_navis_1
        mare_egypticum  caesar: c_navis_3
        rome            caesar: legio_10
        """
    )
    assert goals(state, "caesar", "sail legio_10 ") == {
        f"mare_tyrrhenum {port}"
        for port in ("aleria", "caralis", "genua", "lilybaeum", "messana", "neapolis", "rhegium", "utica")
    }


def test_6_3_a_voyage_does_not_end_in_an_enemy_port() -> None:
    """S21: Cleopatra holds Alexandria."""
    state = position(f"{THREE_SEAS} alexandria pompey: cleopatra")
    assert {order.split()[-1] for order in legal(state, "caesar", "sail legio_10 ")} == {
        "aleria", "caralis", "genua", "lilybaeum", "messana", "neapolis", "rhegium", "utica",
        "ambracia", "brundisium", "creta", "cyrene", "pylos", "syracuse", "tacape", "thubactus",
        "antioch", "catabathmus", "pelusium", "perga", "salamis", "tarsus",
    }  # fmt: skip


def test_6_3_a_vacant_alexandria_is_a_landing() -> None:
    """S21: the same without Cleopatra there."""
    state = position(THREE_SEAS)
    assert "mare_tyrrhenum mare_internum mare_egypticum alexandria" in goals(state, "caesar", "sail legio_10 ")


def test_6_3_a_voyage_does_not_end_in_a_contested_port() -> None:
    state = position(
        f"{THREE_SEAS} antioch caesar: legio_7 | pompey: legio_34",
        to_move="caesar",
        player1="pompey",
        attacks={"antioch": ("pompey", "damascus")},
    )
    assert {order for order in legal(state, "caesar", "sail") if order.endswith(" antioch")} == set()
    assert f"sail legio_10 {TO_ANTIOCH.replace('antioch', 'tarsus')}" in legal(state, "caesar")


def test_6_3_no_voyage_after_any_other_move() -> None:
    """S22."""
    state = position(THREE_SEAS)
    assert {order.split()[1] for order in legal(state, "caesar", "sail")} == {"legio_10", "legio_11", "legio_12"}
    play(state, "caesar", "move legio_11 genua")
    assert (game.snapshot(state)["phase"], game.snapshot(state)["moves_left"]) == ("moves", 2)
    assert legal(state, "caesar", "sail") == set()
    assert "genua" in goals(state, "caesar", "move legio_10 ")


def test_6_3_a_navis_sent_out_this_turn_makes_no_sea_friendly_in_time() -> None:
    state = position(
        """
        genua  caesar: c_navis_1
        rome   caesar: legio_10
        """
    )
    assert legal(state, "caesar", "sail") == set()
    play(state, "caesar", "move c_navis_1 mare_tyrrhenum")
    assert legal(state, "caesar", "sail") == set()


def test_6_3_the_only_navis_stays_in_the_sea_that_was_crossed() -> None:
    """S23."""
    state = position(
        """
        mare_tyrrhenum  caesar: c_navis_1
        rome            caesar: legio_10 legio_11
        """
    )
    assert legal(state, "caesar", "move c_navis_1") != set()
    play(state, "caesar", "sail legio_10 mare_tyrrhenum neapolis")
    assert {order.split()[1] for order in legal(state, "caesar", "move")} == {"legio_11"}


def test_6_3_of_two_navis_one_stays_in_the_sea_that_was_crossed() -> None:
    """S23: either may go, and then the other stays."""
    state = position(
        """
        mare_tyrrhenum  caesar: c_navis_1 c_navis_2
        rome            caesar: legio_10 legio_11
        """
    )
    play(state, "caesar", "sail legio_10 mare_tyrrhenum neapolis")
    assert {order.split()[1] for order in legal(state, "caesar", "move")} == {"c_navis_1", "c_navis_2", "legio_11"}
    play(state, "caesar", "move c_navis_2 mare_hispanum")
    assert {order.split()[1] for order in legal(state, "caesar", "move")} == {"legio_11"}


def test_6_3_one_navis_stays_in_each_sea_that_was_crossed() -> None:
    state = position(THREE_SEAS)
    play(state, "caesar", f"sail legio_10 {TO_ANTIOCH}")
    assert {order.split()[1] for order in legal(state, "caesar", "move")} == {"legio_11", "legio_12"}


def test_6_3_a_block_that_sailed_does_not_march() -> None:
    state = position(THREE_SEAS)
    play(state, "caesar", "sail legio_12 mare_tyrrhenum rome")
    assert legal(state, "caesar", "move legio_12") == set()
    assert legal(state, "caesar", "sail legio_12") == set()


def test_6_3_an_unpinned_block_sails_out_of_a_battle() -> None:
    """S24: one of two defenders of Rhegium may go; the other is then pinned."""
    state = position(
        """
        rhegium        caesar: legio_7 | pompey: legio_5 legio_6
        mare_internum  pompey: p_navis_1
        cyrene         pompey: legio_39
        """,
        to_move="pompey",
        player1="caesar",
        attacks={"rhegium": ("caesar", "neapolis")},
    )
    landings = {
        "ambracia", "brundisium", "creta", "cyrene", "lilybaeum", "messana", "pylos", "syracuse", "tacape",
        "thubactus", "utica",
    }  # fmt: skip
    for block in ("legio_5", "legio_6"):
        assert goals(state, "pompey", f"sail {block} mare_internum ") == landings
    play(state, "pompey", "sail legio_5 mare_internum cyrene")
    assert at(state, "legio_5") == "cyrene"
    assert legal(state, "pompey", "sail legio_6") == set()
    assert legal(state, "pompey", "move legio_6") == set()
    assert legal(state, "pompey", "sail legio_39") != set()


def test_6_3_pinned_blocks_do_not_sail() -> None:
    state = position(
        """
        rhegium        caesar: legio_7 legio_8 | pompey: legio_5 legio_6
        mare_internum  pompey: p_navis_1
        cyrene         pompey: legio_39
        """,
        to_move="pompey",
        player1="caesar",
        attacks={"rhegium": ("caesar", "neapolis")},
    )
    assert {order.split()[1] for order in legal(state, "pompey", "sail")} == {"legio_39"}


def test_4_41_an_island_is_left_by_sea_only() -> None:
    state = position(
        """
        creta          caesar: legio_7
        mare_internum  caesar: c_navis_1
        """
    )
    assert legal(state, "caesar", "move legio_7") == set()
    assert "mare_internum utica" in goals(state, "caesar", "sail legio_7 ")
