"""Everybody who comes is let in, and when the house closes everybody is sent away properly."""

from __future__ import annotations

import asyncio
import signal
import time
from pathlib import Path
from typing import Any

import grpc

from lictor.v1 import play_service_pb2 as pb
from lictor.v1 import watch_service_pb2, watch_service_pb2_grpc
from support.wire import OWN_CONNECTION, WAIT, Stream, both_decide, pair, process, wired

STREAMS = 300
CONNECTIONS = 30


def channels_to(port: int, count: int) -> list[grpc.aio.Channel]:
    return [grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=OWN_CONNECTION) for _ in range(count)]


def looks_bad(said: str) -> list[str]:
    """Return the lines of a log that look as if something went wrong."""
    signs = ("Traceback", "Error", "exception", '"level": "error"', '"level": "warning"', "never retrieved")
    return [line for line in said.splitlines() if any(sign in line for sign in signs)]


@wired
async def test_three_hundred_streams_at_once_are_all_let_in_and_seen_off(tmp_path: Path) -> None:
    with process(tmp_path / "home") as server:
        channels = channels_to(await server.port(), CONNECTIONS)
        try:
            streams = [Stream(channels[i % CONNECTIONS], f"bot.{i}") for i in range(STREAMS)]
            welcomes = await asyncio.gather(*(stream.hello() for stream in streams))
            assert [welcome.bot for welcome in welcomes] == [stream.name for stream in streams]
            # All of them are served, not only let in.
            pongs = await asyncio.gather(*(stream.ask(ping=pb.Ping(nonce=i)) for i, stream in enumerate(streams)))
            assert [pong.pong.nonce for pong in pongs] == list(range(STREAMS))
            one, other = streams[:2]
            match = await pair(one, other)
            await both_decide(one, other, match)
            began = time.monotonic()
            server.popen.send_signal(signal.SIGTERM)
            ends = await asyncio.gather(*(stream.end() for stream in streams))
            assert {status for status, _ in ends} == {grpc.StatusCode.UNAVAILABLE}
            assert await server.ended() == 0
            assert time.monotonic() - began < 5
            assert not looks_bad(server.said())
        finally:
            for channel in channels:
                await channel.close()


@wired
async def test_spectators_and_silent_streams_are_seen_off_too(tmp_path: Path) -> None:
    with process(tmp_path / "home") as server:
        channels = channels_to(await server.port(), 4)
        try:
            one, other, silent = (Stream(channel, f"bot.{i}") for i, channel in enumerate(channels[:3]))
            for bot in (one, other):
                await bot.hello()
            await silent.call.wait_for_connection()
            match = await pair(one, other)
            stub: Any = watch_service_pb2_grpc.WatchServiceStub(channels[3])
            call = stub.Watch(watch_service_pb2.WatchRequest(match_id=match))
            async with asyncio.timeout(WAIT):
                await call.read()
                server.popen.send_signal(signal.SIGTERM)
                while not call.done():
                    try:
                        await call.read()
                    except grpc.aio.AioRpcError:
                        break
            assert await server.ended() == 0
            ends = [(await stream.end())[0].name for stream in (one, other, silent)] + [(await call.code()).name]
            assert ends == ["UNAVAILABLE"] * 4
            assert not looks_bad(server.said())
        finally:
            for channel in channels:
                await channel.close()
