"""Whatever a game is asked, it answers with a refusal that says why, or does it: it never breaks and never tells."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from lictor.engine import julius_caesar as game
from lictor.engine.chance import ChanceError, ScriptedChance, SeededChance
from lictor.engine.game import SPECTATOR, BadData, BadOption, IllegalAction
from lictor.engine.julius_caesar import actions
from lictor.engine.julius_caesar.state import State
from support.position import play, position


def option_refusal(options: object) -> str:
    """Return why no game can be set up with `options`."""
    with pytest.raises(BadOption) as caught:
        game.new_game(options, SeededChance(1))  # type: ignore[arg-type]
    assert len(str(caught.value)) < 400
    return str(caught.value)


def refusal(state: State, seat: object, action: object) -> str:
    """Return why `seat` may not take `action`, and see that nothing has changed."""
    before, dumped = game.digest(state), json.dumps(game.dump(state))
    with pytest.raises(IllegalAction) as caught:
        game.apply(state, seat, action)  # type: ignore[arg-type]
    assert game.digest(state) == before
    assert json.dumps(game.dump(state)) == dumped
    assert 0 < len(str(caught.value)) < 400
    return str(caught.value)


def over() -> State:
    """Return a game that has ended."""
    state, rng = game.new_game({}, SeededChance(5)), random.Random(5)
    while seats := game.to_act(state):
        game.apply(state, seats[0], rng.choice(game.legal_actions(state, seats[0])))
    return state


# Options


@pytest.mark.parametrize("name", ["editions", "Edition", "", "seed", "data ", 7, None, ("edition",), "x" * 100_000])
def test_an_unknown_option_is_refused_with_the_known_ones(name: object) -> None:
    text = option_refusal({name: "2.0"})
    assert repr(name)[:40] in text
    for known in game.OPTIONS:
        assert known in text


STRANGE_VALUES = [
    None, 7, 2.0, True, b"2.0", [], ["2.0"], {}, {"2.0": 1}, ("2.0",), {"2.0"}, object(), "", "2.0 ", " historical",
    "2.0\n", "FREE", "3.0", "x" * 100_000,
]  # fmt: skip


@pytest.mark.parametrize("value", STRANGE_VALUES, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("option", ["edition", "deployment"])
def test_an_option_of_a_value_it_may_not_have_is_refused(option: str, value: object) -> None:
    text = option_refusal({option: value})
    assert option in text
    for allowed in game.OPTIONS[option].values or ():
        assert allowed in text


@pytest.mark.parametrize(
    "value",
    [7, 2.0, True, False, b"", "", "data.yaml", [], [{}], {"a"}, object()],
    ids=lambda value: type(value).__name__,
)
def test_data_that_are_no_mapping_are_refused(value: object) -> None:
    with pytest.raises(BadData, match="mapping"):
        game.new_game({"data": value}, SeededChance(1))


@pytest.mark.parametrize(
    "options",
    [None, 7, "edition", "", [], ["edition"], [("edition", "2.0")], ()],
    ids=lambda value: type(value).__name__,
)
def test_options_are_a_mapping(options: object) -> None:
    assert "mapping" in option_refusal(options)


# Seats


STRANGE_SEATS = [
    "", "Caesar", "caesar ", "brutus", SPECTATOR, "0", 0, -1, None, True, b"caesar", ["caesar"], {},
    ("caesar", "pompey"), "x" * 100_000,
]  # fmt: skip


@pytest.mark.parametrize("seat", STRANGE_SEATS, ids=lambda value: type(value).__name__)
def test_an_unknown_seat_is_refused_with_the_known_ones(seat: object) -> None:
    state = position("genua caesar: legio_7")
    texts = [refusal(state, seat, actions.END_MOVES)]
    with pytest.raises(IllegalAction) as caught:
        game.legal_actions(state, seat)  # type: ignore[arg-type]
    texts.append(str(caught.value))
    for text in texts:
        assert repr(seat)[:30] in text
        assert "caesar" in text
        assert "pompey" in text
        assert len(text) < 200


# Actions


def test_who_is_not_to_act_has_no_actions_and_may_do_nothing() -> None:
    state = position("genua caesar: legio_7\nrome pompey: legio_1")
    assert game.to_act(state) == ("caesar",)
    assert game.legal_actions(state, "pompey") == []
    for order in ("end_moves", "move legio_1 genua", "move legio_7 rome", "play 8"):
        assert "pompey has nothing to decide now" in refusal(state, "pompey", game.parse_action(order))


@pytest.mark.parametrize(
    "order",
    ["end_levies", "end_regroup", "end_disband", "end_deployment", "decline", "play 8", "discard 8", "fire legio_7",
     "hit legio_7", "pass legio_7", "retreat legio_7", "retreat legio_7 rome", "regroup legio_7 rome", "battle rome",
     "levy legio_17 rome", "reinforce legio_7", "disband legio_7", "port c_navis_1 genua", "vulcan rome",
     "jupiter rome", "jupiter_to genua", "surprise rome", "swap caesar legio_7"],
)  # fmt: skip
def test_an_order_of_another_phase_is_refused(order: str) -> None:
    state = position("genua caesar: legio_7/1 caesar\nrome pompey: legio_1")
    text = refusal(state, "caesar", game.parse_action(order))
    assert text.startswith(f"caesar may not {order}")


@pytest.mark.parametrize(
    "order",
    ["move legio_7 narbo", "move legio_7 genua", "move legio_7 utica", "move legio_7 atlantis", "move legio_99 rome",
     "move legio_1 genua", "move legio_7 rome neapolis", "move legio_7 mare_tyrrhenum", "move legio_8 rome",
     "move legio_7 massilia genua", "move caesar caesar", "move rome legio_7", "sail legio_7 mare_tyrrhenum utica"],
)  # fmt: skip
def test_a_well_formed_move_that_breaks_a_rule_is_refused(order: str) -> None:
    state = position("genua caesar: legio_7 caesar\nrome pompey: legio_1", card="3/1")
    text = refusal(state, "caesar", game.parse_action(order))
    assert text.startswith(f"caesar may not {order}")


def test_a_card_that_is_not_in_hand_is_refused() -> None:
    state = position("genua caesar: legio_7", phase="card", hands={"caesar": [8, 9], "pompey": [10, 11]})
    for card in (1, 10, 11, 12, 27):
        assert f"caesar may not play {card}" in refusal(state, "caesar", actions.Play(card))


@pytest.mark.parametrize("card", [0, -1, 28, "8", 8.5, None, [8]], ids=lambda value: type(value).__name__)
def test_a_card_that_does_not_exist_is_refused(card: Any) -> None:
    state = position("genua caesar: legio_7", phase="card", hands={"caesar": [8, 9], "pompey": [10, 11]})
    refusal(state, "caesar", actions.Play(card))


@pytest.mark.parametrize(
    "action",
    [
        actions.Move("legio_7", ()),
        actions.Move("legio_7", ["rome"]),  # type: ignore[arg-type]
        actions.Move("legio_7", "rome"),  # type: ignore[arg-type]
        actions.Move("", ("",)),
        actions.Move("legio_7", ("rome",) * 5000),
        actions.Move("x" * 100_000, ("rome",)),
        actions.BlockAlong("legio_7", ("rome",)),
        actions.Bare(),
        actions.OfBlock("legio_7"),
    ],
    ids=lambda action: repr(action)[:40],
)
def test_an_action_made_by_hand_that_is_none_of_the_game_is_refused(action: actions.Action) -> None:
    refusal(position("genua caesar: legio_7"), "caesar", action)


def test_an_answered_seat_may_not_answer_again() -> None:
    state = position("genua caesar: legio_7", phase="card", hands={"caesar": [8, 9], "pompey": [10, 11]})
    play(state, "caesar", "play 8")
    for order in ("play 8", "play 9", "play 10"):
        assert "caesar has nothing to decide now" in refusal(state, "caesar", game.parse_action(order))
    assert game.to_act(state) == ("pompey",)


@pytest.mark.parametrize("seat", game.SEATS)
def test_a_finished_game_takes_no_action(seat: str) -> None:
    state = over()
    assert game.legal_actions(state, seat) == []
    for order in ("end_disband", "end_moves", "play 8", "decline"):
        assert "nothing to decide" in refusal(state, seat, game.parse_action(order))
    assert game.outcome(state) is not None


@dataclass(frozen=True)
class Look:
    """Looks like an order to move, and is none."""

    block: str
    path: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(("move", self.block, *self.path))


NO_ACTIONS = [
    "end_moves", "move legio_7 rome", "", b"end_moves", None, 0, 7, True, object(), actions.EndMoves, actions, len,
    ("move", "legio_7", "rome"), ["end_moves"], {"move": "legio_7"}, {1, 2}, Look("legio_7", ("rome",)), "x" * 100_000,
]  # fmt: skip


@pytest.mark.parametrize("action", NO_ACTIONS, ids=lambda value: type(value).__name__)
def test_what_is_no_action_is_refused_as_such(action: object) -> None:
    state = position("genua caesar: legio_7")
    text = refusal(state, "caesar", action)
    assert type(action).__name__ in text
    assert "parse_action" in text


def test_a_list_of_legal_actions_belongs_to_the_caller() -> None:
    state = position("genua caesar: legio_7")
    listed = game.legal_actions(state, "caesar")
    before = list(listed)
    listed.clear()
    assert game.legal_actions(state, "caesar") == before
    listed.append(actions.Move("legio_7", ("utica",)))
    refusal(state, "caesar", actions.Move("legio_7", ("utica",)))


def test_a_refused_draw_of_a_copy_leaves_the_original_alone() -> None:
    state = position("rome caesar: legio_7 | pompey: legio_1", phase="battles", attacks={"rome": ("caesar", "genua")})
    play(state, "caesar", "battle rome")
    before = game.digest(state)
    twin = game.copy(state)
    seat = game.to_act(twin)[0]
    with pytest.raises(ChanceError, match="no chance of its own"):
        game.apply(twin, seat, game.legal_actions(twin, seat)[0])
    assert game.digest(state) == before


# What a refusal tells


def altered(state: State, change: Callable[[dict[str, Any]], object]) -> State:
    """Return a twin in which something hidden is different."""
    dumped = json.loads(json.dumps(game.dump(state)))
    change(dumped)
    twin = game.load(dumped, ScriptedChance())
    assert game.digest(twin) != game.digest(state)
    return twin


def exchange_blocks(dumped: dict[str, Any], one: str, other: str) -> None:
    blocks = dumped["blocks"]
    blocks[one], blocks[other] = blocks[other], blocks[one]


def exchange_cards(dumped: dict[str, Any], one: int, other: int) -> None:
    """Let a card of Pompey's hand and one of the deck change places."""
    hand, deck = dumped["hands"]["pompey"], dumped["deck"]
    hand[hand.index(one)], deck[deck.index(other)] = other, one


