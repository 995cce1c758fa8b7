"""Time controls and what a decision costs: plain arithmetic, in milliseconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Self

LAG_ALLOWANCE_MS = 100
MOST_MS = 2**32 - 1
_MOST_START_GRACE_MS = 60_000


class BadClock(Exception):
    """A time control that cannot be had; the text says why."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A time control."""

    base_ms: int = 300_000
    increment_ms: int = 30_000  # to each seat at the start of every game turn, never per order
    per_decision_ms: int = 60_000
    start_grace_ms: int = 10_000
    lag_allowance_ms: int = LAG_ALLOWANCE_MS
    reconnect_grace_ms: int = 60_000

    def __post_init__(self) -> None:
        for field in fields(self):
            if not 0 <= getattr(self, field.name) <= MOST_MS:
                raise BadClock(f"{field.name} must be from 0 to {MOST_MS}")
        if not self.base_ms and not self.per_decision_ms:
            raise BadClock("a clock needs base_ms or per_decision_ms, or a match could last for ever")
        if self.increment_ms and not self.base_ms:
            raise BadClock("increment_ms needs base_ms: there is no bank to pay it into")
        if self.start_grace_ms > _MOST_START_GRACE_MS:
            raise BadClock(f"start_grace_ms is at most {_MOST_START_GRACE_MS}")

    @classmethod
    def of(cls, values: Mapping[str, int]) -> Self:
        """Read a clock from its plain values."""
        return cls(**values)

    def values(self) -> dict[str, int]:
        """Return the clock as plain values."""
        return asdict(self)

    def limit(self, bank_ms: int) -> int:
        """Return the most a decision may take with so much in the bank."""
        if not self.base_ms:
            return self.per_decision_ms
        return min(bank_ms, self.per_decision_ms) if self.per_decision_ms else bank_ms

    def charge(self, elapsed_ms: float) -> int:
        """Return what a decision costs: the lag allowance comes off first."""
        return max(0, int(elapsed_ms) - self.lag_allowance_ms)

    def spend(self, bank_ms: int, charged_ms: int) -> int:
        """Return the bank after a decision."""
        return max(0, bank_ms - charged_ms) if self.base_ms else 0

    def pay(self, bank_ms: int, turns: int) -> int:
        """Return the bank after `turns` new game turns."""
        return min(MOST_MS, bank_ms + turns * self.increment_ms) if self.base_ms else 0
