"""The state of a game: who stands where, and what is being decided."""

from __future__ import annotations

from typing import NamedTuple

from lictor.engine.chance import Chance
from lictor.engine.julius_caesar import events as tell
from lictor.engine.julius_caesar.actions import Action
from lictor.engine.julius_caesar.events import Event
from lictor.engine.julius_caesar.facts import SEATS, Facts
from lictor.engine.julius_caesar.phases import Battle, ChooseBattle, ChooseCard, ChooseDiscard, Over, Phase

POOL, DEAD = -1, -2  # where a block is that is not on the map
NOBODY = -1
NO_CARD = 0
FIRST_YEAR, LAST_YEAR, TURNS = 705, 709, 5


class Fight(NamedTuple):
    """A contested space: who attacks, by which neighbour the main attack came, and all ways in, by seat (6.12)."""

    attacker: int
    main: int  # NOBODY when the battle began without a move
    entered: tuple[tuple[int, ...], tuple[int, ...]]


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
        """7.5: a block that lost its last step leaves; Cleopatra joins the other side at I (7.52, ruling 30)."""
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
        """1.2: values of friendly cities, and one for each dead enemy leader; live, decisive in winter (ruling 18)."""
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
