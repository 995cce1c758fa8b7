"""The services beside the stream: what they hand out, to whom, and how the server is started and looked at."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import ipaddress
import json
import re
import socket
import stat
import urllib.request
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from lictor.engine import registry
from lictor.engine.record import verify
from lictor.server.edge import watch as watch_edge
from lictor.server.edge.serving import SERVICES, CannotServe, Config, serving
from lictor.server.keys import public_hex
from lictor.server.matches.settings import Limits, Settings
from lictor.server.store import StoreError
from lictor.v1 import (
    account_service_pb2,
    account_service_pb2_grpc,
    catalog_service_pb2,
    catalog_service_pb2_grpc,
    match_pb2,
    record_service_pb2,
    record_service_pb2_grpc,
    watch_service_pb2,
    watch_service_pb2_grpc,
)
from lictor.v1 import play_service_pb2 as pb
from support.wire import (
    BY_THE_GAME,
    GAME,
    KEY,
    OWN_CONNECTION,
    WAIT,
    Evening,
    Stream,
    both_decide,
    evening,
    eventually,
    pair,
    play,
    process,
    wired,
)

PLAY, WATCH, OPERATE, REFEREE = (
    account_service_pb2.SCOPE_PLAY,
    account_service_pb2.SCOPE_WATCH,
    account_service_pb2.SCOPE_OPERATE,
    account_service_pb2.SCOPE_REFEREE,
)
LATE = 300  # events: every match has more of them, and so many are not on their way at once
SHORT = (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 16_384))  # little is on its way to a slow reader


class Desk:
    """The unary services, called with a token."""

    def __init__(self, held: Evening, token: str = "") -> None:
        channel: Any = held.channel()
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self._account: Any = account_service_pb2_grpc.AccountServiceStub(channel)
        self._record: Any = record_service_pb2_grpc.RecordServiceStub(channel)
        self._catalog: Any = catalog_service_pb2_grpc.CatalogServiceStub(channel)
        self._watch: Any = watch_service_pb2_grpc.WatchServiceStub(channel)

    async def _call(self, method: Any, request: Any) -> Any:
        return await method(request, metadata=self._metadata, timeout=WAIT)

    async def account(self, name: str, /, **facts: Any) -> Any:
        request = getattr(account_service_pb2, f"{name}Request")(**facts)
        return await self._call(getattr(self._account, name), request)

    async def records(self, name: str, /, **facts: Any) -> Any:
        request = getattr(record_service_pb2, f"{name}Request")(**facts)
        return await self._call(getattr(self._record, name), request)

    async def catalog(self, name: str, /, **facts: Any) -> Any:
        request = getattr(catalog_service_pb2, f"{name}Request")(**facts)
        return await self._call(getattr(self._catalog, name), request)

    async def matches(self, **facts: Any) -> Any:
        return await self._call(self._watch.ListMatches, watch_service_pb2.ListMatchesRequest(**facts))

    def watch(self, match: str, **facts: Any) -> Any:
        request = watch_service_pb2.WatchRequest(match_id=match, **facts)
        return self._watch.Watch(request, metadata=self._metadata)

    async def token(self, *scopes: Any, **facts: Any) -> tuple[str, str]:
        """Make a token; return its id and secret."""
        made = await self.account("CreateToken", scopes=scopes, **facts)
        return made.token.token_id, made.secret


async def status(call: Any) -> str:
    """Return the status by which a call is refused; its text must say something."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    assert caught.value.details()
    return str(caught.value.code().name)


@asynccontextmanager
async def operated(folder: Path) -> AsyncIterator[tuple[Evening, Desk]]:
    """Serve with accounts, and give the operator's desk."""
    async with evening(folder, dev=False) as held:
        secrets: list[str] = []
        await asyncio.to_thread(held.running.accounts.make_operator, secrets.append)
        (secret,) = secrets
        assert secret is not None
        yield held, Desk(held, secret)


async def settled(desk: Desk, *accounts: str) -> dict[str, str]:
    """Make accounts with a bot of the same name each; return tokens that may play, one a bot."""
    secrets = {}
    for name in accounts:
        await desk.account("CreateAccount", name=name)
        await desk.account("CreateBot", account=name, bot=name)
        secrets[name] = (await desk.token(PLAY, account=name, bot=name))[1]
    return secrets


async def played(held: Evening, one: Stream, other: Stream) -> str:
    """Have two bots play a match to its end."""
    match = await pair(one, other)
    await asyncio.gather(play(one), play(other))
    return match


# --- Catalog ---


@wired
async def test_the_catalog_is_open_to_all(tmp_path: Path) -> None:
    async with operated(tmp_path) as (held, _):
        desk = Desk(held)
        (game,) = (await desk.catalog("ListGames")).games
        assert (game.game, list(game.seats)) == (GAME, ["caesar", "pompey"])
        assert game.notice
        assert game.provenance
        for option in game.options:
            assert option.default_value in option.values
            for value in option.values:
                found = await desk.catalog("GetCatalog", game=GAME, options={option.name: value})
                assert re.fullmatch("[0-9a-f]{64}", found.data)
                assert found.catalog.julius_caesar.spaces
        for options in ({"edition": "9"}, {"colour": "red"}, {"data": "x"}, {"": ""}, {"💥" * 1000: "\0"}):
            assert await status(desk.catalog("GetCatalog", game=GAME, options=options)) == "INVALID_ARGUMENT"
        for name in ("chess", "", "💥" * 10_000):
            assert await status(desk.catalog("GetCatalog", game=name)) == "NOT_FOUND"


