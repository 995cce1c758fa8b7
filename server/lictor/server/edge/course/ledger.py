"""What has been said between the bot and the server, as far as lessons ask for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from lictor.v1 import play_service_pb2 as pb


class Ledger:
    """Notes what passes. `situation` tells what is being decided in a match now."""

    def __init__(self, situation: Callable[[str], str]) -> None:
        self._situation = situation
        self.firsts: list[str] = []  # the kind of the first message of every stream
        self.hellos: list[pb.Hello] = []
        self.welcomes = 0
        self.seek: pb.Seek | None = None  # the last one on the stream that is open
        self.accepts: list[bool] = []  # its answers to challenges
        self.started: dict[str, pb.MatchStarted] = {}
        self.ended: dict[str, pb.MatchEnded] = {}
        self.decides: dict[str, pb.Decide] = {}  # the last of each match
        self.accepted: dict[str, int] = {}  # the last decision of each match that was answered
        self.answers: Counter[str] = Counter()  # Acts that were accepted, by match
        self.refused: list[pb.Refused] = []
        self.faults: list[str] = []  # for which the bot gave up
        self.pongs: set[int] = set()
        self.batches = 0  # Acts with several actions
        self.answered: set[str] = set()  # situations in which an answer was accepted
        self._situations: dict[tuple[str, int], str] = {}

    def hear_first(self, request: pb.PlayRequest) -> None:
        """Note the first message of a stream."""
        self.firsts.append(request.WhichOneof("message") or "nothing known")
        self.seek = None

    def hear(self, request: pb.PlayRequest) -> None:
        """Note what the bot says."""
        match request.WhichOneof("message"):
            case "hello":
                self.hellos.append(request.hello)
            case "seek":
                self.seek = request.seek
            case "cancel":
                self.seek = None
            case "answer_challenge":
                self.accepts.append(request.answer_challenge.accept)
            case "pong":
                self.pongs.add(request.pong.nonce)
            case "resign" if request.resign.fault:
                self.faults.append(request.resign.fault)
            case "act":
                self.batches += len(request.act.actions) > 1

    def tell(self, response: pb.PlayResponse) -> None:
        """Note what the server says."""
        match response.WhichOneof("message"):
            case "welcome":
                self.welcomes += 1
            case "match_started":
                self.started[response.match_started.match_id] = response.match_started
            case "match_ended":
                self.ended[response.match_ended.match_id] = response.match_ended
            case "decide":
                self._decide(response.decide)
            case "accepted":
                self._accepted(response.accepted)
            case "refused":
                self.refused.append(response.refused)

    def situation_of(self, decide: pb.Decide) -> str:
        """Return what a decision was about."""
        return self._situations.get((decide.match_id, decide.decision_id), "")

    def _decide(self, decide: pb.Decide) -> None:
        self.decides[decide.match_id] = decide
        key = (decide.match_id, decide.decision_id)
        if key not in self._situations:
            self._situations[key] = self._situation(decide.match_id)

    def _accepted(self, accepted: pb.Accepted) -> None:
        match, last = accepted.match_id, accepted.decision_id + accepted.applied - 1
        if last > self.accepted.get(match, 0):  # not one that was told before
            self.accepted[match] = last
            self.answers[match] += 1
        if situation := self._situations.get((match, accepted.decision_id)):
            self.answered.add(situation)
