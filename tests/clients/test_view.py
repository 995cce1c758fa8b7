"""What a bot sees by name is what the engine shows to its seat: no more, no less, and nothing swapped."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest

from lictor.client.actions import Actions, NotLegal, read_answer
from lictor.client.errors import BotError
from lictor.client.games import GAMES, names_of
from lictor.client.games.julius_caesar import JuliusCaesarAction, JuliusCaesarNames, JuliusCaesarView
from lictor.client.games.names import Names
from lictor.client.memory import Memory
from lictor.client.views import Event, Frame, History, Times, View
from lictor.engine import julius_caesar as game
from lictor.engine import registry
from lictor.engine.chance import SeededChance
from lictor.server.edge.convert import codec_for
from lictor.v1 import game_pb2, julius_caesar_observation_pb2
from lictor.v1 import play_service_pb2 as pb

SEATS = game.SEATS
OPTIONS: list[dict[str, object]] = [
    {"edition": "2.0", "deployment": "historical"},
    {"edition": "1.x", "deployment": "free"},
]
# The engine's names for what the view calls otherwise.
SAME = ("year", "turn", "phase", "to_act", "player1", "moves_left", "levies_left", "pool", "dead", "deserters",
        "surprise", "opened", "kept", "regroup", "swaps")  # fmt: skip
CARDS = ("discard", "chosen")
BY_SEAT = ("hand_sizes", "pool_sizes", "points")
CARDS_BY_SEAT = ("played", "last_played")


def names_for(options: dict[str, object]) -> JuliusCaesarNames:
    names = names_of("julius_caesar", codec_for("julius_caesar", options).catalog())
    assert isinstance(names, JuliusCaesarNames)
    return names


def frame(seat: str) -> Frame:
    return Frame("m", "julius_caesar", seat, {}, {"caesar": "A", "pompey": "B"}, {})


def look(names: JuliusCaesarNames, observation: Any, options: dict[str, object]) -> JuliusCaesarView:
    raw = game_pb2.Observation.FromString(codec_for("julius_caesar", options).observation(observation))
    view = names.view(frame(observation.viewer), raw, times=Times({}))
    assert isinstance(view, JuliusCaesarView)
    return view


def moments(options: dict[str, object], seed: int) -> Iterator[tuple[Any, str, list[Any], list[Any]]]:
    """Play a game; yield the state, who acts, what he may do, and what happened before."""
    chance = SeededChance(seed)
    state = game.new_game(options, chance)
    events: list[Any] = []
    while seats := game.to_act(state):
        seat = seats[chance.draw(len(seats))]
        legal = game.legal_actions(state, seat)
        yield state, seat, legal, events
        events = game.apply(state, seat, game.FOG.choose(state, seat, legal, chance))
    yield state, "", [], events


def number_of(card: Any) -> int | None:
    return None if card is None else card.number


def check(view: JuliusCaesarView, seen: Any) -> None:
    for field in SAME:
        assert getattr(view, field) == getattr(seen, field), field
    for field in CARDS:
        assert number_of(getattr(view, field)) == getattr(seen, field), field
    for field in BY_SEAT:
        assert getattr(view, field) == dict(zip(SEATS, getattr(seen, field), strict=True)), field
    for field in CARDS_BY_SEAT:
        assert tuple(map(number_of, getattr(view, field).values())) == getattr(seen, field), field
    assert tuple(card.number for card in view.hand) == seen.hand
    assert {seat: tuple(map(number_of, cards)) for seat, cards in view.spent.items()} == dict(
        zip(SEATS, seen.spent, strict=True)
    )
    assert list(map(tuple, view.blocks)) == list(map(tuple, seen.blocks))
    assert list(map(dataclasses.astuple, view.pieces)) == list(map(tuple, seen.pieces))
    assert [(f.space, f.attacker, f.main, tuple(f.entered.values())) for f in view.fights] == list(seen.fights)
    assert list(map(tuple, view.roads)) == list(map(tuple, seen.roads))
    assert view.defector == seen.defector
    assert view.outcome == seen.outcome
    if seen.battle is None:
        assert view.battle is None
    else:
        assert view.battle is not None
        assert (*view.battle[:-1], tuple(view.battle.sailed.values())) == tuple(seen.battle)


@pytest.mark.parametrize("options", OPTIONS, ids=["2.0 historical", "1.x free"])
def test_views_say_what_the_engine_shows(options: dict[str, object]) -> None:
    names, phases = names_for(options), set()
    for state, _, _, _ in moments(options, seed=5):
        for seat in SEATS:
            seen = game.observation(state, seat)
            phases.add(seen.phase)
            view = look(names, seen, options)
            check(view, seen)
            for space in {block.space for block in seen.blocks} | {piece.space for piece in seen.pieces}:
                assert [b.name for b in view.own_at(space)] == [b.block for b in seen.blocks if b.space == space]
                assert sum(p.count for p in view.enemy_at(space)) == sum(
                    p.number for p in seen.pieces if p.space == space
                )
    assert len(phases) >= 11


def test_a_view_has_every_field_of_the_observation() -> None:
    for field in julius_caesar_observation_pb2.JuliusCaesarObservation.DESCRIPTOR.fields:
        name = field.name.removeprefix("caesar_").removeprefix("pompey_")
        name = {"viewer": "seat", "own_blocks": "blocks", "entrances": "fights", "hand_size": "hand_sizes",
                "pool_size": "pool_sizes"}.get(name, name)  # fmt: skip
        assert name == "seat" or hasattr(JuliusCaesarView, name), name


def test_actions_have_their_parts_by_name() -> None:
    names, verbs = names_for(OPTIONS[0]), set()
    codec = codec_for("julius_caesar", OPTIONS[0])
    for _, _, legal, _ in moments(OPTIONS[0], seed=6):
        decide = pb.Decide()
        for action in legal:
            decide.legal.add(notation=str(action), action=game_pb2.Action.FromString(codec.action(action)))
        for mine, theirs in zip(names.actions(decide), legal, strict=True):
            assert isinstance(mine, JuliusCaesarAction)
            assert (str(mine), mine.verb) == (str(theirs), theirs.verb)
            assert " ".join((mine.verb, *mine.args)) == str(theirs)
            assert mine.block == getattr(theirs, "block", None)
            assert mine.path == getattr(theirs, "path", ())
            assert mine.space == getattr(theirs, "space", mine.path[-1] if mine.path else None)
            assert number_of(mine.card) == getattr(theirs, "card", None)
            verbs.add(mine.verb)
    assert {"move", "levy", "fire", "play", "discard", "end_moves", "retreat"} <= verbs


@pytest.mark.parametrize("options", OPTIONS, ids=["2.0 historical", "1.x free"])
def test_events_have_their_fields_by_name(options: dict[str, object]) -> None:
    names, codec, kinds = names_for(options), codec_for("julius_caesar", options), set()
    for _, _, _, events in moments(options, seed=7):
        for event in events:
            seen = event.seen_by("caesar")
            if seen is None:
                continue
            mine = Event(game_pb2.Event.FromString(codec.event(seen)), 1, "", names)
            kinds.add(mine.kind)
            assert mine.kind.replace("_", "") == type(seen).__name__.lower()
            for field in dataclasses.fields(seen):
                theirs = getattr(seen, field.name)
                if field.name == "seat":
                    assert mine.side == theirs
                elif field.name in (
                    "block",
                    "space",
                    "city",
                    "colour",
                    "attacker",
                    "winner",
                    "steps",
                    "dice",
                    "reason",
                ):
                    assert getattr(mine, field.name) == theirs, (mine, field.name)
                elif field.name == "card":
                    assert mine.card.number == theirs
                elif field.name == "path" and "path" in mine.fields:
                    assert mine.path == theirs
                elif field.name == "hands":
                    hands = {"caesar": mine.caesar_hand, "pompey": mine.pompey_hand}
                    assert {seat: cards and tuple(map(number_of, cards)) for seat, cards in hands.items()} == theirs
    assert len(kinds) >= 20


def test_the_board_is_the_catalog() -> None:
    board, facts = names_for(OPTIONS[0]).board, game.catalog(OPTIONS[0])
    assert list(board.spaces) == [entry["id"] for entry in facts["spaces"]]
    assert {name: block.strengths for name, block in board.blocks.items()} == {
        entry["id"]: tuple(entry["strengths"]) for entry in facts["blocks"]
    }
    assert board.cards[8].name == next(entry["name"] for entry in facts["cards"] if int(entry["id"]) == 8)
    for a, b, kind in facts["edges"]:
        assert board.neighbours(a)[b] == board.neighbours(b)[a] == kind
    caesar = board.blocks["caesar"]
    assert caesar.dice(len(caesar.strengths)) == caesar.strengths[0]


def test_every_game_of_the_engine_has_a_view_of_its_own() -> None:
    assert set(GAMES) == set(registry.names())


def test_a_game_that_the_client_does_not_know_is_played_all_the_same() -> None:
    names = names_of("chess", None)
    view = names.view(frame("white"), game_pb2.Observation(), times=Times({}))
    decide = pb.Decide(legal=[pb.LegalAction(notation="push e2 e4"), pb.LegalAction(notation="resign")])
    actions = names.actions(decide)
    event = Event(game_pb2.Event(), 1, "", names)
    assert type(view) is View
    assert (actions[0].verb, actions[0].args) == ("push", ("e2", "e4"))
    assert (event.kind, dict(event.fields)) == ("", {})


def test_a_space_that_does_not_exist_is_named() -> None:
    view = look(names_for({}), game.observation(game.new_game({}, SeededChance(1)), "caesar"), {})
    with pytest.raises(KeyError, match="no space 'Roma'"):
        view.own_at("Roma")


def test_a_field_that_an_event_has_not_is_named() -> None:
    codec = codec_for("julius_caesar", {})
    event = Event(game_pb2.Event.FromString(codec.event(game.events.TurnCancelled())), 1, "", names_for({}))
    with pytest.raises(AttributeError, match=r"turn_cancelled.*no field 'block'"):
        _ = event.block


def test_a_history_stays_as_it_was() -> None:
    events = [Event(game_pb2.Event(), number, "", Names()) for number in (1, 2, 3)]
    grows = events[:2]
    history = History(grows)
    grows.append(events[2])
    assert list(history) == history[:] == events[:2]
    assert (len(history), history[-1]) == (2, events[1])


def test_a_long_history_is_fetched_page_by_page() -> None:
    there, page, asked = 2345, 1000, []

    async def ask(get_history: pb.GetHistory) -> pb.PlayResponse:
        asked.append(get_history.first)
        first = max(1, get_history.first)
        events = pb.Events(first=first, events=[game_pb2.Event()] * min(page, there - first + 1))
        opening = game_pb2.Observation() if get_history.first == 0 else None
        return pb.PlayResponse(history=pb.History(events=events, opening=opening, last=there))

    memory = Memory(frame("caesar"), ask)
    asyncio.run(memory.learn(pb.Events(first=there + 1, events=[game_pb2.Event()] * 2)))
    assert asked == [0, 1001, 2001]
    assert [event.number for event in memory.events] == list(range(1, there + 3))
    asyncio.run(memory.learn(pb.Events(first=there, events=[game_pb2.Event()] * 4)))
    assert [event.number for event in memory.events] == list(range(1, there + 4))
    assert len(asked) == 3


# --- Answers ---


def some_actions() -> Actions:
    legal = ("play 3", "play 12", "play 9")
    return Names().actions(pb.Decide(legal=[pb.LegalAction(notation=text) for text in legal]))


def test_an_answer_may_be_an_action_its_notation_its_index_or_a_list() -> None:
    actions = some_actions()
    second = [pb.Choice(index=1)]
    for answer in (actions[1], "play 12", "  play   12 ", 1, [actions[1]], ("play 12",)):
        assert read_answer(answer, actions, "B") == second
    later = [pb.Choice(index=1), pb.Choice(notation="move a b"), pb.Choice(notation="play 9")]
    assert read_answer(["play 12", "move a b", actions[2]], actions, "B") == later


def test_an_action_of_an_earlier_decision_is_found_by_its_notation() -> None:
    old, now = some_actions(), Names().actions(pb.Decide(legal=[pb.LegalAction(notation="play 9")]))
    assert read_answer(old[2], now, "B") == [pb.Choice(index=0)]
    with pytest.raises(NotLegal, match="'play 3', which is not legal now; legal: play 9"):
        read_answer(old[0], now, "B")


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (None, "B.decide returned None; return one of `actions`, its notation, its index, or a list of them"),
        (1.5, "B.decide returned 1.5"),
        (True, "B.decide returned True"),
        ([], "empty list"),
        ([0, None], "returned None in a list"),
        (["play 3", 1], "an index after its first entry"),
    ],
)
def test_a_useless_answer_is_explained(answer: object, text: str) -> None:
    with pytest.raises(BotError) as error:
        read_answer(answer, some_actions(), "B")
    assert text in str(error.value)


@pytest.mark.parametrize("answer", [3, -1, "play 4", ["pass"]])
def test_an_illegal_answer_is_noticed_before_it_costs_a_strike(answer: object) -> None:
    with pytest.raises(NotLegal):
        read_answer(answer, some_actions(), "B")
