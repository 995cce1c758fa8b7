"""A small bot made from the protos alone that does everything right, and others that each do one thing wrong.

python bots.py NAME plays as one of them. What each fails is in `LESSON_OF`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import sys
import time
from typing import Any

import grpc

from lictor.v1 import match_pb2
from lictor.v1 import play_service_pb2 as pb

OPTIONS = (("grpc.use_local_subchannel_pool", 1),)


class Good:
    """Does everything right."""

    max_matches = 2
    seat = ""
    pause = 0.05

    def __init__(self) -> None:
        self.call: Any = None
        self.welcome = False
        self.legal: dict[str, pb.Decide] = {}
        self.seen: dict[str, int] = {}  # events of the matches that it has seen begin
        self.random = random.Random(os.environ["LICTOR_SEED"])

    async def run(self) -> None:
        while True:
            self.welcome = False
            self.ended(*await self.converse())
            await asyncio.sleep(self.pause)

    async def converse(self) -> tuple[grpc.StatusCode, str]:
        async with grpc.aio.insecure_channel(os.environ["LICTOR_TARGET"], options=OPTIONS) as channel:
            self.call = channel.stream_stream("/lictor.v1.PlayService/Play")()
            token, most = os.environ["LICTOR_TOKEN"], self.max_matches
            await self.say(hello=pb.Hello(token=token, protocol_min=1, protocol_max=1, max_matches=most))
            with contextlib.suppress(grpc.aio.AioRpcError):
                while (raw := await self.call.read()) is not grpc.aio.EOF:
                    await self.hear(pb.PlayResponse.FromString(raw))
            return await self.call.code(), await self.call.details() or ""

    def ended(self, code: grpc.StatusCode, text: str) -> None:
        """Take the end of a stream: it is the end of nothing else."""

    async def say(self, **message: Any) -> None:
        # Who reads the stream is told how it ended.
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await self.call.write(pb.PlayRequest(**message).SerializeToString())

    async def hear(self, said: pb.PlayResponse) -> None:
        kind = said.WhichOneof("message")
        if kind is not None and (handler := getattr(self, f"on_{kind}", None)) is not None:
            await handler(getattr(said, kind))

    async def on_welcome(self, _welcome: pb.Welcome) -> None:
        self.welcome = True
        await self.say(seek=pb.Seek(game=os.environ["LICTOR_GAME"], seat=self.seat))

    async def on_ping(self, ping: pb.Ping) -> None:
        await self.say(pong=pb.Pong(nonce=ping.nonce))

    async def on_match_started(self, started: pb.MatchStarted) -> None:
        if started.entropy_wanted:
            self.seen[started.match_id] = 0
            await self.say(entropy=pb.Entropy(match_id=started.match_id))

    async def on_decide(self, decide: pb.Decide) -> None:
        if decide.match_id in self.seen:
            self.count(decide.match_id, decide.events)
        self.legal[decide.match_id] = decide
        await self.act(decide.match_id, decide.decision_id, *self.choose(decide))

    def count(self, match: str, events: pb.Events) -> None:
        """See that no event is missing: their numbers have no gaps."""
        assert events.first <= self.seen[match] + 1, f"events {self.seen[match] + 1} to {events.first - 1} never came"
        self.seen[match] = max(self.seen[match], events.first + len(events.events) - 1)

    def choose(self, decide: pb.Decide) -> list[str]:
        return [self.random.choice(decide.legal).notation]

    async def act(self, match: str, decision: int, *actions: str) -> None:
        choices = [pb.Choice(notation=action) for action in actions]
        await self.say(act=pb.Act(match_id=match, decision_id=decision, actions=choices))

    async def on_refused(self, refused: pb.Refused) -> None:
        decide = self.legal.get(refused.match_id)
        if refused.reason == pb.REFUSAL_REASON_ILLEGAL_ACTION and decide is not None:
            await self.act(decide.match_id, decide.decision_id, decide.legal[0].notation)

    async def on_match_ended(self, ended: pb.MatchEnded) -> None:
        self.legal.pop(ended.match_id, None)

    async def on_superseded(self, superseded: pb.Superseded) -> None:
        sys.exit(superseded.text)


class TakesChallenges(Good):
    """Seeks nothing, and is right all the same."""

    async def on_welcome(self, _welcome: pb.Welcome) -> None:
        self.welcome = True

    async def on_challenged(self, asked: pb.Challenged) -> None:
        await self.say(answer_challenge=pb.AnswerChallenge(challenge_id=asked.challenge_id, accept=True))


class PlaysOnce(Good):
    """Ends when it has played one match, and is right all the same."""

    async def on_welcome(self, _welcome: pb.Welcome) -> None:
        self.welcome = True
        await self.say(seek=pb.Seek(game=os.environ["LICTOR_GAME"], matches=1))

    async def on_match_ended(self, ended: pb.MatchEnded) -> None:
        if ended.match_id in self.legal:
            sys.exit(0)


class BargesIn(Good):
    """Says something before it says Hello."""

    async def say(self, **message: Any) -> None:
        if "hello" in message:
            await super().say(ping=pb.Ping(nonce=1))
        await super().say(**message)


class PlaysOneSeat(Good):
    """Seeks the same seat always."""

    seat = "caesar"


class SendsNonsense(Good):
    """Answers with an order that is not legal, now and then."""

    def choose(self, decide: pb.Decide) -> list[str]:
        return ["fire nobody"] if decide.decision_id == 3 else super().choose(decide)


class DiesWhenRefused(Good):
    """Takes a refusal for the end of the world."""

    async def on_refused(self, refused: pb.Refused) -> None:
        if refused.reason == pb.REFUSAL_REASON_ILLEGAL_ACTION:
            raise RuntimeError(refused.text)


class WaitsWhenRefused(Good):
    """Thinks that a new Decide follows a refusal."""

    async def on_refused(self, refused: pb.Refused) -> None:
        pass


class DiesOfTime(Good):
    """Does not know that a match can be lost on time."""

    async def on_match_ended(self, ended: pb.MatchEnded) -> None:
        if ended.termination.kind == match_pb2.TERMINATION_KIND_TIME:
            raise RuntimeError("this cannot happen")


class TrustsBatches(Good):
    """Believes that all it has sent has been carried out, and waits for the decision after it."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: dict[str, tuple[int, int]] = {}
        self.next: dict[str, int] = {}

    def choose(self, decide: pb.Decide) -> list[str]:
        # With points to spare, a levy and the end of levies are both carried out, unless the server is made to stop.
        levies = [one.notation for one in decide.legal if one.notation.startswith("levy ")]
        if levies and decide.observation.julius_caesar.levies_left > 1:
            self.sent[decide.match_id] = (decide.decision_id, 2)
            return [levies[0], "end_levies"]
        return super().choose(decide)

    async def on_accepted(self, accepted: pb.Accepted) -> None:
        first, count = self.sent.pop(accepted.match_id, (0, 0))
        if accepted.decision_id == first and accepted.stopped == pb.BATCH_STOP_NEWS:
            self.next[accepted.match_id] = first + count

    async def on_decide(self, decide: pb.Decide) -> None:
        if decide.decision_id >= self.next.get(decide.match_id, 0):
            await super().on_decide(decide)


