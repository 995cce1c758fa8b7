"""The static data a client needs, so that none ships data files."""

from __future__ import annotations

import copy
from typing import Any

from lictor.engine.julius_caesar.actions import VERBS
from lictor.engine.julius_caesar.facts import COLOURS, NAME, SEATS, Facts
from lictor.engine.julius_caesar.phases import PHASE_NAMES
from lictor.engine.julius_caesar.state import FIRST_YEAR, LAST_YEAR, TURNS

NOTICE = "Julius Caesar is a game of Columbia Games, Inc., who own its title. No art and no rules text is included."


def catalog_of(facts: Facts, edition: str, deployment: str) -> dict[str, Any]:
    """Return spaces with coordinates, ways between them, blocks, cards and limits, as plain values."""
    data = copy.deepcopy(facts.data)
    return {
        "game": NAME,
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
        "canvas": data["canvas"],
        "spaces": data["spaces"],
        "edges": data["edges"],
        "blocks": [{**entry, "colour": COLOURS[facts.colour[b]]} for b, entry in enumerate(data["blocks"])],
        "cards": data["cards"],
        "road_limits": data["road_limits"],
        "leaders_reserve": data["leaders_reserve"],
        "setup": data["deployment"],
    }
