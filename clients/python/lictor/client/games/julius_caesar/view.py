"""A position of Julius Caesar by name."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from lictor.client.games.julius_caesar.board import COLOURS, REASONS, SIDES, Board, Card
from lictor.client.games.julius_caesar.parts import (
    Battle,
    Defector,
    FaceUp,
    Fight,
    Outcome,
    OwnBlock,
    Pieces,
    RoadUse,
)
from lictor.client.spelling import words_of
from lictor.client.views import View
from lictor.v1 import julius_caesar_observation_pb2 as view_pb2

_PHASES = words_of(view_pb2.JuliusCaesarPhase.DESCRIPTOR)
_ENTRANCES = words_of(view_pb2.JuliusCaesarEntranceKind.DESCRIPTOR)
SEATS = ("caesar", "pompey")


class JuliusCaesarView(View):
    """All that a seat may know of a position. Dictionaries are by seat: "caesar", "pompey"."""

    @cached_property
    def _seen(self) -> view_pb2.JuliusCaesarObservation:
        return self.raw.julius_caesar

    @property
    def board(self) -> Board:
        """Return spaces, ways, blocks and cards: what never changes."""
        board: Board = self.names.board
        return board

    @property
    def enemy(self) -> str:
        """Return the other seat."""
        return SEATS[self.seat == SEATS[0]]

    # --- Where the game stands ---

    @property
    def year(self) -> int:
        """Return the year, 705 to 709."""
        return self._seen.year

    @property
    def turn(self) -> int:
        """Return the turn of the year, 1 to 5."""
        return self._seen.turn

    @property
    def phase(self) -> str:
        """Return what is being decided, such as "moves"."""
        return _PHASES[self._seen.phase]

    @property
    def to_act(self) -> tuple[str, ...]:
        """Return the seats that owe a decision, as far as this one may know."""
        return tuple([SIDES[side] for side in self._seen.to_act])

    @property
    def player1(self) -> str | None:
        """Return who commands first this turn; None before the cards are revealed."""
        return SIDES[self._seen.player1] if self._seen.HasField("player1") else None

    @property
    def moves_left(self) -> int:
        """Return the group moves that the side in command has left."""
        return self._seen.moves_left

    @property
    def levies_left(self) -> int:
        """Return the levy points that the side in command has left."""
        return self._seen.levies_left

    @property
    def points(self) -> dict[str, int]:
        """Return the victory points as things stand."""
        return {"caesar": self._seen.caesar_points, "pompey": self._seen.pompey_points}

    @property
    def outcome(self) -> Outcome | None:
        """Return how the game ended; None while it goes on."""
        if not self._seen.HasField("outcome"):
            return None
        outcome = self._seen.outcome
        return Outcome(SIDES[outcome.winner] if outcome.HasField("winner") else None, REASONS[outcome.reason])

    # --- Blocks ---

    @cached_property
    def blocks(self) -> tuple[OwnBlock, ...]:
        """Return the blocks on the map that this seat commands."""
        own, blocks, spaces = self._seen.own_blocks, self.board.block_names, self.board.space_names
        rows = zip(own.block, own.space, own.steps, own.moved, own.reserve, strict=True)
        return tuple(
            [OwnBlock(blocks[block], spaces[space], steps, moved, kept) for block, space, steps, moved, kept in rows]
        )

    @cached_property
    def pieces(self) -> tuple[Pieces, ...]:
        """Return the enemy's blocks that stand upright; those tipped forward are in `battle.face_up`."""
        seen, spaces = self._seen.pieces, self.board.space_names
        rows = zip(seen.space, seen.side, seen.colour, seen.moved, seen.reserve, seen.number, strict=True)
        return tuple([Pieces(spaces[space], SIDES[side], COLOURS[col], *rest) for space, side, col, *rest in rows])

    def own_at(self, space: str) -> list[OwnBlock]:
        """Return the own blocks in a space."""
        return [block for block in self.blocks if block.space == self._known(space)]

    def enemy_at(self, space: str) -> list[Pieces]:
        """Return the enemy's upright blocks in a space."""
        return [piece for piece in self.pieces if piece.space == self._known(space)]

    @property
    def pool(self) -> tuple[str, ...]:
        """Return the blocks in the own levy pool."""
        return self._blocks(self._seen.pool)

    @property
    def pool_sizes(self) -> dict[str, int]:
        """Return how many blocks are in each levy pool."""
        return {"caesar": self._seen.caesar_pool_size, "pompey": self._seen.pompey_pool_size}

    @property
    def dead(self) -> tuple[str, ...]:
        """Return the blocks eliminated this year, and dead leaders."""
        return self._blocks(self._seen.dead)

    @property
    def deserters(self) -> tuple[str, ...]:
        """Return the own blocks that serve the enemy now."""
        return self._blocks(self._seen.deserters)

    @property
    def defector(self) -> Defector | None:
        """Return the block that Jupiter drew, until its new city is named."""
        if not self._seen.HasField("defector"):
            return None
        seen = self._seen.defector
        return Defector(
            self.board.space_names[seen.space],
            COLOURS[seen.colour],
            seen.moved,
            seen.reserve,
            self.board.block_names[seen.block] if seen.HasField("block") else None,
            seen.steps if seen.HasField("steps") else None,
        )

    # --- Cards ---

    @property
    def hand(self) -> tuple[Card, ...]:
        """Return the cards in the own hand."""
        return self._cards(self._seen.hand)

    @property
    def hand_sizes(self) -> dict[str, int]:
        """Return how many cards each side holds."""
        return {"caesar": self._seen.caesar_hand_size, "pompey": self._seen.pompey_hand_size}

    @property
    def played(self) -> dict[str, Card | None]:
        """Return the cards of this turn, once revealed; an Apollo is the card it copies."""
        return {seat: self._card(f"{seat}_played") for seat in SEATS}

    @property
    def last_played(self) -> dict[str, Card | None]:
        """Return the cards of the last turn, which an Apollo copies."""
        return {seat: self._card(f"{seat}_last_played") for seat in SEATS}

    @property
    def spent(self) -> dict[str, tuple[Card, ...]]:
        """Return the cards played this year, in order."""
        return {"caesar": self._cards(self._seen.caesar_spent), "pompey": self._cards(self._seen.pompey_spent)}

    @property
    def discard(self) -> Card | None:
        """Return the card that this seat put away this year."""
        return self._card("discard")

    @property
    def chosen(self) -> Card | None:
        """Return the card that this seat has laid face-down while the enemy still chooses."""
        return self._card("chosen")

    # --- Command and battle ---

    @property
    def fights(self) -> tuple[Fight, ...]:
        """Return the contested spaces."""
        fights, entrances, spaces = self._seen.fights, self._seen.entrances, self.board.space_names
        ways: dict[tuple[int, str], list[str]] = {}
        for space, came, kind in zip(entrances.space, entrances.from_space, entrances.kind, strict=True):
            ways.setdefault((space, _ENTRANCES[kind]), []).append(spaces[came])
        return tuple(
            [
                Fight(
                    spaces[space],
                    SIDES[attacker],
                    next(iter(ways.get((space, "main"), ())), None),
                    {seat: tuple(ways.get((space, seat), ())) for seat in SEATS},
                )
                for space, attacker in zip(fights.space, fights.attacker, strict=True)
            ]
        )

    @property
    def battle(self) -> Battle | None:
        """Return the battle that is being fought, if one is."""
        if not self._seen.HasField("battle"):
            return None
        seen, blocks = self._seen.battle, self.board.block_names
        up = seen.face_up
        rows = zip(up.block, up.side, up.steps, up.moved, up.acted, strict=True)
        return Battle(
            self.board.space_names[seen.space],
            seen.round,
            SIDES[seen.attacker],
            SIDES[seen.side],
            self._blocks(seen.ready),
            seen.hits,
            tuple(
                [FaceUp(blocks[block], SIDES[side], steps, moved, acted) for block, side, steps, moved, acted in rows]
            ),
            {"caesar": seen.caesar_sailed, "pompey": seen.pompey_sailed},
        )

    @property
    def surprise(self) -> str | None:
        """Return the contested space where Mars or Neptune favours the attacker."""
        return self.board.space_names[self._seen.surprise] if self._seen.HasField("surprise") else None

    @property
    def opened(self) -> tuple[str, ...]:
        """Return the spaces whose groups are paid for: their other blocks move free."""
        return self._spaces(self._seen.opened)

    @property
    def kept(self) -> tuple[str, ...]:
        """Return the seas crossed by voyages this turn, where one Navis must stay."""
        return self._spaces(self._seen.kept)

    @property
    def roads(self) -> tuple[RoadUse, ...]:
        """Return the roads in use, for their limits."""
        rows = zip(self._seen.roads.edge, self._seen.roads.blocks, strict=True)
        return tuple([RoadUse(*self.board.edges[edge], blocks) for edge, blocks in rows])

    @property
    def regroup(self) -> str | None:
        """Return the space whose victor regroups."""
        return self.board.space_names[self._seen.regroup] if self._seen.HasField("regroup") else None

    @property
    def swaps(self) -> int | None:
        """Return how many swaps this seat has made, while it deploys."""
        return self._seen.swaps if self._seen.HasField("swaps") else None

    # --- Names ---

    def _known(self, space: str) -> str:
        if space not in self.board.spaces:
            raise KeyError(f"no space {space!r}; names are as in the notation, such as 'rome': see view.board.spaces")
        return space

    def _blocks(self, rows: Iterable[int]) -> tuple[str, ...]:
        return tuple([self.board.block_names[row] for row in rows])

    def _spaces(self, rows: Iterable[int]) -> tuple[str, ...]:
        return tuple([self.board.space_names[row] for row in rows])

    def _cards(self, numbers: Iterable[int]) -> tuple[Card, ...]:
        return tuple([self.board.cards[number] for number in numbers])

    def _card(self, field: str) -> Card | None:
        return self.board.cards[getattr(self._seen, field)] if self._seen.HasField(field) else None  # type: ignore[arg-type]