@wired
async def test_a_match_is_played_with_the_catalog_it_names(tmp_path: Path) -> None:
    async with evening(tmp_path) as held:
        one, other = await held.bot("one"), await held.bot("other")
        match = await pair(one, other, options={"edition": "1.x"})
        started = one.started[match]
        found = await Desk(held).catalog("GetCatalog", game=started.game, options=started.options)
        assert (found.data, started.options["edition"]) == (started.data, "1.x")


# --- Records and transcripts ---


@wired
async def test_records_open_when_matches_end_and_can_be_checked(tmp_path: Path) -> None:
    async with evening(tmp_path) as held:
        desk, key = Desk(held), public_hex(KEY)
        one, other, third = [await held.bot(name) for name in ("one", "other", "third")]
        match = await pair(one, other)
        assert await status(desk.records("GetRecord", match_id=match)) == "FAILED_PRECONDITION"
        assert await status(desk.records("GetTranscript", match_id=match, seat="caesar")) == "FAILED_PRECONDITION"
        for nothing in ("", "nothing", "💥", match + "\0", "x" * 50_000):
            assert await status(desk.records("GetRecord", match_id=nothing)) == "NOT_FOUND"
            assert await status(desk.records("GetTranscript", match_id=nothing, seat="caesar")) == "NOT_FOUND"
        await asyncio.gather(play(one), play(other))
        matches = [
            match,
            await played(held, other, third),
            await played(held, third, one),
            await played(held, one, other),
        ]
        for found, bot in zip(matches, (one, other, third, one), strict=True):
            record = (await desk.records("GetRecord", match_id=found)).record
            verified = verify(record, registry.get, key=key)
            assert (verified.match, verified.signature) == (found, key)
            secret = json.loads(record.splitlines()[-1])["secret"]
            assert secret == bot.ended[found].secret
        assert await status(desk.records("GetTranscript", match_id=match, seat="sulla")) == "NOT_FOUND"

        async def listed(**wanted: Any) -> list[str]:
            names, page = [], ""
            while True:
                answer = await desk.records("ListRecords", page=page, page_size=1, **wanted)
                assert len(answer.matches) <= 1
                names += [summary.match_id for summary in answer.matches]
                page = answer.next_page
                if not page:
                    return names

        newest = matches[::-1]
        assert await listed() == newest
        assert await listed(game=GAME) == newest
        assert await listed(game="chess") == []
        assert await listed(bot="one") == [match for match in newest if match != matches[1]]
        assert await listed(bot="one", opponent="other") == [matches[3], matches[0]]
        assert await listed(bot="nobody") == []
        whole = await desk.records("ListRecords", page_size=2**32 - 1)
        assert [summary.match_id for summary in whole.matches] == newest
        for summary in whole.matches:
            assert summary.state == match_pb2.MATCH_STATE_FINISHED
            assert summary.termination.kind in BY_THE_GAME
        for page in ("x", "-1", "💥", "9" * 30, "1.5"):
            assert await status(desk.records("ListRecords", page=page)) == "INVALID_ARGUMENT"


@wired
async def test_a_transcript_tells_its_owner_everything_about_the_seat(tmp_path: Path) -> None:
    async with evening(tmp_path) as held:
        one, other = await held.bot("one"), await held.bot("other")
        match = await pair(one, other)
        await both_decide(one, other, match)
        await one.refusal(act=pb.Act(match_id=match, decision_id=1, actions=[pb.Choice(index=10_000)]))
        await one.act(one.decides[match], note=pb.Note(text="so be it", win_chance=0.25))
        one.call.cancel()
        await eventually(lambda: "one" not in held.running.house.sessions, "one has left")
        one = await held.bot("one", client="test 1.0", version="7")
        await asyncio.gather(play(one), play(other))
        desk = Desk(held)
        found = (await desk.records("GetTranscript", match_id=match, seat="caesar")).transcript
        lines = [json.loads(line) for line in found.splitlines()]
        assert [line["at"] for line in lines] == sorted(line["at"] for line in lines)
        kinds = {kind: [line for line in lines if line["kind"] == kind] for kind in {line["kind"] for line in lines}}
        record = [json.loads(line) for line in (await held.record(match)).splitlines()[1:-1]]
        mine = [line for line in record if line["seat"] == "caesar"]
        assert [line["action"] for line in kinds["decision"]] == [line["action"] for line in mine]
        assert [line["decision"] for line in kinds["decision"]] == list(range(1, len(mine) + 1))
        assert all(
            line[time] >= 0 for line in kinds["decision"] for time in ("think_ms", "wire_ms", "server_ms", "bank")
        )
        (refused,) = kinds["refused"]
        assert (refused["reason"], refused["decision"]) == ("illegal_action", 1)
        (note,) = kinds["note"]
        assert (note["text"], note["win_chance"], note["decision"]) == ("so be it", 0.25, 1)
        assert kinds["disconnected"]
        assert (kinds["connected"][-1]["client"], kinds["connected"][-1]["version"]) == ("test 1.0", "7")
        theirs = (await desk.records("GetTranscript", match_id=match, seat="pompey")).transcript
        assert b"so be it" not in theirs


