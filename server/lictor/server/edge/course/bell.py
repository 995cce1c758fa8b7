"""A bell that is rung whenever something has happened, for those who wait for one of many things."""

from __future__ import annotations

import asyncio
from contextlib import suppress


class Bell:
    """Wakes all who wait, and is at once ready for the next."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """Wake all who wait now."""
        rung, self._rung = self._rung, asyncio.Event()
        rung.set()

    async def heard(self, seconds: float) -> None:
        """Wait until it is rung, or so long at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._rung.wait()
