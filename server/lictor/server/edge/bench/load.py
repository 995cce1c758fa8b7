"""The load: bots that answer at once, on many streams; and the same traffic again, against the echo.

It takes its orders as JSON lines on standard input, and answers each with one JSON line.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from typing import Any

import grpc

from lictor.v1 import play_service_pb2 as pb

PLAY = "/lictor.v1.PlayService/Play"
OPTIONS = (("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", 1 << 24))
STREAMS_A_CHANNEL = 50


class Traffic:
    """What went over the wire in one match, to be sent again: (seat, bytes of the Act, of Accepted, of Decide)."""

    def __init__(self) -> None:
        self.turns: list[tuple[int, int, int, int]] = []


class Load:
    """Streams to one server."""

    def __init__(self) -> None:
        self._channels: list[Any] = []
        self.calls: list[Any] = []
        self.decisions = self.errors = 0
        self.traffic: dict[str, Traffic] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._recording = False

    async def connect(self, port: int, streams: int) -> None:
        """Open the streams."""
        for number in range(streams):
            if number % STREAMS_A_CHANNEL == 0:
                self._channels.append(grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=OPTIONS))
            self.calls.append(self._channels[-1].stream_stream(PLAY)())

    async def greet(self) -> None:
        """Say Hello on every stream, and wait until all are welcome."""
        for number, call in enumerate(self.calls):
            hello = pb.Hello(bot=f"bench-{number}", protocol_min=1, protocol_max=1, max_matches=1)
            await call.write(pb.PlayRequest(hello=hello).SerializeToString())
        for call in self.calls:
            first = pb.PlayResponse.FromString(await call.read())
            if first.WhichOneof("message") != "welcome":
                raise RuntimeError(f"not welcome: {first}")

    def play(self, game: str) -> None:
        """Let every stream seek and play without end."""
        for number, call in enumerate(self.calls):
            self._tasks.append(asyncio.create_task(self._bot(number, call, game)))

    async def _bot(self, number: int, call: Any, game: str) -> None:
        # Neighbours play each other: each pair has a clock of its own that nobody else seeks.
        choose = random.Random(number)
        seek = pb.Seek(game=game)
        seek.clock.base_ms, seek.clock.start_grace_ms = 3_600_000 + number // 2, 10_000
        await call.write(pb.PlayRequest(seek=seek).SerializeToString())
        sent, accepted = 0, 0
        while (raw := await call.read()) is not grpc.aio.EOF:
            response = pb.PlayResponse.FromString(raw)
            kind = response.WhichOneof("message")
            if kind == "decide":
                decide = response.decide
                if self._recording and sent:
                    self.traffic.setdefault(decide.match_id, Traffic()).turns.append(
                        (number % 2, sent, accepted, len(raw))
                    )
                act = pb.Act(match_id=decide.match_id, decision_id=decide.decision_id)
                act.actions.add(index=choose.randrange(len(decide.legal)))
                data = pb.PlayRequest(act=act).SerializeToString()
                sent = len(data)
                await call.write(data)
                self.decisions += 1
            elif kind == "accepted":
                accepted = len(raw)
            elif kind == "match_started":
                entropy = pb.Entropy(match_id=response.match_started.match_id)
                await call.write(pb.PlayRequest(entropy=entropy).SerializeToString())
            elif kind == "ping":
                await call.write(pb.PlayRequest(pong=pb.Pong(nonce=response.ping.nonce)).SerializeToString())
            elif kind == "refused":
                self.errors += 1
        self.errors += 1

    async def measure(self, seconds: float) -> dict[str, Any]:
        """Let them play, and count."""
        self._recording, before, began = True, self.decisions, time.perf_counter()
        await asyncio.sleep(seconds)
        self._recording = False
        elapsed = time.perf_counter() - began
        return {"decisions": self.decisions - before, "seconds": elapsed, "errors": self.errors}

    async def repeat(self, traffic: list[Traffic], seconds: float, rate: float) -> dict[str, Any]:
        """Send the traffic of matches again: the same messages, sizes, order and rate, each pair of streams apart."""
        began = time.perf_counter()
        pairs = [self.calls[i : i + 2] for i in range(0, len(self.calls), 2)]
        pause, step = len(pairs) / rate, 1 / rate
        counts = await asyncio.gather(
            *[
                _repeat(pair, traffic[i % len(traffic)], began + i * step, pause, began + seconds)
                for i, pair in enumerate(pairs)
            ]
        )
        return {"decisions": sum(counts), "seconds": time.perf_counter() - began, "errors": 0}

    async def close(self) -> None:
        """Hang up."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for channel in self._channels:
            await channel.close()


async def _repeat(pair: list[Any], traffic: Traffic, due: float, pause: float, until: float) -> int:
    count = 0
    while True:
        for seat, act, accepted, decide in traffic.turns:
            now = time.perf_counter()
            if now > until:
                return count
            if now < due:
                await asyncio.sleep(due - now)
            due += pause
            head = accepted.to_bytes(4, "big") + decide.to_bytes(4, "big")
            await pair[seat].write(head + bytes(act - len(head)))
            await pair[seat].read()
            await pair[seat].read()
            count += 1


async def main() -> None:
    """Carry out orders until the input ends."""
    load, kept = Load(), list[Traffic]()
    while line := await asyncio.to_thread(sys.stdin.readline):
        order = json.loads(line)
        answer: dict[str, Any] = {}
        match order["do"]:
            case "connect":
                await load.connect(order["port"], order["streams"])
            case "greet":
                await load.greet()
            case "play":
                load.play(order["game"])
                await asyncio.sleep(order["seconds"])
            case "measure":
                answer = await load.measure(order["seconds"])
            case "repeat":
                answer = await load.repeat(kept, order["seconds"], order["rate"])
            case "close":
                kept = [traffic for traffic in load.traffic.values() if len(traffic.turns) > 10]
                await load.close()
                load = Load()
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main())
