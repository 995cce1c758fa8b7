"""What is still to be played: seeks, challenges, and when all is done."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from typing import Any

from lictor.client.errors import RequestRefused
from lictor.client.settings import Settings
from lictor.client.stream import Stream
from lictor.v1 import play_service_pb2 as pb

log = logging.getLogger("lictor.client")

_FOR_GOOD = ("unknown_game", "bad_option", "malformed", "forbidden")
_CHALLENGE_AGAIN_S = 1.0


class Lobby:
    """Asks for as many matches as are still to be played."""

    def __init__(self, settings: Settings) -> None:
        self.finished = 0
        self.was_welcome = False
        self._settings = settings
        self._held: set[str] = set()  # matches that only the operator can end
        self._announced: set[str] = set()  # of the last Welcome; each is started soon
        self._sought = False  # on this stream
        self._asked = 0  # own challenges that are open
        self._challenges: set[str] = set()  # their ids

    def welcome(self, welcome: pb.Welcome, matches: Collection[str]) -> None:
        """Begin anew on a new stream: the server has forgotten seeks and challenges, but no match."""
        self.was_welcome = True
        self._held = {seat.match_id for seat in welcome.seats if seat.HasField("held")}
        self._announced = {seat.match_id for seat in welcome.seats} - set(matches)
        self._sought, self._asked, self._challenges = False, 0, set()

    def _open(self, matches: Collection[str]) -> int:
        return len((set(matches) | self._announced) - self._held)

    def _left(self, matches: Collection[str]) -> int | None:
        wanted = self._settings.matches
        return max(0, wanted - self.finished - self._open(matches)) if wanted else None

    def all_played(self, matches: Collection[str]) -> bool:
        """Return whether nothing is left to play or to wait for."""
        wanted = self._settings.matches
        return bool(wanted) and self.finished >= wanted and not self._open(matches)

    def want_more(self, stream: Stream, matches: Collection[str]) -> None:
        """Ask for what is left."""
        if self._settings.seek is not None and self._left(matches) != 0:
            if self._settings.challenge is not None:
                self._challenge(stream, matches, self._settings.challenge)
            elif not self._sought:
                self._sought = True
                stream.say(seek=pb.Seek(**self._terms(), matches=self._left(matches) or 0))

    def _terms(self) -> dict[str, Any]:
        wishes = self._settings
        terms = {"game": wishes.seek, "options": wishes.options, "seat": wishes.seat}
        return terms if wishes.clock is None else {**terms, "clock": wishes.clock}

    def _challenge(self, stream: Stream, matches: Collection[str], opponent: str) -> None:
        left = self._left(matches)
        free = self._settings.max_matches - self._open(matches)
        for _ in range((free if left is None else min(free, left)) - self._asked):
            self._asked += 1
            stream.say(challenge=pb.Challenge(opponent=opponent, **self._terms()))

    def started(self, stream: Stream, opponents: Collection[str], matches: Collection[str]) -> None:
        """Count a match that starts; when it is the last, take back all that still asks for more."""
        self._announced -= set(matches)
        if self._settings.challenge in opponents and self._asked:
            self._asked -= 1
        if self._left(matches) == 0:
            stream.say(cancel=pb.Cancel())

    def refused(self, reason: str, refused: pb.Refused) -> None:
        """Raise if what was asked for can never be had; what can be had later is asked for again by the stream."""
        if reason in _FOR_GOOD:
            raise RequestRefused(reason, refused.text)

    def hear(
        self, stream: Stream, response: pb.PlayResponse, request: pb.PlayRequest | None, matches: Collection[str]
    ) -> None:
        """Take a message that is about no match."""
        kind = response.WhichOneof("message")
        if kind == "done" and request is not None and request.HasField("challenge"):
            self._challenges.add(response.done.id)
        elif kind == "challenge_closed" and response.challenge_closed.challenge_id in self._challenges:
            self._challenges.discard(response.challenge_closed.challenge_id)
            self._asked -= 1
            log.warning("%s: challenge %s", self._settings.challenge, response.challenge_closed.reason)
            # The stream may have gone by then; what is said to it then goes nowhere, and the next one asks anew.
            again = lambda: self.want_more(stream, matches)  # noqa: E731
            asyncio.get_running_loop().call_later(_CHALLENGE_AGAIN_S, again)
        elif kind == "challenged":
            accept = self._settings.accept_challenges and self._left(matches) != 0
            answer = pb.AnswerChallenge(challenge_id=response.challenged.challenge_id, accept=accept)
            stream.say(answer_challenge=answer)
