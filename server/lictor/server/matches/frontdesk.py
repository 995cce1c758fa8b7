"""The front desk: who wants to play whom. Seeks and challenges become matches here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeAlias

from lictor.server.matches.lobby import Lobby, OpenChallenge, OpenSeek, Start, Terms
from lictor.server.matches.messages import (
    AnswerChallenge,
    Challenge,
    ChallengeClosed,
    Challenged,
    Done,
    Reason,
    Seek,
)
from lictor.server.matches.refusal import Refusal
from lictor.server.matches.session import Session

if TYPE_CHECKING:
    from lictor.server.matches.house import House


class Desk(Protocol):
    """Where bots ask for matches, and where it is decided who plays whom."""

    def pair(self) -> None:
        """Start the matches that can be started; asked for whenever something has changed, and once a second."""

    def expire(self) -> None:
        """Close what has been open too long."""

    def forget(self, session: Session) -> None:
        """Drop all that a bot asked for, or was asked."""

    def seek(self, session: Session, message: Seek, request: int) -> None: ...
    def challenge(self, session: Session, message: Challenge, request: int) -> None: ...
    def answer_challenge(self, session: Session, message: AnswerChallenge, request: int) -> None: ...
    def cancel(self, session: Session, wanted: str, request: int) -> None: ...


Lot: TypeAlias = Callable[[int], int]  # a number below the given one


class FrontDesk:
    """Takes seeks and challenges of anybody who comes."""

    def __init__(self, house: House, start: Start, lot: Lot) -> None:
        self._house = house
        self._lobby = Lobby(start, lot)

    def pair(self) -> None:
        """Start the matches that open seeks allow, if the house can take them on."""
        house = self._house
        if self._lobby.seeks and not house.busy():
            self._lobby.pair(self._room())

    def _room(self) -> int:
        return self._house.settings.open_matches - len(self._house.matches)

    def expire(self) -> None:
        """Close the challenges that nobody answered in time."""
        for challenge in self._lobby.expire(self._house.now()):
            self._close(challenge, "expired")

    def forget(self, session: Session) -> None:
        """Drop all that a bot asked for, or was asked."""
        for challenge in self._lobby.forget(session):
            self._close(challenge, "gone", but=session)

    def _terms(self, session: Session, message: Seek | Challenge) -> Terms:
        if session.leaving:
            raise Refusal(Reason.LEAVING, "the bot has said Leave; connect again to play more")
        kind = type(message).__name__.lower()
        try:
            setting = self._house.settle(message.game, message.options)
        except Refusal as refusal:
            refusal.message.field = f"{kind}.{refusal.message.field}"
            raise
        game, plain = setting.game, setting.options
        if message.seat and message.seat not in game.SEATS:
            text = f"no seat {message.seat!r:.40}; there are {', '.join(game.SEATS)}"
            raise Refusal(Reason.BAD_OPTION, text, field=f"{kind}.seat")
        clock = message.clock or self._house.settings.clock
        return Terms(message.game, tuple(sorted(plain.items())), clock, game.SEATS)

    def seek(self, session: Session, message: Seek, request: int) -> None:
        """Take a seek, and see whom it meets."""
        terms = self._terms(session, message)
        most = self._house.settings.limits.seeks
        if len(self._lobby.seeks_of(session)) >= most:
            text = f"{most} seeks are open; cancel one, or wait until one is used up"
            raise Refusal(Reason.LIMIT, text, limit="seeks", retry_after_ms=1000)
        seek = OpenSeek(self._house.new_id(), session, terms, message.seat, message.matches or None)
        self._lobby.seeks[seek.id] = seek
        session.link.offer(Done(seek.id, request))
        self.pair()

    def challenge(self, session: Session, message: Challenge, request: int) -> None:
        """Pass a challenge on."""
        terms = self._terms(session, message)
        most = self._house.settings.limits.challenges
        if len(self._lobby.challenges_of(session)) >= most:
            text = f"{most} challenges are open; cancel one, or wait for the answers"
            raise Refusal(Reason.LIMIT, text, limit="challenges", retry_after_ms=1000)
        other = self._house.sessions.get(message.opponent)
        if message.opponent == session.bot:
            raise Refusal(Reason.BAD_OPTION, "a bot cannot challenge itself", field="challenge.opponent")
        if other is None or other.free() <= 0:
            text = f"{message.opponent!r:.60} is not connected, or takes no more matches now"
            raise Refusal(Reason.OPPONENT_ABSENT, text, field="challenge.opponent", retry_after_ms=1000)
        expires = self._house.now() + self._house.settings.challenge_s
        challenge = OpenChallenge(self._house.new_id(), session, message.opponent, terms, message.seat, expires)
        self._lobby.challenges[challenge.id] = challenge
        session.link.offer(Done(challenge.id, request))
        theirs = next(seat for seat in terms.seats if seat != message.seat) if message.seat else ""
        asked = Challenged(challenge.id, session.bot, terms.game, terms.plain_options(), theirs, terms.clock)
        other.link.offer(asked)

    def answer_challenge(self, session: Session, message: AnswerChallenge, request: int) -> None:
        """Start the match of a challenge, or close it."""
        challenge = self._lobby.challenges.get(message.id)
        if challenge is None or challenge.opponent != session.bot:
            raise Refusal(Reason.UNKNOWN_ID, "no such challenge is open", field="answer_challenge.challenge_id")
        no_room = bool(self._house.busy()) or self._room() <= 0
        if message.accept and (no_room or session.free() <= 0 or challenge.session.free() <= 0):
            who = "the server" if no_room else "one of the two"
            text = f"{who} can take no more matches now; the challenge stands"
            raise Refusal(Reason.BUSY, text, retry_after_ms=1000)
        del self._lobby.challenges[challenge.id]
        session.link.offer(Done("", request))
        if message.accept:
            asker = (challenge.session, challenge.seat, challenge.id)
            self._lobby.seat(challenge.terms, asker, (session, "", challenge.id))
        else:
            self._close(challenge, "declined", but=session)

    def _close(self, challenge: OpenChallenge, reason: str, but: Session | None = None) -> None:
        for session in (challenge.session, self._house.sessions.get(challenge.opponent)):
            if session is not None and session is not but:
                session.link.offer(ChallengeClosed(challenge.id, reason))

    def cancel(self, session: Session, wanted: str, request: int) -> None:
        """Take back one seek or challenge of a bot, or all."""
        seeks = [seek for seek in self._lobby.seeks_of(session) if wanted in ("", seek.id)]
        challenges = [c for c in self._lobby.challenges_of(session) if wanted in ("", c.id)]
        if wanted and not seeks and not challenges:
            raise Refusal(Reason.UNKNOWN_ID, "no such seek or challenge of this bot is open", field="cancel.id")
        for seek in seeks:
            del self._lobby.seeks[seek.id]
        for challenge in challenges:
            del self._lobby.challenges[challenge.id]
            self._close(challenge, "cancelled", but=session)
        session.link.offer(Done("", request))
