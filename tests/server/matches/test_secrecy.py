"""What a seat decides in secret beside another, nobody learns before the other has decided: not even that it has."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import pytest
import trio

from lictor.server.edge.lists import open_summary
from lictor.server.edge.stream import events_bytes
from lictor.server.matches import messages as say
from lictor.server.matches.clocks import Clock
from support.seats import Bot, Room, Watcher, act, notations, on_a_clock, opened, quiet

CLOCK = Clock(60_000, 5_000, 20_000, 10_000, 100, 15_000)
Secret: TypeAlias = Callable[[Bot, say.Decide], Awaitable[None]]


async def silence(alice: Bot, decide: say.Decide) -> None:
    """She thinks."""


async def answer(alice: Bot, decide: say.Decide) -> None:
    assert isinstance(await alice.act(decide, 1), say.Accepted)


async def fumble(alice: Bot, decide: say.Decide) -> None:
    await alice.refusal(act(decide, "nonsense"))
    await answer(alice, decide)


async def come_and_go(alice: Bot, decide: say.Decide) -> None:
    alice.join()
    await answer(alice, decide)
    alice.part()
    alice.join()


def listing(room: Room, match_id: str) -> bytes:
    return open_summary(room.match(match_id)).SerializeToString(deterministic=True)


@on_a_clock
async def what_bob_sees(secret: Secret, *, cards: bool) -> list[bytes]:
    """Return every byte that reaches Pompey and the spectators while Caesar does something in secret."""
    watcher = Watcher()
    async with opened() as room:
        alice = room.bot("alice", features=["live_events"])
        bob = room.bot("bob", features=["live_events"], encodes=True)
        one, other = await room.deal(alice, bob, CLOCK)
        if cards:
            await bob.act(other, 0)
            await alice.act(one, 0)
            one, other = await alice.hear(say.Decide), await bob.hear(say.Decide)
        room.match(one.match).watchers.add(watcher)
        await trio.sleep(3)
        await secret(alice, one)
        await quiet()
        seen = [listing(room, one.match)]
        await trio.sleep(1)
        for message in (say.Observe(one.match), say.GetHistory(one.match, 0), say.Act(one.match, 9, [say.Choice()])):
            await bob.ask(message)
        seen += bob.link.wire
        bob.part()
        bob.join()
        await bob.hear(say.Decide)
        seen += bob.link.wire
        # The spectator's keyframe, and what he is told.
        seen.append(str(room.match(one.match).table.banks("spectator")).encode())
        return seen + [events_bytes(told, words=True) for told in watcher.told]


@pytest.mark.parametrize("cards", [False, True])
@pytest.mark.parametrize("secret", [answer, fumble, come_and_go])
def test_nobody_can_tell_whether_the_other_seat_has_decided(secret: Secret, cards: bool) -> None:
    assert what_bob_sees(secret, cards=cards) == what_bob_sees(silence, cards=cards)


@on_a_clock
async def test_when_both_have_decided_both_banks_are_shown() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        one, other = await room.deal(alice, bob, CLOCK)
        await trio.sleep(3.125)
        await alice.act(one, 0)
        assert (await bob.ask(say.Observe(one.match))).banks == [60_000, 60_000]
        assert (await alice.ask(say.Observe(one.match))).banks == [56_975, 60_000]
        await trio.sleep(2)
        await bob.act(other, 0)
        for bot in (alice, bob):
            assert (await bot.hear(say.Decide)).banks == [56_975, 54_975]


def test_nobody_can_tell_whether_a_batch_ran_on_into_a_secret_decision() -> None:
    @on_a_clock
    async def world(ahead: bool) -> list[bytes]:
        watcher = Watcher()
        async with opened() as room:
            alice, bob = room.bot("alice"), room.bot("bob", features=["live_events"], encodes=True)
            one, other = await room.deal(alice, bob, CLOCK)
            room.match(one.match).watchers.add(watcher)
            await bob.act(other, 0)
            put_away, kept = notations(one)[0], notations(one)[-1]
            orders = [put_away, kept.replace("discard", "play")] if ahead else [put_away]
            assert (await alice.act(one, *orders)).applied == len(orders)
            await bob.hear(say.Decide)
            await bob.ask(say.Observe(one.match))
            seen = [*bob.link.wire, listing(room, one.match)]
            return seen + [events_bytes(told, words=True) for told in watcher.told]

    assert world(ahead=True) == world(ahead=False)


def test_nobody_can_tell_by_a_delay_whether_the_other_seat_has_decided() -> None:
    @on_a_clock
    async def world(answered: bool) -> list[list[bytes]]:
        async with opened() as room:
            alice, bob = room.bot("alice"), room.bot("bob", features=["live_events"], encodes=True)
            one, _ = await room.deal(alice, bob, CLOCK)
            room.disk.hold()  # it is slow, and what she has done waits for it
            if answered:
                alice.say(act(one, 1))
            seen = []
            for message in (say.Observe(one.match), say.GetHistory(one.match, 0), say.Act(one.match, 9, [])):
                bob.say(message)
                seen.append(list(bob.link.wire))
            bob.part()
            bob.join()
            seen.append(list(bob.link.wire))
            await trio.sleep(2)
            seen.append([*bob.link.wire, listing(room, one.match)])
            return seen

    assert world(answered=True) == world(answered=False)
