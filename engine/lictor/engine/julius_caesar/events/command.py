"""6.0: moves and levies, and what the Gods do."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass

from lictor.engine.game import Viewer
from lictor.engine.julius_caesar.events.event import PLAYERS, Event, OwnersEvent, PieceEvent, spoken


@dataclass(frozen=True, slots=True)
class Moved(PieceEvent):
    """6.1-6.3: a block moved; `path` begins where it stood. `by_sea`: carried by Navis (6.3)."""

    path: tuple[str, ...]
    by_sea: bool
    attacks: bool
    reserve: bool

    def words(self) -> str:
        way = " - ".join(spoken(space) for space in self.path)
        verb = "sails" if self.by_sea else "attacks" if self.attacks and not self.reserve else "moves"
        note = ", in reserve" if self.reserve else ""
        return f"{spoken(self.seat)}: {self.who()} {verb} {way}{note}."


@dataclass(frozen=True, slots=True)
class MovesEnded(Event):
    """6.1: a seat has moved."""

    seat: str
    unspent: int

    def words(self) -> str:
        return f"{spoken(self.seat)} ends his moves."


@dataclass(frozen=True, slots=True)
class Levied(PieceEvent):
    """6.4: a new block was raised."""

    city: str

    def words(self) -> str:
        return f"{spoken(self.seat)} levies {self.who()} in {spoken(self.city)}."


@dataclass(frozen=True, slots=True)
class Reinforced(Event):
    """6.4: a block gained a step; the others see only the city."""

    seat: str
    block: str | None
    city: str
    steps: int | None

    def seen_by(self, viewer: Viewer) -> Reinforced:
        return self if viewer == self.seat else Reinforced(self.seat, None, self.city, None)

    def words(self) -> str:
        if self.block is None:
            return f"{spoken(self.seat)} levies a step in {spoken(self.city)}."
        return f"{spoken(self.seat)} reinforces {spoken(self.block)} in {spoken(self.city)} to {self.steps} steps."


@dataclass(frozen=True, slots=True)
class LeviesEnded(Event):
    """6.4: a seat has levied."""

    seat: str
    unspent: int

    def words(self) -> str:
        return f"{spoken(self.seat)} ends his levies."


@dataclass(frozen=True, slots=True)
class JupiterCalled(Event):
    """Jupiter: a block of a place was drawn."""

    seat: str
    space: str

    def words(self) -> str:
        return f"{spoken(self.seat)} calls on Jupiter against {spoken(self.space)}."


@dataclass(frozen=True, slots=True)
class Shown(Event):
    """Jupiter: a leader or Navis does not defect; it is shown and will lose a step."""

    seat: str
    block: str
    space: str
    steps: int

    def reveals(self, viewer: Viewer) -> Iterable[str]:
        return (self.block,)

    def words(self) -> str:
        return f"{spoken(self.block)} in {spoken(self.space)} stays true, and is shown with {self.steps} steps."


@dataclass(frozen=True, slots=True)
class Defecting(Event):
    """Jupiter: the drawn block will join `seat`; both players know it, spectators see its colour."""

    seat: str
    block: str | None
    colour: str
    space: str
    city: str | None  # None until its new owner has chosen
    steps: int | None
    moved: bool  # what all can see of the piece that was drawn
    reserve: bool

    def seen_by(self, viewer: Viewer) -> Defecting:
        if viewer in PLAYERS:
            return self
        return dataclasses.replace(self, block=None, steps=None)

    def reveals(self, viewer: Viewer) -> Iterable[str]:
        return (self.block,) if self.block and viewer in PLAYERS else ()

    def words(self) -> str:
        who = spoken(self.block) if self.block else f"A {self.colour} block"
        goes = f" and goes to {spoken(self.city)}" if self.city else ""
        return f"{who} in {spoken(self.space)} defects to {spoken(self.seat)}{goes}."


@dataclass(frozen=True, slots=True)
class Declined(Event):
    """Jupiter was declined, or Vulcan found no target."""

    seat: str
    god: str

    def words(self) -> str:
        return f"{spoken(self.seat)} lets {self.god} pass."


@dataclass(frozen=True, slots=True)
class VulcanStruck(Event):
    """Vulcan: every block of a city loses a step."""

    seat: str
    space: str

    def words(self) -> str:
        return f"Vulcan strikes {spoken(self.space)} for {spoken(self.seat)}."


@dataclass(frozen=True, slots=True)
class StepLost(OwnersEvent):
    """Vulcan: a block lost a step; only its owner sees which."""

    block: str
    space: str
    steps: int

    def words(self) -> str:
        return f"{spoken(self.block)} in {spoken(self.space)} falls to {self.steps} steps."


@dataclass(frozen=True, slots=True)
class SurpriseNamed(Event):
    """Mars, Neptune: the battle in which all attackers go first in round 1."""

    seat: str
    space: str

    def words(self) -> str:
        return f"{spoken(self.seat)} will surprise the enemy in {spoken(self.space)}."
