"""The orders a player may speak, and their notation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from lictor.engine.game import BadNotation


@dataclass(frozen=True, slots=True)
class Bare:
    """An order that needs no object."""

    verb: ClassVar[str] = ""

    def __str__(self) -> str:
        return self.verb


@dataclass(frozen=True, slots=True)
class OfCard:
    """An order about a card, by its number 1-27."""

    verb: ClassVar[str] = ""
    card: int

    def __str__(self) -> str:
        return f"{self.verb} {self.card}"


@dataclass(frozen=True, slots=True)
class OfSpace:
    """An order about a space."""

    verb: ClassVar[str] = ""
    space: str

    def __str__(self) -> str:
        return f"{self.verb} {self.space}"


@dataclass(frozen=True, slots=True)
class OfBlock:
    """An order about a block."""

    verb: ClassVar[str] = ""
    block: str

    def __str__(self) -> str:
        return f"{self.verb} {self.block}"


@dataclass(frozen=True, slots=True)
class BlockTo:
    """An order that puts a block into a space."""

    verb: ClassVar[str] = ""
    block: str
    space: str

    def __str__(self) -> str:
        return f"{self.verb} {self.block} {self.space}"


@dataclass(frozen=True, slots=True)
class BlockAlong:
    """An order that sends a block along a path: all spaces entered, in order."""

    verb: ClassVar[str] = ""
    block: str
    path: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join((self.verb, self.block, *self.path))


class EndDeployment(Bare):
    """5.3: keep the deployment as it is."""

    __slots__ = ()
    verb = "end_deployment"


class EndMoves(Bare):
    """6.1: move no more this turn."""

    __slots__ = ()
    verb = "end_moves"


class EndLevies(Bare):
    """6.4: levy no more this turn."""

    __slots__ = ()
    verb = "end_levies"


class EndRegroup(Bare):
    """7.7: leave the other victors where they are."""

    __slots__ = ()
    verb = "end_regroup"


class EndDisband(Bare):
    """8.5: disband no more this winter."""

    __slots__ = ()
    verb = "end_disband"


class Decline(Bare):
    """Let Jupiter, or a Vulcan without a target, pass."""

    __slots__ = ()
    verb = "decline"


class Discard(OfCard):
    """2.1: put one of six cards away, unseen."""

    __slots__ = ()
    verb = "discard"


class Play(OfCard):
    """2.1: play a card face-down."""

    __slots__ = ()
    verb = "play"


class Jupiter(OfSpace):
    """Jupiter: name the place whose block shall defect."""

    __slots__ = ()
    verb = "jupiter"


class JupiterTo(OfSpace):
    """Jupiter: name the friendly city the defector goes to."""

    __slots__ = ()
    verb = "jupiter_to"


class Vulcan(OfSpace):
    """Vulcan: name the city that burns."""

    __slots__ = ()
    verb = "vulcan"


class Surprise(OfSpace):
    """Mars, Neptune: name the battle that is favoured."""

    __slots__ = ()
    verb = "surprise"


class PickBattle(OfSpace):
    """7.1: player 1 names the next battle."""

    __slots__ = ()
    verb = "battle"


class Reinforce(OfBlock):
    """6.4: add a step to a block."""

    __slots__ = ()
    verb = "reinforce"


class Fire(OfBlock):
    """7.4: fire with a block."""

    __slots__ = ()
    verb = "fire"


class Pass(OfBlock):
    """7.2: let a block's battle turn go by."""

    __slots__ = ()
    verb = "pass"


class Hit(OfBlock):
    """7.4: take one hit on a block."""

    __slots__ = ()
    verb = "hit"


class Disband(OfBlock):
    """8.4, 8.5: return a block to the levy pool."""

    __slots__ = ()
    verb = "disband"


class Levy(BlockTo):
    """6.4: raise a new block in a city."""

    __slots__ = ()
    verb = "levy"


class Regroup(BlockTo):
    """7.7: send a victorious block to an adjacent space."""

    __slots__ = ()
    verb = "regroup"


class Port(BlockTo):
    """8.3: bring a Navis to port."""

    __slots__ = ()
    verb = "port"


class Move(BlockAlong):
    """6.1, 6.2: move a block by land, or a Navis by sea."""

    __slots__ = ()
    verb = "move"


class Sail(BlockAlong):
    """6.3: carry a land block over seas to a port."""

    __slots__ = ()
    verb = "sail"


