"""`practice`: a bot against another, with a server of their own."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import signal
import sys
from pathlib import Path
from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from lictor.engine.game import GameError
from lictor.server import logs
from lictor.server.cli.common import (
    game_option,
    json_option,
    notes,
    options_option,
    out,
    progress,
    read_options,
    seed_option,
)
from lictor.server.cli.serving import parse_clock
from lictor.server.contestants import BadContestant, Contestant, contestant
from lictor.server.edge.serving import CannotServe
from lictor.server.practice.plan import CLOCK, CLOCK_TEXT, SIDES, Plan, name_of
from lictor.server.practice.running import Practised, practise
from lictor.server.practice.summary import summarise
from lictor.server.practice.troubles import Trouble
from lictor.server.store import StoreError
from lictor.server.tuning import tune

HOME = Path("practice-records")


@click.command()
@click.argument("bot", required=False)
@click.option("--exec", "program", metavar="COMMAND", help="The bot is this program, such as 'node bot.js'.")
@click.option("--against", metavar="BOT", help="The opponent: a house name or file.py:Class.  [default: steady]")
@click.option("--against-exec", metavar="COMMAND", help="The opponent is this program.")
@click.option("--games", "-n", default=20, show_default=True, type=click.IntRange(1, 9999), help="How many games.")
@seed_option
@game_option
@options_option
@click.option("--clock", default=CLOCK_TEXT, show_default=True, help="base+increment/limit in seconds.")
@click.option(
    "--jobs",
    "-j",
    default=1,
    show_default=True,
    type=click.IntRange(1, 64),
    help="Matches at once, if both take so many.",
)
@click.option(
    "--patience", default=30.0, show_default=True, type=click.FloatRange(0.1), help="Seconds to wait for a bot to come."
)
@click.option(
    "--records",
    type=click.Path(file_okay=False, path_type=Path),
    help=f"Where records and the bots' output go.  [default: {HOME}/BOT-AGAINST-SEED]",
)
@json_option
def practice(
    bot: str | None,
    program: str | None,
    against: str | None,
    against_exec: str | None,
    games: int,
    seed: int,
    game: str,
    options: tuple[str, ...],
    clock: str,
    jobs: int,
    patience: float,
    records: Path | None,
    as_json: bool,
) -> None:
    """Let BOT play an opponent over the wire, with no account and no running server.

    BOT is a house name, file.py:Class, or any program with --exec. A program finds in its environment LICTOR_TARGET and
    LICTOR_TOKEN, with which it connects, LICTOR_GAME, which it seeks, and LICTOR_SEED. Games are mirrored: sides change
    after each. The same seed gives the same dice, and bots that keep to LICTOR_SEED the same records but for the times.

    Ends with 0 when all games were played, and with 1 when something went wrong, also when BOT failed in a game (a bot
    that raises resigns it): what, and what to do, is told then.
    """
    who = _contestant(bot, program, "BOT")
    opponent = _contestant(against or (None if against_exec else "steady"), against_exec, "--against")
    terms = _options(game, options)
    folder = records or HOME / f"{name_of(who.label)}-{name_of(opponent.label)}-{seed}"
    time = dataclasses.replace(parse_clock(clock), reconnect_grace_ms=CLOCK.reconnect_grace_ms)
    plan = Plan(who, opponent, game, terms, games, seed, folder, time, jobs, patience)
    logs.configure(json=not sys.stderr.isatty(), quiet=True)
    tune()
    try:
        practised = asyncio.run(_practise(plan))
    except (CannotServe, StoreError) as error:
        raise click.ClickException(str(error)) from error
    figures = _figures(plan, practised)
    if as_json:
        click.echo(json.dumps(figures))
    else:
        _tell(plan, figures, practised.stopped)
    if practised.stopped is not None or "bot" in figures["failures"]:
        raise click.exceptions.Exit(1)


def _contestant(bot: str | None, program: str | None, where: str) -> Contestant:
    try:
        return contestant(bot, program)
    except BadContestant as error:
        raise click.BadParameter(str(error), param_hint=where) from error


def _options(game: str, given: tuple[str, ...]) -> dict[str, str]:
    try:
        return {name: str(value) for name, value in read_options(game, given, None).items()}
    except GameError as error:
        raise click.UsageError(str(error)) from error


async def _practise(plan: Plan) -> Practised:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for sign in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(sign, stop.set)
    with progress(f"{plan.bot.label} against {plan.against.label}", plan.games) as done:
        return await practise(plan, stop, done)


def _figures(plan: Plan, practised: Practised) -> dict[str, Any]:
    return {
        "bot": plan.bot.label,
        "against": plan.against.label,
        "game": plan.game,
        "options": dict(plan.options),
        "seed": plan.seed,
        "wanted": plan.games,
        **summarise(practised.games, plan.seats),
        "names": plan.names(),
        "records": str(plan.records),
        "logs": {side: str(plan.log(side)) for side in SIDES},
        "stopped": practised.stopped.figures() if practised.stopped is not None else None,
    }


# --- For people ---


def _tell(plan: Plan, figures: dict[str, Any], stopped: Trouble | None) -> None:
    bot, against = escape(plan.names()["bot"]), escape(plan.names()["against"])
    title = f"{bot} against {against}: {figures['games']} games of {plan.game}, seed {plan.seed}"
    if figures["games"]:
        out.print(_score_table(title, figures))
        if figures["games"] % 2:
            seat = max(plan.seats, key=lambda seat: figures["by_side"][seat]["games"])
            out.print(f"An odd number of games: {bot} was {seat} once more. An even number is fairer.")
        out.print(f"Endings: {', '.join(f'{kind} {count}' for kind, count in figures['endings'].items())}.")
        for name, forfeits in ((bot, figures["forfeits"]), (against, figures["forfeits_against"])):
            if forfeits:
                out.print(f"{name} forfeited {forfeits}: time, absence, illegal actions or failure.", style="yellow")
        for side, failed in figures["failures"].items():
            text = f"{plan.names()[side]} failed in {failed['games']} of {figures['games']} games: {failed['first']}"
            out.print(text, style="red", markup=False)
        out.print(_think_table(plan, figures))
        out.print(f"Records in {plan.records}: lictor record verify {plan.records}/*.jsonl", markup=False)
    for side in SIDES:
        log = plan.log(side)
        if log.is_file() and log.stat().st_size and (stopped is None or stopped.log != log):
            out.print(f"{plan.names()[side]} said something: {log}", markup=False)
    if stopped is not None:
        _tell_trouble(stopped, figures["games"], plan.games)


def _score_table(title: str, figures: dict[str, Any]) -> Table:
    table = Table("side", "games", "won", "drawn", "lost", "score", "95 %", title=title, title_justify="left")
    rows = [(f"as {seat}", row) for seat, row in figures["by_side"].items()]
    for name, row in (*rows, ("both", figures)):
        if row["games"]:
            bounds = f"{row['score_low']:.0%} to {row['score_high']:.0%}"
            counts = [str(row[count]) for count in ("games", "wins", "draws", "losses")]
            table.add_row(name, *counts, f"{row['score']:.0%}", bounds)
    low, middle, high = (_elo(figures[name]) for name in ("elo_low", "elo", "elo_high"))
    table.caption = f"Elo {middle or 'without bound'} ({low or 'anything'} to {high or 'anything'})"
    table.caption_justify = "left"
    return table


def _elo(value: float | None) -> str:
    return "" if value is None else f"{value:+.0f}"


def _think_table(plan: Plan, figures: dict[str, Any]) -> Table:
    table = Table("thought", "decisions", "p50 ms", "p95 ms", "max ms")
    for side in SIDES:
        row = figures["think_ms"][side]
        none = "<1" if row["decisions"] else "-"
        times = [str(row[name]) if row[name] else none for name in ("p50", "p95", "max")]
        table.add_row(escape(plan.names()[side]), str(row["decisions"]), *times)
    return table


def _tell_trouble(stopped: Trouble, played: int, wanted: int) -> None:
    text = f"Stopped after {played} of {wanted} games ({stopped.kind}): {stopped.text}."
    notes.print(text, style="red", markup=False, soft_wrap=True)
    for line in stopped.said:
        notes.print(f"  | {line}", style="dim", markup=False, soft_wrap=True)
    notes.print(f"Hint: {stopped.hint}.", markup=False, soft_wrap=True)
