"""What a bot wants of a server."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from lictor.client.errors import LictorError
from lictor.v1 import match_pb2

DEFAULT_TARGET = "localhost:50051"
START_GRACE_MS, RECONNECT_GRACE_MS = 10_000, 60_000  # the server's own; only seeks with the same clock meet

ClockLike: TypeAlias = str | Mapping[str, int]
OnError: TypeAlias = Literal["resign", "raise"]


@dataclass(frozen=True, slots=True)
class Tls:
    """How to be sure of the server, and the server of us. All are paths of PEM files."""

    ca: str | Path | None = None  # whom to trust; None: the authorities that gRPC trusts
    cert: str | Path | None = None  # our own certificate, where the server insists on one
    key: str | Path | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """What a bot wants of a server."""

    name: str
    target: str = ""
    token: str = ""
    version: str = ""
    content_hash: str = ""
    seek: str | None = "julius_caesar"
    options: Mapping[str, str] = field(default_factory=dict)
    seat: str = ""
    clock: match_pb2.ClockSettings | None = None
    matches: int = 0
    max_matches: int = 1
    challenge: str | None = None
    accept_challenges: bool = True
    words: bool = False
    live_events: bool = False
    tls: Tls | None = None
    on_error: OnError = "resign"
    entropy: Callable[[int], bytes] = os.urandom

    def __post_init__(self) -> None:
        if self.challenge is not None and self.seek is None:
            raise LictorError("challenge names the opponent and seek the game: give both")
        if self.max_matches < 1 or self.matches < 0:
            raise LictorError("max_matches is at least 1, and matches at least 0 (0: without end)")


def read_clock(clock: ClockLike | None) -> match_pb2.ClockSettings | None:
    """Return a time control: "300+30/60" is base, increment and limit in seconds; a mapping has the wire's names."""
    if clock is None:
        return None
    try:
        if not isinstance(clock, str):
            return match_pb2.ClockSettings(**clock)
        rest, _, limit = clock.partition("/")
        base, _, increment = rest.partition("+")
        ms = [int(float(part or 0) * 1000) for part in (base, increment, limit)]
    except (ValueError, TypeError) as error:
        text = f"no clock {clock!r}; give base+increment/limit in seconds, such as '300+30/60' ({error})"
        raise LictorError(text) from error
    return match_pb2.ClockSettings(
        base_ms=ms[0],
        increment_ms=ms[1],
        per_decision_ms=ms[2],
        start_grace_ms=START_GRACE_MS,
        reconnect_grace_ms=RECONNECT_GRACE_MS,
    )
