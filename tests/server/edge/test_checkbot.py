"""The course for bots: good ones pass it, and each bad one fails the lesson it is bad at, and no other."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from clients.typescript_bot.test_typescript import build
from lictor.engine import registry
from lictor.server.cli import main
from lictor.server.contestants import Contestant, contestant
from lictor.server.edge.course.lessons import LESSONS
from lictor.server.edge.course.run import Report, give

from .bad_bots import bots

LONGEST_S = 80
NAMES = [lesson.name for lesson in LESSONS]
GAME = registry.get("julius_caesar")


def program(name: str) -> Contestant:
    return Contestant(name, (sys.executable, str(Path(bots.__file__)), name))


def given(who: Contestant, folder: Path, *lessons: str, patience: float = 10.0) -> dict[str, Report]:
    """Give a course, and return the reports by the names of the lessons."""

    async def bounded() -> list[Report]:
        async with asyncio.timeout(LONGEST_S):
            return await give(who, GAME, folder, patience=patience, seed=1, lessons=lessons)

    return {report.name: report for report in asyncio.run(bounded())}


def failures(reports: dict[str, Report]) -> dict[str, str]:
    return {name: report.what for name, report in reports.items() if not report.passed}


def test_the_house_bot_passes(tmp_path: Path) -> None:
    reports = given(contestant("random"), tmp_path)
    assert failures(reports) == {}
    assert list(reports) == NAMES
    assert "8 matches" in reports["several"].what


def test_a_bot_made_from_the_protos_alone_passes(tmp_path: Path) -> None:
    reports = given(program("Good"), tmp_path)
    assert failures(reports) == {}
    situations = reports["phases"].what.partition(";")[0]
    # Both can be found with this seed, and neither is asked in most games.
    assert "Defection" in situations
    assert "WinterNavis" in situations


def test_the_bot_in_typescript_passes(tmp_path: Path) -> None:
    script = build(tmp_path)
    reports = given(contestant(None, f"node {script} caius 1000 3"), tmp_path / "course")
    assert failures(reports) == {}


@pytest.mark.parametrize("bad", bots.LESSON_OF, ids=lambda bad: bad.__name__)
def test_a_bad_bot_fails_its_lesson_and_no_other(bad: type[bots.Good], tmp_path: Path) -> None:
    reports = given(program(bad.__name__), tmp_path, patience=4.0)
    failed = failures(reports)
    assert list(failed) == [bots.LESSON_OF[bad]], failed
    (report,) = [reports[name] for name in failed]
    assert report.hint
