"""A thread of its own for each match, so that none thinks on another's clock."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple


class _Job(NamedTuple):
    answer: asyncio.Future[tuple[Any, BaseException | None]]
    function: Callable[..., Any]
    args: tuple[Any, ...]


class Worker:
    """Runs functions in one thread, one after another. It never keeps the process alive."""

    def __init__(self, name: str) -> None:
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._run, name=name, daemon=True).start()

    async def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """Return what the function returns, or raise what it raises."""
        answer = self._loop.create_future()
        self._jobs.put(_Job(answer, function, args))
        value, error = await answer
        if error is not None:
            raise error
        return value

    def close(self) -> None:
        """End the thread when it has done what it does."""
        self._jobs.put(None)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            value, error = None, None
            try:
                value = job.function(*job.args)
            except BaseException as raised:  # a bot may raise anything, and nobody else looks here
                error = raised
            with suppress(RuntimeError):  # the loop has been closed
                self._loop.call_soon_threadsafe(_give, job.answer, (value, error))


def _give(answer: asyncio.Future[Any], outcome: tuple[Any, BaseException | None]) -> None:
    if not answer.done():
        answer.set_result(outcome)
