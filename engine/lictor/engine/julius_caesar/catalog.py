"""The static data a client needs, so that none ships data files."""

from __future__ import annotations

from typing import Any

from lictor.engine.julius_caesar.actions import VERBS
from lictor.engine.julius_caesar.facts import COLOURS, SEATS, Facts
from lictor.engine.julius_caesar.phases import PHASE_NAMES
from lictor.engine.julius_caesar.state import FIRST_YEAR, LAST_YEAR, TURNS

NOTICE = "Julius Caesar is a game of Columbia Games, Inc., who own its title. No art and no rules text is included."


def catalog_of(facts: Facts, edition: str, deployment: str) -> dict[str, Any]:
    """Return spaces with coordinates, ways between them, blocks, cards and limits, as plain values."""
    data = facts.data
    return {
        "game": "julius_caesar",
        "title": "Julius Caesar",
        "notice": NOTICE,
        "provenance": str(data.get("provenance", "given by the operator")),
        "data": facts.hash,
        "edition": edition,
        "deployment": deployment,
        "seats": list(SEATS),
        "colours": list(COLOURS),
        "years": list(range(FIRST_YEAR, LAST_YEAR + 1)),
        "turns_per_year": TURNS,
        "phases": [*dict.fromkeys(PHASE_NAMES.values()), "hits"],
        "verbs": list(VERBS),
        "canvas": data.get("canvas"),
        "spaces": [dict(entry) for entry in data["spaces"]],
        "edges": [list(entry) for entry in data["edges"]],
        "blocks": [{**entry, "colour": COLOURS[facts.colour[b]]} for b, entry in enumerate(data["blocks"])],
        "cards": [dict(entry) for entry in data["cards"]],
        "road_limits": {name: dict(row) for name, row in data["road_limits"].items()},
        "leaders_reserve": {name: list(others) for name, others in data["leaders_reserve"].items()},
        "setup": {seat: {city: list(names) for city, names in data["deployment"][seat].items()} for seat in SEATS},
    }
