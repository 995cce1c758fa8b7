"""Plain values: their single facts, and where two of them differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lictor.engine.game import Path


def leaves(value: Mapping[str, Any], whole: frozenset[Path], path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every single fact of a dump with its path; what `whole` names is one fact."""
    for key, item in value.items():
        here = (*path, str(key))
        if isinstance(item, Mapping) and here not in whole:
            yield from leaves(item, whole, here)
        else:
            yield here, item


def first_difference(one: Any, other: Any, path: str = "") -> str:
    """Return where two plain values first differ, and how."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in sorted({*one, *other}, key=str):
            if one.get(key) != other.get(key):
                return first_difference(one.get(key), other.get(key), f"{path}.{key}" if path else str(key))
    if isinstance(one, list | tuple) and isinstance(other, list | tuple) and len(one) == len(other):
        for number, (a, b) in enumerate(zip(one, other, strict=True)):
            if a != b:
                return first_difference(a, b, f"{path}[{number}]")
    return f"{path or 'the top'}: {one!r:.80} against {other!r:.80}"
