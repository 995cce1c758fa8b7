import pytest

from lictor.engine import julius_caesar as game
from support.position import at, draw, legal, owner, play, position, roll, steps


@pytest.mark.parametrize(("holder", "garrison"), [("pompey", "legio_38"), ("caesar", "legio_7")])
def test_8_1_cleopatra_joins_who_holds_alexandria(holder: str, garrison: str) -> None:
    """S62."""
    state = position(
        f"""
        rome        caesar: cleopatra/2 legio_8
        alexandria  {holder}: {garrison}
        """,
        phase="year_end",
    )
    play(state, "caesar", "end_levies")
    assert (at(state, "cleopatra"), owner(state, "cleopatra"), steps(state, "cleopatra")) == ("alexandria", holder, 2)


def test_8_1_cleopatra_of_pompey_joins_caesar_who_holds_alexandria() -> None:
    state = position(
        """
        rome        pompey: cleopatra/3
        alexandria  caesar: legio_7
        """,
        phase="year_end",
    )
    play(state, "caesar", "end_levies")
    assert (at(state, "cleopatra"), owner(state, "cleopatra"), steps(state, "cleopatra")) == ("alexandria", "caesar", 3)


@pytest.mark.parametrize("edition", ["2.0", "1.x"])
@pytest.mark.parametrize("side", ["caesar", "pompey"])
def test_8_1_cleopatra_keeps_her_side_in_a_vacant_alexandria(side: str, edition: str) -> None:
    """S63."""
    state = position(
        f"""
        rome   {side}: cleopatra/2
        genua  caesar: legio_7
        """,
        phase="year_end",
        edition=edition,
    )
    play(state, "caesar", "end_levies")
    assert (at(state, "cleopatra"), owner(state, "cleopatra"), steps(state, "cleopatra")) == ("alexandria", side, 2)


def test_8_4_surplus_blocks_are_disbanded_but_never_cleopatra() -> None:
    """S64."""
    state = position(
        """
        genua       caesar: legio_7 legio_8 legio_9 legio_10
        rome        caesar: legio_11 legio_12 legio_13 legio_14 legio_16
        alexandria  pompey: cleopatra legio_1 legio_2 legio_3 legio_4 legio_5
        antioch     pompey: legio_34
        """,
        phase="year_end",
    )
    play(state, "caesar", "end_levies")
    in_genua = {f"disband legio_{number}" for number in (7, 8, 9, 10)}
    assert legal(state, "caesar") == in_genua
    play(state, "caesar", "disband legio_9")
    assert at(state, "legio_9") == "pool"
    in_rome = {f"disband legio_{number}" for number in (11, 12, 13, 14, 16)}
    assert legal(state, "caesar") == {"end_disband"} | in_rome | in_genua - {"disband legio_9"}
    play(state, "caesar", "end_disband")
    in_alexandria = {f"disband legio_{number}" for number in (1, 2, 3, 4, 5)}
    assert legal(state, "pompey") == in_alexandria
    play(state, "pompey", "disband legio_2")
    assert legal(state, "pompey") == {"end_disband", "disband legio_34"} | in_alexandria - {"disband legio_2"}


@pytest.mark.parametrize(("city", "supply"), [("genua", 3), ("massilia", 4), ("rome", 5)])
def test_8_4_a_city_supplies_three_blocks_and_its_value_more(city: str, supply: int) -> None:
    """The printed values of Genua, Massilia and Rome."""
    blocks = ["legio_7", "legio_8", "legio_9", "legio_10", "legio_11", "legio_12"]
    enough = position(f"{city} caesar: {' '.join(blocks[:supply])}", phase="disband")
    assert legal(enough, "caesar") == {"end_disband"} | {f"disband {block}" for block in blocks[:supply]}
    surplus = position(f"{city} caesar: {' '.join(blocks[: supply + 1])}", phase="disband")
    assert legal(surplus, "caesar") == {f"disband {block}" for block in blocks[: supply + 1]}


def test_8_5_any_block_but_cleopatra_may_be_disbanded() -> None:
    state = position(
        """
        alexandria  pompey: cleopatra legio_38/1
        antioch     pompey: scipio
        """,
        phase="disband",
        to_move="pompey",
    )
    assert legal(state, "pompey") == {"end_disband", "disband legio_38", "disband scipio"}
    play(state, "pompey", "disband scipio")
    assert at(state, "scipio") == "pool"
    assert game.snapshot(state)["vp"]["caesar"] == 0


