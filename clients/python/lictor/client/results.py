"""How a match ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lictor.client.views import View


@dataclass(frozen=True, slots=True)
class Result:
    """How a match ended, from this bot's seat."""

    match_id: str
    game: str
    seat: str
    players: Mapping[str, str]  # bot by seat
    winner: str | None  # the seat; None if nobody won
    won: bool | None  # None if nobody won
    termination: str  # "victory", "draw", "draw_agreed", "resignation", "time", ...: TerminationKind in lower case
    reason: str  # in one word, such as "ten_points"
    text: str  # in words
    score: Mapping[str, int]  # by seat; empty if the game never began
    secret: str  # with it and the entropies anybody can check the dice
    view: View | None = None  # the last position and all events; only in `on_end`

    def __str__(self) -> str:
        how = {True: "won", False: "lost"}.get(self.won, "no winner") if self.won is not None else "no winner"
        return f"{self.match_id} as {self.seat}: {how} ({self.text or self.termination})"
