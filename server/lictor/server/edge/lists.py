"""Matches in lists, as the wire has them."""

from __future__ import annotations

from lictor.server.edge.stream import termination_message
from lictor.server.matches.match import Match
from lictor.server.store import Finished, MatchRow
from lictor.v1 import match_pb2 as pb


def _summary(row: MatchRow, state: pb.MatchState.ValueType, actions: int) -> pb.MatchSummary:
    summary = pb.MatchSummary(
        match_id=row.id,
        game=row.game,
        options=row.options,
        state=state,
        started_unix_ms=round(row.started_at * 1000),
        public_actions=actions,
    )
    for seat, bot in row.seats.items():
        summary.seats.add(seat=seat, bot=bot, version=row.versions.get(seat, ""))
    return summary


def open_summary(match: Match) -> pb.MatchSummary:
    """Return an open match as a list shows it: with nothing that is secret."""
    begun = pb.MATCH_STATE_RUNNING if match.begun else pb.MATCH_STATE_STARTING
    state = pb.MATCH_STATE_HELD if match.held else begun
    return _summary(match.row, state, match.public_actions)


def finished_summary(past: Finished) -> pb.MatchSummary:
    """Return a finished match as a list shows it."""
    summary = _summary(past.row, pb.MATCH_STATE_FINISHED, past.actions)
    summary.termination.CopyFrom(termination_message(past.ending))
    return summary