BOARD = """
    genua caesar: legio_7
    rome  pompey: legio_1/3 legio_32/3
    utica pompey: legio_33/1
    """

SECRETS: dict[str, Callable[[dict[str, Any]], object]] = {
    "who stands there": lambda dumped: exchange_blocks(dumped, "legio_1", "legio_33"),
    "who is in the pool": lambda dumped: exchange_blocks(dumped, "legio_32", "legio_4"),
    "who is dead": lambda dumped: exchange_blocks(dumped, "legio_4", "legio_5"),
    "how strong it is": lambda dumped: dumped["blocks"]["legio_1"].update(steps=1),
    "what is in hand": lambda dumped: exchange_cards(dumped, 10, 20),
    "what was put away": lambda dumped: dumped.update(
        discards={"caesar": 13, "pompey": 21}, deck=[card for card in dumped["deck"] if card not in (13, 21)]
    ),
}


def attempts() -> list[tuple[str, actions.Action]]:
    """Return orders with which a seat might feel for what it cannot see."""
    blocks = ("legio_1", "legio_32", "legio_33", "legio_4", "legio_5", "legio_17", "legio_99", "cleopatra")
    spaces = ("rome", "utica", "genua", "neapolis", "atlantis")
    orders = [
        f"{verb} {block}" for verb in ("fire", "hit", "pass", "reinforce", "disband", "retreat") for block in blocks
    ]
    orders += [
        f"{verb} {block} {space}" for verb in ("move", "levy", "regroup") for block in blocks for space in spaces
    ]
    orders += [f"{verb} {space}" for verb in ("vulcan", "jupiter", "surprise", "battle") for space in spaces]
    orders += [f"{verb} {card}" for verb in ("play", "discard") for card in range(1, 28)]
    return [(seat, game.parse_action(order)) for order in orders for seat in game.SEATS]


