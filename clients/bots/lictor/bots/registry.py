"""The bots by name: those of the house, and classes in files."""

from __future__ import annotations

import importlib
import re
from typing import Any, TypeAlias

from lictor.bots import files
from lictor.bots.files import BadBot
from lictor.client import AsyncBot, Bot

AnyBot: TypeAlias = type[Bot] | type[AsyncBot]

# Those that are shown; each is a module with a function make(seed, ...), imported when it is needed, because some bring
# an engine with them. Neighbours are 100 to 300 Elo apart (`make soak` measures it).
NAMES = (
    "random", "novice-8", "novice-20", "novice-30", "novice-40", "novice-55", "novice-70", "novice-85", "novice",
    "steady", "scout-50", "scout-200", "scout-1000",
)  # fmt: skip
_SCOUT = re.compile(r"scout-([1-9]\d{0,5})")
_SCOUT_BY_CLOCK = re.compile(r"scout-(\d{1,3}(?:\.\d{1,3})?)s")
_NOVICE = re.compile(r"novice-(\d{1,2})")
_MOST = 100_000


def load(name: str, seed: int | None = None) -> AnyBot:
    """Return a bot: of the house, or file.py:Class; raise `BadBot` if there is none."""
    if ":" in name or name.endswith(".py"):
        return files.load(name)
    module, arguments = find(name)
    bot: AnyBot = importlib.import_module(f"lictor.bots.{module}").make(seed, **arguments)
    return bot


def find(name: str) -> tuple[str, dict[str, Any]]:
    """Return the module of a house bot, and what its `make` takes beside the seed."""
    scout = _SCOUT.fullmatch(name)
    if scout is not None and int(scout[1]) <= _MOST:
        return "scout", {"budget": int(scout[1])}
    by_clock, novice = _SCOUT_BY_CLOCK.fullmatch(name), _NOVICE.fullmatch(name)
    if by_clock is not None and float(by_clock[1]):
        return "scout", {"seconds": float(by_clock[1])}
    if novice is not None:
        return "novice", {"attention": int(novice[1])}
    if name not in NAMES:
        raise BadBot(f"there is no house bot {name!r:.60}; there are {listed()}; a bot of your own is file.py:Class")
    return name, {}


def listed() -> str:
    """Return the names of the house bots, for people."""
    scouts = f"any scout-N, N playouts a decision, 1 to {_MOST}; any scout-Ns, N seconds a decision"
    return f"{', '.join(NAMES)} ({scouts}; any novice-N, attentive in N of 100 decisions)"
