"""The games, by name."""

from __future__ import annotations

from typing import Any

from lictor.engine import julius_caesar
from lictor.engine.game import Game, GameError

GAMES: dict[str, Game[Any, Any, Any, Any]] = {julius_caesar.NAME: julius_caesar}


class UnknownGame(GameError):
    """There is no game of that name."""


def get(name: str) -> Game[Any, Any, Any, Any]:
    """Return the game called `name`, or raise `UnknownGame`."""
    if name not in GAMES:
        raise UnknownGame(f"there is no game {name!r:.60}; there are {', '.join(names())}")
    return GAMES[name]


def names() -> list[str]:
    """Return the names of all games."""
    return sorted(GAMES)
