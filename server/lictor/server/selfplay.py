"""Games between players of this process, each with its record. The same seed gives the same games."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lictor.engine import registry
from lictor.engine.chance import derive_secret
from lictor.engine.game import Outcome, seen_events, sha256_of
from lictor.engine.record import Recorder
from lictor.server.players import player


@dataclass(frozen=True, slots=True)
class Plan:
    """What to play: game, options, who sits where (in seat order), and the seed of the whole series."""

    game: str
    options: Mapping[str, object]
    players: Sequence[str]
    seed: int


@dataclass(frozen=True, slots=True)
class Played:
    """One finished game."""

    number: int
    match: str
    outcome: Outcome
    decisions: int
    record: bytes


Told = Callable[[str, Any, list[Any]], None]  # seat, action, events


def play(plan: Plan, number: int, tell: Told | None = None) -> Played:
    """Play game `number` of a plan. Its secret comes from the seed, so that anybody can play it again."""
    game = registry.get(plan.game)
    match = f"selfplay-{_tag_of(plan)}-{plan.seed}-{number}"
    recorder = Recorder(
        game,
        plan.options,
        match=match,
        secret=derive_secret("selfplay", str(plan.seed), str(number)),
        players=dict(zip(game.SEATS, plan.players, strict=True)),
    )
    players = {
        seat: player(name, game, _seed_of(plan, number, seat))
        for seat, name in zip(game.SEATS, plan.players, strict=True)
    }
    state = recorder.state
    while seats := game.to_act(state):
        seat = seats[0]
        orders = players[seat].decide(game.observation(state, seat), game.legal_actions(state, seat))
        for follows, action in enumerate(orders):
            if follows and action not in game.legal_actions(state, seat):
                break
            events = recorder.apply(seat, action)
            for viewer, watching in players.items():
                watching.see(seen_events(events, viewer))
            if tell is not None:
                tell(seat, action, events)
            if recorder.draws or game.to_act(state) != (seat,):
                break  # there is something new to think about
    outcome = game.outcome(state)
    assert outcome is not None
    return Played(number, match, outcome, len(recorder.actions), recorder.finish())


def _tag_of(plan: Plan) -> str:
    """Return a few letters that tell apart the matches of different plans with the same seed."""
    return sha256_of([plan.game, dict(plan.options), list(plan.players)])[:6]


def _seed_of(plan: Plan, number: int, seat: str) -> int:
    return int.from_bytes(derive_secret("player", str(plan.seed), str(number), seat)[:8], "big")


def play_many(plan: Plan, games: int, jobs: int = 1) -> Iterator[Played]:
    """Play games 0, 1, 2, ... of a plan, in that order whatever the number of processes."""
    if jobs == 1:
        yield from (play(plan, number) for number in range(games))
        return
    with multiprocessing.get_context("spawn").Pool(jobs, initializer=_leave_signals) as pool:
        yield from pool.imap(_play_one, ((plan, number) for number in range(games)))


def _leave_signals() -> None:
    """Let Ctrl-C end the parent alone, which then ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _play_one(job: tuple[Plan, int]) -> Played:
    return play(*job)
