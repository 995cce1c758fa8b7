"""Practice as it runs: a server, two processes, and an eye on everything that may go wrong."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from lictor.server.accounts import Accounts, Identity
from lictor.server.contestants import BadContestant, Started, started
from lictor.server.edge.serving import Config, Running, serving
from lictor.server.matches import endings
from lictor.server.matches.match import Match
from lictor.server.matches.settings import Settings
from lictor.server.practice import troubles
from lictor.server.practice.desk import PracticeDesk
from lictor.server.practice.plan import SIDES, Plan, Side
from lictor.server.practice.summary import ABORTED, Game
from lictor.server.practice.troubles import HUNG_AFTER, Suspect, Trouble
from lictor.server.store import Ending

_ACCOUNT = "practice"
_LOOK_S = 0.1
_LAST_S = 10.0  # for the records of games that were forfeited
_LATE = ("time", "abandonment")
_OF_STREAMS = ("malformed", "hello_expected", "unauthenticated", "forbidden", "unsupported_protocol", "limit")


@dataclass(frozen=True, slots=True)
class Practised:
    """What came of a practice: the games in order, and why there are no more."""

    games: list[Game]
    stopped: Trouble | None


class AnyName(Accounts):
    """Accounts that go by the token alone: whatever a bot calls itself, it is the one that was started with it."""

    def admit(self, secret: str, bot: str, version: str, content_hash: str) -> Identity:
        """Return who plays."""
        return super().admit(secret, "", version, content_hash)


async def practise(
    plan: Plan,
    stop: asyncio.Event,
    tell: Callable[[int], None] = lambda _: None,
    now: Callable[[], float] = time.monotonic,
) -> Practised:
    """Play the games of a plan until all are played, something goes wrong, or `stop` is set.

    `tell` hears how many games have ended; by `now` practice measures its patience.
    """
    plan.records.mkdir(parents=True, exist_ok=True)
    for side in SIDES:
        plan.log(side).unlink(missing_ok=True)
    for number in range(plan.games):
        plan.record(number).unlink(missing_ok=True)
    desk = PracticeDesk(plan)
    with tempfile.TemporaryDirectory(prefix="lictor-practice-") as home:
        config = Config(
            database=Path(home) / "lictor.db",
            address="127.0.0.1:0",
            settings=Settings(clock=plan.clock, max_matches=max(plan.jobs, 1), reproducible=True),
            accounts=AnyName,
            desk=desk.at,
        )
        async with serving(config) as running:
            series = _Series(plan, desk, running, tell, now)
            stopped = await series.play(stop)
            return Practised([series.games[number] for number in sorted(series.games)], stopped)


class _Series:
    """The games of one practice."""

    def __init__(
        self,
        plan: Plan,
        desk: PracticeDesk,
        running: Running,
        tell: Callable[[int], None],
        now: Callable[[], float],
    ) -> None:
        self.plan, self.desk, self.house, self.tell, self.now = plan, desk, running.house, tell, now
        self.games: dict[int, Game] = {}
        self._running = running
        self._numbers = {plan.match(number): number for number in range(plan.games)}
        self._sides: dict[str, Side] = {name: side for side, name in desk.names.items()}
        self._news = asyncio.Event()
        self._filed = 0  # records
        self._late: Counter[Side] = Counter()  # games in a row that a side lost by not answering
        self._aborts: list[str] = []
        self._waits: dict[tuple[Side | None, bool], float] = {}  # since when the next game waits for what, see below

    # --- Playing ---

    async def play(self, stop: asyncio.Event) -> Trouble | None:
        """Play, and return why it ended before its time, if it did."""
        self.house.listeners.append(self.note_end)
        async with AsyncExitStack() as stack:
            bots: dict[Side, Started] = {}
            for side in SIDES:
                try:
                    bots[side] = await stack.enter_async_context(self._started(side))
                except BadContestant as error:
                    return troubles.not_started(self._suspect(side, None), str(error))
            for bot in bots.values():
                stack.callback(bot.ask_to_end)  # both at once; only then each is waited for
            trouble = await self._watch(bots, stop)
            self.desk.open = False
            if trouble is not None and trouble.who is not None:
                await self._forfeit(trouble.who)
            self.house.listeners.remove(self.note_end)  # what ends while all is taken down counts no more
            await self._file(to_the_end=True)
            return trouble

    @asynccontextmanager
    async def _started(self, side: Side) -> AsyncIterator[Started]:
        plan = self.plan
        who = plan.bot if side == "bot" else plan.against
        token = await asyncio.to_thread(self._running.accounts.house_token, _ACCOUNT, self.desk.names[side])
        environment = {
            "LICTOR_TARGET": f"127.0.0.1:{self._running.port}",
            "LICTOR_TOKEN": token,
            "LICTOR_GAME": plan.game,
            "LICTOR_SEED": str(plan.seed),
            "PYTHONHASHSEED": "0",  # or the order of sets, and so what a bot does, would change from run to run
            "PYTHONUNBUFFERED": "1",  # what a bot says last is what its author wants to read
        }
        async with started(who, environment, plan.log(side)) as bot:
            yield bot

    async def _watch(self, bots: dict[Side, Started], stop: asyncio.Event) -> Trouble | None:
        """Look at everything, again and again, until all is played or something is wrong."""
        while len(self.games) < self.plan.games:
            if stop.is_set():
                return troubles.interrupted()
            trouble = self._find_ended(bots) or self._find_late(bots) or self._find_missing(bots)
            if trouble is not None:
                return trouble
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_S):
                    await self._news.wait()
            self._news.clear()
            await self._file()
        return None

    # --- What goes wrong ---

    def _find_ended(self, bots: dict[Side, Started]) -> Trouble | None:
        for side, bot in bots.items():
            if bot.ended:
                return troubles.ended(
                    self._suspect(side, bot),
                    bot.ended,
                    in_match=bool(self.house.matches),
                    connected=self.desk.names[side] in self.desk.came,
                    played=len(self.games),
                    wanted=self.plan.games,
                )
        return None

    def _find_late(self, bots: dict[Side, Started]) -> Trouble | None:
        for side in SIDES:
            if self._late[side] >= HUNG_AFTER:
                return troubles.hung(self._suspect(side, bots[side]))
        return troubles.server_failed(self._aborts[-1]) if len(self._aborts) >= HUNG_AFTER else None

    def _find_missing(self, bots: dict[Side, Started]) -> Trouble | None:
        """Find what the next game has waited for too long."""
        missing = {side: self.desk.missing(side) for side in SIDES} if self.desk.can_start() else {}
        idle = self.desk.can_start() and not self.house.matches and not any(missing.values())
        now, patience = self.now(), self.plan.patience_s
        # For the server, for a side to come, or for one that came once: however often it comes and goes.
        waits: list[tuple[Side | None, bool]] = [
            (side, self.desk.names[side] in self.desk.came) for side, what in missing.items() if what
        ] or ([(None, True)] if idle else [])
        self._waits = {wait: self._waits.get(wait, now) for wait in waits}
        late = [wait for wait in waits if now - self._waits[wait] > patience]
        if not late:
            return None
        side, came = late[0]
        if side is None:
            return troubles.server_failed(self.house.busy() or "it started no game")
        who = self._suspect(side, bots[side])
        if missing[side] == "seek":
            return troubles.not_seeking(who, patience, self.plan.game)
        return (troubles.disconnected if came else troubles.never_connected)(who, patience)

    def _suspect(self, side: Side, bot: Started | None) -> Suspect:
        name = self.desk.names[side]
        away = self.desk.refusals.get(name) or self._turned_away()
        return Suspect(side, name, self.plan.log(side), bot.tail() if bot is not None else [], away)

    def _turned_away(self) -> str:
        """Return what the server could not take of streams; of two bots it is the one that has trouble."""
        count = self.house.metrics.registry.get_sample_value
        found = {reason: count("lictor_refusals_total", {"reason": reason}) for reason in _OF_STREAMS}
        return ", ".join(f"{reason} ({number:.0f})" for reason, number in found.items() if number)

    async def _forfeit(self, side: Side) -> None:
        """End the open games: who is gone, or does not answer, loses them."""
        for match in tuple(self.house.matches.values()):
            seat = next(seat for seat, name in match.row.seats.items() if name == self.desk.names[side])
            match.finish(endings.by_a_seat("abandonment", seat, match.game))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LAST_S):
                while self.house.matches:
                    await asyncio.sleep(_LOOK_S / 10)

    # --- What is left of a game ---

    def note_end(self, match: Match, ending: Ending) -> None:
        """Count a game that has ended."""
        game = self._game(match, ending)
        self.games[game.number] = game
        if ending.kind == ABORTED:
            self._aborts.append(ending.text)
        else:
            self._aborts.clear()
            for side in SIDES:
                self._late[side] = self._late[side] + 1 if ending.kind in _LATE and game.fault == side else 0
        if max(len(self._aborts), *self._late.values()) >= HUNG_AFTER:
            self.desk.open = False
        self._news.set()
        self.tell(len(self.games))

    def _game(self, match: Match, ending: Ending) -> Game:
        sides = {seat: self._sides[name] for seat, name in match.row.seats.items()}
        seat = next(seat for seat, side in sides.items() if side == "bot")
        think: dict[Side, list[int]] = {side: [] for side in SIDES}
        for line in match.recorder.actions if match.recorder is not None else ():
            # What follows in the same Act was not thought about apart.
            if match.chairs[line["seat"]].played[line["decision"] - 1].batch == line["decision"]:
                think[sides[line["seat"]]].append(line["think_ms"])
        winner, fault = sides.get(ending.winner), sides.get(ending.seat)
        faults = {sides[seat]: chair.fault for seat, chair in match.chairs.items() if chair.fault}
        return Game(self._numbers[match.id], match.id, seat, ending.kind, ending.reason, winner, fault, faults, think)

    async def _file(self, *, to_the_end: bool = False) -> None:
        """Write the records of the games that have ended, in order; at the end also those behind a gap."""
        last = max(self.games, default=-1)
        while self._filed in self.games or (to_the_end and self._filed <= last):
            if self._filed in self.games:
                match = self.plan.match(self._filed)
                content = await asyncio.to_thread(self.house.store.record, match)
                await asyncio.to_thread(self.plan.record(self._filed).write_bytes, content or b"")
            self._filed += 1
