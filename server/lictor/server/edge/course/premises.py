"""The real server of the course: house, store and services, which can be shut and opened again."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path

from lictor.engine.chance import derive_secret
from lictor.server.edge.course.wire import LOOPBACK
from lictor.server.edge.serving import Config, Running, serving
from lictor.server.matches.clocks import Clock
from lictor.server.matches.frontdesk import FrontDesk, Lot
from lictor.server.matches.house import House
from lictor.server.matches.lobby import Start, Terms
from lictor.server.matches.session import Session
from lictor.server.matches.settings import Settings

_ACCOUNT = "course"
_START_GRACE_MS = 1_000  # many matches are played, and some bots send no entropy
_LEAST_MS = 60_000


class Premises:
    """Where matches are played. What is kept outlives a restart."""

    def __init__(self, folder: Path, patience: float, seed: int) -> None:
        wait_ms = max(_LEAST_MS, int(patience * 3000))  # the course loses its patience before the clock runs out
        clock = Clock(10 * wait_ms, 30_000, wait_ms, _START_GRACE_MS, reconnect_grace_ms=wait_ms)
        # A machine that is late is no reason to turn a bot away here.
        settings = Settings(clock=clock, busy_lag_s=60.0)
        self._seeds = (f"{seed}/{match}" for match in itertools.count())
        self._config = Config(folder / "course.db", f"{LOOPBACK}:0", settings=settings, desk=self._desk)
        self._stack = AsyncExitStack()
        self._running: Running | None = None

    def _desk(self, house: House, start: Start, lot: Lot) -> FrontDesk:
        """Return a front desk whose matches have the same secrets for the same seed."""

        def seeded(terms: Terms, seats: Mapping[str, Session], origins: Mapping[str, str], **_: object) -> None:
            secret = derive_secret("course", next(self._seeds))
            start(terms, seats, origins, match=secret.hex()[:16], secret=derive_secret(secret.hex()))

        return FrontDesk(house, seeded, lot)

    @property
    def running(self) -> Running:
        """The server, which must be open."""
        assert self._running is not None
        return self._running

    @property
    def house(self) -> House:
        """The house, which must be open."""
        return self.running.house

    async def open(self) -> None:
        """Start the server, on any port."""
        self._running = await self._stack.enter_async_context(serving(self._config))

    async def close(self) -> None:
        """Stop the server; open matches are kept."""
        await self._stack.aclose()
        self._running = None

    async def token(self, bot: str) -> str:
        """Return a fresh token for a bot."""
        return await asyncio.to_thread(self.running.accounts.house_token, _ACCOUNT, bot)
