"""The snapshot: a position as plain values, in the form in which engines are compared."""

from __future__ import annotations

from typing import Any

from lictor.engine.julius_caesar.facts import SEATS
from lictor.engine.julius_caesar.phases import Battle, Levies, Moves, Over, phase_name
from lictor.engine.julius_caesar.state import DEAD, NOBODY, POOL, State, deciders


def outcome_of(state: State) -> dict[str, Any] | None:
    """Return winner and reason, or `None` while the game goes on."""
    phase = state.phase
    if not isinstance(phase, Over):
        return None
    return {"winner": _seat(phase.winner), "reason": phase.reason}


def snapshot(state: State) -> dict[str, Any]:
    """Return the position in the form in which engines are compared."""
    facts, phase = state.facts, state.phase
    points = state.victory_points()
    in_turn = phase_name(phase) in _TURN_PHASES
    return {
        "year": state.year,
        "turn": state.turn,
        "phase": phase_name(phase),
        "to_act": [SEATS[seat] for seat in deciders(state)],
        "player1": _seat(state.player1),
        "moves_left": phase.points if isinstance(phase, Moves) else 0,
        "levies_left": levies_left(state),
        "hands": {name: list(hand) for name, hand in zip(SEATS, state.hands, strict=True)},
        "played": {name: (card or None) if in_turn else None for name, card in zip(SEATS, state.played, strict=True)},
        "last_played": {
            name: (card or None) if in_turn else None for name, card in zip(SEATS, state.last_played, strict=True)
        },
        "blocks": {
            name: {
                "at": place_name(state, block),
                "owner": SEATS[state.side[block]],
                "steps": state.steps[block] or None,
            }
            for block, name in enumerate(facts.blocks)
        },
        "battle": {
            "space": facts.spaces[phase.space],
            "round": phase.round,
            "attacker": SEATS[phase.attacker],
        }
        if isinstance(phase, Battle)
        else None,
        "contested": {facts.spaces[space]: SEATS[fight.attacker] for space, fight in state.fights.items()},
        "reserves": sorted(facts.blocks[block] for block, flag in enumerate(state.reserve) if flag),
        "vp": dict(zip(SEATS, points, strict=True)),
        "outcome": outcome_of(state),
    }


_TURN_PHASES = ("card", "god", "moves", "levies", "battle_pick", "battle", "hits", "regroup")


def levies_left(state: State) -> int:
    """Return the levy points that the seat in command has, also while it still moves."""
    phase = state.phase
    if isinstance(phase, Levies):
        return phase.points
    return state.facts.cards[state.played[phase.seat]].levy if isinstance(phase, Moves) else 0


def place_name(state: State, block: int) -> str:
    """Return where a block is: a space, `pool` or `dead`."""
    place = state.at[block]
    return "pool" if place == POOL else "dead" if place == DEAD else state.facts.spaces[place]


def _seat(seat: int) -> str | None:
    return None if seat == NOBODY else SEATS[seat]
