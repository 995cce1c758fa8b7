"""The course for bots: good ones pass it, and each bad one fails the lesson it is bad at, and no other."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from clients.typescript_bot.test_typescript import build
from lictor.engine import registry
from lictor.engine.chance import SealedChance, derive_secret
from lictor.server.cli import main
from lictor.server.contestants import Contestant, contestant
from lictor.server.edge.course.course import Course
from lictor.server.edge.course.lessons import LESSONS
from lictor.server.edge.course.lessons.phases import phases
from lictor.server.edge.course.run import Report, give
from lictor.server.edge.course.steering import Search

from .bad_bots import bots

LONGEST_S = 80
PATIENCE_S = 3.0  # with bots that are known to answer at once, or never
NAMES = [lesson.name for lesson in LESSONS]
GAME = registry.get("julius_caesar")


def program(bot: type[bots.Good]) -> Contestant:
    return Contestant(bot.__name__, (sys.executable, str(Path(bots.__file__)), bot.__name__))


def given(who: Contestant, folder: Path, *lessons: str, patience: float = 10.0) -> dict[str, Report]:
    """Give a course, and return the reports by the names of the lessons."""

    async def bounded() -> list[Report]:
        async with asyncio.timeout(LONGEST_S):
            return await give(who, GAME, folder, patience=patience, seed=1, lessons=lessons)

    return {report.name: report for report in asyncio.run(bounded())}


def failures(reports: dict[str, Report]) -> dict[str, str]:
    return {name: report.what for name, report in reports.items() if not report.passed}


@pytest.mark.parametrize("name", ["random", "steady", "scout-4"])
def test_house_bots_pass(name: str, tmp_path: Path) -> None:
    reports = given(contestant(name), tmp_path)
    assert failures(reports) == {}
    assert list(reports) == NAMES
    assert "8 matches" in reports["several"].what


@pytest.mark.parametrize("good", [bots.TakesChallenges, bots.PlaysOnce], ids=lambda good: good.__name__)
def test_bots_of_other_habits_pass(good: type[bots.Good], tmp_path: Path) -> None:
    lessons = ("connects", "killed", "legal", "refusal", "late", "extras", "takeover", "leaves")
    assert failures(given(program(good), tmp_path, *lessons)) == {}


def test_rare_decisions_are_brought_about(tmp_path: Path) -> None:
    course = Course(GAME, program(bots.Good), tmp_path, patience=10.0, seed=1)

    async def bounded() -> str:
        async with asyncio.timeout(LONGEST_S), course.open():
            return await phases(course)

    words, ledger = asyncio.run(bounded()), course.ledger
    taken_up = {match for match, started in ledger.started.items() if started.resumed}
    assert taken_up
    assert all(ledger.answers[match] for match in taken_up)
    over = Search(GAME, 1, 0).last()
    assert [one for one in GAME.FOG.situations if one not in words] == [over]


@pytest.mark.parametrize("name", registry.names())
def test_a_plan_leads_where_it_says(name: str) -> None:
    game, secret = registry.get(name), derive_secret("plan")
    wanted, search = list(game.FOG.situations), Search(game, 5, 40)
    found: list[str] = []
    for seat in game.SEATS * 4:
        plan = search.find({}, secret, "m", seat, wanted)
        if plan is None:
            break
        found.append(plan.situation)
        wanted.remove(plan.situation)
        state = game.new_game({}, SealedChance(secret, "m", [plan.entropies[one] for one in game.SEATS]))
        orders = {one: iter(plan.orders[one]) for one in game.SEATS}
        while order := next((order for one in game.to_act(state) if (order := _next(one, orders))), None):
            game.apply(state, order[0], game.parse_action(order[1]))
        assert seat in game.to_act(state)
        assert game.FOG.situation(state) == plan.situation
    assert len(found) >= 5
    assert search.find({}, secret, "m", game.SEATS[0], ["nothing of the kind"]) is None
    assert search.left == 0


def _next(seat: str, orders: dict[str, Iterator[str]]) -> tuple[str, str] | None:
    order = next(orders[seat], None)
    return None if order is None else (seat, order)


def test_the_bot_in_typescript_passes(tmp_path: Path) -> None:
    script = build(tmp_path)
    reports = given(contestant(None, f"node {script} caius 1000 3"), tmp_path / "course")
    assert failures(reports) == {}


@pytest.mark.parametrize("bad", bots.LESSON_OF, ids=lambda bad: bad.__name__)
def test_a_bad_bot_fails_its_lesson_and_no_other(bad: type[bots.Good], tmp_path: Path) -> None:
    reports = given(program(bad), tmp_path, patience=PATIENCE_S)
    failed = failures(reports)
    assert list(failed) == [bots.LESSON_OF[bad]], failed
    assert reports[bots.LESSON_OF[bad]].hint


@pytest.mark.parametrize("bad", bots.ALSO, ids=lambda bad: bad.__name__)
def test_there_are_more_ways_to_fail(bad: type[bots.Good], tmp_path: Path) -> None:
    lesson = bots.ALSO[bad]
    reports = given(program(bad), tmp_path, "connects", lesson, "legal", patience=PATIENCE_S)
    assert list(failures(reports)) == [lesson], failures(reports)


def test_nothing_else_is_tried_with_a_bot_that_does_not_connect(tmp_path: Path) -> None:
    reports = given(program(bots.BargesIn), tmp_path, patience=PATIENCE_S)
    assert reports["connects"].what == "its first message is ping, not Hello"
    assert {report.what for name, report in reports.items() if name != "connects"} == {
        "not tried: connects comes first"
    }
    assert list(failures(reports)) == NAMES


def test_a_program_that_ends_at_once_is_told_so(tmp_path: Path) -> None:
    who = Contestant("exits", (sys.executable, "-c", "import sys; sys.exit('no such thing')"))
    report = given(who, tmp_path, "ping")["ping"]
    assert report.what == "its process ended (exit code 1), and it did not connect and say Hello"
    assert report.said == ("no such thing",)


# --- The command line ---


def checkbot(*words: str) -> Result:
    return CliRunner().invoke(main, ["checkbot", *words])


def test_the_command_says_what_failed_and_what_to_do() -> None:
    line = f"{sys.executable} {bots.__file__} NeverPongs"
    result = checkbot("--exec", line, "--lesson", "ping", "--lesson", "connects", "--patience", "1")
    assert result.exit_code == 1, result.output
    assert "passed connects" in result.stdout
    assert "FAILED ping" in result.stdout
    assert "what to do: Answer Ping at once" in result.stdout
    assert "--lesson ping" in result.stdout


def test_a_program_can_read_the_results() -> None:
    line = f"{sys.executable} {bots.__file__} Good"
    result = checkbot("--exec", line, "--lesson", "refusal", "--json", "--seed", "3")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["passed"] is True
    assert (told["bot"], told["game"], told["seed"]) == ("bots", "julius_caesar", 3)
    (lesson,) = told["lessons"]
    assert (lesson["name"], lesson["passed"], lesson["hint"]) == ("refusal", True, "")
    assert "refusals" in lesson["what"]


def test_a_course_that_is_broken_off_leaves_nothing_behind(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    program = f"import os, pathlib, time; pathlib.Path({str(told)!r}).write_text(str(os.getpid())); time.sleep(600)"
    words = [sys.executable, "-m", "lictor.server.cli", "checkbot", "--exec", f'{sys.executable} -c "{program}"']
    process = subprocess.Popen(words, env={**os.environ, "TMPDIR": str(tmp_path)}, stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + LONGEST_S
        while not (told.is_file() and told.read_text()):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        assert process.wait(LONGEST_S) == 1
    finally:
        process.kill()
    with pytest.raises(ProcessLookupError):
        os.kill(int(told.read_text()), 0)
    assert list(tmp_path.iterdir()) == [told]


def test_the_lessons_are_listed() -> None:
    assert [line.split()[0] for line in checkbot("--list").stdout.splitlines()] == NAMES
    assert [lesson["name"] for lesson in json.loads(checkbot("--list", "--json").stdout)] == NAMES


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "name a bot"),
        (("random", "--exec", "node bot.js"), "name one of the two"),
        (("missing.py:Bot",), "there is no file missing.py"),
        (("random", "--lesson", "chess"), "there is no lesson 'chess'; there are connects, "),
        (("random", "--game", "chess"), "there is no game 'chess'"),
        (("random", "--patience", "0"), "--patience"),
        (("--exec", "/nowhere/bot"), "/nowhere/bot cannot be started"),
    ],
)
def test_a_bad_command_line_is_refused(words: tuple[str, ...], told: str) -> None:
    result = checkbot(*words)
    assert result.exit_code == 2, result.output
    assert told in result.output
