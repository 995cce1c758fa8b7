"""A house with one seat and one match, which was played before. It looks to a stream like any other house."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from lictor.server.accounts import NAME, Identity
from lictor.server.edge.rehearsal.reading import batch_of
from lictor.server.edge.rehearsal.script import Question, Script
from lictor.server.matches.house import Setting
from lictor.server.matches.match import HISTORY_PAGE
from lictor.server.matches.messages import (
    Accepted,
    Act,
    AnswerChallenge,
    AnswerDraw,
    Cancel,
    Challenge,
    Done,
    DrawDeclined,
    Entropy,
    GetHistory,
    History,
    InProgress,
    Introduction,
    Leave,
    MatchEnded,
    MatchRequest,
    Observe,
    Observed,
    OfferDraw,
    Ping,
    Pong,
    Reason,
    Refused,
    Request,
    Resign,
    Response,
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

_GRACE_S = 1.0  # for entropy, which a bot may send or not
_ABOUT_MATCHES = (Act, Entropy, Resign, OfferDraw, AnswerDraw, GetHistory, Observe)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the bot answers now to a decision."""

    number: int
    now: str
    legal: bool
    note: Mapping[str, Any] | None = None


class OpenDoor:
    """Lets the bot in under whatever name it gives, and whatever its token."""

    def __init__(self, label: str) -> None:
        self._label = label if NAME.fullmatch(label) else "bot"

    def admit(self, _secret: str, bot: str, _version: str, _content_hash: str) -> Identity:
        """Return who plays."""
        name = bot if NAME.fullmatch(bot) else self._label
        return Identity(name, name, frozenset({"play"}), "")


