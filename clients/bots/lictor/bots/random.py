"""`random`: any legal action."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

from lictor.client import Action, Actions, Bot


class RandomBot(Bot):
    """Takes any legal action, each as likely as the others."""

    seeds: Iterator[str | None] = itertools.repeat(None)  # one for each match

    def __init__(self) -> None:
        self._random = random.Random(next(self.seeds))

    def decide(self, view: Any, actions: Actions) -> Action:
        """Return any of the actions."""
        return self._random.choice(actions)


def make(seed: int | None) -> type[Bot]:
    """Return the bot; with a seed it answers the same questions in the same way every time."""
    if seed is None:
        return RandomBot

    class SeededRandomBot(RandomBot):
        """Takes any legal action, the same one every time."""

        seeds = (f"{seed}/{match}" for match in itertools.count())

    return SeededRandomBot
