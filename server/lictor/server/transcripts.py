"""The transcript of a seat: what a bot noted, read from the JSON Lines that the server handed out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lictor.engine.game import GameError, Seat
from lictor.engine.record import Record


class TranscriptError(GameError):
    """A transcript cannot be read, or is not that of the seat; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Note:
    """What a bot thought at a decision."""

    text: str
    win_chance: float | None
    beliefs: Mapping[str, float]


def read_notes(content: bytes, played: Record, seat: Seat) -> dict[int, Note]:
    """Return the notes of a seat by decision, or raise `TranscriptError` if they are not of this match and seat."""
    lines = [_line(number, line) for number, line in enumerate(content.splitlines(), 1) if line.strip()]
    decided = [(line.get("decision"), line.get("action")) for line in lines if line["kind"] == "decision"]
    if decided != [(line["decision"], line["action"]) for line in played.actions if line["seat"] == seat]:
        match = played.header["match"]
        how = f"lictor record fetch {match} --transcript {seat}"
        raise TranscriptError(f"this is not the transcript of {seat} in match {match}; get it with `{how}`")
    notes: dict[int, Note] = {}
    for number, line in enumerate(lines, 1):
        if line["kind"] == "note":
            decision = line.get("decision")
            if type(decision) is not int or not 1 <= decision <= len(decided):
                raise TranscriptError(f"line {number} of the transcript notes a decision never made: {decision!r:.40}")
            notes[decision] = _note(number, line)
    return notes


def _line(number: int, line: bytes) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise TranscriptError(f"line {number} of the transcript is not JSON: {error!s:.120}") from error
    if not isinstance(entry, dict) or not isinstance(entry.get("kind"), str):
        raise TranscriptError(f"line {number} of the transcript has no kind")
    return entry


def _note(number: int, line: Mapping[str, Any]) -> Note:
    chance, beliefs = line.get("win_chance"), line.get("beliefs", {})
    if not isinstance(beliefs, dict):
        raise TranscriptError(f"line {number} of the transcript: beliefs must be an object")
    for value in (*beliefs.values(), *([] if chance is None else [chance])):
        if type(value) not in (int, float) or not 0 <= value <= 1:
            raise TranscriptError(f"line {number} of the transcript: {value!r:.40} is not a chance between 0 and 1")
    return Note(str(line.get("text", "")), chance, beliefs)