@pytest.mark.parametrize("kind", ["malformed", "entropy", "draw"])
def test_a_transcript_has_every_refusal_of_its_seat(tmp_path: Path, kind: str) -> None:
    """`GetTranscript`: "every decision with its times, refusals in full, ..."."""

    @wired
    async def run() -> None:
        async with evening(tmp_path) as held:
            one, other = await held.bot("one"), await held.bot("other")
            match = await pair(one, other)
            await both_decide(one, other, match)
            messages: dict[str, dict[str, Any]] = {
                "malformed": {"act": pb.Act(match_id=match, decision_id=1)},
                "entropy": {"entropy": pb.Entropy(match_id=match, entropy=b"late")},
                "draw": {"answer_draw": pb.AnswerDraw(match_id=match, accept=True)},
            }
            refused = await one.refusal(**messages[kind])
            await one.done(resign=pb.Resign(match_id=match))
            await one.until("match_ended")
            found = (await Desk(held).records("GetTranscript", match_id=match, seat="caesar")).transcript
            lines = [json.loads(line) for line in found.splitlines()]
            assert [line["text"] for line in lines if line["kind"] == "refused"] == [refused.text]

    run()


@wired
async def test_a_refusal_in_a_transcript_has_its_field(tmp_path: Path) -> None:
    async with evening(tmp_path) as held:
        one, other = await held.bot("one"), await held.bot("other")
        match = await pair(one, other)
        await both_decide(one, other, match)
        refused = await one.refusal(act=pb.Act(match_id=match, decision_id=1, actions=[pb.Choice(index=10_000)]))
        await one.done(resign=pb.Resign(match_id=match))
        await one.until("match_ended")
        found = (await Desk(held).records("GetTranscript", match_id=match, seat="caesar")).transcript
        (line,) = [json.loads(line) for line in found.splitlines() if b"refused" in line]
        assert line["field"] == refused.field


@wired
async def test_a_transcript_is_for_its_owner_only(tmp_path: Path) -> None:
    async with operated(tmp_path) as (held, desk):
        secrets = await settled(desk, "ann", "ben")
        one, other = held.stream("ann"), held.stream("ben")
        for bot in (one, other):
            await bot.hello(token=secrets[bot.name])
        match = await played(held, one, other)
        whole = (await desk.token(PLAY, account="ann"))[1]
        referee = (await desk.token(REFEREE, account="ben"))[1]
        await desk.account("CreateBot", account="ann", bot="ann.2")
        sibling = (await desk.token(PLAY, account="ann", bot="ann.2"))[1]
        operator = (await desk.token(OPERATE, account="operator"))[1]
        wanted = {"match_id": match, "seat": "caesar"}
        for secret in (secrets["ann"], whole, referee):
            assert (await Desk(held, secret).records("GetTranscript", **wanted)).transcript
        for secret in (secrets["ben"], sibling, operator):
            assert await status(Desk(held, secret).records("GetTranscript", **wanted)) == "PERMISSION_DENIED"
        assert await status(Desk(held).records("GetTranscript", **wanted)) == "UNAUTHENTICATED"
        assert await status(Desk(held).records("GetRecord", match_id=match)) == "UNAUTHENTICATED"
        assert await status(Desk(held).records("ListRecords")) == "UNAUTHENTICATED"


@wired
async def test_a_token_that_may_only_watch_reads_no_transcript(tmp_path: Path) -> None:
    """`GetTranscript`: "Scope "play": the own bot's seats; "referee": all." And SCOPE_WATCH has no transcripts."""
    async with operated(tmp_path) as (held, desk):
        secrets = await settled(desk, "ann", "ben")
        one, other = held.stream("ann"), held.stream("ben")
        for bot in (one, other):
            await bot.hello(token=secrets[bot.name])
        match = await pair(one, other)
        await one.done(resign=pb.Resign(match_id=match))
        await one.until("match_ended")
        watcher = Desk(held, (await desk.token(WATCH, account="ann"))[1])
        assert await status(watcher.records("GetTranscript", match_id=match, seat="caesar")) == "PERMISSION_DENIED"


# --- Watching ---


async def feed(call: Any) -> list[Any]:
    """Read a feed to its end."""
    messages = []
    async with asyncio.timeout(WAIT):
        while (message := await call.read()) is not grpc.aio.EOF:
            messages.append(message)
    return messages


def watching(held: Evening) -> float | None:
    return held.running.house.metrics.registry.get_sample_value("lictor_watchers")


def numbers(messages: Iterable[Any], start: int) -> int:
    """Return the number of the last event, and see that none is left out."""
    for message in messages:
        if message.WhichOneof("message") == "events":
            assert message.events.first == start + 1
            assert len(message.events.words) == len(message.events.events)
            start += len(message.events.events)
    return start


@wired
async def test_spectators_see_the_same_from_a_keyframe_to_the_end(tmp_path: Path) -> None:
    async with evening(tmp_path) as held:
        one, other = await held.bot("one"), await held.bot("other")
        match = await pair(one, other)
        await both_decide(one, other, match)
        desks = [Desk(held) for _ in range(3)]
        calls = [desk.watch(match) for desk in desks]
        keyframes = [await call.read() for call in calls]
        for frame in keyframes:
            assert frame == keyframes[0]
            assert (frame.keyframe.match.match_id, frame.keyframe.skipped) == (match, 0)
            assert frame.keyframe.HasField("observation")
        reading = [asyncio.create_task(feed(call)) for call in calls]
        await asyncio.gather(play(one), play(other))
        feeds = await asyncio.gather(*reading)
        assert feeds[0] == feeds[1] == feeds[2]
        last = numbers(feeds[0], keyframes[0].keyframe.events)
        assert last > 100
        ended = feeds[0][-1].ended
        assert ended.termination == one.ended[match].termination
        assert ended.HasField("observation")
        assert all(message.WhichOneof("message") == "events" for message in feeds[0][:-1])
        (late,) = await feed(desks[0].watch(match))
        assert late.ended.termination == ended.termination
        for nothing in ("", "nothing", match + " ", "💥"):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await feed(desks[0].watch(nothing))
            assert caught.value.code() is grpc.StatusCode.NOT_FOUND


