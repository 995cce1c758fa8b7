"""One decision of a recorded match, for the tests of a bot.

`lictor record decide-again MATCH.jsonl --seat SEAT --at 57` writes the file. Then:

from lictor.client.fixture import load

def test_it_defends_rome() -> None:
    view, actions = load("MATCH-SEAT-57.json")
    assert str(MyBot().decide(view, actions)) != "end_moves"

A bot that gets ready in `on_start(view)` must be given it first, as in a match.
"""

from __future__ import annotations

import base64
import json
import time
from pathlib import Path
from typing import Any, TypeVar

from google.protobuf.message import DecodeError, Message

from lictor.client.actions import Actions
from lictor.client.errors import LictorError
from lictor.client.games import names_of
from lictor.client.views import Frame, History, Times, View
from lictor.v1 import game_pb2
from lictor.v1 import play_service_pb2 as pb

FORMAT = "lictor-fixture-1"
M = TypeVar("M", bound=Message)


def load(path: str | Path) -> tuple[Any, Actions]:
    """Return what `decide` gets at the decision in a file: the game's own view, and the legal actions."""
    wire = _wire_of(Path(path))
    started, decide = _read(wire, "started", pb.MatchStarted), _read(wire, "decide", pb.Decide)
    names = names_of(started.game, _read(wire, "catalog", game_pb2.Catalog))
    frame = Frame(
        started.match_id,
        started.game,
        started.seat,
        dict(started.options),
        {holder.seat: holder.bot for holder in started.seats},
        {field.name: getattr(started.clock, field.name) for field in started.clock.DESCRIPTOR.fields},
    )
    history = names.events(_read(wire, "history", pb.Events), 0)
    opening: View = names.view(frame, _read(wire, "opening", game_pb2.Observation), times=Times({}))
    view = names.view(
        frame,
        decide.observation,
        times=_times(frame, decide),
        decision_id=decide.decision_id,
        events=names.events(decide.events, 0),
        history=History(history),
        opening=opening,
    )
    return view, names.actions(decide)


def _times(frame: Frame, decide: pb.Decide) -> Times:
    return Times(
        dict(zip(frame.players, decide.bank_ms, strict=False)),
        decide.limit_ms,
        decide.last_server_ms,
        decide.last_wire_ms,
        decide.last_think_ms,
        decide.last_charged_ms,
        time.monotonic(),
    )


def _wire_of(path: Path) -> dict[str, str]:
    try:
        found = json.loads(path.read_bytes())
    except ValueError as error:
        raise LictorError(f"{path} is no JSON: {error}") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT or not isinstance(found.get("wire"), dict):
        raise LictorError(f"{path} is no {FORMAT}; `lictor record decide-again` writes one with --at")
    wire: dict[str, str] = found["wire"]
    return wire


def _read(wire: dict[str, str], name: str, kind: type[M]) -> M:
    try:
        return kind.FromString(base64.b64decode(wire[name], validate=True))
    except (KeyError, ValueError, TypeError, DecodeError) as error:
        raise LictorError(f"the fixture's {name} cannot be read: write it again") from error
