"""The desk of a practice house: the two who practise play each other, on practice's own terms, in a fixed order."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from lictor.server.matches.frontdesk import Lot
from lictor.server.matches.lobby import Start, Terms
from lictor.server.matches.messages import AnswerChallenge, Challenge, Challenged, Done, Reason, Seek
from lictor.server.matches.refusal import Refusal
from lictor.server.matches.session import Session
from lictor.server.practice.plan import SIDES, Plan, Side

if TYPE_CHECKING:
    from lictor.server.matches.house import House

_IDLE_S = 1.0


@dataclass(slots=True)
class Wish:
    """A bot wants matches: by a seek, a challenge, or the answer to one."""

    id: str
    left: int | None  # None: without end


class PracticeDesk:
    """Starts game after game, as soon as both want to play.

    What a seek says of options, clock and seat does not matter. A bot that is here and asks for nothing is challenged,
    in the other's name: some only wait for that.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.names = plan.names()
        self.started = 0  # games
        self.open = True  # for more of them
        self.refusals: dict[str, str] = {}  # by bot, the last one
        self.came: set[str] = set()  # bots that were here, and may be still
        self._wishes: dict[str, list[Wish]] = {name: [] for name in self.names.values()}
        self._challenges: dict[str, str] = {}  # open ones by bot; empty: it wants none
        self._accepts: set[str] = set()  # bots that live by challenges
        self._idle: dict[str, float] = {}  # since when a bot is here without asking for anything
        self._ids = (f"ask-{number}" for number in itertools.count(1))
        self._house: House
        self._start: Start

    def at(self, house: House, start: Start, _lot: Lot) -> Self:
        """Open for a house."""
        self._house, self._start = house, start
        return self

    # --- Who is ready ---

    def session(self, side: Side) -> Session | None:
        """Return the stream of a side, if it is here."""
        session = self._house.sessions.get(self.names[side])
        if session is not None:
            self.came.add(session.bot)
        return session

    def missing(self, side: Side) -> str:
        """Return what the next game waits for: a side's "stream", its "seek", or nothing if it plays or is ready."""
        session = self.session(side)
        if session is None:
            return "stream"
        return "" if session.matches or (self._wishes[session.bot] and session.free() > 0) else "seek"

    def can_start(self) -> bool:
        """Return whether there are games left to start, and room for one."""
        return self.open and self.started < self.plan.games and len(self._house.matches) < self.plan.jobs

    def pair(self) -> None:
        """Start the games that can be started."""
        self._invite()
        while self.can_start() and not self._house.busy():
            sessions = {side: session for side in SIDES if (session := self.session(side)) is not None}
            if len(sessions) < len(SIDES):
                return
            if not all(self._wishes[session.bot] and session.free() > 0 for session in sessions.values()):
                return
            self._start_next(sessions)

    def _start_next(self, sessions: dict[Side, Session]) -> None:
        number, plan = self.started, self.plan
        self.started += 1
        seating = plan.seating(number)
        seats = {seat: sessions[side] for seat, side in seating.items()}
        origins = {seat: self._take(session.bot) for seat, session in seats.items()}
        self._start(self._terms(), seats, origins, match=plan.match(number), secret=plan.secret(number))

    def _terms(self) -> Terms:
        options = self._house.settle(self.plan.game, self.plan.options).options
        return Terms(self.plan.game, tuple(sorted(options.items())), self.plan.clock, self.plan.seats)

    def _take(self, bot: str) -> str:
        wish = self._wishes[bot][0]
        if wish.left is not None:
            wish.left -= 1
            if not wish.left:
                del self._wishes[bot][0]
        return wish.id

    # --- What bots ask ---

    def seek(self, session: Session, message: Seek, request: int) -> None:
        """Take a seek of the game that is practised."""
        self._take_wish(session, message, request, message.matches or None)

    def challenge(self, session: Session, message: Challenge, request: int) -> None:
        """Take a challenge to the only other bot there is."""
        other = next(name for name in self.names.values() if name != session.bot)
        if message.opponent != other:
            text = f"{message.opponent!r:.60} is not here; this is a practice against {other!r}"
            raise self._refusal(session, Reason.OPPONENT_ABSENT, text, "challenge.opponent", 1000)
        self._take_wish(session, message, request, 1)

    def _take_wish(self, session: Session, message: Seek | Challenge, request: int, matches: int | None) -> None:
        kind = type(message).__name__.lower()
        if session.leaving:
            text = "the bot has said Leave; connect again to play more"
            raise self._refusal(session, Reason.LEAVING, text)
        if message.game != self.plan.game:
            text = f"this is a practice of {self.plan.game}, and {message.game!r:.60} was asked for"
            raise self._refusal(session, Reason.UNKNOWN_GAME, text, f"{kind}.game")
        most = self._house.settings.limits.seeks
        if len(self._wishes[session.bot]) >= most:
            text = f"{most} seeks are open; cancel one, or wait until one is used up"
            raise self._refusal(session, Reason.LIMIT, text, retry_after_ms=1000)
        wish = Wish(next(self._ids), matches)
        self._wishes[session.bot].append(wish)
        session.link.offer(Done(wish.id, request))
        self.pair()

    def answer_challenge(self, session: Session, message: AnswerChallenge, request: int) -> None:
        """Take the answer to the challenge in the other's name."""
        if not message.id or self._challenges.get(session.bot) != message.id:
            text = "no such challenge is open"
            raise self._refusal(session, Reason.UNKNOWN_ID, text, "answer_challenge.challenge_id")
        if message.accept:
            del self._challenges[session.bot]
            self._accepts.add(session.bot)
            self._wishes[session.bot].append(Wish(message.id, 1))
        else:
            self._challenges[session.bot] = ""  # it is not asked again on this stream
        session.link.offer(Done("", request))
        self.pair()

    def cancel(self, session: Session, wanted: str, request: int) -> None:
        """Take back one wish of a bot, or all."""
        mine = self._wishes[session.bot]
        kept = [wish for wish in mine if wanted and wish.id != wanted]
        if wanted and len(kept) == len(mine):
            text = "no such seek or challenge of this bot is open"
            raise self._refusal(session, Reason.UNKNOWN_ID, text, "cancel.id")
        self._wishes[session.bot] = kept
        session.link.offer(Done("", request))

    def _refusal(
        self, session: Session, reason: Reason, text: str, field: str = "", retry_after_ms: int = 0
    ) -> Refusal:
        self.refusals[session.bot] = text
        limit = "seeks" if reason is Reason.LIMIT else ""
        return Refusal(reason, text, field=field, limit=limit, retry_after_ms=retry_after_ms)

    # --- What the house does ---

    def expire(self) -> None:
        """Look who waits to be challenged."""
        self._invite()

    def _invite(self) -> None:
        """Challenge a bot that is here and asks for nothing, at once if it accepted before, else after a while."""
        for side, other in zip(SIDES, SIDES[::-1], strict=True):
            session = self.session(side)
            if session is None or not self.can_start() or session.free() <= 0 or self._wishes[session.bot]:
                self._idle.pop(self.names[side], None)
                continue
            since = self._idle.setdefault(session.bot, self._house.now())
            waited = session.bot in self._accepts or self._house.now() - since >= _IDLE_S
            if waited and session.bot not in self._challenges:
                self._challenges[session.bot] = asked = next(self._ids)
                terms = self._terms()
                options = terms.plain_options()
                session.link.offer(Challenged(asked, self.names[other], terms.game, options, "", terms.clock))

    def forget(self, session: Session) -> None:
        """Drop all that a bot asked for, or was asked."""
        self.came.add(session.bot)
        self._wishes[session.bot] = []
        self._challenges.pop(session.bot, None)
        self._idle.pop(session.bot, None)
