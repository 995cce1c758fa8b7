"""Orders and events by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lictor.client.actions import Action
from lictor.client.games.julius_caesar.board import Board, Card
from lictor.client.games.julius_caesar.view import JuliusCaesarView
from lictor.client.games.names import Names
from lictor.client.spelling import Speller
from lictor.v1 import game_pb2

_BLOCKS = ("block", "first", "second", "first_block", "second_block")
_SPACES = ("space", "path", "city", "from_space", "to_space", "first_space", "second_space")
_CARDS = ("card", "caesar_card", "pompey_card")
_HANDS = ("caesar_hand", "pompey_hand")


class JuliusCaesarAction(Action):
    """An order with its parts by name; what it does not have is None."""

    __slots__ = ()

    @property
    def block(self) -> str | None:
        """Return the block it is about."""
        block: str | None = self._part("block")
        return block

    @property
    def space(self) -> str | None:
        """Return the space it names; for an order with a path, where that ends."""
        path = self.path
        return path[-1] if path else self._part("space")

    @property
    def path(self) -> tuple[str, ...]:
        """Return all spaces entered, in order."""
        return self._part("path") or ()

    @property
    def card(self) -> Card | None:
        """Return the card it is about."""
        card: Card | None = self._part("card")
        return card

    @property
    def swapped(self) -> tuple[str, str] | None:
        """Return the two blocks that change places."""
        first, second = self._part("first"), self._part("second")
        return (first, second) if first is not None and second is not None else None

    def _part(self, name: str) -> Any:
        return self._names.action_fields(self.raw).get(name)


class JuliusCaesarNames(Names):
    """Spells out the messages of Julius Caesar with one catalog."""

    view_class = JuliusCaesarView
    action_class = JuliusCaesarAction

    def __init__(self, catalog: game_pb2.Catalog) -> None:
        self.board = board = Board(catalog.julius_caesar)
        meanings: dict[str, Callable[[Any], Any]] = {
            **dict.fromkeys(_BLOCKS, board.block_names.__getitem__),
            **dict.fromkeys(_SPACES, board.space_names.__getitem__),
            **dict.fromkeys(_CARDS, board.cards.__getitem__),
            **dict.fromkeys(_HANDS, lambda hand: tuple([board.cards[number] for number in hand.cards])),
        }
        super().__init__(Speller(meanings))