async def play_until(one: Stream, other: Stream, match: str, events: int) -> int:
    """Play on, with the last action of each list, until so many events have been seen; return how many they are."""
    while True:
        for bot in (one, other):
            decide = bot.decides.get(match)
            if decide is not None and decide.decision_id > bot.answered.get(match, 0):
                await bot.act(decide, len(decide.legal) - 1)
        # The answer comes behind whatever Decide there is.
        for bot in (one, other):
            seen = (await bot.ask(observe=pb.Observe(match_id=match))).observed.events
        if seen >= events:
            return seen


@wired
async def test_a_spectator_goes_on_after_any_number(tmp_path: Path) -> None:
    async with evening(tmp_path) as held:
        one, other = await held.bot("one"), await held.bot("other")
        match = await pair(one, other)
        await both_decide(one, other, match)
        collecting = asyncio.create_task(feed(Desk(held).watch(match, resume=True)))
        late: list[tuple[int, Any]] = []
        for wanted in (20, 60, 100, 140, 180):
            shown = await play_until(one, other, match, events=wanted)
            late.append((shown // 2, Desk(held).watch(match, resume=True, after=shown // 2)))
        await one.done(resign=pb.Resign(match_id=match))
        got = await collecting
        assert got[-1].WhichOneof("message") == "ended"
        last = numbers(got, 0)
        events = [event for message in got for event in message.events.events]
        for after, call in late:
            part = await feed(call)
            assert part[0].WhichOneof("message") == "events"
            assert numbers(part, after) == last
            assert [event for message in part for event in message.events.events] == events[after:]


@wired
async def test_a_slow_spectator_slows_nobody_and_gets_a_keyframe_with_what_it_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`Keyframe.skipped`: "How many events were left out before this keyframe because the reader was too slow"."""
    monkeypatch.setattr(watch_edge, "QUEUE", 4)
    async with evening(tmp_path) as held:
        one, other = await held.bot("one"), await held.bot("other")
        match = await pair(one, other)
        await both_decide(one, other, match)
        slow = watch_service_pb2_grpc.WatchServiceStub(held.channel(*SHORT))
        call: Any = slow.Watch(watch_service_pb2.WatchRequest(match_id=match, resume=True))
        await eventually(lambda: watching(held) == 1, "somebody watches")
        await play_until(one, other, match, events=LATE)
        last = 0
        async with asyncio.timeout(WAIT):
            while (message := await call.read()).WhichOneof("message") == "events":
                last = numbers([message], last)
        frame = message.keyframe
        assert frame.events > last
        assert frame.skipped == frame.events - last
        await one.done(resign=pb.Resign(match_id=match))
        assert (await feed(call))[-1].WhichOneof("message") == "ended"


@pytest.mark.parametrize("over", [False, True], ids=["while the match goes on", "when it is over"])
def test_a_spectator_that_stops_reading_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, over: bool) -> None:
    """As `Watch` promises: "one that stops reading is dropped with RESOURCE_EXHAUSTED"."""
    monkeypatch.setattr(watch_edge, "QUEUE", 4)
    monkeypatch.setattr(watch_edge, "LOST", 1_000_000 if over else 3)  # messages missed
    monkeypatch.setattr(watch_edge, "FLUSH_S", 0.3)  # how long the end of a match waits for a reader

    @wired
    async def run() -> None:
        async with evening(tmp_path) as held:
            one, other = await held.bot("one"), await held.bot("other")
            match = await pair(one, other)
            await both_decide(one, other, match)
            deaf = watch_service_pb2_grpc.WatchServiceStub(held.channel(*SHORT))
            call: Any = deaf.Watch(watch_service_pb2.WatchRequest(match_id=match, resume=True))
            await eventually(lambda: watching(held) == 1, "somebody watches")
            await play_until(one, other, match, events=LATE)
            if over:
                await one.done(resign=pb.Resign(match_id=match))
            await eventually(lambda: watching(held) == 0, "the reader that does not read is let go", 20)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await feed(call)
            assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED

    run()


class Deaf:
    """A context whose other side reads nothing."""

    async def write(self, data: bytes) -> None:
        await asyncio.Event().wait()


@wired
async def test_a_feed_may_be_cut_off_twice_at_once(tmp_path: Path) -> None:
    """Two events in one commit, or a revoked token and a slow reader: the reader must still be told why."""
    async with evening(tmp_path) as held:
        one, other = await held.bot("one"), await held.bot("other")
        feed_ = watch_edge.Feed(held.running.house.matches[await pair(one, other)])
        pumping = asyncio.create_task(feed_.pump(Deaf()))
        await asyncio.sleep(0)
        for _ in range(2):
            feed_.cut(grpc.StatusCode.RESOURCE_EXHAUSTED, "too slow")
        await asyncio.wait([pumping], timeout=WAIT)
        assert not pumping.cancelled()
        assert feed_.end_text == (grpc.StatusCode.RESOURCE_EXHAUSTED, "too slow")


@wired
async def test_matches_are_listed_with_what_is_public(tmp_path: Path) -> None:
    async with evening(tmp_path) as held:
        desk = Desk(held)
        one, other = await held.bot("one", version="1.0"), await held.bot("other")
        over = await pair(one, other)
        await one.done(resign=pb.Resign(match_id=over))
        await one.until("match_ended")
        running, starting = await pair(one, other), await pair(one, other, begin=False)
        await one.decide(running)
        found = {summary.match_id: summary for summary in (await desk.matches()).matches}
        assert list(found) == [starting, running, over]
        states = [match_pb2.MATCH_STATE_STARTING, match_pb2.MATCH_STATE_RUNNING, match_pb2.MATCH_STATE_FINISHED]
        assert [summary.state for summary in found.values()] == states
        assert [(seat.seat, seat.bot, seat.version) for seat in found[over].seats] == [
            ("caesar", "one", "1.0"),
            ("pompey", "other", ""),
        ]
        for state, match in zip(states, (starting, running, over), strict=True):
            assert [summary.match_id for summary in (await desk.matches(state=state)).matches] == [match]
        assert len((await desk.matches(bot="one")).matches) == 3
        assert not (await desk.matches(bot="nobody")).matches
        assert not (await desk.matches(game="chess")).matches
        assert await status(desk.matches(page="💥")) == "INVALID_ARGUMENT"
        # One seat's secret decision does not show.
        await one.act(one.decides[running])
        summary = next(summary for summary in (await desk.matches()).matches if summary.match_id == running)
        assert summary.public_actions == 0


@pytest.mark.parametrize("page_size", [1, 2, 3, 4])
def test_every_open_match_is_on_some_page_of_the_list(tmp_path: Path, page_size: int) -> None:
    @wired
    async def run() -> None:
        async with evening(tmp_path) as held:
            desk = Desk(held)
            one, other = await held.bot("one"), await held.bot("other")
            over = await pair(one, other)
            await one.done(resign=pb.Resign(match_id=over))
            await one.until("match_ended")
            matches = [over] + [await pair(one, other) for _ in range(3)]
            for match in matches[1:]:
                await one.decide(match)
            for state, wanted in (
                (match_pb2.MATCH_STATE_UNSPECIFIED, matches),
                (match_pb2.MATCH_STATE_RUNNING, matches[1:]),
            ):
                seen: list[str] = []
                page = ""
                for _ in range(5):
                    answer = await desk.matches(page_size=page_size, page=page, state=state)
                    assert len(answer.matches) <= page_size
                    seen += [summary.match_id for summary in answer.matches]
                    page = answer.next_page
                    if not page:
                        break
                assert seen == wanted[::-1]

    run()


@wired
async def test_a_page_goes_on_though_the_match_it_went_on_from_has_ended(tmp_path: Path) -> None:
    async with evening(tmp_path) as held:
        desk = Desk(held)
        one, other = await held.bot("one"), await held.bot("other")
        first, second, third = [await pair(one, other) for _ in range(3)]
        answer = await desk.matches(page_size=1)
        assert [summary.match_id for summary in answer.matches] == [third]
        await one.done(resign=pb.Resign(match_id=third))
        await one.until("match_ended")
        seen: list[str] = []
        while answer.next_page and len(seen) < 5:
            answer = await desk.matches(page_size=1, page=answer.next_page)
            seen += [summary.match_id for summary in answer.matches]
        assert [match for match in seen if match != third] == [second, first]


@wired
async def test_watching_needs_the_scope(tmp_path: Path) -> None:
    async with operated(tmp_path) as (held, desk):
        secrets = await settled(desk, "ann")
        for secret, refused in (("", "UNAUTHENTICATED"), (secrets["ann"], "PERMISSION_DENIED")):
            assert await status(Desk(held, secret).matches()) == refused
            assert await status(feed(Desk(held, secret).watch("x"))) == refused
        watcher = Desk(held, (await desk.token(WATCH, account="ann"))[1])
        assert not (await watcher.matches()).matches


# --- Accounts ---


@wired
async def test_an_operator_makes_accounts_bots_and_tokens(tmp_path: Path) -> None:
    async with operated(tmp_path) as (_, desk):
        mine = await desk.account("GetAccount")
        assert mine.account.name == mine.token.account == "operator"
        assert sorted(mine.token.scopes) == [PLAY, WATCH, OPERATE, REFEREE]
        for name in ("ann", "ben", "x" * 40, "-._"):
            assert (await desk.account("CreateAccount", name=name)).account.name == name
        for name in ("", "a b", "x" * 41, "ä", "a\n", "💥", "../x", "a/b"):
            assert await status(desk.account("CreateAccount", name=name)) == "INVALID_ARGUMENT"
            assert await status(desk.account("CreateBot", account="ann", bot=name)) == "INVALID_ARGUMENT"
        assert await status(desk.account("CreateAccount", name="ann")) in ("ALREADY_EXISTS", "INVALID_ARGUMENT")
        assert (await desk.account("CreateBot", account="ann", bot="a1")).account.bots == ["a1"]
        assert await status(desk.account("CreateBot", account="ben", bot="a1")) in (
            "ALREADY_EXISTS",
            "INVALID_ARGUMENT",
        )
        assert await status(desk.account("CreateBot", account="nobody", bot="n1")) in ("NOT_FOUND", "INVALID_ARGUMENT")
        names, page = [], ""
        while True:
            answer = await desk.account("ListAccounts", page_size=2, page=page)
            names += [account.name for account in answer.accounts]
            page = answer.next_page
            if not page:
                break
        assert names == sorted(["ann", "ben", "x" * 40, "-._", "operator"])
        made = await desk.account("CreateToken", account="ann", bot="a1", scopes=[PLAY, PLAY], expires_after_s=60)
        assert list(made.token.scopes) == [PLAY]
        assert made.token.expires_unix_ms > 1.7e12
        assert made.secret
        listed = (await desk.account("ListTokens", account="ann")).tokens
        assert [token.token_id for token in listed] == [made.token.token_id]
        assert made.secret not in str(listed)
        for wrong in (
            {"account": "ann", "scopes": []},
            {"account": "ann", "scopes": [account_service_pb2.SCOPE_UNSPECIFIED]},
            {"account": "ann", "scopes": [99]},
        ):
            assert await status(desk.account("CreateToken", **wrong)) == "INVALID_ARGUMENT"
        database = (tmp_path / "lictor.db").read_bytes() + (tmp_path / "lictor.db-wal").read_bytes()
        assert made.secret.encode() not in database


@wired
async def test_a_token_does_what_its_scope_says_and_no_more(tmp_path: Path) -> None:
    async with operated(tmp_path) as (held, desk):
        secrets = await settled(desk, "ann", "ben")
        owner = Desk(held, (await desk.token(PLAY, account="ann"))[1])
        bound = Desk(held, secrets["ann"])
        other = await desk.token(PLAY, account="ben")
        for caller in (owner, bound, Desk(held, (await desk.token(WATCH, REFEREE, account="ann"))[1])):
            assert await status(caller.account("CreateAccount", name="new")) == "PERMISSION_DENIED"
            assert await status(caller.account("ListAccounts")) == "PERMISSION_DENIED"
            assert await status(caller.account("CreateBot", account="ben", bot="b9")) == "PERMISSION_DENIED"
            assert await status(caller.account("CreateToken", account="ben", scopes=[PLAY])) == "PERMISSION_DENIED"
            assert await status(caller.account("ListTokens", account="ben")) == "PERMISSION_DENIED"
            # Not even whether there is such a token.
            theirs = await status(caller.account("RevokeToken", token_id=other[0]))
            assert theirs == await status(caller.account("RevokeToken", token_id="0123456789ab"))
        calls: dict[str, dict[str, Any]] = {
            "CreateBot": {"bot": "a9"},
            "CreateToken": {"scopes": [PLAY]},
            "ListTokens": {},
        }
        for call, facts in calls.items():
            assert await status(bound.account(call, **facts)) == "PERMISSION_DENIED"
        assert (await owner.account("CreateBot", bot="a2")).account.name == "ann"
        for wide in (WATCH, OPERATE, REFEREE):
            assert await status(owner.account("CreateToken", scopes=[PLAY, wide])) == "PERMISSION_DENIED"
        made, secret = await owner.token(PLAY, bot="a2")
        assert (await held.stream("a2").hello(token=secret)).bot == "a2"
        assert (await owner.account("RevokeToken", token_id=made)).token.revoked
        assert await status(Desk(held, secret).account("GetAccount")) == "UNAUTHENTICATED"


@wired
async def test_no_token_can_be_made_with_a_scope_its_maker_does_not_have(tmp_path: Path) -> None:
    """As `CreateToken` promises. An operator who may not see everything must not make himself one who may."""
    async with operated(tmp_path) as (held, desk):
        clerk = Desk(held, (await desk.token(OPERATE, account="operator"))[1])
        for scope in (REFEREE, PLAY, WATCH):
            assert await status(clerk.account("CreateToken", scopes=[scope])) == "PERMISSION_DENIED"


@wired
async def test_an_unknown_token_or_account_is_not_found(tmp_path: Path) -> None:
    """STYLE.md: unknown id NOT_FOUND."""
    async with operated(tmp_path) as (_, desk):
        assert await status(desk.account("RevokeToken", token_id="nothing")) == "NOT_FOUND"
        assert await status(desk.account("ListTokens", account="nobody")) == "NOT_FOUND"
        assert await status(desk.account("CreateBot", account="nobody", bot="n1")) == "NOT_FOUND"
        assert await status(desk.account("CreateToken", account="nobody", scopes=[PLAY])) == "NOT_FOUND"
        assert await status(desk.account("CreateToken", bot="nobody", scopes=[PLAY])) == "NOT_FOUND"


@wired
async def test_a_revoked_token_is_worthless_at_once(tmp_path: Path) -> None:
    async with operated(tmp_path) as (held, desk):
        await settled(desk, "ann", "ben")
        made, secret = await desk.token(PLAY, WATCH, account="ann", bot="ann")
        bot, other = held.stream("ann"), held.stream("ben")
        await bot.hello(token=secret)
        await other.hello(token=(await desk.token(PLAY, account="ben", bot="ben"))[1])
        match = await pair(bot, other)
        await both_decide(bot, other, match)
        await desk.account("RevokeToken", token_id=made)
        assert (await bot.end())[0] is grpc.StatusCode.UNAUTHENTICATED
        assert (await other.act(other.decides[match])).applied == 1
        again = held.stream("ann")
        await again.send(hello=again.introduction(token=secret))
        assert (await again.next()).refused.reason == pb.REFUSAL_REASON_UNAUTHENTICATED
        new = held.stream("ann")
        await new.hello(token=(await desk.token(PLAY, account="ann", bot="ann"))[1])
        assert (await new.act(await new.decide(match))).applied == 1


@pytest.mark.parametrize("how", ["revoked", "superseded"])
def test_a_stream_that_has_lost_its_seats_plays_no_more_though_it_does_not_read(tmp_path: Path, how: str) -> None:
    """The writer of a bot that does not read cannot finish; its reader must not go on taking what it says."""

    @wired
    async def run() -> None:
        async with operated(tmp_path) as (held, desk):
            secrets = await settled(desk, "ann", "ben")
            made, secret = await desk.token(PLAY, account="ann", bot="ann")
            deaf, other = held.stream("ann", *SHORT), held.stream("ben")
            await deaf.hello(token=secret)
            await other.hello(token=secrets["ben"])
            match = await pair(deaf, other)
            await both_decide(deaf, other, match)
            for _ in range(200):  # enough to stop the writer, not enough to fill the queue
                await deaf.send(observe=pb.Observe(match_id=match))
            if how == "revoked":
                await desk.account("RevokeToken", token_id=made)
            else:
                await held.stream("ann").hello(token=secrets["ann"])
            with contextlib.suppress(grpc.aio.AioRpcError):  # it may be closed already
                await deaf.send(resign=pb.Resign(match_id=match))
            await deaf.end()
            open_ = await desk.matches(state=match_pb2.MATCH_STATE_RUNNING)
            assert [summary.match_id for summary in open_.matches] == [match]

    run()


@wired
async def test_a_feed_that_was_opened_with_a_revoked_token_is_closed(tmp_path: Path) -> None:
    """As `RevokeToken` promises: "streams opened with it are closed"."""
    async with operated(tmp_path) as (held, desk):
        secrets = await settled(desk, "ann", "ben")
        bot, other = held.stream("ann"), held.stream("ben")
        for stream in (bot, other):
            await stream.hello(token=secrets[stream.name])
        match = await pair(bot, other)
        made, secret = await desk.token(WATCH, account="ann")
        call = Desk(held, secret).watch(match)
        await call.read()
        await desk.account("RevokeToken", token_id=made)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            async with asyncio.timeout(20):
                await call.read()
        assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED


@wired
async def test_metadata_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    async with operated(tmp_path) as (held, _):
        stub: Any = account_service_pb2_grpc.AccountServiceStub(held.channel())
        for value in ("", "Bearer", "Bearer ", "Basic abc", "token", "Bearer  x", "bearer " + "x" * 2000):
            call = stub.GetAccount(
                account_service_pb2.GetAccountRequest(), metadata=(("authorization", value),), timeout=WAIT
            )
            assert await status(call) == "UNAUTHENTICATED"
        twice = (("authorization", "Bearer a"), ("authorization", "Bearer b"))
        request = account_service_pb2.GetAccountRequest()
        assert await status(stub.GetAccount(request, metadata=twice, timeout=WAIT)) == "UNAUTHENTICATED"


@pytest.mark.parametrize("method", ["AccountService/GetAccount", "CatalogService/GetCatalog", "WatchService/Watch"])
def test_bytes_that_are_no_request_are_refused_without_a_traceback(tmp_path: Path, method: str) -> None:
    """STYLE.md: malformed INVALID_ARGUMENT. Anybody can send such bytes, so nothing may be logged as an error."""

    @wired
    async def run() -> None:
        async with evening(tmp_path) as held:
            raw: Any = held.channel().unary_unary(f"/lictor.v1.{method}")
            assert await status(raw(b"\xff\xff", timeout=WAIT)) == "INVALID_ARGUMENT"

    run()


@pytest.mark.parametrize("service", ["play", "watch"])
def test_a_reader_that_hangs_up_in_the_middle_leaves_no_traceback(
    tmp_path: Path, service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write is under way when the connection goes: the log says nothing that looks like a mistake of ours."""
    monkeypatch.setattr(watch_edge, "QUEUE", 4)

    @wired
    async def run() -> None:
        settings = Settings(limits=Limits(queue=1_000_000, messages_per_s=100_000, messages_burst=100_000))
        async with evening(tmp_path, settings=settings) as held:
            one, other = await held.bot("one"), await held.bot("other")
            match = await pair(one, other)
            await both_decide(one, other, match)
            channel = held.channel(*SHORT)
            if service == "watch":
                stub: Any = watch_service_pb2_grpc.WatchServiceStub(channel)
                call = stub.Watch(watch_service_pb2.WatchRequest(match_id=match, resume=True))
                await eventually(lambda: watching(held) == 1, "somebody watches")
                await play_until(one, other, match, events=LATE)
            else:
                deaf = Stream(channel, "one")
                await deaf.hello()
                call = deaf.call
                for _ in range(300):
                    await deaf.send(observe=pb.Observe(match_id=match))
                await other.ask(ping=pb.Ping(nonce=1))
            await channel.close()
            await eventually(lambda: watching(held) == 0, "the spectator has left")
            await eventually(lambda: service == "watch" or "one" not in held.running.house.sessions, "the bot has left")
            assert call.done()

    run()


# --- The server as a whole ---


@wired
async def test_health_and_reflection_know_the_services(tmp_path: Path) -> None:
    async with evening(tmp_path) as held:
        healthy: Any = health_pb2_grpc.HealthStub(held.channel())
        for service in ("", *SERVICES):
            answer = await healthy.Check(health_pb2.HealthCheckRequest(service=service), timeout=WAIT)
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        stub: Any = reflection_pb2_grpc.ServerReflectionStub(held.channel())  # type: ignore[arg-type]
        call = stub.ServerReflectionInfo(iter([reflection_pb2.ServerReflectionRequest(list_services="")]), timeout=WAIT)
        listed = {service.name for service in (await call.read()).list_services_response.service}
        assert listed >= {*SERVICES, "grpc.health.v1.Health"}


@wired
async def test_the_metrics_page_counts_and_names_nobody(tmp_path: Path) -> None:
    async with evening(tmp_path, metrics_address="127.0.0.1:0") as held:
        one, other = await held.bot("secretive.1"), await held.bot("secretive.2")
        match = await played(held, one, other)
        await one.refusal(cancel=pb.Cancel(id="x"))
        url = f"http://127.0.0.1:{held.running.metrics_port}/metrics"
        page = await asyncio.to_thread(lambda: urllib.request.urlopen(url, timeout=WAIT).read().decode())
        samples = [line for line in page.splitlines() if line and not line.startswith("#")]
        values = {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in samples}
        assert sum(value for name, value in values.items() if name.startswith("lictor_matches_total{")) == 1
        assert values['lictor_decisions_total{game="julius_caesar"}'] > 100
        assert values['lictor_refusals_total{reason="unknown_id"}'] == 1
        assert values["lictor_matches_running"] == 0
        assert values["lictor_streams"] == 2
        labels = {pair.split("=")[0] for name in values for pair in re.findall(r'\w+="', name)}
        assert labels <= {"game", "ending", "reason", "part", "le"}
        for secret in (match, "secretive"):
            assert secret not in page


@dataclass(frozen=True)
class Throwaway:
    certificate: Path
    private_key: Path


def throwaway(folder: Path) -> Throwaway:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    made = Throwaway(folder / "cert.pem", folder / "key.pem")
    made.certificate.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    form = serialization.PrivateFormat.PKCS8
    made.private_key.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()))
    return made


