"""The games, by name."""

from __future__ import annotations

from lictor.engine import julius_caesar
from lictor.engine.game import AnyGame, GameError

GAMES: dict[str, AnyGame] = {julius_caesar.NAME: julius_caesar}


class UnknownGame(GameError):
    """There is no game of that name."""


def get(name: object) -> AnyGame:
    """Return the game called `name`, or raise `UnknownGame`."""
    if not isinstance(name, str) or name not in GAMES:
        raise UnknownGame(f"there is no game {name!r:.60}; there are {', '.join(names())}")
    return GAMES[name]


def names() -> list[str]:
    """Return the names of all games."""
    return sorted(GAMES)
