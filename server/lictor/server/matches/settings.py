"""What an operator may set, and what streams are told of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lictor.server.matches.clocks import Clock

PROTOCOL_MIN, PROTOCOL_MAX = 1, 1
FEATURES = ("live_events", "words", "no_typed")
MESSAGE_BYTES = 65536


@dataclass(frozen=True, slots=True)
class Limits:
    """What one stream may do; the names are the wire's."""

    messages_per_s: int = 2000
    messages_burst: int = 4000
    message_bytes: int = MESSAGE_BYTES
    seeks: int = 16
    challenges: int = 16
    batch: int = 100
    illegal_actions: int = 3
    queue: int = 256


@dataclass(frozen=True, slots=True)
class Settings:
    """How the house is run."""

    limits: Limits = field(default_factory=Limits)
    clock: Clock = field(default_factory=Clock)
    max_matches: int = 64  # at once, a bot
    streams: int = 20_000
    open_matches: int = 5_000
    busy_lag_s: float = 1.0  # a loop that is later than this takes no new streams and starts no new matches
    ping_s: float = 5.0
    challenge_s: float = 60.0
    data_sets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # by name
    # Nothing but secrets and answers decides what a record says: no entropy of the players is taken, and simultaneous
    # decisions are asked for one after another, in seat order. For practice, where nobody must be convinced.
    reproducible: bool = False
