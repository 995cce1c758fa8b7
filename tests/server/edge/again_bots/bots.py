"""A bot that always answers the same questions in the same way, and others that do one thing otherwise."""

from __future__ import annotations

import asyncio
import os
import time
import zlib
from collections.abc import Sequence
from typing import Any

import grpc

from lictor.client import Action, Actions, Bot
from lictor.v1 import play_service_pb2 as pb

TURNING = 12  # the decision at which the others do otherwise


def pick(decision: int, texts: Sequence[str]) -> int:
    """Return the place of the answer, which depends on the question alone."""
    return zlib.crc32(f"{decision} {' '.join(texts)}".encode()) % len(texts)


class Same(Bot):
    def decide(self, view: Any, actions: Actions) -> Action:
        if view.decision_id == TURNING:
            return self.turn(actions)
        return actions[pick(view.decision_id, [str(action) for action in actions])]

    def turn(self, actions: Actions) -> Action:
        return actions[pick(TURNING, [str(action) for action in actions])]


class Changed(Same):
    def turn(self, actions: Actions) -> Action:
        self.note("the other wing", win_chance=0.25)
        return actions[(super().turn(actions).index + 1) % len(actions)]


class Hangs(Same):
    def turn(self, actions: Actions) -> Action:
        time.sleep(600)
        return super().turn(actions)


class Crashes(Same):
    def turn(self, actions: Actions) -> Action:
        print("out of legions", flush=True)
        os._exit(7)


class Fails(Same):
    def turn(self, actions: Actions) -> Action:
        raise ZeroDivisionError("no cohorts to divide")


async def idle() -> None:
    """Connect, and want nothing."""
    async with grpc.aio.insecure_channel(os.environ["LICTOR_TARGET"]) as channel:
        play: Any = channel.stream_stream(
            "/lictor.v1.PlayService/Play",
            request_serializer=pb.PlayRequest.SerializeToString,
            response_deserializer=pb.PlayResponse.FromString,
        )
        call = play()
        await call.write(pb.PlayRequest(hello=pb.Hello(bot="idle", protocol_min=1, protocol_max=1)))
        while await call.read() is not grpc.aio.EOF:
            pass


if __name__ == "__main__":
    asyncio.run(idle())
