"""Clocks: what a decision costs, when it starts and stops, and who loses by it."""

from dataclasses import replace

import pytest
import trio

from lictor.engine import registry
from lictor.engine.record import read, verify
from lictor.server.matches import messages as say
from lictor.server.matches.alarm import Alarm
from lictor.server.matches.clocks import MOST_MS, BadClock, Clock
from support.seats import CAESAR, POMPEY, Bot, Room, about, act, on_a_clock, opened, quiet, seek

CLOCK = Clock(60_000, 5_000, 20_000, 10_000, 100, 15_000)
SLACK_S = 0.06  # what the timer waits on top, without lag


async def ending(bot: Bot) -> tuple[str, str, str]:
    """Return how a match ended, and who lost and won by it."""
    ended = (await bot.hear(say.MatchEnded)).ending
    return ended.kind, ended.seat, ended.winner


# --- Plain arithmetic ---


def test_a_clock_that_never_ends_or_pays_into_no_bank_cannot_be_had() -> None:
    for values in (
        {"base_ms": 0, "increment_ms": 0, "per_decision_ms": 0},
        {"base_ms": 0},
        {"base_ms": -1},
        {"base_ms": MOST_MS + 1},
        {"start_grace_ms": 60_001},
    ):
        with pytest.raises(BadClock):
            Clock(**values)
    assert Clock.of(CLOCK.values()) == CLOCK


def test_the_lag_allowance_comes_off_first_and_a_bank_never_falls_below_nothing() -> None:
    assert [CLOCK.charge(elapsed) for elapsed in (0, 99.9, 100, 101.9, 3000)] == [0, 0, 0, 1, 2900]
    assert [CLOCK.spend(1000, charged) for charged in (0, 400, 1000, 1001)] == [1000, 600, 0, 0]
    assert [CLOCK.limit(bank) for bank in (60_000, 20_000, 700, 0)] == [20_000, 20_000, 700, 0]
    assert replace(CLOCK, per_decision_ms=0).limit(60_000) == 60_000
    assert [CLOCK.pay(1000, turns) for turns in (0, 1, 3)] == [1000, 6000, 16_000]
    assert CLOCK.pay(MOST_MS - 1, 1) == MOST_MS
    without = Clock(0, 0, 7_000)
    assert (without.limit(0), without.spend(0, 500), without.pay(0, 2)) == (7_000, 0, 0)


@on_a_clock
async def test_an_alarm_rings_at_the_time_set_last() -> None:
    for first, then, rings in ((5.0, 2.0, 2.0), (5.0, 9.0, 9.0), (5.0, 5.0, 5.0)):
        alarm, began = Alarm(), trio.current_time()
        alarm.set(began + first)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(alarm.ring)
            await trio.sleep(1)
            alarm.set(began + then)
        assert trio.current_time() - began == pytest.approx(rings)


# --- What a decision costs ---


@on_a_clock
async def test_the_bank_falls_by_the_time_thought_less_the_lag_allowance() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        one, other = await room.deal(alice, bob, CLOCK)
        assert (one.banks, one.limit_ms) == ([60_000, 60_000], 20_000)
        await trio.sleep(0.08)
        await bob.act(other, 0)
        await trio.sleep(2.92)
        await alice.act(one, 0)
        one, other = await alice.hear(say.Decide), await bob.hear(say.Decide)
        assert one.banks == other.banks == about([57_100, 60_000])
        assert (one.think_ms, one.charged_ms) == (about(3000), about(2900))
        assert (other.think_ms, other.charged_ms) == (about(80), 0)


@on_a_clock
async def test_the_increment_comes_once_a_game_turn_to_each_seat_and_never_for_an_order() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        for bot in (alice, bob):
            bot.say(seek(clock=CLOCK))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(alice.play, 1)
            nursery.start_soon(bot.play, 2)
        turns = set()
        for decide in alice.heard(say.Decide) + bob.heard(say.Decide):
            begun = (decide.observation.year - 705) * 5 + decide.observation.turn - 1
            assert decide.banks == [60_000 + 5_000 * begun] * 2
            turns.add(begun)
        assert turns == set(range(25))


