"""The course: the bot's process, the server, the opponent, and all that lessons do with them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TypeVar

from lictor.engine.chance import SeededChance
from lictor.engine.game import AnyGame
from lictor.server.contestants import Contestant, Started, started
from lictor.server.edge.course.bell import Bell
from lictor.server.edge.course.failing import Ended, Failed
from lictor.server.edge.course.ledger import Ledger
from lictor.server.edge.course.line import Line
from lictor.server.edge.course.premises import Premises
from lictor.server.edge.course.sitter import Sitter
from lictor.server.edge.course.wire import LOOPBACK, Wire
from lictor.server.edge.stream import Malformed, decode
from lictor.server.matches.match import Match
from lictor.server.matches.messages import Seek
from lictor.server.store import Ending
from lictor.v1 import play_service_pb2 as pb

T = TypeVar("T")

BOT, OPPONENT = "bot", "course"
_AFTER_S = 0.02  # a bot that dies of how a match ended does so soon
_SEEKS_S = 2.0  # a bot that has not sought by then waits for challenges
_HARMLESS = (
    pb.REFUSAL_REASON_MATCH_OVER,
    pb.REFUSAL_REASON_ALREADY_ANSWERED,
    pb.REFUSAL_REASON_ENTROPY_CLOSED,
)


class Course:
    """Everything around one bot. Lessons use it one after another."""

    def __init__(self, game: AnyGame, who: Contestant, folder: Path, *, patience: float, seed: int) -> None:
        self.game, self.patience, self.seed = game, patience, seed
        self._who, self._log = who, folder / "bot.log"
        self.bell = Bell()
        self.ledger = Ledger(self._situation)
        self.line, self.wire = Line(self.ledger, self.bell), Wire()
        self.premises = Premises(folder, patience, seed)
        self.opponent = Sitter(OPPONENT, game, SeededChance(seed), self.bell, plays_on=True)
        self.endings: dict[str, Ending] = {}
        self._turn = 0  # whose seat is the bot's next
        self._challenged = False  # whether the bot, which seeks nothing, was challenged before
        self.blunders: list[str] = []  # what was refused in normal play
        self._token = ""
        self._bot: Started | None = None
        self._process = AsyncExitStack()
        self._watch: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Have everything but the bot ready while the block runs."""
        await self.premises.open()
        try:
            self._token = await self.premises.token(BOT)
            async with self.line.serving() as port:
                await self.wire.open(port)
                try:
                    self.settle_in()
                    yield
                finally:
                    await self.end_bot()
                    await self.wire.close()
        finally:
            await self.premises.close()

    def settle_in(self) -> None:
        """Connect line and opponent to the house, which has just been opened."""
        self.line.connect(self.premises.running.port)
        self.premises.house.listeners.append(self._note_end)
        self.opponent.join(self.premises.house)

    def _note_end(self, match: Match, ending: Ending) -> None:
        self.endings[match.id] = ending
        self.bell.ring()

    def _situation(self, match: str) -> str:
        found = self.premises.house.matches.get(match)
        return "" if found is None or found.recorder is None else self.game.FOG.situation(found.table.state)

    # --- The bot's process ---

    @property
    def ended(self) -> str:
        """Return how the bot's process ended, or nothing while it runs."""
        return "" if self._bot is None else self._bot.ended

    async def start_bot(self) -> None:
        """Start the bot; one that runs is killed first."""
        await self.end_bot()
        environment = {
            "LICTOR_TARGET": f"{LOOPBACK}:{self.wire.port}",
            "LICTOR_TOKEN": self._token,
            "LICTOR_GAME": self.game.NAME,
            "LICTOR_SEED": str(self.seed),
        }
        self._bot = await self._process.enter_async_context(started(self._who, environment, self._log))
        self._watch = asyncio.create_task(self._await_end(self._bot))

    async def _await_end(self, bot: Started) -> None:
        await bot.process.wait()
        self.bell.ring()

    async def end_bot(self) -> None:
        """Kill the bot, and whatever it has started, without asking."""
        self.signal_bot(signal.SIGKILL)
        await self._process.aclose()
        if self._watch is not None:
            await self._watch
        self._bot = self._watch = None

    def signal_bot(self, sign: int) -> bool:
        """Send a signal to the bot and all that it has started; return whether anybody was there."""
        if self._bot is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._bot.process.pid, sign)
                return True
        return False

    async def have_bot(self) -> None:
        """See that the bot runs and is connected. One that has played all it wanted is started again."""
        if self._bot is not None and self.ended not in ("", "exit code 0"):
            raise self._gone("wait for the next match")
        fresh = self._bot is None or bool(self.ended)
        if fresh:
            await self.start_bot()
        try:
            await self.until(self.connected, "connect and say Hello", "See the lesson `connects`.")
        except Ended:
            if fresh or self.ended != "exit code 0":
                raise
            await self.have_bot()

    def connected(self) -> bool:
        """Return whether the bot has a stream on which it is welcome."""
        return BOT in self.premises.house.sessions

    def tail(self) -> list[str]:
        """Return what the bot said last."""
        return self._bot.tail() if self._bot is not None else []

    # --- Waiting ---

    async def until(
        self,
        check: Callable[[], T],
        what: str,
        hint: str,
        *,
        progress: Callable[[], object] = lambda: None,
        alive: bool = True,
    ) -> T:
        """Wait until the bot does something; it has so long for it, and again so long after every progress."""
        loop = asyncio.get_running_loop()
        mark, deadline = progress(), loop.time() + self.patience
        while not (found := check()):
            if alive and self.ended:
                raise self._gone(what)
            if (now := progress()) != mark:
                mark, deadline = now, loop.time() + self.patience
            left = deadline - loop.time()
            if left <= 0:
                raise Failed(f"it did not {what} within {self.patience:g} s", hint)
            await self.bell.heard(left)
        return found

    def _gone(self, what: str) -> Ended:
        hint = "A bot that plays on a ladder must not end by itself; its last words may tell why it did."
        return Ended(f"its process ended ({self.ended}), and it did not {what}", hint)

    # --- Matches ---

    async def match(self, seat: str = "") -> str:
        """Return a new match of the bot, in a seat; without one in each seat in turn, or where it wishes to sit."""
        await self.have_bot()
        try:
            return await self._meet(seat)
        except Ended:
            if self.ended != "exit code 0":
                raise
        await self.have_bot()  # it had played all the matches it wanted
        return await self._meet(seat)

    async def _meet(self, seat: str) -> str:
        loop, known, asked = asyncio.get_running_loop(), set(self.ledger.started), list[object]()
        by_challenge = loop.time() + (0 if self._challenged else _SEEKS_S)
        loop.call_later(_SEEKS_S, self.bell.ring)
        self._turn += 1

        def found() -> str:
            seek = self.ledger.seek
            wish = seat or (seek.seat if seek is not None else "") or self.game.SEATS[self._turn % len(self.game.SEATS)]
            other = next(one for one in self.game.SEATS if one != wish)
            if seek is not None and seek not in asked:
                asked.append(seek)
                if (terms := self.terms(seek)) is not None:
                    self.opponent.seek(terms, other)
            elif seek is None and not asked and loop.time() >= by_challenge:
                asked.append(None)
                self._challenged = True  # the next time at once
                self.opponent.challenge(BOT, other)
            return next((match for match in self.ledger.started if match not in known), "")

        hint = f"After Welcome, send Seek for the game in LICTOR_GAME ({self.game.NAME}), or accept what is Challenged."
        return await self.until(found, f"seek a match{f' as {seat}' if seat else ''}, or take a challenge", hint)

    def terms(self, seek: pb.Seek | None) -> Seek | None:
        """Return on which terms the bot seeks; None if it does not, or cannot be met here."""
        if seek is None:
            return Seek(self.game.NAME, {}, "", None, 1)
        with contextlib.suppress(Malformed):
            terms = decode(pb.PlayRequest(seek=seek), self.premises.house.settings)
            if isinstance(terms, Seek) and terms.game == self.game.NAME:
                return terms
        return None

    def seat_of(self, match: str) -> str:
        """Return the bot's seat."""
        return self.ledger.started[match].seat

    def owes(self, match: str) -> bool:
        """Return whether the bot owes a decision."""
        found = self.premises.house.matches.get(match)
        return found is not None and found.owes(self.seat_of(match))

    async def play(self, match: str, answers: int) -> bool:
        """Let the bot answer so often; return whether the match goes on."""
        goal = self.ledger.answers[match] + answers
        await self.until(
            lambda: match in self.endings or self.ledger.answers[match] >= goal,
            f"answer decision {self.ledger.accepted.get(match, 0) + 1} as {self.seat_of(match)}",
            "Every Decide wants an Act with its match_id and decision_id, even if all choices look bad.",
            progress=lambda: self.ledger.answers[match],
        )
        self._judge(match)
        return match not in self.endings

    async def answered(self, match: str, decision: int, what: str, hint: str) -> None:
        """Wait until the bot has answered a decision, or its match is over."""
        await self.until(lambda: self.ledger.accepted.get(match, 0) >= decision or match in self.endings, what, hint)

    async def hush(self, match: str) -> None:
        """Keep the next Decide of a match from the bot, so that it owes an answer and has nothing to say.

        A library that meets the end of its stream while it writes may not tell the bot what was said last.
        """
        held: list[pb.PlayResponse] = []

        def hold(response: pb.PlayResponse) -> list[pb.PlayResponse] | None:
            if response.decide.match_id != match:
                return None
            held.append(response)
            return []

        self.line.on_response = hold
        await self.until(lambda: held or match in self.endings, "answer a decision", "Every Decide wants an Act.")
        self._judge(match)

    def _judge(self, match: str) -> None:
        """See that a match, if it has ended, has not ended by the bot's fault."""
        ending = self.endings.get(match)
        if ending is None or ending.seat != self.seat_of(match):
            return
        raise Failed(
            f"it lost as {ending.seat} after {self.ledger.answers[match]} decisions: {ending.text}",
            "Only legal answers in time keep a match. A resignation may be how your client hides an exception.",
        )

    def note_blunders(self) -> None:
        """Keep what was refused in normal play; what crosses an end or a break on the way is nobody's fault."""
        self.blunders += [refused.text for refused in self.ledger.refused if refused.reason not in _HARMLESS]
        self.ledger.refused.clear()

    def check_alive(self) -> None:
        """See that the bot has not ended as an effect of what was done to it."""
        if self.ended not in ("", "exit code 0"):
            raise self._gone("survive the end of the match")

    async def clear(self) -> None:
        """End every match, and let everything pass again."""
        self.line.pass_all()
        self.wire.away = False
        self.opponent.stop_seeking()
        house = self.premises.house
        mine = [match.id for match in house.matches.values() if OPPONENT in match.row.seats.values()]
        for match in mine:
            self.opponent.resign(match)
        hint = "This is not the bot's fault: the machine is too busy, or the server is at fault."
        await self.until(lambda: not house.matches.keys() & set(mine), "see its matches end", hint, alive=False)
        if mine:
            await asyncio.sleep(_AFTER_S)
