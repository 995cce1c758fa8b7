"""Players that live in this process, for self-play: they get what a seat may know, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from lictor.engine.chance import SeededChance
from lictor.engine.game import AnyGame, Seat


class Player(Protocol):
    """Someone who decides for one seat of one game."""

    def see(self, events: Sequence[Any]) -> None:
        """Take notice of events, as the seat sees them."""

    def decide(self, observation: Any, actions: Sequence[Any]) -> Any:
        """Return one of the legal actions."""


@dataclass(slots=True)
class RandomPlayer:
    """Plays any legal action, each as likely as the others."""

    game: AnyGame
    seat: Seat
    chance: SeededChance

    def see(self, events: Sequence[Any]) -> None:
        pass

    def decide(self, observation: Any, actions: Sequence[Any]) -> Any:
        return actions[self.chance.draw(len(actions))]


@dataclass(slots=True)
class GreedyPlayer:
    """Tries each action in a few states that fit what it has seen, and takes what looks best at once."""

    game: AnyGame
    seat: Seat
    chance: SeededChance
    history: list[Any] = field(default_factory=list)
    worlds: int = 2

    def see(self, events: Sequence[Any]) -> None:
        self.history += events

    def decide(self, observation: Any, actions: Sequence[Any]) -> Any:
        if len(actions) == 1:
            return actions[0]
        worlds = [self.game.sample(observation, self.history, self.chance) for _ in range(self.worlds)]
        scores = [sum(self._score(world, action) for world in worlds) for action in actions]
        best = [action for action, score in zip(actions, scores, strict=True) if score == max(scores)]
        return best[self.chance.draw(len(best))]

    def _score(self, world: Any, action: Any) -> float:
        after = self.game.copy(world, self.chance)
        self.game.apply(after, self.seat, action)
        return self.game.evaluate(after, self.seat)


PLAYERS: dict[str, Callable[[AnyGame, Seat, SeededChance], Player]] = {
    "random": RandomPlayer,
    "greedy": GreedyPlayer,
}
