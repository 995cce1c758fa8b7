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
_EVENTS = tag_of(pb.WatchResponse, "events")
SKIPS = 20  # skips in a row before a reader is dropped


class Feed:
    """One spectator of one match: a bounded queue."""

    def __init__(self, match: Match) -> None:
        self._match = match
        self._queue: deque[bytes] = deque()
        self._ready = asyncio.Event()
        self._skipped = self._skips = 0
        self._behind = True  # a keyframe is due before anything else
        self.over = self.dropped = False

    def resume(self, after: int) -> None:
        """Begin with the events after a number instead of a keyframe."""
        public = self._match.table.public
        self._behind = False
        if after < public.shown:
            self._push(self._events(self._match.table.told(public, after, public.shown)))

    def tell(self, told: Told) -> None:
        """Take events, unless a keyframe will have them anyway."""
        if self._behind:
            self._skipped += len(told.events)
        elif len(self._queue) >= QUEUE:
            self._queue.clear()
            self._behind = True
            self._skipped += len(told.events)
            self._skips += 1
            self.dropped = self._skips > SKIPS
        else:
            self._push(self._events(told))
        self._ready.set()

    def end(self, ending: Ending, observation: Any) -> None:
        """Take the end."""
        ended = pb.WatchEnded(termination=termination_message(ending))
        if observation is not None:
            ended.observation.MergeFromString(self._match.table.codec.observation(observation))
        self._push(pb.WatchResponse(ended=ended).SerializeToString())
        self.over = True

    def _events(self, told: Told) -> bytes:
        return sized(_EVENTS, events_bytes(told, words=True))

    def _push(self, data: bytes) -> None:
        self._queue.append(data)
        self._ready.set()

    async def messages(self) -> AsyncIterator[bytes]:
        """Yield what is to be sent, to the end."""
        self._ready.set()
        while True:
            await self._ready.wait()
            self._ready.clear()
            if self._behind and not self.over:
                self._behind = False
                yield await self._keyframe()
            while self._queue:
                yield self._queue.popleft()
                if len(self._queue) == 0:
                    self._skips = 0
            if self.over or self.dropped:
                return

    async def _keyframe(self) -> bytes:
        match, ready = self._match, asyncio.get_running_loop().create_future()
        match.outbox.when_settled(lambda: None if ready.done() else ready.set_result(self._frame()))
        frame: bytes = await ready
        return frame

    def _frame(self) -> bytes:
        match, table = self._match, self._match.table
        frame = pb.Keyframe(
            match=open_summary(match),
            events=table.public.shown,
            bank_ms=table.banks(table.public.seat),
            skipped=self._skipped if self._skips else 0,
        )
        self._skipped = 0
        self._queue.clear()  # all of it is in the keyframe
        if match.recorder is not None:
            frame.observation.MergeFromString(table.codec.observation(table.seen_by(table.public.seat)))
        return pb.WatchResponse(keyframe=frame).SerializeToString()


class WatchEdge:
    """Serves spectators."""

    def __init__(self, house: House, caller: Caller) -> None:
        self._house, self._caller = house, caller

    async def list_matches(self, request: pb.ListMatchesRequest, context: Any) -> pb.ListMatchesResponse:
        """Return matches: the open ones first, then the finished ones, newest first."""
        await self._caller.identify(context, "watch")
        size = page_size(request.page_size)
        found = [] if request.page else self._open(request)
        found = found[: size - 1] if len(found) >= size else found
        page = ""
        if request.state in (match_pb2.MATCH_STATE_UNSPECIFIED, match_pb2.MATCH_STATE_FINISHED):
            try:
                past, page = await asyncio.to_thread(
                    lambda: self._house.store.list_finished(
                        game=request.game, bot=request.bot, limit=size - len(found), before=request.page
                    )
                )
            except StoreError as error:
                await refuse(context, grpc.StatusCode.INVALID_ARGUMENT, str(error))
            found += [finished_summary(match) for match in past]
        return pb.ListMatchesResponse(matches=found, next_page=page)

    def _open(self, request: pb.ListMatchesRequest) -> list[match_pb2.MatchSummary]:
        found = [
            open_summary(match)
            for match in reversed(self._house.matches.values())
            if request.game in ("", match.row.game) and (not request.bot or request.bot in match.row.seats.values())
        ]
        if request.state == match_pb2.MATCH_STATE_UNSPECIFIED:
            return found
        return [summary for summary in found if summary.state == request.state]

    async def watch(self, request: pb.WatchRequest, context: Any) -> AsyncIterator[bytes]:
        """Follow one match."""
        await self._caller.identify(context, "watch")
        match = self._house.matches.get(request.match_id)
        if match is None:
            past = await asyncio.to_thread(self._house.store.finished, request.match_id)
            if past is not None:
                ended = pb.WatchEnded(termination=termination_message(past.ending))
                yield pb.WatchResponse(ended=ended).SerializeToString()
                return
            await refuse(context, grpc.StatusCode.NOT_FOUND, "there is no match of that id")
        feed = Feed(match)
        if request.resume:
            feed.resume(request.after)
        match.watchers.add(feed)
        self._house.metrics.watchers.inc()
        try:
            async for message in feed.messages():
                yield message
            if feed.dropped:
                text = "too slow for too long: watch again from a keyframe"
                await refuse(context, grpc.StatusCode.RESOURCE_EXHAUSTED, text)
        finally:
            match.watchers.discard(feed)
            self._house.metrics.watchers.dec()
