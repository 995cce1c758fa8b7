"""The house bots by name."""

from __future__ import annotations

import importlib

from lictor.client import Bot

# Modules with a function make(seed); imported when they are needed, because some bring an engine with them.
BOTS = {"random": "lictor.bots.random"}


def load(name: str, seed: int | None = None) -> type[Bot]:
    """Return a house bot."""
    bot: type[Bot] = importlib.import_module(BOTS[name]).make(seed)
    return bot
