"""A bot that is here: its stream, what it asked for, and how far away it is."""

from __future__ import annotations

import statistics
from collections import deque
from collections.abc import Callable
from typing import Protocol, TypeAlias

from lictor.server.matches.messages import Introduction, Response

Handed: TypeAlias = Callable[[float], None]  # called with the time at which a message was handed to the transport
_PINGS = 9


class Link(Protocol):
    """The way to a bot. Nothing here waits."""

    def offer(self, message: Response, handed: Handed | None = None) -> None:
        """Queue a message; a link whose queue is full closes itself."""

    def close(self, status: str, text: str) -> None:
        """Hand over what is queued, then end the stream with a status such as `OK` or `UNAVAILABLE`."""


class Bucket:
    """A rate limit: so many a second on average, so many at once."""

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst = rate, burst
        self._level, self._at = burst, 0.0

    def take(self, now: float) -> float:
        """Take one; return 0, or after how many seconds there will be one."""
        self._level = min(self.burst, self._level + max(0.0, now - self._at) * self.rate)
        self._at = max(self._at, now)
        if self._level >= 1:
            self._level -= 1
            return 0.0
        return (1 - self._level) / self.rate


class Session:
    """A connected bot."""

    def __init__(self, who: Introduction, link: Link, bucket: Bucket) -> None:
        self.who = who
        self.link = link
        self.bucket = bucket
        self.matches: dict[str, str] = {}  # open match -> the bot's seat in it
        self.leaving = False
        self._trips: deque[float] = deque(maxlen=_PINGS)
        self._pings: dict[int, float] = {}
        self._nonce = 0
        self.wire_ms = 0.0
        self.pinged_at = 0.0

    @property
    def bot(self) -> str:
        return self.who.bot

    def free(self) -> int:
        """Return how many more matches the bot can take."""
        return 0 if self.leaving else self.who.max_matches - len(self.matches)

    def ping(self, now: float) -> int:
        """Note that a ping leaves now, and return its nonce."""
        self._nonce = self._nonce % 0xFFFFFFFF + 1
        self._pings[self._nonce] = self.pinged_at = now
        if len(self._pings) > _PINGS:
            self._pings.pop(next(iter(self._pings)))
        return self._nonce

    def pong(self, nonce: int, stamp: float) -> None:
        """Take the answer to a ping; an answer to no ping is nothing."""
        sent = self._pings.pop(nonce, None)
        if sent is not None:
            self._trips.append(max(0.0, stamp - sent) * 1000)
            self.wire_ms = statistics.median(self._trips)
