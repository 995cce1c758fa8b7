"""`leakcheck` and `bench`: what the house claims, shown."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from lictor.engine import registry
from lictor.engine.fog import FogReport, check_games
from lictor.server.bench.bots import BenchFailed, house_bots, neighbours
from lictor.server.bench.bots import measure as measure_bots
from lictor.server.bench.engine import bench_engine as measure_engine
from lictor.server.bench.server import bench_server as measure_server
from lictor.server.cli.common import (
    data_option,
    game_option,
    json_option,
    options_option,
    out,
    progress,
    read_options,
    seed_option,
)


@click.command()
@click.option("--game", help="Only this game. Default: every registered game.")
@click.option("--states", default=300, show_default=True, type=click.IntRange(1), help="States to visit per game.")
@seed_option
@json_option
def leakcheck(game: str | None, states: int, seed: int, as_json: bool) -> None:
    """Prove the fog of war: redraw what a viewer cannot know; nothing he gets may change. Exits 1 on a leak."""
    rows = []
    for name in [game] if game else registry.names():
        report = _leakcheck(name, states, seed)
        missing = report.missing_kinds(registry.get(name))
        rows.append(
            {
                "game": name,
                "states": report.states,
                "comparisons": report.comparisons,
                "steps": report.steps,
                "not_carried": report.not_carried,
                "single_worlds": report.single_worlds,
                "differed": dict(report.differed),
                "never_differed": missing,
                "never_redrawn": report.stuck(),
                "leaks": len(report.leaks),
            }
        )
        if not as_json:
            _tell_leaks(report, missing, f"lictor leakcheck --game {name} --states {states} --seed {seed}")
    if as_json:
        click.echo(json.dumps(rows))
    if any(row["leaks"] or row["single_worlds"] or row["never_redrawn"] for row in rows):
        sys.exit(1)


def _leakcheck(name: str, states: int, seed: int) -> FogReport:
    game = registry.get(name)
    choices = [{"edition": edition} for edition in game.EDITIONS]
    for option, spec in game.OPTIONS.items():
        if option != "edition" and spec.values:
            choices = [{**choice, option: value} for choice in choices for value in spec.values]
    report = FogReport(name)
    with progress(name, states) as done:
        for report in check_games(game, choices, states, seed):
            done(report.states)
    return report


def _tell_leaks(report: FogReport, missing: list[str], command: str) -> None:
    out.print(f"[bold]{report.game}[/]: {report.states} states, {report.comparisons} comparisons of worlds, "
              f"{report.steps} with a step ({report.not_carried} steps had no counterpart).")  # fmt: skip
    table = Table("hidden kind of fact", "differed between the worlds", title="What was really redrawn")
    for kind, count in report.differed.most_common():
        table.add_row(kind, str(count))
    for kind in missing:
        table.add_row(kind, "never: visit more states")
    out.print(table)
    for fact in report.stuck():
        out.print(f"NEVER REDRAWN {fact}", markup=False, style="red")
    for leak in report.leaks[:20]:
        out.print(f"LEAK {leak}", markup=False, style="red")
    if report.leaks:
        out.print(f"{len(report.leaks)} leaks. Again: {command}")
    else:
        out.print("No leak: nothing a viewer got depended on what he may not know.")


@click.group()
def bench() -> None:
    """Measure. Compare figures of one run only: machines are noisy."""


@bench.command("engine")
@game_option
@options_option
@data_option
@click.option("--seconds", default=8.0, show_default=True, help="How long to play.")
@click.option("--long", "is_long", is_flag=True, help="Play for a minute.")
@seed_option
@json_option
def bench_engine(
    game: str, options: tuple[str, ...], data: Path | None, seconds: float, is_long: bool, seed: int, as_json: bool
) -> None:
    """Random games on one core, with legal actions and the actor's observation at every decision."""
    figures = measure_engine(game, read_options(game, options, data), 60.0 if is_long else seconds, seed)
    _tell_figures(figures, f"{game}: random play, one core", as_json)


@bench.command("server")
@game_option
@click.option("--seats", default=100, show_default=True, type=click.IntRange(2), help="Bots, two a match.")
@click.option("--seconds", default=10.0, show_default=True, help="How long to play.")
@click.option("--long", "is_long", is_flag=True, help="1,000 seats for a minute.")
@json_option
def bench_server(game: str, seats: int, seconds: float, is_long: bool, as_json: bool) -> None:
    """What a decision costs the server over the wire, beside a bare gRPC echo of the same traffic in the same run.

    Bots on one stream each answer as soon as they are asked. CPU is that of the server process alone, its store
    included; p50 and p99 are from an Act's arrival to handing over the Decide it causes.
    """
    registry.get(game)
    figures = measure_server(game, 1000 if is_long else seats - seats % 2, 60.0 if is_long else seconds)
    _tell_figures(figures, f"{game}: the server against a bare echo", as_json)


@bench.command("bots")
@game_option
@click.option("--pairs", default=4, show_default=True, type=click.IntRange(1), help="Mirrored pairs of games, each.")
@click.option("--long", "is_long", is_flag=True, help="100 pairs each: hours.")
@click.option("--rungs", help="Bots from weak to strong, with commas.  [default: all of the house but scout-1000]")
@click.option("--jobs", "-j", default=2, show_default=True, type=click.IntRange(1, 64), help="Series at once.")
@seed_option
@json_option
def bench_bots(game: str, pairs: int, is_long: bool, rungs: str | None, jobs: int, seed: int, as_json: bool) -> None:
    """How strong the house bots are: each against the next weaker, over the wire, with 95 % error bars."""
    registry.get(game)
    names = [name.strip() for name in rungs.split(",")] if rungs else [n for n in house_bots() if n != "scout-1000"]
    if len(names) < 2:
        raise click.BadParameter("name at least two bots, with commas between", param_hint="--rungs")
    number = 100 if is_long else pairs
    table = Table(
        "bot", "against", "games", "score", "95 %", "Elo", "95 %", title=f"{game}: {number} mirrored pairs each"
    )
    found = []
    try:
        with progress("games", 2 * number * len(neighbours(names))) as done:
            for row in measure_bots(names, game, number, seed, jobs, done):
                found.append(row)
                table.add_row(*_strength(row))
    except BenchFailed as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps(found))
    else:
        out.print(table)


def _strength(row: dict[str, Any]) -> list[str]:
    score = [f"{row[name]:.0%}" for name in ("score", "score_low", "score_high")]
    rating = ["" if row[name] is None else f"{row[name]:+d}" for name in ("elo", "elo_low", "elo_high")]
    bars = [f"{score[1]} to {score[2]}", f"{rating[1] or '?'} to {rating[2] or '?'}"]
    return [row["bot"], row["against"], str(row["games"]), score[0], bars[0], rating[0] or "?", bars[1]]


def _tell_figures(figures: dict[str, Any], title: str, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(figures))
        return
    table = Table("figure", "value", title=title)
    for name, value in figures.items():
        table.add_row(name, str(value))
    out.print(table)
