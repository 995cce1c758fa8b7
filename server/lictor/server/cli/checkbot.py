"""`checkbot`: a course for bots, in any language, before their first rated game."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import tempfile
from collections.abc import Awaitable
from dataclasses import asdict
from pathlib import Path

import click

from lictor.engine import registry
from lictor.server import logs
from lictor.server.cli.common import game_option, json_option, out, seed_option
from lictor.server.contestants import BadContestant, contestant
from lictor.server.edge.course.lessons import LESSONS
from lictor.server.edge.course.run import Report, give

_TOLD = 6  # of a failed bot's last lines


@click.command()
@click.argument("bot", required=False)
@click.option("--exec", "program", metavar="COMMAND", help='Any program in place of BOT, such as "node bot.js".')
@game_option
@click.option("--lesson", "lessons", multiple=True, metavar="NAME", help="Give only this lesson; may be repeated.")
@click.option("--list", "listing", is_flag=True, help="List the lessons.")
@click.option(
    "--patience",
    default=10.0,
    show_default=True,
    type=click.FloatRange(0.2, 600),
    metavar="SECONDS",
    help="How long the bot may take for anything: to start, to come back, to answer.",
)
@seed_option
@json_option
def checkbot(
    bot: str | None,
    program: str | None,
    game: str,
    lessons: tuple[str, ...],
    listing: bool,
    patience: float,
    seed: int,
    as_json: bool,
) -> None:
    """Find out whether a bot is robust: lose its stream, refuse its answers, restart its server, and see.

    BOT is a house bot's name or file.py:Class. The bot is started as a process with LICTOR_TARGET, LICTOR_TOKEN,
    LICTOR_GAME and LICTOR_SEED in its environment, and plays against the course over a wire that breaks. One that ends
    with exit code 0 between two matches is started again. The exit code is 0 if all lessons are passed, and 1 if not.
    """
    if listing:
        _list(as_json)
        return
    names = [lesson.name for lesson in LESSONS]
    for name in lessons:
        if name not in names:
            raise click.BadParameter(
                f"there is no lesson {name!r}; there are {', '.join(names)}", param_hint="--lesson"
            )
    try:
        who, module = contestant(bot, program), registry.get(game)
    except BadContestant as error:
        raise click.UsageError(str(error)) from error
    except registry.UnknownGame as error:
        raise click.BadParameter(str(error), param_hint="--game") from error
    logs.configure(json=not sys.stderr.isatty(), quiet=True)
    tell = (lambda _: None) if as_json else _tell
    try:
        with tempfile.TemporaryDirectory(prefix="lictor-checkbot-") as folder:
            work = give(who, module, Path(folder), patience=patience, seed=seed, lessons=lessons, tell=tell)
            reports = asyncio.run(_until_told(work))
    except BadContestant as error:
        raise click.UsageError(str(error)) from error
    except asyncio.CancelledError as error:
        raise click.Abort from error
    _sum_up(who.label, game, seed, reports, as_json)
    if not all(report.passed for report in reports):
        sys.exit(1)


async def _until_told(work: Awaitable[list[Report]]) -> list[Report]:
    """Do the work, but leave in order on SIGTERM, as on Ctrl-C."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await work


def _list(as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps([{"name": lesson.name, "about": lesson.about} for lesson in LESSONS]))
        return
    for lesson in LESSONS:
        out.print(f"{lesson.name:<9} {lesson.about}", markup=False)


def _tell(report: Report) -> None:
    mark = "passed" if report.passed else "FAILED" if report.tried else "------"
    style = "green" if report.passed else "red" if report.tried else "dim"
    out.print(f"{mark} {report.name:<9} {report.what} ({report.seconds:.1f} s)", style=style, markup=False)
    if report.hint:
        out.print(f"       what to do: {report.hint}", markup=False)
    for line in report.said[-_TOLD:]:
        out.print(f"       | {line}", markup=False, style="dim")


def _sum_up(label: str, game: str, seed: int, reports: list[Report], as_json: bool) -> None:
    failed = [report.name for report in reports if not report.passed]
    if as_json:
        facts = [{**asdict(report), "seconds": round(report.seconds, 3)} for report in reports]
        click.echo(json.dumps({"bot": label, "game": game, "seed": seed, "passed": not failed, "lessons": facts}))
        return
    if not failed:
        out.print(f"{label} passed all {len(reports)} lessons.", markup=False)
        return
    tried = [report.name for report in reports if report.tried and not report.passed]
    rest = f", and {len(failed) - len(tried)} were not tried" if len(failed) > len(tried) else ""
    again = " ".join(f"--lesson {name}" for name in tried)
    text = f"{label} failed {len(tried)} of {len(reports)} lessons{rest}. Try again with: {again}"
    out.print(text, markup=False)
