"""Checks of a data file: an error names the entry."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from lictor.engine.game import BadData, canonical_json

_ID = re.compile(r"[a-z][a-z0-9_]{0,39}", re.ASCII)
_TAKEN = ("pool", "dead")  # where a block is that is not on the map
_FRAME = {
    "game": "julius_caesar",
    "players": ["caesar", "pompey"],
    "editions": ["1.x", "2.0"],
    "years": [705, 706, 707, 708, 709],
    "turns_per_year": 5,
    "hand_dealt": 6,
    "hand_discard": 1,
    "victory_points_to_win": 10,
    "max_battle_rounds": 4,
    "sea_retreats_per_round": 1,
    "winter_supply": {"city_base": 3, "plus_city_vp": True, "sea": 0},
}


def plain(value: object, where: str) -> Any:
    """Return a copy of what a data file holds; only what JSON can hold is taken, or a record could not name it."""
    if isinstance(value, Mapping):
        odd = [key for key in value if not isinstance(key, str)]
        if odd:
            raise BadData(f"{where}: the key {odd[0]!r:.40} is not a text")
        return {key: plain(item, f"{where}: {key}" if where else key) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, where) for item in value]
    if value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise BadData(f"{where}: {value!r:.40} is not a text, a number, a list or a mapping")


def check_frame(data: Mapping[str, Any]) -> None:
    """Check what the code itself relies on: another value would be a different game."""
    for key, value in _FRAME.items():
        if canonical_json(data.get(key)) != canonical_json(value):  # so that true is not 1
            raise BadData(f"{key}: must be {value!r}, not {data.get(key)!r:.60}")
    for key in ("road_limits", "leaders_reserve", "cards", "spaces", "edges", "blocks", "deployment", "levy_pool"):
        if key not in data:
            raise BadData(f"{key}: missing")
    for key in ("deployment", "levy_pool", "leaders_reserve", "road_limits"):
        if not isinstance(data[key], Mapping):
            raise BadData(f"{key}: must be a mapping")
    canvas = data.get("canvas")
    if not isinstance(canvas, Mapping) or sorted(canvas) != ["height", "width"]:
        raise BadData("canvas: must have width and height")
    for side in ("width", "height"):
        need_whole(canvas, "canvas", side, 1, 100_000)


def records(data: Mapping[str, Any], key: str, needed: tuple[str, ...]) -> list[Mapping[str, Any]]:
    """Return a list of entries that all have the fields `needed`."""
    entries = data[key]
    if not isinstance(entries, Sequence) or isinstance(entries, str):
        raise BadData(f"{key}: must be a list")
    for number, entry in enumerate(entries):
        if not isinstance(entry, Mapping):
            raise BadData(f"{key}: entry {number + 1} is not a mapping")
        for name in needed:
            if name not in entry:
                raise BadData(f"{key}: {entry.get('id', f'entry {number + 1}')!s:.40}: {name} is missing")
    return list(entries)


def index_of(key: str, names: list[Any]) -> dict[str, int]:
    """Return the place of each id; the notation must be able to name it, and none may be there twice."""
    for number, name in enumerate(names, 1):
        if not isinstance(name, str) or not _ID.fullmatch(name) or name in _TAKEN:
            raise BadData(
                f"{key}: entry {number}: {name!r:.40} cannot be an id: lower-case letters, digits, underscores"
            )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise BadData(f"{key}: {', '.join(twice)} is there twice")
    return {name: number for number, name in enumerate(names)}


def need_one_of(entry: Mapping[str, Any], key: str, field: str, allowed: Sequence[str]) -> None:
    """Refuse a field that has none of the allowed values."""
    if entry[field] not in allowed:
        raise BadData(f"{key}: {entry['id']}: {field} may not be {entry[field]!r:.60}; it may be {', '.join(allowed)}")


def need_whole(entry: Mapping[str, Any], key: str, field: str, least: int, most: int) -> None:
    """Refuse a field that is not a whole number in range."""
    value = entry[field]
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        name = f"{entry['id']}: " if "id" in entry else ""
        raise BadData(f"{key}: {name}{field} must be a number from {least} to {most}, not {value!r:.60}")
