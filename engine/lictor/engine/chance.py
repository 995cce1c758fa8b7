"""Chance is `draw(n)`, and nothing else is random."""

from __future__ import annotations

import hashlib
import hmac
import random
from collections.abc import Iterable, Sequence
from typing import Protocol

DRAW_LABEL = b"lictor-draw-1"
SECRET_BYTES = 32
ENTROPY_BYTES = 32  # the most a seat may add
_RANGE = 1 << 64


class ChanceError(Exception):
    """A draw was asked for that cannot be given; the text says why."""


class Chance(Protocol):
    """A source of draws."""

    def draw(self, n: int) -> int:
        """Return a number from 0 to n - 1."""


class NoChance:
    """Refuses every draw: what a copy has until it is given a chance of its own."""

    def draw(self, n: int) -> int:
        raise ChanceError("this copy has no chance of its own: give one to copy(state, chance) before it draws")


class ScriptedChance:
    """Gives prescribed draws, each a pair [n, value], and insists on every n."""

    def __init__(self, draws: Iterable[Sequence[int]] = ()) -> None:
        self._draws: list[tuple[int, int]] = []
        self._next = 0
        self.extend(draws)

    def extend(self, draws: Iterable[Sequence[int]]) -> None:
        """Append draws to the script."""
        for draw in draws:
            pair = draw if isinstance(draw, list | tuple) else ()
            if len(pair) != 2 or [type(part) for part in pair] != [int, int] or not 0 <= pair[1] < pair[0]:
                raise ChanceError(f"a scripted draw is [n, value] with 0 <= value < n, not {draw!r:.60}")
            self._draws.append((pair[0], pair[1]))

    @property
    def left(self) -> int:
        """How many draws of the script have not been made."""
        return len(self._draws) - self._next

    def draw(self, n: int) -> int:
        if self._next == len(self._draws):
            raise ChanceError(f"the script is at its end after {self._next} draws, and draw({n}) was asked")
        size, value = self._draws[self._next]
        if size != n:
            raise ChanceError(f"draw {self._next} of the script is over {size}, and draw({n}) was asked")
        self._next += 1
        return value


class SeededChance:
    """Gives the same draws for the same seed: for practice and tests, where nobody must be convinced."""

    def __init__(self, seed: int) -> None:
        self._bits = random.Random(seed).getrandbits

    def draw(self, n: int) -> int:
        if n < 1:
            raise ChanceError(f"cannot draw from {n} values")
        bits = (n - 1).bit_length()
        value = self._bits(bits) if bits else 0
        while value >= n:
            value = self._bits(bits)
        return value


class SealedChance:
    """Draws from a secret that was committed to before the game, so that anybody can check them after it.

    Draw k over n is the first 8 bytes of HMAC-SHA-256(secret, label, match id, entropies, k, j), big-endian,
    reduced modulo n; values of the last incomplete run of n are rejected by counting j up.
    """

    def __init__(self, secret: bytes, match_id: str, entropies: Sequence[bytes]) -> None:
        if len(secret) != SECRET_BYTES:
            raise ChanceError(f"the secret has {len(secret)} bytes; it must have {SECRET_BYTES}")
        for entropy in entropies:
            if len(entropy) > ENTROPY_BYTES:
                raise ChanceError(f"an entropy has {len(entropy)} bytes; it may have {ENTROPY_BYTES} at most")
        self._secret = secret
        parts = [match_id.encode(), *entropies]
        self._prefix = DRAW_LABEL + b"".join(len(part).to_bytes(4, "big") + part for part in parts)
        self.made = 0  # how many draws have been made

    @property
    def commitment(self) -> str:
        """The SHA-256 of the secret, in hex: what is shown before the game."""
        return commit(self._secret)

    def draw(self, n: int) -> int:
        if not 1 <= n <= _RANGE:
            raise ChanceError(f"cannot draw from {n} values")
        limit = _RANGE - _RANGE % n
        message = self._prefix + self.made.to_bytes(8, "big")
        self.made += 1
        rejections = 0
        while True:
            mac = hmac.digest(self._secret, message + rejections.to_bytes(4, "big"), "sha256")
            value = int.from_bytes(mac[:8], "big")
            if value < limit:
                return value % n
            rejections += 1


class LedgerChance:
    """Passes on another's draws and keeps account of them."""

    def __init__(self, inner: Chance) -> None:
        self._inner = inner
        self._taken: list[list[int]] = []

    def draw(self, n: int) -> int:
        value = self._inner.draw(n)
        self._taken.append([n, value])
        return value

    def take(self) -> list[list[int]]:
        """Return the draws made since the last call."""
        taken, self._taken = self._taken, []
        return taken


def commit(secret: bytes) -> str:
    """Return the commitment to a secret."""
    return hashlib.sha256(secret).hexdigest()


def derive_secret(*parts: str) -> bytes:
    """Return a secret that depends on `parts` alone: for reproducible games, never for matches that count."""
    return hashlib.sha256("\0".join(("lictor-derived-secret", *parts)).encode()).digest()
