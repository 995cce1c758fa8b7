"""Figures of speed and size. Timing belongs here and never into tests."""

from __future__ import annotations

import time
import tracemalloc
from typing import Any

from lictor.engine import registry
from lictor.engine.chance import SeededChance
from lictor.engine.game import AnyGame, Options

COPIES = 200
HELD = 1000


def bench_engine(name: str, options: Options, seconds: float, seed: int) -> dict[str, Any]:
    """Play random games for `seconds`, with legal actions and the actor's observation at every decision."""
    game = registry.get(name)
    _play(game, options, seed, None)  # warm up: tables that are made on first use
    games = decisions = 0
    began = time.perf_counter()
    while time.perf_counter() - began < seconds or not games:
        decisions += _play(game, options, seed + games, None)
        games += 1
    elapsed = time.perf_counter() - began
    shares = {"legal": 0.0, "apply": 0.0, "observation": 0.0}
    timed = sum(_play(game, options, seed + number, shares) for number in range(max(1, games // 4)))
    return {
        "game": name,
        "games": games,
        "games_per_s": round(games / elapsed, 2),
        "decisions_per_s": round(decisions / elapsed),
        "decisions_per_game": round(decisions / games, 1),
        "us_legal": round(shares["legal"] / timed * 1e6, 2),
        "us_apply": round(shares["apply"] / timed * 1e6, 2),
        "us_observation": round(shares["observation"] / timed * 1e6, 2),
        "us_copy": round(_time_copy(game, options, seed) * 1e6, 2),
        "kb_per_1000_states": round(_bytes_held(game, options, seed) / 1024),
    }


def _play(game: AnyGame, options: Options, seed: int, shares: dict[str, float] | None) -> int:
    """Play one random game; with `shares`, add up where the time goes."""
    choose = SeededChance(seed + 10**9)
    state = game.new_game(options, SeededChance(seed))
    decisions = 0
    clock = time.perf_counter
    while seats := game.to_act(state):
        seat = seats[0]
        if shares is None:
            actions = game.legal_actions(state, seat)
            game.observation(state, seat)
            game.apply(state, seat, actions[choose.draw(len(actions))])
        else:
            start = clock()
            actions = game.legal_actions(state, seat)
            listed = clock()
            game.observation(state, seat)
            seen = clock()
            action = actions[choose.draw(len(actions))]
            chosen = clock()
            game.apply(state, seat, action)
            shares["legal"] += listed - start
            shares["observation"] += seen - listed
            shares["apply"] += clock() - chosen
        decisions += 1
    return decisions


def _midgame(game: AnyGame, options: Options, seed: int) -> Any:
    choose, state = SeededChance(seed), game.new_game(options, SeededChance(seed))
    for _ in range(100):
        if seats := game.to_act(state):
            actions = game.legal_actions(state, seats[0])
            game.apply(state, seats[0], actions[choose.draw(len(actions))])
    return state


def _time_copy(game: AnyGame, options: Options, seed: int) -> float:
    """Return the best time of several batches: the others measure the machine's other work."""
    state, chance = _midgame(game, options, seed), SeededChance(0)
    best = float("inf")
    for _ in range(10):
        began = time.perf_counter()
        for _ in range(COPIES):
            game.copy(state, chance)
        best = min(best, (time.perf_counter() - began) / COPIES)
    return best


def _bytes_held(game: AnyGame, options: Options, seed: int) -> int:
    """Return the memory that a thousand copies of a state take."""
    state, chance = _midgame(game, options, seed), SeededChance(0)
    tracemalloc.start()
    try:
        held = [game.copy(state, chance) for _ in range(HELD)]
        size, _ = tracemalloc.get_traced_memory()
        del held
    finally:
        tracemalloc.stop()
    return size
