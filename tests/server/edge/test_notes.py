"""Notes over the wire: what is refused, what is kept, and who can have it when."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from prometheus_client import generate_latest

from lictor.server.cli import main
from lictor.v1 import account_service_pb2 as accounts_pb2
from lictor.v1 import account_service_pb2_grpc as accounts_rpc
from lictor.v1 import play_service_pb2 as pb
from lictor.v1 import watch_service_pb2 as watch_pb
from lictor.v1 import watch_service_pb2_grpc as watch_rpc
from support.wire import WAIT, Evening, Stream, both_decide, choose, evening, pair, play, wired

ROME = "at legio_2 rome"
SECRET = "hand pompey 27"  # a claim, which must not be heard of


def belief(claim: str = ROME, probability: float | None = 0.5) -> pb.Belief:
    return pb.Belief(claim=claim, probability=probability)


async def a_match(held: Evening) -> tuple[Stream, Stream, str]:
    one, other = await held.bot("one"), await held.bot("other")
    match = await pair(one, other)
    await both_decide(one, other, match)
    return one, other, match


def lictor(*words: object) -> Result:
    return CliRunner(env={"LICTOR_TOKEN": ""}).invoke(main, [str(word) for word in words])


async def command(*words: object) -> Result:
    """Type a command while the server runs here."""
    return await asyncio.to_thread(lictor, *words)


# --- What is refused ---


BAD: dict[str, tuple[list[pb.Belief], str]] = {
    "too many": ([belief(f"claim {n}") for n in range(201)], "act.note.beliefs"),
    "no claim": ([belief(), belief("")], "act.note.beliefs[1].claim"),
    "too long": ([belief(), belief(), belief("x" * 81)][1:], "act.note.beliefs[1].claim"),
    "no ASCII": ([belief("at légio rome")], "act.note.beliefs[0].claim"),
    "a line end": ([belief("at legio_2\nrome")], "act.note.beliefs[0].claim"),
    "a zero": ([belief("at\0")], "act.note.beliefs[0].claim"),
    "twice": ([belief(), belief("hand pompey 7"), belief(probability=0.4)], "act.note.beliefs[2].claim"),
    "none": ([belief(probability=None)], "act.note.beliefs[0].probability"),
    "not a number": ([belief("a"), belief("b", float("nan"))], "act.note.beliefs[1].probability"),
    "infinite": ([belief(probability=float("inf"))], "act.note.beliefs[0].probability"),
    "below": ([belief(probability=-0.001)], "act.note.beliefs[0].probability"),
    "beyond": ([belief(probability=1.001)], "act.note.beliefs[0].probability"),
}


@wired
async def test_a_belief_out_of_bounds_is_refused_with_its_field_and_nothing_happens(tmp_path: Path) -> None:
    async with evening(tmp_path) as held:
        one, other, match = await a_match(held)
        for beliefs, field in BAD.values():
            refused = await one.refusal(act=choose(one.decides[match], note=pb.Note(text="x", beliefs=beliefs)))
            assert (pb.RefusalReason.Name(refused.reason), refused.field) == ("REFUSAL_REASON_MALFORMED", field)
            assert (refused.match_id, refused.decision_id) == (match, 1)
            assert not refused.HasField("illegal_actions_left")
        found = held.running.house.matches[match]
        assert (found.chairs["caesar"].strikes, len(found.chairs["caesar"].played)) == (0, 0)
        assert (await one.act(one.decides[match])).applied == 1
        await other.act(other.decides[match])
        assert (await one.decide(match, 1)).illegal_actions == 0


@wired
async def test_a_note_as_full_as_it_may_be_is_kept(tmp_path: Path) -> None:
    claims = {f"{n:03}" + "x" * 77: n / 199 for n in range(200)}
    assert (min(claims.values()), max(claims.values()), {len(claim) for claim in claims}) == (0, 1, {80})
    async with evening(tmp_path) as held:
        one, other, match = await a_match(held)
        note = pb.Note(text="t" * 3000, win_chance=1, beliefs=[belief(*entry) for entry in claims.items()])
        assert (await one.act(one.decides[match], note=note)).applied == 1
        await one.done(resign=pb.Resign(match_id=match))
        await other.until("match_ended")
        lines = (await asyncio.to_thread(held.running.house.store.transcript, match, "caesar") or b"").splitlines()
        (kept,) = [line for line in map(json.loads, lines) if line["kind"] == "note"]
        assert {claim: pytest.approx(p, abs=1e-6) for claim, p in claims.items()} == kept["beliefs"]
        assert sorted(kept["not_understood"]) == sorted(claims)
        assert (len(kept["text"]), kept["win_chance"], kept["decision"]) == (2000, 1, 1)


# --- Who can have it, and when ---


@wired
async def test_before_the_end_nobody_can_have_a_note_or_its_score(tmp_path: Path) -> None:
    """Neither its owner nor a referee nor the operator: a score would tell the truth."""
    async with evening(tmp_path, dev=False) as held:
        secrets: list[str] = []
        await asyncio.to_thread(held.running.accounts.make_operator, secrets.append)
        desk, by = accounts_rpc.AccountServiceStub(held.channel()), (("authorization", f"Bearer {secrets[0]}"),)

        async def token(account: str, *scopes: Any, **facts: Any) -> str:
            request = accounts_pb2.CreateTokenRequest(account=account, scopes=scopes, **facts)
            return str((await desk.CreateToken(request, metadata=by, timeout=WAIT)).secret)

        streams = []
        for name in ("ann", "ben"):
            await desk.CreateAccount(accounts_pb2.CreateAccountRequest(name=name), metadata=by, timeout=WAIT)
            await desk.CreateBot(accounts_pb2.CreateBotRequest(account=name, bot=name), metadata=by, timeout=WAIT)
            streams.append(held.stream(name))
            await streams[-1].hello(token=await token(name, accounts_pb2.SCOPE_PLAY, bot=name))
        one, other = streams
        match = await pair(one, other)
        await both_decide(one, other, match)
        note = pb.Note(text="unheard", beliefs=[belief(SECRET, 0.75)])
        await one.act(one.decides[match], note=note)
        await other.act(other.decides[match])
        asks = {
            "owner": await token("ann", accounts_pb2.SCOPE_PLAY, accounts_pb2.SCOPE_WATCH),
            "referee": await token("ben", accounts_pb2.SCOPE_REFEREE, accounts_pb2.SCOPE_WATCH),
            "operator": secrets[0],
            "enemy": await token("ben", accounts_pb2.SCOPE_PLAY, accounts_pb2.SCOPE_WATCH),
        }
        for who, secret in asks.items():
            path = tmp_path / who
            path.write_text(secret)
            for seat in ("", "caesar"):
                words = ("--transcript", seat) if seat else ()
                output = tmp_path / f"{who}.jsonl"
                place = ("--server", held.address, "--token-file", path, "-o", output)
                result = await command("record", "fetch", match, *words, *place)
                assert result.exit_code == 1, who
                assert "the match is open" in result.output, who
                assert not output.exists()
        for stream in (one, other):
            await stream.ask(observe=pb.Observe(match_id=match))
            await stream.ask(get_history=pb.GetHistory(match_id=match))
            assert not any(word in str(stream.read) for word in ("unheard", SECRET, "beliefs", "not_understood"))
        assert SECRET.encode() not in generate_latest(held.running.house.metrics.registry)
        await one.done(resign=pb.Resign(match_id=match))
        await other.until("match_ended")
        for who, told in (("owner", True), ("referee", True), ("enemy", False)):
            output = tmp_path / f"{who}.jsonl"
            place = ("--server", held.address, "--token-file", tmp_path / who, "-o", output)
            result = await command("record", "fetch", match, "--transcript", "caesar", *place)
            assert (result.exit_code == 0) == told, who
            assert not told or SECRET.encode() in output.read_bytes()


@wired
async def test_spectators_and_lists_hear_nothing_of_a_note(tmp_path: Path) -> None:
    async with evening(tmp_path) as held:
        one, other, match = await a_match(held)
        stub = watch_rpc.WatchServiceStub(held.channel())
        feed: Any = stub.Watch(watch_pb.WatchRequest(match_id=match))
        await one.act(one.decides[match], note=pb.Note(text="unheard", beliefs=[belief(SECRET, 0.75)]))
        await other.act(other.decides[match])
        listed = await stub.ListMatches(watch_pb.ListMatchesRequest(), timeout=WAIT)
        await one.done(resign=pb.Resign(match_id=match))
        async with asyncio.timeout(WAIT):
            told = [response async for response in feed]
        assert len(told) > 1
        for text in (str(told), str(listed), str(await held.record(match))):
            assert "unheard" not in text
            assert SECRET not in text


@wired
async def test_after_the_end_the_command_line_fetches_and_scores(tmp_path: Path) -> None:
    async with evening(tmp_path) as held:
        one, other, match = await a_match(held)
        hand = [0.5] * 4
        claims = [belief(f"hand pompey {card}", p) for card, p in enumerate(hand, 10)] + [belief("what?", 0.1)]
        await one.act(one.decides[match], note=pb.Note(win_chance=0.25, beliefs=claims))
        await asyncio.gather(play(one), play(other))
        server = ("--server", held.address)
        record, notes = tmp_path / f"{match}.jsonl", tmp_path / f"{match}.caesar.jsonl"
        assert (await command("record", "fetch", match, *server, "-o", record)).exit_code == 0
        result = await command("record", "fetch", match, "--transcript", "caesar", *server, "-o", notes)
        assert f"lictor record notes {match}.jsonl {notes} --seat caesar" in result.output
        scored = await command("record", "notes", record, notes, "--seat", "caesar", "--json", "--worlds", 20)
        assert scored.exit_code == 0, scored.output
        found = json.loads(scored.stdout)
        won = one.ended[match].termination.winner
        assert found["result"] == {"caesar": 1, "pompey": 0, "": 0.5}[won]
        assert found["win_chance"]["brier"] == pytest.approx((0.25 - found["result"]) ** 2)
        assert found["beliefs"]["kinds"]["hand"]["loss"] == pytest.approx(0.6931471805599453)
        assert (found["beliefs"]["claims"], found["beliefs"]["not_understood"]) == (4, 1)
