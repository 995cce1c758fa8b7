"""The phases: what is being decided, with what it takes to decide it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, TypeAlias


class Fixed:
    """A phase that does not change while it lasts: its copy is itself."""

    __slots__ = ()

    def copy(self) -> Self:
        return self


@dataclass(slots=True)
class Deploy:
    """5.3: a seat rearranges its blocks."""

    seat: int
    swaps: int

    def copy(self) -> Deploy:
        return Deploy(self.seat, self.swaps)


@dataclass(frozen=True, slots=True)
class ChooseDiscard(Fixed):
    """2.1: both put one of six cards away; who has answered has a discard."""


@dataclass(frozen=True, slots=True)
class ChooseCard(Fixed):
    """2.1: both play a card in secret; who has answered has a card played."""


@dataclass(frozen=True, slots=True)
class JupiterCalls(Fixed):
    """Jupiter: choose where a block shall defect."""

    seat: int


@dataclass(frozen=True, slots=True)
class Defection(Fixed):
    """Jupiter: choose the city the drawn block goes to."""

    seat: int
    block: int


@dataclass(frozen=True, slots=True)
class VulcanBurns(Fixed):
    """Vulcan: choose the city."""

    seat: int


@dataclass(frozen=True, slots=True)
class ChooseSurprise(Fixed):
    """Mars, Neptune: choose the battle."""

    seat: int


@dataclass(slots=True)
class Moves:
    """6.1-6.3: a seat moves; `opened` are the groups paid for, `kept` the seas crossed by voyages."""

    seat: int
    points: int
    opened: tuple[int, ...]
    roads: dict[int, int]  # blocks that used an edge
    kept: tuple[int, ...]

    def copy(self) -> Moves:
        return Moves(self.seat, self.points, self.opened, self.roads.copy(), self.kept)


@dataclass(slots=True)
class Levies:
    """6.4: a seat levies."""

    seat: int
    points: int

    def copy(self) -> Levies:
        return Levies(self.seat, self.points)


@dataclass(frozen=True, slots=True)
class ChooseBattle(Fixed):
    """7.1: player 1 picks a battle."""


@dataclass(slots=True)
class Battle:
    """7.2: a battle is fought; while `hits` are left, the enemy of `side` takes them (7.4)."""

    space: int
    round: int
    attacker: int
    acted: tuple[int, ...]
    roads: dict[int, int]  # blocks that retreated over an edge this round
    sailed: tuple[bool, bool]  # who has used his sea retreat this round
    hits: int
    side: int  # whose battle turn it is
    ready: tuple[int, ...]  # the blocks of that side that have the turn: one of them acts

    def copy(self) -> Battle:
        return Battle(
            self.space,
            self.round,
            self.attacker,
            self.acted,
            self.roads.copy(),
            self.sailed,
            self.hits,
            self.side,
            self.ready,
        )


@dataclass(slots=True)
class RegroupPhase:
    """7.7: the victor of a battle regroups."""

    seat: int
    space: int
    roads: dict[int, int]

    def copy(self) -> RegroupPhase:
        return RegroupPhase(self.seat, self.space, self.roads.copy())


@dataclass(frozen=True, slots=True)
class WinterNavis(Fixed):
    """8.3: a seat brings its Navis to port."""

    seat: int


@dataclass(frozen=True, slots=True)
class WinterDisband(Fixed):
    """8.4, 8.5: a seat disbands."""

    seat: int


@dataclass(frozen=True, slots=True)
class Over(Fixed):
    """1.2: the game has ended."""

    winner: int
    reason: str


Phase: TypeAlias = (
    Deploy
    | ChooseDiscard
    | ChooseCard
    | JupiterCalls
    | Defection
    | VulcanBurns
    | ChooseSurprise
    | Moves
    | Levies
    | ChooseBattle
    | Battle
    | RegroupPhase
    | WinterNavis
    | WinterDisband
    | Over
)

PHASE_NAMES: dict[type, str] = {
    Deploy: "deploy",
    ChooseDiscard: "discard",
    ChooseCard: "card",
    JupiterCalls: "god",
    Defection: "god",
    VulcanBurns: "god",
    ChooseSurprise: "god",
    Moves: "moves",
    Levies: "levies",
    ChooseBattle: "battle_pick",
    Battle: "battle",
    RegroupPhase: "regroup",
    WinterNavis: "winter_navis",
    WinterDisband: "winter_disband",
    Over: "over",
}


def phase_name(phase: Phase) -> str:
    """Return the phase's name in the notation."""
    return "hits" if type(phase) is Battle and phase.hits else PHASE_NAMES[type(phase)]
