"""`WatchService`: what a spectator may see, live. A spectator never slows a match."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Any

import grpc

from lictor.server.edge.calls import Caller, page_size, refuse
from lictor.server.edge.convert.wire import sized
from lictor.server.edge.lists import finished_summary, open_summary
from lictor.server.edge.stream import events_bytes, tag_of, termination_message
from lictor.server.matches.house import House
from lictor.server.matches.match import Match
from lictor.server.matches.messages import Told
from lictor.server.store import Ending, StoreError
from lictor.v1 import match_pb2
from lictor.v1 import watch_service_pb2 as pb

QUEUE = 64  # messages that wait for a slow reader before it skips to a keyframe
SKIPS = 20  # skips in a row before a reader is dropped
LOST = 200  # messages that a reader who reads nothing may miss before it is dropped
FLUSH_S = 2.0  # how long a reader may take for what is left when the match is over
_TOO_SLOW = "too slow for too long: watch again from a keyframe"
_EVENTS = tag_of(pb.WatchResponse, "events")
_OPEN = "open:"  # a page that goes on after an open match


class Feed:
    """One spectator of one match: a bounded queue of messages, each with how many events it tells."""

    def __init__(self, match: Match) -> None:
        self._match = match
        self._queue: deque[tuple[bytes, int]] = deque()
        self._ready = asyncio.Event()
        self._behind = True  # a keyframe is due before anything else
        self._missed = self._skips = self._lost = 0
        self._task: asyncio.Task[Any] | None = None
        self.over = False
        self.end_text: tuple[grpc.StatusCode, str] | None = None  # why it is cut off, if it is

    def resume(self, after: int) -> None:
        """Begin with the events after a number instead of a keyframe."""
        public = self._match.table.public
        self._behind = False
        if after < public.shown:
            self._push(self._match.table.told(public, after, public.shown))

    def tell(self, told: Told) -> None:
        """Take events, unless a keyframe will have them anyway."""
        if self._behind:
            self._miss(len(told.events))
        elif len(self._queue) >= QUEUE:
            self._behind = True
            self._skips += 1
            self._miss(len(told.events) + sum(count for _, count in self._queue))
            self._queue.clear()
        else:
            self._push(told)
        self._ready.set()

    def _miss(self, events: int) -> None:
        self._missed += events
        self._lost += 1
        if self._lost > LOST or self._skips > SKIPS:
            self.cut(grpc.StatusCode.RESOURCE_EXHAUSTED, _TOO_SLOW)

    def cut(self, status: grpc.StatusCode, text: str) -> None:
        """End the feed at once, even if its reader reads nothing."""
        if self._task is not None and self.end_text is None:
            self.end_text = (status, text)
            self._task.cancel()

    def end(self, ending: Ending, observation: Any) -> None:
        """Take the end."""
        ended = pb.WatchEnded(termination=termination_message(ending))
        if observation is not None:
            ended.observation.MergeFromString(self._match.table.codec.observation(observation))
        self._queue.append((pb.WatchResponse(ended=ended).SerializeToString(), 0))
        self.over = True
        self._ready.set()
        if self._task is not None:
            asyncio.get_running_loop().call_later(FLUSH_S, self.cut, grpc.StatusCode.RESOURCE_EXHAUSTED, _TOO_SLOW)

    def _push(self, told: Told) -> None:
        self._queue.append((sized(_EVENTS, events_bytes(told, words=True)), len(told.events)))
        self._ready.set()

    async def pump(self, context: Any) -> None:
        """Send what is to be sent, to the end or until the feed is cut off."""
        self._task = asyncio.current_task()
        try:
            async for message in self.messages():
                await context.write(message)
        except asyncio.CancelledError:
            if self.end_text is None or self._task is None or self._task.uncancel() > 0:
                raise  # the reader hung up, or the server stops
        finally:
            self._task = None

    async def messages(self) -> AsyncIterator[bytes]:
        """Yield what is to be sent, to the end."""
        self._ready.set()
        while True:
            await self._ready.wait()
            self._ready.clear()
            if self._behind and not self.over:
                yield await self._keyframe()
            while self._queue:
                data, _ = self._queue.popleft()
                yield data
                self._lost = 0
                if not self._queue and not self._behind:
                    self._skips = 0
            if self.over:
                return

    async def _keyframe(self) -> bytes:
        ready = asyncio.get_running_loop().create_future()

        def answer() -> None:
            if not ready.done():
                ready.set_result(self._frame())

        self._match.outbox.when_settled(self._match.table.public.seat, answer)
        frame: bytes = await ready
        return frame

    def _frame(self) -> bytes:
        match, table = self._match, self._match.table
        frame = pb.Keyframe(
            match=open_summary(match),
            events=table.public.shown,
            bank_ms=table.banks(table.public.seat),
            skipped=self._missed if self._skips else 0,
        )
        self._behind, self._missed = False, 0
        if not self.over:
            self._queue.clear()  # all of it is in the keyframe
        if match.recorder is not None:
            frame.observation.MergeFromString(table.codec.observation(table.seen_by(table.public.seat)))
        return pb.WatchResponse(keyframe=frame).SerializeToString()


class WatchEdge:
    """Serves spectators."""

    def __init__(self, house: House, caller: Caller) -> None:
        self._house, self._caller = house, caller
        self._feeds: dict[Feed, str] = {}  # with the id of the token it was opened with

    def part_token(self, token_id: str) -> None:
        """Cut off the feeds that were opened with a token that is worthless now."""
        for feed, opened_with in tuple(self._feeds.items()):
            if opened_with == token_id:
                feed.cut(grpc.StatusCode.UNAUTHENTICATED, "the token was revoked")

    async def ListMatches(self, request: pb.ListMatchesRequest, context: Any) -> pb.ListMatchesResponse:
        """Return matches: the open ones first, then the finished ones, newest first."""
        await self._caller.identify(context, "watch")
        size = page_size(request.page_size)
        found, page = [], request.page
        if not page or page.startswith(_OPEN):
            waiting = self._open(request, page.removeprefix(_OPEN))
            found = [open_summary(match) for match in waiting[:size]]
            finished_too = self._wants_finished(request)
            if len(waiting) > size or not finished_too or len(found) == size:
                # The finished ones, if they are wanted, begin on the next page.
                more = len(waiting) > size or finished_too
                page = f"{_OPEN}{waiting[size - 1].number}" if more else ""
                return pb.ListMatchesResponse(matches=found, next_page=page)
            page = ""
        try:
            past, page = await asyncio.to_thread(
                lambda: self._house.store.list_finished(
                    game=request.game, bot=request.bot, limit=size - len(found), before=page
                )
            )
        except StoreError as error:
            await refuse(context, grpc.StatusCode.INVALID_ARGUMENT, str(error))
        return pb.ListMatchesResponse(matches=[*found, *map(finished_summary, past)], next_page=page)

    def _wants_finished(self, request: pb.ListMatchesRequest) -> bool:
        return request.state in (match_pb2.MATCH_STATE_UNSPECIFIED, match_pb2.MATCH_STATE_FINISHED)

    def _open(self, request: pb.ListMatchesRequest, before: str) -> list[Match]:
        """Return the open matches asked for, newest first, from before a number on."""
        limit = int(before) if before.isdecimal() else None
        return [
            match
            for match in reversed(self._house.matches.values())
            if (limit is None or match.number < limit)
            and request.game in ("", match.row.game)
            and (not request.bot or request.bot in match.row.seats.values())
            and request.state in (match_pb2.MATCH_STATE_UNSPECIFIED, open_summary(match).state)
        ]

    async def watch(self, request: pb.WatchRequest, context: Any) -> None:
        """Follow one match."""
        who = await self._caller.identify(context, "watch")
        match = self._house.matches.get(request.match_id)
        if match is None:
            past = await asyncio.to_thread(self._house.store.finished, request.match_id)
            if past is None:
                await refuse(context, grpc.StatusCode.NOT_FOUND, "there is no match of that id")
            ended = pb.WatchEnded(termination=termination_message(past.ending))
            await context.write(pb.WatchResponse(ended=ended).SerializeToString())
            return
        feed = Feed(match)
        if request.resume:
            feed.resume(request.after)
        match.watchers.add(feed)
        self._feeds[feed] = who.token_id
        self._house.metrics.watchers.inc()
        try:
            await feed.pump(context)
        finally:
            match.watchers.discard(feed)
            del self._feeds[feed]
            self._house.metrics.watchers.dec()
        if feed.end_text is not None:
            await refuse(context, *feed.end_text)
