"""`scout-N`: search. It imagines states that fit everything it has seen, and plays them on a little.

N is its budget in playouts a decision, so that with a seed it gives the same answers on every machine. It tells its
author with each answer what it believes: its chance to win, and where the hidden pieces are.
"""

from __future__ import annotations

import time
from typing import Any, ClassVar

from lictor.bots.mind import ThinkingBot
from lictor.client import Action, Actions, Bot
from lictor.engine import search

BUDGET = 200
_FIRST = 25  # playouts, where the clock decides


class ScoutBot(ThinkingBot):
    """Tries plans in imagined states, and takes the one that ends best."""

    budget: ClassVar[int] = BUDGET
    seconds: ClassVar[float | None] = None  # a decision, instead of the budget: then no two runs are the same

    def decide(self, view: Any, actions: Actions) -> Action | list[Action | str]:
        """Search, if there is anything to choose."""
        observation, memory = self.look(view)
        if len(actions) == 1:
            return actions[0]
        legal = [self.game.parse_action(str(action)) for action in actions]
        chance = self.chance(view)
        budget, until = self.budget, 0.0
        if self.seconds is not None:
            budget, until = _FIRST, time.monotonic() + self.seconds / 2
        best, worlds = search.choose(self.game, observation, memory, legal, budget, chance)
        while time.monotonic() < until:  # the next round takes as long as all before it
            budget *= 2
            best, worlds = search.choose(self.game, observation, memory, legal, budget, chance)
        text = f"{best.action}: {best.value:.3f} after {best.playouts} playouts, error {best.error:.3f}"
        self.note(text, best.value, dict(self.game.believe(worlds, view.seat)))
        return self.say(best.plan, actions)


def make(seed: int | None, budget: int = BUDGET, seconds: float | None = None) -> type[Bot]:
    """Return the bot; with a seed, and without seconds, it answers the same questions in the same way every time."""
    return type("ScoutBot", (ScoutBot,), {"seed": seed, "budget": budget, "seconds": seconds})
