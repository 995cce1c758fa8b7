"""A raw bot, and a server to try it on: nothing of the client library, every message as the wire has it."""

from __future__ import annotations

import asyncio
import functools
import logging
import os
import random
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ParamSpec

import grpc
import structlog
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from lictor.engine import registry
from lictor.engine.record import verify
from lictor.server.edge.serving import Config, Running, serving
from lictor.server.keys import public_hex
from lictor.v1 import match_pb2
from lictor.v1 import play_service_pb2 as pb
from lictor.v1 import record_service_pb2 as record_pb
from lictor.v1 import record_service_pb2_grpc as record_rpc

P = ParamSpec("P")

WAIT = 30.0  # longer than any answer takes, on a machine that has other things to do
LONGEST = 90.0  # longer than any test takes
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
GAME = "julius_caesar"
BY_THE_GAME = (match_pb2.TERMINATION_KIND_VICTORY, match_pb2.TERMINATION_KIND_DRAW)
# A bank without end, and nobody is waited for: matches of tests end by what the test does.
CLOCK = match_pb2.ClockSettings(base_ms=600_000, per_decision_ms=120_000, start_grace_ms=60_000)
# A connection of its own for each channel, as bots on different machines have.
OWN_CONNECTION = (("grpc.use_local_subchannel_pool", 1),)
SOON = (("grpc.initial_reconnect_backoff_ms", 50), ("grpc.max_reconnect_backoff_ms", 100))


