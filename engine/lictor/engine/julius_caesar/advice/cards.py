"""2.1: which card to put away, and which to play."""

from __future__ import annotations

from collections.abc import Sequence

from lictor.engine.chance import Chance
from lictor.engine.julius_caesar.actions import Action
from lictor.engine.julius_caesar.advice.style import Style
from lictor.engine.julius_caesar.facts import APOLLO, JUPITER, MARS, MERCURY, NEPTUNE, PLUTO, VULCAN
from lictor.engine.julius_caesar.state import TURNS, State

_GODS = {APOLLO: 2.0, JUPITER: 3.6, MARS: 2.2, MERCURY: 2.4, NEPTUNE: 0.4, PLUTO: 2.3, VULCAN: 3.2}
_MOVE, _LEVY = 1.0, 0.9


def _worth(state: State, card: int, move: float, levy: float) -> float:
    found = state.facts.cards[card]
    return _GODS[card] if found.god else move * found.move + levy * found.levy


def discard(state: State, seat: int, legal: Sequence[Action], chance: Chance, style: Style) -> list[Action]:
    """Put the weakest card away."""
    worth = {card: _worth(state, card, _MOVE, _LEVY) + style.misjudge(chance) for card in state.hands[seat]}
    return [min(legal, key=lambda action: worth[action.card])]  # type: ignore[union-attr]


def play(state: State, seat: int, legal: Sequence[Action], chance: Chance, style: Style) -> list[Action]:
    """Raise men early in the year, and march when it ends: winter counts the cities."""
    late = (state.turn - 1) / (TURNS - 1)
    move, levy = 0.7 + 0.6 * late, 1.2 - 0.7 * late
    worth = {card: _worth(state, card, move, levy) + 12 * style.misjudge(chance) for card in state.hands[seat]}
    return [max(legal, key=lambda action: worth[action.card])]  # type: ignore[union-attr]