def test_8_3_navis_go_to_a_friendly_port_on_their_sea_or_are_disbanded() -> None:
    """S65."""
    state = position(
        """
        mare_hispanum  caesar: c_navis_1
        massilia       caesar: legio_7
        narbo          caesar: legio_8
        propontis      pompey: p_navis_1
        syracuse       pompey: legio_37
        """,
        phase="year_end",
    )
    play(state, "caesar", "end_levies")
    assert (game.snapshot(state)["phase"], game.to_act(state)) == ("winter_navis", ("caesar",))
    assert legal(state, "caesar") == {"port c_navis_1 massilia", "port c_navis_1 narbo"}
    play(state, "caesar", "port c_navis_1 narbo")
    assert at(state, "c_navis_1") == "narbo"
    play(state, "caesar", "end_disband")
    assert at(state, "p_navis_1") == "pool"

    for n in range(27, 15, -1):
        draw(state, n, 10)
    play(state, "pompey", "end_disband")
    play(state, "caesar", "discard 16")
    play(state, "pompey", "discard 22")
    play(state, "caesar", "play 11")
    play(state, "pompey", "play 18")
    play(state, "caesar", "end_moves", "end_levies")
    play(state, "pompey", "end_moves")
    assert game.snapshot(state)["year"] == 707
    assert legal(state, "pompey", "levy p_navis_1") == {"levy p_navis_1 syracuse", "levy p_navis_1 alexandria"}


def test_8_3_caesar_brings_his_navis_to_port_before_pompey() -> None:
    state = position(
        """
        mare_hispanum   caesar: c_navis_1
        massilia        caesar: legio_7
        narbo           caesar: legio_8
        mare_tyrrhenum  pompey: p_navis_1
        rome            pompey: legio_1
        neapolis        pompey: legio_2
        """,
        phase="year_end",
    )
    play(state, "caesar", "end_levies")
    assert game.to_act(state) == ("caesar",)
    play(state, "caesar", "port c_navis_1 massilia")
    assert legal(state, "pompey") == {"port p_navis_1 rome", "port p_navis_1 neapolis"}


def test_1_2_on_equal_points_the_holder_of_rome_wins() -> None:
    """S66: 2:2."""
    state = position("rome caesar: legio_7", phase="year_end", year=709)
    play(state, "caesar", "end_levies")
    assert game.snapshot(state)["vp"] == {"caesar": 2, "pompey": 2}
    assert game.snapshot(state)["outcome"] == {"winner": "caesar", "reason": "rome"}
    assert game.to_act(state) == ()


def test_1_2_on_equal_points_without_a_holder_of_rome_the_game_is_drawn() -> None:
    """S66: 3:3."""
    state = position(
        """
        massilia       caesar: legio_7
        tarraco        caesar: legio_8
        carthago_nova  caesar: legio_9
        antioch        pompey: legio_34
        """,
        phase="year_end",
        year=709,
    )
    play(state, "caesar", "end_levies")
    assert game.snapshot(state)["vp"] == {"caesar": 3, "pompey": 3}
    outcome = game.outcome(state)
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (None, "draw")


def test_1_2_after_709_the_higher_points_win() -> None:
    state = position(
        """
        massilia  caesar: legio_7
        antioch   pompey: legio_34
        """,
        phase="year_end",
        year=709,
    )
    play(state, "caesar", "end_levies")
    assert game.snapshot(state)["vp"] == {"caesar": 1, "pompey": 3}
    assert game.snapshot(state)["outcome"] == {"winner": "pompey", "reason": "more_points"}


NINE_POINTS = """
    rome           caesar: legio_7
    massilia       caesar: legio_8
    tarraco        caesar: legio_9
    carthago_nova  caesar: legio_10
    utica          caesar: legio_11
    syracuse       caesar: legio_12
    athens         caesar: legio_13
    byzantium      caesar: legio_14
    """


