"""`record notes`: what a bot's notes were worth."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.table import Table

from lictor.engine import record, registry
from lictor.server.cli.common import data_option, file_argument, given_data, json_option, out, progress
from lictor.server.notes import WORLDS, Beliefs, Score, score


@click.command("notes")
@file_argument
@click.argument("transcript", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--seat", required=True, help="Whose transcript it is.")
@click.option(
    "--worlds",
    default=WORLDS,
    show_default=True,
    type=click.IntRange(2, 10_000),
    help="How many worlds to draw a decision, to compare beliefs with.",
)
@data_option
@json_option
def notes(file: Path, transcript: Path, seat: str, worlds: int, data: Path | None, as_json: bool) -> None:
    """Score the win chances and beliefs that a bot noted, by the record of the match.

    FILE is the record, TRANSCRIPT that of the seat: `lictor record fetch MATCH` and `lictor record fetch MATCH
    --transcript SEAT` get them when the match has ended. Losses are log losses, in nats: 0 is perfect, less is better.
    Sampled is what a fair draw of worlds, from what the seat had seen, would have lost by the same claims. Skill is 1
    for the truth and 0 for no better than that, over the open claims: those on which the sampled worlds do not agree.
    """
    content, given = file.read_bytes(), given_data(data)
    record.verify(content, registry.get, given)
    played = record.read(content)
    with progress("actions", len(played.actions)) as done:
        found = score(played, transcript.read_bytes(), seat, given, worlds, done)
    if as_json:
        click.echo(json.dumps(found.figures()))
    else:
        _show(found)


def _show(found: Score) -> None:
    results = {None: "no result", 1.0: "won", 0.5: "a draw", 0.0: "lost"}
    click.echo(f"{found.match}, {found.seat}: {results[found.result]}, {found.notes} notes")
    if found.win_chances and found.result is not None:
        click.echo(f"win chances: {found.win_chances}, Brier {found.brier:.4f}, log loss {found.log_loss:.4f}")
    if found.beliefs.claims:
        table = Table("claim", "number", "open", "loss", "sampled", "skill")
        for kind, beliefs in [*sorted(found.kinds.items()), ("all", found.beliefs)]:
            table.add_row(kind, *_row(beliefs))
        out.print(table)
    if found.not_understood:
        click.echo(f"{found.not_understood} claims were not understood; the first: {found.complaint}")
    if not found.win_chances and not found.beliefs.claims:
        click.echo("There is nothing to score: no note has a win chance, or a belief that is understood.")


def _row(beliefs: Beliefs) -> list[str]:
    return ["" if x is None else f"{x:.4f}" if isinstance(x, float) else str(x) for x in beliefs.figures().values()]
