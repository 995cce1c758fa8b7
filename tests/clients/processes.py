"""What the tests of the client run against: real servers in their own processes, bots in threads, a wire to cut."""

from __future__ import annotations

import contextlib
import re
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from lictor.client import Result, run

T = TypeVar("T")
PROGRAM = (sys.executable, "-m", "lictor.server.cli")
WAIT_S = 30  # nothing here takes that long unless it hangs
_SERVES = re.compile(r"serves\s+\S+:(\d+)")


class Server:
    """A server in its own process. It can be killed, and started again where it was."""

    def __init__(self, home: Path, *arguments: str, program: Sequence[str] = PROGRAM, dev: bool = True) -> None:
        self.home, self.port = home, 0
        self._program = program
        self._arguments = ("--dev", *arguments) if dev else arguments
        self._process: subprocess.Popen[str] | None = None

    @property
    def target(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [*self._program, "serve", "--address", self.target]
        command += ["--metrics", "", "--home", str(self.home), *self._arguments]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        assert self._process.stderr is not None
        said = ""
        with bounded(self._process):
            for line in self._process.stderr:
                said += line
                if found := _SERVES.search(said):
                    self.port = int(found[1])
                    # Its log goes on; nobody reads it, but somebody must.
                    self._drain = threading.Thread(target=self._process.stderr.read, daemon=True)
                    self._drain.start()
                    return
        raise AssertionError(f"the server did not start: {said}")

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(WAIT_S)
            self._drain.join(WAIT_S)
            assert self._process.stderr is not None
            self._process.stderr.close()
            self._process = None


@contextlib.contextmanager
def bounded(process: subprocess.Popen[str]) -> Iterator[subprocess.Popen[str]]:
    """Kill a process that takes too long over the block, so that who reads from it does not wait for ever."""
    timer = threading.Timer(WAIT_S, process.kill)
    timer.start()
    try:
        yield process
    finally:
        timer.cancel()


@contextlib.contextmanager
def serving(home: Path, *arguments: str, dev: bool = True) -> Iterator[Server]:
    server = Server(home, *arguments, dev=dev)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def in_thread(function: Callable[..., T], *args: Any, **kwargs: Any) -> Future[T]:
    """Run a function in a thread that keeps nothing alive if it hangs."""
    future: Future[T] = Future()

    def call() -> None:
        try:
            future.set_result(function(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=call, daemon=True).start()
    return future


def play(server: str, *bots: tuple[Any, dict[str, Any]]) -> list[list[Result]]:
    """Run bots against each other; return the results of each."""
    runs = [in_thread(run, bot, server, **wishes) for bot, wishes in bots]
    return [future.result(WAIT_S) for future in runs]


class Wire:
    """A TCP way to a server that can lose what goes over it. Modes: pass, lose_up, lose_down, shut."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.target = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.mode = "pass"
        self.cuts = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self.mode = "shut"
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                if self.mode == "shut":
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", self._port))
                threading.Thread(target=self._carry, args=(near, far), daemon=True).start()

    def _carry(self, near: socket.socket, far: socket.socket) -> None:
        """Carry bytes both ways; in a losing mode the next bytes that way, and the connection with them, are lost."""
        for end in (near, far):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with near, far, contextlib.suppress(OSError):
            while self.mode != "shut":
                ready, _, _ = select.select([near, far], [], [], 0.02)
                for end in ready:
                    data = end.recv(65536)
                    lost = self.mode == ("lose_up" if end is near else "lose_down")
                    if lost:
                        self.mode = "pass"
                        self.cuts += 1
                    if lost or not data:
                        return
                    (far if end is near else near).sendall(data)
