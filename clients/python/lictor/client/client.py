"""The client: one stream, all matches of a bot on it, and a new stream whenever that one breaks."""

from __future__ import annotations

import asyncio
import importlib.metadata
import logging
import random
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import grpc

from lictor.client.bot import AsyncBot, Bot
from lictor.client.catalogs import Catalogs
from lictor.client.errors import ConnectionRefusedForGood, Superseded
from lictor.client.games.names import Names
from lictor.client.lobby import Lobby
from lictor.client.match import Match
from lictor.client.results import Result
from lictor.client.settings import Settings
from lictor.client.spelling import words_of
from lictor.client.stream import Stream, StreamLost, open_channel
from lictor.v1 import match_pb2
from lictor.v1 import play_service_pb2 as pb

log = logging.getLogger("lictor.client")

REASONS = words_of(pb.RefusalReason.DESCRIPTOR)
_WAIT_S, _MOST_WAIT_S = 0.2, 10.0
_WELCOME_S, _FAREWELL_S = 15.0, 1.0
_MOST_RESULTS = 10_000  # of an endless run
_PASSING = ("unspecified", "busy", "limit", "internal")  # reasons that another Hello may not meet
_OWN_FAULT = ("time", "abandonment", "illegal_action")
_ABOUT_MATCHES = ("decide", "accepted", "events", "draw_offered", "match_ended")


class _TryAgain(Exception):
    """The server takes no stream now."""

    def __init__(self, text: str, seconds: float = 0.0) -> None:
        super().__init__(text)
        self.seconds = seconds