@wired
async def test_a_match_is_played_over_tls(tmp_path: Path) -> None:
    files = throwaway(tmp_path)
    async with evening(tmp_path, certificate=files.certificate, private_key=files.private_key) as held:
        credentials = grpc.ssl_channel_credentials(files.certificate.read_bytes())
        channels = [grpc.aio.secure_channel(held.address, credentials, options=OWN_CONNECTION) for _ in range(2)]
        held.channels += channels
        one, other = Stream(channels[0], "one"), Stream(channels[1], "other")
        for bot in (one, other):
            await bot.hello()
        await played(held, one, other)
        plain = held.stream("plain")
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await plain.hello()
        assert caught.value.code() is grpc.StatusCode.UNAVAILABLE


@wired
async def test_a_certificate_that_is_none_is_said_to_be_none(tmp_path: Path) -> None:
    files = throwaway(tmp_path)
    files.certificate.write_text("nonsense")
    with pytest.raises(CannotServe, match="certificate"):
        async with serving(
            Config(tmp_path / "x.db", "127.0.0.1:0", certificate=files.certificate, private_key=files.private_key)
        ):
            pass


@wired
async def test_a_server_that_cannot_start_says_why_and_lets_go(tmp_path: Path) -> None:
    for address in ("0.0.0.0:0", "[::]:0", "192.0.2.1:0", "example.org:0", ":0"):
        with pytest.raises(CannotServe, match="loopback"):
            async with serving(Config(tmp_path / "x.db", address, dev=True)):
                pass
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(CannotServe, match=re.escape(address)):
            async with serving(Config(tmp_path / "x.db", address)):
                pass
        with pytest.raises(CannotServe, match=re.escape(address)):
            async with serving(Config(tmp_path / "x.db", "127.0.0.1:0", metrics_address=address)):
                pass
    async with serving(Config(tmp_path / "x.db", "127.0.0.1:0")):
        with pytest.raises(StoreError, match="another server"):
            async with serving(Config(tmp_path / "x.db", "127.0.0.1:0")):
                pass
    async with serving(Config(tmp_path / "x.db", "127.0.0.1:0")):
        pass