@on_a_clock
async def test_thinking_in_one_turn_is_not_made_up_by_more_than_one_increment() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decide = await room.march(alice, bob, CLOCK)
        await trio.sleep(1.1)
        await alice.act(decide, "end_moves")
        await alice.act(await alice.hear(say.Decide), "end_levies")
        await bob.act(await bob.hear(say.Decide), "end_moves")
        decide = await bob.hear(say.Decide)
        assert decide.banks == about([59_000, 60_000])
        await trio.sleep(0.6)
        await bob.act(decide, "end_levies")
        assert (await alice.hear(say.Decide)).banks == about([64_000, 64_500])
        assert (await bob.hear(say.Decide)).banks == about([64_000, 64_500])


@on_a_clock
async def test_what_the_server_needs_itself_is_charged_to_nobody() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decide = await room.march(alice, bob, CLOCK)
        room.disk.hold()
        alice.say(act(decide, "end_moves"))
        await trio.sleep(300)
        room.disk.release()
        decide = await alice.hear(say.Decide)
        assert (decide.banks, decide.limit_ms, decide.charged_ms) == ([60_000, 60_000], 20_000, 0)
        assert decide.server_ms == pytest.approx(300_000)
        await trio.sleep(1.1)
        await alice.act(decide, "end_levies")
        assert (await bob.hear(say.Decide)).banks == about([59_000, 60_000])


@on_a_clock
async def test_the_wire_is_the_median_round_trip_of_recent_pings() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        for wait in (0.02, 0.04, 3.0):
            ping = await alice.hear(say.ServerPing)
            await trio.sleep(wait)
            alice.say(say.Pong(ping.nonce))
            alice.say(say.Pong(ping.nonce))
            alice.say(say.Pong(99_999))
        decide, _ = await room.deal(alice, bob, CLOCK)
        assert decide.wire_ms == pytest.approx(40)


# --- Losing by it ---


@pytest.mark.parametrize(
    ("clock", "limit"),
    [
        (CLOCK, 20.0),
        (replace(CLOCK, base_ms=4_000), 4.0),
        (replace(CLOCK, per_decision_ms=0), 60.0),
        (Clock(0, 0, 3_000, 10_000, 100, 15_000), 3.0),
    ],
)
@on_a_clock
async def test_silence_loses_on_time_after_the_bank_or_the_limit_of_a_decision(clock: Clock, limit: float) -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        one, other = await room.deal(alice, bob, clock)
        assert other.limit_ms == limit * 1000
        assert (await alice.act(one, 0)).applied == 1
        began = trio.current_time()
        assert await ending(alice) == ("time", POMPEY, CAESAR)
        assert limit + 0.1 < trio.current_time() - began <= limit + 0.1 + SLACK_S
        assert await ending(bob) == ("time", POMPEY, CAESAR)
        record = room.disk.record(one.match)
        assert verify(record, registry.get).winner == CAESAR
        assert read(record).footer["termination"]["kind"] == "time"


@on_a_clock
async def test_an_answer_in_the_last_millisecond_counts_and_empties_the_bank() -> None:
    clock = replace(CLOCK, base_ms=4_000, increment_ms=0)
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        one, other = await room.deal(alice, bob, clock)
        await bob.act(other, 0)
        await trio.sleep(4.1)
        assert isinstance(await alice.act(one, 0), say.Accepted)
        decide = await alice.hear(say.Decide)
        assert (decide.banks, decide.limit_ms, decide.charged_ms) == (about([0, 4_000]), about(0), about(4_000))
        # With an empty bank there is still the lag allowance.
        await trio.sleep(0.1)
        assert isinstance(await alice.act(decide, 0), say.Accepted)


