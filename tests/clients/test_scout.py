"""`scout` knows what its seat may know, and nothing else."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from lictor.bots.registry import load
from lictor.client import Actions
from lictor.client.actions import Action
from lictor.engine import registry, search
from lictor.engine.chance import SeededChance
from lictor.engine.game import seen_events
from lictor.server.edge.convert import codec_for
from lictor.v1 import game_pb2
from lictor.v1 import play_service_pb2 as pb

BUDGET = 24


class Table:
    """A game that is played by its advice, and what each seat was sent of it, as bytes."""

    def __init__(self, name: str, seed: int) -> None:
        self.game = registry.get(name)
        self.codec = codec_for(name, {})
        self.chance = SeededChance(seed)
        self.state: Any = self.game.new_game({}, SeededChance(seed + 1))
        self.sent: dict[str, list[bytes]] = {seat: [] for seat in self.game.SEATS}
        self.asked = dict.fromkeys(self.game.SEATS, 0)

    def step(self) -> None:
        seat = self.game.to_act(self.state)[0]
        self.asked[seat] += 1
        events = self.game.apply(self.state, seat, self.game.advise(self.state, seat, self.chance)[0])
        for viewer, sent in self.sent.items():
            sent += [self.codec.event(event) for event in seen_events(events, viewer)]

    def view(self, state: Any, seat: str) -> tuple[Any, Actions]:
        """Return what a client makes of the messages about a state, which may be another than the true one."""
        raw = game_pb2.Observation.FromString(self.codec.observation(self.game.observation(state, seat)))
        history = [SimpleNamespace(raw=game_pb2.Event.FromString(event)) for event in self.sent[seat]]
        view = SimpleNamespace(
            match_id="m", game=self.game.NAME, seat=seat, options={}, raw=raw, history=history,
            decision_id=self.asked[seat] + 1,
        )  # fmt: skip
        legal = self.game.legal_actions(state, seat)
        return view, Actions(Action(pb.LegalAction(notation=str(one)), i, None) for i, one in enumerate(legal))


def answer(table: Table, state: Any, seat: str) -> tuple[list[str], Any]:
    view, actions = table.view(state, seat)
    bot: Any = load(f"scout-{BUDGET}", 11)()
    bot.on_start(view)
    answered = bot.decide(view, actions)
    many = answered if isinstance(answered, list) else [answered]
    return [str(one) for one in many], bot._note


@pytest.mark.parametrize("name", registry.names())
def test_scout_decides_the_same_in_a_world_dealt_anew_behind_the_fog(name: str) -> None:
    table, compared, peeking = Table(name, 21), 0, 0
    game = table.game
    while seats := game.to_act(table.state):
        seat = seats[0]
        legal = game.legal_actions(table.state, seat)
        if len(legal) > 1 and sum(table.asked.values()) % 9 == 4:
            other = game.redeal(table.state, seat, SeededChance(compared))
            if game.digest(other) != game.digest(table.state):
                assert answer(table, table.state, seat) == answer(table, other, seat)
                compared += 1
                # One who looked behind the fog would see different things there.
                weighed = [
                    search.weigh(game, [world], seat, legal[:4], 8, SeededChance(5)) for world in (table.state, other)
                ]
                peeking += weighed[0] != weighed[1]
        if compared == 20:
            break
        table.step()
    assert compared >= 10
    assert peeking >= compared / 2


@pytest.mark.parametrize("name", registry.names())
def test_scout_says_what_it_believes(name: str) -> None:
    table = Table(name, 4)
    while len(table.game.legal_actions(table.state, table.game.to_act(table.state)[0])) < 2:
        table.step()
    _, note = answer(table, table.state, table.game.to_act(table.state)[0])
    assert 0 < note.win_chance < 1
    assert note.text
    assert len(note.beliefs) > 5
    for belief in note.beliefs:
        table.game.parse_claim(belief.claim)


def test_by_the_clock_it_searches_on_while_there_is_time() -> None:
    table = Table(registry.names()[0], 4)
    view, actions = table.view(table.state, table.game.to_act(table.state)[0])
    from lictor.bots.scout import make

    bot: Any = make(1, seconds=0.05)()
    bot.on_start(view)
    bot.decide(view, actions)
    assert bot._note.text
