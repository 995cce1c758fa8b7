"""What a check of the fog law did and found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from lictor.engine.game import AnyGame


@dataclass(slots=True)
class FogReport:
    """What a check of the fog law did and found."""

    game: str
    states: int = 0
    comparisons: int = 0  # pairs of worlds compared, a step counted as one more
    steps: int = 0  # of them: steps carried over to the other world
    not_carried: int = 0  # steps that are not possible in another world, or lay other things open there
    single_worlds: int = 0  # states with something hidden for which no other world was found
    differed: Counter[str] = field(default_factory=Counter)  # hidden facts that really differed, by kind
    situations: Counter[str] = field(default_factory=Counter)  # states compared, by what was being decided
    topics: Counter[str] = field(default_factory=Counter)  # events compared
    hidden: Counter[tuple[object, ...]] = field(default_factory=Counter)  # hidden facts met, by viewer and path
    redrawn: set[tuple[object, ...]] = field(default_factory=set)  # those that have differed
    leaks: list[str] = field(default_factory=list)

    def missing_kinds(self, game: AnyGame, least: int = 1) -> list[str]:
        """Return the kinds of hidden fact that differed less than `least` times: little is proved about them."""
        return [kind for kind in game.FOG.kinds if self.differed[kind] < least]

    def missing_situations(self, game: AnyGame, least: int = 1) -> list[str]:
        """Return the decisions of which fewer than `least` states were compared."""
        return [name for name in game.FOG.situations if self.situations[name] < least]

    def stuck(self, least: int = 100) -> list[str]:
        """Return the hidden facts that were met `least` times and were the same in every other world."""
        found = [key for key, count in self.hidden.items() if count >= least and key not in self.redrawn]
        return sorted(" ".join(map(str, key)) for key in found)
