"""Search without peeking: draw states that fit what a seat has seen, play them on a little, and compare.

All here starts from what a seat may know, an observation and the events it has seen, and is the same for the same seed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from lictor.engine.chance import Chance, SeededChance
from lictor.engine.game import AnyGame, IllegalAction, Seat

TURNS_AHEAD = 1  # a playout ends with the game turn, or so many turns later
WORLDS = 16  # states drawn for a decision, at most
DOUBT = 0.5  # errors by which a plan must be better than the steady one
_SIMPLE = 6  # so few actions are weighed one by one
_PER_PLAN = 8  # playouts of the budget for each plan that is made
_PER_SIMPLE = 10  # a simple action gets this part of the budget
_MOST_DECISIONS = 400  # of a playout
_LONGEST_PLAN = 60  # orders
_GRAIN = 1 << 20  # values are multiples of its inverse, so that sums are exact and the same on every machine
_SEEDS = 1 << 62


@dataclass(frozen=True, slots=True)
class Weighed:
    """An action, with the chance to win after it: the mean over playouts, and the standard error of that mean.

    `plan` begins with the action; further orders were to follow it.
    """

    action: Any
    playouts: int
    value: float
    error: float
    plan: tuple[Any, ...] = ()
    values: tuple[float, ...] = field(default=(), repr=False)  # of each playout


def sample_worlds(game: AnyGame, observation: Any, events: Sequence[Any], number: int, chance: Chance) -> list[Any]:
    """Return states that fit what a seat sees and has seen."""
    memory = game.remember(observation)
    for event in events:
        memory.see(event)
    return [memory.draw(observation, chance) for _ in range(number)]


def play_on(game: AnyGame, state: Any, chance: Chance, turns: int = TURNS_AHEAD) -> None:
    """Play a state on, in place, as `advise` has it, until `turns` game turns are over or the game is."""
    _play_until(game, state, chance, game.turn_number(state) + turns)


def _play_until(game: AnyGame, state: Any, chance: Chance, turn: int) -> None:
    for _ in range(_MOST_DECISIONS):
        seats = game.to_act(state)
        if not seats or game.turn_number(state) >= turn:
            return
        follow(game, state, seats[0], game.advise(state, seats[0], chance))


def follow(game: AnyGame, state: Any, seat: Seat, actions: Sequence[Any]) -> None:
    """Carry out actions of `seat`, in place, as far as they are legal; the first is."""
    game.apply(state, seat, actions[0])
    for action in actions[1:]:
        try:
            game.apply(state, seat, action)
        except IllegalAction:
            return


def value_of(game: AnyGame, state: Any, seat: Seat) -> float:
    """Return the chance of `seat` to win as `evaluate` has it, on a grid that is the same on every machine."""
    return round(game.evaluate(state, seat) * _GRAIN) / _GRAIN


def playout(game: AnyGame, world: Any, seat: Seat, plan: Sequence[Any], seed: int, turns: int = TURNS_AHEAD) -> float:
    """Return the chance of `seat` to win after one playout of `world`, begun with the orders of `plan`, if any."""
    chance = SeededChance(seed)
    state = game.copy(world, chance)
    last = game.turn_number(state) + turns
    if plan:
        follow(game, state, seat, plan)
    _play_until(game, state, chance, last)
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
    """Return what each action of `seat` leads to, in the order given, for about `playouts` playouts in all."""
    return weigh_plans(game, worlds, seat, [(action,) for action in actions], playouts, chance, turns)


def weigh_plans(
    game: AnyGame,
    worlds: Sequence[Any],
    seat: Seat,
    plans: Sequence[tuple[Any, ...]],
    playouts: int,
    chance: Chance,
    turns: int = TURNS_AHEAD,
) -> list[Weighed]:
    """Return what each plan of `seat` leads to, in the order given, for about `playouts` playouts in all.

    The worse half is dropped again and again, so that the good plans get most of the playouts; the first plan, with
    which the others are compared, is never dropped. Playout k of every plan is of the same world with the same chance:
    what differs is the choice.
    """
    tries = [_Try(plan) for plan in plans]
    left, seeds, rounds = list(tries), list[int](), max(1, math.ceil(math.log2(len(tries) or 1)))
    for number in range(rounds):
        each = max(1, playouts // (rounds * len(left)))
        first = len(seeds)
        seeds += [chance.draw(_SEEDS) for _ in range(each)]
        for one in left:
            for k in range(first, first + each):
                one.add(playout(game, worlds[k % len(worlds)], seat, one.plan, seeds[k], turns))
        if number < rounds - 1:
            best = sorted(left, key=lambda one: -one.mean)[: (len(left) + 1) // 2]
            left = best if tries[0] in best else [tries[0], *best[:-1]]
    return [one.weighed() for one in tries]


def best_of(weighed: Sequence[Weighed], doubt: float = 0.0) -> Weighed:
    """Return the best of what was weighed most, or the first, if the best is not better by `doubt` errors."""
    first = weighed[0]
    most = max(one.playouts for one in weighed)
    best = max((one for one in weighed if one.playouts == most), key=lambda one: one.value)
    gains = [mine - other for mine, other in zip(best.values, first.values, strict=False)]
    gain, squares = sum(gains), sum([gain * gain for gain in gains])
    return best if gain / len(gains) > doubt * error_of(len(gains), gain, squares) else first


def make_plans(
    game: AnyGame, worlds: Sequence[Any], seat: Seat, actions: Sequence[Any], number: int, chance: Chance
) -> list[tuple[Any, ...]]:
    """Return about `number` different plans, the steady one first: what `advise` would do till another must decide."""
    found: dict[tuple[str, ...], tuple[Any, ...]] = {}
    for k in range(2 * number):
        if len(found) >= number:
            break
        style = "steady" if k % 4 == 0 else "restless"
        plan = _plan(game, worlds[k % len(worlds)], seat, style, chance)
        found.setdefault(tuple(map(str, plan)), plan)
    while len(found) < min(number, len(actions)):
        action = actions[chance.draw(len(actions))]
        found.setdefault((str(action),), (action,))
    return list(found.values())


def _plan(game: AnyGame, world: Any, seat: Seat, style: str, chance: Chance) -> tuple[Any, ...]:
    """Return what `seat` would do in a world until somebody else, or chance, has a word."""
    draws = _Draws(chance)
    state = game.copy(world, draws)
    orders: list[Any] = []
    while True:
        for order in game.advise(state, seat, chance, style):
            try:
                game.apply(state, seat, order)
            except IllegalAction:
                break
            orders.append(order)
        if game.to_act(state) != (seat,) or draws.made or len(orders) >= _LONGEST_PLAN:
            return tuple(orders)


def choose(
    game: AnyGame, observation: Any, memory: Any, actions: Sequence[Any], playouts: int, chance: Chance
) -> tuple[Weighed, list[Any]]:
    """Return what to do with at most about `playouts` playouts, and the worlds it was weighed in."""
    seat = observation.viewer
    worlds = [memory.draw(observation, chance) for _ in range(min(WORLDS, max(4, playouts // 12)))]
    simple = len(actions) <= _SIMPLE
    if simple:
        first = game.advise(worlds[0], seat, chance)[0]
        plans = [(first,), *((action,) for action in actions if action != first)]
    else:
        plans = make_plans(game, worlds, seat, actions, max(4, playouts // _PER_PLAN), chance)
    enough = min(playouts, len(plans) * max(4, playouts // _PER_SIMPLE)) if simple else playouts
    return best_of(weigh_plans(game, worlds, seat, plans, enough, chance), DOUBT), worlds


class _Draws:
    """Passes on draws, and counts them."""

    def __init__(self, inner: Chance) -> None:
        self._inner = inner
        self.made = 0

    def draw(self, n: int) -> int:
        self.made += 1
        return self._inner.draw(n)


class _Try:
    __slots__ = ("plan", "total", "values")

    def __init__(self, plan: tuple[Any, ...]) -> None:
        self.plan, self.total, self.values = plan, 0.0, list[float]()

    def add(self, value: float) -> None:
        self.values.append(value)
        self.total += value

    @property
    def mean(self) -> float:
        return self.total / len(self.values)

    def weighed(self) -> Weighed:
        error = error_of(len(self.values), self.total, sum([value * value for value in self.values]))
        return Weighed(self.plan[0], len(self.values), self.mean, error, self.plan, tuple(self.values))


def error_of(count: int, total: float, squares: float) -> float:
    """Return the standard error of a mean; 0.5 where nothing is known."""
    if count < 2:
        return 0.5
    variance = max(0.0, squares / count - (total / count) ** 2)
    return math.sqrt(variance / (count - 1))
