"""`record decide-again`: put a recorded match to a bot once more, and see where it now decides otherwise."""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

import click

from lictor.engine import record, registry
from lictor.engine.record.perspective import Decision, Perspective, look
from lictor.server import logs
from lictor.server.cli.common import data_option, file_argument, given_data, json_option, progress
from lictor.server.cli.records import named_after
from lictor.server.contestants import BadContestant, Contestant, contestant
from lictor.server.edge.rehearsal.fixture import write_fixture
from lictor.server.edge.rehearsal.running import Rehearsed, rehearse
from lictor.server.edge.rehearsal.script import Script, write_script


@click.command("decide-again")
@file_argument
@click.option("--seat", required=True, help="Whose decisions.")
@click.option("--bot", help="Who decides now: a house bot, or file.py:Class.")
@click.option("--exec", "program", metavar="COMMAND", help="Or any program, such as 'node bot.js'.")
@click.option("--seed", type=click.IntRange(0), help="The bot's LICTOR_SEED.")
@click.option(
    "--patience", default=60.0, show_default=True, type=click.FloatRange(0.1), help="Seconds to wait for an answer."
)
@click.option("--at", "number", type=click.IntRange(1), help="Write this decision as a fixture for a unit test.")
@click.option("--out", "path", type=click.Path(dir_okay=False, path_type=Path), help="Default: MATCH-SEAT-N.json.")
@click.option("--log", type=click.Path(dir_okay=False, path_type=Path), help="Keep what the bot says in this file.")
@data_option
@json_option
def decide_again(
    file: Path,
    seat: str,
    bot: str | None,
    program: str | None,
    seed: int | None,
    patience: float,
    number: int | None,
    path: Path | None,
    log: Path | None,
    data: Path | None,
    as_json: bool,
) -> None:
    """Put what a seat was asked in a recorded match to a bot, and list where it now decides otherwise.

    The bot plays over the wire as in a true match, and sees what the seat saw then. Whatever it answers, what was
    played then is carried out. The same bot gives the same answers only as far as chance has no part in them: give it
    the seed it had (7 in a match called practice-7-...), and draw its random numbers anew for each decision. Ends with
    1 if the bot hangs, crashes, gives up or never comes, and says so.
    """
    content, given = file.read_bytes(), given_data(data)
    record.verify(content, registry.get, given)
    played = record.read(content)
    game = registry.get(played.header["game"])
    view, script = look(played, game, seat, given), write_script(played, game, seat, given)
    result: dict[str, Any] = {"match": view.match, "game": game.NAME, "seat": seat}
    if number is not None:
        result["fixture"] = _fixture(script, view, number, path, as_json)
    elif path is not None:
        raise click.UsageError("--out says where a fixture goes: say which decision with --at")
    failure = ""
    if bot is not None or program is not None or number is None:
        try:
            who = contestant(bot, program)
            found = _rehearse(script, who, seed, patience, log)
        except BadContestant as error:
            raise click.UsageError(str(error)) from error
        result |= _compare(view, found) | {"bot": who.label}
        failure = found.failure
        if not as_json:
            _tell(result, view, seed is not None)
    if as_json:
        click.echo(json.dumps(result))
    if not failure and result.get("resigned"):
        raise click.exceptions.Exit(1)
    if failure:
        said = "".join(f"\n  {line}" for line in result["said"])
        raise click.ClickException(failure + (f"\nIt said last:{said}" if said else ""))


# --- A fixture ---


def _fixture(script: Script, view: Perspective, number: int, path: Path | None, as_json: bool) -> str:
    if number > len(view.decisions):
        raise click.BadParameter(f"{view.seat} was asked {len(view.decisions)} times", param_hint="--at")
    where = path or Path(named_after(view.match, view.seat, number, ending=".json"))
    fixture = write_fixture(script, view, number)
    where.write_text(json.dumps(fixture, indent=1) + "\n", "utf-8")
    if not as_json:
        click.echo(f"Wrote {where}: decision {number} of {view.seat}, {fixture['position']}")
        click.echo("  from lictor.client.fixture import load")
        click.echo(f'  view, actions = load("{where}")')
        click.echo(f"  assert str(MyBot().decide(view, actions)) != {fixture['played']!r}")
    return str(where)


# --- Deciding again ---


def _rehearse(script: Script, who: Contestant, seed: int | None, patience: float, log: Path | None) -> Rehearsed:
    logs.configure(json=False, quiet=True)
    with tempfile.TemporaryDirectory(prefix="lictor-") as folder, progress("decisions", len(script.questions)) as done:
        said = log or Path(folder) / "bot.log"
        return asyncio.run(rehearse(script, who, seed=seed, patience=patience, log=said, tell=done))


def _compare(view: Perspective, found: Rehearsed) -> dict[str, Any]:
    differ, unanswered = list[dict[str, Any]](), None
    answered = [(view.decisions[answer.number - 1], answer) for answer in found.answers]
    for decision, answer in answered:
        note = dict(answer.note) if answer.note else None
        row = _row(view, decision) | {"now": answer.now, "legal": answer.legal, "note": note}
        if decision.action is None:
            unanswered = row
        elif not answer.legal or answer.now != str(decision.action):
            differ.append(row)
    if found.resigned and len(answered) < len(view.decisions):
        given_up = _row(view, view.decisions[len(answered)])
        differ.append(given_up | {"now": "resign", "legal": True, "note": None})
    return {
        "decisions": sum(decision.action is not None for decision in view.decisions),
        "answered": sum(decision.action is not None for decision, _ in answered),
        "differ": differ,
        "unanswered": unanswered,
        "resigned": found.resigned,
        "failure": found.failure,
        "said": list(found.said),
    }


def _row(view: Perspective, decision: Decision) -> dict[str, Any]:
    return {
        "decision": decision.number,
        "turn": decision.turn,
        "position": view.words(decision),
        "played": None if decision.action is None else str(decision.action),
    }


def _tell(result: dict[str, Any], view: Perspective, seeded: bool) -> None:
    rows = [row for row in (*result["differ"], result["unanswered"]) if row is not None]
    for row in rows:
        played = row["played"] or f"nothing ({view.termination.replace('_', ' ')})"
        click.echo(f"{row['decision']:4}  {row['position']}")
        click.echo(f"      played {played}; now {row['now']}{'' if row['legal'] else ': not legal'}")
        if note := _note(row["note"]):
            click.echo(f"      note: {note}")
    of, asked = result["answered"], result["decisions"]
    count = len(result["differ"]) - result["resigned"]  # giving up is told apart
    click.echo(f"{result['bot']} as {view.seat} in {view.match}: {count} of {of} decisions differ.")
    if result["resigned"]:
        said = "".join(f"\n  {line}" for line in result["said"])
        click.echo(f"It gave up after {of} of {asked}: a bot that fails resigns too.{said}")
    elif rows:
        if not seeded:
            click.echo("Without --seed a bot that draws random numbers differs from itself: give it the one it had.")
        click.echo(f"Take one into your tests: --at {rows[0]['decision']}")


def _note(note: dict[str, Any] | None) -> str:
    if note is None:
        return ""
    chance = f" ({note['win_chance']:.0%})" if "win_chance" in note else ""
    return f"{note['text']}{chance}".strip()