class Retreat(BlockAlong):
    """7.6: retreat; with an empty path the block must retreat and cannot."""

    __slots__ = ()
    verb = "retreat"


@dataclass(frozen=True, slots=True)
class Swap:
    """5.3: exchange two own blocks; `first` is the alphabetically smaller."""

    verb: ClassVar[str] = "swap"
    first: str
    second: str

    def __str__(self) -> str:
        return f"swap {self.first} {self.second}"


Action: TypeAlias = Bare | OfCard | OfSpace | OfBlock | BlockTo | BlockAlong | Swap
ACTION_TYPES = (Bare, OfCard, OfSpace, OfBlock, BlockTo, BlockAlong, Swap)

END_DEPLOYMENT, END_MOVES, END_LEVIES = EndDeployment(), EndMoves(), EndLevies()
END_REGROUP, END_DISBAND, DECLINE = EndRegroup(), EndDisband(), Decline()

_BARE: dict[str, Bare] = {
    action.verb: action for action in (END_DEPLOYMENT, END_MOVES, END_LEVIES, END_REGROUP, END_DISBAND, DECLINE)
}
_OF_CARD: dict[str, type[OfCard]] = {kind.verb: kind for kind in (Discard, Play)}
_OF_SPACE: dict[str, type[OfSpace]] = {kind.verb: kind for kind in (Jupiter, JupiterTo, Vulcan, Surprise, PickBattle)}
_OF_BLOCK: dict[str, type[OfBlock]] = {kind.verb: kind for kind in (Reinforce, Fire, Pass, Hit, Disband)}
_BLOCK_TO: dict[str, type[BlockTo]] = {kind.verb: kind for kind in (Levy, Regroup, Port)}
# How many spaces a path may have: a Mercury move three; a voyage crosses any of the seas.
_BLOCK_ALONG: dict[str, tuple[type[BlockAlong], int, int]] = {
    "move": (Move, 1, 3),
    "sail": (Sail, 2, 20),
    "retreat": (Retreat, 0, 2),
}
VERBS = (*_BARE, *_OF_CARD, *_OF_SPACE, *_OF_BLOCK, *_BLOCK_TO, *_BLOCK_ALONG, "swap")

_CARDS = 27
_LONGEST = 400  # no action of the game is longer
_WORD = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)
_NUMBER = re.compile(r"[1-9][0-9]?", re.ASCII)


def parse_action(text: object) -> Action:
    """Read an action from its notation, or raise `BadNotation`."""
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise BadNotation(f"an action is a text of at most {_LONGEST} characters")
    verb, *words = text.split(" ")
    if verb in _OF_CARD:
        if len(words) != 1 or not _NUMBER.fullmatch(words[0]) or int(words[0]) > _CARDS:
            raise _bad(text, f"{verb} takes one card number, 1 to {_CARDS}")
        return _OF_CARD[verb](int(words[0]))
    if not all(_WORD.fullmatch(word) for word in words):
        raise _bad(text, "ids are lower-case letters, digits and underscores, with single blanks between")
    if verb in _BARE:
        if words:
            raise _bad(text, f"{verb} takes nothing more")
        return _BARE[verb]
    if verb in _OF_SPACE or verb in _OF_BLOCK:
        if len(words) != 1:
            raise _bad(text, f"{verb} takes one {'space' if verb in _OF_SPACE else 'block'}")
        return _OF_SPACE[verb](words[0]) if verb in _OF_SPACE else _OF_BLOCK[verb](words[0])
    if verb in _BLOCK_TO:
        if len(words) != 2:
            raise _bad(text, f"{verb} takes a block and a space")
        return _BLOCK_TO[verb](words[0], words[1])
    if verb in _BLOCK_ALONG:
        kind, fewest, most = _BLOCK_ALONG[verb]
        if not fewest <= len(words) - 1 <= most:
            raise _bad(text, f"{verb} takes a block and {fewest} to {most} spaces")
        return kind(words[0], tuple(words[1:]))
    if verb == "swap":
        if len(words) != 2 or words[0] >= words[1]:
            raise _bad(text, "swap takes two different blocks in alphabetical order")
        return Swap(words[0], words[1])
    raise _bad(text, f"the first word must be one of {', '.join(VERBS)}")


def _bad(text: str, why: str) -> BadNotation:
    return BadNotation(f"{text!r:.80} is not an action: {why}")
