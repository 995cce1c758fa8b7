"""A process under measurement: the real server, or a bare echo. It tells its CPU time and sizes when asked.

It prints its port as a JSON line, and for each line on its standard input one JSON line with what it has used since it
started. The end of its input ends it.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc

from lictor.server import logs
from lictor.server.edge.serving import CHANNEL_OPTIONS, Config, serving
from lictor.server.matches.clocks import Clock
from lictor.server.matches.settings import Settings
from lictor.server.tuning import tune

LOOPBACK = "127.0.0.1:0"


@asynccontextmanager
async def lictor_host(home: Path, turnarounds: list[float]) -> AsyncIterator[int]:
    """Run the real server, store and all."""
    clock = Clock(base_ms=3_600_000, per_decision_ms=0)
    settings = Settings(clock=clock, max_matches=1000)
    async with serving(Config(home / "lictor.db", LOOPBACK, dev=True, settings=settings)) as running:
        metrics = running.house.metrics
        counted = metrics.answered

        def answered(game: str, server_s: float) -> None:
            turnarounds.append(server_s)
            counted(game, server_s)

        metrics.answered = answered  # type: ignore[method-assign]
        yield running.port


@asynccontextmanager
async def echo_host(_home: Path, turnarounds: list[float]) -> AsyncIterator[int]:
    """Run a bare echo: to every message it answers with two, of the sizes that the message names."""

    async def echo(_requests: Any, context: Any) -> None:
        while True:
            raw = await context.read()
            if raw is grpc.aio.EOF:
                return
            came = time.perf_counter()
            await context.write(bytes(int.from_bytes(raw[:4], "big")))
            await context.write(bytes(int.from_bytes(raw[4:8], "big")))
            turnarounds.append(time.perf_counter() - came)

    server = grpc.aio.server(options=CHANNEL_OPTIONS)
    methods: dict[str, Any] = {"Play": grpc.stream_stream_rpc_method_handler(echo)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("lictor.v1.PlayService", methods),))
    port = server.add_insecure_port(LOOPBACK)
    await server.start()
    try:
        yield port
    finally:
        await server.stop(0)


def resident_kb() -> int:
    """Return the memory this process holds, in KB; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except OSError:
        return 0
    return pages * 4


async def _tell(ask: Callable[[], str], turnarounds: list[float]) -> None:
    while await asyncio.to_thread(ask):
        taken = sorted(turnarounds)
        turnarounds.clear()
        used = {
            "cpu_s": time.process_time(),
            "kb": resident_kb(),
            "turnarounds": len(taken),
            "p50_ms": taken[len(taken) // 2] * 1000 if taken else 0.0,
            "p99_ms": taken[int(len(taken) * 0.99)] * 1000 if taken else 0.0,
        }
        _say(used)


def _say(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


async def main(kind: str, home: Path) -> None:
    """Host a server until the input ends."""
    turnarounds: list[float] = []
    host = {"lictor": lictor_host, "echo": echo_host}[kind]
    async with host(home, turnarounds) as port:
        _say({"port": port})
        await _tell(sys.stdin.readline, turnarounds)


if __name__ == "__main__":
    logs.configure(json=True, quiet=True)
    tune()
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
