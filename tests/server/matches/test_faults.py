"""A match whose code fails ends by itself, and nothing else does."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
import trio

from lictor.engine import registry
from lictor.engine.record import read, verify
from lictor.server.edge.convert import codec_for
from lictor.server.matches import messages as say
from lictor.server.matches.clocks import Clock
from lictor.server.store import Ending
from support.seats import GAME, Bot, Room, Watcher, act, on_a_clock, opened, quiet, seek

CLOCK = Clock(60_000, 5_000, 20_000, 10_000, 100, 15_000)


class Fault(Exception):
    """A mistake of ours."""


class Faulty:
    """Passes everything on, but fails where it is told to."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.fails: dict[str, int] = {}  # how often yet
        self.late = False  # whether it fails when the work is done

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            if self.fails.get(name, 0) > 0:
                self.fails[name] -= 1
                if self.late:
                    found(*args, **kwargs)
                raise Fault(name)
            return found(*args, **kwargs)

        return call if callable(found) and not isinstance(found, type) else found


class Codecs:
    """The codec of edition 1.x is the faulty one; matches of edition 2.0 must not notice."""

    def __init__(self) -> None:
        self.faulty = Faulty(codec_for(GAME, {"edition": "1.x"}))

    def __call__(self, game: str, options: Mapping[str, Any]) -> Any:
        return self.faulty if options.get("edition") == "1.x" else codec_for(game, options)


async def bystanders(room: Room) -> Callable[[], Any]:
    """Start another match; return what checks that it goes on as if nothing had happened."""
    carol, dora = room.bot("carol"), room.bot("dora")
    decide = await room.march(carol, dora, CLOCK)

    async def check() -> None:
        assert isinstance(await carol.act(decide, "end_moves", "end_levies"), say.Accepted)
        assert isinstance(await dora.act(await dora.hear(say.Decide), "end_moves"), say.Accepted)
        assert carol.heard(say.MatchEnded) == []

    return check


async def aborted(*bots: Bot) -> Ending:
    """Check that a match ends for all by the server's own fault."""
    for bot in bots:
        ending = (await bot.hear(say.MatchEnded)).ending
        assert (ending.kind, ending.seat, ending.winner) == ("server_abort", "", "")
        assert "Fault(" not in ending.text
    return ending


def check_over(room: Room, match_id: str, *bots: Bot) -> None:
    assert match_id not in room.house.matches
    assert verify(room.disk.record(match_id), registry.get).winner is None
    assert read(room.disk.record(match_id)).footer["termination"]["kind"] == "server_abort"
    for bot in bots:
        assert bot.session.free() == 1


@on_a_clock
async def test_a_match_that_fails_over_an_order_is_aborted_and_others_go_on(failures: list[str]) -> None:
    failures.append("")  # whatever it says
    codecs = Codecs()
    async with opened(codecs=codecs) as room:
        go_on = await bystanders(room)
        alice, bob = room.bot("alice"), room.bot("bob")
        one, _ = await room.deal(alice, bob, CLOCK, {"edition": "1.x"})
        codecs.faulty.fails["event"] = 1
        assert (await alice.refusal(act(one, 0))).reason == say.Reason.INTERNAL
        await aborted(alice, bob)
        check_over(room, one.match, alice, bob)
        await go_on()


@on_a_clock
async def test_a_match_that_fails_while_it_is_dealt_is_aborted(failures: list[str]) -> None:
    failures.append("")
    codecs = Codecs()
    async with opened(codecs=codecs) as room:
        go_on = await bystanders(room)
        for by_itself in (True, False):
            alice, bob = room.bot("alice"), room.bot("bob")
            match_id = await room.seat(alice, bob, CLOCK, {"edition": "1.x"})
            codecs.faulty.fails["observation"] = 100
            if not by_itself:
                alice.say(say.Entropy(match_id, b""))
                bob.say(say.Entropy(match_id, b""))
            await aborted(alice, bob)
            check_over(room, match_id, alice, bob)
        await go_on()


@on_a_clock
async def test_a_question_that_cannot_be_put_into_bytes_aborts_its_match(failures: list[str]) -> None:
    failures.append("")
    codecs = Codecs()
    async with opened(codecs=codecs) as room:
        go_on = await bystanders(room)
        alice, bob = room.bot("alice", encodes=True), room.bot("bob")
        one, other = await room.deal(alice, bob, CLOCK, {"edition": "1.x"})
        await bob.act(other, 0)
        codecs.faulty.fails["observation"] = 1
        alice.say(act(one, 0))
        await quiet()
        await go_on()
        assert room.disk.faults == []
        await aborted(alice, bob)
        check_over(room, one.match, alice, bob)


@on_a_clock
async def test_an_end_that_cannot_be_put_into_bytes_does_not_keep_the_match_open(failures: list[str]) -> None:
    failures.append("")
    codecs = Codecs()
    async with opened(codecs=codecs) as room:
        go_on = await bystanders(room)
        alice, bob = room.bot("alice", encodes=True), room.bot("bob")
        one, _ = await room.deal(alice, bob, CLOCK, {"edition": "1.x"})
        codecs.faulty.fails["observation"] = 100
        bob.say(say.Resign(one.match))
        await trio.sleep(5)
        await go_on()
        assert room.disk.finished(one.match).ending.kind == "resignation"
        assert one.match not in room.house.matches
        assert [ended.ending.kind for ended in bob.heard(say.MatchEnded)] == ["resignation"]
        assert room.disk.inner.errors == []
        for bot in (alice, bob):
            bot.say(seek())
        await bob.hear(say.MatchStarted)


class RudeWatcher(Watcher):
    """A spectator's feed that fails."""

    def tell(self, told: say.Told) -> None:
        raise Fault("tell")

    def end(self, ending: Ending, observation: Any) -> None:
        raise Fault("end")


@on_a_clock
async def test_a_spectator_whose_feed_fails_harms_no_match(failures: list[str]) -> None:
    failures.append("")
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decide = await room.march(alice, bob, CLOCK)
        room.match(decide.match).watchers.add(RudeWatcher())
        assert isinstance(await alice.act(decide, "end_moves", "end_levies"), say.Accepted)
        await quiet()
        assert len(bob.heard(say.Decide)) == 3
        bob.say(say.Resign(decide.match))
        assert (await alice.hear(say.MatchEnded)).ending.kind == "resignation"
        await quiet()
        assert room.house.matches == {}


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("broken", ["apply", "legal_actions", "to_act", "observation", "turn_number"])
@on_a_clock
async def test_a_game_that_fails_aborts_its_match_and_the_record_holds_what_was_sound(
    broken: str, late: bool, monkeypatch: pytest.MonkeyPatch, failures: list[str]
) -> None:
    failures.append("")  # whatever it says
    game = Faulty(registry.get(GAME))
    monkeypatch.setitem(registry.GAMES, GAME, game)
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decide = await room.march(alice, bob, CLOCK)
        game.late = late
        game.fails[broken] = 1  # a freak; a game that always fails could not even write its record
        assert (await alice.refusal(act(decide, "end_moves"))).reason == say.Reason.INTERNAL
        await aborted(alice, bob)
        check_over(room, decide.match, alice, bob)
        assert len(read(room.disk.record(decide.match)).actions) in (4, 5)
