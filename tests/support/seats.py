"""Bots without sockets: links in memory, a store that can be held, and a clock that waits for the disk.

Virtual time jumps to the next deadline when nothing is left to do but to wait. trio's own autojump does not see threads
and would jump while the disk works, so the jumping is done here: never while a write or a worker thread is under way.
"""

from __future__ import annotations

import functools
import itertools
import random
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

import pytest
import trio
import trio.testing

from lictor.engine import registry
from lictor.engine.chance import derive_secret
from lictor.server.edge.convert import codec_for
from lictor.server.edge.stream import Encoder
from lictor.server.matches import messages
from lictor.server.matches.clocks import Clock
from lictor.server.matches.house import CodecFor, House
from lictor.server.matches.match import Match
from lictor.server.matches.session import Handed, Session
from lictor.server.matches.settings import Settings
from lictor.server.store import ActionRow, Ending, Finished, Line, MatchRow, OpenMatch, Store
from lictor.server.store.interface import Done
from lictor.server.store.sqlite import SqliteStore

T = TypeVar("T")
P = ParamSpec("P")
Order: TypeAlias = messages.Choice | str | int  # a text is its notation, a number its index

GAME = "julius_caesar"
CAESAR, POMPEY = registry.get(GAME).SEATS
LONGEST_S = 20_000.0  # of virtual time, for one test
PATIENCE_S = 120.0  # of real time, for one write: machines can be very busy
_NAP_S = 0.0002


# --- Time ---


class Pace:
    """What is under way outside trio, where its clock cannot see it."""

    def __init__(self, clock: trio.testing.MockClock) -> None:
        self.clock = clock
        self.writes = 0  # that are on their way to the disk
        self.landed = 0  # that have come there
        self.holds = 0  # of tests that want to look before time goes on
        self._naps = trio.CapacityLimiter(10)

    def busy(self) -> bool:
        return self.writes > 0 or trio.to_thread.current_default_thread_limiter().borrowed_tokens > 0

    async def settle(self) -> None:
        """Wait, without letting time pass, until nothing happens any more."""
        landed, since = self.landed, time.monotonic()
        while True:
            await trio.testing.wait_all_tasks_blocked()
            if not self.busy():
                return
            if self.landed != landed:
                landed, since = self.landed, time.monotonic()
            if time.monotonic() - since > PATIENCE_S:
                raise AssertionError(f"{self.writes} writes never came to an end")
            await trio.to_thread.run_sync(time.sleep, _NAP_S, limiter=self._naps)

    async def jump(self) -> None:
        """Let time jump whenever there is nothing else to do."""
        while True:
            await self.settle()
            wait = trio.lowlevel.current_statistics().seconds_to_next_deadline
            if not self.holds and 0 < wait < LONGEST_S:
                self.clock.jump(max(wait, 1e-9))
            elif self.holds:
                await trio.to_thread.run_sync(time.sleep, _NAP_S, limiter=self._naps)


_pace = Pace(trio.testing.MockClock())