@wired
async def test_the_first_start_writes_the_operators_token(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with process(home, dev=False) as server:
        port = await server.port()
        token = home / "operator.token"
        assert stat.S_IMODE(token.stat().st_mode) == 0o600
        assert stat.S_IMODE((home / "signing.key").stat().st_mode) == 0o600
        assert stat.S_IMODE(home.stat().st_mode) == 0o700
        secret = token.read_text().strip()
        assert str(token) in server.said()
        assert secret not in server.said()
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            stub: Any = account_service_pb2_grpc.AccountServiceStub(channel)
            metadata = (("authorization", f"Bearer {secret}"),)
            request = account_service_pb2.CreateAccountRequest(name="ann")
            assert (await stub.CreateAccount(request, metadata=metadata, timeout=WAIT)).account.name == "ann"
        with process(home, dev=False) as second:
            assert await second.ended() == 1
            assert "another server" in second.said()
            assert "Traceback" not in second.said()
        with process(tmp_path / "elsewhere", port=port) as third:
            assert await third.ended() == 1
            assert str(port) in third.said()
            assert "Traceback" not in third.said()
        with process(tmp_path / "open", "--address", "0.0.0.0:0") as fourth:
            assert await fourth.ended() == 1
            assert "loopback" in fourth.said()
            assert "Traceback" not in fourth.said()
