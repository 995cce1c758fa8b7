"""Forces: what blocks are worth in a fight, and who threatens what."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable

from lictor.engine.julius_caesar.facts import Facts
from lictor.engine.julius_caesar.state import State

_LETTERS = (1.3, 1.15, 1.0, 0.9)  # who fires first fires with more
FAR = 99


class Atlas:
    """What follows from the facts: punch of blocks by steps, distances by road."""

    def __init__(self, facts: Facts) -> None:
        self.punch = [
            tuple([dice * facts.fire_power[block] / 6 * _LETTERS[facts.letter_defending[block]] for dice in row])
            for block, row in enumerate(facts.dice)
        ]
        self.distance = [_distances(facts, space) for space in range(len(facts.spaces))]
        self.near = [[1 / (1 + far) / (1 + far) if far < FAR else 0.0 for far in row] for row in self.distance]
        self.limit = [{way.to: way for way in facts.roads[space]} for space in range(len(facts.spaces))]


def _distances(facts: Facts, start: int) -> list[int]:
    far = [FAR] * len(facts.spaces)
    far[start], edge = 0, [start]
    while edge:
        reached = []
        for space in edge:
            for way in facts.roads[space]:
                if far[way.to] == FAR:
                    far[way.to] = far[space] + 1
                    reached.append(way.to)
        edge = reached
    return far


@functools.lru_cache(maxsize=64)
def atlas_of(facts: Facts) -> Atlas:
    """Return the atlas of a data set."""
    return Atlas(facts)


def force(state: State, blocks: Iterable[int]) -> tuple[float, int]:
    """Return hits a round and steps of some blocks."""
    punch, steps = atlas_of(state.facts).punch, state.steps
    hits, alive = 0.0, 0
    for block in blocks:
        hits += punch[block][steps[block]]
        alive += steps[block]
    return hits, alive


def odds(ours: tuple[float, int], theirs: tuple[float, int]) -> float:
    """Return the chance that a force beats another: by the product of hits and steps, as both shrink together."""
    mine, other = ours[0] * ours[1], theirs[0] * theirs[1]
    if not other:
        return 1.0
    ratio = mine / other
    ratio *= math.sqrt(ratio)
    return ratio / (1 + ratio)


def threat(state: State, space: int, by: int) -> tuple[float, int]:
    """Return the force that `by` could throw at a space in one turn: the best of the neighbours, by road."""
    facts, atlas, steps = state.facts, atlas_of(state.facts), state.steps
    hits, alive = 0.0, 0
    for way in facts.roads[space]:
        stack = state.stacks[by][way.to]
        if stack:
            best = [(atlas.punch[b][steps[b]], steps[b]) for b in stack if not facts.is_navis[b]]
            most = facts.limit_attack[way.kind]
            for one in best if len(best) <= most else sorted(best)[-most:]:
                hits += one[0]
                alive += one[1]
    return hits, alive
