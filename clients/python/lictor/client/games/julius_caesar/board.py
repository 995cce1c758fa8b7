"""The static data of a match: spaces, blocks and cards by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from lictor.client.spelling import words_of
from lictor.v1 import julius_caesar_catalog_pb2 as catalog_pb2
from lictor.v1 import julius_caesar_pb2 as shared_pb2

SIDES = words_of(shared_pb2.JuliusCaesarSide.DESCRIPTOR)
COLOURS = words_of(shared_pb2.JuliusCaesarColour.DESCRIPTOR)
REASONS = words_of(shared_pb2.JuliusCaesarReason.DESCRIPTOR)
_SPACES = words_of(catalog_pb2.JuliusCaesarSpaceKind.DESCRIPTOR)
_EDGES = words_of(catalog_pb2.JuliusCaesarEdgeKind.DESCRIPTOR)
_BLOCKS = words_of(catalog_pb2.JuliusCaesarBlockKind.DESCRIPTOR)
_INITIATIVES = words_of(catalog_pb2.JuliusCaesarInitiative.DESCRIPTOR)
_LEVIES = words_of(catalog_pb2.JuliusCaesarLevyRule.DESCRIPTOR)
_CARDS = words_of(catalog_pb2.JuliusCaesarCardKind.DESCRIPTOR)


class Space(NamedTuple):
    """A space of the board."""

    name: str  # as in the notation
    title: str  # for people
    kind: str  # city, port, major_port, sea
    points: int  # victory points of its holder
    x: int
    y: int
    seas: tuple[str, ...]  # that a port lies on


class Block(NamedTuple):
    """What a block is, wherever it stands."""

    name: str  # as in the notation
    title: str  # for people
    owner: str  # caesar, pompey: from the start
    colour: str  # tan, green, blue
    kind: str  # leader, legion, auxilia, equitatus, elephant, ballista, navis, cleopatra
    defending: str  # its letter as a defender, a to d
    attacking: str
    firepower: int  # a die hits if it shows this or less
    strengths: tuple[int, ...]  # its dice: at full steps first, then after each step lost
    levy: str  # city, any_friendly_city, friendly_major_port, never
    levy_city: str | None

    def dice(self, steps: int) -> int:
        """Return its dice in battle with so many steps left."""
        return self.strengths[len(self.strengths) - steps]


class Card(NamedTuple):
    """A card."""

    number: int
    name: str  # a God's, or its points, such as "4/1"
    kind: str  # god, command
    move: int
    levy: int
    effect: str | None  # of a God, for people


class Board:
    """Spaces, ways, blocks, cards: everything that stays the same for a whole match."""

    def __init__(self, raw: catalog_pb2.JuliusCaesarCatalog) -> None:
        self.raw = raw
        self.space_names = [space.id for space in raw.spaces]
        self.block_names = [block.id for block in raw.blocks]
        self.spaces: Mapping[str, Space] = {space.id: self._space(space) for space in raw.spaces}
        self.blocks: Mapping[str, Block] = {block.id: self._block(block) for block in raw.blocks}
        self.cards: Mapping[int, Card] = {card.number: _card(card) for card in raw.cards}
        # Ways between spaces: neighbour and kind (major, minor, strait, sea), both directions.
        self.ways: dict[str, dict[str, str]] = {name: {} for name in self.space_names}
        self.edges: list[tuple[str, str]] = []
        for edge in raw.edges:
            a, b = self.space_names[edge.a], self.space_names[edge.b]
            self.edges.append((a, b))
            self.ways[a][b] = self.ways[b][a] = _EDGES[edge.kind]

    def neighbours(self, space: str) -> Mapping[str, str]:
        """Return the neighbours of a space and the kind of way to each: major, minor, strait, sea."""
        return self.ways[space]

    def _space(self, space: catalog_pb2.JuliusCaesarSpace) -> Space:
        seas = tuple([self.space_names[sea] for sea in space.seas])
        return Space(space.id, space.name, _SPACES[space.kind], space.points, space.x, space.y, seas)

    def _block(self, block: catalog_pb2.JuliusCaesarBlock) -> Block:
        return Block(
            block.id,
            block.name,
            SIDES[block.owner],
            COLOURS[block.colour],
            _BLOCKS[block.kind],
            _INITIATIVES[block.initiative_defending],
            _INITIATIVES[block.initiative_attacking],
            block.firepower,
            tuple(block.strengths),
            _LEVIES[block.levy],
            self.space_names[block.levy_city] if block.HasField("levy_city") else None,
        )


def _card(card: catalog_pb2.JuliusCaesarCard) -> Card:
    effect = card.effect if card.HasField("effect") else None
    return Card(card.number, card.name, _CARDS[card.kind], card.move, card.levy, effect)
