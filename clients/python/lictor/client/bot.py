"""What a bot is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, SupportsFloat

from lictor.client.actions import Actions, Answer
from lictor.client.results import Result
from lictor.client.views import Event
from lictor.v1 import play_service_pb2 as pb

_MOST_BELIEFS = 200
_LONGEST_CLAIM = 80


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

    def note(self, text: str = "", win_chance: float | None = None, beliefs: Mapping[str, float] | None = None) -> None:
        """Attach a note to this decision: kept for this bot's owner, who can have it when the match has ended.

        `beliefs` are claims about what is hidden, each with its probability: `{"at legio_2 rome": 0.25}`.
        """
        if win_chance is not None and not _is_chance(win_chance):
            raise ValueError(f"a win chance lies between 0 and 1, not {win_chance!r:.60}")
        self._note = pb.Note(
            text=text[:2000], win_chance=win_chance, beliefs=_beliefs({} if beliefs is None else beliefs)
        )

    def resign(self) -> None:
        """Give up the match; what `decide` returns then does not matter."""
        self._resigns = True

    def offer_draw(self) -> None:
        """Offer a draw along with the next answer."""
        self._offers_draw = True


def _is_chance(value: Any) -> bool:
    return isinstance(value, SupportsFloat) and bool(0 <= value <= 1)  # type: ignore[operator]


def _beliefs(beliefs: Any) -> list[pb.Belief]:
    if not isinstance(beliefs, Mapping):
        raise ValueError(f"beliefs are a mapping of claims to probabilities, not {type(beliefs).__name__}")
    if len(beliefs) > _MOST_BELIEFS:
        raise ValueError(f"a note has at most {_MOST_BELIEFS} beliefs, not {len(beliefs)}")
    for claim, probability in beliefs.items():
        if not isinstance(claim, str) or not 0 < len(claim) <= _LONGEST_CLAIM:
            raise ValueError(f"a claim is a text of 1 to {_LONGEST_CLAIM} characters, not {claim!r:.100}")
        if not claim.isascii() or not claim.isprintable():
            raise ValueError(f"a claim has printable ASCII characters only, not {claim!r}")
        if not _is_chance(probability):
            raise ValueError(f"the probability of {claim!r} lies between 0 and 1, and is not {probability!r:.60}")
    return [pb.Belief(claim=claim, probability=float(probability)) for claim, probability in beliefs.items()]


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
