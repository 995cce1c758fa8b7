"""What came of the games: plain arithmetic."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lictor.server.practice.plan import SIDES, Side

FORFEITS = ("time", "abandonment", "illegal_action")
ABORTED = "server_abort"
_Z = 1.959964  # 95 %


@dataclass(frozen=True, slots=True)
class Game:
    """One game that was played."""

    number: int  # from 0
    match: str
    seat: str  # the bot's
    kind: str  # how it ended, as in records
    reason: str
    winner: Side | None
    fault: Side | None  # who ended it by a deed of his own, such as resigning or being late
    faults: Mapping[Side, str]  # what went wrong with a bot that gave up because it failed
    think_ms: Mapping[Side, Sequence[int]]  # of every decision that was answered, as the server measured it

    @property
    def forfeited_by(self) -> Side | None:
        """Who lost it without being beaten: late, absent, against the rules, or because his program failed."""
        failed = self.fault is not None and bool(self.faults.get(self.fault))
        return self.fault if failed or self.kind in FORFEITS else None


@dataclass(frozen=True, slots=True)
class Score:
    """Games won, drawn and lost, and how sure one can be of what they say."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """How many there were."""
        return self.wins + self.draws + self.losses

    @property
    def share(self) -> float | None:
        """The share of the points, or `None` without a game."""
        return (self.wins + self.draws / 2) / self.games if self.games else None

    def bounds(self) -> tuple[float, float]:
        """Return the 95 % Wilson interval of the share."""
        return wilson((self.wins + self.draws / 2), self.games)

    def figures(self) -> dict[str, Any]:
        """Return it for a program to read."""
        low, high = self.bounds()
        return {
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "score": _rounded(self.share),
            "score_low": _rounded(low),
            "score_high": _rounded(high),
        }


def wilson(points: float, games: int) -> tuple[float, float]:
    """Return the 95 % Wilson interval of a share; everything is possible before the first game."""
    if not games:
        return 0.0, 1.0
    share, square = points / games, _Z * _Z
    middle = share + square / (2 * games)
    spread = _Z * math.sqrt(share * (1 - share) / games + square / (4 * games * games))
    scale = 1 + square / games
    low = 0.0 if points == 0 else (middle - spread) / scale
    high = 1.0 if points == games else (middle + spread) / scale
    return low, high


def elo(share: float | None) -> float | None:
    """Return the difference in Elo that a share of the points stands for; `None` where it has no end."""
    if share is None or not 0 < share < 1:
        return None
    return -400 * math.log10(1 / share - 1)


def score(games: Sequence[Game]) -> Score:
    """Return how the bot did in games; those that the server had to end count for nobody."""
    counts = Counter(game.winner for game in games if game.kind != ABORTED)
    return Score(counts["bot"], counts[None], counts["against"])


def quantile(values: Sequence[int], share: float) -> int:
    """Return the smallest value that at least a share of them does not exceed; 0 without any."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else 0


def think_times(games: Sequence[Game]) -> dict[Side, dict[str, int]]:
    """Return how long each side thought, in milliseconds."""
    figures = {}
    for side in SIDES:
        took = [ms for game in games for ms in game.think_ms[side]]
        figures[side] = {
            "decisions": len(took),
            "p50": quantile(took, 0.5),
            "p95": quantile(took, 0.95),
            "max": max(took, default=0),
        }
    return figures


def summarise(games: Sequence[Game], seats: Sequence[str]) -> dict[str, Any]:
    """Return all figures of some games, as `--json` gives them."""
    total = score(games)
    low, high = total.bounds()
    forfeits = Counter(game.forfeited_by for game in games)
    faults = {side: [game.faults[side] for game in games if game.faults.get(side)] for side in SIDES}
    return {
        **total.figures(),
        "elo": _rounded(elo(total.share), 1),
        "elo_low": _rounded(elo(low), 1),
        "elo_high": _rounded(elo(high), 1),
        "by_side": {seat: score([game for game in games if game.seat == seat]).figures() for seat in seats},
        "forfeits": forfeits["bot"],
        "forfeits_against": forfeits["against"],
        "failures": {side: {"games": len(texts), "first": texts[0]} for side, texts in faults.items() if texts},
        "endings": dict(sorted(Counter(game.kind for game in games).items())),
        "think_ms": think_times(games),
    }


def _rounded(value: float | None, digits: int = 4) -> float | None:
    return None if value is None else round(value, digits) + 0.0  # never minus nothing
