"""`novice`: plausible, with a beginner's mistakes; `novice-N` minds the game in N of a hundred decisions only.

It attacks without counting, misjudges, forgets the winter and stays in lost battles: the style "novice" of the game's
`advise`. When it does not mind the game it does anything at all, so that there is an opponent for every beginner.
"""

from __future__ import annotations

from typing import Any, ClassVar

from lictor.bots.steady import SteadyBot
from lictor.client import Action, Actions, Bot

ALWAYS = 100


class NoviceBot(SteadyBot):
    """Does what a beginner would."""

    style: ClassVar[str] = "novice"
    attention: ClassVar[int] = ALWAYS  # in a hundred decisions

    def decide(self, view: Any, actions: Actions) -> Action | list[Action | str]:
        """Mind the game, or do anything."""
        chance = self.chance(view)
        if chance.draw(100) >= self.attention:
            return actions[chance.draw(len(actions))]
        return super().decide(view, actions)


def make(seed: int | None, attention: int = ALWAYS) -> type[Bot]:
    """Return the bot; with a seed it answers the same questions in the same way every time."""
    return type("NoviceBot", (NoviceBot,), {"seed": seed, "attention": attention})
