"""One decision of a recorded match as a file: all that the seat knew then, and nothing more."""

from __future__ import annotations

import base64
from typing import Any

from google.protobuf.message import Message

from lictor.engine.record.perspective import Perspective
from lictor.server.edge.convert import codec_for
from lictor.server.edge.rehearsal.script import Script
from lictor.server.edge.stream import Encoder, events_bytes
from lictor.server.matches.messages import MatchStarted, Response, Told
from lictor.server.matches.settings import Settings
from lictor.v1 import game_pb2
from lictor.v1 import play_service_pb2 as pb

FORMAT = "lictor-fixture-1"


def write_fixture(script: Script, view: Perspective, number: int) -> dict[str, Any]:
    """Return a decision, by its number from 1, as plain values: in words, in facts, and as the wire has it."""
    question, decision, started = script.questions[number - 1], view.decisions[number - 1], script.started
    seen = script.history[: question.seen]
    events = [
        {"number": n, "words": view.game.describe(event, view.seat), "facts": event.facts()}
        for n, event in enumerate(view.known(decision), 1)
    ]
    codec = codec_for(started.game, script.setting.engine_options)
    history = pb.Events.FromString(events_bytes(Told(started.match, 1, seen, view.seat, codec), words=False))
    return {
        "format": FORMAT,
        "match": started.match,
        "game": started.game,
        "options": dict(started.options),
        "data": started.data,
        "seat": view.seat,
        "players": dict(started.seats),
        "decision": number,
        "turn": decision.turn,
        "position": view.words(decision),
        "observation": decision.observation.facts(),
        "legal": [str(action) for action in decision.legal],
        "played": None if decision.action is None else str(decision.action),
        "history": events,
        "wire": {
            "started": _base64(_said(started).match_started),
            "decide": _base64(_said(question.decide).decide),
            "opening": _base64(game_pb2.Observation.FromString(script.opening)),
            "history": _base64(history),
            "catalog": _base64(codec.catalog()),
        },
    }


def _said(message: Response) -> pb.PlayResponse:
    epochs = {message.game: message.rules_epoch} if isinstance(message, MatchStarted) else {}
    return pb.PlayResponse.FromString(Encoder(Settings(), "", epochs).encode(message))


def _base64(message: Message) -> str:
    # Deterministic, or the entries of a map would come in any order.
    return base64.b64encode(message.SerializeToString(deterministic=True)).decode()
