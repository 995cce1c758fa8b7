"""Nothing that a write causes leaves the house before that write is on disk."""

from pathlib import Path

import trio

from lictor.engine.game import SPECTATOR
from lictor.server.matches import messages as say
from support.seats import CAESAR, POMPEY, Bot, Disk, Watcher, act, on_a_clock, opened, quiet, seek


def kinds(messages: list[say.Response]) -> list[str]:
    return [type(message).__name__ for message in messages]


def clear(*bots: Bot) -> None:
    for bot in bots:
        bot.unread()


async def in_silence(*bots: Bot) -> None:
    """Check that no bot hears anything, for a while."""
    for wait in (0, 3):
        await trio.sleep(wait)
        await quiet()
        for bot in bots:
            assert bot.unread() == []


@on_a_clock
async def test_nobody_hears_of_an_action_before_it_is_on_disk(tmp_path: Path) -> None:
    disk, watcher = Disk.at(tmp_path / "lictor.db"), Watcher()
    async with opened(disk) as room:
        alice, bob = room.bot("alice", features=["live_events"]), room.bot("bob", features=["live_events"])
        decide = await room.march(alice, bob)
        room.match(decide.match).watchers.add(watcher)
        clear(alice, bob)
        disk.hold()
        request = act(decide, "move legio_7 burdigala", "end_moves", "end_levies")
        alice.say(request)
        alice.say(request)
        for bot in (alice, bob):
            bot.say(say.GetHistory(decide.match, 0))
            bot.say(say.Observe(decide.match))
        bob.say(say.Act(decide.match, 3, [say.Choice(notation="end_moves")]))
        await in_silence(alice, bob)
        assert watcher.told == []

        disk.release()
        await quiet()
        assert kinds(alice.unread()) == ["Accepted", "Told", "Accepted", "History", "Observed"]
        heard = bob.unread()
        assert kinds(heard)[:2] == ["Told", "Decide"]
        assert sorted(kinds(heard)[2:]) == ["History", "Observed", "Refused"]
        assert [told.viewer for told in watcher.told] == [SPECTATOR]
        history, observed, refused = bob.heard(say.History)[0], bob.heard(say.Observed)[0], bob.heard(say.Refused)[0]
        told, question = bob.heard(say.Told)[-1], bob.heard(say.Decide)[-1]
        assert history.last == observed.events == told.first + len(told.events) - 1
        assert observed.observation == question.observation
        assert refused.reason == say.Reason.NOT_ASKED
    disk.close()


@on_a_clock
async def test_an_answer_waits_for_all_that_it_shows() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decides = await room.deal(alice, bob)
        for bot, decide in zip((alice, bob), decides, strict=True):
            await bot.act(decide, 0)
        one, other = await alice.hear(say.Decide), await bob.hear(say.Decide)
        clear(alice, bob)
        room.disk.hold()
        alice.say(act(one, 0))
        alice.say(say.Observe(one.match))
        alice.say(say.GetHistory(one.match, 0))
        bob.say(act(other, 0))  # which turns up both cards
        room.disk.let_one_through()
        await alice.hear(say.Accepted)
        await in_silence(alice, bob)
        room.disk.release()
        observed, history = await alice.hear(say.Observed), await alice.hear(say.History)
        assert observed.observation.played != (None, None)
        assert history.last == observed.events


@on_a_clock
async def test_an_action_that_did_not_reach_the_disk_never_was_and_the_same_is_asked_again(tmp_path: Path) -> None:
    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decide = await room.march(alice, bob)
        clear(alice, bob)
        disk.hold()
        alice.say(act(decide, "end_moves", "end_levies"))
        await in_silence(alice, bob)
    disk.crash()

    disk = Disk.at(tmp_path / "lictor.db")
    assert len(disk.open_matches()[0].actions) == 4  # the cards
    async with opened(disk) as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        again = await alice.hear(say.Decide)
        assert (again.match, again.decision, again.observation) == (decide.match, decide.decision, decide.observation)
        assert (again.actions, again.banks, again.limit_ms) == (decide.actions, decide.banks, decide.limit_ms)
        assert (again.told.first, again.told.events) == (decide.told.first, decide.told.events)
        assert bob.heard(say.Decide) == []
        # The seat may choose otherwise now: nobody has seen anything.
        assert (await alice.act(again, "move legio_7 burdigala")).applied == 1
    disk.close()