class Rehearsal:
    """Puts the questions of a script to whoever connects, and keeps the answers. Belongs to one asyncio loop."""

    def __init__(self, script: Script) -> None:
        self.settings = Settings()
        self.answers: list[Answer] = []
        self.stage = "absent"  # then "here", "started", "asked", and at last "played" or "resigned"
        self.refusal = ""  # the last one
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.moved_at = self.now()  # when something happened last
        self._script = script
        self._session: Session | None = None
        self._next = 0  # question
        self._shown = 0  # events
        self._replies: dict[int, Accepted] = {}  # by decision
        self._grace: asyncio.TimerHandle | None = None

    @property
    def question(self) -> Question | None:
        """Return what the bot is being asked."""
        return self._script.questions[self._next] if self.stage == "asked" else None

    # --- What a stream needs of a house ---

    def now(self) -> float:
        """Return the time."""
        return asyncio.get_running_loop().time()

    def lag(self) -> float:
        """Return nothing: no clock runs here."""
        return 0.0

    def busy(self) -> str:
        """Return nothing: there is always room."""
        return ""

    @property
    def metrics(self) -> Rehearsal:
        """Return who counts the streams that are turned away."""
        return self

    def refused(self, reason: str) -> None:
        """Note why a stream was turned away."""
        self.refusal = reason.replace("_", " ")

    def settle(self, game: str, _options: Mapping[str, str]) -> Setting:
        """Return the game that was played, with its options."""
        self._check(game)
        return self._script.setting

    def join(self, who: Introduction, link: Link, request: int = 0) -> Session:
        """Let a bot in; where it was before, it goes on."""
        if self._session is not None:
            self._session.link.offer(Superseded())
            self._session.link.close("ABORTED", "superseded by another stream of the same bot")
        limits, started = self.settings.limits, self._script.started
        session = self._session = Session(who, link, Bucket(limits.messages_per_s, limits.messages_burst))
        going = self.stage in ("started", "asked")
        seats = [InProgress(started.match, started.seat, self.stage == "asked", "")] if going else []
        link.offer(Welcome(who.bot, who.protocol, sorted(who.features), who.max_matches, seats, request))
        link.offer(ServerPing(session.ping(self.now())))
        if going:
            wanted = self.stage == "started"
            link.offer(replace(started, entropy_wanted=wanted, resumed=True, events=self._shown))
        if self.question is not None:
            link.offer(self.question.decide)
        self._move("here" if self.stage == "absent" else self.stage)
        return session

    def part(self, session: Session) -> None:
        """Note that a stream is gone; another may come."""
        if self._session is session:
            self._session = None

    def refuse(self, session: Session, refused: Refused, request: int) -> None:
        """Send a refusal."""
        refused.request = request
        self.refusal = refused.text
        session.link.offer(refused)

    def handle(self, session: Session, message: Request, request: int, stamp: float) -> None:
        """Take a message of the bot."""
        if self._session is not session:
            return
        try:
            if isinstance(message, _ABOUT_MATCHES):
                self._about_the_match(message, request)
            else:
                self._serve(session, message, request, stamp)
        except Refusal as refusal:
            self.refuse(session, refusal.message, request)

    # --- Requests ---

    def _check(self, game: str) -> None:
        if game != self._script.started.game:
            text = f"this is a match of {self._script.started.game}, played again; there is no other game here"
            raise Refusal(Reason.UNKNOWN_GAME, text, field="game")

    def _serve(self, session: Session, message: Request, request: int, stamp: float) -> None:
        match message:
            case Seek() | Challenge():
                self._check(message.game)
                origin = f"{type(message).__name__.lower()}-{request}"
                session.link.offer(Done(origin, request))
                self._start(origin)
            case Cancel():
                session.link.offer(Done("", request))
            case Leave():
                session.link.offer(Done("", request))
                if self.over.done():
                    session.link.close("OK", "")
            case AnswerChallenge():
                raise Refusal(Reason.UNKNOWN_ID, "no such challenge is open", field="answer_challenge.challenge_id")
            case Ping():
                session.link.offer(ServerPong(message.nonce, request))
            case Pong():
                session.pong(message.nonce, stamp)

    def _about_the_match(self, message: MatchRequest, request: int) -> None:
        script = self._script
        if message.match != script.started.match or self.stage in ("absent", "here"):
            raise Refusal(Reason.UNKNOWN_MATCH, "this bot has no seat in an open match of that id")
        if self.over.done():
            raise Refusal(Reason.MATCH_OVER, "the match is over", match=script.started.match)
        match message:
            case GetHistory():
                self._tell_history(message.first, request)
            case Observe():
                self._tell_position(request)
            case Entropy():
                self._say(Done(request=request))
                self._begin()
            case Act():
                self._act(message, request)
            case Resign():
                self._say(Done(request=request))
                self._resign()
            case OfferDraw():
                self._say(Done(request=request))
                self._say(DrawDeclined(script.started.match))
            case AnswerDraw():
                raise Refusal(Reason.NO_DRAW, "no draw is on offer", match=script.started.match)

    def _tell_history(self, first: int, request: int) -> None:
        script, codec = self._script, self._script.setting.codec
        start = max(first, 1) - 1
        told = self._told(start, min(self._shown, start + HISTORY_PAGE))
        begun = self.stage == "asked"
        self._say(History(told, script.opening if first == 0 and begun else None, self._shown, codec, request))

    def _tell_position(self, request: int) -> None:
        question, started = self.question, self._script.started
        seen = question.decide.observation if question is not None else None
        banks = question.decide.banks if question is not None else [started.clock.base_ms] * len(started.seats)
        self._say(Observed(started.match, seen, self._shown, banks, self._script.setting.codec, request))

    def _told(self, start: int, end: int) -> Told:
        started = self._script.started
        codec = self._script.setting.codec
        return Told(started.match, start + 1, self._script.history[start:end], started.seat, codec)

    # --- The match ---

    def _say(self, message: Response) -> None:
        if self._session is not None:
            self._session.link.offer(message)

    def _move(self, stage: str) -> None:
        self.stage, self.moved_at = stage, self.now()

    def _start(self, origin: str) -> None:
        if self.stage != "here":
            return  # one match is all there is
        self._move("started")
        self._say(replace(self._script.started, origin=origin))
        self._grace = asyncio.get_running_loop().call_later(_GRACE_S, self._begin)

    def _begin(self) -> None:
        if self.stage == "started":
            assert self._grace is not None
            self._grace.cancel()
            self._go_on()

    def _go_on(self) -> None:
        """Put the next question; or after the last, tell the end."""
        questions = self._script.questions
        if self._next == len(questions):
            self._end(self._script.ended, "played")
            return
        self._move("asked")
        self._show(questions[self._next].seen)
        self._say(questions[self._next].decide)

    def _show(self, seen: int) -> None:
        shown, self._shown = self._shown, seen
        if seen > shown and self._session is not None and "live_events" in self._session.who.features:
            self._say(self._told(shown, seen))

    def _act(self, act: Act, request: int) -> None:
        if act.decision in self._replies:
            self._say(replace(self._replies[act.decision], request=request))
            return
        question = self.question
        if question is None or act.decision != question.decide.decision:
            text = f"decision {act.decision} has not been asked; the last one asked is {self._next + 1}"
            raise Refusal(Reason.NOT_ASKED, text, field="act.decision_id", match=act.match, decision=act.decision)
        given, stopped = batch_of(act, self._script.questions[self._next :], self._script.setting)
        for i, one in enumerate(given):
            self.answers.append(Answer(act.decision + i, one.now, one.legal, None if i else act.note))
        self._next += len(given)
        self._replies[act.decision] = accepted = Accepted(act.match, act.decision, len(given), stopped)
        self._say(replace(accepted, request=request))
        self._go_on()

    def _resign(self) -> None:
        started = self._script.started
        seat, others = started.seat, [seat for seat in started.seats if seat != started.seat]
        text = f"{seat} resigned; {others[0]} won"
        ended, told = self._script.ended, self._told(self._shown, self._shown)
        ending = replace(ended.ending, kind="resignation", seat=seat, winner=others[0], reason="resignation", text=text)
        self._end(replace(ended, ending=ending, told=told, observation=None), "resigned")

    def _end(self, ended: MatchEnded, stage: str) -> None:
        self._show(max(self._shown, ended.told.first - 1 + len(ended.told.events)))
        self._move(stage)
        self._say(ended)
        self.over.set_result(None)