def test_1_2_ten_points_win_in_any_winter() -> None:
    """Nine for cities and one for a dead leader."""
    state = position(NINE_POINTS, phase="year_end", year=705, dead=["scipio"])
    play(state, "caesar", "end_levies")
    assert game.snapshot(state)["vp"]["caesar"] == 10
    assert game.snapshot(state)["outcome"] == {"winner": "caesar", "reason": "ten_points"}


def test_1_2_nine_points_do_not_win() -> None:
    state = position(NINE_POINTS, phase="year_end", year=705)
    play(state, "caesar", "end_levies")
    assert game.snapshot(state)["vp"]["caesar"] == 9
    assert (game.outcome(state), game.snapshot(state)["phase"]) == (None, "winter_disband")


def test_1_2_ten_points_within_a_year_do_not_end_the_game() -> None:
    state = position(NINE_POINTS, dead=["scipio"], turn=4)
    assert game.snapshot(state)["vp"]["caesar"] == 10
    play(state, "caesar", "end_moves", "end_levies")
    play(state, "pompey", "end_moves", "end_levies")
    assert (game.outcome(state), game.snapshot(state)["turn"]) == (None, 5)


def test_8_1_cleopatra_is_home_before_the_points_are_counted() -> None:
    """Her return gives Alexandria to Caesar, and him the points he lacks."""
    state = position(f"{NINE_POINTS} jerusalem caesar: cleopatra", phase="year_end")
    assert game.snapshot(state)["vp"]["caesar"] == 9
    play(state, "caesar", "end_levies")
    assert game.snapshot(state)["vp"]["caesar"] == 11
    assert game.snapshot(state)["outcome"] == {"winner": "caesar", "reason": "ten_points"}


def test_8_6_an_eliminated_block_is_not_raised_before_the_next_year() -> None:
    """S67."""
    state = position(
        """
        rome      caesar: legio_10 | pompey: legio_6/1
        tarraco   pompey: legio_4
        massilia  caesar: legio_9
        """,
        phase="battles",
        attacks={"rome": ("caesar", "genua")},
        hands={"caesar": [8, 9, 10, 12], "pompey": [18, 19, 20, 21]},
    )
    play(state, "caesar", "battle rome")
    play(state, "pompey", "pass legio_6")
    roll(state, 1, 6, 6)
    play(state, "caesar", "fire legio_10")
    play(state, "caesar", "end_regroup")
    assert at(state, "legio_6") == "dead"

    for turn, ours, theirs in ((3, 8, 18), (4, 9, 19), (5, 10, 20)):
        assert game.snapshot(state)["turn"] == turn
        play(state, "caesar", f"play {ours}")
        play(state, "pompey", f"play {theirs}")
        play(state, "caesar", "end_moves", "end_levies")
        play(state, "pompey", "end_moves")
        assert {order for order in legal(state, "pompey", "levy legio_") if order.endswith("tarraco")} == {
            "levy legio_5 tarraco"
        }
        play(state, "pompey", "end_levies")

    play(state, "caesar", "end_disband")
    for n in range(27, 15, -1):
        draw(state, n, 10)
    play(state, "pompey", "end_disband")
    assert (game.snapshot(state)["year"], at(state, "legio_6")) == (707, "pool")
    play(state, "caesar", "discard 16")
    play(state, "pompey", "discard 22")
    play(state, "caesar", "play 11")
    play(state, "pompey", "play 18")
    play(state, "caesar", "end_moves", "end_levies")
    play(state, "pompey", "end_moves")
    assert legal(state, "pompey", "levy legio_6") == {"levy legio_6 tarraco"}


def test_8_6_a_year_begins_with_new_hands_and_without_a_last_card() -> None:
    state = position(
        """
        genua    caesar: legio_7
        tarraco  pompey: legio_5
        """,
        phase="year_end",
    )
    play(state, "caesar", "end_levies", "end_disband")
    for n in range(27, 15, -1):
        draw(state, n, 0)
    play(state, "pompey", "end_disband")
    seen = game.snapshot(state)
    assert (seen["year"], seen["turn"], seen["phase"], seen["to_act"]) == (707, 1, "discard", ["caesar", "pompey"])
    assert seen["hands"] == {"caesar": [1, 2, 3, 4, 5, 6], "pompey": [7, 8, 9, 10, 11, 12]}
    assert seen["last_played"] == {"caesar": None, "pompey": None}
