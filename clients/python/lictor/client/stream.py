"""One stream to the server, from connecting to its end."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from pathlib import Path
from typing import Any

import grpc

from lictor.client.errors import LictorError
from lictor.client.settings import Tls
from lictor.v1 import play_service_pb2 as pb
from lictor.v1 import play_service_pb2_grpc as rpc

# A peer that is gone is noticed within 25 s. Every channel connects by itself, or gRPC would make this bot wait for the
# back-off that an earlier channel has run up.
CHANNEL_OPTIONS = (
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.http2.ping_timeout_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),
    ("grpc.use_local_subchannel_pool", 1),
)


class StreamLost(Exception):
    """The stream ended before the answer came."""


class Refusal(Exception):
    """The server did not take a message."""

    def __init__(self, refused: pb.Refused) -> None:
        super().__init__(refused.text)
        self.refused = refused


def open_channel(target: str, tls: Tls | None) -> grpc.aio.Channel:
    """Return a channel to a server."""
    if tls is None:
        return grpc.aio.insecure_channel(target, options=CHANNEL_OPTIONS)
    try:
        ca, key, cert = [Path(path).read_bytes() if path is not None else None for path in (tls.ca, tls.key, tls.cert)]
    except OSError as error:
        raise LictorError(f"cannot read a TLS file: {error}") from error
    credentials = grpc.ssl_channel_credentials(ca, key, cert)
    return grpc.aio.secure_channel(target, credentials, options=CHANNEL_OPTIONS)


class Stream:
    """Says what it is given, in order, and finds the question to each answer. Nothing waits for another match."""

    def __init__(self, channel: grpc.aio.Channel, number: int) -> None:
        self.channel = channel
        self.number = number  # of the streams of this process, from 1
        self._call = rpc.PlayServiceStub(channel).Play()
        self._queue: deque[pb.PlayRequest] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._last_id = 0
        self._sent: dict[int, pb.PlayRequest] = {}  # not answered yet
        self._answers: dict[int, asyncio.Future[pb.PlayResponse]] = {}
        self._closed = self._leaving = False

    # --- Saying ---

    def say(self, **message: Any) -> int:
        """Queue a message, given by the name of its variant; return its request id."""
        self._last_id = self._last_id % 0xFFFFFFFF + 1
        request = pb.PlayRequest(request_id=self._last_id, **message)
        self._sent[request.request_id] = request
        self._put(request)
        return request.request_id

    async def ask(self, **message: Any) -> pb.PlayResponse:
        """Say something and return the answer; raise `Refusal` or `StreamLost`."""
        if self._closed:
            raise StreamLost
        number = self.say(**message)
        answer: asyncio.Future[pb.PlayResponse] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        try:
            response = await answer
        finally:
            self._answers.pop(number, None)
        if response.WhichOneof("message") == "refused":
            raise Refusal(response.refused)
        return response

    def pong(self, nonce: int) -> None:
        """Answer a ping, ahead of all that is queued."""
        self._queue.appendleft(pb.PlayRequest(pong=pb.Pong(nonce=nonce)))
        self._wake()

    def _put(self, request: pb.PlayRequest) -> None:
        self._queue.append(request)
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def write(self) -> None:
        """Hand over what is queued, for as long as the stream is there."""
        loop = asyncio.get_running_loop()
        # A stream that broke is noticed by who reads it.
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            while True:
                while self._queue:
                    await self._call.write(self._queue.popleft())
                if self._leaving:
                    await self._call.done_writing()
                    return
                self._waiter = loop.create_future()
                await self._waiter

    # --- Hearing ---

    async def read(self) -> pb.PlayResponse | None:
        """Return the next message, or None at the end; raise `AioRpcError` if the stream broke."""
        response = await self._call.read()
        if isinstance(response, pb.PlayResponse):
            return response
        code = await self._call.code()
        if code is not grpc.StatusCode.OK:
            raise grpc.aio.AioRpcError(
                code,
                await self._call.initial_metadata(),
                await self._call.trailing_metadata(),
                details=await self._call.details(),
            )
        return None

    def settle(self, response: pb.PlayResponse) -> pb.PlayRequest | None:
        """Return what a message answers, if anything; who asked gets it."""
        request = self._sent.pop(response.request_id, None) if response.request_id else None
        if request is None:
            return None
        if response.WhichOneof("message") == "refused" and response.refused.retry_after_ms:
            self._say_again(request, response.refused.retry_after_ms / 1000)
            return request
        answer = self._answers.get(request.request_id)
        if answer is not None and not answer.done():
            answer.set_result(response)
        return request

    def asked(self, request: pb.PlayRequest) -> bool:
        """Return whether somebody waits for the answer to a message."""
        return request.request_id in self._answers

    def _say_again(self, request: pb.PlayRequest, seconds: float) -> None:
        def again() -> None:
            if not self._closed:
                self._sent[request.request_id] = request
                self._put(request)

        asyncio.get_running_loop().call_later(seconds, again)

    # --- The end ---

    def leave(self) -> None:
        """Say what is queued and no more; the server then ends the stream."""
        self._leaving = True
        self._wake()

    async def close(self) -> None:
        """Take the stream down; who waits for an answer hears of it."""
        self._closed = True
        self._call.cancel()
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(StreamLost())
        await self.channel.close()
