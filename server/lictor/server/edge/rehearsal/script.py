"""What one seat of a recorded match was asked and told, as the wire has it: the script of a rehearsal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lictor.engine.game import AnyGame, Seat
from lictor.engine.record import Record, Recorder, RecordError, options_of
from lictor.server.edge.convert import codec_for
from lictor.server.matches.chair import Chair, Played
from lictor.server.matches.clocks import BadClock, Clock
from lictor.server.matches.house import Setting
from lictor.server.matches.messages import Decide, MatchEnded, MatchStarted, Stop
from lictor.server.matches.table import Table
from lictor.server.store import Ending


@dataclass(frozen=True, slots=True)
class Question:
    """A decision as it was put to the seat, and what became of it."""

    decide: Decide
    played: Any  # None: the match ended before it was answered
    news: bool  # whether what was played left anything to chance, or laid anything open to the seat
    goes_on: bool  # whether the seat had the next decision too

    @property
    def seen(self) -> int:
        """Return how many events the seat had seen."""
        told = self.decide.told
        return told.first - 1 + len(told.events)


@dataclass(frozen=True, slots=True)
class Script:
    """A match from one seat."""

    setting: Setting
    started: MatchStarted
    opening: bytes
    history: Sequence[bytes]  # all events, as the seat saw them
    questions: Sequence[Question]
    ended: MatchEnded


def write_script(played: Record, game: AnyGame, seat: Seat, data: Mapping[str, Any] | None = None) -> Script:
    """Return what a seat was asked and told in a record that holds: as the match put it, clocks and all."""
    header, options = played.header, options_of(played, game, data)
    codec, clock = codec_for(game.NAME, options), _clock(header["clocks"])
    table = Table(header["match"], game, codec, clock, dict(header["seats"]))
    table.deal(
        Recorder(
            game,
            options,
            match=header["match"],
            secret=bytes.fromhex(played.footer["secret"]),
            players=header["seats"],
            entropies={seat: bytes.fromhex(entropy) for seat, entropy in header["entropies"].items()},
            clocks=header["clocks"],
            data=header["data"],
        )
    )
    questions = _questions(played, game, table, table.chairs[seat])
    plain = {name: str(value) for name, value in options.items() if name != "data"}
    if data is not None:
        plain["data"] = "given"
    setting = Setting(game, options, plain, header["data"], codec)
    started = MatchStarted(
        header["match"],
        game.NAME,
        plain,
        header["data"],
        header["rules_epoch"],
        seat,
        header["seats"],
        {},
        clock,
        header["commitment"],
        entropy_wanted=True,
        resumed=False,
        events=0,
    )
    return Script(
        setting, started, table.openings[seat], table.chairs[seat].history, questions, _ended(played, table, seat)
    )


def _questions(played: Record, game: AnyGame, table: Table, mine: Chair) -> list[Question]:
    questions: list[Question] = []
    table.open_decisions()
    due = _put(table, mine)
    for entry in played.actions:
        chair, think_ms = table.chairs[entry["seat"]], entry["think_ms"]
        action, charged = game.parse_action(entry["action"]), table.clock.charge(think_ms)
        chair.bank_ms = table.clock.spend(chair.bank_ms, charged)
        chair.charge(think_ms, charged)
        if chair.pending is not None:
            chair.acknowledged = chair.pending.events
        news = table.play(chair, action, think_ms)
        chair.played.append(Played(entry["action"], -1, entry["decision"], Stop.NOT))
        chair.pending = None
        table.open_decisions()
        if chair is mine and due is not None:
            questions.append(Question(due, action, news, mine.pending is not None))
            due = None
        # While others answer in secret, what was asked stands as it was.
        due = due or _put(table, mine)
    if due is not None:
        questions.append(Question(due, None, news=False, goes_on=False))
    return questions


def _put(table: Table, chair: Chair) -> Decide | None:
    pending = chair.pending
    if pending is None:
        return None
    return Decide(
        table.match,
        pending.decision,
        table.seen_by(chair.seat),
        table.legal(chair),
        table.told(chair, chair.acknowledged, pending.events),
        table.banks(chair.seat),
        pending.limit_ms,
        0.0,
        0.0,
        chair.think_ms,
        chair.charged_ms,
        0,
        table.codec,
    )


def _ended(played: Record, table: Table, seat: Seat) -> MatchEnded:
    footer, chair = played.footer, table.chairs[seat]
    how, outcome = footer["termination"], footer["outcome"]
    winner, reason, kind = outcome["winner"] or "", outcome["reason"], how["kind"]
    score = tuple(outcome["score"].get(one, 0) for one in table.game.SEATS) if outcome["score"] else ()
    text = f"{winner or 'nobody'} won ({reason if reason == kind else f'{kind}, {reason}'})"
    ending = Ending(kind, how["seat"] or "", winner, reason, score, text)
    told = table.told(chair, chair.acknowledged, len(chair.history))
    return MatchEnded(table.match, ending, told, table.seen_by(seat), footer["secret"], table.codec)


def _clock(values: Mapping[str, Any]) -> Clock:
    """Return the time control of a record; games that were played without one have the house's."""
    try:
        return Clock.of(values) if values else Clock()
    except (BadClock, TypeError) as error:
        raise RecordError(1, f"its clocks are no time control: {error!s:.100}") from error