def wired(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Make a test of a coroutine, with a limit to how long it may take."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        async def bounded() -> None:
            async with asyncio.timeout(LONGEST):
                await test(*args, **kwargs)

        asyncio.run(bounded())

    return run


async def eventually(condition: Callable[[], bool], what: str, seconds: float = WAIT) -> None:
    """Wait until a condition holds that nothing tells of."""
    deadline = asyncio.get_running_loop().time() + seconds
    while not condition():
        assert asyncio.get_running_loop().time() < deadline, f"not within {seconds:.0f} s: {what}"
        await asyncio.sleep(0.005)


@contextmanager
def no_complaints() -> Iterator[None]:
    """See that neither the house nor gRPC nor asyncio logs an error meanwhile."""
    said: list[str] = []

    class Listen(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            text = self.format(record)
            # gRPC has one queue for all loops of a process: what comes late for the loop of an earlier test is told to
            # this one.
            if not ("PollerCompletionQueue" in text and "Event loop is closed" in text):
                said.append(text)

    listen = Listen(logging.ERROR)
    logging.getLogger().addHandler(listen)
    try:
        with structlog.testing.capture_logs() as entries:
            yield
    finally:
        logging.getLogger().removeHandler(listen)
    said += [str(entry) for entry in entries if entry["log_level"] in ("error", "critical")]
    assert not said, "\n".join(said)


# --- A bot ---


def _write(message: pb.PlayRequest | bytes) -> bytes:
    return message if isinstance(message, bytes) else message.SerializeToString()


class Stream:
    """One stream of a bot. Pings are answered; what is read while waiting for something else is kept."""

    def __init__(self, channel: grpc.aio.Channel, name: str, **options: Any) -> None:
        self.name, self.channel = name, channel
        play: Any = channel.stream_stream(
            "/lictor.v1.PlayService/Play", request_serializer=_write, response_deserializer=pb.PlayResponse.FromString
        )
        self.call = play(**options)
        self.welcome = pb.Welcome()
        self.read: list[pb.PlayResponse] = []
        self.decides: dict[str, pb.Decide] = {}  # the last of each match
        self.started: dict[str, pb.MatchStarted] = {}
        self.ended: dict[str, pb.MatchEnded] = {}
        self.answered: dict[str, int] = {}  # the last decision of each match that was accepted
        self._requests, self._ending = 0, False
        self._kept: list[pb.PlayResponse] = []

    async def send(self, **message: Any) -> int:
        """Send a message; return its request id."""
        self._requests += 1
        await self.send_raw(pb.PlayRequest(request_id=self._requests, **message))
        return self._requests

    async def send_raw(self, message: pb.PlayRequest | bytes) -> None:
        async with asyncio.timeout(WAIT):
            await self.call.write(message)

    async def hello(self, **changes: Any) -> pb.Welcome:
        """Say Hello, and wait until the stream is open."""
        await self.send(hello=self.introduction(**changes))
        self.welcome = (await self.until("welcome")).welcome
        return self.welcome

    def introduction(self, **changes: Any) -> pb.Hello:
        facts: dict[str, Any] = {"bot": self.name, "protocol_min": 1, "protocol_max": 1, "max_matches": 64}
        return pb.Hello(**{**facts, **changes})

    async def next(self) -> pb.PlayResponse:
        """Read what comes next, but pings."""
        async with asyncio.timeout(WAIT):
            return await self._next()

    async def _next(self) -> pb.PlayResponse:
        while True:
            response = await self.call.read()
            assert response is not grpc.aio.EOF, "the stream has ended"
            kind = response.WhichOneof("message")
            if kind == "ping":
                if not self._ending:  # a write to a stream that has ended would hide its status
                    await self.send_raw(pb.PlayRequest(pong=pb.Pong(nonce=response.ping.nonce)))
                continue
            self.read.append(response)
            if kind == "decide":
                self.decides[response.decide.match_id] = response.decide
            elif kind == "accepted":
                self.answered[response.accepted.match_id] = response.accepted.decision_id
            elif kind == "match_started":
                self.started[response.match_started.match_id] = response.match_started
            elif kind == "match_ended":
                self.ended[response.match_ended.match_id] = response.match_ended
            return response  # type: ignore[no-any-return]

    async def until(self, kind: str, wanted: Callable[[Any], bool] = lambda _: True) -> pb.PlayResponse:
        """Return the first message of a kind that has not been returned yet."""
        while True:
            for response in self._kept:
                if response.WhichOneof("message") == kind and wanted(getattr(response, kind)):
                    self._kept.remove(response)
                    return response
            self._kept.append(await self.next())

    async def ask(self, **message: Any) -> pb.PlayResponse:
        """Send a message, and return its answer."""
        request = await self.send(**message)
        while True:
            for response in self._kept:
                if response.request_id == request:
                    self._kept.remove(response)
                    return response
            self._kept.append(await self.next())

    async def refusal(self, **message: Any) -> pb.Refused:
        """Send a message that must be refused, and return why it was."""
        response = await self.ask(**message)
        assert response.WhichOneof("message") == "refused", response
        assert response.refused.text
        return response.refused

    async def done(self, **message: Any) -> str:
        """Send a message that must be carried out, and return the id it was given."""
        response = await self.ask(**message)
        assert response.WhichOneof("message") == "done", response
        return response.done.id

    async def decide(self, match: str, after: int = 0) -> pb.Decide:
        """Return the decision a match waits for, once its number is beyond `after`."""
        while match not in self.decides or self.decides[match].decision_id <= after:
            assert match not in self.ended, self.ended[match]
            self._kept.append(await self.next())
        return self.decides[match]

    async def act(self, decide: pb.Decide, index: int = 0, **more: Any) -> pb.Accepted:
        """Answer a decision, and wait until it is on disk."""
        response = await self.ask(act=choose(decide, index, **more))
        assert response.WhichOneof("message") == "accepted", response
        return response.accepted

    async def end(self) -> tuple[grpc.StatusCode, str]:
        """Read to the end of the stream; return its status and text."""
        self._ending = True
        try:
            while True:
                await self.next()
        except (AssertionError, grpc.aio.AioRpcError):
            code, details = await self.call.code(), await self.call.details()
        return code, details


def choose(decide: pb.Decide, index: int = 0, **more: Any) -> pb.Act:
    """Return the Act that answers a decision with one of its legal actions."""
    actions = [pb.Choice(index=index)]
    return pb.Act(match_id=decide.match_id, decision_id=decide.decision_id, actions=actions, **more)


async def play(stream: Stream, pace: Callable[[], Coroutine[Any, Any, None]] | None = None, seed: int = 1) -> None:
    """Answer whatever is asked, by lot, until all matches that were started have ended."""
    rng = random.Random(f"{stream.name} {seed}")
    for match, decide in stream.decides.items():
        if match not in stream.ended and stream.answered.get(match, 0) < decide.decision_id:
            await stream.send(act=choose(decide, rng.randrange(len(decide.legal))))
    while len(stream.ended) < len(stream.started) or not stream.started:
        response = await stream.next()
        kind = response.WhichOneof("message")
        # An Act may cross with the other's resignation.
        assert kind != "refused" or response.refused.reason == pb.REFUSAL_REASON_MATCH_OVER, response
        if kind == "match_started" and response.match_started.entropy_wanted:
            await stream.send(entropy=pb.Entropy(match_id=response.match_started.match_id, entropy=b"e"))
        elif kind == "decide":
            if pace is not None:
                await pace()
            await stream.send(act=choose(response.decide, rng.randrange(len(response.decide.legal))))


# --- A server, and an evening of matches on it ---


@dataclass
class Evening:
    """A server that runs, and who has come."""

    running: Running
    channels: list[grpc.aio.Channel] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.running.port}"

    def channel(self, *options: tuple[str, Any]) -> grpc.aio.Channel:
        made = grpc.aio.insecure_channel(self.address, options=(*OWN_CONNECTION, *SOON, *options))
        self.channels.append(made)
        return made

    def stream(self, name: str, *options: tuple[str, Any]) -> Stream:
        """Open a stream on a connection of its own, without a word."""
        return Stream(self.channel(*options), name)

    async def bot(self, name: str, **changes: Any) -> Stream:
        """Return a bot that has said Hello."""
        stream = self.stream(name)
        await stream.hello(**changes)
        return stream

    async def record(self, match: str, *, token: str = "") -> bytes:
        """Return a record that was checked."""
        stub = record_rpc.RecordServiceStub(self.channel())
        metadata = (("authorization", f"Bearer {token}"),) if token else ()
        found = await stub.GetRecord(record_pb.GetRecordRequest(match_id=match), metadata=metadata, timeout=WAIT)
        assert verify(found.record, registry.get, key=public_hex(KEY)).match == match
        return bytes(found.record)

    def at_work(self) -> bool:
        return bool(self.running.house.matches)


@asynccontextmanager
async def evening(folder: Path, **config: Any) -> AsyncIterator[Evening]:
    """Serve; at the end see that nothing went wrong unsaid."""
    facts: dict[str, Any] = {"address": "127.0.0.1:0", "dev": True, "signing_key": KEY}
    with no_complaints():
        async with serving(Config(database=folder / "lictor.db", **{**facts, **config})) as running:
            held = Evening(running)
            try:
                yield held
            finally:
                for channel in held.channels:
                    await channel.close()


async def pair(one: Stream, other: Stream, *, begin: bool = True, **terms: Any) -> str:
    """Have one bot, as Caesar, play another; return the match, dealt unless it shall not begin."""
    terms = {"game": GAME, "seat": "caesar", "clock": CLOCK, **terms}
    await one.done(challenge=pb.Challenge(opponent=other.name, **terms))
    asked = (await other.until("challenged", lambda asked: asked.opponent == one.name)).challenged
    await other.done(answer_challenge=pb.AnswerChallenge(challenge_id=asked.challenge_id, accept=True))
    started = [(await bot.until("match_started")).match_started for bot in (one, other)]
    match = started[0].match_id
    assert match == started[1].match_id
    if begin:
        for bot in (one, other):
            await bot.done(entropy=pb.Entropy(match_id=match, entropy=bot.name.encode()[:32]))
    return match


async def both_decide(one: Stream, other: Stream, match: str) -> None:
    """Wait for the first decision, which in Julius Caesar is both seats'."""
    for bot in (one, other):
        await bot.decide(match)


class Bystanders:
    """Two bots with a match of their own, which must come to its end whatever the others do."""

    def __init__(self, one: Stream, other: Stream, match: str) -> None:
        self.one, self.other, self.match = one, other, match
        self._hurry = asyncio.Event()
        self._playing = [asyncio.create_task(play(bot, self._pace)) for bot in (one, other)]

    async def _pace(self) -> None:
        """Take a little time for a decision, so that the match lasts as long as the test."""
        if not self._hurry.is_set():
            await asyncio.sleep(0.005)

    async def finish(self) -> None:
        self._hurry.set()
        async with asyncio.timeout(WAIT):
            await asyncio.gather(*self._playing)
        for bot in (self.one, self.other):
            assert bot.ended[self.match].termination.kind in BY_THE_GAME

    def leave(self) -> None:
        for task in self._playing:
            task.cancel()


@asynccontextmanager
async def beside_a_match(folder: Path, **config: Any) -> AsyncIterator[Evening]:
    """Serve an evening on which two others play, and see that their match is not harmed."""
    async with evening(folder, **config) as held:
        one, other = await held.bot("bystander.1"), await held.bot("bystander.2")
        others = Bystanders(one, other, await pair(one, other))
        try:
            yield held
            await others.finish()
            await held.record(others.match)
        finally:
            others.leave()


# --- A server in a process of its own ---


class Process:
    """`lictor serve` as an operator starts it."""

    def __init__(self, home: Path, *words: str, port: int = 0, dev: bool = True) -> None:
        self.home, self.errors = home, home.parent / f"{home.name}.stderr"
        command = [sys.executable, "-m", "lictor.server.cli", "serve", "--home", str(home), "--metrics", ""]
        command += ["--address", f"127.0.0.1:{port}", *(["--dev"] if dev else []), *words]
        with self.errors.open("ab") as errors:
            self.begins = self.errors.stat().st_size
            # A wide terminal, so that no line is folded.
            environment = {**os.environ, "COLUMNS": "400"}
            self.popen = subprocess.Popen(command, stdout=errors, stderr=errors, env=environment)

    def said(self) -> str:
        return self.errors.read_bytes()[self.begins :].decode()

    async def port(self) -> int:
        """Wait until it serves, and return its port."""
        await eventually(lambda: "Ctrl-C stops it" in self.said() or self.popen.poll() is not None, "server up", 20)
        line = next((line for line in self.said().splitlines() if " serves " in line), "")
        assert line, self.said()
        return int(line.split(" serves ")[1].split(",")[0].split()[0].rstrip(".").rpartition(":")[2])

    async def ended(self, seconds: float = WAIT) -> int:
        """Wait until it has ended, and return its exit code."""
        await eventually(lambda: self.popen.poll() is not None, "server ended", seconds)
        return int(self.popen.returncode)

    def kill(self) -> None:
        if self.popen.poll() is None:
            self.popen.kill()
        self.popen.wait()


@contextmanager
def process(home: Path, *words: str, port: int = 0, dev: bool = True) -> Iterator[Process]:
    """Run a server in a process of its own, and leave none behind."""
    started = Process(home, *words, port=port, dev=dev)
    try:
        yield started
    finally:
        started.kill()
