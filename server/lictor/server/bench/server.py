"""`bench server`: what a decision costs the server, beside a bare echo of the same traffic in the same run."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

_START_S = 2.0


class Failed(Exception):
    """A process of the bench ended early."""


class Process:
    """A child that takes orders and answers in JSON lines."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", *arguments]
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603

    def hear(self) -> dict[str, Any]:
        """Return its next line."""
        assert self._child.stdout is not None
        line = self._child.stdout.readline()
        if not line:
            raise Failed(f"{' '.join(map(str, self._child.args[2:]))} ended early; see above")  # type: ignore[index]
        answer: dict[str, Any] = json.loads(line)
        return answer

    def ask(self, **order: Any) -> dict[str, Any]:
        """Give an order, and return the answer."""
        assert self._child.stdin is not None
        self._child.stdin.write(json.dumps(order) + "\n")
        self._child.stdin.flush()
        return self.hear()

    def close(self) -> None:
        """End it."""
        assert self._child.stdin is not None
        self._child.stdin.close()
        try:
            self._child.wait(20)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()


@contextlib.contextmanager
def _process(*arguments: str) -> Iterator[Process]:
    process = Process(*arguments)
    try:
        yield process
    finally:
        process.close()


def bench_server(game: str, seats: int, seconds: float) -> dict[str, Any]:
    """Let `seats` bots play without pause; then send the same messages to an echo, at the same rate."""
    edge = "lictor.server.edge.bench"
    with tempfile.TemporaryDirectory(prefix="lictor-bench-") as home, _process(f"{edge}.load") as load:
        with _process(f"{edge}.host", "lictor", home) as server:
            port = server.hear()["port"]
            empty = server.ask()
            load.ask(do="connect", port=port, streams=seats)
            load.ask(do="greet")
            greeted = server.ask()
            load.ask(do="play", game=game, seconds=_START_S)
            began = server.ask()
            played = load.ask(do="measure", seconds=seconds)
            ended = server.ask()
            load.ask(do="close")
        with _process(f"{edge}.host", "echo", home) as echo:
            load.ask(do="connect", port=echo.hear()["port"], streams=seats)
            rate = played["decisions"] / played["seconds"]
            load.ask(do="repeat", seconds=1.0, rate=rate)
            echo_began = echo.ask()
            echoed = load.ask(do="repeat", seconds=seconds, rate=rate)
            echo_ended = echo.ask()
            load.ask(do="close")
    cpu_us = (ended["cpu_s"] - began["cpu_s"]) / max(1, played["decisions"]) * 1e6
    echo_us = (echo_ended["cpu_s"] - echo_began["cpu_s"]) / max(1, echoed["decisions"]) * 1e6
    return {
        "game": game,
        "seats": seats,
        "decisions": played["decisions"],
        "decisions_per_s": round(played["decisions"] / played["seconds"]),
        "p50_ms": round(ended["p50_ms"], 3),
        "p99_ms": round(ended["p99_ms"], 3),
        "cpu_us_per_decision": round(cpu_us, 1),
        "echo_decisions_per_s": round(echoed["decisions"] / echoed["seconds"]),
        "echo_cpu_us": round(echo_us, 1),
        "echo_p99_ms": round(echo_ended["p99_ms"], 3),
        "ratio": round(cpu_us / echo_us, 2),
        "errors": played["errors"],
        "kb_per_match": round((ended["kb"] - greeted["kb"]) / (seats / 2), 1),
        "kb_per_stream": round((greeted["kb"] - empty["kb"]) / seats, 1),
    }
