"""Players that live in this process, for self-play: they get what a seat may know, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from lictor.engine import search
from lictor.engine.chance import SeededChance
from lictor.engine.game import AnyGame, Memory

STYLES = ("novice", "steady")
NAMES = ("random", *STYLES, "scout-N")
_SCOUT = re.compile(r"scout-([1-9]\d{0,4})")


class Player(Protocol):
    """Someone who decides for one seat of one game."""

    def see(self, events: Sequence[Any]) -> None:
        """Take notice of events, as the seat sees them."""

    def decide(self, observation: Any, actions: Sequence[Any]) -> Sequence[Any]:
        """Return one of the legal actions, and perhaps what is to follow it while nothing new is seen."""


@dataclass(slots=True)
class RandomPlayer:
    """Plays any legal action, each as likely as the others."""

    chance: SeededChance

    def see(self, events: Sequence[Any]) -> None:
        pass

    def decide(self, observation: Any, actions: Sequence[Any]) -> Sequence[Any]:
        return (actions[self.chance.draw(len(actions))],)


@dataclass(slots=True)
class Thinker:
    """Remembers what its seat has seen; follows the game's advice, or searches where it has playouts to spend."""

    game: AnyGame
    chance: SeededChance
    style: str = "steady"
    playouts: int = 0
    unseen: list[Any] = field(default_factory=list)
    memory: Memory | None = None

    def see(self, events: Sequence[Any]) -> None:
        self.unseen += events

    def decide(self, observation: Any, actions: Sequence[Any]) -> Sequence[Any]:
        if self.memory is None:
            self.memory = self.game.remember(observation)
        for event in self.unseen:
            self.memory.see(event)
        self.unseen.clear()
        if len(actions) == 1:
            return actions
        if self.playouts:
            best, _ = search.choose(self.game, observation, self.memory, actions, self.playouts, self.chance)
            return best.plan
        world = self.memory.draw(observation, self.chance)
        return self.game.advise(world, observation.viewer, self.chance, self.style)


class UnknownPlayer(Exception):
    """There is no such player; the text says who there is."""


def player(name: str, game: AnyGame, seed: int) -> Player:
    """Return a player by name, or raise `UnknownPlayer`."""
    chance = SeededChance(seed)
    scout = _SCOUT.fullmatch(name)
    if scout:
        return Thinker(game, chance, playouts=int(scout[1]))
    if name in STYLES:
        return Thinker(game, chance, style=name)
    if name != "random":
        raise UnknownPlayer(f"there is no player {name!r:.40}; there are {', '.join(NAMES)}")
    return RandomPlayer(chance)
