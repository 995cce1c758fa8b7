import pytest

from lictor.engine import julius_caesar as game
from lictor.engine.chance import ScriptedChance
from lictor.engine.game import IllegalAction
from support.position import at, card_number, legal, play, position

BOARD = """
    massilia  caesar: legio_7
    tarraco   pompey: legio_5
    """


def test_2_1_on_equal_moves_caesar_is_player_1() -> None:
    """S01."""
    state = position(BOARD, phase="card", hands={"caesar": ["2/1", "3/1"], "pompey": ["2/2", "4/1"]})
    play(state, "caesar", f"play {card_number('2/1')}")
    play(state, "pompey", f"play {card_number('2/2')}")
    seen = game.snapshot(state)
    assert (seen["player1"], seen["to_act"]) == ("caesar", ["caesar"])
    assert (seen["phase"], seen["moves_left"], seen["levies_left"]) == ("moves", 2, 1)
    play(state, "caesar", "end_moves", "end_levies")
    seen = game.snapshot(state)
    assert (seen["player1"], seen["to_act"]) == ("caesar", ["pompey"])
    assert (seen["phase"], seen["moves_left"], seen["levies_left"]) == ("moves", 2, 2)


def test_2_1_sidebar_a_game_turn_from_the_cards_to_the_choice_of_battles() -> None:
    """Game Turn Example: 2/1 against 2/2, two moves and one levy, two moves and two levies, then the battles."""
    state = position(
        """
        massilia  caesar: legio_7 legio_8
        genua     caesar: legio_11
        ravenna   caesar: legio_13
        narbo     pompey: legio_5
        rome      pompey: legio_1
        antioch   pompey: legio_34
        """,
        phase="card",
        hands={"caesar": ["2/1", "3/1"], "pompey": ["2/2", "4/1"]},
    )
    play(state, "caesar", f"play {card_number('2/1')}")
    play(state, "pompey", f"play {card_number('2/2')}")

    play(state, "caesar", "move legio_7 narbo", "move legio_11 rome")
    assert game.snapshot(state)["moves_left"] == 0
    assert {order.split()[1] for order in legal(state, "caesar", "move")} == {"legio_8"}
    play(state, "caesar", "end_moves", "levy c_auxilia_1 massilia")

    play(state, "pompey", "move legio_34 damascus", "move cleopatra pelusium")
    assert (game.snapshot(state)["phase"], game.snapshot(state)["levies_left"]) == ("levies", 2)
    play(state, "pompey", "levy p_auxilia_1 damascus", "reinforce p_auxilia_1")

    assert game.snapshot(state)["phase"] == "battle_pick"
    assert legal(state, "caesar") == {"battle narbo", "battle rome"}


def test_2_1_the_higher_move_is_player_1() -> None:
    """S02: levy points do not count."""
    state = position(BOARD, phase="card", hands={"caesar": ["2/3", "4/1"], "pompey": ["3/1", "2/1"]})
    play(state, "caesar", f"play {card_number('2/3')}")
    play(state, "pompey", f"play {card_number('3/1')}")
    seen = game.snapshot(state)
    assert (seen["player1"], seen["to_act"], seen["moves_left"], seen["levies_left"]) == ("pompey", ["pompey"], 3, 1)


@pytest.mark.parametrize(
    ("edition", "year", "turn", "first"),
    [
        ("2.0", 705, 1, "caesar"),
        ("2.0", 705, 2, "pompey"),
        ("2.0", 706, 1, "pompey"),
        ("1.x", 705, 1, "pompey"),
    ],
)
def test_2_1_caesar_is_player_1_on_the_first_turn_of_705(edition: str, year: int, turn: int, first: str) -> None:
    """S03, and that it holds for no other turn and not in edition 1.x."""
    state = position(
        BOARD,
        phase="card",
        hands={"caesar": ["1/2", "3/1"], "pompey": ["4/1", "2/1"]},
        edition=edition,
        year=year,
        turn=turn,
    )
    play(state, "caesar", f"play {card_number('1/2')}")
    play(state, "pompey", f"play {card_number('4/1')}")
    assert (game.snapshot(state)["player1"], game.to_act(state)) == (first, (first,))
    assert game.snapshot(state)["moves_left"] == {"caesar": 1, "pompey": 4}[first]


def test_2_1_on_the_first_turn_of_705_pompey_executes_mars_as_player_2() -> None:
    """S04."""
    state = position(
        """
        genua    caesar: legio_11
        ravenna  caesar: legio_13
        rome     pompey: legio_1
        """,
        phase="card",
        hands={"caesar": ["1/2", "3/1"], "pompey": ["Mars", "2/1"]},
        year=705,
        turn=1,
    )
    play(state, "caesar", f"play {card_number('1/2')}")
    play(state, "pompey", f"play {card_number('Mars')}")
    assert (game.snapshot(state)["player1"], game.to_act(state)) == ("caesar", ("caesar",))
    assert game.snapshot(state)["moves_left"] == 1
    play(state, "caesar", "end_moves", "end_levies")

    seen = game.snapshot(state)
    assert (seen["player1"], seen["to_act"], seen["phase"]) == ("caesar", ["pompey"], "moves")
    assert (seen["moves_left"], seen["levies_left"]) == (1, 0)
    play(state, "pompey", "move legio_1 genua")
    assert game.snapshot(state)["battle"] == {"space": "genua", "round": 1, "attacker": "pompey"}
    assert legal(state, "pompey") == {"fire legio_1", "pass legio_1"}


