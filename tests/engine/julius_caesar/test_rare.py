"""Rules that meet rarely: what no recorded game reaches."""

from lictor.engine import julius_caesar as game
from lictor.engine.julius_caesar.state import State
from support.position import at, draw, goals, legal, owner, play, position, roll, steps


def begin_705(board: str, god: str) -> State:
    """Caesar is player 1 on turn 1 of 705; Pompey's God comes after his moves (2.1)."""
    return position(board, card="3/1", enemy_card=god, year=705, turn=1)


def test_jupiter_as_player_2_takes_the_last_attacker_and_the_fight_is_over() -> None:
    state = begin_705(
        """
        genua     caesar: legio_7
        narbo     caesar: legio_9
        rome      pompey: legio_1
        neapolis  pompey: legio_2
        """,
        "Jupiter",
    )
    play(state, "caesar", "move legio_7 rome", "end_moves", "end_levies")
    assert "jupiter rome" in legal(state, "pompey")
    draw(state, 1, 0)
    play(state, "pompey", "jupiter rome")  # one refuge: Neapolis
    assert (at(state, "legio_7"), owner(state, "legio_7")) == ("neapolis", "pompey")
    seen = game.snapshot(state)
    assert (seen["contested"], seen["turn"], seen["phase"], seen["vp"]["pompey"]) == ({}, 2, "card", 2)


def test_jupiter_as_player_2_kills_the_leader_who_alone_attacks_and_the_fight_is_over() -> None:
    state = begin_705(
        """
        genua     caesar: antonius/1
        narbo     caesar: legio_9
        rome      pompey: legio_1
        neapolis  pompey: legio_2
        """,
        "Jupiter",
    )
    play(state, "caesar", "move antonius rome", "end_moves", "end_levies")
    draw(state, 1, 0)
    play(state, "pompey", "jupiter rome")
    seen = game.snapshot(state)
    assert (at(state, "antonius"), seen["contested"], seen["turn"]) == ("dead", {}, 2)


def test_jupiter_as_player_2_takes_the_main_attack_and_the_reserves_are_disrupted() -> None:
    """7.31, ruling 20: round 1 has nobody to fight it."""
    state = begin_705(
        """
        genua     caesar: legio_7
        ravenna   caesar: legio_13
        narbo     caesar: legio_9
        rome      pompey: legio_1
        neapolis  pompey: legio_2
        """,
        "Jupiter",
    )
    play(state, "caesar", "move legio_7 rome", "move legio_13 rome", "end_moves", "end_levies")
    draw(state, 2, 0)
    play(state, "pompey", "jupiter rome")
    assert (owner(state, "legio_7"), at(state, "legio_7")) == ("pompey", "neapolis")
    assert game.snapshot(state)["battle"] == {"space": "rome", "round": 2, "attacker": "caesar"}
    assert (steps(state, "legio_13"), steps(state, "legio_1")) == (2, 4)


def test_jupiter_as_player_2_takes_a_reserve_which_is_none_any_more() -> None:
    state = begin_705(
        """
        genua     caesar: legio_7
        ravenna   caesar: legio_13
        narbo     caesar: legio_9
        rome      pompey: legio_1
        neapolis  pompey: legio_2
        """,
        "Jupiter",
    )
    play(state, "caesar", "move legio_7 rome", "move legio_13 rome", "end_moves", "end_levies")
    assert game.snapshot(state)["reserves"] == ["legio_13"]
    draw(state, 2, 1)
    play(state, "pompey", "jupiter rome")
    assert (owner(state, "legio_13"), at(state, "legio_13")) == ("pompey", "neapolis")
    assert game.snapshot(state)["reserves"] == []
    assert game.snapshot(state)["battle"]["round"] == 1


def test_7_31_cleopatra_in_reserve_at_strength_i_is_disrupted_and_joins_the_enemy() -> None:
    """7.52, ruling 21."""
    state = position(
        """
        alexandria  pompey: cleopatra/1 legio_38/3
        pelusium    pompey: legio_33/1
        antioch     pompey: legio_34
        memphis     caesar: caesar
        genua       caesar: legio_7
        """,
        to_move="pompey",
    )
    play(state, "pompey", "move legio_33 memphis", "move cleopatra memphis", "move legio_38 memphis")
    play(state, "pompey", "end_moves", "end_levies")
    play(state, "caesar", "end_moves", "end_levies")
    roll(state, 1, 6, 6)
    play(state, "caesar", "fire caesar")
    assert at(state, "legio_33") == "dead"
    assert (owner(state, "cleopatra"), steps(state, "cleopatra"), at(state, "cleopatra")) == ("caesar", 1, "memphis")
    assert steps(state, "legio_38") == 2
    assert game.snapshot(state)["battle"] == {"space": "memphis", "round": 2, "attacker": "pompey"}


def test_pluto_limits_hold_for_a_response_as_well() -> None:
    """Ruling 8: the destination is contested at that instant; possible only for player 2 on turn 1 of 705."""
    state = position(
        """
        rome     caesar: legio_7 | pompey: legio_1
        ravenna  pompey: legio_3 legio_4 legio_5 legio_6
        """,
        to_move="pompey",
        player1="caesar",
        card="Pluto",
        attacks={"rome": ("caesar", "genua")},
        year=705,
        turn=1,
    )
    play(state, "pompey", "move legio_3 rome", "move legio_4 rome")
    assert "rome" in goals(state, "pompey", "move legio_5 ")
    play(state, "pompey", "move legio_5 rome")
    assert "rome" not in goals(state, "pompey", "move legio_6 ")
    assert game.snapshot(state)["reserves"] == ["legio_3", "legio_4", "legio_5"]


def test_mercury_one_block_attacks_over_a_strait_with_its_second_step() -> None:
    """4.32 holds for the bonus step."""
    state = position(
        """
        syracuse  caesar: legio_7 legio_8
        rhegium   pompey: legio_5
        """,
        card="Mercury",
    )
    assert "messana rhegium" in goals(state, "caesar", "move legio_7 ")
    play(state, "caesar", "move legio_7 messana rhegium")
    assert "messana rhegium" not in goals(state, "caesar", "move legio_8 ")
    assert "messana" in goals(state, "caesar", "move legio_8 ")


def test_6_1_blocks_that_moved_may_move_again_next_turn() -> None:
    state = position(
        "massilia caesar: legio_7\ntarraco pompey: legio_5",
        card="1/2",
        hands={"caesar": [8, 9], "pompey": [18, 19]},
    )
    play(state, "caesar", "move legio_7 genua", "end_levies")
    play(state, "pompey", "end_moves", "end_levies")
    play(state, "caesar", "play 8")
    play(state, "pompey", "play 18")
    assert "rome" in goals(state, "caesar", "move legio_7 ")


def test_7_3_reserves_stay_in_reserve_no_longer_than_their_battle() -> None:
    """A battle won in round 1 frees the reserve flags of both sides."""
    state = position(
        """
        genua    caesar: caesar
        ravenna  caesar: legio_13
        narbo    caesar: legio_9
        rome     pompey: legio_1/1
        """
    )
    play(state, "caesar", "move caesar rome", "move legio_13 rome", "end_moves", "end_levies")
    play(state, "pompey", "end_moves", "end_levies")
    roll(state, 1, 6, 6)
    play(state, "caesar", "fire caesar")
    assert game.snapshot(state)["phase"] == "regroup"
    assert game.snapshot(state)["reserves"] == []
