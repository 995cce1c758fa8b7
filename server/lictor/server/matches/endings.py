"""How matches end, and the record that is left of them."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lictor.engine.game import AnyGame
from lictor.engine.record import Recorder
from lictor.server.store import Ending

if TYPE_CHECKING:
    from lictor.server.matches.match import Match

_LOSSES = {
    "resignation": "{seat} resigned",
    "time": "{seat} ran out of time",
    "illegal_action": "{seat} sent too many illegal actions",
    "abandonment": "{seat} did not come back",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a match ends."""

    kind: str  # as in records
    seat: str | None
    winner: str | None
    reason: str
    text: str


def by_the_game(game: AnyGame, state: Any) -> Verdict:
    """Return the end that the game's own rules bring."""
    outcome = game.outcome(state)
    assert outcome is not None
    score = tuple(outcome.score[seat] for seat in game.SEATS)
    points = " : ".join(map(str, score))
    if outcome.winner is None:
        return Verdict("draw", None, None, outcome.reason, f"a draw ({outcome.reason}, {points})")
    text = f"{outcome.winner} won ({outcome.reason}, {points})"
    return Verdict("victory", None, outcome.winner, outcome.reason, text)


def by_a_seat(kind: str, seat: str, game: AnyGame) -> Verdict:
    """Return the end that one seat brings on itself."""
    winner = next(other for other in game.SEATS if other != seat)
    return Verdict(kind, seat, winner, kind, f"{_LOSSES[kind].format(seat=seat)}; {winner} won")


def server_abort(text: str) -> Verdict:
    """Return the end that is the server's fault."""
    return Verdict("server_abort", None, None, "server_abort", f"the server had to end it: {text}")


DRAW_AGREED = Verdict("draw_agreed", None, None, "draw_agreed", "a draw was agreed")


def write_record(match: Match, verdict: Verdict, at: float) -> tuple[bytes, Ending]:
    """Return the record of a match that ended at a time, and its ending as lists show it. Takes a while."""
    recorder = _sound(match) if verdict.kind == "server_abort" else match.recorder or _sound(match)
    when = datetime.datetime.fromtimestamp(at, datetime.UTC).isoformat(timespec="milliseconds")
    score = match.game.score(recorder.state)
    record = recorder.finish(
        when,
        match.house.key,
        termination=verdict.kind,
        seat=verdict.seat,
        winner=verdict.winner,
        score=score,
    )
    points = tuple(score[seat] for seat in match.game.SEATS)
    ending = Ending(verdict.kind, verdict.seat or "", verdict.winner or "", verdict.reason, points, verdict.text)
    return record, ending


def _sound(match: Match) -> Recorder:
    """Play the actions again: after a fault the position itself may be broken, or may never have been dealt."""
    actions = match.recorder.actions if match.recorder else []
    recorder = match.new_recorder()
    for line in actions:
        recorder.apply(line["seat"], match.game.parse_action(line["action"]), line["think_ms"])
    return recorder
