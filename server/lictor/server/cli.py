"""The command line."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import yaml
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from lictor.engine import record, registry
from lictor.engine.fog import FogReport, check_games
from lictor.engine.game import SPECTATOR, GameError
from lictor.server import bench as benches
from lictor.server import selfplay as series
from lictor.server.players import PLAYERS

out = Console(highlight=False)
notes = Console(stderr=True, highlight=False)  # progress and complaints: never part of the output


class House(click.Group):
    """The commands; an error of the games is told in one line, never as a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except GameError as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=House, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="lictor")
def main() -> None:
    """Referee Roman civil-war board games: play, record, verify, and prove that nothing leaks."""


_game = click.option("--game", default="julius_caesar", show_default=True, help="Which game.")
_options = click.option(
    "--option", "-o", "options", multiple=True, metavar="NAME=VALUE", help="A game option, such as -o edition=1.x."
)
_data = click.option(
    "--data",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A data file (YAML) in place of the game's.",
)
_seed = click.option(
    "--seed", default=1, show_default=True, type=click.IntRange(0), help="The same seed, the same result."
)
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for a program to read.")
_file = click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))


def _read_options(game: str, given: tuple[str, ...], data: Path | None) -> dict[str, object]:
    options: dict[str, object] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise click.BadParameter(f"{text!r} is not NAME=VALUE", param_hint="--option")
        if name == "data":
            raise click.BadParameter("a data file is given with --data", param_hint="--option")
        options[name] = value
    if data is not None:
        options["data"] = _read_data(data)
    registry.get(game).catalog(options)  # refuses what it does not know, before anything starts
    return options


