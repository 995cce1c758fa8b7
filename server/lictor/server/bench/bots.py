"""How strong the house bots are: mirrored pairs of games over the wire, each rung of the ladder against the next."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from lictor.server.practice.summary import Score, elo

CLOCK = "36000+3600/3600"  # strength is measured, not patience
APART = (100, 300)  # Elo between neighbours
BESIDES = (("steady", "random"), ("scout-200", "steady"))  # not neighbours, but promised


class BenchFailed(Exception):
    """A series could not be played; the text says why."""


@dataclass(frozen=True, slots=True)
class Series:
    """Who plays whom, how many mirrored pairs, and with which seed."""

    bot: str
    against: str
    game: str
    pairs: int
    seed: int


def house_bots() -> list[str]:
    """Return the names of the house bots, the weakest first; they are asked, for the server knows none of them."""
    command = [sys.executable, "-m", "lictor.bots", "--list"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()  # noqa: S603


def neighbours(rungs: Sequence[str]) -> list[tuple[str, str]]:
    """Return each rung with the one below it, and what else is promised of those that are there."""
    pairs = [(upper, lower) for lower, upper in itertools.pairwise(rungs)]
    return pairs + [
        (bot, against) for bot, against in BESIDES if {bot, against} <= {*rungs} and (bot, against) not in pairs
    ]


def measure(
    rungs: Sequence[str], game: str, pairs: int, seed: int, jobs: int, tell: Callable[[int], None] = lambda _: None
) -> Iterator[dict[str, Any]]:
    """Play each rung against the one below; yield the figures of each as they come."""
    done = 0
    with ThreadPoolExecutor(jobs) as pool:
        for bot, against in neighbours(rungs):
            shares = [pairs // jobs + (k < pairs % jobs) for k in range(jobs)]
            series = [Series(bot, against, game, share, seed + 1000 * k) for k, share in enumerate(shares) if share]
            scores = []
            for score in pool.map(play, series):
                scores.append(score)
                done += score.games
                tell(done)
            yield figures(bot, against, scores)


def play(series: Series) -> Score:
    """Play a series as `lictor practice` does, in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="lictor-bench-") as folder:
        command = [sys.executable, "-m", "lictor.server.cli", "practice", series.bot, "--against", series.against]
        command += ["--game", series.game, "--games", str(2 * series.pairs), "--seed", str(series.seed)]
        command += ["--clock", CLOCK, "--jobs", "2", "--patience", "120", "--json", "--records", folder]
        done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603
    try:
        found = json.loads(done.stdout)
    except ValueError as error:
        raise BenchFailed(done.stderr.strip() or f"practice ended with {done.returncode}") from error
    if found["stopped"]:
        raise BenchFailed(f"{series.bot} against {series.against}: {found['stopped']['text']}")
    return Score(found["wins"], found["draws"], found["losses"])


def figures(bot: str, against: str, scores: Sequence[Score]) -> dict[str, Any]:
    """Return what series between the same two say together."""
    total = Score(*(sum(getattr(score, name) for score in scores) for name in ("wins", "draws", "losses")))
    low, high = total.bounds()
    told = {"elo": elo(total.share), "elo_low": elo(low), "elo_high": elo(high)}
    return {
        "bot": bot,
        "against": against,
        **total.figures(),
        **{name: None if value is None else round(value) for name, value in told.items()},
    }
