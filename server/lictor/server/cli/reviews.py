"""`record review`: why a seat won or lost, by its choices and by luck."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from lictor.engine import record, registry
from lictor.engine.record.perspective import Perspective
from lictor.server.cli.common import data_option, file_argument, given_data, json_option, progress, seed_option
from lictor.server.cli.records import named_after
from lictor.server.review.judging import Estimate, Judged, Task, judging
from lictor.server.review.ledger import Entry, Review, Reviewer
from lictor.server.review.plot import Heading, draw

_MOST_JOBS = 64


@click.command()
@file_argument
@click.option("--seat", required=True, help="Whose choices.")
@click.option(
    "--playouts", default=100, show_default=True, type=click.IntRange(10, 100_000), help="About so many a decision."
)
@seed_option
@click.option(
    "--jobs",
    "-j",
    default=min(os.cpu_count() or 1, _MOST_JOBS),
    type=click.IntRange(1, _MOST_JOBS),
    help="Processes; same result. Default: as many as there are processors.",
)
@click.option(
    "--plot", type=click.Path(dir_okay=False, path_type=Path), help="Default: MATCH-SEAT-review.svg, by the record."
)
@data_option
@json_option
def review(
    file: Path, seat: str, playouts: int, seed: int, jobs: int, plot: Path | None, data: Path | None, as_json: bool
) -> None:
    """Tell why a seat won or lost a recorded match: what its choices cost, and what was luck.

    Chances to win come from playouts of positions that fit what the seat knew at the time, not of what was true: they
    are played on to the end of the game turn, and judged by the game's own estimate, which errs; the errors given are
    those of chance alone, and --playouts makes them smaller. In the list a choice is measured against the best answer
    found, and called a mistake if the loss is more than two standard errors and half a point. In the account it is
    measured against what a sensible player would do there; choices, luck (with all that the other side does well or
    badly) and the end of the match add up to the result.
    """
    content, given = file.read_bytes(), given_data(data)
    record.verify(content, registry.get, given)
    task = Task(content, given, seat, seed)
    view = task.view()
    with judging(task, view, jobs) as judge:
        found = Reviewer(task, view, judge, playouts, _shown).review()
    players = record.read(content).header["seats"]
    where = plot or file.parent / named_after(view.match, seat, "review", ending=".svg")
    where.write_text(draw(found, _heading(found, players)), "utf-8")
    if as_json:
        click.echo(json.dumps(_facts(found, seed, where)))
    else:
        _tell(found, players, where)


def _shown(label: str, number: int, judged: Iterable[Judged]) -> list[Judged]:
    found = []
    with progress(label, number) as done:
        for one in judged:
            found.append(one)
            done(len(found))
    return found


# --- For people ---


def _percent(one: Estimate) -> str:
    return f"{100 * one.value:.1f} %"


def _points(one: Estimate) -> str:
    return f"{100 * one.value:+6.1f} ± {100 * one.error:.1f}"


def _result(view: Perspective) -> str:
    words = {1.0: "won", 0.0: "lost"}.get(view.result, "neither won nor lost")
    return words if view.termination == "victory" else f"{words} ({view.termination.replace('_', ' ')})"


def _heading(found: Review, players: Mapping[str, str]) -> Heading:
    view = found.view
    others = ", ".join(f"{player} ({seat})" for seat, player in players.items() if seat != view.seat)
    title = f"{players[view.seat]} ({view.seat}) against {others}: {_result(view)}"
    parts = [f"chance at first {_percent(found.first)}", f"choices {_points(found.choice).strip()}"]
    parts.append(f"luck {_points(found.luck).strip()}")
    if found.ending.value:
        parts.append(f"{view.termination.replace('_', ' ')} {_points(found.ending).strip()}")
    return Heading(title, f"{view.match}; " + ", ".join(parts) + " (points of a hundred)")


def _tell(found: Review, players: Mapping[str, str], where: Path) -> None:
    view = found.view
    click.echo(_heading(found, players).title)
    click.echo(f"  {view.match}: {len(found.entries)} decisions with a choice, of {len(view.decisions)}")
    click.echo(f"  chance to win at first  {_percent(found.first):>8}")
    click.echo(f"  choices        {_points(found.choice):>15}   against a sensible player in the same places")
    click.echo(f"  luck           {_points(found.luck):>15}   dice, cards, the other side, what came to light")
    if found.ending.value:
        click.echo(f"  ending         {_points(found.ending):>15}   {view.termination.replace('_', ' ')}")
    click.echo(f"  result                  {100 * view.result:>6.1f} %")
    worst = found.worst()
    click.echo("\nThe worst choices" if worst else "\nNo choice was found that lost anything.")
    for number, entry in enumerate(worst, 1):
        _tell_choice(number, entry, view)
    unlucky = found.unlucky()
    if unlucky:
        click.echo("\nThe worst luck")
    for entry in unlucky:
        _tell_luck(entry, found)
    click.echo(f"\nWrote {where}.")
    if worst:
        again = f"--seat {view.seat} --at {worst[0].decision.number}"
        click.echo(f"Take the worst into your bot's tests: lictor record decide-again FILE {again}")


def _tell_choice(number: int, entry: Entry, view: Perspective) -> None:
    judged, decision = entry.settled, entry.decision
    click.echo(f"{number:3}. decision {decision.number}, {view.words(decision)}")
    better = f"better {judged.best} ({_percent(judged.top)})"
    click.echo(f"     played {decision.action} ({_percent(judged.after)}), {better}")
    click.echo(f"     lost {_points(judged.loss).strip().lstrip('+')} points: {entry.verdict}")


def _tell_luck(entry: Entry, found: Review) -> None:
    view, decision = found.view, entry.decision
    later = [one.decision.seen for one in found.entries if one.decision.number > decision.number]
    click.echo(f"  {_points(entry.luck)} points after decision {decision.number}, turn {decision.turn}")
    for words in view.between(decision.seen, later[0] if later else None)[-4:]:
        click.echo(f"      {words}")


# --- For programs ---


def _pair(one: Estimate) -> dict[str, float]:
    return {"value": one.value, "error": one.error}


def _facts(found: Review, seed: int, where: Path) -> dict[str, Any]:
    view = found.view
    return {
        "match": view.match,
        "game": view.game.NAME,
        "seat": view.seat,
        "result": view.result,
        "termination": view.termination,
        "playouts": found.playouts,
        "seed": seed,
        "plot": str(where),
        "first": _pair(found.first),
        "choice": _pair(found.choice),
        "luck": _pair(found.luck),
        "ending": _pair(found.ending),
        "worst": [entry.decision.number for entry in found.worst()],
        "unlucky": [entry.decision.number for entry in found.unlucky()],
        "decisions": [_entry(entry, view) for entry in found.entries],
    }


def _entry(entry: Entry, view: Perspective) -> dict[str, Any]:
    judged, decision = entry.judged, entry.decision
    return {
        "decision": decision.number,
        "turn": decision.turn,
        "position": view.words(decision),
        "legal": len(decision.legal),
        "played": str(decision.action),
        "verdict": entry.verdict,
        **_values(judged),
        "luck": _pair(entry.luck),
        "again": _values(entry.again) if entry.again is not None else None,
    }


def _values(judged: Judged) -> dict[str, Any]:
    return {
        "best": judged.best,
        "playouts": judged.playouts,
        "before": _pair(judged.before),
        "after": _pair(judged.after),
        "top": _pair(judged.top),
        "choice": _pair(judged.gain),
        "loss": _pair(judged.loss),
    }
