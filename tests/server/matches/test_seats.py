"""Seats: who sits there, comes, goes, gives up, agrees; and what others may ask about a match."""

from typing import Any

import pytest
import trio

from lictor.engine import registry
from lictor.engine.record import verify
from lictor.server.matches import messages as say
from lictor.server.matches.clocks import Clock
from support.seats import CAESAR, POMPEY, Bot, Room, Watcher, on_a_clock, opened, quiet, seek

CLOCK = Clock(60_000, 5_000, 20_000, 10_000, 100, 15_000)


async def two(room: Room) -> tuple[Bot, Bot, say.Decide]:
    """Return two bots in a match in which the first is to move, having read everything."""
    alice, bob = room.bot("alice"), room.bot("bob")
    decide = await room.march(alice, bob, CLOCK)
    for bot in (alice, bob):
        bot.unread()
    return alice, bob, decide


async def kind_of_end(*bots: Bot) -> str:
    """Return how a match ended, which all bots are told alike."""
    endings = [(await bot.hear(say.MatchEnded)).ending for bot in bots]
    assert endings.count(endings[0]) == len(endings)
    return endings[0].kind


# --- Draws ---


@on_a_clock
async def test_an_offered_draw_is_agreed_when_the_other_accepts() -> None:
    async with opened() as room:
        alice, bob, decide = await two(room)
        assert isinstance(await alice.ask(say.OfferDraw(decide.match)), say.Done)
        offered = await bob.hear(say.DrawOffered)
        assert (offered.match, offered.seat) == (decide.match, CAESAR)
        assert isinstance(await bob.ask(say.AnswerDraw(decide.match, accept=True)), say.Done)
        assert await kind_of_end(alice, bob) == "draw_agreed"
        verified = verify(room.disk.record(decide.match), registry.get)
        assert (verified.winner, verified.reason) == (None, "draw_agreed")


@on_a_clock
async def test_a_draw_is_agreed_when_both_offer_it() -> None:
    async with opened() as room:
        alice, bob, decide = await two(room)
        await bob.ask(say.OfferDraw(decide.match))
        await alice.act(decide, "end_moves")  # an offer stands until it is answered
        assert isinstance(await alice.ask(say.OfferDraw(decide.match)), say.Done)
        assert await kind_of_end(alice, bob) == "draw_agreed"


@on_a_clock
async def test_a_refused_offer_may_be_made_again_after_ten_more_decisions() -> None:
    async with opened() as room:
        alice, bob, decide = await two(room)
        await alice.ask(say.OfferDraw(decide.match))
        refused = await alice.refusal(say.OfferDraw(decide.match))
        assert (refused.reason, refused.match) == (say.Reason.NO_DRAW, decide.match)
        assert isinstance(await bob.ask(say.AnswerDraw(decide.match, accept=False)), say.Done)
        assert (await alice.hear(say.DrawDeclined)).match == decide.match
        assert (await bob.refusal(say.AnswerDraw(decide.match, accept=True))).reason == say.Reason.NO_DRAW
        asked: dict[Bot, say.Decide] = {alice: decide}
        made = 0
        while made < 10:
            assert (await alice.refusal(say.OfferDraw(decide.match))).reason == say.Reason.NO_DRAW
            bot, question = asked.popitem()
            await bot.act(question, 0)
            made += bot is alice
            await quiet()
            for one in (alice, bob):
                for fresh in one.take(say.Decide):
                    asked[one] = fresh
        assert isinstance(await alice.ask(say.OfferDraw(decide.match)), say.Done)
        await bob.hear(say.DrawOffered)


@on_a_clock
async def test_nobody_can_answer_his_own_offer_or_one_that_was_not_made() -> None:
    async with opened() as room:
        alice, bob, decide = await two(room)
        for accept in (True, False):
            assert (await bob.refusal(say.AnswerDraw(decide.match, accept))).reason == say.Reason.NO_DRAW
        await alice.ask(say.OfferDraw(decide.match))
        assert (await alice.refusal(say.AnswerDraw(decide.match, accept=True))).reason == say.Reason.NO_DRAW
        assert decide.match in room.house.matches


@on_a_clock
async def test_a_seat_that_comes_back_hears_of_an_offer_that_stands() -> None:
    async with opened() as room:
        alice, bob, decide = await two(room)
        bob.part()
        await alice.ask(say.OfferDraw(decide.match))
        bob.join()
        assert (await bob.hear(say.DrawOffered)).seat == CAESAR
        assert len(bob.heard(say.DrawOffered)) == 1


# --- Giving up ---


