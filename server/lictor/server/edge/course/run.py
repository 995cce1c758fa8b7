"""Give lessons to a bot, one after another."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lictor.engine.game import AnyGame
from lictor.server.contestants import Contestant
from lictor.server.edge.course.course import Course
from lictor.server.edge.course.failing import Failed
from lictor.server.edge.course.lessons import LESSONS, Lesson

_FIRST = LESSONS[0].name


_MEND = "First mend what went wrong in the bot itself: {}"


@dataclass(frozen=True, slots=True)
class Report:
    """How a lesson went: in words, and what to do about it."""

    name: str
    passed: bool
    what: str
    hint: str
    seconds: float
    said: tuple[str, ...] = ()  # the last lines of a bot that failed
    tried: bool = True


async def give(
    who: Contestant,
    game: AnyGame,
    folder: Path,
    *,
    patience: float,
    seed: int,
    lessons: Collection[str] = (),
    tell: Callable[[Report], None] = lambda _: None,
) -> list[Report]:
    """Give all lessons, or those that are named; `tell` hears of each as it is over."""
    course = Course(game, who, folder, patience=patience, seed=seed)
    reports: list[Report] = []
    async with course.open():
        for lesson in LESSONS:
            if lessons and lesson.name not in lessons:
                continue
            if reports and reports[0].name == _FIRST and not reports[0].passed:
                report = Report(lesson.name, False, f"not tried: {_FIRST} comes first", "", 0.0, tried=False)
            else:
                report = await _give(course, lesson)
            reports.append(report)
            tell(report)
    return reports


async def _give(course: Course, lesson: Lesson) -> Report:
    began = time.monotonic()
    course.ledger.refused.clear()
    course.ledger.faults.clear()
    try:
        words = await lesson.give(course)
        await course.clear()
        course.check_alive()
        _check_faults(course)
    except Failed as failed:
        said = tuple(course.tail())
        await course.end_bot()  # the next lesson gets a fresh one
        with suppress(Failed):
            await course.clear()
        hint = _MEND.format(course.ledger.faults[0]) if course.ledger.faults else failed.hint
        return Report(lesson.name, False, failed.what, hint, time.monotonic() - began, said)
    return Report(lesson.name, True, words, "", time.monotonic() - began)


def _check_faults(course: Course) -> None:
    if course.ledger.faults:
        raise Failed("it failed, and gave up a match for it", "")
