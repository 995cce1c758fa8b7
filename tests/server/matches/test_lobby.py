"""Seeks and challenges: who meets whom, on which side, and how often."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
import trio

from lictor.server.matches import messages as say
from lictor.server.matches.clocks import Clock
from lictor.server.matches.session import Bucket
from lictor.server.matches.settings import Limits, Settings
from support.seats import CAESAR, GAME, POMPEY, Bot, on_a_clock, opened, quiet, seek

CLOCK = Clock(60_000, 5_000, 20_000, 10_000, 100, 15_000)


def challenge(opponent: str, *, seat: str = "", clock: Clock | None = None, **options: str) -> say.Challenge:
    return say.Challenge(opponent, GAME, options, seat, clock)


def started(*bots: Bot) -> list[int]:
    """Return how many matches each bot has been told of."""
    return [len(bot.heard(say.MatchStarted)) for bot in bots]


async def resign_all(bot: Bot) -> None:
    """Give up every match as soon as it starts."""
    while True:
        match await bot.next():
            case say.MatchStarted() as message:
                bot.say(say.Resign(message.match))
            case None:
                return


# --- Seeks ---


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        (seek(), seek(), True),
        (seek(), seek(5), True),
        (seek(), seek(options={"edition": "2.0"}), True),  # the default, named
        (seek(), seek(clock=Settings().clock), True),
        (seek(), seek(options={"edition": "1.x"}), False),
        (seek(), seek(options={"deployment": "free"}), False),
        (seek(), seek(clock=CLOCK), False),
        (seek(clock=CLOCK), seek(clock=replace(CLOCK, reconnect_grace_ms=1)), False),
        (seek(seat=CAESAR), seek(seat=POMPEY), True),
        (seek(seat=CAESAR), seek(), True),
        (seek(), seek(seat=CAESAR), True),
        (seek(seat=CAESAR), seek(seat=CAESAR), False),
    ],
)
@on_a_clock
async def test_seeks_meet_when_their_terms_are_equal_and_their_wishes_agree(
    one: say.Seek, other: say.Seek, meet: bool
) -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        ids = {"alice": (await alice.ask(one)).id, "bob": (await bob.ask(other)).id}
        await trio.sleep(5)
        assert started(alice, bob) == [int(meet)] * 2
        if meet:
            for bot in (alice, bob):
                assert bot.heard(say.MatchStarted)[0].origin == ids[bot.name] != ""
            seats = alice.heard(say.MatchStarted)[0].seats
            assert sorted(seats.values()) == ["alice", "bob"]
            for name, wish in (("alice", one.seat), ("bob", other.seat)):
                assert not wish or seats[wish] == name


@on_a_clock
async def test_a_seek_meets_the_one_that_has_waited_longest() -> None:
    async with opened() as room:
        bots = [room.bot(name) for name in ("alice", "bob", "carol", "dora")]
        for bot, message in zip(bots, (seek(seat=CAESAR), seek(seat=CAESAR), seek(clock=CLOCK), seek()), strict=True):
            bot.say(message)
        await quiet()
        assert started(*bots) == [1, 0, 0, 1]


@on_a_clock
async def test_a_bot_never_meets_itself() -> None:
    async with opened() as room:
        alice = room.bot("alice", max_matches=10)
        for seat in ("", CAESAR, POMPEY):
            alice.say(seek(0, seat=seat))
        await trio.sleep(5)
        assert started(alice) == [0]
        refused = await alice.refusal(challenge("alice"))
        assert (refused.reason, refused.field) == (say.Reason.BAD_OPTION, "challenge.opponent")


@on_a_clock
async def test_sides_are_balanced_over_many_matches() -> None:
    async with opened() as room:
        bots = [room.bot(name) for name in ("alice", "bob", "carol")]
        async with trio.open_nursery() as nursery:
            for bot in bots:
                bot.say(seek(20, clock=CLOCK))
                nursery.start_soon(resign_all, bot)
            await trio.sleep(60)
            nursery.cancel_scope.cancel()
        for bot in bots:
            sides = Counter(message.seat for message in bot.heard(say.MatchStarted))
            assert sides.total() >= 18
            assert abs(sides[CAESAR] - sides[POMPEY]) <= 2, (bot.name, sides)
        secrets = {message.match: message.commitment for bot in bots for message in bot.heard(say.MatchStarted)}
        assert len(set(secrets.values())) == len(secrets) >= 28


@on_a_clock
async def test_a_seek_for_some_matches_ends_with_the_last_of_them() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice", max_matches=2), room.bot("bob", max_matches=9)
        alice.say(seek(5))
        bob.say(seek(0))
        await quiet()
        assert started(alice, bob) == [2, 2]  # as many at once as it can play
        async with trio.open_nursery() as nursery:
            nursery.start_soon(resign_all, bob)
            await trio.sleep(60)
            nursery.cancel_scope.cancel()
        assert started(alice, bob) == [5, 5]
        assert len({message.match for message in alice.heard(say.MatchStarted)}) == 5


@on_a_clock
async def test_no_bot_has_more_matches_at_once_than_it_can_play() -> None:
    async with opened() as room:
        bots = [room.bot(f"bot{limit}", max_matches=limit) for limit in (1, 2, 3)]
        for bot in bots:
            bot.say(seek(0))
            bot.say(seek(0, options={"edition": "1.x"}))
        await trio.sleep(5)
        counts = started(*bots)
        assert all(count <= limit for count, limit in zip(counts, (1, 2, 3), strict=True))
        assert sum(counts) == 2 * len(room.house.matches) >= 4


@on_a_clock
async def test_no_more_matches_are_open_than_the_operator_allows() -> None:
    async with opened(settings=Settings(open_matches=2)) as room:
        alice, bob = room.bot("alice", max_matches=9), room.bot("bob", max_matches=9)
        alice.say(seek(5))
        bob.say(seek(5))
        await trio.sleep(3)
        assert len(room.house.matches) == 2
        asked = await alice.ask(challenge("bob"))
        if isinstance(asked, say.Done):
            bob.say(say.AnswerChallenge(asked.id, accept=True))
        await quiet()
        assert len(room.house.matches) == 2


@on_a_clock
async def test_a_house_that_is_late_starts_no_match_until_it_is_not() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        room.lag = 5.0
        alice.say(seek())
        bob.say(seek())
        await trio.sleep(3)
        assert started(alice, bob) == [0, 0]
        room.lag = 0.0
        await trio.sleep(2)
        assert started(alice, bob) == [1, 1]


@on_a_clock
async def test_a_cancelled_seek_meets_nobody() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice", max_matches=9), room.bot("bob", max_matches=9)
        first, second = [(await alice.ask(seek(0, clock=clock))).id for clock in (CLOCK, None)]
        assert isinstance(await alice.ask(say.Cancel(first)), say.Done)
        assert (await alice.refusal(say.Cancel(first))).reason == say.Reason.UNKNOWN_ID
        assert (await bob.refusal(say.Cancel(second))).reason == say.Reason.UNKNOWN_ID
        bob.say(seek(clock=CLOCK))
        await quiet()
        assert started(bob) == [0]
        bob.say(seek())
        await quiet()
        assert started(bob) == [1]
        assert isinstance(await alice.ask(say.Cancel("")), say.Done)
        bob.say(seek())
        await quiet()
        assert started(bob) == [1]


@on_a_clock
async def test_the_seeks_of_a_bot_go_with_its_stream() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        alice.say(seek())
        alice.join()
        bob.say(seek())
        await quiet()
        assert started(alice, bob) == [0, 0]
        bob.part()
        alice.say(seek())
        await quiet()
        assert started(alice, bob) == [0, 0]


@pytest.mark.parametrize(
    ("message", "reason", "field"),
    [
        (seek(game="chess"), say.Reason.UNKNOWN_GAME, "seek.game"),
        (seek(options={"edition": "3.0"}), say.Reason.BAD_OPTION, "seek.options"),
        (seek(options={"colour": "red"}), say.Reason.BAD_OPTION, "seek.options"),
        (seek(options={"data": "/etc/passwd"}), say.Reason.BAD_OPTION, "seek.options"),
        (seek(seat="brutus"), say.Reason.BAD_OPTION, "seek.seat"),
        (challenge("bob", edition="3.0"), say.Reason.BAD_OPTION, "challenge.options"),
        (challenge("bob", seat="brutus"), say.Reason.BAD_OPTION, "challenge.seat"),
        (challenge("nobody"), say.Reason.OPPONENT_ABSENT, "challenge.opponent"),
    ],
)
@on_a_clock
async def test_what_cannot_be_played_is_refused(message: Any, reason: say.Reason, field: str) -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        refused = await alice.refusal(message)
        assert (refused.reason, refused.field, bool(refused.text)) == (reason, field, True)
        assert bob.heard(say.Challenged) == []


# --- Challenges ---


@on_a_clock
async def test_an_accepted_challenge_becomes_a_match_with_the_seat_wished_for() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        made = await alice.ask(challenge("bob", seat=POMPEY, clock=CLOCK, edition="1.x"))
        asked = await bob.hear(say.Challenged)
        assert (asked.id, asked.opponent, asked.game, asked.seat) == (made.id, "alice", GAME, CAESAR)
        assert (asked.options, asked.clock) == ({"edition": "1.x", "deployment": "historical"}, CLOCK)
        assert isinstance(await bob.ask(say.AnswerChallenge(made.id, accept=True)), say.Done)
        begun = await alice.hear(say.MatchStarted)
        assert begun.seats == {CAESAR: "bob", POMPEY: "alice"}
        assert (begun.seat, begun.clock, begun.options) == (POMPEY, CLOCK, asked.options)
        other = await bob.hear(say.MatchStarted)
        assert (other.match, other.origin, begun.origin) == (begun.match, made.id, made.id)
        refused = await bob.refusal(say.AnswerChallenge(made.id, accept=True))
        assert refused.reason == say.Reason.UNKNOWN_ID


@on_a_clock
async def test_a_challenge_is_closed_when_it_is_declined_cancelled_or_not_answered() -> None:
    async with opened() as room:
        alice, bob, carol = (room.bot(name) for name in ("alice", "bob", "carol"))
        made = await alice.ask(challenge("bob"))
        assert (await bob.hear(say.Challenged)).seat == ""
        for stranger in (alice, carol):
            answer = say.AnswerChallenge(made.id, accept=True)
            assert (await stranger.refusal(answer)).reason == say.Reason.UNKNOWN_ID
        await bob.ask(say.AnswerChallenge(made.id, accept=False))
        closed = await alice.hear(say.ChallengeClosed)
        assert (closed.id, closed.reason) == (made.id, "declined")

        made = await alice.ask(challenge("bob"))
        await alice.ask(say.Cancel(made.id))
        closed = await bob.hear(say.ChallengeClosed)
        assert (closed.id, closed.reason) == (made.id, "cancelled")

        made = await alice.ask(challenge("bob"))
        began = trio.current_time()
        for bot in (alice, bob):
            closed = await bot.hear(say.ChallengeClosed)
            assert (closed.id, closed.reason) == (made.id, "expired")
        assert 60 <= trio.current_time() - began <= 61.1
        assert started(alice, bob, carol) == [0, 0, 0]
        assert [len(bot.heard(say.ChallengeClosed)) for bot in (alice, bob, carol)] == [2, 2, 0]


@pytest.mark.parametrize("goes", ["parts", "leaves", "is superseded"])
@on_a_clock
async def test_a_challenge_is_gone_when_one_of_the_two_goes(goes: str) -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        for one, other in ((alice, bob), (bob, alice)):
            made = await one.ask(challenge(other.name))
            if goes == "parts":
                bob.part()
            elif goes == "leaves":
                bob.say(say.Leave())
                bob.part()
            bob.join()
            closed = await alice.hear(say.ChallengeClosed)
            assert (closed.id, closed.reason) == (made.id, "gone")
            refused = await alice.refusal(say.AnswerChallenge(made.id, accept=True))
            assert refused.reason == say.Reason.UNKNOWN_ID


@on_a_clock
async def test_a_bot_that_is_full_or_leaves_takes_no_challenge() -> None:
    async with opened() as room:
        alice, bob, carol = (room.bot(name) for name in ("alice", "bob", "carol"))
        made = await carol.ask(challenge("alice"))
        match_id = await room.seat(alice, bob)
        refused = await carol.refusal(challenge("bob"))
        assert (refused.reason, refused.field) == (say.Reason.OPPONENT_ABSENT, "challenge.opponent")
        refused = await alice.refusal(say.AnswerChallenge(made.id, accept=True))
        assert refused.reason == say.Reason.BUSY
        assert refused.retry_after_ms > 0
        alice.say(say.Resign(match_id))
        await bob.hear(say.MatchEnded)
        await bob.ask(say.Leave())
        assert (await carol.refusal(challenge("bob"))).reason == say.Reason.OPPONENT_ABSENT
        await alice.ask(say.AnswerChallenge(made.id, accept=True))
        await carol.hear(say.MatchStarted)


# --- Limits ---


@on_a_clock
async def test_open_seeks_and_challenges_are_limited() -> None:
    async with opened(settings=Settings(limits=Limits(seeks=2, challenges=3))) as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        ids = [(await alice.ask(seek(seat=CAESAR))).id for _ in range(2)]
        refused = await alice.refusal(seek())
        assert (refused.reason, refused.limit) == (say.Reason.LIMIT, "seeks")
        assert refused.retry_after_ms > 0
        await alice.ask(say.Cancel(ids[0]))
        assert isinstance(await alice.ask(seek(seat=CAESAR)), say.Done)
        for _ in range(3):
            assert isinstance(await alice.ask(challenge("bob")), say.Done)
        refused = await alice.refusal(challenge("bob"))
        assert (refused.reason, refused.limit) == (say.Reason.LIMIT, "challenges")
        assert len(bob.heard(say.Challenged)) == 3


@on_a_clock
async def test_too_many_messages_are_refused_and_told_when_to_try_again() -> None:
    async with opened(settings=Settings(limits=Limits(messages_per_s=10, messages_burst=5))) as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        for _ in range(5):
            assert isinstance(await alice.ask(say.Ping(1)), say.ServerPong)
        refused = await alice.refusal(seek())
        assert (refused.reason, refused.limit) == (say.Reason.LIMIT, "messages_per_s")
        assert 90 < refused.retry_after_ms <= 101
        assert isinstance(await bob.ask(say.Ping(1)), say.ServerPong)  # each stream has its own
        await trio.sleep(refused.retry_after_ms / 1000)
        assert isinstance(await alice.ask(seek()), say.Done)
        assert (await alice.refusal(seek())).limit == "messages_per_s"


def test_a_bucket_gives_its_burst_and_then_its_rate() -> None:
    bucket = Bucket(rate=4, burst=3)
    assert [bucket.take(10) for _ in range(4)] == [0, 0, 0, 0.25]
    assert bucket.take(10.25) == 0
    assert bucket.take(10.25) == 0.25
    assert [bucket.take(1000) for _ in range(4)] == [0, 0, 0, 0.25]
    # Stamps come from the edge and may lie a little back; nothing is won or lost by it.
    assert bucket.take(999.5) > 0
    assert [bucket.take(1000.5) for _ in range(3)] == [0, 0, 0.25]