class FallsWithTheWire(Good):
    """Tries until it is connected, and then never again."""

    def ended(self, code: grpc.StatusCode, text: str) -> None:
        if self.welcome and "going down" not in text:
            sys.exit(f"lost the server: {text}")


class AnswersOnce(Good):
    """Believes that what it has sent has arrived."""

    def __init__(self) -> None:
        super().__init__()
        self.answered: set[tuple[str, int]] = set()

    async def on_decide(self, decide: pb.Decide) -> None:
        key = (decide.match_id, decide.decision_id)
        if key not in self.answered:
            self.answered.add(key)
            await super().on_decide(decide)


class HoldsOn(Good):
    """Knows only matches that it has seen begin."""

    def __init__(self) -> None:
        super().__init__()
        self.begun: set[str] = set()

    async def on_match_started(self, started: pb.MatchStarted) -> None:
        if not started.resumed:
            self.begun.add(started.match_id)
        await super().on_match_started(started)

    async def on_decide(self, decide: pb.Decide) -> None:
        if decide.match_id in self.begun:
            await super().on_decide(decide)


class MixesUpMatches(Good):
    """Knows only one match, the last one that has started."""

    last = ""

    async def on_match_started(self, started: pb.MatchStarted) -> None:
        self.last = started.match_id
        await super().on_match_started(started)

    async def act(self, match: str, decision: int, *actions: str) -> None:
        await super().act(self.last, decision, *actions)


class NeverPongs(Good):
    """Ignores Ping."""

    async def on_ping(self, ping: pb.Ping) -> None:
        pass


class KnowsAllKinds(Good):
    """Insists on knowing every message."""

    async def hear(self, said: pb.PlayResponse) -> None:
        await getattr(self, f"on_{said.WhichOneof('message')}")(getattr(said, said.WhichOneof("message") or ""))

    async def on_done(self, _done: pb.Done) -> None:
        pass

    on_accepted = on_draw_offered = on_done


class KnowsAllEvents(Good):
    """Insists on knowing every event."""

    def count(self, match: str, events: pb.Events) -> None:
        super().count(match, events)
        for event in events.events:
            assert event.WhichOneof("game") is not None, "an event of no game"


class KnowsAllReasons(Good):
    """Insists on knowing every value of an enum."""

    async def on_refused(self, refused: pb.Refused) -> None:
        pb.RefusalReason.Name(refused.reason)
        await super().on_refused(refused)


class TakesLeaveForGood(Good):
    """Thinks that a server that goes down is gone."""

    def ended(self, code: grpc.StatusCode, text: str) -> None:
        if "going down" in text:
            sys.exit(0)


class KnocksWildly(Good):
    """Connects again at once, however often it fails."""

    pause = 0.0


class FightsForItsSeat(Good):
    """Comes back whenever it is superseded."""

    async def on_superseded(self, superseded: pb.Superseded) -> None:
        pass


class Clings(Good):
    """Does not end when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        signal.signal(signal.SIGTERM, lambda *_: time.sleep(0.001))


# The lesson that each fails; those of the second list are other ways to fail.
LESSON_OF: dict[type[Good], str] = {
    PlaysOneSeat: "seats",
    SendsNonsense: "legal",
    DiesWhenRefused: "refusal",
    DiesOfTime: "late",
    TrustsBatches: "batch",
    FallsWithTheWire: "drops",
    MixesUpMatches: "several",
    NeverPongs: "ping",
    KnowsAllKinds: "extras",
    TakesLeaveForGood: "restart",
    FightsForItsSeat: "takeover",
    Clings: "leaves",
}
ALSO: dict[type[Good], str] = {
    WaitsWhenRefused: "refusal",
    AnswersOnce: "drops",
    KnowsAllReasons: "extras",
    KnowsAllEvents: "extras",
    KnocksWildly: "restart",
    HoldsOn: "killed",
}

if __name__ == "__main__":
    asyncio.run(globals()[sys.argv[1]]().run())
