"""Search without peeking: draw states that fit what a seat has seen, play them on a little, and compare.

All here starts from what a seat may know, an observation and the events it has seen, and is the same for the same seed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lictor.engine.chance import Chance, SeededChance
from lictor.engine.game import AnyGame, Seat

TURNS_AHEAD = 1  # a playout ends with the game turn, or so many turns later
MOST_DECISIONS = 400  # of a playout
_GRAIN = 1 << 20  # values are multiples of its inverse, so that sums are exact and the same on every machine
_SEEDS = 1 << 62


@dataclass(frozen=True, slots=True)
class Weighed:
    """An action, with the chance to win after it: the mean over playouts, and the standard error of that mean."""

    action: Any
    playouts: int
    value: float
    error: float


def sample_worlds(game: AnyGame, observation: Any, events: Sequence[Any], number: int, chance: Chance) -> list[Any]:
    """Return states that fit what a seat sees and has seen."""
    return [game.sample(observation, events, chance) for _ in range(number)]


def play_on(game: AnyGame, state: Any, chance: Chance, turns: int = TURNS_AHEAD) -> None:
    """Play a state on, in place, as `advise` has it, until `turns` game turns are over or the game is."""
    last = game.turn_number(state) + turns
    for _ in range(MOST_DECISIONS):
        seats = game.to_act(state)
        if not seats or game.turn_number(state) >= last:
            return
        game.apply(state, seats[0], game.advise(state, seats[0], chance))


def value_of(game: AnyGame, state: Any, seat: Seat) -> float:
    """Return the chance of `seat` to win as `evaluate` has it, on a grid that is the same on every machine."""
    return round(game.evaluate(state, seat) * _GRAIN) / _GRAIN


def playout(game: AnyGame, world: Any, seat: Seat, action: Any | None, seed: int, turns: int = TURNS_AHEAD) -> float:
    """Return the chance of `seat` to win after one playout of `world`, begun with `action` where there is one."""
    chance = SeededChance(seed)
    state = game.copy(world, chance)
    if action is not None:
        game.apply(state, seat, action)
    play_on(game, state, chance, turns)
    return value_of(game, state, seat)


def weigh(
    game: AnyGame,
    worlds: Sequence[Any],
    seat: Seat,
    actions: Sequence[Any],
    playouts: int,
    chance: Chance,
    turns: int = TURNS_AHEAD,
) -> list[Weighed]:
    """Return what each action of `seat` leads to, in the order given, for about `playouts` playouts in all.

    The worse half is dropped again and again, so that the good actions get most of the playouts. Playout k of every
    action is of the same world with the same chance: what differs is the choice.
    """
    tries = [_Try(action) for action in actions]
    left, seeds, rounds = list(tries), list[int](), max(1, math.ceil(math.log2(len(tries) or 1)))
    for number in range(rounds):
        each = max(1, playouts // (rounds * len(left)))
        first = len(seeds)
        seeds += [chance.draw(_SEEDS) for _ in range(each)]
        for one in left:
            for k in range(first, first + each):
                one.add(playout(game, worlds[k % len(worlds)], seat, one.action, seeds[k], turns))
        if number < rounds - 1:
            left = sorted(left, key=lambda one: -one.mean)[: (len(left) + 1) // 2]
    return [one.weighed() for one in tries]


class _Try:
    __slots__ = ("action", "count", "squares", "total")

    def __init__(self, action: Any) -> None:
        self.action, self.count, self.total, self.squares = action, 0, 0.0, 0.0

    def add(self, value: float) -> None:
        self.count += 1
        self.total += value
        self.squares += value * value

    @property
    def mean(self) -> float:
        return self.total / self.count

    def weighed(self) -> Weighed:
        return Weighed(self.action, self.count, self.mean, error_of(self.count, self.total, self.squares))


def error_of(count: int, total: float, squares: float) -> float:
    """Return the standard error of a mean; 0.5 where nothing is known."""
    if count < 2:
        return 0.5
    variance = max(0.0, squares / count - (total / count) ** 2)
    return math.sqrt(variance / (count - 1))
