"""One match: it asks, checks, applies, keeps the clock, and tells each viewer what that viewer may know.

Everything here is synchronous but `run`, which minds the clock and files the record. What an action causes is worked
out at once, and leaves only when the action is on disk: `_after` holds it back.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from lictor.engine.chance import ENTROPY_BYTES, commit
from lictor.engine.game import SPECTATOR, AnyGame, GameError, IllegalAction
from lictor.engine.record import Recorder
from lictor.server.matches import endings
from lictor.server.matches.alarm import Alarm
from lictor.server.matches.chair import Chair, Pending, Played
from lictor.server.matches.clocks import Clock
from lictor.server.matches.messages import (
    Accepted,
    Act,
    AnswerDraw,
    Choice,
    Codec,
    Decide,
    Done,
    DrawDeclined,
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
    Stop,
    Told,
)
from lictor.server.matches.session import Session
from lictor.server.store import ActionRow, Ending, Line, MatchRow, OpenMatch, Store

HISTORY_PAGE = 1000
BATCH = 100
DRAW_PAUSE = 10  # decisions between a refused offer and the next
_TIMER_SLACK_S = 0.05  # an Act that came in time may still be on its way through the loop


class Surroundings(Protocol):
    """What a match needs of the house."""

    store: Store
    key: Ed25519PrivateKey | None
    illegal_actions: int

    def now(self) -> float: ...
    def wall(self) -> float: ...
    def lag(self) -> float:
        """Return by how much the loop is late, in seconds."""

    def decided(self, match: Match, think_ms: float, wire_ms: float) -> None: ...
    def answered(self, match: Match, server_s: float) -> None: ...
    def ended(self, match: Match, ending: Ending) -> None: ...


class Watcher(Protocol):
    """A spectator's feed."""

    def tell(self, told: Told) -> None: ...
    def end(self, ending: Ending, observation: Any) -> None: ...


