"""How well a commander thinks: `novice` overlooks what beginners overlook."""

from __future__ import annotations

from dataclasses import dataclass

from lictor.engine.chance import Chance

_GRAIN = 1024


@dataclass(frozen=True, slots=True)
class Style:
    """What a commander minds."""

    noise: float = 0.0  # by how much a choice may be misjudged, in victory points
    counts_odds: bool = True  # before he attacks
    minds_supply: bool = True  # of the winter
    retreats: bool = True  # in time

    def misjudge(self, chance: Chance) -> float:
        """Return an error of judgement."""
        return self.noise * (chance.draw(_GRAIN) / _GRAIN - 0.5) if self.noise else 0.0


STYLES = {
    "steady": Style(noise=0.06),
    "restless": Style(noise=0.5),  # sees what steady sees, and tries other things: for a search to choose from
    "novice": Style(noise=0.3, counts_odds=False, minds_supply=False, retreats=False),
}