def on_a_clock(test: Callable[P, Awaitable[T]]) -> Callable[P, T]:
    """Run a test in trio, in virtual time."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        clock = trio.testing.MockClock()

        async def paced() -> T:
            global _pace
            _pace = Pace(clock)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_pace.jump)
                with trio.fail_after(LONGEST_S / 2):
                    result = await test(*args, **kwargs)
                nursery.cancel_scope.cancel()
            return result

        try:
            return trio.run(paced, clock=clock)
        except ExceptionGroup as group:
            raise _innermost(group) from None

    return run


def _innermost(error: Exception) -> Exception:
    """Return what went wrong without the nurseries around it, if it is one thing."""
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


async def quiet() -> None:
    """Wait until everything that can happen at this moment has happened; the clock stands still."""
    _pace.holds += 1
    try:
        await _pace.settle()
    finally:
        _pace.holds -= 1


# --- Stores ---


class MemoryStore:
    """The matches' half of a store, without a disk: a write is done soon after it is queued."""

    healthy = True

    def __init__(self) -> None:
        self.on_error: Callable[[str], None] = lambda _: None
        self.open: dict[str, OpenMatch] = {}
        self.closed: dict[str, tuple[Finished, bytes]] = {}
        self.lines: list[tuple[str, Line]] = []
        self.errors: list[str] = []

    def _soon(self, done: Done | None) -> None:
        if done is not None:
            trio.lowlevel.current_trio_token().run_sync_soon(done)

    def create_match(self, row: MatchRow, done: Done) -> None:
        self.open[row.id] = OpenMatch(row, None, [], {}, {}, "", {})
        self._soon(done)

    def begin_match(self, match_id: str, entropies: Mapping[str, bytes], done: Done) -> None:
        self._change(match_id, entropies=dict(entropies))
        self._soon(done)

    def append(self, match_id: str, rows: Sequence[ActionRow], lines: Sequence[Line], done: Done) -> None:
        self._change(match_id, actions=[*self.open[match_id].actions, *rows])
        self.note(match_id, lines, done)

    def note(self, match_id: str, lines: Sequence[Line], done: Done | None = None) -> None:
        if match_id not in self.open:
            self._refuse(f"there is no open match {match_id} to note {lines} for")
            return
        self.lines += [(match_id, line) for line in lines]
        self._soon(done)

    def mark(
        self, match_id: str, *, strikes: Mapping[str, int], draw_offers: Mapping[str, str], held: str, done: Done
    ) -> None:
        self._change(match_id, strikes=dict(strikes), draw_offers=dict(draw_offers), held=held)
        self._soon(done)

    def finish(self, match_id: str, ending: Ending, record: bytes, actions: int, at: float, done: Done) -> None:
        if match_id not in self.open:
            self._refuse(f"there is no open match {match_id} to finish")
            return
        self.closed[match_id] = Finished(self.open.pop(match_id).row, ending, actions, at), record
        self._soon(done)

    def _refuse(self, text: str) -> None:
        self.errors.append(text)
        self._soon(lambda: self.on_error(text))

    def _change(self, match_id: str, **facts: Any) -> None:
        found = self.open[match_id]
        known = {name: getattr(found, name) for name in OpenMatch.__slots__}
        self.open[match_id] = OpenMatch(**(known | facts))

    def open_matches(self) -> list[OpenMatch]:
        return list(self.open.values())

    def finished(self, match_id: str) -> Finished | None:
        return self.closed[match_id][0] if match_id in self.closed else None

    def record(self, match_id: str) -> bytes | None:
        return self.closed[match_id][1] if match_id in self.closed else None

    def commit_seconds(self) -> list[float]:
        return []

    def close(self) -> None:
        pass


