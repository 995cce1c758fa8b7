"""`random`: any legal action."""

from __future__ import annotations

import random
from typing import Any, ClassVar

from lictor.client import Action, Actions, Bot


def stream(seed: int | None, view: Any) -> random.Random:
    """Return random numbers for one seat of one match: with a seed the same ones, whatever else is played meanwhile."""
    return random.Random(None if seed is None else f"{seed}/{view.match_id}/{view.seat}")


class RandomBot(Bot):
    """Takes any legal action, each as likely as the others."""

    seed: ClassVar[int | None] = None

    def on_start(self, view: Any) -> None:
        """Make the random numbers of this match."""
        self._random = stream(self.seed, view)

    def decide(self, view: Any, actions: Actions) -> Action:
        """Return any of the actions."""
        return self._random.choice(actions)


def make(seed: int | None) -> type[Bot]:
    """Return the bot; with a seed it answers the same questions in the same way every time."""
    return type("RandomBot", (RandomBot,), {"seed": seed})
