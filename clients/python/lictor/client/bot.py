"""What a bot is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lictor.client.actions import Actions, Answer
from lictor.client.results import Result
from lictor.client.views import Event
from lictor.v1 import play_service_pb2 as pb


class Player:
    """What bots of both kinds share. One instance plays one match; `view` may be annotated as the game's own view."""

    # On the class, so that a bot's own __init__ need not call this one's.
    _note: pb.Note | None = None
    _resigns: bool = False
    _offers_draw: bool = False

    def on_start(self, view: Any) -> Any:
        """Get ready: called before all else, in a new match or one that this process takes up again."""

    def on_events(self, view: Any, events: Sequence[Event]) -> Any:
        """See every event once, in order, as it happens; `view` is the last one with its history brought up to date."""

    def on_draw_offered(self, view: Any) -> Any:
        """Return whether to agree to a draw."""
        return False

    def on_end(self, result: Result) -> Any:
        """Learn how the match ended."""

    def note(self, text: str, win_chance: float | None = None) -> None:
        """Attach a note to this decision; only this bot's owner sees it before the match has ended."""
        if win_chance is not None and not 0 <= win_chance <= 1:
            raise ValueError(f"a win chance lies between 0 and 1, not {win_chance}")
        self._note = pb.Note(text=text[:2000], win_chance=win_chance)

    def resign(self) -> None:
        """Give up the match; what `decide` returns then does not matter."""
        self._resigns = True

    def offer_draw(self) -> None:
        """Offer a draw along with the next answer."""
        self._offers_draw = True


class Bot(Player):
    """A bot. Each match has its own instance, and decides in its own thread."""

    def decide(self, view: Any, actions: Actions) -> Answer:
        """Return one of `actions`, its notation, its index, or a list: this order and those to follow it."""
        raise NotImplementedError(f"{type(self).__name__} needs a method decide(self, view, actions)")


class AsyncBot(Player):
    """A bot whose methods are coroutines and run in the client's own loop: they must not block it."""

    async def decide(self, view: Any, actions: Actions) -> Answer:
        """Return one of `actions`, its notation, its index, or a list: this order and those to follow it."""
        raise NotImplementedError(f"{type(self).__name__} needs a method async decide(self, view, actions)")