def refusals(state: State, seats: tuple[str, ...]) -> list[str | None]:
    """Return what each attempt of `seats` is answered with, `None` for a legal one."""
    texts = []
    for seat, action in attempts():
        if seat in seats:
            is_legal = action in game.legal_actions(state, seat)
            texts.append(None if is_legal else refusal(state, seat, action))
    return texts


@pytest.mark.parametrize("secret", SECRETS)
def test_no_refusal_of_caesar_depends_on_what_pompey_hides(secret: str) -> None:
    """Pompey's blocks, pool and cards differ; Caesar, to move or to play a card, is told the same."""
    hands = {"caesar": [8, 9], "pompey": [10, 11]}
    for phase in ("moves", "card"):
        state = position(BOARD, phase=phase, hands=hands, dead=["legio_5"], card=12, enemy_card=22)
        assert refusals(altered(state, SECRETS[secret]), ("caesar",)) == refusals(state, ("caesar",))


def test_a_refusal_does_not_depend_on_whether_the_enemy_has_answered() -> None:
    waiting, answered = (
        position("genua caesar: legio_7", phase="card", hands={"caesar": [8, 9], "pompey": [10, 11]}) for _ in range(2)
    )
    play(answered, "pompey", "play 10")
    assert refusals(answered, ("caesar",)) == refusals(waiting, ("caesar",))


def test_a_refusal_names_nothing_but_the_order_and_the_seats() -> None:
    state = position(BOARD, hands={"pompey": [9, 10]})
    for seat, action in attempts():
        if action not in game.legal_actions(state, seat):
            text = refusal(state, seat, action)
            assert text.replace(str(action), "") in (
                f"{seat} has nothing to decide now",
                f"{seat} may not : it is not among his legal actions",
            )
