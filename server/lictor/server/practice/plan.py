"""What is to be practised. Ids, secrets and seats depend on the seed and the number of the game alone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from lictor.engine import registry
from lictor.engine.chance import derive_secret
from lictor.server.contestants import Contestant
from lictor.server.matches.clocks import Clock

Side: TypeAlias = Literal["bot", "against"]
SIDES: tuple[Side, Side] = ("bot", "against")
# A bot that hangs loses by the limit of one decision; three such games are the end of it.
CLOCK = Clock(base_ms=300_000, increment_ms=30_000, per_decision_ms=20_000, reconnect_grace_ms=10_000)
CLOCK_TEXT = "300+30/20"
_NAME_LENGTH = 36  # the store's, with room for a number


@dataclass(frozen=True, slots=True)
class Plan:
    """Who plays whom, what, how often, and where it is kept."""

    bot: Contestant
    against: Contestant
    game: str
    options: Mapping[str, str]
    games: int
    seed: int
    records: Path
    clock: Clock = CLOCK
    jobs: int = 1  # matches at once
    patience_s: float = 30.0

    @property
    def seats(self) -> tuple[str, ...]:
        """The game's seats."""
        return tuple(registry.get(self.game).SEATS)

    def names(self) -> dict[Side, str]:
        """Return the names the two play under: their labels, told apart if they are the same."""
        names = [name_of(who.label) for who in (self.bot, self.against)]
        if names[0].lower() == names[1].lower():
            names = [f"{name}-{number}" for number, name in enumerate(names, 1)]
        return dict(zip(SIDES, names, strict=True))

    def match(self, number: int) -> str:
        """Return the id of a game, counted from 0; people count from 1."""
        return f"practice-{self.seed}-{number + 1:04}"

    def record(self, number: int) -> Path:
        """Return where the record of a game is kept."""
        return self.records / f"{self.match(number)}.jsonl"

    def secret(self, number: int) -> bytes:
        """Return the secret behind the dice of a game."""
        return derive_secret("practice", str(self.seed), str(number))

    def seating(self, number: int) -> dict[str, Side]:
        """Return who sits where: games are mirrored, so that both have had every seat after two."""
        first, second = self.seats
        sides = SIDES if number % 2 == 0 else SIDES[::-1]
        return {first: sides[0], second: sides[1]}

    def log(self, side: Side) -> Path:
        """Return where the output of a side is kept."""
        return self.records / f"{side}-{self.names()[side]}.log"


def name_of(label: str) -> str:
    """Return a label as a name that records and accounts take."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", label).strip("-.")[:_NAME_LENGTH] or "bot"
