"""What a decision was worth: chances to win, by playouts of states that fit what the seat knew.

Three ways to answer a decision are compared, each in the same states with the same chance: what was played, the best
answer found, and whatever a sensible player would do. The best one is found with half of the playouts; then all are
played out afresh, because the best of many noisy values is better than it deserves.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from lictor.engine import record, registry, search
from lictor.engine.chance import Chance, SeededChance, derive_secret
from lictor.engine.record.perspective import Decision, Perspective, look

FEWEST = 8  # playouts of each of the three, at the least
WORLDS = 12  # states in which the best answer is looked for
PER_ACTION = 4  # playouts of each answer that may be the best, at the least
_SEEDS = 1 << 62


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, and its standard error."""

    value: float
    error: float


@dataclass(frozen=True, slots=True)
class Judged:
    """A decision, with the chance to win before it, after what was played, and after the best answer found."""

    number: int
    best: str
    before: Estimate  # as a sensible player would go on
    after: Estimate
    top: Estimate
    gain: Estimate  # after - before
    loss: Estimate  # top - after; a little below 0 may be noise
    playouts: int  # of each


def judge(view: Perspective, decision: Decision, playouts: int, chance: Chance) -> Judged:
    """Judge what was played at a decision, for about `playouts` playouts."""
    half = max(playouts // 2, 2 * FEWEST)
    drawn = search.sample_worlds(view.game, decision.observation, view.known(decision), WORLDS + half // 2, chance)
    worlds, fresh = drawn[:WORLDS], drawn[WORLDS:]
    answers = _answers(view, decision, worlds, half // PER_ACTION, chance)
    best = search.best_of(search.weigh(view.game, worlds, view.seat, answers, half, chance)).action
    rows = [_play_out(view, world, decision.action, best, chance) for world in fresh]
    before, after, top = ([row[i] for row in rows] for i in range(3))
    return Judged(
        decision.number,
        str(best),
        estimate(before),
        estimate(after),
        estimate(top),
        estimate([a - b for a, b in zip(after, before, strict=True)]),
        estimate([t - a for t, a in zip(top, after, strict=True)]),
        len(rows),
    )


def _answers(view: Perspective, decision: Decision, worlds: Sequence[Any], most: int, chance: Chance) -> list[Any]:
    """Return the answers that may be the best: all, or of too many those that sensible players would give."""
    if len(decision.legal) <= most:
        return list(decision.legal)
    plans = search.make_plans(view.game, worlds, view.seat, decision.legal, most, chance)
    return list(dict.fromkeys([decision.action, *(plan[0] for plan in plans)]))


def _play_out(view: Perspective, world: Any, played: Any, best: Any, chance: Chance) -> tuple[float, float, float]:
    """Play one state on in each way; ways that begin with the same action have the same value."""
    game, seat = view.game, view.seat
    seed, values = chance.draw(_SEEDS), dict[Any, float]()
    sensible = game.advise(game.copy(world, chance), seat, chance)[0]
    for action in (sensible, played, best):
        if action not in values:
            values[action] = search.playout(game, world, seat, (action,), seed)
    return values[sensible], values[played], values[best]


def judge_end(view: Perspective, playouts: int, chance: Chance) -> Estimate:
    """Return the chance to win in the last position, of a match that ended before the game did."""
    worlds = search.sample_worlds(view.game, view.last, view.events, max(playouts // 4, FEWEST), chance)
    return estimate([search.playout(view.game, world, view.seat, (), chance.draw(_SEEDS)) for world in worlds])


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of values, and its standard error."""
    total = sum(values)
    return Estimate(total / len(values), search.error_of(len(values), total, sum(value * value for value in values)))


# --- Many decisions, in several processes ---


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be judged: the bytes of a record, its data set if it is not the game's own, a seat, and a seed."""

    content: bytes
    data: Mapping[str, Any] | None
    seat: str
    seed: int

    def view(self) -> Perspective:
        """Return the record as its seat lived it."""
        played = record.read(self.content)
        return look(played, registry.get(played.header["game"]), self.seat, self.data)


class Judge(Protocol):
    """Judges decisions, by number, in the order given."""

    def __call__(self, numbers: Sequence[int], playouts: int, label: str) -> Iterator[Judged]: ...


@contextmanager
def judging(task: Task, view: Perspective, jobs: int = 1) -> Iterator[Judge]:
    """Judge decisions in `jobs` processes; what is found does not depend on how many there are."""
    if jobs == 1:
        yield lambda numbers, playouts, label: (_judge(task, view, n, playouts, label) for n in numbers)
        return
    context = multiprocessing.get_context("spawn")
    with context.Pool(jobs, initializer=_begin, initargs=(task,)) as pool:
        yield lambda numbers, playouts, label: pool.imap(_judge_one, [(n, playouts, label) for n in numbers])


_known: list[tuple[Task, Perspective]] = []  # of this process


def _begin(task: Task) -> None:
    # Ctrl-C ends the parent alone, which then ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _known[:] = [(task, task.view())]


def _judge_one(job: tuple[int, int, str]) -> Judged:
    task, view = _known[0]
    return _judge(task, view, *job)


def _judge(task: Task, view: Perspective, number: int, playouts: int, label: str) -> Judged:
    return judge(view, view.decisions[number - 1], playouts, chance_of(task, view, label, number))


def chance_of(task: Task, view: Perspective, label: str, number: int) -> SeededChance:
    """Return a chance that depends on what is judged, and on nothing that was judged before it."""
    secret = derive_secret("review", str(task.seed), view.match, view.seat, label, str(number))
    return SeededChance(int.from_bytes(secret[:8], "big"))
