"""The games by name. A game that is not here is played all the same, with the view that every game has."""

from __future__ import annotations

from collections.abc import Callable

from lictor.client.games.julius_caesar import JuliusCaesarNames
from lictor.client.games.names import Names
from lictor.v1 import game_pb2

GAMES: dict[str, Callable[[game_pb2.Catalog], Names]] = {"julius_caesar": JuliusCaesarNames}


def names_of(game: str, catalog: game_pb2.Catalog | None) -> Names:
    """Return what spells out the messages of a game."""
    make = GAMES.get(game)
    return make(catalog) if make is not None and catalog is not None else Names()
