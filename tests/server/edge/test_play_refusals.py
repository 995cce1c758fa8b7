"""Whatever a bot says or leaves unsaid, it is told what is wrong with it, and no other match feels it."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

from lictor.server.edge import play as play_edge
from lictor.server.matches.settings import FEATURES, Limits, Settings
from lictor.server.store import BotRow
from lictor.v1 import game_pb2, julius_caesar_pb2, match_pb2
from lictor.v1 import play_service_pb2 as pb
from support.wire import (
    CLOCK,
    GAME,
    Evening,
    Stream,
    beside_a_match,
    both_decide,
    choose,
    evening,
    eventually,
    pair,
    play,
    wired,
)

GARBAGE = (b"\xff\xff\xff\xff", b"\x12\x7fabc", b"\x08", b"\x12\x04\x0a\x02\xff\xfe")  # the last: a text of no UTF-8
NAMES = ("a b", "", "ä", "x" * 41, "a\n", "../x", "a\u202eb", "💥", "a\0b")


def name_of(reason: int) -> str:
    return pb.RefusalReason.Name(reason).removeprefix("REFUSAL_REASON_")  # type: ignore[arg-type]


async def turned_away(stream: Stream, message: pb.PlayRequest | bytes) -> tuple[pb.PlayResponse, grpc.StatusCode]:
    """Send a first message that ends the stream; return why it did."""
    await stream.send_raw(message)
    refused = await stream.until("refused")
    status, text = await stream.end()
    assert text
    return refused, status


# --- Hello ---


@wired
async def test_a_stream_that_does_not_begin_with_hello_is_told_so_and_ends(tmp_path: Path) -> None:
    cases: tuple[tuple[pb.PlayRequest | bytes, str, str], ...] = (
        (pb.PlayRequest(request_id=7, ping=pb.Ping(nonce=1)), "HELLO_EXPECTED", "FAILED_PRECONDITION"),
        (pb.PlayRequest(request_id=7, act=pb.Act(match_id="x")), "HELLO_EXPECTED", "FAILED_PRECONDITION"),
        (pb.PlayRequest(), "HELLO_EXPECTED", "FAILED_PRECONDITION"),
        *((garbage, "MALFORMED", "INVALID_ARGUMENT") for garbage in GARBAGE),
    )
    async with beside_a_match(tmp_path) as held:
        for message, reason, status in cases:
            response, ended = await turned_away(held.stream("late"), message)
            assert (name_of(response.refused.reason), ended.name) == (reason, status)
        stream = held.stream("silent")
        await stream.call.done_writing()
        assert (await stream.end())[0] is grpc.StatusCode.OK


@wired
async def test_a_stream_that_says_nothing_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_edge, "_HELLO_S", 0.2)
    async with beside_a_match(tmp_path) as held:
        stream = held.stream("silent")
        refused = (await stream.until("refused")).refused
        assert name_of(refused.reason) == "HELLO_EXPECTED"
        assert (await stream.end())[0] is grpc.StatusCode.FAILED_PRECONDITION


@wired
async def test_the_refusal_of_a_first_message_repeats_its_request_id(tmp_path: Path) -> None:
    async with evening(tmp_path) as held:
        response, _ = await turned_away(held.stream("late"), pb.PlayRequest(request_id=7, ping=pb.Ping(nonce=1)))
        assert response.request_id == 7


@wired
async def test_a_second_hello_ends_the_stream(tmp_path: Path) -> None:
    """As HELLO_EXPECTED promises: "The first message must be Hello, and no other may be. Ends the stream."."""
    async with beside_a_match(tmp_path) as held:
        bot = await held.bot("twice")
        refused = await bot.refusal(hello=bot.introduction())
        assert name_of(refused.reason) == "HELLO_EXPECTED"
        assert refused.field == "hello"
        async with asyncio.timeout(20):
            assert (await bot.end())[0] is grpc.StatusCode.FAILED_PRECONDITION


@wired
async def test_a_client_of_another_age_is_told_the_servers_range(tmp_path: Path) -> None:
    async with beside_a_match(tmp_path) as held:
        for low, high in ((0, 0), (0, 1), (2, 3), (2, 1), (2**32 - 1, 2**32 - 1)):
            stream = held.stream("old")
            hello = stream.introduction(protocol_min=low, protocol_max=high)
            response, status = await turned_away(stream, pb.PlayRequest(request_id=5, hello=hello))
            assert name_of(response.refused.reason) == "UNSUPPORTED_PROTOCOL"
            assert "protocol 1 to 1" in response.refused.text
            assert response.refused.field.startswith("hello.protocol")
            assert response.request_id == 5
            assert status is grpc.StatusCode.FAILED_PRECONDITION
        welcome = await held.stream("new").hello(protocol_max=2**32 - 1)
        assert welcome.protocol == 1


@wired
async def test_a_feature_is_had_or_refused_or_with_a_question_mark_left_out(tmp_path: Path) -> None:
    async with beside_a_match(tmp_path) as held:
        for features in (["telepathy"], ["words", "telepathy"], [""], ["Words"], ["words ?"], ["x" * 60_000]):
            stream = held.stream("seer")
            request = pb.PlayRequest(request_id=5, hello=stream.introduction(features=features))
            if features == ["words ?"]:  # optional, whatever it is
                await stream.send_raw(request)
                assert list((await stream.until("welcome")).welcome.features) == []
                continue
            response, _ = await turned_away(stream, request)
            refused = response.refused
            assert (name_of(refused.reason), refused.field) == ("UNSUPPORTED_FEATURE", "hello.features")
            assert all(feature in refused.text for feature in FEATURES)
            assert len(refused.text) < 400
        welcome = await held.stream("seer").hello(features=["telepathy?", "words?", "live_events", "?"])
        assert sorted(welcome.features) == ["live_events", "words"]


@wired
async def test_a_bot_needs_a_plain_name(tmp_path: Path) -> None:
    async with beside_a_match(tmp_path) as held:
        for name in NAMES:
            stream = held.stream(name)
            response, status = await turned_away(stream, pb.PlayRequest(request_id=3, hello=stream.introduction()))
            assert (name_of(response.refused.reason), response.request_id) == ("MALFORMED", 3), name
            assert status is grpc.StatusCode.INVALID_ARGUMENT
        for version, content in (("v" * 61, ""), ("a\tb", ""), ("1", "xyz"), ("1", "a" * 65)):
            stream = held.stream("plain")
            hello = stream.introduction(version=version, content_hash=content)
            response, _ = await turned_away(stream, pb.PlayRequest(hello=hello))
            assert name_of(response.refused.reason) == "MALFORMED"
        await held.stream("x" * 40).hello(version="⚔ 1", client="🤖\n" * 1000, max_matches=2**32 - 1)


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        ("hello.bot", {"bot": "a b"}),
        ("hello.version", {"version": "v" * 61}),
        ("hello.content_hash", {"version": "1", "content_hash": "xyz"}),
    ],
)
def test_a_refused_hello_names_the_field_at_fault(tmp_path: Path, field: str, changes: dict[str, str]) -> None:
    @wired
    async def run() -> None:
        async with evening(tmp_path) as held:
            stream = held.stream("plain")
            response, _ = await turned_away(stream, pb.PlayRequest(hello=stream.introduction(**changes)))
            assert response.refused.field == field

    run()


@wired
async def test_a_label_belongs_to_one_version_for_ever(tmp_path: Path) -> None:
    async with beside_a_match(tmp_path) as held:
        await held.bot("maker", version="1.0", content_hash="ABCDEF")
        await held.bot("maker", version="1.0", content_hash="abcdef")
        await held.bot("other", version="1.0", content_hash="012345")
        stream = held.stream("maker")
        hello = stream.introduction(version="1.0", content_hash="abcd")
        response, status = await turned_away(stream, pb.PlayRequest(request_id=9, hello=hello))
        refused = response.refused
        assert (name_of(refused.reason), refused.field) == ("VERSION_CHANGED", "hello.version")
        assert (response.request_id, status) == (9, grpc.StatusCode.FAILED_PRECONDITION)


@wired
async def test_a_hello_without_the_right_token_is_turned_away(tmp_path: Path) -> None:
    async with evening(tmp_path, dev=False) as held:
        accounts, store = held.running.accounts, held.running.house.store
        now = 0.0

        def settle() -> dict[str, str]:
            for owner, bot in (("ann", "ann.1"), ("ann", "ann.2"), ("ben", "ben.1")):
                if owner not in store.accounts():
                    store.create_account(owner)
                store.create_bot(BotRow(bot, owner))
            made = {
                "ann.1": accounts.issue("ann", "ann.1", ["play"], 0),
                "ann": accounts.issue("ann", "", ["play"], 0),
                "watch": accounts.issue("ann", "ann.1", ["watch"], 0),
                "short": accounts.issue("ann", "ann.1", ["play"], 60),
                "revoked": accounts.issue("ann", "ann.1", ["play"], 0),
            }
            store.revoke_token(made["revoked"][0].id)
            return {name: secret for name, (_, secret) in made.items()}

        tokens = await asyncio.to_thread(settle)
        accounts._wall = lambda: time.time() + now
        for bot, token, reason, status, field in (
            ("ann.1", "", "UNAUTHENTICATED", "UNAUTHENTICATED", "hello.token"),
            ("ann.1", "nonsense", "UNAUTHENTICATED", "UNAUTHENTICATED", "hello.token"),
            ("ann.1", "💥" * 1000, "UNAUTHENTICATED", "UNAUTHENTICATED", "hello.token"),
            ("ann.1", tokens["revoked"], "UNAUTHENTICATED", "UNAUTHENTICATED", "hello.token"),
            ("ann.1", tokens["watch"], "FORBIDDEN", "PERMISSION_DENIED", None),
            ("ann.2", tokens["ann.1"], "FORBIDDEN", "PERMISSION_DENIED", "hello.bot"),
            ("ben.1", tokens["ann.1"], "FORBIDDEN", "PERMISSION_DENIED", "hello.bot"),
            ("ben.1", tokens["ann"], "FORBIDDEN", "PERMISSION_DENIED", "hello.bot"),
            ("nobody", tokens["ann"], "FORBIDDEN", "PERMISSION_DENIED", "hello.bot"),
        ):
            stream = held.stream(bot)
            request = pb.PlayRequest(request_id=4, hello=stream.introduction(token=token))
            response, ended = await turned_away(stream, request)
            found = response.refused
            assert (name_of(found.reason), ended.name, response.request_id) == (reason, status, 4), bot
            assert field is None or found.field == field
            assert not token or token not in found.text
        assert (await held.stream("").hello(token=tokens["ann.1"])).bot == "ann.1"
        assert (await held.stream("ann.2").hello(token=tokens["ann"])).bot == "ann.2"
        assert (await held.stream("ann.1").hello(token=tokens["short"])).bot == "ann.1"
        now = 61.0
        stream = held.stream("ann.1")
        response, _ = await turned_away(stream, pb.PlayRequest(hello=stream.introduction(token=tokens["short"])))
        assert name_of(response.refused.reason) == "UNAUTHENTICATED"
        assert "expired" in response.refused.text


@wired
async def test_a_new_bot_may_connect_twice_at_once(tmp_path: Path) -> None:
    """In dev mode the name makes the account: two first streams of one bot race to make it, and neither may fail."""
    async with evening(tmp_path) as held:
        for round_ in range(5):
            streams = [held.stream(f"twin.{round_}") for _ in range(6)]
            for stream in streams:
                await stream.send(hello=stream.introduction())
            answers = await asyncio.gather(*(stream.next() for stream in streams))
            assert [answer.WhichOneof("message") for answer in answers] == ["welcome"] * 6


# --- Messages ---

NO_MATCH: dict[str, Callable[[str], Any]] = {
    "act": lambda match: pb.Act(match_id=match, decision_id=1, actions=[pb.Choice(index=0)]),
    "entropy": lambda match: pb.Entropy(match_id=match, entropy=b"x"),
    "resign": lambda match: pb.Resign(match_id=match),
    "offer_draw": lambda match: pb.OfferDraw(match_id=match),
    "answer_draw": lambda match: pb.AnswerDraw(match_id=match, accept=True),
    "get_history": lambda match: pb.GetHistory(match_id=match),
    "observe": lambda match: pb.Observe(match_id=match),
}


@wired
async def test_nobody_speaks_for_a_seat_that_is_not_his(tmp_path: Path) -> None:
    async with beside_a_match(tmp_path) as held:
        one, other, thief = await held.bot("one"), await held.bot("other"), await held.bot("thief")
        match = await pair(one, other)
        await both_decide(one, other, match)
        for kind, make in NO_MATCH.items():
            for wrong in (match, "", "nothing", match + " ", "x" * 50_000, "\0", "💥"):
                refused = await thief.refusal(**{kind: make(wrong)})
                assert name_of(refused.reason) == "UNKNOWN_MATCH"
                assert refused.match_id == wrong[:100]
                assert len(refused.text) < 400
        for bot in (one, other):
            assert (await bot.act(bot.decides[match])).applied == 1
        assert not any(response.WhichOneof("message") == "refused" for bot in (one, other) for response in bot.read)


@wired
async def test_a_decision_is_answered_once_by_its_number_with_what_is_legal(tmp_path: Path) -> None:
    async with beside_a_match(tmp_path) as held:
        one, other = await held.bot("one"), await held.bot("other")
        match = await pair(one, other)
        decide = await one.decide(match)
        for number in (0, 2, 3, 2**32 - 1):
            refused = await one.refusal(act=pb.Act(match_id=match, decision_id=number, actions=[pb.Choice(index=0)]))
            assert (name_of(refused.reason), refused.field) == ("NOT_ASKED", "act.decision_id")
            assert (refused.match_id, refused.decision_id) == (match, number)
            assert not refused.HasField("illegal_actions_left")
        accepted = await one.act(decide, 1)
        assert (accepted.decision_id, accepted.applied) == (1, 1)
        assert (await one.act(decide, 1)) == accepted
        by_notation = pb.Choice(notation=decide.legal[1].notation)
        again = await one.ask(act=pb.Act(match_id=match, decision_id=1, actions=[by_notation]))
        assert again.accepted == accepted
        refused = await one.refusal(act=choose(decide, 0))
        assert (name_of(refused.reason), refused.field) == ("ALREADY_ANSWERED", "act.actions[0]")
        assert (refused.decision_id, refused.played) == (1, decide.legal[1].notation)
        refused = await one.refusal(act=pb.Act(match_id=match, decision_id=2, actions=[pb.Choice(index=0)]))
        assert name_of(refused.reason) == "NOT_ASKED", "the other seat still owes the same decision"


@wired
async def test_illegal_actions_are_counted_and_at_last_lose_this_match_only(tmp_path: Path) -> None:
    async with beside_a_match(tmp_path) as held:
        one, other = await held.bot("one"), await held.bot("other")
        match, safe = await pair(one, other), await pair(one, other)
        decide = await one.decide(match)
        typed = julius_caesar_pb2.JuliusCaesarAction(move=julius_caesar_pb2.JuliusCaesarMove(block=2**32 - 1, path=[0]))
        bad = (
            (pb.Choice(index=len(decide.legal)), "act.actions[0].index"),
            (pb.Choice(notation="move everything everywhere 💥\0" + "x" * 50_000), "act.actions[0]"),
            (pb.Choice(action=game_pb2.Action(julius_caesar=typed)), "act.actions[0]"),
            (pb.Choice(notation="end_moves"), "act.actions[0]"),
        )
        for left, (choice, field) in zip((2, 1, 0, 0), bad, strict=True):
            refused = await one.refusal(act=pb.Act(match_id=match, decision_id=1, actions=[choice]))
            assert (name_of(refused.reason), refused.field) == ("ILLEGAL_ACTION", field)
            assert (refused.match_id, refused.decision_id, refused.illegal_actions_left) == (match, 1, left)
            assert len(refused.text) < 500
        for bot in (one, other):
            ended = (await bot.until("match_ended")).match_ended
            assert ended.match_id == match
            assert ended.termination.kind == match_pb2.TERMINATION_KIND_ILLEGAL_ACTION
            assert (ended.termination.seat, ended.termination.winner) == ("caesar", "pompey")
        await held.record(match)
        refused = await one.refusal(act=choose(decide))
        assert name_of(refused.reason) == "MATCH_OVER"
        for bot in (one, other):
            assert (await bot.act(await bot.decide(safe))).applied == 1


@wired
async def test_an_act_has_one_to_a_hundred_actions(tmp_path: Path) -> None:
    async with beside_a_match(tmp_path) as held:
        one, other = await held.bot("one"), await held.bot("other")
        match = await pair(one, other)
        await one.decide(match)
        for count in (0, 101, 5000):
            act = pb.Act(match_id=match, decision_id=1, actions=[pb.Choice(index=0)] * count)
            refused = await one.refusal(act=act)
            assert refused.field == "act.actions"
            assert not refused.HasField("illegal_actions_left")
        for win_chance in (-0.1, 1.1, float("nan"), float("inf")):
            refused = await one.refusal(act=choose(one.decides[match], note=pb.Note(win_chance=win_chance)))
            assert (name_of(refused.reason), refused.field) == ("MALFORMED", "act.note.win_chance")
        assert (await one.act(one.decides[match])).applied == 1


@wired
async def test_an_act_of_101_actions_meets_the_limit_batch(tmp_path: Path) -> None:
    """`Limits`: a message beyond a limit is refused with the limit's name. `batch` is one of them."""
    async with evening(tmp_path) as held:
        one, other = await held.bot("one"), await held.bot("other")
        match = await pair(one, other)
        await one.decide(match)
        refused = await one.refusal(act=pb.Act(match_id=match, decision_id=1, actions=[pb.Choice(index=0)] * 101))
        assert (name_of(refused.reason), refused.limit) == ("LIMIT", "batch")


