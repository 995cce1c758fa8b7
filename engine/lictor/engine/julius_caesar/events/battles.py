"""7.0: battles, retreats and regroups."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lictor.engine.game import Viewer
from lictor.engine.julius_caesar.events.event import Event, PieceEvent, spoken


@dataclass(frozen=True, slots=True)
class BattleBegan(Event):
    """7.1: a battle is fought now."""

    space: str
    attacker: str

    def words(self) -> str:
        return f"Battle of {spoken(self.space)}: {spoken(self.attacker)} attacks."


@dataclass(frozen=True, slots=True)
class Revealed(Event):
    """7.1, 7.3: blocks are tipped forward: (seat, block, steps, moved) each."""

    space: str
    blocks: tuple[tuple[str, str, int, bool], ...]

    def reveals(self, viewer: Viewer) -> Iterable[str]:
        return [block for _, block, _, _ in self.blocks]

    def words(self) -> str:
        sides = []
        for seat in ("caesar", "pompey"):
            own = [f"{spoken(block)} {steps}" for side, block, steps, _ in self.blocks if side == seat]
            if own:
                sides.append(f"{spoken(seat)}: {', '.join(own)}")
        return f"Revealed in {spoken(self.space)}: {'; '.join(sides)}."


@dataclass(frozen=True, slots=True)
class RoundBegan(Event):
    """7.2: a battle round begins."""

    space: str
    round: int

    def words(self) -> str:
        return f"Round {self.round} in {spoken(self.space)}."


@dataclass(frozen=True, slots=True)
class Fired(Event):
    """7.4: a block fired."""

    seat: str
    block: str
    dice: tuple[int, ...]
    hits: int

    def words(self) -> str:
        rolls = " ".join(map(str, self.dice))
        return f"{spoken(self.block)} fires {rolls}: {self.hits or 'no'} hit{'' if self.hits == 1 else 's'}."


@dataclass(frozen=True, slots=True)
class Passed(Event):
    """7.2: a block let its battle turn go by."""

    seat: str
    block: str

    def words(self) -> str:
        return f"{spoken(self.block)} waits."


@dataclass(frozen=True, slots=True)
class Weakened(Event):
    """7.4, 7.31: a block in sight of all lost a step."""

    seat: str
    block: str
    steps: int

    def words(self) -> str:
        return f"{spoken(self.block)} falls to {self.steps} steps."


@dataclass(frozen=True, slots=True)
class Eliminated(Event):
    """7.5: a block was eliminated, face-up."""

    seat: str
    block: str
    space: str

    def reveals(self, viewer: Viewer) -> Iterable[str]:
        return (self.block,)

    def words(self) -> str:
        return f"{spoken(self.block)} is eliminated in {spoken(self.space)}."


@dataclass(frozen=True, slots=True)
class CleopatraJoined(Event):
    """7.52: Cleopatra was beaten and joins the other side at strength I."""

    seat: str
    space: str

    def reveals(self, viewer: Viewer) -> Iterable[str]:
        return ("cleopatra",)

    def words(self) -> str:
        return f"Cleopatra joins {spoken(self.seat)} in {spoken(self.space)}."


@dataclass(frozen=True, slots=True)
class Disrupted(Event):
    """7.31: reserves whose main force is gone lose a step."""

    seat: str
    space: str

    def words(self) -> str:
        return f"{spoken(self.seat)}'s reserves in {spoken(self.space)} are disrupted."


@dataclass(frozen=True, slots=True)
class RolesTurned(Event):
    """7.31: the disrupted defender is now the attacker."""

    attacker: str

    def words(self) -> str:
        return f"The roles turn: {spoken(self.attacker)} is now the attacker."


@dataclass(frozen=True, slots=True)
class Retreated(Event):
    """7.6: a block retreated, in sight of all."""

    seat: str
    block: str
    path: tuple[str, ...]

    def words(self) -> str:
        return f"{spoken(self.block)} retreats {' - '.join(spoken(space) for space in self.path)}."


@dataclass(frozen=True, slots=True)
class BattleEnded(Event):
    """7.7: a battle is over."""

    space: str
    winner: str

    def words(self) -> str:
        return f"{spoken(self.winner)} wins in {spoken(self.space)}."


@dataclass(frozen=True, slots=True)
class Regrouped(PieceEvent):
    """7.7: a victorious block went to an adjacent space."""

    path: tuple[str, str]
    moved: bool  # as all can see

    def words(self) -> str:
        return f"{spoken(self.seat)}: {self.who()} regroups {spoken(self.path[0])} - {spoken(self.path[1])}."


@dataclass(frozen=True, slots=True)
class RegroupEnded(Event):
    """7.7: the victor regroups no more."""

    seat: str
    space: str

    def words(self) -> str:
        return f"{spoken(self.seat)} stands in {spoken(self.space)}."
