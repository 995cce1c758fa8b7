"""8.0: winter, and the end of the game."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lictor.engine.game import Viewer
from lictor.engine.julius_caesar.events.event import OWNERS, Event, PieceEvent, spoken


@dataclass(frozen=True, slots=True)
class CleopatraWentHome(Event):
    """8.1: Cleopatra returns to Alexandria, and joins who holds it."""

    seat: str
    changed: bool

    def reveals(self, viewer: Viewer) -> Iterable[str]:
        return ("cleopatra",) if self.changed and viewer == self.seat else ()

    def words(self) -> str:
        return f"Cleopatra goes home to Alexandria{', and joins' if self.changed else ', for'} {spoken(self.seat)}."


@dataclass(frozen=True, slots=True)
class YearScored(Event):
    """8.2: victory points at the end of a year."""

    year: int
    points: Mapping[str, int]

    def words(self) -> str:
        return f"End of {self.year}: " + ", ".join(f"{spoken(seat)} {vp}" for seat, vp in self.points.items()) + "."


@dataclass(frozen=True, slots=True)
class CameToPort(PieceEvent):
    """8.3: a Navis winters in a port."""

    path: tuple[str, str]

    def words(self) -> str:
        return f"{spoken(self.seat)}: a Navis winters in {spoken(self.path[1])} ({spoken(self.path[0])})."


@dataclass(frozen=True, slots=True)
class Disbanded(PieceEvent):
    """8.4, 8.5: a block went to a levy pool; who gets it back knows it (ruling 10)."""

    space: str

    def seen_by(self, viewer: Viewer) -> Disbanded:
        if viewer in (self.seat, OWNERS[self.colour]):
            return self
        return dataclasses.replace(self, block=None)

    def reveals(self, viewer: Viewer) -> Iterable[str]:
        return (self.block,) if self.block and viewer == OWNERS[self.colour] != self.seat else ()

    def words(self) -> str:
        return f"{spoken(self.seat)} disbands {self.who()} in {spoken(self.space)}."


@dataclass(frozen=True, slots=True)
class GameEnded(Event):
    """1.2: the game is over."""

    winner: str | None
    reason: str
    points: Mapping[str, int]

    def words(self) -> str:
        score = " : ".join(str(vp) for vp in self.points.values())
        if self.winner is None:
            return f"The game is drawn, {score}."
        why = {"ten_points": "ten points", "more_points": "more points", "rome": "Rome"}[self.reason]
        return f"{spoken(self.winner)} wins by {why}, {score}."
