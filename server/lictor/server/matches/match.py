"""One match: it asks, keeps the clock, and tells each viewer what that viewer may know.

Everything here is synchronous but `run`, which minds the clock and files the record. What an action causes is worked
out at once, and leaves only when the action is on disk: the outbox holds it back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from lictor.engine.chance import ENTROPY_BYTES, commit
from lictor.engine.game import AnyGame, GameError
from lictor.engine.record import Recorder
from lictor.server.matches import acting, draws, endings
from lictor.server.matches.alarm import Alarm
from lictor.server.matches.chair import Chair, Pending
from lictor.server.matches.clocks import Clock
from lictor.server.matches.messages import (
    Accepted,
    Act,
    AnswerDraw,
    Codec,
    Decide,
    Done,
    DrawOffered,
    Entropy,
    GetHistory,
    History,
    MatchEnded,
    MatchRequest,
    MatchStarted,
    Observe,
    Observed,
    OfferDraw,
    Reason,
    Refused,
    Resign,
    Response,
    Told,
)
from lictor.server.matches.outbox import Outbox
from lictor.server.matches.session import Session
from lictor.server.matches.table import Table
from lictor.server.store import Ending, Line, MatchRow, OpenMatch, Store

HISTORY_PAGE = 1000
_TIMER_SLACK_S = 0.05  # an Act that came in time may still be on its way through the loop
_RESUME_S = 10.0  # after a restart a seat has so long to come back before its clock goes on, at the least
_REFUSALS_NOTED = 1000  # a seat
_NEVER = float("inf")


class Surroundings(Protocol):
    """What a match needs of the house."""

    store: Store
    key: Ed25519PrivateKey | None
    illegal_actions: int
    reproducible: bool

    def now(self) -> float: ...
    def wall(self) -> float: ...
    def lag(self) -> float:
        """Return by how much the loop is late, in seconds."""

    def decided(self, match: Match, think_ms: float, wire_ms: float) -> None: ...
    def answered(self, match: Match, server_s: float) -> None: ...
    def refused(self, reason: Reason) -> None: ...
    def ended(self, match: Match, ending: Ending) -> None: ...
    def failed(self, match: Match, error: Exception) -> None:
        """Take note of a failure that ends the match."""

    def complain(self, match: Match, error: Exception) -> None:
        """Take note of a failure that does not."""


class Watcher(Protocol):
    """A spectator's feed."""

    def tell(self, told: Told) -> None: ...
    def end(self, ending: Ending, observation: Any) -> None: ...


