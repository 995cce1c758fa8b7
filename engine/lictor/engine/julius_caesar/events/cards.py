"""5.3, 2.1: deployment and cards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lictor.engine.game import Viewer
from lictor.engine.julius_caesar.events.event import Event, OwnersEvent, spoken


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

    card: int

    def words(self) -> str:
        return f"You lay card {self.card} face-down."


@dataclass(frozen=True, slots=True)
class CardsRevealed(Event):
    """2.1: both cards are turned up."""

    cards: Mapping[str, int]
    names: Mapping[str, str]

    def reveals(self, viewer: Viewer) -> Iterable[str]:
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
