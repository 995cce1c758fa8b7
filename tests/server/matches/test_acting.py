"""Acts: in every form, in batches, repeated, too early, and against the rules."""

import json
from pathlib import Path

import pytest
import trio

from lictor.engine import registry
from lictor.engine.record import read, verify
from lictor.server.edge.convert import codec_for
from lictor.server.matches import messages as say
from lictor.server.matches.settings import Limits, Settings
from lictor.v1 import game_pb2
from support.seats import CAESAR, GAME, POMPEY, Disk, Order, about, act, notations, on_a_clock, opened, quiet

CODEC = codec_for(GAME, {})
NEVER_LEGAL = "move caesar roma_nova"  # no such place
NOT_NOW = "play 3"  # an order, but of another phase
MARCH = ("move legio_7 burdigala", "move legio_9 burdigala")  # one group


def typed(notation: str) -> say.Choice:
    action = registry.get(GAME).parse_action(notation)
    return say.Choice(typed=game_pb2.Action.FromString(CODEC.action(action)))


@on_a_clock
async def test_an_order_may_be_an_index_a_notation_or_typed() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decide = await room.march(alice, bob)
        for form in (notations(decide).index(MARCH[0]), MARCH[1], typed("end_moves")):
            answer = await alice.act(decide, form)
            assert (answer.match, answer.decision, answer.applied) == (decide.match, decide.decision, 1)
            assert answer.stopped == say.Stop.NOT
            decide = await alice.hear(say.Decide)
        alice.say(say.Resign(decide.match))
        await alice.hear(say.MatchEnded)
        played = [line["action"] for line in read(room.disk.record(decide.match)).actions]
        assert played[-3:] == [*MARCH, "end_moves"]


@on_a_clock
async def test_a_batch_is_carried_out_to_its_end() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decide = await room.march(alice, bob)
        answer = await alice.act(decide, notations(decide).index(MARCH[0]), MARCH[1], typed("end_moves"))
        assert (answer.decision, answer.applied, answer.stopped) == (decide.decision, 3, say.Stop.NOT)
        after = await alice.hear(say.Decide)
        assert after.decision == decide.decision + 3
        assert "end_levies" in notations(after)
        assert after.told.first == decide.told.first + len(decide.told.events)


@on_a_clock
async def test_a_batch_stops_before_what_is_not_legal_any_more_and_nobody_is_blamed() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decide = await room.march(alice, bob)
        answer = await alice.act(decide, MARCH[0], MARCH[0], "end_moves")
        assert (answer.applied, answer.stopped) == (1, say.Stop.NOT_LEGAL)
        decide = await alice.hear(say.Decide)
        assert decide.strikes == 0
        answer = await alice.act(decide, "end_moves", "end_levies", "end_moves")
        assert (answer.applied, answer.stopped) == (2, say.Stop.NOT_YOURS)
        assert (await bob.hear(say.Decide)).decision == 3


@on_a_clock
async def test_a_batch_stops_at_another_seats_secret_decision() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        one, _ = await room.deal(alice, bob)
        cards = notations(one)
        answer = await alice.act(one, cards[0], cards[1].replace("discard", "play"))
        assert (answer.applied, answer.stopped) == (1, say.Stop.NOT_YOURS)


