"""A match from its first message to its record."""

import random
import sqlite3
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import trio

from lictor.engine import registry
from lictor.engine.game import SPECTATOR, seen_events
from lictor.engine.record import read, replay, verify
from lictor.server.edge.convert import codec_for
from lictor.server.matches import messages as say
from support.seats import CAESAR, GAME, POMPEY, Bot, Disk, Watcher, act, on_a_clock, opened, quiet

JC = registry.get(GAME)
CODEC = codec_for(GAME, {})


def numbered(tellings: Iterable[say.Told]) -> list[bytes]:
    """Put together what was told piece by piece: a number told twice is the same event, and none is missing."""
    events: dict[int, bytes] = {}
    for told in tellings:
        for number, event in enumerate(told.events, told.first):
            assert events.setdefault(number, event) == event
    assert sorted(events) == list(range(1, len(events) + 1))
    return [events[number] for number in sorted(events)]


def seen_in(record: bytes, viewer: str) -> list[bytes]:
    """Return what a viewer sees of a record that is played again."""
    return [CODEC.event(event) for _, events in replay(read(record), JC) for event in seen_events(events, viewer)]


@on_a_clock
async def test_two_random_bots_play_a_match_to_its_end_and_its_record_verifies(tmp_path: Path) -> None:
    disk = Disk.at(tmp_path / "lictor.db")
    watcher = Watcher()
    async with opened(disk) as room:
        bots = {CAESAR: room.bot("alice"), POMPEY: room.bot("bob", features=["live_events"], encodes=True)}
        match_id = await room.seat(bots[CAESAR], bots[POMPEY])
        room.match(match_id).watchers.add(watcher)
        async with trio.open_nursery() as nursery:
            for seed, (seat, bot) in enumerate(bots.items()):
                bot.say(say.Entropy(match_id, seat.encode()))
                nursery.start_soon(bot.play, seed)
        assert room.house.matches == {}
    record, finished = disk.record(match_id), disk.finished(match_id)
    verified = verify(record, registry.get)
    assert (verified.match, verified.actions, verified.winner) == (match_id, finished.actions, finished.ending.winner)
    assert read(record).header["entropies"] == {CAESAR: b"caesar".hex(), POMPEY: b"pompey".hex()}
    assert disk.inner.errors == []
    assert disk.faults == []
    disk.close()
    with closing(sqlite3.connect(tmp_path / "lictor.db")) as database:
        for table in ("matches", "actions", "lines"):
            assert database.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)

    for seat, bot in bots.items():
        (ended,) = bot.heard(say.MatchEnded)
        assert ended.ending == finished.ending
        assert ended.secret == read(record).footer["secret"]
        decides = [decide.decision for decide in bot.heard(say.Decide)]
        assert decides == list(range(1, len(decides) + 1))
        assert [accepted.decision for accepted in bot.heard(say.Accepted)] == decides
        played = [line["decision"] for line in read(record).actions if line["seat"] == seat]
        assert played == decides
        tellings = [decide.told for decide in bot.heard(say.Decide)] + [ended.told]
        assert numbered(tellings) == seen_in(record, seat)
    live = bots[POMPEY].heard(say.Told)
    assert b"".join(event for told in live for event in told.events) == b"".join(seen_in(record, POMPEY))
    assert bots[CAESAR].heard(say.Told) == []
    assert [event for told in watcher.told for event in told.events] == seen_in(record, SPECTATOR)
    assert numbered(watcher.told) == seen_in(record, SPECTATOR)
    assert [ending for ending, _ in watcher.endings] == [finished.ending]


@on_a_clock
async def test_history_gives_all_a_seat_has_seen_from_the_opening_on() -> None:
    async with opened() as room:
        alice, bob = room.bot("alice"), room.bot("bob")
        decides = dict(zip((alice, bob), await room.deal(alice, bob), strict=True))
        match_id = decides[alice].match
        chance = random.Random(3)
        for _ in range(60):
            bot = alice if alice in decides else bob
            decide = decides.pop(bot)
            await bot.act(decide, chance.randrange(len(decide.actions)))
            await quiet()
            for one in (alice, bob):
                for fresh in one.take(say.Decide):
                    decides[one] = fresh
        histories = {}
        for bot in (alice, bob):
            history = histories[bot] = await bot.ask(say.GetHistory(match_id, 0))
            observed = await bot.ask(say.Observe(match_id))
            assert history.last == len(history.told.events) == observed.events > 20
            assert history.told.first == 1
            later = await bot.ask(say.GetHistory(match_id, 11))
            assert (later.told.first, later.opening, later.last) == (11, None, history.last)
            assert later.told.events == history.told.events[10:]
            beyond = await bot.ask(say.GetHistory(match_id, 100_000))
            assert (beyond.told.events, beyond.last) == ([], history.last)
        alice.say(say.Resign(match_id))
        for bot, seat in ((alice, CAESAR), (bob, POMPEY)):
            ended = await bot.hear(say.MatchEnded)
            record = room.disk.record(match_id)
            opening, _ = next(replay(read(record), JC))
            assert histories[bot].opening == CODEC.observation(JC.observation(opening, seat))
            assert histories[bot].told.events == seen_in(record, seat)
            tellings = [decide.told for decide in bot.heard(say.Decide)] + [ended.told]
            assert numbered(tellings) == seen_in(record, seat)


