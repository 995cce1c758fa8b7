"""`steady`: a sensible player without search.

It takes and keeps cities of value, concentrates, retreats in time and minds the winter: all that the game's `advise`
does, on one state that fits what it has seen.
"""

from __future__ import annotations

from typing import Any, ClassVar

from lictor.bots.mind import ThinkingBot
from lictor.client import Action, Actions, Bot


class SteadyBot(ThinkingBot):
    """Does what the game's advice says."""

    style: ClassVar[str] = "steady"

    def decide(self, view: Any, actions: Actions) -> Action | list[Action | str]:
        """Imagine one state that fits, and ask what to do in it."""
        observation, memory = self.look(view)
        if len(actions) == 1:
            return actions[0]
        chance = self.chance(view)
        world = memory.draw(observation, chance)
        return self.say(self.game.advise(world, view.seat, chance, self.style), actions)


def make(seed: int | None) -> type[Bot]:
    """Return the bot; with a seed it answers the same questions in the same way every time."""
    return type("SteadyBot", (SteadyBot,), {"seed": seed})