def test_2_1_edition_1_x_the_god_player_is_player_1_on_the_first_turn_of_705() -> None:
    state = position(
        BOARD,
        phase="card",
        hands={"caesar": ["4/1", "3/1"], "pompey": ["Mars", "2/1"]},
        edition="1.x",
        year=705,
        turn=1,
    )
    play(state, "caesar", f"play {card_number('4/1')}")
    play(state, "pompey", f"play {card_number('Mars')}")
    assert (game.snapshot(state)["player1"], game.to_act(state)) == ("pompey", ("pompey",))


@pytest.mark.parametrize("god", ["Jupiter", "Mars", "Mercury", "Neptune", "Pluto", "Vulcan"])
def test_2_1_the_player_of_a_god_is_player_1(god: str) -> None:
    state = position(BOARD, phase="card", hands={"caesar": ["4/1", "3/1"], "pompey": [god, "2/1"]})
    play(state, "caesar", f"play {card_number('4/1')}")
    play(state, "pompey", f"play {card_number(god)}")
    assert game.snapshot(state)["player1"] == "pompey"


def test_2_1_two_gods_cancel_each_other_and_the_turn_ends() -> None:
    """S05."""
    state = position(BOARD, phase="card", hands={"caesar": ["Mars", "3/1", "2/1"], "pompey": ["Mercury", "2/2", "1/2"]})
    play(state, "caesar", f"play {card_number('Mars')}")
    play(state, "pompey", f"play {card_number('Mercury')}")
    seen = game.snapshot(state)
    assert (seen["turn"], seen["phase"], seen["to_act"]) == (3, "card", ["caesar", "pompey"])
    assert seen["player1"] is None
    assert seen["hands"] == {
        "caesar": [card_number("3/1"), card_number("2/1")],
        "pompey": [card_number("2/2"), card_number("1/2")],
    }
    assert seen["last_played"] == {"caesar": card_number("Mars"), "pompey": card_number("Mercury")}
    assert game.dump(state)["spent"] == {"caesar": [card_number("Mars")], "pompey": [card_number("Mercury")]}
    assert (at(state, "legio_7"), at(state, "legio_5")) == ("massilia", "tarraco")


def test_2_1_two_gods_on_the_fifth_turn_lead_into_winter() -> None:
    state = position(BOARD, phase="card", hands={"caesar": ["Mars"], "pompey": ["Mercury"]}, turn=5)
    play(state, "caesar", f"play {card_number('Mars')}")
    seen = game.snapshot(state)
    assert (seen["year"], seen["turn"], seen["phase"]) == (706, 5, "winter_disband")


def test_2_1_nothing_is_decided_until_both_cards_are_played() -> None:
    state = position(BOARD, phase="card", hands={"caesar": ["2/1", "3/1"], "pompey": ["2/2", "4/1"]})
    play(state, "pompey", f"play {card_number('4/1')}")
    assert (game.to_act(state), game.snapshot(state)["phase"]) == (("caesar",), "card")
    assert game.snapshot(state)["player1"] is None
    with pytest.raises(IllegalAction):
        play(state, "pompey", f"play {card_number('2/2')}")


def test_2_1_the_last_card_is_played_of_itself() -> None:
    state = position(BOARD, phase="card", hands={"caesar": ["2/1"], "pompey": ["3/1"]}, turn=5)
    play(state, "caesar", f"play {card_number('2/1')}")
    seen = game.snapshot(state)
    assert seen["played"] == {"caesar": card_number("2/1"), "pompey": card_number("3/1")}
    assert (seen["player1"], seen["phase"]) == ("pompey", "moves")


def test_2_1_moves_and_levies_may_be_fewer_than_the_card_gives() -> None:
    state = position(BOARD, phase="moves", card="4/1")
    play(state, "caesar", "end_moves")
    assert (game.snapshot(state)["phase"], game.to_act(state)) == ("levies", ("caesar",))
    play(state, "caesar", "end_levies")
    assert (game.snapshot(state)["phase"], game.to_act(state)) == ("moves", ("pompey",))