@on_a_clock
async def test_a_repeated_act_gets_the_same_answer_and_does_nothing_also_after_a_restart(tmp_path: Path) -> None:
    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decide = await room.march(alice, bob)
        match_id, before = decide.match, len(room.match(decide.match).recorder or ())
        batch = act(decide, notations(decide).index(MARCH[0]), MARCH[1], MARCH[1], "end_moves")
        answers = [await alice.ask(batch) for _ in range(3)]
        first = [answer for answer in alice.heard(say.Accepted) if answer.decision == 1]
        assert len(room.match(match_id).recorder or ()) == before + 2
    disk.crash()

    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        await alice.hear(say.Decide)
        answers += [await alice.ask(batch) for _ in range(2)]
        again = await alice.ask(say.Act(match_id, 1, [say.Choice(index=5)]))  # the last of six cards
        assert (again.applied, again.stopped) == (first[0].applied, first[0].stopped)
        for answer in answers:
            assert isinstance(answer, say.Accepted)
            assert (answer.decision, answer.applied, answer.stopped) == (decide.decision, 2, say.Stop.NOT_LEGAL)
        # Fewer of the same orders are the same orders; and each form of an order is the same order.
        short = await alice.ask(say.Act(match_id, decide.decision, [say.Choice(notation=MARCH[0])]))
        assert (short.applied, short.stopped) == (1, say.Stop.NOT)
        assert (await alice.ask(say.Act(match_id, decide.decision, [typed(MARCH[0])]))).applied == 1
        refused = await alice.refusal(say.Act(match_id, decide.decision, [say.Choice(index=0)]))
        assert (refused.reason, refused.played) == (say.Reason.ALREADY_ANSWERED, MARCH[0])
        await quiet()
        assert len(room.match(match_id).recorder or ()) == before + 2
        assert disk.inner.errors == []
    disk.close()


@on_a_clock
async def test_another_order_for_an_answered_decision_is_refused_with_what_was_played() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decide = await room.march(alice, bob)
        await alice.act(decide, *MARCH)
        for orders, place, played in (
            (["end_moves"], 0, MARCH[0]),
            ([MARCH[0], "end_moves"], 1, MARCH[1]),
            (["nonsense"], 0, MARCH[0]),
            ([say.Choice()], 0, MARCH[0]),
        ):
            refused = await alice.refusal(act(decide, *orders))
            assert (refused.reason, refused.played) == (say.Reason.ALREADY_ANSWERED, played)
            assert refused.field == f"act.actions[{place}]"
            assert (refused.match, refused.decision, refused.left) == (decide.match, decide.decision, None)
        assert (await alice.hear(say.Decide)).strikes == 0


@on_a_clock
async def test_a_decision_that_was_not_asked_cannot_be_answered() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decide = await room.march(alice, bob)
        for bot, number in ((alice, 4), (alice, 0), (alice, 1000), (bob, 3)):
            refused = await bot.refusal(say.Act(decide.match, number, [say.Choice(notation="end_moves")]))
            assert (refused.reason, refused.decision, refused.left) == (say.Reason.NOT_ASKED, number, None)
            assert refused.field == "act.decision_id"
        assert isinstance(await alice.act(decide, "end_moves"), say.Accepted)


@on_a_clock
async def test_before_the_match_begins_nothing_is_asked() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        match_id = await room.seat(alice, bob)
        refused = await alice.refusal(say.Act(match_id, 1, [say.Choice(index=0)]))
        assert refused.reason == say.Reason.NOT_ASKED


@pytest.mark.parametrize(
    ("orders", "field"),
    [
        (["nonsense"], "act.actions[0]"),
        ([""], "act.actions[0]"),
        ([NEVER_LEGAL], "act.actions[0]"),
        ([NOT_NOW], "act.actions[0]"),
        (["move legio_1 rome"], "act.actions[0]"),
        ([10_000], "act.actions[0].index"),
        ([2**32 - 1], "act.actions[0].index"),
        ([say.Choice()], "act.actions[0]"),
        ([say.Choice(typed=game_pb2.Action())], "act.actions[0]"),
        ([typed(NOT_NOW)], "act.actions[0]"),
        ([NOT_NOW, "end_moves"], "act.actions[0]"),
        (["end_moves", "nonsense"], "act.actions[1]"),
        (["end_moves", 0], "act.actions[1]"),
    ],
)
@on_a_clock
async def test_an_order_against_the_rules_is_counted_and_the_decision_stays_open(
    orders: list[Order], field: str
) -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decide = await room.march(alice, bob)
        refused = await alice.refusal(act(decide, *orders))
        assert (refused.reason, refused.field, refused.left) == (say.Reason.ILLEGAL_ACTION, field, 2)
        assert (refused.match, refused.decision, bool(refused.text)) == (decide.match, decide.decision, True)
        assert isinstance(await alice.act(decide, "end_moves"), say.Accepted)
        assert (await alice.hear(say.Decide)).strikes == 1