@wired
async def test_a_malformed_act_is_refused_with_its_match_and_decision(tmp_path: Path) -> None:
    """`Refused.match_id`: the match the message was about; empty if none. A client finds its decision by it."""
    async with evening(tmp_path) as held:
        one, other = await held.bot("one"), await held.bot("other")
        match = await pair(one, other)
        await one.decide(match)
        refused = await one.refusal(act=pb.Act(match_id=match, decision_id=1))
        assert (name_of(refused.reason), refused.match_id, refused.decision_id) == ("MALFORMED", match, 1)


@wired
async def test_an_act_about_no_match_is_refused_with_its_decision(tmp_path: Path) -> None:
    async with evening(tmp_path) as held:
        one = await held.bot("one")
        refused = await one.refusal(act=pb.Act(match_id="none", decision_id=12, actions=[pb.Choice(index=0)]))
        assert (name_of(refused.reason), refused.match_id, refused.decision_id) == ("UNKNOWN_MATCH", "none", 12)


@wired
async def test_what_cannot_be_played_is_refused(tmp_path: Path) -> None:
    bad_clocks = (
        match_pb2.ClockSettings(),
        match_pb2.ClockSettings(increment_ms=5, per_decision_ms=5),
        match_pb2.ClockSettings(base_ms=1, start_grace_ms=60_001),
    )
    async with beside_a_match(tmp_path) as held:
        one, _ = await held.bot("one"), await held.bot("other")
        for kind, make in (
            ("seek", lambda **terms: pb.Seek(**terms)),
            ("challenge", lambda **terms: pb.Challenge(opponent="other", **terms)),
        ):
            for terms, reason in (
                ({"game": "chess"}, "UNKNOWN_GAME"),
                ({"game": ""}, "UNKNOWN_GAME"),
                ({"game": "💥" * 10_000}, "UNKNOWN_GAME"),
                ({"game": GAME, "options": {"edition": "9"}}, "BAD_OPTION"),
                ({"game": GAME, "options": {"colour": "red"}}, "BAD_OPTION"),
                ({"game": GAME, "options": {"": ""}}, "BAD_OPTION"),
                ({"game": GAME, "options": {"data": "secret"}}, "BAD_OPTION"),
                ({"game": GAME, "options": {"x" * 30_000: "y"}}, "BAD_OPTION"),
                ({"game": GAME, "seat": "sulla"}, "BAD_OPTION"),
                ({"game": GAME, "seat": "Caesar"}, "BAD_OPTION"),
            ):
                refused = await one.refusal(**{kind: make(**terms)})
                assert name_of(refused.reason) == reason, terms
                assert len(refused.text) < 500
                assert refused.field
            for clock in bad_clocks:
                refused = await one.refusal(**{kind: make(game=GAME, clock=clock)})
                assert refused.field.startswith(f"{kind}.clock")
        for opponent, reason in (("nobody", "OPPONENT_ABSENT"), ("", "OPPONENT_ABSENT"), ("one", "BAD_OPTION")):
            refused = await one.refusal(challenge=pb.Challenge(opponent=opponent, game=GAME))
            assert name_of(refused.reason) == reason
        for message in (
            {"cancel": pb.Cancel(id="nothing")},
            {"answer_challenge": pb.AnswerChallenge(challenge_id="nothing", accept=True)},
            {"answer_challenge": pb.AnswerChallenge()},
        ):
            assert name_of((await one.refusal(**message)).reason) == "UNKNOWN_ID"
        for _ in range(16):
            await one.done(seek=pb.Seek(game=GAME, clock=CLOCK))
        refused = await one.refusal(seek=pb.Seek(game=GAME, clock=CLOCK))
        assert (name_of(refused.reason), refused.limit) == ("LIMIT", "seeks")
        assert refused.retry_after_ms > 0
        await one.done(cancel=pb.Cancel())
        for _ in range(16):
            await one.done(challenge=pb.Challenge(opponent="other", game=GAME))
        refused = await one.refusal(challenge=pb.Challenge(opponent="other", game=GAME))
        assert (name_of(refused.reason), refused.limit) == ("LIMIT", "challenges")


