"""The state of a game: who stands where, and what is being decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from lictor.engine.chance import Chance
from lictor.engine.julius_caesar import events as tell
from lictor.engine.julius_caesar.actions import Action
from lictor.engine.julius_caesar.events import Event
from lictor.engine.julius_caesar.facts import SEATS, Facts

POOL, DEAD = -1, -2  # where a block is that is not on the map
NOBODY = -1
NO_CARD = 0
FIRST_YEAR, LAST_YEAR, TURNS = 705, 709, 5


class Fight(NamedTuple):
    """A contested space: who attacks, by which neighbour the main attack came, and all ways in, by seat (6.12)."""

    attacker: int
    main: int  # NOBODY when the battle began without a move
    entered: tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(slots=True)
class Deploy:
    """5.3: a seat rearranges its blocks."""

    seat: int
    swaps: int

    def copy(self) -> Deploy:
        return Deploy(self.seat, self.swaps)


@dataclass(slots=True)
class ChooseDiscard:
    """2.1: both put one of six cards away; who has answered has a discard."""

    def copy(self) -> ChooseDiscard:
        return self


@dataclass(slots=True)
class ChooseCard:
    """2.1: both play a card in secret; who has answered has a card played."""

    def copy(self) -> ChooseCard:
        return self


@dataclass(slots=True)
class JupiterCalls:
    """Jupiter: choose where a block shall defect."""

    seat: int

    def copy(self) -> JupiterCalls:
        return self


@dataclass(slots=True)
class Defection:
    """Jupiter: choose the city the drawn block goes to."""

    seat: int
    block: int

    def copy(self) -> Defection:
        return self


@dataclass(slots=True)
class VulcanBurns:
    """Vulcan: choose the city."""

    seat: int

    def copy(self) -> VulcanBurns:
        return self


@dataclass(slots=True)
class ChooseSurprise:
    """Mars, Neptune: choose the battle."""

    seat: int

    def copy(self) -> ChooseSurprise:
        return self


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


@dataclass(slots=True)
class ChooseBattle:
    """7.1: player 1 picks a battle."""

    def copy(self) -> ChooseBattle:
        return self


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


@dataclass(slots=True)
class WinterNavis:
    """8.3: a seat brings its Navis to port."""

    seat: int

    def copy(self) -> WinterNavis:
        return self


@dataclass(slots=True)
class WinterDisband:
    """8.4, 8.5: a seat disbands."""

    seat: int

    def copy(self) -> WinterDisband:
        return self


@dataclass(slots=True)
class Over:
    """1.2: the game has ended."""

    winner: int
    reason: str

    def copy(self) -> Over:
        return self


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


def deciders(state: State) -> tuple[int, ...]:
    """Return the seats that owe a decision."""
    phase = state.phase
    if type(phase) is Battle:
        return (1 - phase.side,) if phase.hits else (phase.side,)
    if isinstance(phase, ChooseDiscard):
        return tuple([seat for seat in (0, 1) if state.discards[seat] == NO_CARD])
    if isinstance(phase, ChooseCard):
        return tuple([seat for seat in (0, 1) if state.played[seat] == NO_CARD])
    if isinstance(phase, ChooseBattle):
        return (state.player1,)
    if isinstance(phase, Over):
        return ()
    assert not isinstance(phase, Battle)
    return (phase.seat,)


def phase_name(phase: Phase) -> str:
    """Return the phase's name in the notation."""
    return "hits" if type(phase) is Battle and phase.hits else PHASE_NAMES[type(phase)]


