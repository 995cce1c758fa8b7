"""The parts of a position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class OwnBlock(NamedTuple):
    """A block that this seat commands: its own, or a defector in its service."""

    name: str
    space: str
    steps: int  # left
    moved: bool  # this turn
    reserve: bool  # in reserve in a contested space


@dataclass(frozen=True, slots=True)
class Pieces:
    """Upright blocks of the enemy that look alike from outside."""

    space: str
    side: str  # whom they serve
    colour: str  # tan, green by the original owner; blue is Cleopatra
    moved: bool
    reserve: bool
    count: int


class Fight(NamedTuple):
    """A contested space, and the neighbours by which the main attack and each side came."""

    space: str
    attacker: str
    main: str | None
    entered: dict[str, tuple[str, ...]]


class RoadUse(NamedTuple):
    """How many blocks have used a road, for its limit."""

    a: str
    b: str
    blocks: int


class FaceUp(NamedTuple):
    """A block tipped forward in a battle, in sight of all."""

    name: str
    side: str
    steps: int
    moved: bool
    acted: bool  # has had its battle turn this round


class Battle(NamedTuple):
    """The battle that is being fought."""

    space: str
    round: int
    attacker: str
    side: str  # whose battle turn it is; while hits are left, the other side takes them
    ready: tuple[str, ...]  # the blocks that have the turn
    hits: int  # still to be taken
    face_up: tuple[FaceUp, ...]
    sailed: dict[str, bool]  # whether a side has used its sea retreat this round


class Defector(NamedTuple):
    """The block that Jupiter drew."""

    space: str
    colour: str
    moved: bool
    reserve: bool
    name: str | None
    steps: int | None


class Outcome(NamedTuple):
    """How the game ended."""

    winner: str | None
    reason: str