def test_apollo_a_copied_command_card_decides_who_is_player_1() -> None:
    """S06."""
    state = position(
        BOARD,
        phase="card",
        hands={"caesar": ["Apollo", "2/1"], "pompey": ["3/1", "2/2"]},
        last_cards={"caesar": "1/2", "pompey": "2/3"},
    )
    play(state, "caesar", f"play {card_number('Apollo')}")
    play(state, "pompey", f"play {card_number('3/1')}")
    seen = game.snapshot(state)
    assert (seen["player1"], seen["to_act"]) == ("pompey", ["pompey"])
    assert seen["played"] == {"caesar": card_number("2/3"), "pompey": card_number("3/1")}
    play(state, "pompey", "end_moves", "end_levies")
    seen = game.snapshot(state)
    assert (seen["to_act"], seen["moves_left"], seen["levies_left"]) == (["caesar"], 2, 3)


@pytest.mark.parametrize("edition", ["2.0", "1.x"])
def test_apollo_copying_a_god_does_not_cancel_the_turn(edition: str) -> None:
    """S07."""
    state = position(
        BOARD,
        phase="card",
        hands={"caesar": ["Apollo", "2/1"], "pompey": ["4/1", "2/2"]},
        last_cards={"caesar": "1/2", "pompey": "Vulcan"},
        edition=edition,
    )
    play(state, "caesar", f"play {card_number('Apollo')}")
    play(state, "pompey", f"play {card_number('4/1')}")
    seen = game.snapshot(state)
    assert (seen["player1"], seen["to_act"], seen["phase"]) == ("caesar", ["caesar"], "god")
    assert seen["played"]["caesar"] == card_number("Vulcan")
    assert {"vulcan tarraco", "vulcan jerusalem"} <= legal(state, "caesar", "vulcan")


@pytest.mark.parametrize("edition", ["2.0", "1.x"])
def test_apollo_and_another_god_cancel_the_turn(edition: str) -> None:
    """S08: nothing is copied, and it is Apollo that counts as played."""
    state = position(
        BOARD,
        phase="card",
        hands={"caesar": ["Apollo", "2/1", "1/2"], "pompey": ["Mars", "2/2", "4/1"]},
        last_cards={"caesar": "1/3", "pompey": "2/3"},
        edition=edition,
    )
    play(state, "caesar", f"play {card_number('Apollo')}")
    play(state, "pompey", f"play {card_number('Mars')}")
    seen = game.snapshot(state)
    assert (seen["turn"], seen["phase"], seen["to_act"]) == (3, "card", ["caesar", "pompey"])
    assert seen["player1"] is None
    assert seen["last_played"] == {"caesar": card_number("Apollo"), "pompey": card_number("Mars")}


def test_apollo_may_be_discarded_but_not_played_on_the_first_turn_of_a_year() -> None:
    """S09."""
    state = game.new_game({}, ScriptedChance((n, 0) for n in range(27, 15, -1)))
    assert legal(state, "caesar") == {f"discard {n}" for n in range(1, 7)}
    play(state, "caesar", "discard 6")
    play(state, "pompey", "discard 7")
    assert legal(state, "caesar") == {f"play {n}" for n in range(2, 6)}

    state = game.new_game({}, ScriptedChance((n, 0) for n in range(27, 15, -1)))
    play(state, "caesar", "discard 1")
    play(state, "pompey", "discard 7")
    assert game.dump(state)["discards"]["caesar"] == card_number("Apollo")


@pytest.mark.parametrize(("turn", "playable"), [(1, {"play 22"}), (2, {"play 1", "play 22"})])
def test_apollo_is_playable_from_the_second_turn_of_each_year(turn: int, playable: set[str]) -> None:
    state = position(BOARD, phase="card", hands={"caesar": [1, 22], "pompey": [8, 11]}, year=707, turn=turn)
    assert legal(state, "caesar") == playable


def test_apollo_copies_a_card_of_a_cancelled_turn() -> None:
    state = position(
        BOARD, phase="card", hands={"caesar": ["Mars", "Apollo", "2/1"], "pompey": ["Vulcan", "4/1", "2/2"]}
    )
    play(state, "caesar", f"play {card_number('Mars')}")
    play(state, "pompey", f"play {card_number('Vulcan')}")
    play(state, "caesar", f"play {card_number('Apollo')}")
    play(state, "pompey", f"play {card_number('4/1')}")
    assert game.snapshot(state)["played"]["caesar"] == card_number("Vulcan")


def test_apollo_counts_as_the_card_it_copied() -> None:
    """A copy is what the next turn remembers as played."""
    state = position(
        BOARD,
        phase="card",
        hands={"caesar": ["Apollo", "2/1", "1/2"], "pompey": ["3/1", "2/2", "4/1"]},
        last_cards={"caesar": "1/3", "pompey": "2/3"},
    )
    play(state, "caesar", f"play {card_number('Apollo')}")
    play(state, "pompey", f"play {card_number('3/1')}")
    play(state, "pompey", "end_moves", "end_levies")
    play(state, "caesar", "end_moves", "end_levies")
    seen = game.snapshot(state)
    assert (seen["turn"], seen["phase"]) == (3, "card")
    assert seen["last_played"] == {"caesar": card_number("2/3"), "pompey": card_number("3/1")}
