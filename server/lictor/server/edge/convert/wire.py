"""The few things about the encoding of messages that are worth doing by hand, and a memory for the rest."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def _varint(number: int) -> bytes:
    groups = []
    while number > 0x7F:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*groups, number))


_SMALL = [_varint(number) for number in range(4096)]


def varint(number: int) -> bytes:
    """Return a number as it is written on the wire."""
    return _SMALL[number] if number < 4096 else _varint(number)


def tag(field: int) -> bytes:
    """Return what goes before a field of that number that has a length: a message, a text, a packed column."""
    return varint(field << 3 | 2)


def sized(tag: bytes, body: bytes) -> bytes:
    """Return a field that has a length, whole."""
    return tag + varint(len(body)) + body


class Memo(dict[K, V]):
    """Remembers what was made of a key; when it has `most` keys it begins anew."""

    def __init__(self, make: Callable[[K], V], most: int) -> None:
        super().__init__()
        self._make = make
        self._most = most

    def __missing__(self, key: K) -> V:
        made = self._make(key)
        if len(self) >= self._most:
            self.clear()
        self[key] = made
        return made
