"""The one door between asyncio, where gRPC lives, and trio, where the house lives. Both run on one thread."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import trio
from outcome import Outcome

_PROBE_S = 0.05


class Guest:
    """A trio program that runs as a guest of the asyncio loop."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[Outcome[None]] = loop.create_future()
        self._scope = trio.CancelScope()

    async def start(self, main: Callable[..., Awaitable[None]]) -> None:
        """Start `main`, a trio function that reports `task_status.started()`, and wait until it has."""
        loop = asyncio.get_running_loop()
        up: asyncio.Future[None] = loop.create_future()

        async def run() -> None:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    await nursery.start(main)
                    if not up.done():
                        up.set_result(None)

        trio.lowlevel.start_guest_run(
            run,
            run_sync_soon_threadsafe=loop.call_soon_threadsafe,
            run_sync_soon_not_threadsafe=loop.call_soon,
            done_callback=self._ended.set_result,
            host_uses_signal_set_wakeup_fd=True,
        )
        either: set[asyncio.Future[Any]] = {up, self._ended}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not up.done():
            await self.ended()

    def stop(self) -> None:
        """Cancel it; `ended` tells when it has cleaned up."""
        self._scope.cancel()

    async def ended(self) -> None:
        """Wait until it has cleaned up; a failure of its own is raised here."""
        (await asyncio.shield(self._ended)).unwrap()


class Lag:
    """Measures by how much the loop is late."""

    def __init__(self, tell: Callable[[float], Any] = lambda _: None) -> None:
        self._loop = asyncio.get_running_loop()
        self._tell = tell
        self._due = self._loop.time()
        self._last = 0.0
        self._handle: asyncio.TimerHandle | None = None
        self._probe()

    def _probe(self) -> None:
        now = self._loop.time()
        self._last = max(0.0, now - self._due)
        self._tell(self._last)
        self._due = now + _PROBE_S
        self._handle = self._loop.call_at(self._due, self._probe)

    def now(self) -> float:
        """Return the lag in seconds: the last one measured, or more if the next measurement is late already."""
        return max(self._last, self._loop.time() - self._due)

    def close(self) -> None:
        """Stop measuring."""
        if self._handle is not None:
            self._handle.cancel()
