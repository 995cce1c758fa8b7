"""What a bot sees: the part that every game has."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from lictor.v1 import game_pb2


class Event:
    """Something that happened. Its fields are attributes, with names for indexes: `event.block`, `event.side`."""

    __slots__ = ("_fields", "_kind", "_names", "number", "raw", "words")

    def __init__(self, raw: game_pb2.Event, number: int, words: str, names: Any) -> None:
        self.raw = raw
        self.number = number  # from 1, without gaps
        self.words = words  # in words; empty unless `run` was asked for words
        self._names = names
        self._kind: str | None = None
        self._fields: dict[str, Any] = {}

    @property
    def kind(self) -> str:
        """Return what happened, such as "moved"."""
        if self._kind is None:
            self._kind, self._fields = self._names.event(self.raw)
        return self._kind

    @property
    def fields(self) -> Mapping[str, Any]:
        """Return all fields by name; what this seat may not know is None."""
        return self._fields if self.kind else {}

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self.fields:
            return self._fields[name]
        raise AttributeError(
            f"an event {self._kind!r} has no field {name!r}; it has {', '.join(self._fields) or 'none'}"
        )

    def __str__(self) -> str:
        facts = " ".join(f"{name}={value}" for name, value in self.fields.items() if value is not None)
        return self.words or f"{self.kind} {facts}".strip()

    def __repr__(self) -> str:
        return f"<{self.number}: {self}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Event) and (self.number, self.raw) == (other.number, other.raw)

    def __hash__(self) -> int:
        return hash(self.number)


class History(Sequence[Event]):
    """The events up to one moment. The list behind it only grows, so that nothing is copied."""

    __slots__ = ("_end", "_events")

    def __init__(self, events: list[Event]) -> None:
        self._events, self._end = events, len(events)

    def __len__(self) -> int:
        return self._end

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> list[Event]: ...
    def __getitem__(self, index: int | slice) -> Event | list[Event]:
        rows = range(self._end)[index]
        return self._events[rows] if isinstance(rows, int) else [self._events[row] for row in rows]

    def __iter__(self) -> Iterator[Event]:
        for row in range(self._end):
            yield self._events[row]

    def __repr__(self) -> str:
        return f"<{self._end} events>"


@dataclass(frozen=True, slots=True)
class Times:
    """The clock as it stood when the decision was put, and how the last decision went; milliseconds."""

    bank_ms: Mapping[str, int]  # by seat; all 0 without a bank
    limit_ms: int = 0  # how long this decision may take; 0: not asked
    last_server_ms: float = 0.0  # the server's own time, never charged
    last_wire_ms: float = 0.0  # the round trip
    last_think_ms: float = 0.0  # as measured at the server
    last_charged_ms: int = 0
    came_at: float = 0.0  # by time.monotonic

    def left_ms(self) -> float:
        """Return how much of the limit is left now."""
        return max(0.0, self.limit_ms - (time.monotonic() - self.came_at) * 1000)


@dataclass(frozen=True, slots=True)
class Batch:
    """What became of the last answer, where it was a list."""

    sent: int
    applied: int
    stopped: str | None  # why not all of it: "not_legal", "news", "not_yours"


@dataclass(frozen=True, slots=True)
class Frame:
    """What is the same for a whole match."""

    match_id: str
    game: str
    seat: str
    options: Mapping[str, str]
    players: Mapping[str, str]  # bot by seat
    clock: Mapping[str, int]  # the time control by the names of ClockSettings


class View:
    """What a seat sees at one moment."""

    def __init__(
        self,
        frame: Frame,
        names: Any,
        raw: game_pb2.Observation,
        *,
        times: Times,
        decision_id: int = 0,
        events: Sequence[Event] = (),
        history: Sequence[Event] = (),
        opening: View | None = None,
        batch: Batch | None = None,
    ) -> None:
        self.match_id, self.game, self.seat = frame.match_id, frame.game, frame.seat
        self.options, self.players, self.settings = frame.options, frame.players, frame.clock
        self.raw = raw  # the observation, as it came
        self.clock = times
        self.decision_id = decision_id  # how many decisions this seat has been asked, from 1; 0: not asked
        self.events = events  # since the last decision
        self.history = history  # since the beginning, also after a restart of the bot
        self.opening = opening  # the position before the first action
        self.batch = batch
        self.names = names  # the static data by name

    @property
    def opponents(self) -> dict[str, str]:
        """Return the other seats and who sits there."""
        return {seat: bot for seat, bot in self.players.items() if seat != self.seat}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.seat} in {self.match_id}, decision {self.decision_id}>"