def _read_data(path: Path) -> Mapping[str, Any]:
    try:
        data = yaml.safe_load(path.read_text("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise click.BadParameter(f"{path} is not YAML: {error!s:.200}", param_hint="--data") from error
    if not isinstance(data, dict):
        raise click.BadParameter(f"{path} holds no mapping", param_hint="--data")
    return data


@contextmanager
def _progress(label: str, total: int) -> Iterator[Any]:
    """Show a bar on a terminal, and nothing where nobody looks."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=notes, transient=True, disable=not notes.is_terminal) as bar:
        task = bar.add_task(label, total=total)
        yield lambda done: bar.update(task, completed=done)


@main.command()
@_game
@click.option(
    "--matches", default=1, show_default=True, type=click.IntRange(1), help="How many games, one after another."
)
@_seed
@click.option("--records", type=click.Path(file_okay=False, path_type=Path), default=Path("records"), show_default=True)
@click.option("--pause", default=0.0, show_default=True, help="Seconds to wait after each order, to read along.")
def demo(game: str, matches: int, seed: int, records: Path, pause: float) -> None:
    """Play a game between two random players, told in words; write its record, verify it, say who won."""
    module = registry.get(game)
    plan = series.Plan(game, {}, ["random"] * len(module.SEATS), seed)
    for number in range(matches):

        def tell(seat: str, action: Any, events: list[Any]) -> None:
            for event in events:
                if words := module.describe(event, SPECTATOR):
                    out.print(f"  {words}", markup=False)
            if pause:
                time.sleep(pause)

        out.print(f"[bold]{module.catalog({})['title']}[/], as a spectator sees it:")
        played = series.play(plan, number, tell)
        path = _write_record(records, played)
        checked = record.verify(path.read_bytes(), registry.get)
        winner = played.outcome.winner or "nobody"
        score = ", ".join(f"{seat} {points}" for seat, points in played.outcome.score.items())
        out.print(
            f"\n[bold]{winner.capitalize()} wins[/] ({played.outcome.reason}; {score}) in {played.decisions} decisions."
        )
        out.print(f"Record: {path} ({checked.actions} actions, {checked.draws} draws, {checked.signature}): verified.")
        out.print(f"Read it: lictor record show {path} | check it yourself: lictor record verify {path}")


def _write_record(folder: Path, played: series.Played) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{played.match}.jsonl"
    path.write_bytes(played.record)
    return path


@main.command()
@_game
@_options
@_data
@click.option("--games", "-n", default=10, show_default=True, type=click.IntRange(1), help="How many games.")
@click.option("--players", default="random,random", show_default=True, help=f"One a seat: {', '.join(PLAYERS)}.")
@_seed
@click.option("--records", type=click.Path(file_okay=False, path_type=Path), help="Write each game's record there.")
@click.option("--jobs", "-j", default=1, show_default=True, type=click.IntRange(1, 64), help="Processes; same games.")
@_json
def selfplay(
    game: str,
    options: tuple[str, ...],
    data: Path | None,
    games: int,
    players: str,
    seed: int,
    records: Path | None,
    jobs: int,
    as_json: bool,
) -> None:
    """Play games between players of this process. The same seed gives the same games, whatever --jobs."""
    module = registry.get(game)
    names = players.split(",")
    unknown = [name for name in names if name not in PLAYERS]
    if unknown or len(names) != len(module.SEATS):
        text = f"{players!r}: name one of {', '.join(PLAYERS)} for each of {', '.join(module.SEATS)}"
        raise click.BadParameter(text, param_hint="--players")
    plan = series.Plan(game, _read_options(game, options, data), names, seed)
    endings: Counter[tuple[str, str]] = Counter()
    decisions = 0
    began = time.perf_counter()
    with _progress("games", games) as done:
        for played in series.play_many(plan, games, jobs):
            endings[played.outcome.winner or "nobody", played.outcome.reason] += 1
            decisions += played.decisions
            if records is not None:
                _write_record(records, played)
            done(played.number + 1)
    wins = {seat: sum(count for (winner, _), count in endings.items() if winner == seat) for seat in module.SEATS}
    result = {
        "game": game,
        "games": games,
        "seed": seed,
        "players": dict(zip(module.SEATS, names, strict=True)),
        "wins": wins,
        "draws": games - sum(wins.values()),
        "endings": {f"{winner} {reason}": count for (winner, reason), count in sorted(endings.items())},
        "decisions_per_game": round(decisions / games, 1),
        "games_per_s": round(games / (time.perf_counter() - began), 2),
        "records": str(records) if records else None,
    }
    if as_json:
        click.echo(json.dumps(result))
        return
    table = Table("winner", "by", "games", "share", title=f"{games} games of {game}, seed {seed}")
    for (winner, reason), count in sorted(endings.items()):
        table.add_row(winner, reason, str(count), f"{count / games:.0%}")
    out.print(table)
    out.print(f"{result['decisions_per_game']} decisions a game, {result['games_per_s']} games a second.")
    if records is not None:
        out.print(f"Records in {records}: lictor record verify {records}/*.jsonl")


@main.group("record")
def record_group() -> None:
    """Show, verify or replay the record of a match."""


@record_group.command()
@_file
@click.option("--viewer", help="Tell only what this seat, or the spectator, could see. Default: everything.")
@_data
def show(file: Path, viewer: str | None, data: Path | None) -> None:
    """Tell a recorded match in words."""
    played = record.read(file.read_bytes())
    game = registry.get(played.header["game"])
    if viewer is not None and viewer not in (*game.SEATS, SPECTATOR):
        raise click.BadParameter(f"there is {', '.join((*game.SEATS, SPECTATOR))}", param_hint="--viewer")
    header, footer = played.header, played.footer
    sides = ", ".join(f"{seat}: {player}" for seat, player in header["seats"].items())
    click.echo(f"{header['match']}: {header['game']} {header['edition']} ({sides})")
    orders = ("", *(f"{entry['seat']} {entry['action']}" for entry in played.actions))
    for number, (order, (_, events)) in enumerate(zip(orders, record.replay(played, game, _given(data)), strict=True)):
        if number and viewer in (None, order.split(" ")[0]):
            click.echo(f"{number:4} {order}")
        for event in events:
            words = event.words() if viewer is None else game.describe(event, viewer)
            if words:
                click.echo(f"       {words}")
    outcome = footer["outcome"]
    click.echo(f"{footer['termination']['kind']}: {outcome.get('winner') or 'nobody'} ({outcome.get('reason')})")


@record_group.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--key", help="Insist on a signature by this public key (hex).")
@_data
@_json
def verify(files: tuple[Path, ...], key: str | None, data: Path | None, as_json: bool) -> None:
    """Check everything a record claims, offline: bytes, dice, actions, outcome, signature. Exits 1 if one fails."""
    given, results = _given(data), []
    with _progress("records", len(files)) as done:
        for number, file in enumerate(files):
            results.append(_verify_one(file, given, key))
            done(number + 1)
    if as_json:
        click.echo(json.dumps(results))
    else:
        for row in results:
            if row["ok"]:
                told = f"{row['actions']} actions, {row['draws']} draws, {row['winner'] or 'nobody'} wins"
                click.echo(f"ok    {row['file']}: {told} ({row['reason']}), {row['signature']}")
            else:
                click.echo(f"BROKEN {row['file']}: {row['error']}")
    if not all(row["ok"] for row in results):
        sys.exit(1)


def _verify_one(file: Path, data: Mapping[str, Any] | None, key: str | None) -> dict[str, Any]:
    try:
        found = record.verify(file.read_bytes(), registry.get, data, key)
    except GameError as error:
        return {"file": str(file), "ok": False, "error": str(error), "line": getattr(error, "line", None)}
    row = {
        name: getattr(found, name) for name in ("game", "match", "actions", "draws", "winner", "reason", "signature")
    }
    return {"file": str(file), "ok": True, **row}


def _given(data: Path | None) -> Mapping[str, Any] | None:
    return None if data is None else _read_data(data)


@record_group.command()
@_file
@click.option("--to", "stop", type=click.IntRange(0), help="Stop after this many actions. Default: the end.")
@click.option("--viewer", help="Print the observation of this seat or the spectator instead of the full position.")
@_data
def replay(file: Path, stop: int | None, viewer: str | None, data: Path | None) -> None:
    """Play a record again up to a point and print the position there as JSON."""
    played = record.read(file.read_bytes())
    game = registry.get(played.header["game"])
    if viewer is not None and viewer not in (*game.SEATS, SPECTATOR):
        raise click.BadParameter(f"there is {', '.join((*game.SEATS, SPECTATOR))}", param_hint="--viewer")
    if stop is not None and stop > len(played.actions):
        raise click.BadParameter(f"the record has {len(played.actions)} actions", param_hint="--to")
    for number, (state, _) in enumerate(record.replay(played, game, _given(data))):
        if number == (len(played.actions) if stop is None else stop):
            position = game.dump(state) if viewer is None else game.observation(state, viewer).facts()
            click.echo(json.dumps({"after": number, "digest": game.digest(state), "position": position}, indent=1))
            return


@main.command()
@click.option("--game", help="Only this game. Default: every registered game.")
@click.option("--states", default=300, show_default=True, type=click.IntRange(1), help="States to visit per game.")
@_seed
@_json
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
                "leaks": len(report.leaks),
            }
        )
        if not as_json:
            _tell_leaks(report, missing, f"lictor leakcheck --game {name} --states {states} --seed {seed}")
    if as_json:
        click.echo(json.dumps(rows))
    if any(row["leaks"] or row["single_worlds"] for row in rows):
        sys.exit(1)


def _leakcheck(name: str, states: int, seed: int) -> FogReport:
    game = registry.get(name)
    choices = [{"edition": edition} for edition in game.EDITIONS]
    for option, spec in game.OPTIONS.items():
        if option != "edition" and spec.values:
            choices = [{**choice, option: value} for choice in choices for value in spec.values]
    report = FogReport(name)
    with _progress(name, states) as done:
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
    for leak in report.leaks[:20]:
        out.print(f"LEAK {leak}", markup=False, style="red")
    if report.leaks:
        out.print(f"{len(report.leaks)} leaks. Again: {command}")
    else:
        out.print("No leak: nothing a viewer got depended on what he may not know.")


@main.group()
def bench() -> None:
    """Measure. Compare figures of one run only: machines are noisy."""


@bench.command("engine")
@_game
@_options
@_data
@click.option("--seconds", default=8.0, show_default=True, help="How long to play.")
@click.option("--long", "is_long", is_flag=True, help="Play for a minute.")
@_seed
@_json
def bench_engine(
    game: str, options: tuple[str, ...], data: Path | None, seconds: float, is_long: bool, seed: int, as_json: bool
) -> None:
    """Random games on one core, with legal actions and the actor's observation at every decision."""
    figures = benches.bench_engine(game, _read_options(game, options, data), 60.0 if is_long else seconds, seed)
    if as_json:
        click.echo(json.dumps(figures))
        return
    table = Table("figure", "value", title=f"{game}: random play, one core")
    for name, value in figures.items():
        table.add_row(name, str(value))
    out.print(table)


if __name__ == "__main__":
    main()