@on_a_clock
async def test_an_act_stamped_in_time_counts_after_the_timer_has_fired() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        one, other = await room.deal(alice, bob, CLOCK)
        await bob.act(other, 0)
        began = trio.current_time()
        await trio.sleep(20.12)  # the limit, the allowance, and a little more
        assert isinstance(await alice.act(one, 0, stamp=began + 20.1), say.Accepted)
        one, other = await alice.hear(say.Decide), await bob.hear(say.Decide)
        await bob.act(other, 0)
        began = trio.current_time()
        room.lag = 3.0  # the loop is late: what came in time may come much later
        await trio.sleep(25)
        assert isinstance(await alice.act(one, 0, stamp=began + 20.0), say.Accepted)
        assert alice.heard(say.MatchEnded) == []


@on_a_clock
async def test_an_act_that_came_too_late_is_told_how_late_it_was() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        one, other = await room.deal(alice, bob, CLOCK)
        await bob.act(other, 0)
        began = trio.current_time()
        await trio.sleep(20.12)
        refused = await alice.refusal(act(one, 0), stamp=began + 20.115)
        assert (refused.reason, refused.match, refused.decision) == (say.Reason.MATCH_OVER, one.match, 1)
        assert "20115 ms" in refused.text
        assert "20100 ms" in refused.text
        assert await ending(alice) == ("time", CAESAR, POMPEY)
        refused = await alice.refusal(act(one, 0))
        assert refused.reason == say.Reason.MATCH_OVER


@on_a_clock
async def test_only_who_lost_on_time_is_told_that_an_answer_came_too_late() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        one, other = await room.deal(alice, bob, CLOCK)
        alice.say(say.Resign(one.match))
        for bot, decide in ((alice, one), (bob, other)):
            refused = await bot.refusal(act(decide, 0))
            assert refused.reason == say.Reason.MATCH_OVER
            assert "too late" not in refused.text


# --- Absent seats ---


@on_a_clock
async def test_a_seat_that_is_away_is_on_its_clock_and_loses_by_abandonment() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        one, _ = await room.deal(alice, bob, replace(CLOCK, reconnect_grace_ms=0))
        await alice.act(one, 0)
        await trio.sleep(5)
        bob.part()
        began = trio.current_time()
        assert await ending(alice) == ("abandonment", POMPEY, CAESAR)
        assert 15.1 < trio.current_time() - began <= 15.1 + SLACK_S
        assert bob.heard(say.MatchEnded) == []


@on_a_clock
async def test_a_seat_that_owes_a_decision_may_be_away_for_the_reconnect_grace() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        clock = replace(CLOCK, reconnect_grace_ms=6_000)
        one, other = await room.deal(alice, bob, clock)
        await alice.act(one, 0)
        for _ in range(2):
            bob.part()
            await trio.sleep(5.9)
            bob.join()
            other = await bob.hear(say.Decide)
        assert other.limit_ms == about(20_000 - 11_700)
        bob.part()
        began = trio.current_time()
        assert await ending(alice) == ("abandonment", POMPEY, CAESAR)
        assert 6.0 <= trio.current_time() - began <= 6.0 + SLACK_S


@on_a_clock
async def test_a_seat_that_owes_nothing_may_be_away_and_its_clock_starts_when_its_decision_falls_due() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decide = await room.march(alice, bob, CLOCK)
        bob.part()
        await trio.sleep(19)
        await alice.act(decide, "end_moves")
        await trio.sleep(0)
        await alice.act(await alice.hear(say.Decide), "end_levies")
        await trio.sleep(7.1)
        bob.join()
        decide = await bob.hear(say.Decide)
        assert decide.limit_ms == about(13_000)
        await trio.sleep(1)
        await bob.act(decide, "end_moves")
        decide = await bob.hear(say.Decide)
        assert (decide.think_ms, decide.charged_ms) == (about(8_100), about(8_000))
        assert decide.banks[1] == about(52_000)


@on_a_clock
async def test_coming_back_does_not_start_the_clock_again() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        one, _ = await room.deal(alice, bob, CLOCK)
        await trio.sleep(4.1)
        alice.join()
        again = await alice.hear(say.Decide)
        assert (again.decision, again.limit_ms, again.banks) == (1, about(16_000), one.banks)
        await trio.sleep(1)
        await alice.act(again, 0)
        await bob.act(bob.heard(say.Decide)[0], 0)
        assert (await alice.hear(say.Decide)).charged_ms == about(5_000)