class State:
    """A game in progress. Blocks, spaces and seats are indexes into the facts."""

    __slots__ = (
        "at", "chance", "data", "deck", "deployment", "discards", "edition", "facts", "fights", "hands", "known_legal",
        "last_played", "moved", "phase", "played", "player1", "reserve", "side", "spent", "stacks", "steps", "surprise",
        "turn", "year",
    )  # fmt: skip

    def __init__(self, facts: Facts, edition: str, deployment: str, chance: Chance) -> None:
        self.facts = facts
        self.edition = edition
        self.deployment = deployment
        self.chance = chance
        self.year, self.turn = FIRST_YEAR, 1
        self.phase: Phase = ChooseDiscard()
        blocks, spaces = len(facts.blocks), len(facts.spaces)
        self.at = [POOL] * blocks
        self.side = list(facts.home)  # the present owner
        self.steps = [0] * blocks  # steps left; 0 off the map
        self.moved = [False] * blocks
        self.reserve = [False] * blocks
        self.stacks: tuple[list[tuple[int, ...]], list[tuple[int, ...]]] = ([()] * spaces, [()] * spaces)
        self.fights: dict[int, Fight] = {}
        self.hands: list[tuple[int, ...]] = [(), ()]
        self.discards = [NO_CARD, NO_CARD]
        self.played = [NO_CARD, NO_CARD]  # this turn's card; a revealed Apollo is the card it copies
        self.last_played = [NO_CARD, NO_CARD]
        self.spent: list[tuple[int, ...]] = [(), ()]  # cards played this year, as they were, in order
        self.deck: tuple[int, ...] = ()  # not dealt this year
        self.player1 = NOBODY
        self.surprise = NOBODY  # the space where Mars or Neptune favours the attacker
        self.known_legal: tuple[int, list[Action]] | None = None

    def copy(self, chance: Chance) -> State:
        """Return an independent twin that draws from `chance`."""
        twin = State.__new__(State)
        twin.facts = self.facts
        twin.edition = self.edition
        twin.deployment = self.deployment
        twin.chance = chance
        twin.year, twin.turn = self.year, self.turn
        twin.phase = self.phase.copy()
        twin.at = self.at.copy()
        twin.side = self.side.copy()
        twin.steps = self.steps.copy()
        twin.moved = self.moved.copy()
        twin.reserve = self.reserve.copy()
        twin.stacks = (self.stacks[0].copy(), self.stacks[1].copy())
        twin.fights = self.fights.copy()
        twin.hands = self.hands.copy()
        twin.discards = self.discards.copy()
        twin.played = self.played.copy()
        twin.last_played = self.last_played.copy()
        twin.spent = self.spent.copy()
        twin.deck = self.deck
        twin.player1 = self.player1
        twin.surprise = self.surprise
        twin.known_legal = self.known_legal
        return twin

    # 4.21, 4.4: a space is friendly to who alone stands in it.

    def is_friendly(self, space: int, seat: int) -> bool:
        return bool(self.stacks[seat][space]) and not self.stacks[1 - seat][space]

    def has_enemy(self, space: int, seat: int) -> bool:
        return bool(self.stacks[1 - seat][space])

    def is_contested(self, space: int) -> bool:
        return bool(self.stacks[0][space]) and bool(self.stacks[1][space])

    def put(self, block: int, space: int) -> None:
        """Stand a block of the pool in a space."""
        self.at[block] = space
        stacks = self.stacks[self.side[block]]
        stacks[space] = tuple(sorted((*stacks[space], block)))

    def lift(self, block: int) -> None:
        """Take a block off the map; its steps and flags go."""
        self._unstack(block)
        self.at[block] = POOL
        self.steps[block] = 0
        self.moved[block] = self.reserve[block] = False

    def shift(self, block: int, space: int) -> None:
        """Move a block of the map to another space, as a block that fights no more where it was."""
        self._unstack(block)
        self.reserve[block] = False
        self.put(block, space)

    def turn_coat(self, block: int) -> None:
        """Let a block of the map change sides where it stands."""
        space = self.at[block]
        self._unstack(block)
        self.side[block] = 1 - self.side[block]
        self.put(block, space)

    def _unstack(self, block: int) -> None:
        stacks, space = self.stacks[self.side[block]], self.at[block]
        stacks[space] = tuple([other for other in stacks[space] if other != block])

    def calm(self, space: int) -> None:
        """Forget the fight over a space that is contested no more."""
        if space in self.fights and not self.is_contested(space):
            del self.fights[space]
            for seat in (0, 1):
                for block in self.stacks[seat][space]:
                    self.reserve[block] = False
            if self.surprise == space:
                self.surprise = NOBODY

    def eliminate(self, block: int, events: list[Event]) -> None:
        """7.5: a block that lost its last step leaves; Cleopatra joins the other side at strength I (7.52)."""
        facts, space = self.facts, self.at[block]
        if block == facts.cleopatra:
            self.turn_coat(block)
            self.steps[block] = 1
            events.append(tell.CleopatraJoined(SEATS[self.side[block]], facts.spaces[space]))
        else:
            lost_by = self.side[block]
            self.lift(block)
            # Ruling 10: a defector returns to its original owner.
            self.side[block] = facts.home[block]
            self.at[block] = DEAD
            events.append(tell.Eliminated(SEATS[lost_by], facts.blocks[block], facts.spaces[space]))

    def lose_step(self, block: int, events: list[Event]) -> None:
        """7.4: a block loses one step, and its life with the last."""
        if self.steps[block] > 1:
            self.steps[block] -= 1
        else:
            self.eliminate(block, events)

    def victory_points(self) -> tuple[int, int]:
        """1.2: values of friendly cities, and one for each dead enemy leader."""
        points = [0, 0]
        ours, theirs = self.stacks
        for space, value in self.facts.valued:
            if ours[space]:
                if not theirs[space]:
                    points[0] += value
            elif theirs[space]:
                points[1] += value
        for leader in self.facts.leaders:
            if self.at[leader] == DEAD:
                points[1 - self.facts.home[leader]] += 1
        return points[0], points[1]
