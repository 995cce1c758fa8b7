"""`selfplay`: games between players of this process."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from lictor.engine import registry
from lictor.server import selfplay as series
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
from lictor.server.players import NAMES, UnknownPlayer, player


def write_record(folder: Path, played: series.Played) -> Path:
    """Write the record of a game into a folder, named by its match."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{played.match}.jsonl"
    path.write_bytes(played.record)
    return path


@click.command()
@game_option
@options_option
@data_option
@click.option("--games", "-n", default=10, show_default=True, type=click.IntRange(1), help="How many games.")
@click.option("--players", default="random,random", show_default=True, help=f"One a seat: {', '.join(NAMES)}.")
@seed_option
@click.option("--records", type=click.Path(file_okay=False, path_type=Path), help="Write each game's record there.")
@click.option("--jobs", "-j", default=1, show_default=True, type=click.IntRange(1, 64), help="Processes; same games.")
@json_option
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
    names = [name.strip() for name in players.split(",")]
    if len(names) != len(module.SEATS):
        text = f"{players!r}: name one of {', '.join(NAMES)} for each of {', '.join(module.SEATS)}"
        raise click.BadParameter(text, param_hint="--players")
    try:
        for name in names:
            player(name, module, seed)
    except UnknownPlayer as error:
        raise click.BadParameter(str(error), param_hint="--players") from error
    plan = series.Plan(game, read_options(game, options, data), names, seed)
    endings: Counter[tuple[str, str]] = Counter()
    decisions = 0
    began = time.perf_counter()
    with progress("games", games) as done:
        for played in series.play_many(plan, games, jobs):
            endings[played.outcome.winner or "nobody", played.outcome.reason] += 1
            decisions += played.decisions
            if records is not None:
                write_record(records, played)
            done(played.number + 1)
    result = {
        "game": game,
        "games": games,
        "seed": seed,
        "players": dict(zip(module.SEATS, names, strict=True)),
        **_count_endings(module.SEATS, endings),
        "decisions_per_game": round(decisions / games, 1),
        "games_per_s": round(games / (time.perf_counter() - began), 2),
        "records": str(records) if records else None,
    }
    if as_json:
        click.echo(json.dumps(result))
    else:
        _tell_endings(result, endings)


def _count_endings(seats: tuple[str, ...], endings: Counter[tuple[str, str]]) -> dict[str, Any]:
    wins = {seat: sum(count for (winner, _), count in endings.items() if winner == seat) for seat in seats}
    told = {f"{winner} {reason}": count for (winner, reason), count in sorted(endings.items())}
    return {"wins": wins, "draws": endings.total() - sum(wins.values()), "endings": told}


def _tell_endings(result: dict[str, Any], endings: Counter[tuple[str, str]]) -> None:
    games, records = result["games"], result["records"]
    table = Table("winner", "by", "games", "share", title=f"{games} games of {result['game']}, seed {result['seed']}")
    for (winner, reason), count in sorted(endings.items()):
        table.add_row(winner, reason, str(count), f"{count / games:.0%}")
    out.print(table)
    out.print(f"{result['decisions_per_game']} decisions a game, {result['games_per_s']} games a second.")
    if records is not None:
        out.print(f"Records in {records}: lictor record verify {records}/*.jsonl")