class Match:
    """One match."""

    def __init__(self, row: MatchRow, game: AnyGame, options: Mapping[str, Any], codec: Codec, house: Surroundings):
        self.row, self.game, self.house = row, game, house
        self.id = row.id
        self.number = 0  # counted by the house, to keep the order of lists
        self.clock = Clock.of(row.clock)
        self.table = Table(row.id, game, codec, self.clock, dict(row.seats))
        self.chairs = self.table.chairs
        self.outbox = Outbox([viewer.seat for viewer in self.table.viewers], partial(house.failed, self))
        self.watchers: set[Watcher] = set()
        self.public_actions = 0  # as far as they are on disk
        self.begun = False  # on disk
        self.entropies: dict[str, bytes] = {}
        self.held = ""  # why it is held, if it is
        self.ending: Ending | None = None
        self._options = options
        self._verdict: endings.Verdict | None = None
        self._filed = False  # the record is on its way to disk: nothing else can be written any more
        self._last_replies: list[Callable[[], None]] = []  # to what ended the match
        self._alarm = Alarm()
        self._made = house.now()
        self._start_by = self._made + self.clock.start_grace_ms / 1000
        self._resume_at: float | None = None  # after a restart: when the clocks of absent seats go on

    @property
    def recorder(self) -> Recorder | None:
        """The game and its record, once it is dealt."""
        return self.table.recorder

    @property
    def over(self) -> bool:
        """Whether its end has been decided."""
        return self._verdict is not None

    # --- Its life ---

    async def run(self) -> None:
        """Mind the clock until the match is over, then file its record."""
        self._set_alarm()
        while self._verdict is None:
            await self._alarm.ring()
            self._tick()
        at = self.house.wall()
        record, ending = await trio.to_thread.run_sync(endings.write_record, self, self._verdict, at)
        count = len(self.recorder) if self.recorder is not None else 0
        filed, saved = trio.Event(), self.outbox.queue()
        self._filed = True
        self.house.store.finish(self.id, ending, record, count, at, filed.set)
        await filed.wait()
        self.ending = ending
        saved()
        self._tell_end(ending)
        self.house.ended(self, ending)

    def open(self, origins: Mapping[str, str]) -> None:
        """Announce the match to its seats, once it is on disk; each with what it asked by."""
        self.house.store.create_match(self.row, self.outbox.queue())
        for seat, chair in self.chairs.items():
            self.outbox.after(seat, partial(self._announce, chair, chair.session, origins[seat]))
        if self.house.reproducible:
            self._begin()

    def _begin(self) -> None:
        """Fix the entropies on disk; what is dealt from them leaves only then."""
        self.entropies = {seat: self.entropies.get(seat, b"") for seat in self.chairs}
        self.house.store.begin_match(self.id, self.entropies, self.outbox.queue())
        self.outbox.after_all(self._note_begun)
        self.table.deal(self.new_recorder())
        self.go_on(None)

    def _note_begun(self) -> None:
        self.begun = True

    def new_recorder(self) -> Recorder:
        """Return the match as it is dealt."""
        return Recorder(
            self.game,
            self._options,
            match=self.id,
            secret=self.row.secret,
            players=self.row.seats,
            entropies=self.entropies,
            clocks=self.clock.values(),
            data=self.row.data,
        )

    def rebuild(self, found: OpenMatch) -> None:
        """Play again what is on disk; a match that comes out otherwise is held."""
        self.held = found.held
        for seat, chair in self.chairs.items():
            chair.strikes = found.strikes.get(seat, 0)
            chair.offer = found.draw_offers.get(seat, "")
            chair.absent_since = self._made
        if found.entropies is None:
            return
        self.entropies = dict(found.entropies)
        try:
            self.table.deal(self.new_recorder())
            self.table.open_decisions()
            for row in found.actions:
                self.table.play_again(row)
        except GameError as error:
            self.held = self.held or f"it cannot be replayed under rules epoch {self.game.RULES_EPOCH}: {error}"
            return
        self.begun, self.public_actions = True, self.table.public_actions
        self._resume_at = self._made + max(self.clock.reconnect_grace_ms / 1000, _RESUME_S)
        for viewer in self.table.viewers:
            viewer.shown = len(viewer.history)
            if viewer.pending is not None:
                viewer.pending.asked, viewer.pending.due = True, self._made
        if not self.held and not self.game.to_act(self.table.state):
            self._verdict = endings.by_the_game(self.game, self.table.state)

    # --- Seats come and go ---

    def attach(self, seat: str, session: Session) -> None:
        """Seat a bot that has come again, and tell it everything it needs."""
        chair = self.chairs[seat]
        chair.session = session
        self.note(chair, "connected", {"client": session.who.client, "version": session.who.version})
        self.outbox.after(seat, partial(self._announce, chair, session, None))
        self.outbox.when_settled(seat, partial(self._put_again, chair, session))

    def detach(self, seat: str) -> None:
        """Note that a seat's stream is gone; its clock goes on."""
        chair = self.chairs[seat]
        if chair.session is None:
            return
        chair.session = chair.informed = None
        chair.absent_since = self.house.now()
        self.note(chair, "disconnected", {})
        pending = chair.pending
        if pending is not None and pending.due is not None and pending.started is None:
            pending.started = chair.absent_since
        self._set_alarm()

    def owes(self, seat: str) -> bool:
        """Return whether a seat has been asked for a decision."""
        pending = self.chairs[seat].pending
        return pending is not None and pending.due is not None and not self.over

    def _announce(self, chair: Chair, session: Session | None, origin: str | None) -> None:
        """Tell a seat of the match, by which request it came about, or that it goes on."""
        if session is None or chair.session is not session:
            return
        chair.informed = session
        row = self.row
        message = MatchStarted(
            self.id,
            row.game,
            row.options,
            row.data,
            row.rules_epoch,
            chair.seat,
            row.seats,
            row.versions,
            self.clock,
            commit(row.secret),
            self.recorder is None and chair.seat not in self.entropies,
            origin is None,
            chair.shown,
            origin or "",
        )
        self.send(chair, message)
        for other in self.chairs.values():
            if other is not chair and other.offer == "open":
                self.send(chair, DrawOffered(self.id, other.seat))

    def _put_again(self, chair: Chair, session: Session) -> None:
        """Ask a seat that came back what it still owes."""
        if chair.session is session and self.owes(chair.seat) and not self.held:
            self._put(chair, self._question(chair, None))

    # --- Requests ---

    def handle(self, seat: str, message: MatchRequest, request: int, stamp: float) -> None:
        """Take a message about this match from one of its seats."""
        chair = self.chairs[seat]
        match message:
            case GetHistory():
                self.outbox.when_settled(seat, partial(self._tell_history, chair, message.first, request))
            case Observe():
                self.outbox.when_settled(seat, partial(self._tell_position, chair, request))
            case _ if self.held:
                self.refuse(chair, Refused(Reason.HELD, f"the match is held: {self.held}", match=self.id), request)
            case Act():
                acting.act(self, chair, message, request, stamp)
            case _ if self.over:
                self.refuse(chair, Refused(Reason.MATCH_OVER, "the match is over", match=self.id), request)
            case Entropy():
                self._take_entropy(chair, message.entropy, request)
            case Resign():
                if message.fault and not chair.fault:
                    chair.fault = message.fault
                    self.note(chair, "failed", {"text": message.fault})
                self.finish(endings.by_a_seat("resignation", seat, self.game))
                self.reply_when_over(chair, request)
            case OfferDraw():
                draws.offer(self, chair, request)
            case AnswerDraw():
                draws.answer(self, chair, message.accept, request)

    def _take_entropy(self, chair: Chair, entropy: bytes, request: int) -> None:
        if self.recorder is not None or chair.seat in self.entropies:
            text = "entropy is taken once, before the match begins; this match is dealt without more of it"
            self.refuse(chair, Refused(Reason.ENTROPY_CLOSED, text, match=self.id), request)
        elif len(entropy) > ENTROPY_BYTES:
            text = f"{len(entropy)} bytes of entropy; at most {ENTROPY_BYTES} are taken"
            self.refuse(chair, Refused(Reason.MALFORMED, text, "entropy.entropy", self.id), request)
        else:
            self.entropies[chair.seat] = entropy
            self.reply(chair, Done(), request)
            if len(self.entropies) == len(self.chairs):
                self._begin()

    def _tell_history(self, chair: Chair, first: int, request: int) -> None:
        start = max(first, 1) - 1
        told = self.table.told(chair, start, min(chair.shown, start + HISTORY_PAGE))
        opening = self.table.openings.get(chair.seat) if first == 0 else None
        self.send(chair, History(told, opening, chair.shown, self.table.codec, request))

    def _tell_position(self, chair: Chair, request: int) -> None:
        seen, banks = self.table.seen_by(chair.seat), self.table.banks(chair.seat)
        self.send(chair, Observed(self.id, seen, chair.shown, banks, self.table.codec, request))

    # --- Answers ---

    def send(self, chair: Chair, message: Response) -> None:
        """Send a seat a message, if it is here and has been told of the match."""
        if chair.session is not None and chair.informed is chair.session:
            chair.session.link.offer(message)

    def reply(self, chair: Chair, message: Response, request: int) -> None:
        """Answer a request, when all that it may tell of is on disk, on the stream that made it and no other."""
        message.request = request
        self.outbox.after(chair.seat, partial(self._answer, chair, chair.session, message))

    def _answer(self, chair: Chair, asker: Session | None, message: Response) -> None:
        if asker is not None and chair.session is asker:
            asker.link.offer(message)

    def refuse(self, chair: Chair, refused: Refused, request: int) -> None:
        """Refuse a request, and note it in the seat's transcript."""
        self.house.refused(refused.reason)
        self.note_refusal(chair, refused)
        self.reply(chair, refused, request)

    def note_refusal(self, chair: Chair, refused: Refused) -> None:
        """Write a refusal into a seat's transcript, in full; but no end of them."""
        chair.refusals += 1
        if chair.refusals > _REFUSALS_NOTED:
            return
        facts: dict[str, Any] = {"reason": refused.reason.name.lower(), "text": refused.text}
        if refused.field:
            facts["field"] = refused.field
        if refused.decision:
            facts["decision"] = refused.decision
        self.note(chair, "refused", facts)

    def reply_when_over(self, chair: Chair, request: int) -> None:
        """Answer the request that ended the match, when that is on disk."""
        self._last_replies.append(partial(self._answer, chair, chair.session, Done(request=request)))

    def publish(self, actor: Chair, accepted: Accepted, stamp: float) -> None:
        """Release an action to all who may see it, when it is on disk."""
        ends, known = self.table.lengths(), self.table.public_actions
        release = partial(self._release_action, actor, actor.session, accepted, stamp, ends, known)
        self.outbox.after(actor.seat, release)

    def _release_action(
        self, actor: Chair, asker: Session | None, accepted: Accepted, stamp: float, ends: list[int], known: int
    ) -> None:
        self.public_actions = known
        actor.server_ms = max(0.0, (self.house.now() - stamp) * 1000)
        self._answer(actor, asker, accepted)
        for viewer, end in zip(self.table.viewers, ends, strict=True):
            start, viewer.shown = viewer.shown, end
            if start == end:
                continue
            if viewer is self.table.public:
                told = self.table.told(viewer, start, end)
                self._tell_watchers(lambda watcher, told=told: watcher.tell(told))  # type: ignore[misc]
            elif viewer.session is not None and "live_events" in viewer.session.who.features:
                self.send(viewer, self.table.told(viewer, start, end))

    # --- Asking ---

    def go_on(self, cause: float | None) -> None:
        """Ask whoever owes a decision now, when what led to it is on disk; or end the match."""
        if not self.game.to_act(self.table.state):
            self.finish(endings.by_the_game(self.game, self.table.state))
            return
        self.table.open_decisions()
        for chair in self._to_be_asked():
            assert chair.pending is not None
            chair.pending.asked = True
            # Worked out now: when it is released the position may be further on.
            question = self._question(chair, cause) if chair.session is not None else None
            self.outbox.after(chair.seat, partial(self._release_decision, chair, chair.pending, question))
        self._set_alarm()

    def _to_be_asked(self) -> list[Chair]:
        owing = [chair for chair in self.chairs.values() if chair.pending is not None]
        if self.house.reproducible:
            owing = owing[:1]
        return [chair for chair in owing if chair.pending is not None and not chair.pending.asked]

    def _release_decision(self, chair: Chair, pending: Pending | None, question: Decide | None) -> None:
        assert pending is not None
        pending.due = self.house.now()
        if chair.session is None:
            # After a restart an absent seat is waited for first.
            pending.started = pending.due if self._resume_at is None else None
        elif question is not None:
            self._put(chair, question)
        else:
            self.outbox.when_settled(chair.seat, partial(self._put_again, chair, chair.session))
        self._set_alarm()

    def _question(self, chair: Chair, cause: float | None) -> Decide:
        pending = chair.pending
        assert pending is not None
        left = pending.limit_ms
        if pending.started is not None:
            left = max(0, left - self.clock.charge((self.house.now() - pending.started) * 1000))
        return Decide(
            self.id,
            pending.decision,
            self.table.seen_by(chair.seat),
            self.table.legal(chair),
            self.table.told(chair, chair.acknowledged, pending.events),
            self.table.banks(chair.seat),
            left,
            chair.server_ms,
            chair.wire_ms,
            chair.think_ms,
            chair.charged_ms,
            chair.strikes,
            self.table.codec,
            cause,
        )

    def _put(self, chair: Chair, question: Decide) -> None:
        pending, session = chair.pending, chair.session
        if pending is None or session is None or chair.informed is not session or pending.put_to is session:
            return
        pending.put_to = session
        question.server_ms = chair.server_ms
        session.link.offer(question, partial(self._handed, pending, question.cause))

    def _handed(self, pending: Pending, cause: float | None, at: float) -> None:
        """Start the clock of a decision when it has been handed to the transport."""
        if pending.started is None:
            pending.started = at
            self._set_alarm()
        if cause is not None:
            self.house.answered(self, at - cause)

    # --- Time ---

    def _tick(self) -> None:
        """Look at the time: begin, resume, or end by it."""
        now = self.house.now()
        if self.over or self.held:
            self._set_alarm()
            return
        if self.recorder is None:
            if now >= self._start_by:
                self._begin()
            return
        if self._resume_at is not None and now >= self._resume_at:
            self._resume_clocks(now)
        for chair in sorted(self.chairs.values(), key=self._deadline):  # if both are late, who was late first
            if self._deadline(chair) <= now and chair.pending is not None:
                # Once more round the loop: an Act that came in time must have had the time to get here.
                if chair.pending.overdue:
                    self.time_out(chair)
                chair.pending.overdue = True
        self._set_alarm()

    def _resume_clocks(self, now: float) -> None:
        self._resume_at = None
        for chair in self.chairs.values():
            if chair.session is None:
                chair.absent_since = now
                if chair.pending is not None and chair.pending.started is None:
                    chair.pending.started = now

    def time_out(self, chair: Chair) -> None:
        """End the match by the time of a seat."""
        kind = "time" if chair.session is not None else "abandonment"
        self.finish(endings.by_a_seat(kind, chair.seat, self.game))

    def _deadline(self, chair: Chair) -> float:
        pending = chair.pending
        if pending is None or pending.due is None:
            return _NEVER
        when = _NEVER
        if pending.started is not None:
            when = pending.started + (pending.limit_ms + self.clock.lag_allowance_ms + 1) / 1000
        if chair.session is None and self.clock.reconnect_grace_ms and self._resume_at is None:
            when = min(when, max(chair.absent_since, pending.due) + self.clock.reconnect_grace_ms / 1000)
        if pending.overdue:
            when += _TIMER_SLACK_S + 2 * self.house.lag()
        return when

    def _set_alarm(self) -> None:
        if self.over:
            when = self.house.now()
        elif self.held:
            when = _NEVER
        elif self.recorder is None:
            when = self._start_by
        else:
            when = _NEVER if self._resume_at is None else self._resume_at
            for chair in self.chairs.values():
                when = min(when, self._deadline(chair))
        self._alarm.set(when)

    # --- The end ---

    def finish(self, verdict: endings.Verdict) -> None:
        """Decide how the match ends; the first decision counts. `run` does the rest."""
        if self._verdict is None:
            self._verdict = verdict
            self._set_alarm()

    def abort(self, text: str) -> None:
        """End a match that the house cannot go on with."""
        self._verdict = None
        self.finish(endings.server_abort(text))

    def lost_on_time(self, seat: str) -> bool:
        """Return whether a seat answered too late, or not at all."""
        verdict = self._verdict
        return verdict is not None and verdict.seat == seat and verdict.kind in ("time", "abandonment")

    def _tell_end(self, ending: Ending) -> None:
        for reply in self._last_replies:
            reply()
        for viewer in self.table.viewers:
            seen, viewer.shown = self.table.seen_by(viewer.seat), len(viewer.history)
            if viewer is self.table.public:
                self._tell_watchers(lambda watcher, seen=seen: watcher.end(ending, seen))  # type: ignore[misc]
                continue
            told = self.table.told(viewer, viewer.acknowledged, viewer.shown)
            codec, secret = self.table.codec, self.row.secret.hex()
            try:
                self.send(viewer, MatchEnded(self.id, ending, told, seen, secret, codec))
            except Exception as error:  # it is on disk: whoever cannot be told now will ask
                self.house.complain(self, error)

    def _tell_watchers(self, tell: Callable[[Watcher], None]) -> None:
        """Tell spectators; one whose feed fails is one spectator less, and nothing to the match."""
        for watcher in tuple(self.watchers):
            try:
                tell(watcher)
            except Exception as error:
                self.watchers.discard(watcher)
                self.house.complain(self, error)

    # --- Notes ---

    def thought_ms(self) -> dict[str, float]:
        """Return how long each seat thought in all."""
        return {seat: chair.thought_ms for seat, chair in self.chairs.items()}

    def line(self, chair: Chair, kind: str, facts: Mapping[str, Any]) -> Line:
        """Return a line of a seat's transcript."""
        return Line(chair.seat, int((self.house.wall() - self.row.started_at) * 1000), kind, facts)

    def note(self, chair: Chair, kind: str, facts: Mapping[str, Any]) -> None:
        """Write a line into a seat's transcript."""
        if not self._filed:
            self.house.store.note(self.id, [self.line(chair, kind, facts)])

    def mark(self, concerns: list[str] | None = None) -> None:
        """Write down what changes in place, strikes and draw offers, which some or all may notice."""
        self.house.store.mark(
            self.id,
            strikes={seat: chair.strikes for seat, chair in self.chairs.items()},
            draw_offers={seat: chair.offer for seat, chair in self.chairs.items()},
            held=self.held,
            done=self.outbox.queue(concerns),
        )
