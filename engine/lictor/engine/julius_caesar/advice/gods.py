"""The God cards: where Jupiter, Vulcan and surprise do most."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lictor.engine.chance import Chance
from lictor.engine.julius_caesar.actions import Action, OfSpace
from lictor.engine.julius_caesar.advice.forces import atlas_of, force, odds, threat
from lictor.engine.julius_caesar.advice.style import Style
from lictor.engine.julius_caesar.state import State


def _best(
    state: State, legal: Sequence[Action], chance: Chance, style: Style, worth: Callable[[int], float]
) -> list[Action]:
    """Return the place of the greatest worth; what names no place is worth nothing."""
    index = state.facts.space_index

    def value(action: Action) -> float:
        return (worth(index[action.space]) if isinstance(action, OfSpace) else 0.0) + style.misjudge(chance)

    return [max(legal, key=value)]


def jupiter(state: State, seat: int, legal: Sequence[Action], chance: Chance, style: Style) -> list[Action]:
    """Call the best men of the enemy, or the last ones of a city of value."""
    facts, punch = state.facts, atlas_of(state.facts).punch

    def worth(space: int) -> float:
        stack = state.stacks[1 - seat][space]
        men: float = sum([punch[b][state.steps[b]] for b in stack if not facts.is_leader[b] and not facts.is_navis[b]])
        return 0.1 + men / len(stack) + (facts.vp[space] if len(stack) == 1 else 0)

    return _best(state, legal, chance, style, worth)


def defection(state: State, seat: int, legal: Sequence[Action], chance: Chance, style: Style) -> list[Action]:
    """Send the defector where he is needed."""
    return _best(state, legal, chance, style, lambda space: need(state, seat, space))


def need(state: State, seat: int, space: int) -> float:
    """Return how much a friendly space is worth and wants for defence."""
    danger = threat(state, space, 1 - seat)
    held = odds(force(state, state.stacks[seat][space]), danger)
    return (0.1 + state.facts.vp[space]) * (1.1 - held)


def vulcan(state: State, seat: int, legal: Sequence[Action], chance: Chance, style: Style) -> list[Action]:
    """Burn the city with most men, and above all with men who die of it."""
    facts = state.facts

    def worth(space: int) -> float:
        stack = state.stacks[1 - seat][space]
        dying = [b for b in stack if state.steps[b] == 1]
        empties = facts.vp[space] if len(dying) == len(stack) else 0
        sign = 1 if stack else -1  # in 1.x it may be an own city
        return sign * (len(stack) + len(dying) + 4 * sum([facts.is_leader[b] for b in dying]) + 3 * empties)

    return _best(state, legal, chance, style, worth)


def surprise(state: State, seat: int, legal: Sequence[Action], chance: Chance, style: Style) -> list[Action]:
    """Favour the greatest battle."""
    return _best(state, legal, chance, style, lambda space: float(len(state.stacks[1 - seat][space])))
