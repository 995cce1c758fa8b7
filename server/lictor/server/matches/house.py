"""The house: who is here, what is being played, and what is kept."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

import structlog
import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from lictor.engine import registry
from lictor.engine.game import AnyGame, BadOption, GameError
from lictor.server.matches.frontdesk import Desk, FrontDesk, Lot
from lictor.server.matches.lobby import Start, Terms
from lictor.server.matches.match import Match
from lictor.server.matches.messages import (
    Act,
    AnswerChallenge,
    AnswerDraw,
    Cancel,
    Challenge,
    Codec,
    Done,
    Entropy,
    GetHistory,
    InProgress,
    Introduction,
    Leave,
    MatchEnded,
    MatchRequest,
    Observe,
    OfferDraw,
    Ping,
    Pong,
    Reason,
    Refused,
    Request,
    Resign,
    Seek,
    ServerPing,
    ServerPong,
    Superseded,
    Told,
    Welcome,
)
from lictor.server.matches.refusal import Refusal
from lictor.server.matches.session import Bucket, Link, Session
from lictor.server.matches.settings import Settings
from lictor.server.metrics import Metrics
from lictor.server.store import Ending, Finished, MatchRow, OpenMatch, Store

log = structlog.get_logger()

CodecFor: TypeAlias = Callable[[str, Mapping[str, Any]], Codec]
MakeDesk: TypeAlias = Callable[["House", Start, Lot], Desk]
_MOST_SETTINGS = 64
_ABOUT_MATCHES = (Act, Entropy, Resign, OfferDraw, AnswerDraw, GetHistory, Observe)


class Setting(NamedTuple):
    """A game with its options: as the engine takes them, and as the wire has them."""

    game: AnyGame
    engine_options: Mapping[str, Any]
    options: Mapping[str, str]
    data: str  # SHA-256 of the data set
    codec: Codec


class House:
    """Everything that is going on. Runs in trio; its other methods are synchronous and belong to the same thread."""

    def __init__(
        self,
        store: Store,
        codec_for: CodecFor,
        settings: Settings,
        *,
        metrics: Metrics | None = None,
        key: Ed25519PrivateKey | None = None,
        lag: Callable[[], float] = lambda: 0.0,
        wall: Callable[[], float] = time.time,
        new_id: Callable[[], str] = lambda: secrets.token_hex(8),
        new_secret: Callable[[], bytes] = lambda: secrets.token_bytes(32),
        lot: Lot = secrets.randbelow,
        desk: MakeDesk = FrontDesk,
    ) -> None:
        self.store, self.settings, self.key = store, settings, key
        self.metrics = metrics or Metrics()
        self.lag, self.wall = lag, wall
        self.matches: dict[str, Match] = {}
        self.sessions: dict[str, Session] = {}
        self.illegal_actions, self.reproducible = settings.limits.illegal_actions, settings.reproducible
        self._codec_for, self.new_id, self._new_secret = codec_for, new_id, new_secret
        self._seats: dict[str, dict[str, str]] = {}  # bot -> open match -> seat
        self._settings: dict[tuple[Any, ...], Setting] = {}
        self._desk = desk(self, self._start, lot)
        self._nursery: trio.Nursery | None = None
        self._entered = 0
        self.closing = False
        self.listeners: list[Callable[[Match, Ending], None]] = []  # told of every match that has ended

    # --- Its life ---

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Take up every open match again, then play until cancelled."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            began = time.perf_counter()
            for found in await trio.to_thread.run_sync(self.store.open_matches):
                self._resume(found)
                await trio.lowlevel.checkpoint()
            if self.matches:
                held = sum(1 for match in self.matches.values() if match.held)
                seconds = round(time.perf_counter() - began, 3)
                log.info("matches_resumed", matches=len(self.matches), held=held, seconds=seconds)
            nursery.start_soon(self._keep_house)
            task_status.started()
            await trio.sleep_forever()

    def now(self) -> float:
        """Return the time by which clocks run."""
        return trio.current_time()

    def close(self) -> None:
        """Send everybody away; open matches go on when the house opens again."""
        self.closing = True
        for session in tuple(self.sessions.values()):
            session.link.close("UNAVAILABLE", "the server is going down; open matches are kept: connect again")

    async def _keep_house(self) -> None:
        while True:
            await trio.sleep(1)
            self._ping_all()
            self._desk.expire()
            self._desk.pair()
            self.metrics.commits(self.store.commit_seconds())

    def _ping_all(self) -> None:
        due = self.now() - self.settings.ping_s
        for session in self.sessions.values():
            if session.pinged_at <= due:
                self.ping(session)

    async def _supervise(self, match: Match) -> None:
        """Run a match so that its failure ends no other."""
        for _ in ("as it went", "as an abort"):
            try:
                await match.run()
                return
            except Exception as error:
                self.failed(match, error)
        log.error("match_left_open", match_id=match.id, hint="it is on disk as it was, and is tried again at a restart")
        self._forget(match)

    # --- Who is here ---

    def join(self, who: Introduction, link: Link, request: int = 0) -> Session:
        """Let a bot in. A stream of the same bot that is still open is sent away, and its seats go over."""
        old = self.sessions.get(who.bot)
        if old is not None:
            old.link.offer(Superseded())
            old.link.close("ABORTED", "superseded by another stream of the same bot")
            self._drop(old)
        limits = self.settings.limits
        session = Session(who, link, Bucket(limits.messages_per_s, limits.messages_burst))
        session.matches = self._seats.setdefault(who.bot, {})
        self.sessions[who.bot] = session
        self.metrics.streams.set(len(self.sessions))
        mine = [(self.matches[match], seat) for match, seat in session.matches.items()]
        seats = [InProgress(match.id, seat, match.owes(seat), match.held) for match, seat in mine]
        link.offer(Welcome(who.bot, who.protocol, sorted(who.features), who.max_matches, seats, request))
        self.ping(session)
        for match, seat in mine:
            match.attach(seat, session)
        return session

    def part(self, session: Session) -> None:
        """Note that a stream is gone. Its matches go on, and so do its clocks."""
        if self.sessions.get(session.bot) is session:
            self._drop(session)

    def part_token(self, token_id: str) -> None:
        """Close the streams that were opened with a token that is worthless now."""
        for session in tuple(self.sessions.values()):
            if token_id and session.who.token_id == token_id:
                session.link.close("UNAUTHENTICATED", "the token was revoked")
                self._drop(session)

    def _drop(self, session: Session) -> None:
        self.sessions.pop(session.bot, None)
        self.metrics.streams.set(len(self.sessions))
        self._desk.forget(session)
        for match, seat in session.matches.items():
            self.matches[match].detach(seat)
        if not session.matches:
            self._seats.pop(session.bot, None)

    def ping(self, session: Session) -> None:
        """Measure the wire to a bot."""
        session.link.offer(ServerPing(session.ping(self.now())), None)

    def busy(self) -> str:
        """Return why no more can be taken on now, or nothing."""
        if self.closing:
            return "the server is going down"
        if not self.store.healthy:
            return "the server cannot write to its disk"
        if self.lag() > self.settings.busy_lag_s:
            return "the server is late with what it has"
        return ""

    # --- Requests ---

    def handle(self, session: Session, message: Request, request: int, stamp: float) -> None:
        """Take a message of a bot. Whatever goes wrong, nothing else is harmed."""
        if self.sessions.get(session.bot) is not session:
            return  # another stream has taken over; this was still on its way
        try:
            wait = session.bucket.take(stamp)
            if wait:
                text = f"more than {session.bucket.rate:.0f} messages a second"
                ms = int(wait * 1000) + 1
                about = getattr(message, "match", ""), getattr(message, "decision", 0)
                raise Refusal(
                    Reason.LIMIT,
                    text,
                    limit="messages_per_s",
                    retry_after_ms=ms,
                    match=about[0][:100],
                    decision=about[1],
                )
            if isinstance(message, _ABOUT_MATCHES):
                seat = session.matches.get(message.match)
                if seat is None:
                    self._answer_about_the_past(session, message)
                    return
                self.matches[message.match].handle(seat, message, request, stamp)
                return
            self._serve(session, message, request, stamp)
        except Refusal as refusal:
            self.refuse(session, refusal.message, request)
        except Exception as error:
            log.exception("request_failed", bot=session.bot, request=type(message).__name__)
            match = self.matches.get(getattr(message, "match", ""))
            text = "the server made a mistake, and has noted it"
            self.refuse(session, Refused(Reason.INTERNAL, text, match=match.id if match else ""), request)
            if match is not None:
                self.failed(match, error)

    def refuse(self, session: Session, refused: Refused, request: int) -> None:
        """Send a refusal."""
        refused.request = request
        self.refused(refused.reason)
        if refused.match in session.matches:
            match = self.matches[refused.match]
            match.note_refusal(match.chairs[session.matches[refused.match]], refused)
        session.link.offer(refused)

    def _serve(self, session: Session, message: Request, request: int, stamp: float) -> None:
        match message:
            case Seek():
                self._desk.seek(session, message, request)
            case Challenge():
                self._desk.challenge(session, message, request)
            case AnswerChallenge():
                self._desk.answer_challenge(session, message, request)
            case Cancel():
                self._desk.cancel(session, message.id, request)
            case Leave():
                self._leave(session, request)
            case Ping():
                session.link.offer(ServerPong(message.nonce, request))
            case Pong():
                session.pong(message.nonce, stamp)

    def _answer_about_the_past(self, session: Session, message: MatchRequest) -> None:
        """Tell how a match ended to a bot that missed it."""
        decision = message.decision if isinstance(message, Act) else 0
        past = self.store.finished(message.match) if message.match else None
        if past is None or session.bot not in past.row.seats.values():
            text = "this bot has no seat in an open match of that id"
            raise Refusal(Reason.UNKNOWN_MATCH, text, match=message.match[:100], decision=decision)
        session.link.offer(self._old_end(past, session.bot))
        text = f"the match is over: {past.ending.text}"
        raise Refusal(Reason.MATCH_OVER, text, match=message.match, decision=decision)

    def _old_end(self, past: Finished, bot: str) -> MatchEnded:
        codec = self.settle(past.row.game, past.row.options).codec
        seat = next(seat for seat, name in past.row.seats.items() if name == bot)
        told = Told(past.row.id, 1, [], seat, codec)
        return MatchEnded(past.row.id, past.ending, told, None, past.row.secret.hex(), codec)

    # --- Games ---

    def settle(self, name: str, options: Mapping[str, str]) -> Setting:
        """Return a game and its options, or refuse."""
        key = (name, *sorted(options.items()))
        known = self._settings.get(key)
        if known is None:
            if len(self._settings) >= _MOST_SETTINGS:
                self._settings.clear()
            known = self._settings[key] = self._settle(name, options)
        return known

    def _settle(self, name: str, options: Mapping[str, str]) -> Setting:
        try:
            game = registry.get(name)
        except registry.UnknownGame as error:
            raise Refusal(Reason.UNKNOWN_GAME, str(error), field="game") from error
        given: dict[str, Any] = {key: value for key, value in options.items() if key != "data"}
        wanted = options.get("data", "")
        if wanted:
            if wanted not in self.settings.data_sets:
                known = ", ".join(self.settings.data_sets) or "none but the game's own"
                raise Refusal(Reason.BAD_OPTION, f"no data set {wanted!r:.60}; installed: {known}", field="options")
            given["data"] = self.settings.data_sets[wanted]
        try:
            data = game.catalog(given)["data"]
        except (BadOption, GameError) as error:
            raise Refusal(Reason.BAD_OPTION, str(error), field="options") from error
        plain = {key: str(given.get(key, option.default)) for key, option in game.OPTIONS.items() if key != "data"}
        if wanted:
            plain["data"] = wanted
        return Setting(game, given, plain, data, self._codec_for(name, given))

    def _leave(self, session: Session, request: int) -> None:
        session.leaving = True
        self._desk.forget(session)
        session.link.offer(Done("", request))
        self._see_off(session)

    def _see_off(self, session: Session) -> None:
        if session.leaving and not session.matches:
            session.link.close("OK", "")

    # --- Matches ---

    def _start(
        self,
        terms: Terms,
        seats: Mapping[str, Session],
        origins: Mapping[str, str],
        *,
        match: str = "",
        secret: bytes = b"",
    ) -> None:
        options = terms.plain_options()
        setting = self.settle(terms.game, options)
        row = MatchRow(
            match or self.new_id(),
            terms.game,
            options,
            setting.data,
            setting.game.RULES_EPOCH,
            {seat: session.bot for seat, session in seats.items()},
            {seat: session.who.version for seat, session in seats.items()},
            terms.clock.values(),
            secret or self._new_secret(),
            self.wall(),
        )
        made = Match(row, setting.game, setting.engine_options, setting.codec, self)
        self._enter(made)
        for seat, session in seats.items():
            made.chairs[seat].session = session
        made.open(origins)

    def _resume(self, found: OpenMatch) -> None:
        row = found.row
        try:
            setting = self.settle(row.game, row.options)
            match = Match(row, setting.game, setting.engine_options, setting.codec, self)
            if setting.data != row.data:
                match.held = f"it was played with the data set {row.data:.16}, which is not installed"
            else:
                match.rebuild(found)
        except Exception:
            log.exception("match_not_resumed", match_id=row.id, hint="it stays on disk as it is")
            return
        if match.held:
            log.warning("match_held", match_id=row.id, reason=match.held)
        self._enter(match)

    def _enter(self, match: Match) -> None:
        assert self._nursery is not None
        self._entered += 1
        match.number = self._entered
        self.matches[match.id] = match
        for seat, bot in match.row.seats.items():
            self._seats.setdefault(bot, {})[match.id] = seat
            if bot in self.sessions:
                self.sessions[bot].matches = self._seats[bot]
        self.metrics.running.set(len(self.matches))
        self._nursery.start_soon(self._supervise, match)

    def _forget(self, match: Match) -> None:
        self.matches.pop(match.id, None)
        self.metrics.running.set(len(self.matches))
        for bot in match.row.seats.values():
            seats = self._seats.get(bot, {})
            seats.pop(match.id, None)
            if bot in self.sessions:
                self._see_off(self.sessions[bot])
            elif not seats:
                self._seats.pop(bot, None)

    # --- What matches tell the house ---

    def decided(self, match: Match, think_ms: float, wire_ms: float) -> None:
        """Count a decision."""
        self.metrics.decided(match.row.game, think_ms / 1000, wire_ms / 1000)

    def refused(self, reason: Reason) -> None:
        """Count a refusal."""
        self.metrics.refused(reason.name.lower())

    def failed(self, match: Match, error: Exception) -> None:
        """End a match in which something failed, before it harms another."""
        self.complain(match, error)
        match.abort(type(error).__name__)

    def complain(self, match: Match, error: Exception) -> None:
        """Log a failure in a match."""
        log.error("match_failed", match_id=match.id, exc_info=error)

    def answered(self, match: Match, server_s: float) -> None:
        """Count the server's own time for a decision."""
        self.metrics.answered(match.row.game, server_s)

    def ended(self, match: Match, ending: Ending) -> None:
        """Take leave of a match that is over and on disk."""
        self._forget(match)
        self.metrics.ended(match.row.game, ending.kind)
        for listener in self.listeners:
            listener(match, ending)
        recorder = match.recorder
        log.info(
            "match_finished",
            match_id=match.id,
            game=match.row.game,
            **match.row.seats,
            ending=ending.kind,
            winner=ending.winner or None,
            reason=ending.reason,
            loser=ending.seat or None,
            score=list(ending.score),
            decisions=len(recorder) if recorder else 0,
            seconds=round(self.wall() - match.row.started_at, 3),
            think_ms={seat: round(sum_ms) for seat, sum_ms in match.thought_ms().items()},
        )
        self._desk.pair()
