"""`record`: show, verify or replay what was played."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from lictor.engine import record, registry
from lictor.engine.game import SPECTATOR, AnyGame, GameError
from lictor.server.cli.common import data_option, file_argument, given_data, json_option, progress


def named_after(match: str, *parts: object, ending: str) -> str:
    """Return a file name for something about a match; a record may come from anybody, and so may its match id."""
    return "-".join([re.sub(r"[^A-Za-z0-9._-]", "_", match), *map(str, parts)]) + ending


@click.group("record")
def record_group() -> None:
    """Show, verify, replay or review the record of a match, or put it to a bot once more."""


@record_group.command()
@file_argument
@click.option("--viewer", help="Tell only what this seat, or the spectator, could see. Default: everything.")
@data_option
@json_option
def show(file: Path, viewer: str | None, data: Path | None, as_json: bool) -> None:
    """Tell a recorded match in words."""
    played = record.read(file.read_bytes())
    game = _game_of(played, viewer)
    told: list[dict[str, Any]] = []
    orders: list[Mapping[str, Any]] = [{"n": 0, "seat": None, "action": None}, *played.actions]
    for order, (_, events) in zip(orders, record.replay(played, game, given_data(data)), strict=True):
        words = [event.words() if viewer is None else game.describe(event, viewer) for event in events]
        may_see = viewer in (None, order["seat"])
        told.append(
            {
                "n": order["n"],
                "seat": order["seat"] if may_see else None,
                "action": order["action"] if may_see else None,
                "words": [text for text in words if text],
            }
        )
    header, outcome = played.header, played.footer["outcome"]
    if as_json:
        click.echo(json.dumps({"match": header["match"], "seats": header["seats"], "told": told, "outcome": outcome}))
        return
    sides = ", ".join(f"{seat}: {player}" for seat, player in header["seats"].items())
    click.echo(f"{header['match']}: {header['game']} {header['edition']} ({sides})")
    for row in told:
        if row["action"]:
            click.echo(f"{row['n']:4} {row['seat']} {row['action']}")
        for text in row["words"]:
            click.echo(f"       {text}")
    ended = played.footer["termination"]["kind"]
    click.echo(f"{ended}: {outcome.get('winner') or 'nobody'} ({outcome.get('reason')})")


def _game_of(played: record.Record, viewer: str | None) -> AnyGame:
    game = registry.get(played.header["game"])
    if viewer is not None and viewer not in (*game.SEATS, SPECTATOR):
        raise click.BadParameter(f"there is {', '.join((*game.SEATS, SPECTATOR))}", param_hint="--viewer")
    return game


@record_group.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--key", help="Insist on a signature by this public key (hex).")
@data_option
@json_option
def verify(files: tuple[Path, ...], key: str | None, data: Path | None, as_json: bool) -> None:
    """Check everything a record claims, offline: bytes, dice, actions, outcome, signature. Exits 1 if one fails."""
    given, results = given_data(data), []
    with progress("records", len(files)) as done:
        for number, file in enumerate(files):
            results.append(_verify_one(file, given, key))
            done(number + 1)
    if as_json:
        click.echo(json.dumps(results))
    else:
        for row in results:
            if row["ok"]:
                told = f"{row['actions']} actions, {row['draws']} draws, {row['winner'] or 'nobody'} wins"
                click.echo(f"ok     {row['file']}: {told} ({row['reason']}), data {row['data']:.8}, {row['signature']}")
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
        name: getattr(found, name)
        for name in ("game", "match", "actions", "draws", "winner", "reason", "data", "signature")
    }
    return {"file": str(file), "ok": True, **row}


@record_group.command()
@file_argument
@click.option("--to", "stop", type=click.IntRange(0), help="Stop after this many actions. Default: the end.")
@click.option("--viewer", help="Print the observation of this seat or the spectator instead of the full position.")
@data_option
def replay(file: Path, stop: int | None, viewer: str | None, data: Path | None) -> None:
    """Play a record again up to a point and print the position there as JSON."""
    played = record.read(file.read_bytes())
    game = _game_of(played, viewer)
    if stop is not None and stop > len(played.actions):
        raise click.BadParameter(f"the record has {len(played.actions)} actions", param_hint="--to")
    for number, (state, _) in enumerate(record.replay(played, game, given_data(data))):
        if number == (len(played.actions) if stop is None else stop):
            position = game.dump(state) if viewer is None else game.observation(state, viewer).facts()
            click.echo(json.dumps({"after": number, "digest": game.digest(state), "position": position}, indent=1))
            return
