"""The line between the bot and the server: every message passes here, and may be held, changed or added to."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

import grpc
from google.protobuf.message import DecodeError

from lictor.server.edge.course.bell import Bell
from lictor.server.edge.course.ledger import Ledger
from lictor.server.edge.course.wire import LOOPBACK
from lictor.server.edge.registering import hush, quietly
from lictor.server.edge.serving import CHANNEL_OPTIONS
from lictor.v1 import play_service_pb2 as pb

# What goes on instead of a message; None: the message itself.
OnRequest: TypeAlias = Callable[[pb.PlayRequest], Sequence[pb.PlayRequest] | None]
OnResponse: TypeAlias = Callable[[pb.PlayResponse], Sequence[pb.PlayResponse] | None]

PLAY = "/lictor.v1.PlayService/Play"
_INNER = (("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", 1 << 26))


class _Stream:
    """One stream of the bot, and its twin to the server."""

    def __init__(self, context: Any, call: Any) -> None:
        self._context, self._call = context, call
        self.to_bot: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.to_server: asyncio.Queue[bytes | None] = asyncio.Queue()

    async def run(self, hear: Callable[[bytes], None], tell: Callable[[bytes], None]) -> None:
        """Pass messages on, both ways, until one side has ended the stream; then end the other in the same way."""
        tasks = [
            asyncio.create_task(work)
            for work in (
                _read(self._context, hear, self.to_server),
                _write(self.to_server, self._call.write, self._call.done_writing),
                _write(self.to_bot, self._context.write, None),
            )
        ]
        try:
            await _read(self._call, tell, self.to_bot)
            await tasks[2]
            code = await self._call.code()
            if code is not grpc.StatusCode.OK:
                await self._context.abort(code, await self._call.details())
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._call.cancel()


async def _read(side: Any, take: Callable[[bytes], None], queue: asyncio.Queue[bytes | None]) -> None:
    with contextlib.suppress(grpc.aio.AioRpcError):
        while (raw := await side.read()) is not grpc.aio.EOF:
            take(raw)
    queue.put_nowait(None)


async def _write(queue: asyncio.Queue[bytes | None], write: Any, end: Any) -> None:
    # A side that is gone is noticed by who reads from it.
    with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
        while (raw := await queue.get()) is not None:
            await write(raw)
        if end is not None:
            await end()


class Line(grpc.GenericRpcHandler):
    """Serves the bot as if it were the server, which it asks for every answer."""

    def __init__(self, ledger: Ledger, bell: Bell) -> None:
        self.ledger, self.bell = ledger, bell
        self.on_request: OnRequest | None = None
        self.on_response: OnResponse | None = None
        self._channel: Any = None
        self._stream: _Stream | None = None  # the newest

    # --- Its life ---

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[int]:
        """Serve while the block runs; yield the port."""
        hush()
        server = grpc.aio.server(options=CHANNEL_OPTIONS)
        server.add_generic_rpc_handlers((self,))
        port = server.add_insecure_port(f"{LOOPBACK}:0")
        await server.start()
        try:
            yield port
        finally:
            await server.stop(0)
            await self.disconnect()

    def connect(self, port: int) -> None:
        """Ask the server at a port from now on."""
        self._channel = grpc.aio.insecure_channel(f"{LOOPBACK}:{port}", options=_INNER)

    async def disconnect(self) -> None:
        """Let go of the server."""
        channel, self._channel = self._channel, None
        if channel is not None:
            await channel.close()

    def service(self, details: Any) -> Any:
        """Take any call there may be: all but Play passes as it is."""
        serve = self._play if details.method == PLAY else self._passing(details.method)
        return grpc.stream_stream_rpc_method_handler(serve)

    # --- What lessons do ---

    def pass_all(self) -> None:
        """Let everything pass unchanged again."""
        self.on_request = self.on_response = None

    def say(self, response: pb.PlayResponse) -> None:
        """Say something to the bot as if the server did."""
        if self._stream is not None:
            self._stream.to_bot.put_nowait(response.SerializeToString())

    def tell(self, request: pb.PlayRequest) -> None:
        """Say something to the server as if the bot did."""
        if self._stream is not None:
            self._stream.to_server.put_nowait(request.SerializeToString())

    # --- Streams ---

    def _passing(self, method: str) -> Callable[[Any, Any], Any]:
        async def serve(_requests: Any, context: Any) -> None:
            metadata = [(key, value) for key, value in context.invocation_metadata() or () if key == "authorization"]
            if self._channel is None:
                await context.abort(grpc.StatusCode.UNAVAILABLE, "the server is away")
            call = self._channel.stream_stream(method)(metadata=metadata, timeout=context.time_remaining())
            stream = _Stream(context, call)
            await quietly(stream.run(stream.to_server.put_nowait, stream.to_bot.put_nowait), context)

        return serve

    async def _play(self, _requests: Any, context: Any) -> None:
        raw = await context.read()
        if raw is grpc.aio.EOF:
            return
        first = _parse(raw)
        self.ledger.hear_first(first)
        self.bell.ring()
        if self._channel is None:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "the server is away")
        stream = self._stream = _Stream(context, self._channel.stream_stream(PLAY)())

        def hear(raw: bytes) -> None:
            self._hear(stream, raw)

        def tell(raw: bytes) -> None:
            self._tell(stream, raw)

        hear(raw)
        try:
            await quietly(stream.run(hear, tell), context)
        finally:
            if self._stream is stream:
                self._stream = None
                self.ledger.seek = None
            self.bell.ring()

    def _hear(self, stream: _Stream, raw: bytes) -> None:
        """Take a message of the bot."""
        request = _parse(raw)
        self.ledger.hear(request)
        if request.HasField("hello"):
            # The bot's author knows under which name it plays elsewhere; here its token is enough.
            request.hello.bot = ""
            raw = request.SerializeToString()
        instead = self.on_request(request) if self.on_request is not None else None
        for one in [raw] if instead is None else [other.SerializeToString() for other in instead]:
            stream.to_server.put_nowait(one)
        self.bell.ring()

    def _tell(self, stream: _Stream, raw: bytes) -> None:
        """Take a message of the server."""
        response = pb.PlayResponse.FromString(raw)
        self.ledger.tell(response)
        instead = self.on_response(response) if self.on_response is not None else None
        for one in [raw] if instead is None else [other.SerializeToString() for other in instead]:
            stream.to_bot.put_nowait(one)
        self.bell.ring()


def _parse(raw: bytes) -> pb.PlayRequest:
    """Read a message of the bot; what cannot be read is empty here, and for the server to refuse."""
    with contextlib.suppress(DecodeError):
        return pb.PlayRequest.FromString(raw)
    return pb.PlayRequest()
