"""What a sensible commander would do: for playouts and house bots."""

from __future__ import annotations

from collections.abc import Sequence

from lictor.engine.chance import Chance
from lictor.engine.julius_caesar.actions import Action
from lictor.engine.julius_caesar.state import State


def advise(state: State, seat: int, legal: Sequence[Action], chance: Chance, style: str) -> Action:
    """Return one of the legal actions."""
    return legal[chance.draw(len(legal))]
