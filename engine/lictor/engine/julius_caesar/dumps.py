"""The dump: everything the future of a game depends on, as plain values."""

from __future__ import annotations

import copy
from typing import Any

from lictor.engine.julius_caesar.facts import NAME, RULES_EPOCH, SEATS, Facts, standard_facts
from lictor.engine.julius_caesar.phases import (
    Phase,
)
from lictor.engine.julius_caesar.state import DEAD, NOBODY, POOL, State

_OFF_MAP = {POOL: "pool", DEAD: "dead"}


def dump(state: State) -> dict[str, Any]:
    """Return everything the future depends on, except the chance."""
    facts = state.facts
    return {
        "game": NAME,
        "rules_epoch": RULES_EPOCH,
        "edition": state.edition,
        "deployment": state.deployment,
        "data": None if facts.hash == standard_facts().hash else copy.deepcopy(facts.data),
        "year": state.year,
        "turn": state.turn,
        "player1": _seat_name(state.player1),
        "surprise": _space_name(facts, state.surprise),
        "phase": _dump_phase(facts, state.phase),
        "blocks": {
            name: {
                "at": _OFF_MAP.get(state.at[block]) or facts.spaces[state.at[block]],
                "side": SEATS[state.side[block]],
                "steps": state.steps[block],
                "moved": state.moved[block],
                "reserve": state.reserve[block],
            }
            for block, name in enumerate(facts.blocks)
        },
        "fights": {
            facts.spaces[space]: {
                "attacker": SEATS[fight.attacker],
                "main": _space_name(facts, fight.main),
                "entered": {SEATS[seat]: _names(facts.spaces, fight.entered[seat]) for seat in (0, 1)},
            }
            for space, fight in state.fights.items()
        },
        "hands": {name: list(state.hands[seat]) for seat, name in enumerate(SEATS)},
        "discards": dict(zip(SEATS, state.discards, strict=True)),
        "played": dict(zip(SEATS, state.played, strict=True)),
        "last_played": dict(zip(SEATS, state.last_played, strict=True)),
        "spent": {name: list(state.spent[seat]) for seat, name in enumerate(SEATS)},
        "deck": list(state.deck),
    }


def _dump_phase(facts: Facts, phase: Phase) -> dict[str, Any]:
    dumped: dict[str, Any] = {"kind": type(phase).__name__}
    for field in type(phase).__dataclass_fields__:
        value = getattr(phase, field)
        if field in ("seat", "attacker", "side", "winner"):
            dumped[field] = _seat_name(value)
        elif field == "space":
            dumped[field] = facts.spaces[value]
        elif field == "block":
            dumped[field] = facts.blocks[value]
        elif field in ("opened", "kept"):
            dumped[field] = _names(facts.spaces, value)
        elif field in ("acted", "ready"):
            dumped[field] = _names(facts.blocks, value)
        elif field == "roads":
            dumped[field] = {_edge_name(facts, edge): count for edge, count in value.items()}
        elif field == "sailed":
            dumped[field] = dict(zip(SEATS, value, strict=True))
        else:
            dumped[field] = value
    return dumped


def _names(names: list[str], indexes: tuple[int, ...]) -> list[str]:
    return sorted(names[index] for index in indexes)


def _edge_name(facts: Facts, edge: int) -> str:
    return " ".join(sorted(facts.spaces[space] for space in facts.edges[edge]))


def _seat_name(seat: int) -> str | None:
    return None if seat == NOBODY else SEATS[seat]


def _space_name(facts: Facts, space: int) -> str | None:
    return None if space == NOBODY else facts.spaces[space]
