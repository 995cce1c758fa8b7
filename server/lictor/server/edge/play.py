"""`PlayService.Play`: one stream, with a reader and a writer; what is said on it goes to the house."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

import grpc
import structlog
from google.protobuf.message import DecodeError

from lictor.engine import registry
from lictor.server import accounts as door
from lictor.server.edge.registering import is_gone, quietly
from lictor.server.edge.stream import Encoder, Malformed, decode, join_features
from lictor.server.matches.house import House
from lictor.server.matches.messages import Introduction, Reason, Refused, Response
from lictor.server.matches.session import Handed, Session
from lictor.server.matches.settings import FEATURES, PROTOCOL_MAX, PROTOCOL_MIN
from lictor.v1 import play_service_pb2 as pb

log = structlog.get_logger()

_MALFORMED_IN_A_ROW = 100
_HELLO_S = 10.0
_FLUSH_S = 2.0  # how long a stream that ends may take to read what is left
_STATUS = {
    Reason.UNAUTHENTICATED: grpc.StatusCode.UNAUTHENTICATED,
    Reason.FORBIDDEN: grpc.StatusCode.PERMISSION_DENIED,
    Reason.BUSY: grpc.StatusCode.UNAVAILABLE,
    Reason.MALFORMED: grpc.StatusCode.INVALID_ARGUMENT,
}


class StreamLink:
    """The way to one bot: a bounded queue that the writer empties."""

    def __init__(self, encoder: Encoder, most: int) -> None:
        self._encoder, self._most = encoder, most
        self._queue: deque[tuple[bytes, Handed | None]] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._pumping: asyncio.Task[Any] | None = None
        self.end: tuple[grpc.StatusCode, str] | None = None

    def offer(self, message: Response, handed: Handed | None = None) -> None:
        """Queue a message; a bot that does not read is disconnected."""
        if self.end is not None:
            return
        if len(self._queue) >= self._most:
            self._queue.clear()
            text = f"{self._most} messages wait and none is read; read them and connect again"
            self.close("RESOURCE_EXHAUSTED", text)
            self._give_up()
            return
        self._queue.append((self._encoder.encode(message), handed))
        self._wake()

    def close(self, status: str, text: str) -> None:
        """End the stream when what is queued has been handed over; or after a while, if it is not read."""
        if self.end is None:
            self.end = (grpc.StatusCode[status], text)
            self._wake()
            asyncio.get_running_loop().call_later(_FLUSH_S, self._give_up)

    def _give_up(self) -> None:
        if self._pumping is not None:
            self._pumping.cancel()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def pump(self, context: Any, now: Callable[[], float]) -> None:
        """Hand over what is queued, until the end."""
        self._pumping = asyncio.current_task()
        try:
            await self._pump(context, now)
        except asyncio.CancelledError:
            if self.end is None or self._pumping is None or self._pumping.uncancel() > 0:
                raise  # the bot hung up, or the server stops
        finally:
            self._pumping = None

    async def _pump(self, context: Any, now: Callable[[], float]) -> None:
        loop, queue = asyncio.get_running_loop(), self._queue
        while True:
            while queue:
                data, handed = queue.popleft()
                await context.write(data)
                if handed is not None:
                    handed(now())
            if self.end is not None:
                return
            self._waiter = loop.create_future()
            await self._waiter


class PlayEdge:
    """Serves the streams of bots."""

    def __init__(self, house: House, accounts: door.Accounts, server: str) -> None:
        self._house, self._accounts, self._server = house, accounts, server
        self._epochs = {name: registry.get(name).RULES_EPOCH for name in registry.names()}
        self._streams = 0

    async def play(self, _requests: Any, context: Any) -> None:
        """Serve one stream. The end of it never ends a match."""
        house = self._house
        encoder = Encoder(house.settings, self._server, self._epochs)
        link = StreamLink(encoder, house.settings.limits.queue)
        self._streams += 1
        reader = asyncio.create_task(self._read(link, encoder, context))
        try:
            await quietly(link.pump(context, house.now), context)
            if link.end is not None and link.end[0] is not grpc.StatusCode.OK:
                await quietly(context.abort(*link.end), context)
        finally:
            self._streams -= 1
            link.end = link.end or (grpc.StatusCode.CANCELLED, "")
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)

    async def _read(self, link: StreamLink, encoder: Encoder, context: Any) -> None:
        house, session = self._house, None
        try:
            async with asyncio.timeout(_HELLO_S):
                raw = await context.read()
            if raw is not grpc.aio.EOF:
                session = await self._greet(link, encoder, raw)
            if session is not None:
                await self._listen(session, context)
            link.close("OK", "")
        except TimeoutError:
            self._turn_away(link, Refused(Reason.HELLO_EXPECTED, f"no Hello came within {_HELLO_S:.0f} s"))
        except asyncio.CancelledError:
            raise
        except Exception as error:
            if is_gone(error, context):
                # Nobody is there to read it, or a message was too long, and gRPC has taken it away.
                most = house.settings.limits.message_bytes
                link.close("RESOURCE_EXHAUSTED", f"a message could not be read; it may have {most} bytes at most")
            else:
                log.exception("stream_failed", bot=session.bot if session else None)
                link.close("INTERNAL", "the server made a mistake, and has noted it: connect again")
        finally:
            if session is not None:
                house.part(session)

    async def _listen(self, session: Session, context: Any) -> None:
        house, bad = self._house, 0
        while bad < _MALFORMED_IN_A_ROW:
            raw = await context.read()
            if raw is grpc.aio.EOF:
                return
            # Stamped as if the loop were not late: its lag is nobody's thinking.
            stamp = house.now() - house.lag()
            try:
                request = pb.PlayRequest.FromString(raw)
            except DecodeError:
                bad += self._weigh(session, stamp)
                text = "these bytes are no PlayRequest; see play_service.proto"
                house.refuse(session, Refused(Reason.MALFORMED, text), 0)
                continue
            if request.WhichOneof("message") == "hello":
                text = "Hello comes once, first; for other settings open a new stream"
                house.refuse(session, Refused(Reason.HELLO_EXPECTED, text, "hello"), request.request_id)
                session.link.close("FAILED_PRECONDITION", text)
                return
            try:
                message = decode(request, house.settings)
            except Malformed as error:
                bad += self._weigh(session, stamp)
                house.refuse(session, error.refused, request.request_id)
                continue
            bad = 0
            house.handle(session, message, request.request_id, stamp)
        session.link.close("INVALID_ARGUMENT", f"{bad} messages in a row could not be read")

    def _weigh(self, session: Session, stamp: float) -> int:
        """Count a message that cannot be read; beyond the rate limit it weighs as much as all that are allowed."""
        return _MALFORMED_IN_A_ROW if session.bucket.take(stamp) else 1

    # --- Hello ---

    async def _greet(self, link: StreamLink, encoder: Encoder, raw: bytes) -> Session | None:
        try:
            request = pb.PlayRequest.FromString(raw)
        except DecodeError:
            self._turn_away(link, Refused(Reason.MALFORMED, "these bytes are no PlayRequest; see play_service.proto"))
            return None
        if request.WhichOneof("message") != "hello":
            text = "the first message must be Hello"
            self._turn_away(link, Refused(Reason.HELLO_EXPECTED, text, "message", request=request.request_id))
            return None
        refused, who = await self._introduce(request.hello)
        if refused is not None or who is None:
            assert refused is not None
            refused.request = request.request_id
            self._turn_away(link, refused)
            return None
        encoder.words, encoder.typed = "words" in who.features, "no_typed" not in who.features
        if link.end is not None:
            return None
        session = self._house.join(who, link, request.request_id)
        revoked: bool = bool(who.token_id) and await asyncio.to_thread(self._accounts.is_revoked, who.token_id)
        if revoked:
            self._house.part_token(who.token_id)  # while it was being looked up
        return session

    async def _introduce(self, hello: pb.Hello) -> tuple[Refused | None, Introduction | None]:
        house = self._house
        busy = house.busy() or ("too many streams are open" if self._streams > house.settings.streams else "")
        if busy:
            return Refused(Reason.BUSY, f"{busy}; try again in a while", retry_after_ms=2000), None
        low, high = hello.protocol_min, hello.protocol_max
        if not 1 <= low <= high or low > PROTOCOL_MAX or high < PROTOCOL_MIN:
            text = f"this server speaks protocol {PROTOCOL_MIN} to {PROTOCOL_MAX}, the client {low} to {high}: " + (
                "use a newer server or an older client" if low > PROTOCOL_MAX else "use a newer client"
            )
            return Refused(Reason.UNSUPPORTED_PROTOCOL, text, "hello.protocol_max"), None
        try:
            features = join_features(hello.features, FEATURES)
        except Malformed as error:
            return error.refused, None
        try:
            who = await asyncio.to_thread(
                self._accounts.admit, hello.token, hello.bot, hello.version, hello.content_hash
            )
        except door.Unauthenticated as error:
            return Refused(Reason.UNAUTHENTICATED, str(error), "hello.token"), None
        except door.NotAllowed as error:
            return Refused(Reason.FORBIDDEN, str(error), "hello.bot"), None
        except door.VersionChanged as error:
            return Refused(Reason.VERSION_CHANGED, str(error), "hello.version"), None
        except door.BadRequest as error:
            return Refused(Reason.MALFORMED, str(error), f"hello.{error.field}"), None
        most = max(1, min(hello.max_matches or 1, house.settings.max_matches))
        client = "".join(letter for letter in hello.client[:100] if letter.isprintable())
        return None, Introduction(
            who.bot, who.account, hello.version, features, PROTOCOL_MAX, most, who.token_id, client
        )

    def _turn_away(self, link: StreamLink, refused: Refused) -> None:
        self._house.metrics.refused(refused.reason.name.lower())
        link.offer(refused)
        status = _STATUS.get(refused.reason, grpc.StatusCode.FAILED_PRECONDITION)
        link.close(status.name, refused.text)
