"""The bot in TypeScript: built from the protos alone, it plays, and outlives the server."""

from __future__ import annotations

import contextlib
import json
import random
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import grpc

from lictor.engine import registry
from lictor.engine.record import verify
from lictor.v1 import record_service_pb2 as pb
from lictor.v1 import record_service_pb2_grpc as rpc
from test_project import need

ROOT = Path(__file__).parents[3]
CLIENT = ROOT / "clients" / "typescript"
NO_NETWORK = re.compile(r"ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH")
MATCHES = 3


def run(*command: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def build(folder: Path) -> Path:
    """Do what the README says in a copy of the client, and return the bot."""
    need(bool(shutil.which("node") and shutil.which("npm")), "node and npm are not installed: no bot in TypeScript")
    version = run("node", "--version", folder=folder).stdout.strip()
    new = tuple(map(int, version.lstrip("v").split(".")[:2])) >= (20, 11)
    need(new, f"node {version} is too old for the bot in TypeScript, which needs 20.11")
    here = folder / "clients" / "typescript"
    shutil.copytree(CLIENT, here, ignore=shutil.ignore_patterns("node_modules", "gen", "dist"))
    shutil.copytree(ROOT / "proto", folder / "proto", ignore=shutil.ignore_patterns("*.py", "*.pyi", "__pycache__"))
    installed = run("npm", "ci", "--prefer-offline", folder=here)
    need(not NO_NETWORK.search(installed.stderr), "npm reaches no registry and has not all it needs in its cache")
    assert installed.returncode == 0, installed.stderr
    for script in ("generate", "build"):
        done = run("npm", "run", script, folder=here)
        assert done.returncode == 0, done.stdout + done.stderr
    return here / "dist" / "bot.js"


def free_port() -> int:
    """Find a port below those that the system gives to clients: while the server is down, nothing else may get it."""
    while True:
        port = random.randrange(20000, 30000)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


@contextlib.contextmanager
def serving(port: int, home: Path) -> Iterator[subprocess.Popen[bytes]]:
    address = f"127.0.0.1:{port}"
    command = [sys.executable, "-m", "lictor.server.cli", "serve", "--dev", "--address", address, "--metrics", ""]
    with subprocess.Popen([*command, "--home", home], stderr=subprocess.DEVNULL) as process:
        try:
            with grpc.insecure_channel(address) as channel:
                grpc.channel_ready_future(channel).result(timeout=30)
            yield process
        finally:
            process.kill()


class Bot:
    """A bot that runs, and what it has written."""

    def __init__(self, script: Path, folder: Path, name: str, matches: int, port: int) -> None:
        self.out, self.err = folder / f"{name}.out", folder / f"{name}.err"
        command = ["node", str(script), name.partition("#")[0], str(matches), "1", f"127.0.0.1:{port}"]
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self.process = subprocess.Popen(command, stdout=out, stderr=err)

    def text(self) -> str:
        return self.out.read_text("utf-8")

    def results(self) -> list[tuple[str, str]]:
        """Return how it fared, and in which seat."""
        return re.findall(r"^\w+: (won|drawn|lost) as (\w+) against ", self.text(), re.MULTILINE)

    def __enter__(self) -> Bot:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()


def until_first_board(bot: Bot) -> None:
    deadline = time.monotonic() + 30
    while "board in" not in bot.text():
        assert time.monotonic() < deadline, bot.err.read_text()
        time.sleep(0.002)


def test_it_stays_an_example() -> None:
    assert (CLIENT / "bot.ts").read_text("utf-8").count("\n") < 200
    assert (CLIENT / "README.md").read_text("utf-8").count("\n") < 40
    assert json.loads((CLIENT / "tsconfig.json").read_text())["compilerOptions"]["strict"] is True
    lock = json.loads((CLIENT / "package-lock.json").read_text())
    assert [name for name, package in lock["packages"].items() if "resolved" in package] == []


def test_it_plays_both_seats_through_a_crash_of_the_server(tmp_path: Path) -> None:
    script, port, home = build(tmp_path), free_port(), tmp_path / "home"
    with contextlib.ExitStack() as stack:
        with serving(port, home) as server:
            bots = [stack.enter_context(Bot(script, tmp_path, name, MATCHES, port)) for name in ("ts_a", "ts_b")]
            until_first_board(bots[0])
            server.kill()
            server.wait()
        assert [bot.results() for bot in bots] == [[], []]
        with serving(port, home):
            codes = [bot.process.wait(timeout=60) for bot in bots]
            check_bots(bots, codes)
            check_records(port)
            check_supersession(script, tmp_path, port)


def check_bots(bots: list[Bot], codes: list[int]) -> None:
    for bot, code in zip(bots, codes, strict=True):
        text, errors = bot.text(), bot.err.read_text()
        assert code == 0, errors
        assert "connection lost" in errors
        assert "refused" not in errors
        assert text.count(": goes on, ") == 1
        # The first match was played before and after the crash; of the other two each bot had each seat.
        assert len(bot.results()) == MATCHES
        assert {seat for _, seat in bot.results()} == {"caesar", "pompey"}
        won, drawn, lost = ([result for result, _ in bot.results()].count(how) for how in ("won", "drawn", "lost"))
        assert text.splitlines()[-1] == f"played {MATCHES} won {won} drawn {drawn} lost {lost}"
        for year in (705, 706):
            assert text.count(f"board in {year} ") >= 1
        assert re.search(r"^  Alexandria +(Cleopatra \(4\), Navis 2 \(2\)|2 of the enemy)$", text, re.MULTILINE)
        assert re.search(r"^  Massilia +(Caesar \(\d\), .*|3 of the enemy)$", text, re.MULTILINE)
    ours, theirs = (sorted(bot.results()) for bot in bots)
    mirror = {"won": "lost", "lost": "won", "drawn": "drawn", "caesar": "pompey", "pompey": "caesar"}
    assert sorted((mirror[result], mirror[seat]) for result, seat in ours) == theirs


def check_records(port: int) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        records = rpc.RecordServiceStub(channel)
        matches = records.ListRecords(pb.ListRecordsRequest(bot="ts_a", opponent="ts_b"), timeout=10).matches
        assert len(matches) == MATCHES
        for match in matches:
            content = records.GetRecord(pb.GetRecordRequest(match_id=match.match_id), timeout=10).record
            verified = verify(content, registry.get)
            assert (verified.winner or "") == match.termination.winner


def check_supersession(script: Path, folder: Path, port: int) -> None:
    """Of two bots of the same name the one that came first gives way, and does not come back."""
    with Bot(script, folder, "ts_c#1", 1, port) as one, Bot(script, folder, "ts_c#2", 1, port) as two:
        deadline = time.monotonic() + 30
        while one.process.poll() is None and two.process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        gone, left = (one, two) if one.process.poll() is not None else (two, one)
        assert gone.process.returncode == 1
        assert gone.err.read_text().startswith("superseded: ")
        assert left.process.poll() is None
