"""Notes are for the transcript of their seat alone: whatever a bot notes, others see and keep the same bytes."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
import trio
from prometheus_client import generate_latest

from lictor.engine.record import read
from lictor.server.edge.lists import finished_summary
from lictor.server.edge.stream import events_bytes
from lictor.server.matches import messages as say
from lictor.server.matches.clocks import Clock
from lictor.server.notes import score
from support.seats import CAESAR, POMPEY, Bot, Disk, Room, Watcher, act, on_a_clock, opened

CLOCK = Clock(600_000, 5_000, 60_000, 10_000, 100, 15_000)
RESIGNS_AT = 60  # decisions
CLAIMS = {"at legio_2 rome": 0.25, "hand pompey 7": 0.5, "not of this game": 1.0}


async def play(bot: Bot, notes: dict[str, Any] | None) -> None:
    """Play by lot, resign at last, and note the same at each decision; the thinking takes as long in any case."""
    lot = random.Random(bot.name)
    while True:
        decide = await bot.hear(say.Decide)
        if decide.decision == RESIGNS_AT:
            bot.say(say.Resign(decide.match))
            return
        await trio.sleep(3 * lot.random())  # never two at the same moment, whose writes could come in any order
        note = None if notes is None else {**notes, "decision": decide.decision}
        answer = act(decide, lot.randrange(len(decide.actions)))
        answered = await bot.ask(say.Act(answer.match, answer.decision, answer.choices, note))
        assert isinstance(answered, say.Accepted)


def measured(room: Room) -> list[bytes]:
    """Return what operators see, but for what depends on the hour and on this machine's disk."""
    lines = generate_latest(room.house.metrics.registry).splitlines()
    return [line for line in lines if b"_created" not in line and b"_commit_" not in line]


@on_a_clock
async def an_evening(folder: Path, notes: dict[str, Any] | None) -> tuple[list[bytes], dict[str, bytes]]:
    """Return all that reaches others while Caesar plays, and what is kept of the match: record and transcripts."""
    watcher, folder = Watcher(), folder / str(notes is None)
    folder.mkdir()
    disk = Disk.at(folder / "lictor.db")
    async with opened(disk) as room:
        alice = room.bot("alice", features=["live_events"], encodes=True)
        bob = room.bot("bob", features=["live_events", "words"], encodes=True)
        match = await room.seat(alice, bob, CLOCK)
        for bot in (alice, bob):
            await bot.ask(say.Entropy(match, b""))
        room.match(match).watchers.add(watcher)
        seen = []
        async with trio.open_nursery() as nursery:
            nursery.start_soon(play, alice, notes)
            nursery.start_soon(play, bob, None)
            ended = await bob.hear(say.MatchEnded)
            seen.append(str(ended.ending).encode())
            nursery.cancel_scope.cancel()
        seen += alice.link.wire + bob.link.wire
        seen += [events_bytes(told, words=True) for told in watcher.told] + [str(watcher.endings).encode()]
        seen += measured(room)
        past = disk.finished(match)
        seen.append(finished_summary(past).SerializeToString(deterministic=True))
        kept = {"record": disk.record(match), **{seat: disk.transcript(match, seat) for seat in (CAESAR, POMPEY)}}
    disk.close()
    return seen, kept


@pytest.mark.parametrize("notes", [{"text": ""}, {"text": "crafty", "win_chance": 0.9, "beliefs": CLAIMS}])
def test_whatever_is_noted_others_get_the_same_bytes(tmp_path: Path, notes: dict[str, Any]) -> None:
    with_notes, kept = an_evening(tmp_path, notes)
    without, kept_without = an_evening(tmp_path, None)
    assert len(with_notes) > 300
    assert with_notes == without
    assert kept["record"] == kept_without["record"]
    assert kept[POMPEY] == kept_without[POMPEY]
    assert kept[CAESAR] != kept_without[CAESAR]


def test_the_transcript_has_the_beliefs_and_marks_those_that_the_game_does_not_understand(tmp_path: Path) -> None:
    notes = {"text": "crafty", "win_chance": 0.9, "beliefs": CLAIMS}
    _, kept = an_evening(tmp_path, notes)
    lines = [json.loads(line) for line in kept[CAESAR].splitlines()]
    noted = [line for line in lines if line["kind"] == "note"]
    assert len(noted) == sum(line["kind"] == "decision" for line in lines) == RESIGNS_AT - 1
    assert {note["decision"] for note in noted} == set(range(1, RESIGNS_AT))
    assert all(note["beliefs"] == CLAIMS and note["not_understood"] == ["not of this game"] for note in noted)
    assert not any("note" in json.loads(line)["kind"] for line in kept[POMPEY].splitlines())
    for word in (b"crafty", b"legio_2 rome", b"not of this game"):
        assert word not in kept[POMPEY]
        assert word not in kept["record"].replace(b"move legio_2 rome", b"")


def test_what_was_kept_can_be_scored(tmp_path: Path) -> None:
    _, kept = an_evening(tmp_path, {"text": "", "win_chance": 0.25, "beliefs": CLAIMS})
    found = score(read(kept["record"]), kept[CAESAR], CAESAR, worlds=3)
    noted = RESIGNS_AT - 1
    assert (found.notes, found.win_chances, found.result) == (noted, noted, 0.0)
    assert found.brier == pytest.approx(0.0625)
    assert (found.beliefs.claims, found.not_understood) == (2 * noted, noted)


@on_a_clock
async def test_a_claim_that_is_not_understood_costs_nothing() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decide = await room.march(alice, bob)
        note = {"text": "", "decision": decide.decision, "beliefs": {"nonsense": 1.0, "at": 0.0}}
        accepted = await alice.ask(say.Act(decide.match, decide.decision, [say.Choice(notation="end_moves")], note))
        assert accepted.applied == 1
        assert room.match(decide.match).chairs[CAESAR].strikes == 0