class Match:
    """One match."""

    def __init__(self, row: MatchRow, game: AnyGame, options: Mapping[str, Any], codec: Codec, house: Surroundings):
        self.row, self.game, self.codec, self.house = row, game, codec, house
        self.id = row.id
        self.clock = Clock.of(row.clock)
        self.held = ""
        self.ending: Ending | None = None
        self.chairs = {seat: Chair(seat, row.seats[seat], self.clock.base_ms) for seat in game.SEATS}
        self.public = Chair(SPECTATOR, "", 0)
        self.public_actions = 0
        self.watchers: set[Watcher] = set()
        self.entropies: dict[str, bytes] = {}
        self.recorder: Recorder | None = None
        self.openings: dict[str, bytes] = {}
        self._options = options
        self._verdict: endings.Verdict | None = None
        self._alarm = Alarm()
        self._began = house.now()
        self._start_by = self._began + self.clock.start_grace_ms / 1000
        self._resume_at: float | None = None
        self._queued = self._saved = 0
        self._outbox: deque[tuple[int, Callable[[], None]]] = deque()
        self._public_banks = dict.fromkeys(game.SEATS, self.clock.base_ms)
        self._last_replies: list[Callable[[], None]] = []  # to what ended the match

    # --- Its life ---

    async def run(self) -> None:
        """Mind the clock until the match is over, then file its record."""
        self._set_alarm()
        while self._verdict is None:
            await self._alarm.ring()
            self.tick()
        verdict = self._verdict
        filed = trio.Event()
        record, ending = await trio.to_thread.run_sync(endings.write_record, self, verdict)
        count = len(self.recorder) if self.recorder else 0
        self._queued += 1
        self.house.store.finish(self.id, ending, record, count, self.house.wall(), filed.set)
        await filed.wait()
        self._save_one()
        self.ending = ending
        for reply in self._last_replies:
            reply()
        self._tell_end(ending)
        self.house.ended(self, ending)

    def open(self) -> None:
        """Announce the match to its seats, once it is on disk."""
        self._queued += 1
        self.house.store.create_match(self.row, self._save_one)
        for chair in self.chairs.values():
            self._after(partial(self._announce, chair, chair.session, resumed=False))

    @property
    def running(self) -> bool:
        return self.recorder is not None and self._verdict is None and not self.held

    def _begin(self) -> None:
        """Fix the entropies on disk, and only then deal."""
        given = {seat: self.entropies.get(seat, b"") for seat in self.chairs}
        self.entropies = given
        self._start_by = float("inf")
        self._queued += 1
        self.house.store.begin_match(self.id, given, self._save_one)
        self._deal()
        self._ask(None)
        self._set_alarm()

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

    def _deal(self) -> None:
        self.recorder = self.new_recorder()
        state = self.recorder.state
        for viewer in (*self.chairs, SPECTATOR):
            self.openings[viewer] = self.codec.observation(self.game.observation(state, viewer))

    def rebuild(self, found: OpenMatch) -> None:
        """Play again what is on disk; a match that comes out otherwise is held."""
        self.held = found.held
        for seat, chair in self.chairs.items():
            chair.strikes = found.strikes.get(seat, 0)
            chair.offer = found.draw_offers.get(seat, "")
            chair.absent_since = self._began
        if found.entropies is None:
            return
        self.entropies = dict(found.entropies)
        self._start_by = float("inf")
        try:
            self._deal()
            self._note_due()
            for row in found.actions:
                self._replay(row)
        except GameError as error:
            self.held = self.held or f"it cannot be replayed under rules epoch {self.game.RULES_EPOCH}: {error}"
        for chair in (*self.chairs.values(), self.public):
            chair.shown = len(chair.history)
        self._resume_at = self._began + self.clock.reconnect_grace_ms / 1000
        for chair in self.chairs.values():
            if chair.pending is not None:
                chair.pending.due = self._began
        if self.recorder is not None and not self.held and not self.game.to_act(self.recorder.state):
            self._verdict = endings.by_the_game(self.game, self.recorder.state)

    def _replay(self, row: ActionRow) -> None:
        assert self.recorder is not None
        chair = self.chairs[row.seat]
        if row.decision == row.batch and chair.pending is not None:
            chair.acknowledged = chair.pending.events
        turn = self.game.turn_number(self.recorder.state)
        events = self.recorder.apply(row.seat, self.game.parse_action(row.action), row.think_ms)
        if json.dumps(self.recorder.draws) != row.draws:
            raise IllegalAction(f"action {row.n} draws {self.recorder.draws}, and drew {row.draws}")
        chair.played.append(Played(row.action, row.choice, row.batch, Stop(row.stopped)))
        self._witness(events)
        self._pay(turn)
        for seat, bank in zip(self.chairs, row.banks, strict=True):
            self.chairs[seat].bank_ms = bank
        chair.pending = None
        self._go_public()
        self._note_due()

    # --- What is on disk, and what must wait for it ---

    def _after(self, release: Callable[[], None]) -> None:
        """Do something when all that is queued now is on disk."""
        if self._saved == self._queued:
            release()
        else:
            self._outbox.append((self._queued, release))

    def when_settled(self, answer: Callable[[], None]) -> None:
        """Answer from the position when all of it is on disk."""
        if self._saved == self._queued:
            answer()
        else:
            self._outbox.append((self._queued, lambda: self.when_settled(answer)))

    def _save_one(self) -> None:
        self._saved += 1
        while self._outbox and self._outbox[0][0] <= self._saved:
            self._outbox.popleft()[1]()

    def _send(self, chair: Chair, message: Response) -> None:
        if chair.session is not None:
            chair.session.link.offer(message)

    def _reply(self, chair: Chair, message: Response, request: int) -> None:
        message.request = request
        self._after(lambda: self._send(chair, message))

    # --- Seats come and go ---

    def attach(self, seat: str, session: Session) -> None:
        """Seat a bot that has come (again), and tell it everything it needs."""
        chair = self.chairs[seat]
        chair.session = session
        self._note(chair, "connected", {"client": session.who.client, "version": session.who.version})
        self._after(lambda: self._announce(chair, session, resumed=True))
        self.when_settled(lambda: self._put_again(chair, session))

    def detach(self, seat: str) -> None:
        """Note that a seat's stream is gone; its clock goes on."""
        chair = self.chairs[seat]
        if chair.session is None:
            return
        chair.session = None
        chair.absent_since = self.house.now()
        self._note(chair, "disconnected", {})
        pending = chair.pending
        if pending is not None and pending.due is not None and pending.started is None:
            pending.started = chair.absent_since
        self._set_alarm()

    def owes(self, seat: str) -> bool:
        """Return whether a seat has been asked for a decision."""
        pending = self.chairs[seat].pending
        return pending is not None and pending.due is not None and self._verdict is None

    def _announce(self, chair: Chair, session: Session | None, *, resumed: bool) -> None:
        if chair.session is not session:
            return
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
            resumed,
            chair.shown,
        )
        self._send(chair, message)
        for other in self.chairs.values():
            if other is not chair and other.offer == "open":
                self._send(chair, DrawOffered(self.id, other.seat))

    def _put_again(self, chair: Chair, session: Session) -> None:
        """Ask a seat that came back what it still owes."""
        if chair.session is session and self.owes(chair.seat) and not self.held:
            self._put(chair, self._question(chair, None))

    # --- Requests ---

    def handle(self, seat: str, message: MatchRequest, request: int, stamp: float) -> None:
        """Take a message about this match from one of its seats."""
        chair = self.chairs[seat]
        if isinstance(message, GetHistory):
            self.when_settled(lambda: self._tell_history(chair, message.first, request))
            return
        if isinstance(message, Observe):
            self.when_settled(lambda: self._tell_position(chair, request))
            return
        if self.held:
            self._reply(chair, Refused(Reason.HELD, f"the match is held: {self.held}", match=self.id), request)
            return
        match message:
            case Act():
                self._act(chair, message, request, stamp)
            case _ if self._verdict is not None:
                self._reply(chair, Refused(Reason.MATCH_OVER, "the match is over", match=self.id), request)
            case Entropy():
                self._take_entropy(chair, message.entropy, request)
            case Resign():
                self._finish(endings.by_a_seat("resignation", seat, self.game))
                self._reply_when_over(chair, request)
            case OfferDraw():
                self._offer_draw(chair, request)
            case AnswerDraw():
                self._answer_draw(chair, message.accept, request)

    def _take_entropy(self, chair: Chair, entropy: bytes, request: int) -> None:
        if self.recorder is not None or chair.seat in self.entropies:
            text = "entropy is taken once, before the match begins; this match is dealt without more of it"
            self._reply(chair, Refused(Reason.ENTROPY_CLOSED, text, match=self.id), request)
        elif len(entropy) > ENTROPY_BYTES:
            text = f"{len(entropy)} bytes of entropy; at most {ENTROPY_BYTES} are taken"
            self._reply(chair, Refused(Reason.MALFORMED, text, "entropy.entropy", self.id), request)
        else:
            self.entropies[chair.seat] = entropy
            if len(self.entropies) == len(self.chairs):
                self._begin()
            # Done before the match begins would tell one seat whether the other has answered; so it comes at once, and
            # with the last answer only after that is on disk.
            self._reply(chair, Done(), request)

    # --- Acting ---

    def _act(self, chair: Chair, act: Act, request: int, stamp: float) -> None:
        if 1 <= act.decision <= len(chair.played):
            self._repeat(chair, act, request)
            return
        if self._verdict is not None:
            self._refuse_late(chair, act, request, stamp)
            return
        pending = chair.pending
        if pending is None or pending.due is None or act.decision != pending.decision:
            asked = len(chair.played) + (1 if self.owes(chair.seat) else 0)
            text = f"decision {act.decision} has not been asked; the last one asked is {asked}"
            self._refuse(chair, act, Reason.NOT_ASKED, text, request, field="act.decision_id")
            return
        think_ms = max(0.0, (stamp - pending.started) * 1000) if pending.started is not None else 0.0
        charged = self.clock.charge(think_ms)
        if charged > pending.limit_ms:
            self._time_out(chair)
            self._refuse_late(chair, act, request, stamp)
            return
        try:
            actions = [self._read(pending, i, choice) for i, choice in enumerate(act.choices)]
        except _Unreadable as error:
            self._strike(chair, act, str(error), request, error.field)
            return
        first = act.choices[0].index
        if self._carry_out(chair, act, actions, first, (think_ms, charged, stamp), request):
            self.house.decided(self, think_ms, chair.wire_ms)

    def _read(self, pending: Pending, i: int, choice: Choice) -> Any:
        where = f"act.actions[{i}]"
        try:
            if choice.index is not None:
                legal = self._legal(pending)
                if i:
                    raise _Unreadable("only the first action may be an index: later lists are not known yet", where)
                if choice.index >= len(legal):
                    raise _Unreadable(f"index {choice.index} of {len(legal)} legal actions", f"{where}.index")
                return legal[choice.index]
            if choice.notation is not None:
                return self.game.parse_action(choice.notation)
            if choice.typed is not None:
                return self.codec.read_action(choice.typed)
        except GameError as error:
            raise _Unreadable(str(error), where) from error
        raise _Unreadable("an action needs an index, a notation or a typed form", where)

    def _legal(self, pending: Pending) -> Any:
        if pending.actions is None:
            assert self.recorder is not None
            seat = next(seat for seat, chair in self.chairs.items() if chair.pending is pending)
            pending.actions = self.game.legal_actions(self.recorder.state, seat)
        return pending.actions

    def _carry_out(
        self,
        chair: Chair,
        act: Act,
        actions: list[Any],
        first_index: int | None,
        times: tuple[float, int, float],
        request: int,
    ) -> bool:
        recorder, game, pending = self.recorder, self.game, chair.pending
        assert recorder is not None
        assert pending is not None
        think_ms, charged, stamp = times
        state, seat = recorder.state, chair.seat
        played, rows, stopped = chair.played, [], Stop.NOT
        news = False
        for i, action in enumerate(actions):
            if i:
                stopped = self._stops(seat, action, news)
                if stopped:
                    break
            else:
                legal = self._legal(pending)
                index = first_index if first_index is not None else _index_of(legal, action)
                if index < 0:
                    text = f"{seat} may not {action!s:.80}: it is not among the legal actions of this decision"
                    self._strike(chair, act, text, request, "act.actions[0]")
                    return False
            turn = game.turn_number(state)
            events = recorder.apply(seat, action, 0 if i else int(think_ms))
            if not i:
                chair.acknowledged = pending.events
                chair.bank_ms = self.clock.spend(chair.bank_ms, charged)
                chair.think_ms, chair.charged_ms = think_ms, charged
                chair.thought_ms += think_ms
            news = bool(recorder.draws) or any(event.reveals(seat) for event in events)
            self._witness(events)
            self._pay(turn)
            played.append(Played(str(action), index if not i else -1, act.decision, Stop.NOT))
            rows.append(self._row(chair, played[-1], recorder, think_ms if not i else 0.0))
        if stopped:
            played[-1].stopped = stopped
            rows[-1] = rows[-1]._replace(stopped=int(stopped))
        chair.pending = None
        self._go_public()
        self._queued += 1
        lines = [self._line(chair, "note", act.note)] if act.note else []
        self.house.store.append(self.id, rows, lines, self._save_one)
        self._publish(chair, Accepted(self.id, act.decision, len(rows), stopped, request), stamp)
        if game.to_act(state):
            self._ask(stamp)
        else:
            self._finish(endings.by_the_game(game, state))
        self._set_alarm()
        return True

    def _stops(self, seat: str, action: Any, news: bool) -> Stop:
        assert self.recorder is not None
        state = self.recorder.state
        if seat not in self.game.to_act(state):
            return Stop.NOT_YOURS
        if news:
            return Stop.NEWS
        return Stop.NOT if action in self.game.legal_actions(state, seat) else Stop.NOT_LEGAL

    def _row(self, chair: Chair, played: Played, recorder: Recorder, think_ms: float) -> ActionRow:
        banks = tuple([other.bank_ms for other in self.chairs.values()])
        draws = json.dumps(recorder.draws) if recorder.draws else "[]"
        return ActionRow(
            len(recorder),
            chair.seat,
            len(chair.played),
            played.action,
            int(think_ms),
            int(chair.wire_ms),
            int(chair.server_ms),
            draws,
            banks,
            played.batch,
            int(played.stopped),
            self.house.wall(),
            played.index,
        )

    def _witness(self, events: list[Any]) -> None:
        """Add to each viewer's history what that viewer sees."""
        encode = self.codec.event
        viewers = (*self.chairs.values(), self.public)
        for event in events:
            known: list[tuple[Any, bytes]] = []  # most events look the same to all
            for viewer in viewers:
                seen = event.seen_by(viewer.seat)
                if seen is None:
                    continue
                for other, wire in known:
                    if other is seen:
                        viewer.history.append(wire)
                        break
                else:
                    wire = encode(seen)
                    known.append((seen, wire))
                    viewer.history.append(wire)

    def _pay(self, turn: int) -> None:
        """Pay the increment for game turns that have begun."""
        assert self.recorder is not None
        turns = self.game.turn_number(self.recorder.state) - turn
        if turns:
            for chair in self.chairs.values():
                chair.bank_ms = self.clock.pay(chair.bank_ms, turns)

    def _go_public(self) -> None:
        """Note how things stand for the others, unless a seat still decides in secret on the same question."""
        assert self.recorder is not None
        if all(chair.pending is None for chair in self.chairs.values()):
            self.public_actions = len(self.recorder)
            self._public_banks = {seat: chair.bank_ms for seat, chair in self.chairs.items()}

    def banks(self, viewer: str) -> list[int]:
        """Return the banks as a viewer may know them: a bank that falls would tell that its seat has decided."""
        return [chair.bank_ms if seat == viewer else self._public_banks[seat] for seat, chair in self.chairs.items()]

    def _publish(self, actor: Chair, accepted: Accepted, stamp: float) -> None:
        """Release an action to all who may see it, when it is on disk."""
        ends = [(viewer, len(viewer.history)) for viewer in (*self.chairs.values(), self.public)]

        def release() -> None:
            actor.server_ms = max(0.0, (self.house.now() - stamp) * 1000)
            self._send(actor, accepted)
            for viewer, end in ends:
                start, viewer.shown = viewer.shown, end
                if start == end:
                    continue
                if viewer is self.public:
                    for watcher in tuple(self.watchers):
                        watcher.tell(self._told(viewer, start, end))
                elif viewer.session is not None and "live_events" in viewer.session.who.features:
                    self._send(viewer, self._told(viewer, start, end))

        self._after(release)

    # --- Asking ---

    def _note_due(self) -> None:
        """Note which seats owe a decision now."""
        assert self.recorder is not None
        for seat in self.game.to_act(self.recorder.state):
            chair = self.chairs[seat]
            if chair.pending is None:
                limit = self.clock.limit(chair.bank_ms)
                chair.pending = Pending(len(chair.played) + 1, len(chair.history), limit)

    def _ask(self, cause: float | None) -> None:
        """Ask the seats that have come to owe a decision, when what led to it is on disk."""
        fresh = [chair for chair in self.chairs.values() if chair.pending is None]
        self._note_due()
        for chair in fresh:
            pending = chair.pending
            if pending is None:
                continue
            # Worked out now: when it is released the position may be further on.
            question = self._question(chair, cause) if chair.session is not None else None
            self._after(partial(self._release, chair, pending, question))

    def _release(self, chair: Chair, pending: Pending, question: Decide | None) -> None:
        pending.due = self.house.now()
        if chair.session is None:
            pending.started = pending.due
        elif chair.pending is pending:
            self._put(chair, question or self._question(chair, None))
        self._set_alarm()

    def _question(self, chair: Chair, cause: float | None) -> Decide:
        pending, recorder = chair.pending, self.recorder
        assert pending is not None
        assert recorder is not None
        left = pending.limit_ms
        if pending.started is not None:
            spent = self.clock.charge((self.house.now() - pending.started) * 1000)
            left = max(0, left - spent)
        return Decide(
            self.id,
            pending.decision,
            self.game.observation(recorder.state, chair.seat),
            self._legal(pending),
            self._told(chair, chair.acknowledged, pending.events),
            self.banks(chair.seat),
            left,
            chair.server_ms,
            chair.wire_ms,
            chair.think_ms,
            chair.charged_ms,
            chair.strikes,
            self.codec,
            cause,
        )

    def _put(self, chair: Chair, question: Decide) -> None:
        pending, session = chair.pending, chair.session
        if pending is None or session is None or pending.put_to is session:
            return
        pending.put_to = session
        question.server_ms = chair.server_ms

        def handed(at: float) -> None:
            if pending.started is None:
                pending.started = at
                self._set_alarm()
            if question.cause is not None:
                self.house.answered(self, at - question.cause)

        session.link.offer(question, handed)

    def _told(self, viewer: Chair, start: int, end: int) -> Told:
        return Told(self.id, start + 1, viewer.history[start:end], viewer.seat, self.codec)

    def _tell_history(self, chair: Chair, first: int, request: int) -> None:
        start = max(first, 1) - 1
        told = self._told(chair, start, min(chair.shown, start + HISTORY_PAGE))
        opening = self.openings.get(chair.seat) if first == 0 else None
        self._send(chair, History(told, opening, chair.shown, self.codec, request))

    def _tell_position(self, chair: Chair, request: int) -> None:
        seen = self.game.observation(self.recorder.state, chair.seat) if self.recorder is not None else None
        message = Observed(self.id, seen, chair.shown, self.banks(chair.seat), self.codec, request)
        self._send(chair, message)

    # --- Refusing ---

    def _repeat(self, chair: Chair, act: Act, request: int) -> None:
        """Answer an Act for a decision that was answered: the same reply to the same Act, and to no other."""
        batch = []
        for played in chair.played[act.decision - 1 :]:
            if played.batch != chair.played[act.decision - 1].batch:
                break
            batch.append(played)
        for i, (choice, played) in enumerate(zip(act.choices, batch, strict=False)):
            if not self._same(i, choice, played):
                text = f"decision {act.decision + i} was answered before, with {played.action!r}"
                where = f"act.actions[{i}]"
                self._refuse(chair, act, Reason.ALREADY_ANSWERED, text, request, field=where, played=played.action)
                return
        applied = min(len(act.choices), len(batch))
        stopped = batch[-1].stopped if applied == len(batch) else Stop.NOT
        self._reply(chair, Accepted(self.id, act.decision, applied, stopped), request)

    def _same(self, i: int, choice: Choice, played: Played) -> bool:
        if choice.index is not None:
            return i == 0 and choice.index == played.index
        try:
            if choice.notation is not None:
                return str(self.game.parse_action(choice.notation)) == played.action
            return choice.typed is not None and str(self.codec.read_action(choice.typed)) == played.action
        except GameError:
            return False

    def _strike(self, chair: Chair, act: Act, text: str, request: int, where: str) -> None:
        chair.strikes += 1
        left = self.house.illegal_actions - chair.strikes
        self._mark()
        self._refuse(chair, act, Reason.ILLEGAL_ACTION, text, request, field=where, left=max(0, left))
        if left < 0:
            self._finish(endings.by_a_seat("illegal_action", chair.seat, self.game))

    def _refuse_late(self, chair: Chair, act: Act, request: int, stamp: float) -> None:
        text, pending = "the match is over", chair.pending
        if pending is not None and pending.started is not None and self._verdict and self._verdict.seat == chair.seat:
            took, limit = (stamp - pending.started) * 1000, pending.limit_ms + self.clock.lag_allowance_ms
            text = f"too late: the answer came after {took:.0f} ms, the limit was {limit} ms with the lag allowance"
        self._refuse(chair, act, Reason.MATCH_OVER, text, request)

    def _refuse(
        self,
        chair: Chair,
        act: Act,
        reason: Reason,
        text: str,
        request: int,
        *,
        field: str = "",
        played: str = "",
        left: int | None = None,
    ) -> None:
        self._note(chair, "refused", {"reason": reason.name.lower(), "decision": act.decision, "text": text})
        refused = Refused(reason, text, field, self.id, act.decision, played=played, left=left)
        self._reply(chair, refused, request)

    # --- Draws ---

    def _offer_draw(self, chair: Chair, request: int) -> None:
        others = [other for other in self.chairs.values() if other is not chair]
        if all(other.offer == "open" for other in others):
            self._finish(endings.DRAW_AGREED)
            self._reply_when_over(chair, request)
            return
        wait = int(chair.offer) + DRAW_PAUSE - len(chair.played) if chair.offer.isdigit() else 0
        if chair.offer == "open" or wait > 0:
            text = "an offer stands already" if chair.offer == "open" else f"offer again after {wait} more decisions"
            self._reply(chair, Refused(Reason.NO_DRAW, text, match=self.id), request)
            return
        chair.offer = "open"
        self._mark()
        self._reply(chair, Done(), request)
        for other in others:
            self._after(partial(self._send, other, DrawOffered(self.id, chair.seat)))

    def _answer_draw(self, chair: Chair, accept: bool, request: int) -> None:
        offers = [other for other in self.chairs.values() if other is not chair and other.offer == "open"]
        if not offers:
            self._reply(chair, Refused(Reason.NO_DRAW, "no draw is on offer", match=self.id), request)
        elif accept:
            self._finish(endings.DRAW_AGREED)
            self._reply_when_over(chair, request)
        else:
            for other in offers:
                other.offer = str(len(other.played))
            self._mark()
            for other in offers:
                self._after(partial(self._send, other, DrawDeclined(self.id)))
            self._reply(chair, Done(), request)

    # --- Time ---

    def tick(self) -> None:
        """Look at the time: begin, resume, or end by it."""
        now = self.house.now()
        if self._verdict is not None or self.held:
            self._alarm.set(now if self._verdict else float("inf"))
            return
        if self.recorder is None:
            if now >= self._start_by:
                self._begin()
            return
        if self._resume_at is not None and now >= self._resume_at:
            self._resume_at = None
            for chair in self.chairs.values():
                if chair.session is None:
                    chair.absent_since = now
                    if chair.pending is not None and chair.pending.started is None:
                        chair.pending.started = now
        for chair in self.chairs.values():
            if self._deadline(chair) <= now:
                self._overdue(chair, now)
        self._set_alarm()

    def _overdue(self, chair: Chair, now: float) -> None:
        """Forfeit, but not before an Act that came in time has had the time to get here."""
        pending = chair.pending
        assert pending is not None
        if pending.overdue or self._verdict is not None:
            self._time_out(chair)
        else:
            pending.overdue = True

    def _time_out(self, chair: Chair) -> None:
        kind = "time" if chair.session is not None else "abandonment"
        self._finish(endings.by_a_seat(kind, chair.seat, self.game))

    def _deadline(self, chair: Chair) -> float:
        pending = chair.pending
        if pending is None or pending.due is None:
            return float("inf")
        when = float("inf")
        if pending.started is not None:
            when = pending.started + (pending.limit_ms + self.clock.lag_allowance_ms + 1) / 1000
        if chair.session is None and self.clock.reconnect_grace_ms and self._resume_at is None:
            when = min(when, max(chair.absent_since, pending.due) + self.clock.reconnect_grace_ms / 1000)
        if pending.overdue:
            when += _TIMER_SLACK_S + 2 * self.house.lag()
        return when

    def _set_alarm(self) -> None:
        if self._verdict is not None:
            self._alarm.set(self.house.now())
            return
        if self.held:
            return
        if self.recorder is None:
            self._alarm.set(self._start_by)
            return
        when = self._resume_at if self._resume_at is not None else float("inf")
        for chair in self.chairs.values():
            when = min(when, self._deadline(chair))
        self._alarm.set(when)

    # --- The end ---

    def abort(self, text: str) -> None:
        """End a match that the house cannot go on with."""
        self._finish(endings.server_abort(text))

    def _finish(self, verdict: endings.Verdict) -> None:
        if self._verdict is None:
            self._verdict = verdict
            self._set_alarm()

    def _reply_when_over(self, chair: Chair, request: int) -> None:
        self._last_replies.append(lambda: self._send(chair, Done(request=request)))

    def _tell_end(self, ending: Ending) -> None:
        state = self.recorder.state if self.recorder is not None else None
        for chair in (*self.chairs.values(), self.public):
            seen = self.game.observation(state, chair.seat) if state is not None else None
            if chair is self.public:
                for watcher in tuple(self.watchers):
                    watcher.end(ending, seen)
            else:
                told = self._told(chair, chair.acknowledged, len(chair.history))
                self._send(chair, MatchEnded(self.id, ending, told, seen, self.row.secret.hex(), self.codec))

    # --- Notes ---

    def thought_ms(self) -> dict[str, float]:
        """Return how long each seat thought in all."""
        return {seat: chair.thought_ms for seat, chair in self.chairs.items()}

    def _line(self, chair: Chair, kind: str, facts: Mapping[str, Any]) -> Line:
        return Line(chair.seat, int((self.house.wall() - self.row.started_at) * 1000), kind, facts)

    def _note(self, chair: Chair, kind: str, facts: Mapping[str, Any]) -> None:
        if self.ending is None:
            self.house.store.note(self.id, [self._line(chair, kind, facts)])

    def _mark(self) -> None:
        self._queued += 1
        self.house.store.mark(
            self.id,
            strikes={seat: chair.strikes for seat, chair in self.chairs.items()},
            draw_offers={seat: chair.offer for seat, chair in self.chairs.items()},
            held=self.held,
            done=self._save_one,
        )


class _Unreadable(Exception):
    def __init__(self, text: str, field: str) -> None:
        super().__init__(text)
        self.field = field


def _index_of(legal: Any, action: Any) -> int:
    try:
        return int(legal.index(action))
    except ValueError:
        return -1