class Disk:
    """Passes everything on to a store, and can hold its writer: what is held is not on disk."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.faults: list[Exception] = []  # raised by what was told that its write is done; a loop would log them
        self._held: deque[Callable[[], None]] | None = None
        self._holds: tuple[str, ...] = ()
        if isinstance(inner, MemoryStore):
            inner.on_error = self._refused

    @classmethod
    def at(cls, path: Path) -> Disk:
        """Open the SQLite file at `path`."""
        disk = cls(None)
        post = trio.lowlevel.current_trio_token().run_sync_soon
        disk.inner = SqliteStore(path, post, disk._refused)
        return disk

    def _refused(self, _text: str) -> None:
        # A write that is refused for good is never reported as done.
        self._landed(None)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def hold(self, *names: str) -> None:
        """Let no write through from now on, or none of those names."""
        self._held, self._holds = deque(), names

    @property
    def held(self) -> int:
        """How many writes are held."""
        return len(self._held or ())

    def let_one_through(self) -> None:
        """Let the oldest of the held writes through."""
        assert self._held is not None
        self._held.popleft()()

    def release(self) -> None:
        """Let all through, in order."""
        held, self._held = self._held, None
        for write in held or ():
            write()

    def crash(self) -> None:
        """Lose what is held, and close."""
        self._held = deque()
        self.inner.close()

    def _write(self, name: str, write: Callable[[Done], None], done: Done | None) -> None:
        def start() -> None:
            _pace.writes += 1
            write(lambda: self._landed(done))

        if self._held is None or (self._holds and name not in self._holds):
            start()
        else:
            self._held.append(start)

    def _landed(self, done: Done | None) -> None:
        _pace.writes -= 1
        _pace.landed += 1
        try:
            if done is not None:
                done()
        except Exception as error:
            self.faults.append(error)

    def create_match(self, row: MatchRow, done: Done) -> None:
        self._write("create_match", lambda then: self.inner.create_match(row, then), done)

    def begin_match(self, match_id: str, entropies: Mapping[str, bytes], done: Done) -> None:
        self._write("begin_match", lambda then: self.inner.begin_match(match_id, entropies, then), done)

    def append(self, match_id: str, rows: Sequence[ActionRow], lines: Sequence[Line], done: Done) -> None:
        self._write("append", lambda then: self.inner.append(match_id, rows, lines, then), done)

    def note(self, match_id: str, lines: Sequence[Line], done: Done | None = None) -> None:
        self._write("note", lambda then: self.inner.note(match_id, lines, then), done)

    def mark(self, match_id: str, *, done: Done, **facts: Any) -> None:
        self._write("mark", lambda then: self.inner.mark(match_id, **facts, done=then), done)

    def finish(self, match_id: str, ending: Ending, record: bytes, actions: int, at: float, done: Done) -> None:
        self._write("finish", lambda then: self.inner.finish(match_id, ending, record, actions, at, then), done)


# --- Bots ---


class MemoryLink:
    """The way to a bot, without a stream: what is offered is kept. It encodes as a stream would, if asked to."""

    def __init__(self, settings: Settings, *, encodes: bool = False) -> None:
        self.messages: list[messages.Response] = []
        self.wire: list[bytes] = []
        self.closed: tuple[str, str] | None = None
        self.withheld = False
        self._encoder = Encoder(settings, "lictor tests", {}) if encodes else None
        self._kept: list[Handed] = []
        self._arrived = trio.Event()

    def offer(self, message: messages.Response, handed: Handed | None = None) -> None:
        if self.closed is not None:
            return
        if self._encoder is not None:
            self.wire.append(self._encoder.encode(message))
        self.messages.append(message)
        self._wake()
        if handed is not None and self.withheld:
            self._kept.append(handed)
        elif handed is not None:
            handed(trio.current_time())

    def close(self, status: str, text: str) -> None:
        if self.closed is None:
            self.closed = (status, text)
            self._wake()

    def hand_over(self) -> None:
        """Hand over what was withheld."""
        self.withheld = False
        kept, self._kept = self._kept, []
        for handed in kept:
            handed(trio.current_time())

    def _wake(self) -> None:
        self._arrived.set()
        self._arrived = trio.Event()

    async def arrival(self) -> None:
        """Wait until something new is here."""
        await self._arrived.wait()


class Bot:
    """A scripted bot. What it hears stays in `heard` for ever; `hear` and `next` take each message once."""

    def __init__(self, room: Room, name: str, **traits: Any) -> None:
        self.room, self.name = room, name
        self.encodes = bool(traits.pop("encodes", False))
        features = frozenset(traits.pop("features", ()))
        traits.setdefault("max_matches", 1)
        self.who = messages.Introduction(name, "tests", features=features, **traits)
        self.messages: list[messages.Response] = []
        self.link: MemoryLink
        self.session: Session
        self._unread: list[messages.Response] = []
        self._taken = 0
        self._requests = itertools.count(1)

    def join(self) -> Bot:
        """Connect, or connect again; what the stream before brought and nobody read is forgotten."""
        self._collect()
        self.link, self._unread, self._taken = MemoryLink(self.room.settings, encodes=self.encodes), [], 0
        self.session = self.room.house.join(self.who, self.link)
        return self

    def part(self) -> None:
        self.room.house.part(self.session)
        self.link.close("CANCELLED", "")

    def say(self, message: messages.Request, stamp: float | None = None) -> int:
        """Send a message; return its request id."""
        request = next(self._requests)
        stamp = trio.current_time() if stamp is None else stamp
        self.room.house.handle(self.session, message, request, stamp)
        return request

    def status(self) -> str:
        """Return how its stream was ended, or nothing while it is open."""
        return self.link.closed[0] if self.link.closed is not None else ""

    def _collect(self) -> None:
        if hasattr(self, "link"):
            fresh = self.link.messages[self._taken :]
            self._taken = len(self.link.messages)
            self.messages += fresh
            self._unread += fresh

    def heard(self, kind: type[T]) -> list[T]:
        """Return all messages of a kind, over all streams."""
        self._collect()
        return [message for message in self.messages if isinstance(message, kind)]

    async def hear(self, kind: type[T], fits: Callable[[T], bool] = lambda _: True) -> T:
        """Return the first unread message of a kind, when it is here."""
        while True:
            self._collect()
            for i, message in enumerate(self._unread):
                if isinstance(message, kind) and fits(message):
                    del self._unread[i]
                    return message
            assert self.link.closed is None, f"{self.name} waits for {kind.__name__}: {self.link.closed}"
            await self.link.arrival()

    async def next(self) -> messages.Response | None:
        """Return the next unread message, or nothing when the link is closed."""
        while True:
            self._collect()
            if self._unread:
                return self._unread.pop(0)
            if self.link.closed is not None:
                return None
            await self.link.arrival()

    def take(self, kind: type[T]) -> list[T]:
        """Take all unread messages of a kind."""
        self._collect()
        taken: list[T] = [message for message in self._unread if isinstance(message, kind)]
        self._unread = [message for message in self._unread if not isinstance(message, kind)]
        return taken

    def unread(self) -> list[messages.Response]:
        """Take all that is unread, but for pings."""
        self._collect()
        unread, self._unread = self._unread, []
        return [message for message in unread if not isinstance(message, messages.ServerPing)]

    async def ask(self, message: messages.Request, stamp: float | None = None) -> Any:
        """Send a message and return the answer to it."""
        request = self.say(message, stamp)
        return await self.hear(object, lambda answer: getattr(answer, "request", 0) == request)

    async def refusal(self, message: messages.Request, stamp: float | None = None) -> messages.Refused:
        """Send a message that is refused."""
        answer = await self.ask(message, stamp)
        assert isinstance(answer, messages.Refused), answer
        return answer

    async def act(self, decide: messages.Decide, *orders: Order, stamp: float | None = None) -> Any:
        """Answer a decision; return the answer to that."""
        return await self.ask(act(decide, *orders), stamp)

    async def play(self, seed: int, matches: int = 1, pause: Callable[[], float] | None = None) -> None:
        """Play at random until so many matches have ended or the stream has; `pause` tells how long to think."""
        chance = random.Random(seed)
        while matches:
            message = await self.next()
            match message:
                case None:
                    return
                case messages.MatchStarted() if message.entropy_wanted:
                    self.say(messages.Entropy(message.match, chance.randbytes(chance.randrange(33))))
                case messages.Decide():
                    await trio.sleep(pause() if pause is not None else 0)
                    self.say(act(message, chance.randrange(len(message.actions))))
                case messages.MatchEnded():
                    matches -= 1
                case messages.Refused():
                    raise AssertionError(message)


class Watcher:
    """A spectator."""

    def __init__(self) -> None:
        self.told: list[messages.Told] = []
        self.endings: list[tuple[Ending, Any]] = []

    def tell(self, told: messages.Told) -> None:
        self.told.append(told)

    def end(self, ending: Ending, observation: Any) -> None:
        self.endings.append((ending, observation))


def about(ms: Any) -> Any:
    """Return what equals so many milliseconds: times are floats."""
    return pytest.approx(ms, abs=1)


def choice(order: Order) -> messages.Choice:
    """Return an order as a choice: a text is its notation, a number its index."""
    if isinstance(order, messages.Choice):
        return order
    return messages.Choice(index=order) if isinstance(order, int) else messages.Choice(notation=order)


def act(decide: messages.Decide, *orders: Order) -> messages.Act:
    """Return the Act that answers a decision."""
    return messages.Act(decide.match, decide.decision, [choice(order) for order in orders])


def notations(decide: messages.Decide) -> list[str]:
    """Return what a bot may do."""
    return [str(action) for action in decide.actions]


# --- The house ---


@dataclass
class Room:
    """A house in which everything is known beforehand, and its bots."""

    disk: Disk
    settings: Settings = field(default_factory=Settings)
    codecs: CodecFor = codec_for
    lag: float = 0.0
    bots: dict[str, Bot] = field(default_factory=dict)
    numbers: Iterable[int] = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        numbers = iter(self.numbers)
        self.house = House(
            cast("Store", self.disk),
            self.codecs,
            self.settings,
            lag=lambda: self.lag,
            wall=lambda: 1_700_000_000 + _pace.clock.current_time(),
            new_id=lambda: f"id-{next(numbers)}",
            new_secret=lambda: derive_secret("tests", str(next(numbers))),
            lot=random.Random(1).randrange,
        )

    def bot(self, name: str, **traits: Any) -> Bot:
        """Let a new bot in."""
        self.bots[name] = Bot(self, name, **traits).join()
        return self.bots[name]

    def match(self, match_id: str) -> Match:
        return self.house.matches[match_id]

    async def seat(
        self, one: Bot, other: Bot, clock: Clock | None = None, options: Mapping[str, str] | None = None
    ) -> str:
        """Start a match with `one` as Caesar and `other` as Pompey; return its id. Both have read that it starts."""
        one.say(seek(seat=CAESAR, clock=clock, options=options))
        other.say(seek(seat=POMPEY, clock=clock, options=options))
        match_id = (await one.hear(messages.MatchStarted)).match
        await other.hear(messages.MatchStarted, lambda started: started.match == match_id)
        return match_id

    async def deal(
        self, one: Bot, other: Bot, clock: Clock | None = None, options: Mapping[str, str] | None = None
    ) -> tuple[messages.Decide, messages.Decide]:
        """Start a match and begin it; return what the two are asked first: both at once, which card to put away."""
        match_id = await self.seat(one, other, clock, options)
        for bot in (one, other):
            assert isinstance(await bot.ask(messages.Entropy(match_id, b"")), messages.Done)
        first, second = [
            await bot.hear(messages.Decide, lambda decide: decide.match == match_id) for bot in (one, other)
        ]
        return first, second

    async def march(self, one: Bot, other: Bot, clock: Clock | None = None) -> messages.Decide:
        """Start a match and play the cards; return the first decision that Caesar owes alone: his moves."""
        decides = await self.deal(one, other, clock)
        for _ in range(2):
            for bot, decide in zip((one, other), decides, strict=True):
                assert isinstance(await bot.act(decide, len(decide.actions) - 1), messages.Accepted)
            if decides[0].decision == 1:
                decides = (await one.hear(messages.Decide), await other.hear(messages.Decide))
        return await one.hear(messages.Decide)


def seek(
    matches: int = 1,
    *,
    seat: str = "",
    clock: Clock | None = None,
    options: Mapping[str, str] | None = None,
    game: str = GAME,
) -> messages.Seek:
    """Return a seek."""
    return messages.Seek(game, options or {}, seat, clock, matches)


@asynccontextmanager
async def opened(disk: Disk | None = None, **traits: Any) -> AsyncIterator[Room]:
    """Open a house on a store, in memory if none is given, and kill it at the end of the block."""
    room = Room(disk or Disk(MemoryStore()), **traits)
    async with trio.open_nursery() as nursery:
        await nursery.start(room.house.run)
        yield room
        nursery.cancel_scope.cancel()
