"""One match in two houses that differ in what a viewer may not know, and the bytes that he gets from each.

Both houses run on one fake clock. All times are multiples of 1/1024 s, so that they are exact.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, TypeAlias, cast
from unittest import mock

import trio
import trio.testing

from lictor.engine import registry
from lictor.engine.chance import Chance, SealedChance, SeededChance, derive_secret
from lictor.engine.fog import leaves
from lictor.engine.game import SPECTATOR, AnyGame
from lictor.server.edge.calls import Caller
from lictor.server.edge.convert import codec_for
from lictor.server.edge.stream import Encoder
from lictor.server.edge.watch import Feed, WatchEdge
from lictor.server.matches import messages as say
from lictor.server.matches.clocks import Clock
from lictor.server.matches.house import House
from lictor.server.matches.session import Handed, Session
from lictor.server.matches.settings import Limits, Settings
from lictor.server.store import ActionRow, Ending, Finished, MatchRow, OpenMatch, Store
from lictor.v1 import game_pb2, match_pb2
from lictor.v1 import play_service_pb2 as play_pb
from lictor.v1 import watch_service_pb2 as watch_pb

NAME = "julius_caesar"
LATENCY = 4 / 1024  # of the disk
WALL = 1_700_000_000
SETTINGS = Settings(limits=Limits(illegal_actions=10**6))
CLOCK = Clock(base_ms=1_000_000, increment_ms=60_000)
FEATURES = (("live_events", "words"), ("live_events", "no_typed"), ())
THINKING = tuple(ticks / 1024 for ticks in (30, 500, 1800, 3500))  # the first is within the lag allowance
_WORLDS = 8  # worlds that are tried before an order is said not to be possible in another

Entry: TypeAlias = tuple[float, bytes]  # when, and what
Spoil: TypeAlias = Callable[["Side", str, say.Response], say.Response]
SpoilPublic: TypeAlias = Callable[["Side", bytes], bytes]
Pad: TypeAlias = Callable[["Side", str], int]


class LeakFound(Exception):
    """A viewer was told something that depends on what he may not know."""


@dataclass(slots=True)
class Report:
    """What was compared, and what came out."""

    leaks: list[str] = field(default_factory=list)
    messages: int = 0  # that were equal while the worlds were not
    size: int = 0  # of them in bytes
    kinds: Counter[str] = field(default_factory=Counter)  # of them by kind, and "list" for entries of lists
    refusals: Counter[str] = field(default_factory=Counter)  # of them by reason
    orders: int = 0
    carried: int = 0  # orders that were given in two different worlds
    not_carried: int = 0
    windows: int = 0  # secret answers that came early in one house and late in the other
    restarts: int = 0
    differed: Counter[str] = field(default_factory=Counter)  # hidden facts that differed, by kind

    def add(self, other: Report) -> None:
        """Take over what another report counted."""
        self.leaks += other.leaks
        for name in ("messages", "size", "orders", "carried", "not_carried", "windows", "restarts"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("kinds", "refusals", "differed"):
            getattr(self, name).update(getattr(other, name))


# --- A house without sockets and disk ---


class MemoryStore:
    """Keeps matches in memory; a write is done after a while, which may depend on what is written."""

    healthy = True

    def __init__(self, found: Sequence[OpenMatch] = (), delay: Callable[[ActionRow], float] | None = None) -> None:
        self._waiting: deque[tuple[float, Callable[[], None]]] = deque()
        self._open = {match.row.id: match for match in found}
        self._finished: dict[str, Finished] = {}
        self._delay = delay
        self.finishing = False

    def due(self) -> float:
        return self._waiting[0][0] if self._waiting else float("inf")

    def settle(self) -> None:
        """Report what is on disk by now."""
        while self.due() <= trio.current_time():
            self._waiting.popleft()[1]()

    def _write(self, done: Callable[[], None], more: float = 0.0) -> None:
        self._waiting.append((trio.current_time() + LATENCY + more, done))

    def create_match(self, row: MatchRow, done: Callable[[], None]) -> None:
        self._open[row.id] = OpenMatch(row, None, [], {}, {}, "", {})
        self._write(done)

    def _change(self, match_id: str, **facts: Any) -> None:
        old = self._open[match_id]
        values = {name: getattr(old, name) for name in OpenMatch.__slots__}
        self._open[match_id] = OpenMatch(**{**values, **facts})

    def begin_match(self, match_id: str, entropies: Mapping[str, bytes], done: Callable[[], None]) -> None:
        self._change(match_id, entropies=entropies)
        self._write(done)

    def append(self, match_id: str, rows: Sequence[ActionRow], _lines: object, done: Callable[[], None]) -> None:
        self._change(match_id, actions=[*self._open[match_id].actions, *rows])
        self._write(done, self._delay(rows[-1]) if self._delay else 0.0)

    def note(self, _match_id: str, _lines: object, done: Callable[[], None] | None = None) -> None:
        if done is not None:
            self._write(done)

    def mark(self, match_id: str, *, done: Callable[[], None], **facts: Any) -> None:
        self._change(match_id, **facts)
        self._write(done)

    def finish(
        self, match_id: str, ending: Ending, _record: bytes, actions: int, at: float, done: Callable[[], None]
    ) -> None:
        self.finishing = True
        self._finished[match_id] = Finished(self._open.pop(match_id).row, ending, actions, at)
        self._write(done)

    def open_matches(self) -> list[OpenMatch]:
        return list(self._open.values())

    def finished(self, match_id: str) -> Finished | None:
        return self._finished.get(match_id)

    def commit_seconds(self) -> list[float]:
        return []


class Wire:
    """The way to a bot, as `StreamLink` is: it writes a message down at once, and hands it over a little later."""

    def __init__(self, side: Side, seat: str, features: frozenset[str]) -> None:
        self._side, self._seat = side, seat
        self._encoder = Encoder(SETTINGS, "lictor test", {NAME: 1})
        self._encoder.words, self._encoder.typed = "words" in features, "no_typed" not in features
        self._closed = False

    def offer(self, message: say.Response, handed: Handed | None = None) -> None:
        if self._closed:
            return
        side, seat = self._side, self._seat
        if isinstance(message, say.Decide):
            side.asked[seat] = message
        elif isinstance(message, say.ServerPing):
            side.pings.append((seat, message.nonce))
        elif isinstance(message, say.Refused) and seat != side.viewer:
            assert message.reason is say.Reason.NO_DRAW, message
        if seat == side.viewer:
            side.log(seat, side.encode(self._encoder, seat, message))
        if handed is not None:
            side.handed.append(handed)

    def close(self, status: str, text: str) -> None:
        if not self._closed:
            self._closed = True
            self._side.log(self._seat, f"close {status} {text}".encode())


class Spectator:
    """Reads a feed as the edge does, but without its loop."""

    def __init__(self, side: Side, after: int | None = None) -> None:
        self._side, self._match = side, side.match
        self._feed = Feed(side.match)
        if after is not None:
            self._feed.resume(after)
        side.match.watchers.add(self._feed)
        self._messages: AsyncIterator[bytes] = self._feed.messages()
        self._step: Any = None
        self._waits: asyncio.Future[Any] | None = None
        self.over = False

    def read(self) -> None:
        """Take what there is."""
        with _running(self._side.loop):
            while not self.over and (self._waits is None or self._waits.done()):
                self._step = self._step or cast("Any", self._messages.__anext__())
                try:
                    self._waits = self._step.send(None)
                except StopIteration as got:
                    self._side.log(SPECTATOR, self._side.spoil_public(got.value))
                    self._step = self._waits = None
                except StopAsyncIteration:
                    self._step, self.over = None, True

    def leave(self) -> None:
        self._match.watchers.discard(self._feed)
        self.over = True
        if self._step is not None:
            with _running(self._side.loop), suppress(asyncio.CancelledError, StopAsyncIteration):
                self._step.throw(asyncio.CancelledError())


@contextmanager
def _running(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    asyncio._set_running_loop(loop)
    try:
        yield
    finally:
        asyncio._set_running_loop(None)


class _Anybody:
    async def identify(self, _context: object, _scope: str | None = None) -> None:
        return None


class Stage:
    """The game as one house has it: its state may be exchanged under a match."""

    def __init__(self, game: AnyGame) -> None:
        self._game = game
        self.lists: dict[str, list[Any]] = {}  # the last legal list each seat was given
        self.chance: _Counted
        names = {name: getattr(game, name) for name in dir(game) if not name.startswith("_")}
        names |= {"new_game": self._new_game, "legal_actions": self._legal_actions}
        self.game = cast("AnyGame", SimpleNamespace(**names))

    def _new_game(self, options: Mapping[str, object], chance: Chance) -> Any:
        self.chance = _Counted(chance)
        return self._game.new_game(options, self.chance)

    def _legal_actions(self, state: Any, seat: str) -> list[Any]:
        self.lists[seat] = found = list(self._game.legal_actions(state, seat))
        return found

    def exchange(self, world: Any, viewer: str) -> Any:
        """Return a world as it can be put into the house's match; the other seats' open lists go with it."""
        state = self._game.copy(world, self.chance)
        for seat, held in self.lists.items():
            if seat != viewer:
                held[:] = self._game.legal_actions(state, seat)
        return state


class _Counted:
    def __init__(self, inner: Chance) -> None:
        self._inner = inner
        self.made = 0

    def draw(self, n: int) -> int:
        self.made += 1
        return self._inner.draw(n)


class Side:
    """One of the two houses, with both bots and a spectator, and what the viewer gets from it."""

    def __init__(
        self,
        viewer: str,
        features: frozenset[str],
        options: Mapping[str, str],
        secret: bytes,
        loop: asyncio.AbstractEventLoop,
        clock: trio.testing.MockClock,
        plant: Plant,
    ) -> None:
        self.viewer, self.loop, self._clock = viewer, loop, clock
        self._features, self._options, self._secret, self._plant = features, options, secret, plant
        self.game = plant.game
        self.stage = Stage(plant.game)
        self.logs: dict[str, list[Entry]] = {name: [] for name in (SPECTATOR, viewer)}
        self.asked: dict[str, say.Decide] = {}
        self.pings: deque[tuple[str, int]] = deque()
        self.handed: deque[Handed] = deque()
        self.sessions: dict[str, Session] = {}
        self.spectators: list[Spectator] = []
        self.store = MemoryStore(delay=plant.delay)
        self._scope = trio.CancelScope()
        self._ids = 0

    def log(self, viewer: str, data: bytes) -> None:
        if viewer in self.logs:
            self.logs[viewer].append((trio.current_time(), data))

    def encode(self, encoder: Encoder, seat: str, message: say.Response) -> bytes:
        """Return what goes over the wire, with the leak that is planted there."""
        if self._plant.spoil is not None and hasattr(self, "match"):
            message = self._plant.spoil(self, seat, message)
        data = encoder.encode(message)
        if self._plant.pad is not None and hasattr(self, "match"):
            data += b"\xfa\x7f" + bytes((count := self._plant.pad(self, seat), *bytes(count)))  # field 2047
        return data

    def spoil_public(self, data: bytes) -> bytes:
        return data if self._plant.spoil_public is None else self._plant.spoil_public(self, data)

    # --- Its life ---

    async def open(self, nursery: trio.Nursery) -> None:
        """Open the house."""
        self._scope = trio.CancelScope()
        self.house = House(
            cast("Store", self.store),
            codec_for,
            SETTINGS,
            wall=lambda: WALL + self._clock.current_time(),  # also called in a thread
            new_id=self._new_id,
            new_secret=lambda: self._secret,
            lot=lambda _: 0,
        )
        with mock.patch.dict(registry.GAMES, {NAME: self.stage.game}):
            # The options as a Seek gives them, and as a match is kept with them.
            self.house.settle(NAME, self._options)
            settled = self.house.settle(NAME, self._options).options
            self.house.settle(NAME, settled)
            await nursery.start(self._run)

    async def _run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        with self._scope:
            await self.house.run(task_status)

    def _new_id(self) -> str:
        self._ids += 1
        return f"id{self._ids}"

    def start(self) -> None:
        """Let both bots come and sit down."""
        for seat in self.game.SEATS:
            self.join(seat)
        for seat in self.game.SEATS:
            self.tell(seat, say.Seek(NAME, self._options, seat, CLOCK, 1))
        (self.match,) = self.house.matches.values()

    def close(self) -> None:
        for spectator in self.spectators:
            spectator.leave()
        self.spectators = []
        self._scope.cancel()

    async def restart(self, nursery: trio.Nursery) -> None:
        """Crash, and open again with what is on disk."""
        self.close()
        self.store = MemoryStore(self.store.open_matches(), self._plant.delay)
        self.sessions.clear()
        self.handed.clear()
        self.pings.clear()
        await self.open(nursery)
        (self.match,) = self.house.matches.values()

    def deliver(self) -> None:
        """Let everything arrive that is on its way."""
        self.store.settle()
        while self.handed or self.pings:
            if self.handed:
                self.handed.popleft()(trio.current_time())
            else:
                seat, nonce = self.pings.popleft()
                stamp = trio.current_time() + 16 / 1024
                self.house.handle(self.sessions[seat], say.Pong(nonce), 0, stamp)
        for spectator in self.spectators:
            spectator.read()

    # --- Who is there, and what he says ---

    def join(self, seat: str) -> None:
        features = self._features if seat == self.viewer else frozenset[str]()
        who = say.Introduction(f"{seat}_bot", f"{seat}_account", "1", features, client="test")
        self.sessions[seat] = self.house.join(who, Wire(self, seat, features), 7)

    def tell(self, seat: str, message: say.Request, request: int = 0, stamp: float | None = None) -> None:
        at = trio.current_time() if stamp is None else stamp
        self.house.handle(self.sessions[seat], message, request, at)

    def act(self, seat: str, choices: Sequence[say.Choice], request: int = 0, stamp: float | None = None) -> None:
        """Answer what a seat was asked last."""
        self.tell(seat, say.Act(self.match.id, self.asked[seat].decision, choices), request, stamp)

    def watch(self, after: int | None = None) -> None:
        """Let another spectator come, and the last one go."""
        for spectator in self.spectators:
            spectator.leave()
        self.spectators = [Spectator(self, after)]

    def list_matches(self) -> None:
        """Write down what a list shows of the match."""
        edge = WatchEdge(self.house, cast("Caller", _Anybody()))
        request = watch_pb.ListMatchesRequest(state=match_pb2.MATCH_STATE_RUNNING)
        listing = edge.ListMatches(request, None)
        try:
            listing.send(None)
        except StopIteration as got:
            self.log(SPECTATOR, b"list " + got.value.SerializeToString(deterministic=True))
        else:
            raise AssertionError("the list waits for something")

    @property
    def state(self) -> Any:
        assert self.match.recorder is not None
        return self.match.recorder.state


@dataclass(frozen=True, slots=True)
class Plant:
    """A leak planted in both houses: in the game, in what is sent, in its size, or in how long the disk takes."""

    game: AnyGame = field(default_factory=lambda: registry.get(NAME))
    spoil: Spoil | None = None
    spoil_public: SpoilPublic | None = None
    pad: Pad | None = None
    delay: Callable[[ActionRow], float] | None = None


SOUND = Plant()


# --- Both ---


class Lockstep:
    """One match in two houses."""

    def __init__(
        self,
        viewer: str,
        seed: int,
        options: Mapping[str, str],
        *,
        plant: Plant = SOUND,
        redeal: bool = True,
        restarts: bool = False,
    ) -> None:
        self.viewer, self.seed = viewer, seed
        self.report = Report()
        self.game = plant.game
        self.dice, self._worlds = SeededChance(seed), SeededChance(seed + 10**9)
        self._redeal, self._restarts = redeal, restarts
        self._secret = derive_secret("worlds", str(seed))
        self._loop = asyncio.new_event_loop()
        self.clock = trio.testing.MockClock()
        features = frozenset(FEATURES[seed % len(FEATURES)])
        self.one, self.other = (
            Side(viewer, features, options, self._secret, self._loop, self.clock, plant) for _ in range(2)
        )
        self.sides = (self.one, self.other)
        self._seen = dict.fromkeys(self.one.logs, 0)
        self._apart = False  # whether the two houses really differ
        self._request = 100
        self._past: list[Any] = []
        self._codec = codec_for(NAME, options)
        self._offered = False
        self._where = ""
        self.nursery: trio.Nursery

    def run(self, plan: Callable[[Lockstep], Any]) -> Report:
        """Carry out a plan with both houses open and the match begun."""

        async def main() -> None:
            async with trio.open_nursery() as self.nursery:
                for side in self.sides:
                    await side.open(self.nursery)
                    side.start()
                await self.wait(LATENCY)
                for side in self.sides:
                    side.watch()
                    for seat in self.game.SEATS:
                        side.tell(seat, say.Entropy(side.match.id, seat.encode()))
                await self.wait(2 * LATENCY)
                self.compare()
                try:
                    await plan(self)
                    self.compare()
                except LeakFound as leak:
                    self.report.leaks.append(f"{self.viewer}, seed {self.seed}, {self._where}: {leak}")
                for side in self.sides:
                    side.close()
                self.nursery.cancel_scope.cancel()

        try:
            trio.run(main, clock=self.clock)
        finally:
            self._loop.close()
        return self.report

    # --- Time ---

    async def wait(self, seconds: float) -> None:
        """Let time pass, and everything arrive that is due."""
        end = trio.current_time() + seconds
        while True:
            until = min(end, *(side.store.due() for side in self.sides))
            self.clock.jump(until - trio.current_time())
            await trio.testing.wait_all_tasks_blocked()
            for side in self.sides:
                side.deliver()
            if until == end:
                return

    async def wait_for_the_end(self) -> None:
        """Wait until both matches are over. Their records are written in threads, which know nothing of the clock."""
        for _ in range(5000):
            await trio.testing.wait_all_tasks_blocked()
            if all(side.store.finishing for side in self.sides):
                await self.wait(2 * LATENCY)
                return
            await trio.to_thread.run_sync(time.sleep, 0.001)
        raise AssertionError("the match does not end")

    # --- Comparing ---

    def compare(self) -> None:
        """Compare what came since the last time."""
        report = self.report
        for viewer, first in self._seen.items():
            mine, there = self.one.logs[viewer][first:], self.other.logs[viewer][first:]
            for number, (entry, twin) in enumerate(zip(mine, there, strict=False)):
                if entry != twin:
                    raise LeakFound(f"{viewer} message {first + number}: {_difference(viewer, entry, twin)}")
            if len(mine) != len(there):
                (at, data) = max(mine, there, key=len)[min(len(mine), len(there))]
                raise LeakFound(f"{viewer} gets one message more, at {at}: {_shown(viewer, data)}")
            self._seen[viewer] += len(mine)
            if self._apart:
                report.messages += len(mine)
                report.size += sum(len(data) for _, data in mine)
                for _, data in mine:
                    kind, reason = _kind(viewer, data)
                    report.kinds[f"{'spectator' if viewer == SPECTATOR else 'seat'} {kind}"] += 1
                    report.refusals[reason] += bool(reason)

    # --- Orders ---

    @property
    def seats(self) -> tuple[str, ...]:
        """The seats that owe a decision, in the first house."""
        return self.game.to_act(self.one.state)

    def pick(self, seat: str) -> Any:
        """Choose an action for a seat in the first house."""
        return self.game.FOG.choose(self.one.state, seat, self.game.legal_actions(self.one.state, seat), self.dice)

    def chance_of(self, one_in: int) -> bool:
        return self.dice.draw(one_in) == 0

    def carry_over(self, seat: str, actions: Sequence[Any]) -> list[Any]:
        """Put another world into the second house, and return the actions there that look to the viewer as these do."""
        if not self._redeal:
            return list(actions)
        game, mine = self.game, self.one.state
        opened, _ = self._rehearse(mine, None, seat, actions)
        fresh = bool(opened) or not self._apart or self.chance_of(3)
        for attempt in range(_WORLDS):
            world = self.other.state
            if fresh or attempt:
                world = game.redeal(mine, self.viewer, self._worlds, opened)
            there, same = self._rehearse(mine, world, seat, actions)
            if same is None or there != opened:
                continue
            if fresh or attempt:
                self._exchange(world)
            self.report.carried += self._apart
            return same
        self.report.not_carried += 1
        self._exchange(mine)
        return list(actions)

    def _exchange(self, world: Any) -> None:
        assert self.other.match.recorder is not None
        self.other.match.recorder.state = self.other.stage.exchange(world, self.viewer)
        self._apart = self.game.dump(self.one.state) != self.game.dump(world)
        if self.chance_of(4):
            self._count_differences()

    def _count_differences(self) -> None:
        fog, mine = self.game.FOG, self.game.dump(self.one.state)
        others = dict(leaves(self.game.dump(self.other.state), fog.leaves))
        for path, value in leaves(mine, fog.leaves):
            if others.get(path) != value:
                self.report.differed[fog.kind(mine, path)] += 1

    def _rehearse(
        self, state: Any, world: Any, seat: str, actions: Sequence[Any]
    ) -> tuple[frozenset[str], list[Any] | None]:
        """Return what the actions lay open to the viewer, in the world if there is one, and what they are there."""
        game = self.game
        here = game.copy(state, self._draws_to_come())
        place = here if world is None else game.copy(world, self._draws_to_come())
        opened: set[str] = set()
        same = []
        for number, action in enumerate(actions):
            twin = action
            if place is not here and seat != self.viewer:
                twin = game.counterpart(here, seat, action, place)
            same.append(twin)
            if twin not in game.legal_actions(place, seat):
                if number == 0:
                    return frozenset(opened), None
                break
            events = game.apply(place, seat, twin)
            for event in events:
                opened.update(event.reveals(self.viewer))
            if place is not here:
                if action not in game.legal_actions(here, seat):
                    break
                game.apply(here, seat, action)
            if any(event.reveals(seat) for event in events):
                break
        return frozenset(opened), same if len(same) == len(actions) else [*same, *actions[len(same) :]]

    def _draws_to_come(self) -> SealedChance:
        chance = SealedChance(self._secret, self.one.match.id, [seat.encode() for seat in self.game.SEATS])
        chance.made = self.one.stage.chance.made
        return chance

    def _batch(self, seat: str) -> list[Any]:
        actions = [self.pick(seat)]
        if seat == self.viewer and self.chance_of(4) and len(self.seats) == 1:
            legal = self.game.legal_actions(self.one.state, seat)
            actions += [legal[self.dice.draw(len(legal))] for _ in range(1 + self.dice.draw(2))]
        return actions

    def _choices(self, seat: str, actions: Sequence[Any]) -> list[say.Choice]:
        found = [say.Choice(notation=str(action)) for action in actions]
        if seat == self.viewer:
            legal = self.game.legal_actions(self.one.state, seat)
            form = self.dice.draw(3)
            if form == 1:
                found[0] = say.Choice(index=legal.index(actions[0]))
            elif form == 2:
                found[0] = say.Choice(typed=self._typed(actions[0]))
        return found

    def _typed(self, action: Any) -> game_pb2.Action:
        return game_pb2.Action.FromString(self._codec.action(action))

    async def order(self, seat: str) -> None:
        """Let a seat decide in both houses at once."""
        self._where = f"order {self.report.orders} ({self.game.FOG.situation(self.one.state)} of {seat})"
        await self.wait(THINKING[self.dice.draw(len(THINKING))])
        actions = self._batch(seat)
        same = self.carry_over(seat, actions)
        await self.ask_around()
        choices = self._choices(seat, actions)
        there = choices if seat == self.viewer else self._choices(seat, same)
        self._past += self.game.legal_actions(self.one.state, seat)[:2] + actions[:1]
        request = self.next_request()
        self.one.act(seat, choices, request)
        self.other.act(seat, there, request)
        self.report.orders += 1
        if not self.seats:
            return
        if self.chance_of(5):
            self.probe()  # while it is on its way to the disk
        await self.wait(2 * LATENCY)
        self.look()
        self.compare()

    async def window(self, quiet: str, meanwhile: Callable[[], Awaitable[bool | None]] | None = None) -> None:
        """Let one seat answer in secret, in the first house early and in the second late, while the viewer looks.

        Something else may happen meanwhile; if that returns true, it was the end.
        """
        self._where = f"window {self.report.windows} of {quiet}"
        self.report.windows += 1
        restarts = self._restarts and self.chance_of(2)
        # A restart starts the clocks anew: only what costs nothing costs the same before and after it.
        await self.wait(THINKING[0 if restarts else 1 + self.dice.draw(len(THINKING) - 1)])
        action = self.pick(quiet)
        (same,) = self.carry_over(quiet, [action])
        stamp, apart = trio.current_time(), self._apart
        self.one.act(quiet, [say.Choice(notation=str(action))])
        self._apart = True
        if meanwhile is not None and await meanwhile():
            return
        await self.wait(2 * LATENCY)
        if self.chance_of(2):
            for side in self.sides:
                side.watch()
        await self.ask_around()
        self.offer_draws(quiet)
        if restarts:
            await self.restart()
        await self.ask_around()
        self.look()
        self.compare()
        self.other.act(quiet, [say.Choice(notation=str(same))], stamp=stamp)
        await self.wait(2 * LATENCY)
        self.look()
        self.compare()
        self._apart = apart
        self._count_differences()

    async def hushed_orders(self, quiet: str, here: int, there: int) -> None:
        """Let a seat give orders that nobody notices: some early in the first house, others late in the second."""
        self._where = f"{here} or {there} secret orders of {quiet}"
        await self.wait(THINKING[3])
        stamp, self._apart = trio.current_time(), True
        for _ in range(here):
            await self._hushed(self.one, quiet, None)
        for side in self.sides:
            side.watch()
        await self.ask_around()
        self.look()
        self.compare()
        for number in range(there):
            await self._hushed(self.other, quiet, None if number else stamp)
        await self.wait(LATENCY)
        self.look()
        self.compare()
        for side, count in ((self.one, here), (self.other, there)):
            # The first of all answers costs the same in both houses, and the others nothing.
            open_one = next(
                a for a in self.game.legal_actions(side.state, quiet) if not self._is_hushed(side, quiet, a)
            )
            side.act(quiet, [say.Choice(notation=str(open_one))], stamp=None if count else stamp)
        await self.wait(2 * LATENCY)
        self.look()
        self.compare()

    def _is_hushed(self, side: Side, seat: str, action: Any) -> bool:
        return self.game.FOG.secret(side.state, seat, action)

    async def _hushed(self, side: Side, seat: str, stamp: float | None) -> None:
        hushed = [a for a in self.game.legal_actions(side.state, seat) if self._is_hushed(side, seat, a)]
        side.act(seat, [say.Choice(notation=str(hushed[self.dice.draw(len(hushed))]))], stamp=stamp)
        await self.wait(2 * LATENCY)

    async def ahead(self, quiet: str) -> None:
        """Let a seat that answers last answer the next question as well, in the first house with the same Act."""
        first = next(seat for seat in self.game.SEATS if seat != quiet)
        await self.order(first)
        self._where = f"{quiet} answers two questions at once"
        await self.wait(THINKING[3])
        action = self.pick(quiet)
        trial = self.game.copy(self.one.state)
        self.game.apply(trial, quiet, action)
        assert len(self.game.to_act(trial)) == 2, "another secret question must follow at once"
        following = self.game.legal_actions(trial, quiet)[0]
        both = [say.Choice(notation=str(each)) for each in (action, following)]
        self._apart = True
        self.one.act(quiet, both)
        self.other.act(quiet, both[:1])
        await self.wait(2 * LATENCY)
        stamp = trio.current_time()
        for side in self.sides:
            side.watch()
        await self.ask_around()
        self.look()
        self.compare()
        self.other.act(quiet, both[1:], stamp=stamp)
        await self.wait(2 * LATENCY)
        self.look()
        self.compare()

    async def restart(self) -> None:
        """Let both houses crash and come back."""
        for side in self.sides:
            await side.restart(self.nursery)
        for side in self.sides:
            side.watch()
            for seat in self.game.SEATS:
                side.join(seat)
        await self.wait(LATENCY)
        self.report.restarts += 1

    async def play(self, most: int) -> None:
        """Play on to the end, or for a number of orders."""
        while self.seats and self.report.orders < most:
            seats = self.seats
            if len(seats) == 1:
                await self.order(seats[0])
                continue
            quiet = next((seat for seat in seats if seat != self.viewer), seats[0])
            if self.viewer == SPECTATOR:
                quiet = seats[self.dice.draw(2)]
            if self.viewer in seats and self.chance_of(5):
                await self.order(self.viewer)  # the viewer is first: then there is nothing to hide
            else:
                await self.window(quiet)
                await self.order(next(seat for seat in seats if seat != quiet))
        if not self.seats:
            await self.wait_for_the_end()
            self.compare()

    # --- What the viewer does besides ---

    def next_request(self) -> int:
        self._request += 1
        return self._request

    def both(self, seat: str, message: say.Request) -> None:
        """Let a seat say the same in both houses."""
        request = self.next_request()
        for side in self.sides:
            side.tell(seat, message, request)

    async def ask_around(self) -> None:
        """Let the viewer probe, and sometimes come back on a new stream."""
        self.probe()
        if self.chance_of(6):
            await self.reconnect()
        if self.chance_of(12):
            after = None if self.chance_of(2) else self.dice.draw(20)
            for side in self.sides:
                side.watch(after)
        await self.wait(LATENCY)
        if self.viewer != SPECTATOR:
            self.both(self.viewer, say.Observe(self.one.match.id))

    async def reconnect(self) -> None:
        """Let the viewer lose its stream, or open another."""
        if self.viewer == SPECTATOR:
            return
        gone = self.chance_of(2)
        for side in self.sides:
            if gone:
                side.house.part(side.sessions[self.viewer])
        await self.wait(THINKING[0])
        for side in self.sides:
            side.join(self.viewer)
        await self.wait(LATENCY)

    def offer_draws(self, quiet: str) -> None:
        """Offer draws and decline them."""
        match = self.one.match.id
        if self.viewer == SPECTATOR:
            return
        if not self._offered and self.chance_of(3):
            # Once: whether it may offer again depends on how many decisions it has made.
            self._offered = True
            self.both(quiet, say.OfferDraw(match))
            self.both(self.viewer, say.AnswerDraw(match, accept=False))
        elif self.chance_of(4):
            self.both(self.viewer, say.OfferDraw(match))
            self.both(self.viewer, say.OfferDraw(match))
            self.both(quiet, say.AnswerDraw(match, accept=False))

    def look(self) -> None:
        """Let a spectator look at the list, and the viewer at his position."""
        for side in self.sides:
            if side.house.matches:
                side.list_matches()
        if self.viewer != SPECTATOR and self.one.house.matches:
            self.both(self.viewer, say.Observe(self.one.match.id))
            if self.chance_of(25):
                self.both(self.viewer, say.GetHistory(self.one.match.id, 0))

    def probe(self, count: int = 3) -> None:
        """Let the viewer ask what he should get no answer to, or the same answer."""
        if self.viewer == SPECTATOR:
            return
        for _ in range(count):
            self.both(self.viewer, self._probe())

    def _probe(self) -> say.Request:
        match, draw = self.one.match.id, self.dice.draw
        asked = self.one.asked.get(self.viewer)
        last = asked.decision if asked else 0
        enemy = next(seat for seat in self.game.SEATS if seat != self.viewer)
        theirs = self.one.asked[enemy].decision if enemy in self.one.asked else 1
        match draw(12):
            case 0:
                return say.GetHistory(match, max(0, draw(40) - 1))
            case 1:
                return say.GetHistory(match, 2**32 - 1 - draw(2))
            case 2:
                return say.Act(match, last, [say.Choice(index=10**6)])
            case 3:
                decision = theirs if theirs != last else last + 1
                return say.Act(match, decision, [say.Choice(notation="play 1")])
            case 4:
                return say.Act(match, (0, last + 1, last + 7, 2**32 - 1)[draw(4)], [say.Choice(index=0)])
            case 5:
                others = (say.Entropy(match, b"x"), say.AnswerDraw(match, accept=False), say.Resign("id99"))
                return others[draw(3)]
            case 6:
                texts = ("", "play 99", "play", "move nobody rome", "hit me", "x" * 200, "levy legio_7 Rome")
                return say.Act(match, last, [say.Choice(notation=texts[draw(len(texts))])])
            case 7 if last > 1:
                return say.Act(match, 1 + draw(last - 1), [say.Choice(notation="discard 27")])
            case _:
                return self._forbidden(enemy, last)

    def _forbidden(self, enemy: str, decision: int) -> say.Request:
        """Let the viewer try what the enemy may do, in one world or the other, or what somebody once might."""
        tried = self._past[-60:]
        for side in self.sides:
            tried = tried + self.game.legal_actions(side.state, enemy)
        if not tried:
            return say.Observe(self.one.match.id)
        legal = {str(action) for action in self.game.legal_actions(self.one.state, self.viewer)}
        action = tried[self.dice.draw(len(tried))]
        if str(action) in legal:
            return say.Observe(self.one.match.id)
        choice = say.Choice(notation=str(action))
        if self.chance_of(3):
            choice = say.Choice(typed=self._typed(action))
        return say.Act(self.one.match.id, decision, [choice])


# --- What the bytes say ---


def _message(viewer: str, data: bytes) -> Any:
    if viewer == SPECTATOR:
        return watch_pb.WatchResponse.FromString(data)
    return play_pb.PlayResponse.FromString(data)


def _kind(viewer: str, data: bytes) -> tuple[str, str]:
    if data.startswith(b"list "):
        return "list", ""
    if data.startswith(b"close "):
        return "close", ""
    message = _message(viewer, data)
    kind = str(message.WhichOneof("message"))
    reason = play_pb.RefusalReason.Name(message.refused.reason) if kind == "refused" else ""
    return kind, reason.removeprefix("REFUSAL_REASON_").lower()


def _shown(viewer: str, data: bytes) -> str:
    if data.startswith(b"list "):
        return f"list {watch_pb.ListMatchesResponse.FromString(data[5:])}"
    return data.decode() if data.startswith(b"close ") else f"{_message(viewer, data)}"


def _difference(viewer: str, one: Entry, other: Entry) -> str:
    if one[1] == other[1]:
        return f"it comes at {one[0]} or at {other[0]}: {_shown(viewer, one[1])[:300]}"
    mine, there = _shown(viewer, one[1]).splitlines(), _shown(viewer, other[1]).splitlines()
    for number, (line, twin) in enumerate(zip(mine, there, strict=False)):
        if line != twin:
            kinds = _kind(viewer, one[1])[0], _kind(viewer, other[1])[0]
            return f"{' or '.join(dict.fromkeys(kinds))}, line {number}: {line.strip()} or {twin.strip()}"
    return f"{_kind(viewer, one[1])[0]}: {len(one[1])} or {len(other[1])} bytes"
