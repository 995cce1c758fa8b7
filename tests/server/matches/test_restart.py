"""A house that was killed goes on where it was when it opens again."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
import trio

from lictor.engine import registry
from lictor.engine.game import seen_events
from lictor.engine.record import read, replay, verify
from lictor.server.edge.convert import codec_for
from lictor.server.edge.lists import open_summary
from lictor.server.matches import messages as say
from lictor.server.matches.clocks import Clock
from support.seats import CAESAR, GAME, POMPEY, Bot, Disk, Watcher, about, act, on_a_clock, opened, quiet, seek

CLOCK = Clock(60_000, 5_000, 20_000, 10_000, 100, 30_000)
MATCHES = 20


async def play_on(bot: Bot, seed: int) -> None:
    """Play at random until the house is killed, thinking a while about each decision."""
    chance = random.Random(seed)
    async with trio.open_nursery() as nursery:
        while True:
            message = await bot.next()
            if isinstance(message, say.MatchStarted):
                bot.say(say.Entropy(message.match, chance.randbytes(8)))
            elif isinstance(message, say.Decide):
                seconds = chance.randrange(1, 5) / 4  # few different times: many answers share a commit
                nursery.start_soon(answer, bot, message, chance.randrange(len(message.actions)), seconds)


async def answer(bot: Bot, decide: say.Decide, index: int, seconds: float) -> None:
    await trio.sleep(seconds)
    bot.say(act(decide, index))


def owed(bot: Bot) -> dict[str, say.Decide]:
    """Return the decisions that a bot knows it owes: asked, and not acknowledged as answered."""
    done = {(accepted.match, accepted.decision) for accepted in bot.heard(say.Accepted)}
    return {decide.match: decide for decide in bot.heard(say.Decide) if (decide.match, decide.decision) not in done}


@on_a_clock
async def test_twenty_matches_go_on_after_a_crash_and_all_of_them_end_well(tmp_path: Path) -> None:
    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        before = [room.bot(name, max_matches=MATCHES) for name in ("alice", "bob")]
        async with trio.open_nursery() as nursery:
            for seed, bot in enumerate(before):
                bot.say(seek(MATCHES, clock=CLOCK))
                nursery.start_soon(play_on, bot, seed)
            await trio.sleep(25)  # in the first year: none can be over
            disk.hold()  # some answers are on their way when it dies
            await trio.sleep(0.6)
            nursery.cancel_scope.cancel()
        assert disk.held > 3
        assert len(room.house.matches) == MATCHES
        started = {bot.name: {s.match: s for s in bot.heard(say.MatchStarted)} for bot in before}
        debts = {bot.name: owed(bot) for bot in before}
        for match_id, match in room.house.matches.items():
            waited_for = [bot.name for bot in before if match_id in debts[bot.name]]
            assert waited_for, (match_id, match.over, match.chairs, disk.faults, disk.inner.errors)
    disk.crash()

    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        after = [room.bot(name, max_matches=MATCHES) for name in ("alice", "bob")]
        await quiet()
        for bot in after:
            (welcome,) = bot.heard(say.Welcome)
            assert {seat.match for seat in welcome.seats} == set(started[bot.name])
            assert {seat.match for seat in welcome.seats if seat.to_act} == set(debts[bot.name])
            for again in bot.heard(say.MatchStarted):
                first = started[bot.name][again.match]
                known = replace(first, resumed=True, entropy_wanted=False, events=again.events, origin="")
                assert again == known
            asked = {decide.match: decide for decide in bot.heard(say.Decide)}
            assert set(asked) == set(debts[bot.name])
            for match_id, debt in debts[bot.name].items():
                decide = asked[match_id]
                assert (decide.decision, decide.observation) == (debt.decision, debt.observation)
                assert (decide.actions, decide.limit_ms) == (debt.actions, debt.limit_ms)
                assert decide.banks == debt.banks
                assert (decide.told.first, decide.told.events) == (debt.told.first, debt.told.events)
        async with trio.open_nursery() as nursery:
            for seed, bot in enumerate(after):
                nursery.start_soon(bot.play, seed, MATCHES)
        for ended in after[0].heard(say.MatchEnded):
            assert ended.ending.kind in ("victory", "draw")
            assert verify(disk.record(ended.match), registry.get).match == ended.match
        for bot, earlier in zip(after, before, strict=True):
            for match_id in started[bot.name]:
                decisions = {decide.decision for decide in (*earlier.heard(say.Decide), *bot.heard(say.Decide))
                             if decide.match == match_id}  # fmt: skip
                assert decisions == set(range(1, len(decisions) + 1))
        assert len({ended.match for ended in after[0].heard(say.MatchEnded)}) == MATCHES
        assert disk.inner.errors == []
    disk.close()


@on_a_clock
async def test_nobody_is_charged_for_the_outage_nor_for_what_he_thought_before_it(tmp_path: Path) -> None:
    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decide = await room.march(alice, bob, CLOCK)
        await trio.sleep(2.1)
        await alice.act(decide, "end_moves")
        decide = await alice.hear(say.Decide)
        await trio.sleep(10)
    disk.crash()
    await trio.sleep(1000)

    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        await trio.sleep(25)
        alice = room.bot("alice")
        again = await alice.hear(say.Decide)
        assert (again.banks, again.limit_ms) == (about([58_000, 60_000]), 20_000)
        await trio.sleep(1.1)
        await alice.act(again, "end_levies")
        await quiet()
        assert (await alice.ask(say.Observe(again.match))).banks == about([57_000, 60_000])
    disk.close()


@on_a_clock
async def test_who_does_not_come_back_after_a_restart_is_on_his_clock_when_the_grace_is_over(tmp_path: Path) -> None:
    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        decide = await room.march(room.bot("alice"), room.bot("bob"), CLOCK)
    disk.crash()
    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        began = trio.current_time()
        bob = room.bot("bob")
        ended = (await bob.hear(say.MatchEnded)).ending
        assert (ended.kind, ended.seat) == ("abandonment", CAESAR)
        assert trio.current_time() - began == pytest.approx(30 + 20.1, abs=0.1)
        assert ended == disk.finished(decide.match).ending
    disk.close()


@on_a_clock
async def test_a_decision_that_falls_due_in_the_grace_waits_for_an_absent_seat_as_well(tmp_path: Path) -> None:
    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        await room.march(room.bot("alice"), room.bot("bob"), CLOCK)
    disk.crash()
    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        alice = room.bot("alice")
        decide = await alice.hear(say.Decide)
        await alice.act(decide, "end_moves", "end_levies")
        await trio.sleep(29)  # less than the grace, more than Pompey has for a decision
        assert alice.heard(say.MatchEnded) == []
        assert (await room.bot("bob").hear(say.Decide)).limit_ms == 20_000
    disk.close()


def test_a_secret_choice_survives_a_restart_and_stays_secret(tmp_path: Path) -> None:
    @on_a_clock
    async def world(path: Path, answered: bool) -> list[bytes]:
        disk = Disk.at(path)
        async with opened(disk) as room:
            alice, bob = room.bot("alice"), room.bot("bob")
            one, _ = await room.deal(alice, bob, CLOCK)
            await trio.sleep(3)
            if answered:
                await alice.act(one, 2)
        disk.crash()
        disk = Disk.at(path)
        async with opened(disk) as room:
            watcher = Watcher()
            room.match(one.match).watchers.add(watcher)
            alice, bob = room.bot("alice"), room.bot("bob", encodes=True)
            decide = await bob.hear(say.Decide)
            await bob.ask(say.Observe(one.match))
            await bob.ask(say.GetHistory(one.match, 0))
            seen = [*bob.link.wire, open_summary(room.match(one.match)).SerializeToString()]
            assert watcher.told == []
            await quiet()
            if answered:
                assert alice.heard(say.Decide) == []
                assert (await alice.ask(say.Observe(one.match))).observation.discard == one.actions[2].card
                await bob.act(decide, 0)
                assert (await alice.hear(say.Decide)).decision == 2
                assert (await bob.hear(say.Decide)).decision == 2
        disk.close()
        return seen

    assert world(tmp_path / "yes.db", answered=True) == world(tmp_path / "no.db", answered=False)


@on_a_clock
async def test_a_match_that_was_over_but_not_filed_is_filed_at_the_restart(tmp_path: Path) -> None:
    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        match_id = await room.seat(alice, bob, CLOCK)
        disk.hold("finish")
        with trio.move_on_after(30):
            async with trio.open_nursery() as nursery:
                for seed, bot in enumerate((alice, bob)):
                    bot.say(say.Entropy(match_id, b""))
                    nursery.start_soon(bot.play, seed)
        assert disk.held == 1
        assert alice.heard(say.MatchEnded) == []
    disk.crash()
    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        await quiet()
        assert room.house.matches == {}
        assert verify(disk.record(match_id), registry.get).reason == disk.finished(match_id).ending.reason
        alice = room.bot("alice")
        assert alice.heard(say.Welcome)[0].seats == []
        assert (await alice.refusal(say.Observe(match_id))).reason == say.Reason.MATCH_OVER
        assert (await alice.hear(say.MatchEnded)).ending.kind in ("victory", "draw")
    disk.close()


@on_a_clock
async def test_a_draw_that_was_offered_or_refused_is_so_after_a_restart(tmp_path: Path) -> None:
    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decide = await room.march(alice, bob, CLOCK)
        await bob.ask(say.OfferDraw(decide.match))
        await alice.ask(say.AnswerDraw(decide.match, accept=False))
        await alice.ask(say.OfferDraw(decide.match))
    disk.crash()
    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        assert (await bob.hear(say.DrawOffered)).seat == CAESAR
        assert (await alice.refusal(say.OfferDraw(decide.match))).reason == say.Reason.NO_DRAW
        await bob.ask(say.AnswerDraw(decide.match, accept=False))
        assert (await bob.refusal(say.OfferDraw(decide.match))).reason == say.Reason.NO_DRAW
    disk.close()


@on_a_clock
async def test_a_match_that_does_not_come_out_the_same_is_held(tmp_path: Path, failures: list[str]) -> None:
    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        decide = await room.march(room.bot("alice"), room.bot("bob"), CLOCK)
    (found,) = disk.open_matches()
    disk.crash()
    disk = Disk.at(tmp_path / "lictor.db")
    changed = replace(found, actions=[row._replace(draws="[[6,1]]") for row in found.actions])
    disk.inner.open_matches = lambda: [changed]
    failures.append("match_held")
    async with opened(disk) as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        for bot in (alice, bob):
            (seat,) = bot.heard(say.Welcome)[0].seats
            assert "rules epoch" in seat.held
            assert seat.to_act is False
        await trio.sleep(200)
        for message in (act(decide, 0), say.Resign(decide.match), say.OfferDraw(decide.match)):
            assert (await alice.refusal(message)).reason == say.Reason.HELD
        assert not alice.heard(say.Decide)
        assert not bob.heard(say.MatchEnded)
    disk.close()


@on_a_clock
async def test_a_house_that_closes_sends_everybody_away_and_starts_nothing_more() -> None:
    async with opened() as room:
        alice, bob, carol = room.bot("alice"), room.bot("bob"), room.bot("carol")
        decide = await room.march(alice, bob, CLOCK)
        room.house.close()
        assert {bot.status() for bot in (alice, bob, carol)} == {"UNAVAILABLE"}
        for bot in (alice, bob, carol):
            bot.part()
        assert [found.row.id for found in room.disk.open_matches()] == [decide.match]
        assert room.house.busy()


async def play_badly(bot: Bot, seed: float) -> None:
    """Play at random, but lose the stream, say everything twice, and forget what was said before."""
    chance = random.Random(seed)
    while True:
        match await bot.next():
            case say.MatchStarted() as started if started.entropy_wanted:
                bot.say(say.Entropy(started.match, chance.randbytes(4)))
            case say.Decide() as decide:
                await trio.sleep(chance.choice((0, 0, 0.25)))
                answered = act(decide, chance.randrange(len(decide.actions)))
                for _ in range(chance.randrange(1, 3)):
                    bot.say(answered)
                if chance.random() < 0.1:
                    bot.part()
                    await trio.sleep(chance.randrange(3))
                if chance.random() < 0.2:
                    bot.join()  # again: the stream before, if there is one, is superseded
            case say.MatchEnded():
                return
            case None:
                bot.join()


@pytest.mark.parametrize("seed", range(2))
@on_a_clock
async def test_a_match_survives_bad_lines_and_crashes_and_tells_each_seat_everything_once(
    seed: int, tmp_path: Path
) -> None:
    decides: dict[str, dict[int, say.Decide]] = {CAESAR: {}, POMPEY: {}}
    chance, match_id, ended, crashes = random.Random(seed), "", False, -1
    while not ended:
        crashes += 1
        disk = Disk.at(tmp_path / "lictor.db")
        async with opened(disk) as room:
            alice, bob = room.bot("alice"), room.bot("bob")
            if not match_id:
                match_id = await room.seat(alice, bob, CLOCK)
                alice.say(say.Entropy(match_id, b""))
                bob.say(say.Entropy(match_id, b""))
            with trio.move_on_after(chance.randrange(5, 30)):
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(play_badly, alice, chance.random())
                    nursery.start_soon(play_badly, bob, chance.random())
            disk.hold()  # what comes now is lost
            await trio.sleep(0.01)
            for seat, bot in ((CAESAR, alice), (POMPEY, bob)):
                for decide in bot.heard(say.Decide):
                    known = decides[seat].setdefault(decide.decision, decide)
                    assert (known.observation, known.actions) == (decide.observation, decide.actions)
                    assert (known.told.first, known.told.events) == (decide.told.first, decide.told.events)
                assert {refused.reason for refused in bot.heard(say.Refused)} <= {say.Reason.MATCH_OVER}
            ended = bool(alice.heard(say.MatchEnded) or bob.heard(say.MatchEnded))
            assert disk.faults == disk.inner.errors == []
        record = disk.record(match_id)
        disk.crash()
    assert crashes >= 3
    assert verify(record, registry.get).reason not in ("time", "abandonment", "illegal_action", "server_abort")
    game, codec = registry.get(GAME), codec_for(GAME, {})
    for seat, asked in decides.items():
        assert sorted(asked) == list(range(1, len(asked) + 1))
        told = [event for number in sorted(asked) for event in asked[number].told.events]
        seen = [codec.event(e) for _, events in replay(read(record), game) for e in seen_events(events, seat)]
        assert told == seen[: len(told)]