@on_a_clock
async def test_a_seat_that_resigns_loses_also_when_it_is_not_its_turn() -> None:
    async with opened() as room:
        alice, bob, decide = await two(room)
        assert isinstance(await bob.ask(say.Resign(decide.match)), say.Done)
        ended = (await alice.hear(say.MatchEnded)).ending
        assert (ended.kind, ended.seat, ended.winner) == ("resignation", POMPEY, CAESAR)
        assert verify(room.disk.record(decide.match), registry.get).winner == CAESAR


@on_a_clock
async def test_a_match_may_be_given_up_before_it_begins() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        match_id = await room.seat(alice, bob, CLOCK)
        alice.say(say.Entropy(match_id, b"a"))
        alice.say(say.Resign(match_id))
        ended = await bob.hear(say.MatchEnded)
        assert (ended.ending.kind, ended.observation, ended.told.events) == ("resignation", None, [])
        assert verify(room.disk.record(match_id), registry.get).actions == 0


@on_a_clock
async def test_the_first_of_two_endings_counts() -> None:
    async with opened() as room:
        alice, bob, decide = await two(room)
        alice.say(say.Resign(decide.match))
        for message in (say.Resign(decide.match), say.OfferDraw(decide.match), say.Entropy(decide.match, b"")):
            assert (await bob.refusal(message)).reason == say.Reason.MATCH_OVER
        ended = (await bob.hear(say.MatchEnded)).ending
        assert (ended.kind, ended.seat) == ("resignation", CAESAR)


# --- Leaving ---


@on_a_clock
async def test_a_bot_that_leaves_finishes_its_match_and_takes_no_other() -> None:
    async with opened() as room:
        alice, bob, decide = await two(room)
        alice.say(seek())
        assert isinstance(await alice.ask(say.Leave()), say.Done)
        assert (await alice.refusal(seek())).reason == say.Reason.LEAVING
        refused = await alice.refusal(say.Challenge("bob", "julius_caesar", {}, "", None))
        assert refused.reason == say.Reason.LEAVING
        assert alice.status() == ""
        assert isinstance(await alice.act(decide, "end_moves"), say.Accepted)
        carol = room.bot("carol")
        carol.say(seek())
        await trio.sleep(5)
        alice.say(say.Resign(decide.match))
        await bob.hear(say.MatchEnded)
        await quiet()
        assert isinstance(alice.link.messages[-1], say.MatchEnded)
        assert alice.status() == "OK"
        assert carol.heard(say.MatchStarted) == []


@on_a_clock
async def test_a_bot_without_matches_leaves_at_once() -> None:
    async with opened() as room:
        alice = room.bot("alice")
        alice.say(say.Leave())
        assert alice.link.closed == ("OK", "")
        assert isinstance(alice.link.messages[-1], say.Done)


# --- Coming and going ---


@on_a_clock
async def test_a_second_stream_of_a_bot_takes_over_everything() -> None:
    async with opened() as room:
        alice, bob, decide = await two(room)
        old, old_session = alice.link, alice.session
        alice.join()
        assert isinstance(old.messages[-1], say.Superseded)
        assert old.closed is not None
        assert old.closed[0] == "ABORTED"
        room.house.part(old_session)  # as its edge notices that it is over
        heard = alice.unread()
        welcome, started, again = heard
        assert isinstance(welcome, say.Welcome)
        assert welcome.seats == [say.InProgress(decide.match, CAESAR, to_act=True, held="")]
        assert isinstance(started, say.MatchStarted)
        assert (started.match, started.resumed, started.seat) == (decide.match, True, CAESAR)
        assert started.events == decide.told.first + len(decide.told.events) - 1
        assert isinstance(again, say.Decide)
        assert (again.decision, again.observation) == (decide.decision, decide.observation)
        assert (again.told.first, again.told.events) == (decide.told.first, decide.told.events)
        assert isinstance(await alice.act(again, "end_moves"), say.Accepted)
        assert bob.unread() == []


@on_a_clock
async def test_a_stream_that_was_superseded_starts_nothing_any_more() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice", max_matches=3), room.bot("bob", max_matches=3)
        old = alice.session
        bob.say(say.Challenge("alice", "julius_caesar", {}, "", CLOCK))
        alice.join()
        # What was on its way when the second stream came.
        room.house.handle(old, seek(clock=CLOCK), 1, trio.current_time())
        bob.say(seek(clock=CLOCK))
        await trio.sleep(5)
        for started in bob.heard(say.MatchStarted):
            assert started.match in {own.match for own in alice.heard(say.MatchStarted)}


