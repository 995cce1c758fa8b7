"""Find dice and orders that lead a match to a decision that is seldom asked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from lictor.engine.chance import SealedChance, SeededChance, derive_secret
from lictor.engine.game import AnyGame, Seat

_LONGEST = 300  # orders; what comes later in a game comes in whole games


class Plan(NamedTuple):
    """How to get there: what each seat adds to the chance, and what it orders."""

    situation: str
    entropies: Mapping[Seat, bytes]
    orders: Mapping[Seat, list[str]]


class Search:
    """Plays games in mind, so many and no more."""

    def __init__(self, game: AnyGame, seed: int, games: int) -> None:
        self._game, self._seed = game, seed
        self.left = games

    def last(self) -> str:
        """Return in which situation a game is when it is over, and nobody is asked any more."""
        game, chance = self._game, SeededChance(self._seed)
        state = game.new_game({}, chance)
        while seats := game.to_act(state):
            game.apply(state, seats[0], game.FOG.choose(state, seats[0], game.legal_actions(state, seats[0]), chance))
        return game.FOG.situation(state)

    def find(
        self, options: Mapping[str, Any], secret: bytes, match: str, seat: Seat, wanted: Collection[str]
    ) -> Plan | None:
        """Return how a match of known secret comes to ask `seat` for one of the `wanted` situations."""
        while self.left > 0 and wanted:
            self.left -= 1
            found = self._try(options, secret, match, seat, wanted)
            if found is not None:
                return found
        return None

    def _try(
        self, options: Mapping[str, Any], secret: bytes, match: str, seat: Seat, wanted: Collection[str]
    ) -> Plan | None:
        game = self._game
        entropies = {one: derive_secret(one, str(self._seed), str(self.left)) for one in game.SEATS}
        orders: dict[Seat, list[str]] = {one: [] for one in game.SEATS}
        state = game.new_game(options, SealedChance(secret, match, list(entropies.values())))
        choose = SeededChance(self._seed * 1000 + self.left)
        for _ in range(_LONGEST):
            seats = game.to_act(state)
            if not seats:
                return None
            if seat in seats and (situation := game.FOG.situation(state)) in wanted:
                return Plan(situation, entropies, orders)
            action = game.FOG.choose(state, seats[0], game.legal_actions(state, seats[0]), choose)
            orders[seats[0]].append(str(action))
            game.apply(state, seats[0], action)
        return None
