"""An alarm whose time may move."""

from __future__ import annotations

import math

import trio


class Alarm:
    """Wakes one task at a time that may move. Moving it later costs nothing: the task wakes, looks, and sleeps on."""

    def __init__(self) -> None:
        self._when = math.inf
        self._scope: trio.CancelScope | None = None

    def set(self, when: float) -> None:
        """Ring at `when`, and at no time set before."""
        self._when = when
        if self._scope is not None and when < self._scope.deadline:
            self._scope.deadline = when

    async def ring(self) -> None:
        """Wait until it rings."""
        while True:
            with trio.CancelScope(deadline=self._when) as self._scope:
                await trio.sleep_forever()
            self._scope = None
            if trio.current_time() >= self._when:
                return