class Client:
    """Plays the matches of one bot."""

    def __init__(self, bot_class: type[Bot] | type[AsyncBot], settings: Settings) -> None:
        self.settings = settings
        self.most_actions = 1
        self.results: deque[Result] = deque(maxlen=_MOST_RESULTS)
        self._bot_class = bot_class
        self._matches: dict[str, Match] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._lobby = Lobby(settings)
        self._catalogs = Catalogs(self._any_stream)
        self._stream: Stream | None = None
        self._streams = 0
        self._connected = asyncio.Event()
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._down_since: float | None = None
        self._refusal = ""

    async def play(self) -> None:
        """Play until all is played, or raise what makes it impossible."""
        keeper = asyncio.create_task(self._keep_connected())
        keeper.add_done_callback(self._look_after)
        try:
            await self._over
            if self._stream is not None:
                self._stream.leave()
            await asyncio.wait({keeper}, timeout=_FAREWELL_S)
        finally:
            tasks = [keeper, *self._tasks, *self._catalogs.tasks()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _look_after(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None and not self._over.done():
            self._over.set_exception(error)

    # --- What matches need ---

    def say(self, **message: Any) -> int:
        """Say something now; return the number of the stream, or 0 if there is none."""
        if self._stream is None:
            return 0
        self._stream.say(**message)
        return self._stream.number

    async def ask(self, **message: Any) -> pb.PlayResponse:
        """Return the server's answer, from whatever stream; raise `Refusal`."""
        while True:
            stream = await self._any_stream()
            with suppress(StreamLost):
                return await stream.ask(**message)

    async def names(self, started: pb.MatchStarted) -> Names:
        """Return what spells out the messages of a match."""
        return await self._catalogs.names(started)

    def ended(self, match: Match, result: Result) -> None:
        """Take leave of a match that is over."""
        self._matches.pop(match.id, None)
        self.results.append(result)
        log.log(logging.WARNING if result.termination in _OWN_FAULT and not result.won else logging.INFO, "%s", result)
        self._lobby.finished += 1
        self._go_on()

    def _go_on(self) -> None:
        if self._lobby.all_played(self._matches):
            if not self._over.done():
                self._over.set_result(None)
        elif self._stream is not None:
            self._lobby.want_more(self._stream, self._matches)

    # --- Connecting ---

    async def _any_stream(self) -> Stream:
        while self._stream is None:
            self._connected.clear()
            await self._connected.wait()
        return self._stream

    async def _keep_connected(self) -> None:
        wait = _WAIT_S
        while not self._over.done():
            pause = 0.0
            try:
                async with self._open() as stream:
                    wait = _WAIT_S
                    while (response := await stream.read()) is not None:
                        self._take(stream, response)
                reason = "the server ended the stream"
            except grpc.aio.AioRpcError as error:
                if error.code() is grpc.StatusCode.UNIMPLEMENTED:
                    text = f"{self.settings.target} is no lictor server, or one of another age: {error.details()}"
                    raise ConnectionRefusedForGood("unimplemented", text) from error
                reason = f"{error.code().name}: {error.details()}"
            except _TryAgain as error:
                reason, pause = str(error), error.seconds
            if not self._over.done():
                self._note_loss(reason)
                # Jitter, so that after an outage not all bots knock at once.
                await asyncio.sleep(max(pause, wait * random.uniform(0.5, 1.0)))
                wait = min(_MOST_WAIT_S, wait * 2)

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[Stream]:
        """Connect, introduce the bot, and take everything down again at the end."""
        self._streams += 1
        stream = Stream(open_channel(self.settings.target, self.settings.tls), self._streams)
        writer = asyncio.create_task(stream.write())
        try:
            welcome = await self._greet(stream)
            self._note_return()
            self._stream = stream
            self._connected.set()
            self._settle_in(stream, welcome)
            yield stream
        finally:
            self._stream = None
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
            await stream.close()

    async def _greet(self, stream: Stream) -> pb.Welcome:
        wishes = self.settings
        features = [name for name in ("live_events", "words") if getattr(wishes, name)]
        stream.say(
            hello=pb.Hello(
                token=wishes.token,
                bot=wishes.name,
                protocol_min=1,
                protocol_max=1,
                features=features,
                client=f"lictor-client {_version()}",
                version=wishes.version,
                content_hash=wishes.content_hash,
                max_matches=wishes.max_matches,
            )
        )
        try:
            async with asyncio.timeout(_WELCOME_S):
                response = await stream.read()
        except TimeoutError as error:
            raise _TryAgain(f"no Welcome within {_WELCOME_S:.0f} s") from error
        if response is None:
            raise _TryAgain("the stream ended before the Welcome")
        stream.settle(response)
        if response.WhichOneof("message") != "refused":
            return response.welcome
        refused = response.refused
        reason = REASONS.get(refused.reason, "unspecified")
        if reason in _PASSING:
            raise _TryAgain(refused.text, refused.retry_after_ms / 1000)
        hint = " (set LICTOR_TOKEN, or give run(token=...))" if reason == "unauthenticated" else ""
        who = repr(wishes.name) if wishes.name else "the bot"
        raise ConnectionRefusedForGood(reason, f"{wishes.target} refuses {who}: {refused.text}{hint}")

    def _settle_in(self, stream: Stream, welcome: pb.Welcome) -> None:
        self.most_actions = welcome.limits.batch or 1
        for match in self._matches.values():
            if match.id not in {seat.match_id for seat in welcome.seats}:
                # It ended while we were away; the server answers with its end.
                stream.say(observe=pb.Observe(match_id=match.id))
        self._lobby.welcome(welcome, self._matches)
        self._go_on()

    def _note_loss(self, reason: str) -> None:
        target = self.settings.target
        if self._down_since is None:
            self._down_since = time.monotonic()
            if not self._lobby.was_welcome:
                why = "" if "Connection refused" in reason else f" ({reason})"
                hint = "start one with `lictor serve --dev`; trying until there is one"
                log.warning("no server at %s%s; %s", target, why, hint)
            else:
                log.warning("lost the server at %s (%s); connecting again", target, reason)
        log.debug("not connected: %s", reason)

    def _note_return(self) -> None:
        if self._down_since is not None:
            seconds = time.monotonic() - self._down_since
            log.warning("connected to %s after %.1f s", self.settings.target, seconds)
            self._down_since = None

    # --- Hearing ---

    def _take(self, stream: Stream, response: pb.PlayResponse) -> None:
        """Pass a message on to whom it concerns. Nothing here waits."""
        kind = response.WhichOneof("message")
        if kind == "ping":
            stream.pong(response.ping.nonce)
            return
        request = stream.settle(response)
        if kind in _ABOUT_MATCHES:
            self._pass_on(kind, getattr(response, kind), stream.number)
        elif kind == "match_started":
            self._start(stream, response.match_started)
        elif kind == "refused":
            self._refused(stream, response.refused, request)
        elif kind == "superseded":
            text = "another process plays under this name now: give each its own name, or stop one of them"
            raise Superseded(f"{text} ({response.superseded.text})")
        elif kind is not None:
            self._lobby.hear(stream, response, request, self._matches)

    def _pass_on(self, kind: str, message: Any, stream: int) -> None:
        match = self._matches.get(message.match_id)
        if match is not None:
            match.hear(kind, message, stream)

    def _start(self, stream: Stream, started: pb.MatchStarted) -> None:
        match = self._matches.get(started.match_id)
        if match is None:
            match = self._matches[started.match_id] = Match(self, self._bot_class, started)
            task = asyncio.create_task(match.run())
            self._tasks.add(task)
            task.add_done_callback(self._look_after)
            self._lobby.started(stream, match.opponents, self._matches)
        match.hear("match_started", started, stream.number)

    def _refused(self, stream: Stream, refused: pb.Refused, request: pb.PlayRequest | None) -> None:
        reason = REASONS.get(refused.reason, "unspecified")
        kind = request.WhichOneof("message") if request is not None else None
        if kind in ("seek", "challenge"):
            self._lobby.refused(reason, refused)
        message = getattr(request, kind) if kind else None
        match = self._matches.get(refused.match_id or getattr(message, "match_id", ""))
        if reason == "match_over":  # an answer that crossed the end; the end itself follows or has come
            log.info("match %s: %s", refused.match_id, refused.text)
            return
        if match is not None and kind == "observe" and reason == "unknown_match":
            how = match_pb2.Termination(text="the server does not know this match any more")
            match.hear("match_ended", pb.MatchEnded(match_id=match.id, termination=how), stream.number)
        if match is not None and reason == "illegal_action":
            match.hear("illegal", refused, stream.number)
        elif refused.text != self._refusal:  # what is tried again and again is logged once
            log.warning("refused (%s): %s%s", reason, refused.text, f" [{refused.field}]" if refused.field else "")
        self._refusal = refused.text


def _version() -> str:
    for name in ("lictor-client", "lictor"):
        with suppress(importlib.metadata.PackageNotFoundError):
            return importlib.metadata.version(name)
    return "unknown"