@on_a_clock
async def test_a_bot_that_parts_and_joins_again_goes_on_where_it_was() -> None:
    async with opened() as room:
        alice, bob, decide = await two(room)
        bob.part()
        await trio.sleep(20)
        bob.join()
        welcome, started = bob.unread()
        assert isinstance(welcome, say.Welcome)
        assert welcome.seats == [say.InProgress(decide.match, POMPEY, to_act=False, held="")]
        assert isinstance(started, say.MatchStarted)
        assert started.resumed
        await alice.act(decide, "end_moves", "end_levies")
        question = await bob.hear(say.Decide)
        assert question.decision == 3
        history = await bob.ask(say.GetHistory(decide.match, 0))
        assert history.last == question.told.first + len(question.told.events) - 1
        for _ in range(3):
            bob.part()
            bob.join()
            again = await bob.hear(say.Decide)
            assert (again.decision, again.told.events) == (3, question.told.events)
        assert isinstance(await bob.act(again, "end_moves"), say.Accepted)


@on_a_clock
async def test_a_seat_that_parts_twice_or_was_never_there_harms_nothing() -> None:
    async with opened() as room:
        alice, bob, decide = await two(room)
        bob.part()
        bob.part()
        bob.join()
        assert isinstance(await alice.act(decide, "end_moves", "end_levies"), say.Accepted)
        await bob.hear(say.Decide)


@on_a_clock
async def test_a_match_that_ended_while_a_bot_was_away_is_told_when_it_asks() -> None:
    async with opened() as room:
        alice, bob, decide = await two(room)
        bob.part()
        alice.say(say.Resign(decide.match))
        await alice.hear(say.MatchEnded)
        bob.join()
        assert bob.heard(say.Welcome)[-1].seats == []
        refused = await bob.refusal(say.GetHistory(decide.match, 0))
        assert refused.reason == say.Reason.MATCH_OVER
        ended = await bob.hear(say.MatchEnded)
        assert ended.ending == alice.heard(say.MatchEnded)[0].ending
        assert ended.secret == alice.heard(say.MatchEnded)[0].secret


# --- What concerns others ---


ABOUT: list[Any] = [
    lambda match: say.Act(match, 1, [say.Choice(index=0)]),
    lambda match: say.Entropy(match, b""),
    lambda match: say.Resign(match),
    lambda match: say.OfferDraw(match),
    lambda match: say.AnswerDraw(match, accept=True),
    lambda match: say.GetHistory(match, 0),
    lambda match: say.Observe(match),
]


@pytest.mark.parametrize("about", ABOUT)
@on_a_clock
async def test_a_match_of_others_looks_like_one_that_does_not_exist(about: Any) -> None:
    async with opened() as room:
        alice, bob, decide = await two(room)
        carol = room.bot("carol")
        answers = [await carol.refusal(about(match)) for match in (decide.match, "nothing", "", "x" * 5000)]
        alice.say(say.Resign(decide.match))
        await bob.hear(say.MatchEnded)
        answers.append(await carol.refusal(about(decide.match)))
        assert {answer.reason for answer in answers} == {say.Reason.UNKNOWN_MATCH}
        assert len({(answer.text, answer.field, answer.decision, answer.retry_after_ms) for answer in answers}) == 1
        assert [answer.match for answer in answers[:3]] == [decide.match, "nothing", ""]


@pytest.mark.parametrize("about", ABOUT)
@on_a_clock
async def test_after_the_end_an_own_match_is_over_and_its_end_is_told_again(about: Any) -> None:
    async with opened() as room:
        alice, bob, decide = await two(room)
        alice.say(say.Resign(decide.match))
        first = await bob.hear(say.MatchEnded)
        refused = await bob.refusal(about(decide.match))
        assert (refused.reason, refused.match) == (say.Reason.MATCH_OVER, decide.match)
        again = await bob.hear(say.MatchEnded)
        assert (again.match, again.ending, again.secret) == (first.match, first.ending, first.secret)


@on_a_clock
async def test_spectators_are_told_what_all_may_see_and_how_it_ends() -> None:
    async with opened() as room:
        alice, bob, decide = await two(room)
        watchers = [Watcher(), Watcher()]
        room.match(decide.match).watchers.update(watchers)
        await alice.act(decide, "move legio_7 burdigala", "end_moves", "end_levies")
        room.match(decide.match).watchers.discard(watchers[1])
        alice.say(say.Resign(decide.match))
        ended = await bob.hear(say.MatchEnded)
        for watcher in watchers:
            assert watcher.told
            assert all(told.viewer == "spectator" for told in watcher.told)
        (ending, seen), *more = watchers[0].endings
        assert (ending, seen.viewer, more) == (ended.ending, "spectator", [])
        assert watchers[1].endings == []


@on_a_clock
async def test_a_ping_is_answered() -> None:
    async with opened() as room:
        answer = await room.bot("alice").ask(say.Ping(77))
        assert isinstance(answer, say.ServerPong)
        assert answer.nonce == 77