@on_a_clock
async def test_one_illegal_order_more_than_is_allowed_loses_the_match() -> None:
    async with opened(settings=Settings(limits=Limits(illegal_actions=2))) as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decide = await room.march(alice, bob)
        lefts = []
        for order in (NOT_NOW, 10_000):
            lefts.append((await alice.refusal(act(decide, order))).left)
        assert isinstance(await alice.act(decide, "end_moves"), say.Accepted)
        decide = await alice.hear(say.Decide)
        assert decide.strikes == 2
        lefts.append((await alice.refusal(act(decide, NEVER_LEGAL))).left)
        assert lefts == [1, 0, 0]
        ended = (await bob.hear(say.MatchEnded)).ending
        assert (ended.kind, ended.seat, ended.winner) == ("illegal_action", CAESAR, POMPEY)
        assert verify(room.disk.record(decide.match), registry.get).winner == POMPEY


@on_a_clock
async def test_illegal_orders_are_remembered_over_a_restart(tmp_path: Path) -> None:
    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decide = await room.march(alice, bob)
        for left in (2, 1, 0):
            assert (await alice.refusal(act(decide, "nonsense"))).left == left
    disk.crash()
    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        again = await alice.hear(say.Decide)
        assert (again.decision, again.strikes) == (decide.decision, 3)
        assert (await alice.refusal(act(decide, "nonsense"))).left == 0
        assert (await bob.hear(say.MatchEnded)).ending.kind == "illegal_action"
    disk.close()


@on_a_clock
async def test_an_illegal_order_does_not_stop_the_clock() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decide = await room.march(alice, bob)
        await trio.sleep(5)
        await alice.refusal(act(decide, "nonsense"))
        await trio.sleep(5)
        await alice.act(decide, "end_moves")
        assert (await alice.hear(say.Decide)).charged_ms == about(9_900)


@on_a_clock
async def test_a_note_is_kept_in_the_transcript_of_its_seat_alone(tmp_path: Path) -> None:
    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        alice, bob = room.bot("alice", encodes=True), room.bot("bob", encodes=True)
        decide = await room.march(alice, bob)
        await alice.ask(say.Act(decide.match, decide.decision, [say.Choice(notation="end_moves")], {"text": "crafty"}))
        alice.say(say.Resign(decide.match))
        await bob.hear(say.MatchEnded)
        assert not any(b"crafty" in wire for wire in alice.link.wire + bob.link.wire)
    own = [json.loads(line) for line in disk.transcript(decide.match, CAESAR).splitlines()]
    assert [line["text"] for line in own if line["kind"] == "note"] == ["crafty"]
    assert b"crafty" not in disk.transcript(decide.match, POMPEY)
    assert b"crafty" not in disk.record(decide.match)
    disk.close()


@on_a_clock
async def test_the_transcript_of_a_seat_tells_what_went_wrong_and_when_it_was_away(tmp_path: Path) -> None:
    disk = Disk.at(tmp_path / "lictor.db")
    async with opened(disk) as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decide = await room.march(alice, bob)
        await trio.sleep(1)
        await alice.refusal(act(decide, "nonsense"))
        alice.part()
        await trio.sleep(2)
        alice.join()
        bob.say(say.Resign(decide.match))
        await alice.hear(say.MatchEnded)
    lines = [json.loads(line) for line in disk.transcript(decide.match, CAESAR).splitlines()]
    told = [(line["at"], line["kind"]) for line in lines if line["kind"] != "decision"]
    assert told == [(1000, "refused"), (1000, "disconnected"), (3000, "connected")]
    (refused,) = [line for line in lines if line["kind"] == "refused"]
    assert (refused["reason"], refused["decision"]) == ("illegal_action", decide.decision)
    assert "nonsense" in refused["text"]
    assert b"nonsense" not in disk.transcript(decide.match, POMPEY)
    disk.close()
