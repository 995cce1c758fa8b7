"""Who wants to play: open seeks and challenges, and how they become matches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from lictor.server.matches.clocks import Clock
from lictor.server.matches.session import Session


@dataclass(frozen=True, slots=True)
class Terms:
    """What is to be played. Seeks meet when their terms are equal."""

    game: str
    options: tuple[tuple[str, str], ...]
    clock: Clock
    seats: tuple[str, ...]

    def plain_options(self) -> dict[str, str]:
        """Return the options by name."""
        return dict(self.options)


@dataclass(slots=True)
class OpenSeek:
    """Somebody wants matches against anybody."""

    id: str
    session: Session
    terms: Terms
    seat: str
    left: int | None  # None: without end


@dataclass(slots=True)
class OpenChallenge:
    """Somebody wants a match against one bot."""

    id: str
    session: Session
    opponent: str
    terms: Terms
    seat: str
    expires: float


def _fit(seek: OpenSeek, other: OpenSeek) -> bool:
    return other.session.bot != seek.session.bot and (not seek.seat or seek.seat != other.seat)


class Start(Protocol):
    """Starts a match."""

    def __call__(
        self,
        terms: Terms,
        seats: Mapping[str, Session],
        origins: Mapping[str, str],
        *,
        match: str = "",
        secret: bytes = b"",
    ) -> None:
        """Start a match: who sits where, and by seat the id of the seek or challenge that led there.

        Without an id or a secret it gets fresh ones.
        """


class Lobby:
    """Open seeks and challenges."""

    def __init__(self, start: Start, lot: Callable[[int], int]) -> None:
        self._start = start
        self._lot = lot
        self.seeks: dict[str, OpenSeek] = {}
        self.challenges: dict[str, OpenChallenge] = {}
        self._sat: Counter[tuple[str, str]] = Counter()  # how often a bot had a seat

    def seeks_of(self, session: Session) -> list[OpenSeek]:
        """Return a bot's open seeks."""
        return [seek for seek in self.seeks.values() if seek.session is session]

    def challenges_of(self, session: Session) -> list[OpenChallenge]:
        """Return the open challenges a bot has made."""
        return [challenge for challenge in self.challenges.values() if challenge.session is session]

    def pair(self, most: int) -> None:
        """Start the matches that open seeks allow, the longest waiting first, but no more than `most`."""
        while most > 0 and (found := self._find()):
            most -= 1
            one, other = found
            for seek in found:
                if seek.left is not None:
                    seek.left -= 1
                del self.seeks[seek.id]
                if seek.left != 0:
                    self.seeks[seek.id] = seek  # to the end of the queue
            self.seat(one.terms, (one.session, one.seat, one.id), (other.session, other.seat, other.id))

    def _find(self) -> tuple[OpenSeek, OpenSeek] | None:
        waiting: dict[Terms, list[OpenSeek]] = {}
        for seek in self.seeks.values():
            if seek.session.free() <= 0:
                continue
            others = waiting.setdefault(seek.terms, [])
            fitting = [other for other in others if _fit(seek, other)]
            if fitting:
                # Whom it plays least just now; of equals, who has waited longest.
                return min(fitting, key=lambda other: len(seek.session.matches.keys() & other.session.matches)), seek
            others.append(seek)
        return None

    def seat(self, terms: Terms, one_asks: tuple[Session, str, str], other_asks: tuple[Session, str, str]) -> None:
        """Start a match of two bots, each with its wished seat and what it asked by.

        Where nobody wishes, whoever sat there less often, or the lot.
        """
        first, second = terms.seats
        (one, wish, _), (other, other_wish, _) = one_asks, other_asks
        if not wish and not other_wish:
            more = self._sat[one.bot, first] - self._sat[one.bot, second]
            more -= self._sat[other.bot, first] - self._sat[other.bot, second]
            wish = second if more > 0 or (more == 0 and self._lot(2)) else first
        elif not wish:
            wish = second if other_wish == first else first
        asks = (one_asks, other_asks) if wish == first else (other_asks, one_asks)
        seats = {seat: session for seat, (session, _, _) in zip(terms.seats, asks, strict=True)}
        for seat, session in seats.items():
            self._sat[session.bot, seat] += 1
        self._start(terms, seats, {seat: origin for seat, (_, _, origin) in zip(terms.seats, asks, strict=True)})

    def forget(self, session: Session) -> list[OpenChallenge]:
        """Drop all that a bot asked for; return its challenges that others must hear of."""
        for seek in self.seeks_of(session):
            del self.seeks[seek.id]
        gone = [c for c in self.challenges.values() if c.session is session or c.opponent == session.bot]
        for challenge in gone:
            del self.challenges[challenge.id]
        return gone

    def expire(self, now: float) -> list[OpenChallenge]:
        """Drop and return the challenges that nobody answered in time."""
        late = [challenge for challenge in self.challenges.values() if challenge.expires <= now]
        for challenge in late:
            del self.challenges[challenge.id]
        return late