# --- When it starts ---


@on_a_clock
async def test_the_clock_starts_when_the_decision_was_handed_over_and_not_when_it_was_put() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        alice.link.withheld = True
        one, other = await room.deal(alice, bob, CLOCK)
        await bob.act(other, 0)
        await trio.sleep(100)
        alice.link.hand_over()
        await trio.sleep(1)
        assert isinstance(await alice.act(one, 0), say.Accepted)
        assert (await alice.hear(say.Decide)).charged_ms == about(900)


@on_a_clock
async def test_a_decision_that_was_never_handed_over_runs_from_when_the_stream_broke() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        alice.link.withheld = True
        _, other = await room.deal(alice, bob, CLOCK)
        await bob.act(other, 0)
        await trio.sleep(100)
        alice.part()
        await trio.sleep(3.1)
        alice.join()
        assert (await alice.hear(say.Decide)).limit_ms == about(17_000)


# --- The start ---


async def entropies(room: Room, match_id: str) -> object:
    await quiet()
    (found,) = (match for match in room.disk.open_matches() if match.row.id == match_id)
    return found.entropies


@on_a_clock
async def test_silence_at_the_start_means_no_entropy_and_the_match_begins_after_the_grace() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        match_id = await room.seat(alice, bob, CLOCK)
        began = trio.current_time()
        assert isinstance(await alice.ask(say.Entropy(match_id, b"dice")), say.Done)
        await trio.sleep(9.9)
        assert alice.heard(say.Decide) == []
        assert await entropies(room, match_id) is None
        assert (await alice.ask(say.GetHistory(match_id, 0))).opening is None
        assert (await alice.ask(say.Observe(match_id))).observation is None
        await bob.hear(say.Decide)
        assert trio.current_time() - began == pytest.approx(10)
        assert await entropies(room, match_id) == {CAESAR: b"dice", POMPEY: b""}
        refused = await bob.refusal(say.Entropy(match_id, b"late"))
        assert (refused.reason, refused.match) == (say.Reason.ENTROPY_CLOSED, match_id)


@on_a_clock
async def test_the_match_begins_at_once_when_both_have_answered() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        match_id = await room.seat(alice, bob, CLOCK)
        started = alice.heard(say.MatchStarted)[0]
        assert (started.entropy_wanted, started.resumed, started.events, started.clock) == (True, False, 0, CLOCK)
        began = trio.current_time()
        assert isinstance(await alice.ask(say.Entropy(match_id, b"1" * 32)), say.Done)
        assert (await alice.refusal(say.Entropy(match_id, b"2"))).reason == say.Reason.ENTROPY_CLOSED
        refused = await bob.refusal(say.Entropy(match_id, b"3" * 33))
        assert (refused.reason, refused.field) == (say.Reason.MALFORMED, "entropy.entropy")
        assert "33 bytes" in refused.text
        assert alice.heard(say.Decide) == []
        assert isinstance(await bob.ask(say.Entropy(match_id, b"")), say.Done)
        await alice.hear(say.Decide)
        await bob.hear(say.Decide)
        assert trio.current_time() == began
        assert await entropies(room, match_id) == {CAESAR: b"1" * 32, POMPEY: b""}


@on_a_clock
async def test_entropy_changes_the_deal() -> None:
    hands = []
    for entropy in (b"", b"a", b"a"):
        async with opened() as room:
            alice, bob = room.bot("alice"), room.bot("bob")
            match_id = await room.seat(alice, bob, CLOCK)
            alice.say(say.Entropy(match_id, b""))
            bob.say(say.Entropy(match_id, entropy))
            hands.append((await alice.hear(say.Decide)).observation.hand)
    assert hands[0] != hands[1] == hands[2]


@on_a_clock
async def test_a_match_whose_seats_are_both_gone_begins_and_ends_by_itself() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        match_id = await room.seat(alice, bob, CLOCK)
        alice.part()
        bob.part()
        await trio.sleep(26)
        assert room.house.matches == {}
        assert room.disk.finished(match_id).ending.kind == "abandonment"