async def play_ahead(bot: Bot, seed: int, sent: list[tuple[say.Act, say.Accepted]]) -> None:
    """Play at random, and send a guess at the decisions that follow with every answer."""
    chance = random.Random(seed)
    while True:
        message = await bot.next()
        if isinstance(message, say.Decide):
            orders = [str(chance.choice(message.actions)) for _ in range(chance.randrange(1, 5))]
            ends = [text for text in map(str, message.actions) if text.startswith("end_")]
            orders += chance.sample(ends, min(len(ends), chance.randrange(2)))
            request = act(message, *orders)
            answer = await bot.ask(request)
            assert isinstance(answer, say.Accepted), answer
            sent.append((request, answer))
        elif isinstance(message, say.MatchEnded):
            return


@on_a_clock
async def test_a_batch_stops_at_chance_at_news_at_what_is_not_legal_and_at_another_seat() -> None:
    stops: Counter[str] = Counter()
    async with opened() as room:
        for seed in range(3):
            bots = {CAESAR: room.bot("alice"), POMPEY: room.bot("bob")}
            match_id = await room.seat(bots[CAESAR], bots[POMPEY])
            sent: dict[str, list[tuple[say.Act, say.Accepted]]] = {seat: [] for seat in bots}
            async with trio.open_nursery() as nursery:
                for seat, bot in bots.items():
                    bot.say(say.Entropy(match_id, bytes([seed])))
                    nursery.start_soon(play_ahead, bot, seed, sent[seat])
            assert bots[CAESAR].heard(say.MatchEnded)[0].ending.kind in ("victory", "draw")
            stops += check_batches(room.disk.record(match_id), sent)
    # Nothing of this was left to luck.
    assert min(stops[kind] for kind in ("whole", "NOT_LEGAL", "NEWS", "NOT_YOURS")) >= 5, stops


def check_batches(record: bytes, sent: dict[str, list[tuple[say.Act, say.Accepted]]]) -> Counter[str]:
    lines = read(record).actions
    places = {(line["seat"], line["decision"]): n for n, line in enumerate(lines, 1)}
    after = []  # per action: who is to act, whether it brought news to its seat, what that seat may do
    for n, (state, events) in enumerate(replay(read(record), JC)):
        seat = lines[n - 1]["seat"] if n else CAESAR
        news = bool(n and lines[n - 1]["draws"]) or any(list(event.reveals(seat)) for event in events)
        after.append((JC.to_act(state), news, [str(action) for action in JC.legal_actions(state, seat)]))
    stops: Counter[str] = Counter()
    for seat, acts in sent.items():
        for request, answer in acts:
            orders = [choice.notation for choice in request.choices]
            applied = [places[seat, request.decision + i] for i in range(answer.applied)]
            assert [lines[n - 1]["action"] for n in applied] == orders[: answer.applied]
            assert applied == list(range(applied[0], applied[0] + answer.applied))
            for n in applied[:-1]:
                assert seat in after[n][0]
                assert not after[n][1]
            to_act, news, legal = after[applied[-1]]
            if answer.applied == len(orders):
                assert answer.stopped == say.Stop.NOT
                stops["whole"] += len(orders) > 1
                continue
            left = orders[answer.applied]
            expected = "NOT_YOURS" if seat not in to_act else "NEWS" if news else "NOT_LEGAL"
            assert answer.stopped.name == expected
            assert expected != "NOT_LEGAL" or left not in legal
            stops[expected] += 1
        decisions = [request.decision for request, _ in acts]
        expected_next = [request.decision + answer.applied for request, answer in acts]
        assert decisions[1:] == expected_next[:-1]
    return stops