@on_a_clock
async def test_a_match_is_announced_when_it_is_on_disk_and_dealt_when_its_entropies_are(tmp_path: Path) -> None:
    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        disk.hold()
        alice.say(seek(seat=CAESAR))
        bob.say(seek(seat=POMPEY))
        assert kinds(alice.unread()) == ["Welcome", "Done"]
        bob.unread()
        await in_silence(alice, bob)
        disk.release()
        match_id = (await alice.hear(say.MatchStarted)).match
        await bob.hear(say.MatchStarted)
        alice.say(say.Entropy(match_id, b"a"))
        assert kinds(alice.unread()) == ["Done"]
        disk.hold()
        bob.say(say.Entropy(match_id, b"b"))
        bob.unread()
        bob.say(say.GetHistory(match_id, 0))
        await in_silence(alice, bob)
    disk.crash()

    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        for bot in (alice, bob):
            started = await bot.hear(say.MatchStarted)
            assert (started.match, started.resumed, started.entropy_wanted) == (match_id, True, True)
            assert isinstance(await bot.ask(say.Entropy(match_id, b"new")), say.Done)
        assert (await alice.hear(say.Decide)).decision == (await bob.hear(say.Decide)).decision == 1
    disk.close()


@on_a_clock
async def test_strikes_offers_and_endings_are_told_when_they_are_on_disk(tmp_path: Path) -> None:
    disk, watcher = Disk.at(tmp_path / "lictor.db"), Watcher()
    async with opened(disk) as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decide = await room.march(alice, bob)
        room.match(decide.match).watchers.add(watcher)
        clear(alice, bob)
        answers: list[tuple[say.Request, list[str], list[str]]] = [
            (act(decide, "nonsense"), ["Refused"], []),
            (say.OfferDraw(decide.match), ["Done"], ["DrawOffered"]),
        ]
        for message, own, others in answers:
            disk.hold()
            alice.say(message)
            await in_silence(alice, bob)
            disk.release()
            await quiet()
            assert (kinds(alice.unread()), kinds(bob.unread())) == (own, others)
        disk.hold()
        alice.say(say.Resign(decide.match))
        await in_silence(alice, bob)
        assert watcher.endings == []
        assert decide.match in room.house.matches
        disk.release()
        await quiet()
        assert kinds(alice.unread()) == ["Done", "MatchEnded"]
        assert kinds(bob.unread()) == ["MatchEnded"]
        assert len(watcher.endings) == 1
    disk.close()


@on_a_clock
async def test_a_resignation_that_did_not_reach_the_disk_never_was(tmp_path: Path) -> None:
    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decide = await room.march(alice, bob)
        clear(alice, bob)
        disk.hold()
        alice.say(say.Resign(decide.match))
        await in_silence(alice, bob)
    disk.crash()
    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        assert (await room.bot("alice").hear(say.Decide)).decision == decide.decision
    disk.close()


@on_a_clock
async def test_a_stream_that_comes_while_the_disk_works_hears_of_a_match_first_that_it_goes_on() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice", features=["live_events"]), room.bot("bob", features=["live_events"])
        decide = await room.march(alice, bob)
        room.disk.hold()
        alice.say(act(decide, "end_moves", "end_levies"))
        for bot in (alice, bob):
            bot.join()
        room.disk.release()
        await quiet()
        for bot in (alice, bob):
            about_the_match = [message for message in bot.unread() if hasattr(message, "match")]
            assert isinstance(about_the_match[0], say.MatchStarted), kinds(about_the_match)
        # Both know how far they have come, and who is to act is asked once.
        assert [kinds(bot.link.messages).count("Decide") for bot in (alice, bob)] == [0, 1]


@on_a_clock
async def test_no_answer_goes_to_a_stream_that_did_not_ask() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decide = await room.march(alice, bob)
        room.disk.hold()
        alice.say(act(decide, "end_moves"))
        alice.join()
        room.disk.release()
        await quiet()
        # Its requests count anew: an answer to the stream before would seem to answer one of its own.
        assert {message.request for message in alice.unread()} == {0}


@on_a_clock
async def test_a_bot_that_leaves_while_the_record_is_written_disturbs_nothing(tmp_path: Path) -> None:
    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decide = await room.march(alice, bob)
        disk.hold()
        alice.say(say.Resign(decide.match))
        await quiet()
        assert disk.held == 1  # the record
        alice.part()
        bob.join()
        bob.say(act(decide, 0))
        disk.release()
        await bob.hear(say.MatchEnded)
        await quiet()
        assert disk.inner.errors == []
    disk.close()
