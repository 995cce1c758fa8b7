"""What happened, with what each viewer may see of it, and how it is told.

An event knows everything. `seen_by` gives what one viewer may see: a field he may not know is `None`, and an event he
does not notice is `None` altogether. `words` tells what is left.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from lictor.engine.game import Viewer

OWNERS = {"tan": "caesar", "green": "pompey", "blue": ""}  # who bears a colour from the start


def spoken(name: str) -> str:
    """Return an id as it is read aloud: `c_auxilia_1` is Auxilia 1."""
    bare = name[2:] if name[:2] in ("c_", "p_") else name
    return bare.replace("_", " ").title()


def listed(names: Iterable[str]) -> str:
    """Return ids as a spoken list."""
    return ", ".join(spoken(name) for name in names) or "nothing"


class Event:
    """Something that happened; public unless it says otherwise."""

    __slots__ = ()

    def seen_by(self, viewer: Viewer) -> Event | None:
        return self

    def reveals(self) -> Iterable[str]:
        """Return the blocks and cards whose hidden facts are laid open to somebody by this."""
        return ()

    def facts(self) -> dict[str, object]:
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}  # type: ignore[arg-type]
        return {"event": type(self).__name__, **values}

    def words(self) -> str:
        raise NotImplementedError


class OwnersEvent(Event):
    """An event that only the seat itself notices."""

    __slots__ = ()
    seat: str

    def seen_by(self, viewer: Viewer) -> Event | None:
        return self if viewer == self.seat else None


@dataclass(frozen=True, slots=True)
class PieceEvent(Event):
    """An event about a block whose identity only its owner sees; the others see a piece of its colour."""

    seat: str
    block: str | None
    colour: str

    def seen_by(self, viewer: Viewer) -> Self:
        return self if viewer == self.seat else dataclasses.replace(self, block=None)

    def who(self) -> str:
        """Return the block by name, or by colour where the name is hidden."""
        if self.block is not None:
            return spoken(self.block)
        return "Cleopatra" if self.colour == "blue" else f"a {self.colour} block"


# 5.3 Free deployment


@dataclass(frozen=True, slots=True)
class Swapped(Event):
    """5.3: two blocks changed places; where Cleopatra stands is public."""

    seat: str
    blocks: tuple[str, str]
    spaces: tuple[str, str]

    def seen_by(self, viewer: Viewer) -> Event | None:
        if viewer == self.seat:
            return self
        if "cleopatra" in self.blocks:
            return CleopatraPlaced(self.spaces[self.blocks.index("cleopatra")])
        return None

    def words(self) -> str:
        (first, second), (here, there) = self.blocks, self.spaces
        return f"{spoken(first)} now stands in {spoken(here)}, {spoken(second)} in {spoken(there)}."


@dataclass(frozen=True, slots=True)
class CleopatraPlaced(Event):
    """5.3: what the others see of a swap with Cleopatra."""

    space: str

    def words(self) -> str:
        return f"Cleopatra now stands in {spoken(self.space)}."


@dataclass(frozen=True, slots=True)
class Deployed(Event):
    """5.3: a seat is content with its deployment."""

    seat: str

    def words(self) -> str:
        return f"{spoken(self.seat)} has deployed."


# 2.1 Cards


@dataclass(frozen=True, slots=True)
class YearBegan(Event):
    """8.6: a year begins; eliminated blocks are back in their pools and the cards are dealt."""

    year: int
    hands: Mapping[str, tuple[int, ...] | None]

    def seen_by(self, viewer: Viewer) -> YearBegan:
        return YearBegan(self.year, {seat: cards if seat == viewer else None for seat, cards in self.hands.items()})

    def words(self) -> str:
        own = [f" Your cards: {', '.join(map(str, cards))}." for cards in self.hands.values() if cards]
        return f"The year {self.year} begins.{own[0] if len(own) == 1 else ''}"


@dataclass(frozen=True, slots=True)
class Discarded(OwnersEvent):
    """2.1: a seat put a card away, unseen."""

    seat: str
    card: int

    def words(self) -> str:
        return f"You put card {self.card} away."


@dataclass(frozen=True, slots=True)
class DiscardsMade(Event):
    """2.1: both have discarded."""

    def words(self) -> str:
        return "Both have put a card away."


@dataclass(frozen=True, slots=True)
class CardChosen(OwnersEvent):
    """2.1: a seat laid a card face-down."""

    seat: str
    card: int

    def words(self) -> str:
        return f"You lay card {self.card} face-down."


@dataclass(frozen=True, slots=True)
class CardsRevealed(Event):
    """2.1: both cards are turned up."""

    cards: Mapping[str, int]
    names: Mapping[str, str]

    def reveals(self) -> Iterable[str]:
        return [f"card:{card}" for card in self.cards.values()]

    def words(self) -> str:
        return "; ".join(f"{spoken(seat)} plays {name}" for seat, name in self.names.items()) + "."


@dataclass(frozen=True, slots=True)
class ApolloCopied(Event):
    """Apollo: becomes the card the opponent played last turn."""

    seat: str
    card: int
    name: str

    def words(self) -> str:
        return f"Apollo copies {self.name} for {spoken(self.seat)}."


@dataclass(frozen=True, slots=True)
class TurnCancelled(Event):
    """2.1: two Gods cancel each other, and the turn ends."""

    def words(self) -> str:
        return "Two Gods cancel each other; the turn ends."


@dataclass(frozen=True, slots=True)
class FirstPlayer(Event):
    """2.1: who is player 1 this turn."""

    seat: str
    year: int
    turn: int

    def words(self) -> str:
        return f"{self.year}, turn {self.turn}: {spoken(self.seat)} commands first."


# 6.0 Command


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


# God cards


@dataclass(frozen=True, slots=True)
class JupiterCalled(Event):
    """Jupiter: a block of a place was drawn. `among` is for the fog law alone and shown to nobody."""

    seat: str
    space: str
    among: tuple[str, ...]

    def seen_by(self, viewer: Viewer) -> JupiterCalled:
        return JupiterCalled(self.seat, self.space, ())

    def reveals(self) -> Iterable[str]:
        return self.among

    def words(self) -> str:
        return f"{spoken(self.seat)} calls on Jupiter against {spoken(self.space)}."


@dataclass(frozen=True, slots=True)
class Shown(Event):
    """Jupiter: a leader or Navis does not defect; it is shown and will lose a step."""

    seat: str
    block: str
    space: str
    steps: int

    def reveals(self) -> Iterable[str]:
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

    def seen_by(self, viewer: Viewer) -> Defecting:
        if viewer in OWNERS.values():
            return self
        return dataclasses.replace(self, block=None, steps=None)

    def reveals(self) -> Iterable[str]:
        return () if self.block is None else (self.block,)

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
    """Vulcan: every block of a city loses a step. `among` is for the fog law alone and shown to nobody."""

    seat: str
    space: str
    among: tuple[str, ...]

    def seen_by(self, viewer: Viewer) -> VulcanStruck:
        return VulcanStruck(self.seat, self.space, ())

    def reveals(self) -> Iterable[str]:
        return self.among

    def words(self) -> str:
        return f"Vulcan strikes {spoken(self.space)} for {spoken(self.seat)}."


@dataclass(frozen=True, slots=True)
class StepLost(OwnersEvent):
    """Vulcan: a block lost a step; only its owner sees which."""

    seat: str
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


# 7.0 Battles


@dataclass(frozen=True, slots=True)
class BattleBegan(Event):
    """7.1: a battle is fought now."""

    space: str
    attacker: str

    def words(self) -> str:
        return f"Battle of {spoken(self.space)}: {spoken(self.attacker)} attacks."


@dataclass(frozen=True, slots=True)
class Revealed(Event):
    """7.1, 7.3: blocks are tipped forward: (seat, block, steps) each."""

    space: str
    blocks: tuple[tuple[str, str, int], ...]

    def reveals(self) -> Iterable[str]:
        return [block for _, block, _ in self.blocks]

    def words(self) -> str:
        sides = []
        for seat in ("caesar", "pompey"):
            own = [f"{spoken(block)} {steps}" for side, block, steps in self.blocks if side == seat]
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

    def reveals(self) -> Iterable[str]:
        return (self.block,)

    def words(self) -> str:
        return f"{spoken(self.block)} is eliminated in {spoken(self.space)}."


@dataclass(frozen=True, slots=True)
class CleopatraJoined(Event):
    """7.52: Cleopatra was beaten and joins the other side at strength I."""

    seat: str
    space: str

    def reveals(self) -> Iterable[str]:
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

    def words(self) -> str:
        return f"{spoken(self.seat)}: {self.who()} regroups {spoken(self.path[0])} - {spoken(self.path[1])}."


@dataclass(frozen=True, slots=True)
class RegroupEnded(Event):
    """7.7: the victor regroups no more."""

    seat: str
    space: str

    def words(self) -> str:
        return f"{spoken(self.seat)} stands in {spoken(self.space)}."


# 8.0 Winter


@dataclass(frozen=True, slots=True)
class CleopatraWentHome(Event):
    """8.1: Cleopatra returns to Alexandria, and joins who holds it."""

    seat: str
    changed: bool

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

    def reveals(self) -> Iterable[str]:
        return (self.block,) if self.block and OWNERS[self.colour] != self.seat else ()

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