@pytest.mark.parametrize("kind", ["seek", "challenge"])
def test_a_bad_clock_is_a_time_control_that_cannot_be_had(tmp_path: Path, kind: str) -> None:
    """As BAD_OPTION says: "An option, seat or time control cannot be had."""

    @wired
    async def run() -> None:
        async with evening(tmp_path) as held:
            one, _ = await held.bot("one"), await held.bot("other")
            terms: dict[str, Any] = {"game": GAME, "clock": match_pb2.ClockSettings()}
            message = pb.Seek(**terms) if kind == "seek" else pb.Challenge(opponent="other", **terms)
            assert name_of((await one.refusal(**{kind: message})).reason) == "BAD_OPTION"

    run()


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("seek.game", {"seek": pb.Seek(game="chess")}),
        ("seek.options", {"seek": pb.Seek(game=GAME, options={"edition": "9"})}),
        ("seek.seat", {"seek": pb.Seek(game=GAME, seat="sulla")}),
        ("challenge.game", {"challenge": pb.Challenge(opponent="other", game="chess")}),
        ("challenge.seat", {"challenge": pb.Challenge(opponent="other", game=GAME, seat="sulla")}),
        ("challenge.opponent", {"challenge": pb.Challenge(opponent="nobody", game=GAME)}),
        ("answer_challenge.challenge_id", {"answer_challenge": pb.AnswerChallenge(challenge_id="x")}),
        ("cancel.id", {"cancel": pb.Cancel(id="x")}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_refusal_names_the_path_of_the_field_at_fault(tmp_path: Path, field: str, message: dict[str, Any]) -> None:
    """`Refused.field`: "The path of the field at fault in the message, such as act.actions[1].index"."""

    @wired
    async def run() -> None:
        async with evening(tmp_path) as held:
            one, _ = await held.bot("one"), await held.bot("other")
            assert (await one.refusal(**message)).field.split("[")[0] == field

    run()


@wired
async def test_entropy_is_short_and_comes_once_and_in_time(tmp_path: Path) -> None:
    async with beside_a_match(tmp_path) as held:
        one, other = await held.bot("one"), await held.bot("other")
        match = await pair(one, other, begin=False)
        refused = await one.refusal(entropy=pb.Entropy(match_id=match, entropy=b"x" * 33))
        assert (name_of(refused.reason), refused.field, refused.match_id) == ("MALFORMED", "entropy.entropy", match)
        await one.done(entropy=pb.Entropy(match_id=match, entropy=b"x" * 32))
        refused = await one.refusal(entropy=pb.Entropy(match_id=match, entropy=b"y"))
        assert (name_of(refused.reason), refused.match_id) == ("ENTROPY_CLOSED", match)
        for message in ({"act": pb.Act(match_id=match, decision_id=1, actions=[pb.Choice(index=0)])},):
            assert name_of((await one.refusal(**message)).reason) == "NOT_ASKED"
        assert not (await one.ask(observe=pb.Observe(match_id=match))).observed.HasField("observation")
        await other.done(entropy=pb.Entropy(match_id=match))
        await both_decide(one, other, match)
        refused = await other.refusal(entropy=pb.Entropy(match_id=match, entropy=b"y"))
        assert name_of(refused.reason) == "ENTROPY_CLOSED"


@wired
async def test_a_draw_needs_an_offer_and_a_refused_offer_a_pause(tmp_path: Path) -> None:
    async with beside_a_match(tmp_path) as held:
        one, other = await held.bot("one"), await held.bot("other")
        match = await pair(one, other)
        for accept in (True, False):
            refused = await one.refusal(answer_draw=pb.AnswerDraw(match_id=match, accept=accept))
            assert (name_of(refused.reason), refused.match_id) == ("NO_DRAW", match)
        await one.done(offer_draw=pb.OfferDraw(match_id=match))
        assert (await other.until("draw_offered")).draw_offered.seat == "caesar"
        refused = await one.refusal(offer_draw=pb.OfferDraw(match_id=match))
        assert name_of(refused.reason) == "NO_DRAW"
        refused = await one.refusal(answer_draw=pb.AnswerDraw(match_id=match, accept=True))
        assert name_of(refused.reason) == "NO_DRAW", "nobody accepts his own offer"
        await other.done(answer_draw=pb.AnswerDraw(match_id=match, accept=False))
        await one.until("draw_declined")
        refused = await one.refusal(offer_draw=pb.OfferDraw(match_id=match))
        assert "10 more decisions" in refused.text
        await other.done(offer_draw=pb.OfferDraw(match_id=match))
        await one.until("draw_offered")
        await one.done(answer_draw=pb.AnswerDraw(match_id=match, accept=True))
        for bot in (one, other):
            ended = (await bot.until("match_ended")).match_ended
            assert ended.termination.kind == match_pb2.TERMINATION_KIND_DRAW_AGREED
        await held.record(match)
        for message in NO_MATCH:
            refused = await one.refusal(**{message: NO_MATCH[message](match)})
            assert (name_of(refused.reason), refused.match_id) == ("MATCH_OVER", match)


@wired
async def test_a_match_may_be_given_up_before_it_begins(tmp_path: Path) -> None:
    async with beside_a_match(tmp_path) as held:
        one, other = await held.bot("one"), await held.bot("other")
        match = await pair(one, other, begin=False)
        await other.done(entropy=pb.Entropy(match_id=match, entropy=b"z"))
        await one.done(resign=pb.Resign(match_id=match))
        for bot in (one, other):
            ended = (await bot.until("match_ended")).match_ended
            assert ended.termination.kind == match_pb2.TERMINATION_KIND_RESIGNATION
            assert not ended.HasField("observation")
        await held.record(match)


@wired
async def test_a_match_that_is_given_up_ends_with_the_score_of_that_moment(tmp_path: Path) -> None:
    """`Termination.score`: "The game's score per seat at that moment ...; empty if the game never began"."""
    async with evening(tmp_path) as held:
        one, other = await held.bot("one"), await held.bot("other")
        match = await pair(one, other)
        await both_decide(one, other, match)
        await one.done(resign=pb.Resign(match_id=match))
        assert len((await one.until("match_ended")).match_ended.termination.score) == 2


@wired
async def test_too_many_messages_are_refused_with_when_to_come_again(tmp_path: Path) -> None:
    settings = Settings(limits=Limits(messages_per_s=1000, messages_burst=40, queue=2000))
    async with beside_a_match(tmp_path, settings=settings) as held:
        bot = await held.bot("eager")
        assert (bot.welcome.limits.messages_per_s, bot.welcome.limits.messages_burst) == (1000, 40)
        requests = [await bot.send(ping=pb.Ping(nonce=n)) for n in range(400)]
        answers = {answer.request_id: answer for answer in [await bot.next() for _ in requests]}
        assert sorted(answers) == requests
        refused = [answer.refused for answer in answers.values() if answer.WhichOneof("message") == "refused"]
        assert 0 < len(refused) < 400
        for refusal in refused:
            assert (name_of(refusal.reason), refusal.limit) == ("LIMIT", "messages_per_s")
            assert 0 < refusal.retry_after_ms <= 1000
        await asyncio.sleep(refused[-1].retry_after_ms / 1000)  # as it was told
        assert (await bot.ask(ping=pb.Ping(nonce=5))).pong.nonce == 5


# --- Bytes ---


@wired
async def test_bytes_that_are_no_message_are_refused_and_the_stream_goes_on(tmp_path: Path) -> None:
    async with beside_a_match(tmp_path) as held:
        one, other = await held.bot("one"), await held.bot("other")
        match = await pair(one, other)
        for garbage in GARBAGE:
            await one.send_raw(garbage)
            assert name_of((await one.until("refused")).refused.reason) == "MALFORMED"
        for empty in (pb.PlayRequest(request_id=99), b"\x08\x63", b"\x08\x63\x9a\x06\x03abc"):  # the last: variant 99
            await one.send_raw(empty)
            response = await one.until("refused")
            assert (name_of(response.refused.reason), response.request_id) == ("MALFORMED", 99)
            assert response.refused.field == "message"
        # Fields of the future are ignored, at every level.
        future = b"\x9a\x06\x03abc"
        act = choose(await one.decide(match)).SerializeToString() + future
        await one.send_raw(b"\x08\x64\x1a" + bytes([len(act)]) + act + future)
        assert (await one.until("accepted")).request_id == 100
        assert (await other.act(await other.decide(match))).applied == 1


@wired
async def test_a_hundred_unreadable_messages_in_a_row_end_the_stream(tmp_path: Path) -> None:
    async with beside_a_match(tmp_path) as held:
        bot = await held.bot("broken")
        for _ in range(99):
            await bot.send_raw(b"\xff")
        assert (await bot.ask(ping=pb.Ping(nonce=1))).pong.nonce == 1
        for _ in range(100):
            await bot.send_raw(b"\xff")
        status, text = await bot.end()
        assert status is grpc.StatusCode.INVALID_ARGUMENT
        assert "100" in text
        assert (await held.bot("broken")).welcome.bot == "broken"


@wired
async def test_messages_with_flipped_bits_break_nothing(tmp_path: Path) -> None:
    rng = random.Random(20)
    async with beside_a_match(tmp_path) as held:
        one, other = await held.bot("one"), await held.bot("other")
        match = await pair(one, other)
        decide = await one.decide(match)
        typed = pb.Act(match_id=match, decision_id=1, actions=[pb.Choice(action=decide.legal[0].action)])
        kinds = {kind: make(match) for kind, make in NO_MATCH.items() if kind not in ("resign", "answer_draw")}
        kinds |= {"act": typed, "seek": pb.Seek(game=GAME, options={"edition": "2.0"}, clock=CLOCK, matches=1)}
        kinds |= {"cancel": pb.Cancel(), "ping": pb.Ping(nonce=3), "pong": pb.Pong(nonce=3)}
        whole = [pb.PlayRequest(request_id=1, **{kind: message}).SerializeToString() for kind, message in kinds.items()]
        for round_ in range(60):
            for message in whole:
                bent = bytearray(message)
                for _ in range(rng.randrange(1, 4)):
                    bent[rng.randrange(len(bent))] ^= 1 << rng.randrange(8)
                await one.send_raw(bytes(bent))
            nonce = 1_000_000 + round_
            await one.send(ping=pb.Ping(nonce=nonce))  # after a hundred in a row the stream would end
            await one.until("pong", lambda pong, nonce=nonce: pong.nonce == nonce)  # type: ignore[misc]
        assert not any(
            name_of(r.refused.reason) == "INTERNAL" for r in one.read if r.WhichOneof("message") == "refused"
        )


@pytest.mark.parametrize("compression", [None, grpc.Compression.Gzip], ids=["plain", "gzip"])
def test_a_message_that_is_too_long_ends_its_stream_and_nothing_else(
    tmp_path: Path, compression: grpc.Compression | None
) -> None:
    @wired
    async def run() -> None:
        async with beside_a_match(tmp_path) as held:
            one, other = await held.bot("one"), await held.bot("other")
            match = await pair(one, other)
            await both_decide(one, other, match)
            long = Stream(held.channel(), "one", compression=compression)
            await long.hello()
            await long.decide(match)
            assert (await one.end())[0] is grpc.StatusCode.ABORTED
            note = pb.Note(text="x" * 65_536)
            await long.send(act=choose(long.decides[match], note=note))
            assert (await long.end())[0] is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert (await other.act(other.decides[match])).applied == 1
            back = await held.bot("one")
            assert [seat.match_id for seat in back.welcome.seats] == [match]
            decide = await back.decide(match)
            assert decide.decision_id == 1
            # As long as is allowed, to the byte.
            act = choose(decide, note=pb.Note(text=""))
            request = pb.PlayRequest(request_id=1, act=act)
            text = "x" * (65_536 - request.ByteSize() - 9)
            act.note.text = text
            request = pb.PlayRequest(request_id=1, act=act)
            act.note.text += "x" * (65_536 - request.ByteSize())
            request = pb.PlayRequest(request_id=1, act=act)
            assert request.ByteSize() == 65_536
            await back.send_raw(request)
            assert (await back.until("accepted")).accepted.decision_id == 1

    run()


@wired
async def test_many_long_messages_leave_no_traceback(tmp_path: Path) -> None:
    """gRPC resets the stream under the server: that it then cannot send a status is no mistake of ours to log."""
    async with evening(tmp_path) as held:
        for round_ in range(16):
            streams = [
                Stream(held.channel(), f"long.{round_}.{i}", compression=grpc.Compression.Gzip) for i in range(10)
            ]
            await asyncio.gather(*(stream.hello() for stream in streams))
            for stream in streams:
                await stream.send(seek=pb.Seek(game="x" * 100_000))
            ends = await asyncio.gather(*(stream.end() for stream in streams))
            assert {status for status, _ in ends} == {grpc.StatusCode.RESOURCE_EXHAUSTED}


@wired
async def test_odd_texts_are_kept_as_they_are(tmp_path: Path) -> None:
    texts = ("💥" * 2000, "a\0b", "\u202eabc", "'; DROP TABLE matches; --", '{"kind": 1}\n', "ﷺ\u0301" * 50)
    async with beside_a_match(tmp_path) as held:
        one, other = await held.bot("one"), await held.bot("other")
        match = await pair(one, other)
        told = 0
        playing = asyncio.create_task(play(other))
        for text in texts:
            decide = await one.decide(match, told)
            told = decide.decision_id
            await one.act(decide, note=pb.Note(text=text, win_chance=0.5))
        await one.done(resign=pb.Resign(match_id=match))
        await playing
        transcript = await asyncio.to_thread(held.running.house.store.transcript, match, "caesar")
        assert transcript is not None
        lines = [json.loads(line) for line in transcript.split(b"\n") if line]
        assert [line["text"] for line in lines if line["kind"] == "note"] == list(texts)


# --- The end of a stream is never the end of a match ---


async def half_close(stream: Stream) -> None:
    await stream.call.done_writing()


async def cancel(stream: Stream) -> None:
    stream.call.cancel()


async def hang_up(stream: Stream) -> None:
    await stream.channel.close()


Way = Callable[[Stream], Awaitable[None]]


async def gone(held: Evening, name: str) -> None:
    await eventually(lambda: name not in held.running.house.sessions, f"{name} has left")


@pytest.mark.parametrize("way", [half_close, cancel, hang_up])
def test_a_stream_may_end_at_any_time_and_all_goes_on_where_it_was(tmp_path: Path, way: Way) -> None:
    @wired
    async def run() -> None:
        async with beside_a_match(tmp_path) as held:
            await way(held.stream("one"))  # before Hello
            one, other = await held.bot("one"), await held.bot("other")
            await way(one)  # after it
            await gone(held, "one")
            one = await held.bot("one")
            assert not one.welcome.seats
            match = await pair(one, other, begin=False)
            await way(one)  # while the match starts
            await gone(held, "one")
            one = await held.bot("one")
            started = (await one.until("match_started")).match_started
            assert (started.match_id, started.resumed, started.entropy_wanted) == (match, True, True)
            for bot in (one, other):
                await bot.done(entropy=pb.Entropy(match_id=match))
            first = await one.decide(match)
            await way(one)  # while it owes a decision
            await gone(held, "one")
            one = await held.bot("one")
            again = await one.decide(match)
            assert one.started[match].resumed
            assert not one.started[match].entropy_wanted
            assert (again.decision_id, again.observation, list(again.legal)) == (
                1,
                first.observation,
                list(first.legal),
            )
            await one.act(again, 1)
            await way(one)  # while the other decides
            await gone(held, "one")
            one = await held.bot("one")
            assert [(seat.match_id, seat.to_act) for seat in one.welcome.seats] == [(match, False)]
            assert (await other.act(await other.decide(match))).applied == 1
            second = await one.decide(match, after=1)
            await one.send(act=choose(second, 0))
            await way(one)  # right after an Act, and nothing read
            await gone(held, "one")
            one = await held.bot("one")
            accepted = await one.act(second, 0)
            assert (accepted.decision_id, accepted.applied) == (2, 1)
            refused = await one.refusal(act=choose(first, 0))
            assert name_of(refused.reason) == "ALREADY_ANSWERED"
            await asyncio.gather(play(one), play(other))
            record = [json.loads(line) for line in (await held.record(match)).splitlines()]
            mine = [line["action"] for line in record[1:-1] if line["seat"] == "caesar"]
            assert mine[:2] == [first.legal[1].notation, second.legal[0].notation]

    run()


@wired
async def test_a_second_stream_takes_the_seats_and_the_first_is_told(tmp_path: Path) -> None:
    async with beside_a_match(tmp_path) as held:
        one, other = await held.bot("one"), await held.bot("other")
        match = await pair(one, other)
        await both_decide(one, other, match)
        new = await held.bot("one")
        assert [(seat.match_id, seat.seat, seat.to_act) for seat in new.welcome.seats] == [(match, "caesar", True)]
        assert (await one.until("superseded")).superseded.text
        assert (await one.end())[0] is grpc.StatusCode.ABORTED
        await new.act(await new.decide(match))
        for _ in range(5):
            new = await held.bot("one")
        assert list(held.running.house.sessions).count("one") == 1
        assert (await new.ask(observe=pb.Observe(match_id=match))).observed.match_id == match


@wired
async def test_a_bot_that_leaves_finishes_what_it_has_and_takes_no_more(tmp_path: Path) -> None:
    async with beside_a_match(tmp_path) as held:
        one, other = await held.bot("one"), await held.bot("other")
        match = await pair(one, other)
        await both_decide(one, other, match)
        await one.done(leave=pb.Leave())
        refused = await one.refusal(seek=pb.Seek(game=GAME))
        assert name_of(refused.reason) == "LEAVING"
        refused = await other.refusal(challenge=pb.Challenge(opponent="one", game=GAME))
        assert name_of(refused.reason) == "OPPONENT_ABSENT"
        await asyncio.gather(play(one), play(other))
        assert (await one.end())[0] is grpc.StatusCode.OK


@wired
async def test_a_bot_that_never_reads_is_disconnected_and_its_opponent_unharmed(tmp_path: Path) -> None:
    settings = Settings(limits=Limits(queue=32, messages_per_s=100_000, messages_burst=100_000))
    async with beside_a_match(tmp_path, settings=settings) as held:
        narrow = (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 16_384))
        deaf = held.stream("deaf", *narrow)
        await deaf.hello()
        other = await held.bot("other")
        match = await pair(deaf, other)
        await both_decide(deaf, other, match)
        link: Any = held.running.house.sessions["deaf"].link
        sent = 0
        while link.end is None:
            assert sent < 50_000, "its queue is never full"
            for _ in range(50):
                await deaf.send(observe=pb.Observe(match_id=match))
            sent += 50
            await asyncio.sleep(0)
        assert (await other.act(other.decides[match])).applied == 1
        await eventually(lambda: "deaf" not in held.running.house.sessions, "the bot that does not read is let go", 20)
        back = await held.bot("deaf")
        assert (await back.act(await back.decide(match))).applied == 1
        assert (await deaf.end())[0] in (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.ABORTED)
