"""Statements about what is hidden, true or not in a full state: how bots say what they believe.

`at BLOCK SPACE` (or `pool`, `dead`), `steps BLOCK N`, `hand SEAT CARD`, `discard SEAT CARD`, and `played SEAT CARD`:
the card of this turn, while it lies face-down and after.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lictor.engine.game import CLAIM_LENGTH, MOST_CLAIMS, BadNotation, Viewer, smoothed
from lictor.engine.julius_caesar.facts import SEATS
from lictor.engine.julius_caesar.observation import viewer_index
from lictor.engine.julius_caesar.phases import Battle, ChooseCard, ChooseDiscard, Defection
from lictor.engine.julius_caesar.state import DEAD, NO_CARD, POOL, State

_OFF_MAP = {"pool": POOL, "dead": DEAD}
_OFF_MAP_NAMES = {place: name for name, place in _OFF_MAP.items()}
_CARDS = 27
_WORD = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)
_STEPS = re.compile(r"[0-4]", re.ASCII)
_CARD = re.compile(r"[1-9]|1[0-9]|2[0-7]", re.ASCII)
_SEAT = re.compile("|".join(SEATS), re.ASCII)

_OF_SEAT = (_SEAT, _CARD, f"a seat ({' or '.join(SEATS)}) and a card number, 1 to {_CARDS}")
KINDS = {
    "at": (_WORD, _WORD, "a block and a space, or pool or dead"),
    "steps": (_WORD, _STEPS, "a block and a number of steps, 0 to 4"),
    "hand": _OF_SEAT,
    "discard": _OF_SEAT,
    "played": _OF_SEAT,
}


class Claim(NamedTuple):
    """A statement of a kind about a block or a seat."""

    kind: str
    subject: str
    value: str

    def __str__(self) -> str:
        return " ".join(self)


def parse_claim(text: object) -> Claim:
    """Read a claim from its notation, or raise `BadNotation`."""
    if not isinstance(text, str) or len(text) > CLAIM_LENGTH:
        raise BadNotation(f"a claim is a text of at most {CLAIM_LENGTH} characters")
    kind, *words = text.split(" ")
    if kind not in KINDS:
        raise BadNotation(f"{text!r} is not a claim: the first word must be one of {', '.join(KINDS)}")
    subject, value, takes = KINDS[kind]
    if len(words) != 2 or not subject.fullmatch(words[0]) or not value.fullmatch(words[1]):
        raise BadNotation(f"{text!r} is not a claim: {kind} takes {takes}")
    return Claim(kind, words[0], words[1])


def holds(state: State, claim: Claim) -> bool:
    """Tell whether a claim is true in `state`; raise `BadNotation` if it names what its data set does not have."""
    match claim.kind:
        case "at":
            return state.at[_block(state, claim.subject)] == _place(state, claim.value)
        case "steps":
            return state.steps[_block(state, claim.subject)] == int(claim.value)
    seat, card = SEATS.index(claim.subject), int(claim.value)
    match claim.kind:
        case "hand":
            return card in _hand(state, seat)
        case "discard":
            return state.discards[seat] == card
    return _played(state, seat) == card


def _block(state: State, name: str) -> int:
    block = state.facts.block_index.get(name)
    if block is None:
        raise BadNotation(f"there is no block {name!r}")
    return block


def _place(state: State, name: str) -> int:
    place = _OFF_MAP.get(name, state.facts.space_index.get(name))
    if place is None:
        raise BadNotation(f"there is no space {name!r}")
    return place


def _hand(state: State, seat: int) -> tuple[int, ...]:
    """2.1: a card that was chosen in secret just now is in hand still, as far as others can tell."""
    if isinstance(state.phase, ChooseDiscard):
        return (*state.hands[seat], state.discards[seat])
    if isinstance(state.phase, ChooseCard):
        return (*state.hands[seat], state.played[seat])
    return state.hands[seat]


def _played(state: State, seat: int) -> int:
    """Return the card of this turn as it was played, which may be an Apollo, or none."""
    if isinstance(state.phase, ChooseCard):
        return state.played[seat]
    return state.spent[seat][-1] if state.spent[seat] and state.played[seat] else NO_CARD


def believe(worlds: Sequence[State], viewer: Viewer) -> list[tuple[str, float]]:
    """Return claims about what `viewer` cannot see, each with its share of `worlds`, the least certain first."""
    me, found = viewer_index(viewer), Counter[Claim]()
    concealed = sorted({block for world in worlds for block in _concealed(world, me)})
    for world in worlds:
        found.update(_claims(world, me, concealed))
    believed = [(str(claim), smoothed(number, len(worlds))) for claim, number in found.items()]
    return sorted(believed, key=lambda entry: (abs(entry[1] - 0.5), entry[0]))[:MOST_CLAIMS]


def _concealed(world: State, me: int) -> list[int]:
    """Return the blocks that stand upright on the map in another's service (7.1, 7.3)."""
    phase, side, at = world.phase, world.side, world.at
    open_space = phase.space if type(phase) is Battle else DEAD
    known = phase.block if type(phase) is Defection else None
    return [
        block
        for block, place in enumerate(at)
        if place >= 0 and side[block] != me and block != known and (place != open_space or world.reserve[block])
    ]


def _claims(world: State, me: int, blocks: Sequence[int]) -> Iterator[Claim]:
    names, spaces = world.facts.blocks, world.facts.spaces
    for block in blocks:
        place = world.at[block]
        yield Claim("at", names[block], spaces[place] if place >= 0 else _OFF_MAP_NAMES[place])
        if place >= 0:
            yield Claim("steps", names[block], str(world.steps[block]))
    for seat, name in enumerate(SEATS):
        if seat != me:
            for card in _hand(world, seat):
                if card != NO_CARD:
                    yield Claim("hand", name, str(card))
