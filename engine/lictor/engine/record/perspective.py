"""A record as one seat lived it: what it saw, what it was asked, what it answered, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lictor.engine.game import AnyGame, Seat, UnknownSeat, seen_events
from lictor.engine.record.lines import Record
from lictor.engine.record.verification import replay

_INSIDE_A_NAME = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision of one seat, as it stood when it fell due."""

    number: int  # of this seat's, from 1: the decision id of the match
    turn: int  # game turns begun
    situation: str  # what is being decided, in a word or two
    observation: Any
    legal: Sequence[Any]
    seen: int  # how many events the seat had seen
    action: Any  # what was played; None: the match ended before
    follows: bool  # right on the seat's last answer: neither chance nor another seat had a word in between


@dataclass(frozen=True, slots=True)
class Perspective:
    """A match from one seat, from the opening to the end."""

    game: AnyGame
    match: str
    seat: Seat
    opening: Any  # the first observation
    events: Sequence[Any]  # all that the seat saw, as it saw them
    decisions: Sequence[Decision]  # all that it was asked; the last one may be unanswered
    last: Any  # the last observation
    last_turn: int
    result: float  # 1 won, 0 lost, 0.5 neither
    termination: str  # as in the record

    def known(self, decision: Decision) -> Sequence[Any]:
        """Return the events that the seat had seen at a decision."""
        return self.events[: decision.seen]

    def words(self, decision: Decision) -> str:
        """Tell in a few words where a decision stands: its turn, what is decided, and what was seen last."""
        told = f"game turn {decision.turn}, {decision.situation}"
        for event in reversed(self.known(decision)):
            last = self.game.describe(event, self.seat)
            if last:
                return f"{told}, after: {last}"
        return told

    def between(self, first: int, last: int | None) -> list[str]:
        """Tell in words what the seat saw from one number of events to another."""
        return [words for event in self.events[first:last] if (words := self.game.describe(event, self.seat))]


def look(played: Record, game: AnyGame, seat: Seat, data: Mapping[str, Any] | None = None) -> Perspective:
    """Play a record again, checking it, and return it as `seat` lived it."""
    if seat not in game.SEATS:
        raise UnknownSeat(f"there is no seat {seat!r:.40}; there are {' and '.join(game.SEATS)}")
    answers = iter([game.parse_action(entry["action"]) for entry in played.actions if entry["seat"] == seat])
    events, decisions, owes, state, opening = list[Any](), list[Decision](), False, None, None
    for n, (state, happened) in enumerate(replay(played, game, data)):
        follows = False
        if n == 0:
            opening = game.observation(state, seat)
        elif played.actions[n - 1]["seat"] == seat:
            owes, follows = False, not played.actions[n - 1]["draws"]
        events += seen_events(happened, seat)
        # While others answer in secret, what was asked stands as it was.
        if not owes and seat in game.to_act(state):
            owes = True
            asked = len(decisions) + 1, len(events)
            decisions.append(_decision(game, state, seat, asked, next(answers, None), follows))
    winner = played.footer["outcome"]["winner"]
    return Perspective(
        game,
        played.header["match"],
        seat,
        opening,
        events,
        decisions,
        game.observation(state, seat),
        game.turn_number(state),
        0.5 if winner is None else float(winner == seat),
        played.footer["termination"]["kind"],
    )


def _decision(game: AnyGame, state: Any, seat: Seat, asked: tuple[int, int], action: Any, follows: bool) -> Decision:
    number, seen = asked
    situation = _INSIDE_A_NAME.sub(" ", game.FOG.situation(state)).lower()
    legal = game.legal_actions(state, seat)
    observation, turn = game.observation(state, seat), game.turn_number(state)
    return Decision(number, turn, situation, observation, legal, seen, action, follows)
