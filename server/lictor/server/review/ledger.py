"""Luck and choice apart: an account of a match, from a seat's first chance to win to its result.

With b(i) the chance to win before decision i, a(i) after what was played there, r the result and f the chance in the
last position (f = r where the game came to its own end):

    choice(i) = a(i) - b(i)                 what the seat did, against what a sensible player would have done there
    luck(i)   = b(i + 1) - a(i)             dice, deals, what the other side did, what came to light; the last is f - a
    ending    = r - f                       a resignation, a forfeit, an agreed draw

so that the sum of all choices, all luck and the ending is r - b(1), exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from lictor.engine.record.perspective import Decision, Perspective
from lictor.server.review.judging import Estimate, Judge, Judged, Task, chance_of, judge_end

AGAIN = 24  # so many choices that seem to have cost most are looked at once more
WORST = 10
_MORE = 4  # times the playouts, then
_BY_THE_GAME = ("victory", "draw")
_SURE = 2.0  # errors
_LEAST = 0.005  # chance to win: what is less is nothing to learn from


@dataclass(frozen=True, slots=True)
class Entry:
    """A decision in the account."""

    decision: Decision
    judged: Judged
    luck: Estimate  # until the next decision, or the end
    again: Judged | None  # with more playouts, and new ones: what made it stand out is not in it
    put_off: bool  # the better answer was still to be had at the next decision: nothing was lost yet

    @property
    def settled(self) -> Judged:
        """Return the better of its judgements."""
        return self.again or self.judged

    @property
    def verdict(self) -> str:
        """Return `best` if nothing better was found, `mistake` if the loss is sure, `put off` or `unclear`."""
        found, loss = self.settled, self.settled.loss
        if found.best == str(self.decision.action):
            return "best"
        if self.put_off:
            return "put off"
        sure = self.again is not None and loss.value > max(_LEAST, _SURE * loss.error)
        return "mistake" if sure else "unclear"


@dataclass(frozen=True, slots=True)
class Review:
    """The account of a match."""

    view: Perspective
    entries: Sequence[Entry]  # the decisions at which there was a choice
    end: Estimate  # the chance to win in the last position; the result itself where the game was over
    playouts: int

    @property
    def first(self) -> Estimate:
        """Return the chance to win before the first choice."""
        return self.entries[0].judged.before if self.entries else self.end

    @property
    def choice(self) -> Estimate:
        """Return what all choices gained or lost."""
        return _sum([entry.judged.gain for entry in self.entries])

    @property
    def luck(self) -> Estimate:
        """Return what all luck gave or took."""
        # The errors of neighbours cancel: what is left is that of the ends, and of the choices.
        total = math.fsum(entry.luck.value for entry in self.entries)
        return Estimate(total, math.hypot(self.first.error, self.choice.error, self.end.error))

    @property
    def ending(self) -> Estimate:
        """Return what an end that the rules did not bring gave or took."""
        return Estimate(self.view.result - self.end.value, self.end.error)

    def worst(self, most: int = WORST) -> list[Entry]:
        """Return the choices that cost most, the mistakes before those that are unclear."""
        found = [entry for entry in self.entries if entry.again is not None and entry.settled.loss.value > 0]
        found = [entry for entry in found if entry.verdict in ("mistake", "unclear")]
        return sorted(found, key=lambda entry: (entry.verdict != "mistake", -entry.settled.loss.value))[:most]

    def unlucky(self, most: int = 3) -> list[Entry]:
        """Return the decisions after which luck took most."""
        found = [entry for entry in self.entries if entry.luck.value < -_SURE * entry.luck.error]
        return sorted(found, key=lambda entry: entry.luck.value)[:most]


def _sum(parts: Sequence[Estimate]) -> Estimate:
    return Estimate(math.fsum(part.value for part in parts), math.hypot(*[part.error for part in parts]))


Told = Callable[[str, int, Iterable[Judged]], list[Judged]]  # what is done, how many there will be, and they


@dataclass(slots=True)
class Reviewer:
    """Makes the account of a match; `tell` collects what is judged, and may show how far it is."""

    task: Task
    view: Perspective
    judge: Judge
    playouts: int
    tell: Told = field(default=lambda _label, _number, judged: list(judged))

    def review(self) -> Review:
        """Judge all choices, and those that seem to have cost most once more."""
        asked = [one for one in self.view.decisions if one.action is not None and len(one.legal) > 1]
        numbers = [decision.number for decision in asked]
        first = self.tell("decisions", len(numbers), self.judge(numbers, self.playouts, "first"))
        put_off = _put_off(asked, first)
        lost = [one for one, later in zip(first, put_off, strict=True) if one.loss.value > 0 and not later]
        worst = [one.number for one in sorted(lost, key=lambda one: -one.loss.value)[:AGAIN]]
        found = self.tell("once more", len(worst), self.judge(worst, _MORE * self.playouts, "again"))
        again, end = {one.number: one for one in found}, self._end()
        put_off = _put_off(asked, [again.get(one.number, one) for one in first])
        nexts = [*[one.before for one in first], end][1:]
        entries = [
            Entry(decision, one, _luck(one, after), again.get(one.number), later)
            for decision, one, after, later in zip(asked, first, nexts, put_off, strict=True)
        ]
        return Review(self.view, entries, end, self.playouts)

    def _end(self) -> Estimate:
        if self.view.termination in _BY_THE_GAME:
            return Estimate(self.view.result, 0.0)
        return judge_end(self.view, self.playouts, chance_of(self.task, self.view, "end", 0))


def _luck(judged: Judged, after: Estimate) -> Estimate:
    return Estimate(after.value - judged.after.value, math.hypot(after.error, judged.after.error))


def _put_off(asked: Sequence[Decision], judged: Sequence[Judged]) -> list[bool]:
    """Tell of each choice whether most of what it seems to have lost was still to be had at the next decision."""
    found = []
    for i, (decision, one) in enumerate(zip(asked, judged, strict=True)):
        later = i + 1 < len(asked) and asked[i + 1].number == decision.number + 1 and asked[i + 1].follows
        still = later and any(str(action) == one.best for action in asked[i + 1].legal)
        found.append(still and one.top.value - judged[i + 1].top.value < one.loss.value / 2)
    return found
