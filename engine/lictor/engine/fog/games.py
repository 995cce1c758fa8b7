"""Random games along which the fog law is checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lictor.engine.chance import Chance, SeededChance
from lictor.engine.fog.comparing import leaves
from lictor.engine.fog.report import FogReport
from lictor.engine.fog.viewpoint import Order, Viewpoint
from lictor.engine.game import SPECTATOR, Action, AnyGame, Options, Viewer, seen_events

MOST_LEAKS = 20  # then the search ends: the first ones say enough
_OFTEN = 30  # a kind of hidden fact that differed less often is looked for
_SITUATION_OFTEN = 15  # a decision of which fewer states were compared is looked for
_TOPIC_OFTEN = 4  # an event about a kind of piece that was compared less often is looked for
_SELDOM = 25  # of states with nothing rare one in so many is visited: playing is cheap, comparing is not
_REMEMBERED = 400  # actions of the past that are tried again where they are forbidden


def check_games(game: AnyGame, options: Sequence[Options], states: int, seed: int) -> Iterator[FogReport]:
    """Check the law along random games, cycling through `options`, until `states` were visited; yield after each."""
    report = FogReport(game.NAME)
    number = 0
    while report.states < states and len(report.leaks) < MOST_LEAKS:
        _Play(game, options[number % len(options)], seed + number, report).run(states)
        number += 1
        yield report


class _Play:
    """One random game, and what each viewer has seen of it."""

    def __init__(self, game: AnyGame, options: Options, seed: int, report: FogReport) -> None:
        self.game, self.report = game, report
        self.label = f"seed {seed} options {dict(options)}"
        self.choose, self.worlds = SeededChance(seed + 10**9), SeededChance(seed + 2 * 10**9)
        self.state = game.new_game(options, SeededChance(seed))
        self.history: dict[Viewer, list[Any]] = {viewer: [] for viewer in (*game.SEATS, SPECTATOR)}
        self.past: list[Action] = []
        self.step = 0

    def run(self, states: int) -> None:
        """Play on; visit every state with something rare, some of the others, and the last."""
        game, report, state = self.game, self.report, self.state
        while (seats := game.to_act(state)) and report.states < states and len(report.leaks) < MOST_LEAKS:
            seat = seats[self.choose.draw(len(seats))]
            actions = game.legal_actions(state, seat)
            action = game.FOG.choose(state, seat, actions, self.choose)
            before = game.copy(state)
            events = game.apply(state, seat, action)
            rare = any(report.topics[game.FOG.topic(state, action, event)] < _TOPIC_OFTEN for event in events)
            if self.choose.draw(_SELDOM) == 0 or rare or _is_rare(game, before, report):
                self._visit(before, (seat, action))
            _remember(self.past, actions, self.choose)
            for viewer, seen in self.history.items():
                seen += seen_events(events, viewer)
            self.step += 1
        if not game.to_act(state):
            self._visit(state, None)

    def _visit(self, state: Any, order: Order | None) -> None:
        self.report.states += 1
        self.report.situations[self.game.FOG.situation(state)] += 1
        told = f"({order[0]} {order[1]})" if order else "(the end)"
        for viewer, seen in self.history.items():
            where = f"{self.label} step {self.step} {told} viewer {viewer}"
            Viewpoint(self.game, state, viewer, self.worlds, self.report, where).check(seen, order, self.past)


def _remember(past: list[Action], actions: Sequence[Action], chance: Chance) -> None:
    for _ in range(3):
        action = actions[chance.draw(len(actions))]
        if len(past) < _REMEMBERED:
            past.append(action)
        else:
            past[chance.draw(_REMEMBERED)] = action


def _is_rare(game: AnyGame, state: Any, report: FogReport) -> bool:
    if report.situations[game.FOG.situation(state)] < _SITUATION_OFTEN:
        return True
    wanted = report.missing_kinds(game, _OFTEN)
    if not wanted:
        return False
    dumped = game.dump(state)
    hidden = (path for path, _ in leaves(dumped, game.FOG.leaves) if SPECTATOR not in game.FOG.knowers(dumped, path))
    return any(game.FOG.kind(dumped, path) in wanted for path in hidden)
