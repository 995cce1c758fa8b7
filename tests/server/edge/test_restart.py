"""Kill -9: what was acknowledged is there, once; nobody pays for the outage; every match comes to its end."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import grpc

from lictor.engine import registry
from lictor.engine.record import verify
from lictor.server import keys
from lictor.v1 import match_pb2
from lictor.v1 import play_service_pb2 as pb
from lictor.v1 import record_service_pb2 as record_pb
from lictor.v1 import record_service_pb2_grpc as record_rpc
from support.wire import (
    BY_THE_GAME,
    GAME,
    OWN_CONNECTION,
    SOON,
    WAIT,
    Process,
    Stream,
    both_decide,
    eventually,
    pair,
    wired,
)

BASE_MS = 600_000
CLOCK = match_pb2.ClockSettings(base_ms=BASE_MS, start_grace_ms=60_000, reconnect_grace_ms=30_000)
PAIRS, EACH = 4, 5


class Bot:
    """A bot that plays whatever it is asked, and connects again whenever its stream ends."""

    def __init__(self, name: str, port: int) -> None:
        self.name, self.port = name, port
        self.opponent = ""  # whom to challenge
        self.sent: dict[str, dict[int, str]] = defaultdict(dict)  # match -> decision -> notation
        self.accepted: dict[str, dict[int, str]] = defaultdict(dict)
        self.seats: dict[str, str] = {}
        self.ended: dict[str, match_pb2.Termination] = {}
        self.banks: dict[str, list[int]] = defaultdict(list)  # match -> own bank at each decision
        self.streams = 0
        self.faults: list[str] = []
        self._rng = random.Random(name)

    async def play(self, matches: int) -> None:
        while len(self.ended) < matches:
            channel = grpc.aio.insecure_channel(f"127.0.0.1:{self.port}", options=(*OWN_CONNECTION, *SOON))
            stream = Stream(channel, self.name, wait_for_ready=True)
            try:
                await self._stream(stream, matches)
            except grpc.aio.AioRpcError as error:
                # The second is what grpc.aio makes of a write that was under way when the server died.
                if error.code() is not grpc.StatusCode.UNAVAILABLE and error.details() != "Internal error from Core":
                    self.faults.append(f"{error.code().name}: {error.details()}")
            except asyncio.InvalidStateError:
                pass  # a write to a stream that had ended
            finally:
                await channel.close()

    async def _stream(self, stream: Stream, matches: int) -> None:
        welcome = await stream.hello()
        self.streams += 1
        open_ = {seat.match_id for seat in welcome.seats}
        if self.streams == 1 and self.opponent:
            for _ in range(matches):
                await stream.send(challenge=pb.Challenge(opponent=self.opponent, game=GAME, clock=CLOCK))
        for match in set(self.seats) - set(self.ended) - open_:
            await stream.send(observe=pb.Observe(match_id=match))  # it ended when this bot was not there
        for match in open_:
            last = max(self.sent[match], default=0)
            if last not in self.accepted[match] and last:
                await self._send(stream, match, last)  # the same again, in case it was lost
        while len(self.ended) < matches:
            await self._answer(stream, await stream.next())

    async def _answer(self, stream: Stream, response: pb.PlayResponse) -> None:
        kind = response.WhichOneof("message")
        if kind == "challenged":
            challenge = response.challenged.challenge_id
            await stream.send(answer_challenge=pb.AnswerChallenge(challenge_id=challenge, accept=True))
        elif kind == "match_started":
            started = response.match_started
            self.seats[started.match_id] = started.seat
            if started.entropy_wanted:
                await stream.send(entropy=pb.Entropy(match_id=started.match_id, entropy=self.name.encode()))
        elif kind == "decide":
            await self._decide(stream, response.decide)
        elif kind == "accepted":
            match, decision = response.accepted.match_id, response.accepted.decision_id
            self.accepted[match][decision] = self.sent[match][decision]
        elif kind == "match_ended":
            self.ended[response.match_ended.match_id] = response.match_ended.termination
        elif kind == "refused" and response.refused.reason != pb.REFUSAL_REASON_MATCH_OVER:
            self.faults.append(str(response.refused))

    async def _decide(self, stream: Stream, decide: pb.Decide) -> None:
        match, decision = decide.match_id, decide.decision_id
        mine = ["caesar", "pompey"].index(self.seats[match])
        self.banks[match].append(decide.bank_ms[mine])
        if decision in self.sent[match]:
            return  # it was sent, and after a reconnect sent again
        if decision != max(self.sent[match], default=0) + 1:
            self.faults.append(f"decision {decision} after {max(self.sent[match], default=0)}")
        # The first of the list makes a short game, the lot makes one of its own.
        choice = self._rng.choice(decide.legal) if self._rng.random() < 0.5 else decide.legal[0]
        self.sent[match][decision] = choice.notation
        await self._send(stream, match, decision)

    async def _send(self, stream: Stream, match: str, decision: int) -> None:
        choice = pb.Choice(notation=self.sent[match][decision])
        await stream.send(act=pb.Act(match_id=match, decision_id=decision, actions=[choice]))


async def record_of(port: int, match: str, key: str) -> list[dict[str, Any]]:
    """Return the lines of a record that was checked."""
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub: Any = record_rpc.RecordServiceStub(channel)
        found = await stub.GetRecord(record_pb.GetRecordRequest(match_id=match), timeout=WAIT)
    assert verify(found.record, registry.get, key=key).match == match
    return [json.loads(line) for line in found.record.splitlines()]


@wired
async def test_twenty_matches_outlive_three_kills(tmp_path: Path) -> None:
    home, rng = tmp_path / "home", random.Random(time.time_ns())
    server = Process(home)
    try:
        port = await server.port()
        bots = [Bot(f"bot.{i}", port) for i in range(2 * PAIRS)]
        playing = [asyncio.create_task(bot.play(EACH)) for bot in bots[1::2]]
        for bot, other in zip(bots[::2], bots[1::2], strict=True):
            await eventually(lambda other=other: other.streams > 0, "the opponent is there")  # type: ignore[misc]
            bot.opponent = other.name
            playing.append(asyncio.create_task(bot.play(EACH)))

        def acknowledged() -> int:
            for task in playing:
                if task.done():
                    task.result()  # a bot that failed would keep the others waiting
            return sum(len(decisions) for bot in bots for decisions in bot.accepted.values())

        await eventually(lambda: all(len(bot.seats) == EACH for bot in bots), "all matches have started")
        outages = []
        for _ in range(3):
            until = acknowledged() + rng.randrange(200, 900)
            await eventually(lambda until=until: acknowledged() >= until, f"{until} decisions", 60)  # type: ignore[misc]
            assert any(len(bot.ended) < EACH for bot in bots)
            began = time.monotonic()
            server.kill()
            server = Process(home, port=port)
            await server.port()
            outages.append(time.monotonic() - began)
        async with asyncio.timeout(60):
            await asyncio.gather(*playing)
        key = keys.public_hex(keys.load_or_make(home / "signing.key"))
        matches = {match for bot in bots for match in bot.seats}
        assert len(matches) == PAIRS * EACH
        for match in matches:
            lines = await record_of(port, match, key)
            for bot in (bot for bot in bots if match in bot.seats):
                mine = [line["action"] for line in lines[1:-1] if line["seat"] == bot.seats[match]]
                assert bot.ended[match].kind in BY_THE_GAME
                # What the record has is what was sent, each decision once; and nothing acknowledged is missing.
                assert mine == [bot.sent[match][decision] for decision in range(1, len(mine) + 1)]
                assert len(mine) == len(bot.sent[match])
                assert all(mine[decision - 1] == action for decision, action in bot.accepted[match].items())
                # Answers come at once: whoever had to pay for an outage would be short of most of it.
                assert BASE_MS - min(bot.banks[match]) < min(outages) * 1000 / 2
        assert [bot.faults for bot in bots] == [[]] * len(bots)
        assert all(bot.streams >= 2 for bot in bots)
        assert "Traceback" not in server.said()
        assert '"level": "error"' not in server.said()
    finally:
        server.kill()


@wired
async def test_a_restart_finds_everything_as_it_was_told(tmp_path: Path) -> None:
    home = tmp_path / "home"
    clock = match_pb2.ClockSettings(base_ms=5000, start_grace_ms=60_000, reconnect_grace_ms=30_000)
    server = Process(home)
    channels: list[grpc.aio.Channel] = []

    async def bot(name: str) -> Stream:
        channels.append(grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=(*OWN_CONNECTION, *SOON)))
        stream = Stream(channels[-1], name, wait_for_ready=True)
        await stream.hello()
        return stream

    try:
        port = await server.port()
        one, other = await bot("one"), await bot("other")
        match = await pair(one, other, clock=clock)
        starting = await pair(one, other, clock=clock, begin=False)
        asked, due = await one.decide(match), await other.decide(match)
        accepted = await one.act(asked, 1)
        history = (await other.ask(get_history=pb.GetHistory(match_id=match))).history
        await other.refusal(act=pb.Act(match_id=match, decision_id=1, actions=[pb.Choice(index=10_000)]))
        await one.done(offer_draw=pb.OfferDraw(match_id=match))
        await other.until("draw_offered")
        killed = time.monotonic()
        server.kill()
        for stream in (one, other):
            assert (await stream.end())[0] is grpc.StatusCode.UNAVAILABLE
        server = Process(home, port=port)
        await server.port()
        await eventually(lambda: time.monotonic() - killed > 1.5, "an outage that would be missed from the bank")
        one, other = await bot("one"), await bot("other")
        assert {(seat.match_id, seat.to_act) for seat in one.welcome.seats} == {(match, False), (starting, False)}
        assert {(seat.match_id, seat.to_act) for seat in other.welcome.seats} == {(match, True), (starting, False)}
        # The decision is put anew, with the clock as it stood.
        again = await other.decide(match)
        assert (again.decision_id, again.observation, list(again.legal)) == (1, due.observation, list(due.legal))
        assert (list(again.bank_ms), again.limit_ms, again.illegal_actions) == ([5000, 5000], 5000, 1)
        assert (await other.until("draw_offered")).draw_offered.match_id == match
        assert (await other.ask(get_history=pb.GetHistory(match_id=match))).history == history
        # What was acknowledged is known, and is not taken twice.
        assert await one.act(asked, 1) == accepted
        refused = await one.refusal(act=pb.Act(match_id=match, decision_id=1, actions=[pb.Choice(index=0)]))
        assert refused.reason == pb.REFUSAL_REASON_ALREADY_ANSWERED
        assert refused.played == asked.legal[1].notation
        await other.act(again)
        banks: list[int] = []
        for stream in (one, other):
            banks += (await stream.ask(observe=pb.Observe(match_id=match))).observed.bank_ms
        assert min(banks) > 5000 - 700, "somebody was charged for the outage"
        # A match that had not begun can begin.
        for stream in (one, other):
            started = stream.started[starting]
            assert (started.resumed, started.entropy_wanted) == (True, True)
            await stream.done(entropy=pb.Entropy(match_id=starting, entropy=b"again"))
        await both_decide(one, other, starting)
        for found in (match, starting):
            await one.done(resign=pb.Resign(match_id=found))
            await other.until("match_ended", lambda ended, found=found: ended.match_id == found)  # type: ignore[misc]
            lines = await record_of(port, found, keys.public_hex(keys.load_or_make(home / "signing.key")))
            told = [asked.legal[1].notation, again.legal[0].notation] if found == match else []
            assert [line["action"] for line in lines[1:-1]][: len(told)] == told
    finally:
        server.kill()
        for channel in channels:
            await channel.close()
