"""Deciding again: the bot sees what the seat saw, and every difference, and nothing else, is found."""

from __future__ import annotations

import asyncio
import json
import random
import sys
from pathlib import Path
from typing import Any

import grpc
import pytest
from click.testing import CliRunner, Result

from lictor.client import LictorError
from lictor.client.fixture import load
from lictor.engine import record, registry
from lictor.engine.chance import SeededChance, derive_secret
from lictor.engine.record.perspective import look
from lictor.server.cli import main
from lictor.server.cli.records import named_after
from lictor.server.contestants import Contestant, contestant
from lictor.server.edge.rehearsal.fixture import write_fixture
from lictor.server.edge.rehearsal.reading import batch_of
from lictor.server.edge.rehearsal.running import Rehearsed, offering, rehearse
from lictor.server.edge.rehearsal.script import Script, write_script
from lictor.server.matches.messages import Act, Choice, Stop
from lictor.v1 import play_service_pb2 as pb
from support.wire import CLOCK, OWN_CONNECTION, Stream, choose, evening, pair, play, wired

from .again_bots import bots
from .again_bots.bots import TURNING, pick

GAME = registry.get("julius_caesar")
SEAT, OTHER = GAME.SEATS
BOTS = Path(bots.__file__)


def made(actions: int = 90, kind: str = "resignation", loser: str = OTHER) -> bytes:
    """Return the record of a match in which both seats play as `Same` does, until one of them loses it."""
    recorder = record.Recorder(
        GAME,
        {},
        match="again-1",
        secret=derive_secret("again", "1"),
        players={SEAT: "same", OTHER: "other"},
        entropies={OTHER: b"salt"},
    )
    asked = dict.fromkeys(GAME.SEATS, 0)
    for _ in range(actions):
        seat = GAME.to_act(recorder.state)[0]
        asked[seat] += 1
        legal = GAME.legal_actions(recorder.state, seat)
        recorder.apply(seat, legal[pick(asked[seat], [str(action) for action in legal])], think_ms=1500)
    score = GAME.score(recorder.state)
    winner = next(seat for seat in GAME.SEATS if seat != loser)
    return recorder.finish(termination=kind, seat=loser, winner=winner, score=score)


CONTENT = made()
PLAYED = record.read(CONTENT)
VIEW = look(PLAYED, GAME, SEAT)
ANSWERED = [decision for decision in VIEW.decisions if decision.action is not None]


@pytest.fixture(scope="module")
def script() -> Script:
    return write_script(PLAYED, GAME, SEAT)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("records") / "again-1.jsonl"
    path.write_bytes(CONTENT)
    return path


def decide_again(file: Path, *words: object) -> Result:
    command = ["record", "decide-again", file, "--seat", SEAT, *words]
    return CliRunner().invoke(main, [str(word) for word in command])


# --- What differs ---


def test_the_same_bot_differs_nowhere(file: Path) -> None:
    result = decide_again(file, "--bot", f"{BOTS}:Same", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["differ"] == []
    assert found["decisions"] == found["answered"] == len(ANSWERED) > 40
    assert (found["bot"], found["failure"], found["resigned"]) == ("Same", "", False)


def test_one_changed_choice_is_the_one_difference(file: Path) -> None:
    result = decide_again(file, "--bot", f"{BOTS}:Changed")
    assert result.exit_code == 0, result.output
    decision = VIEW.decisions[TURNING - 1]
    texts = [str(action) for action in decision.legal]
    assert len(texts) > 1
    other = texts[(pick(TURNING, texts) + 1) % len(texts)]
    lines = result.output.splitlines()
    assert lines[0] == f"  {TURNING}  {VIEW.words(decision)}"
    assert lines[1:3] == [f"      played {decision.action}; now {other}", "      note: the other wing (25%)"]
    assert f"1 of {len(ANSWERED)} decisions differ" in result.output


def test_another_random_differs_often(file: Path) -> None:
    result = decide_again(file, "--bot", "random", "--seed", 5, "--json")
    assert result.exit_code == 0, result.output
    differ = json.loads(result.stdout)["differ"]
    choices = sum(len(decision.legal) > 2 for decision in ANSWERED)
    assert len(differ) > choices / 3
    assert all(row["legal"] and row["now"] != row["played"] for row in differ)


def test_the_decision_at_which_a_seat_lost_on_time_is_asked_too(tmp_path: Path) -> None:
    """It is no difference: nothing was played. But it is what its author wants to see."""
    last = next(entry["n"] for entry in PLAYED.actions if entry["seat"] == SEAT and entry["decision"] == TURNING)
    path = tmp_path / "late.jsonl"
    path.write_bytes(made(last - 1, "time", SEAT))
    result = decide_again(path, "--bot", f"{BOTS}:Same", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["differ"], found["answered"]) == ([], TURNING - 1)
    late = found["unanswered"]
    assert (late["decision"], late["played"], late["now"]) == (TURNING, None, str(VIEW.decisions[TURNING - 1].action))


# --- Bots that do not answer ---


@wired
async def test_every_failure_has_a_name(script: Script, tmp_path: Path) -> None:
    async def tried(who: Contestant, patience: float) -> Rehearsed:
        log = tmp_path / f"{who.label}.log"
        return await rehearse(script, who, seed=None, patience=patience, log=log, tell=lambda _: None)

    own = [contestant(f"{BOTS}:{name}") for name in ("Hangs", "Crashes", "Fails")]
    absent, gone = contestant(None, "sleep 600"), contestant(None, f"{sys.executable} -c 'raise SystemExit(3)'")
    idle = Contestant("idle", (sys.executable, str(BOTS)))
    hangs, crashes, fails, absent_, gone_, idle_ = await asyncio.gather(
        *[tried(who, 7.0) for who in own], tried(absent, 0.5), tried(gone, 30.0), tried(idle, 7.0)
    )
    assert hangs.failure == f"Hangs gave no answer within 7 s at decision {TURNING}; give it longer with --patience"
    assert crashes.failure == f"Crashes ended (exit code 7) at decision {TURNING}"
    assert list(crashes.said) == ["out of legions"]
    assert (fails.failure, fails.resigned) == ("", True)
    assert any("no cohorts to divide" in line for line in fails.said)
    assert "sleep did not connect within 0.5 s: it finds the server in LICTOR_TARGET" in absent_.failure
    assert gone_.failure.endswith("ended (exit code 3) before it connected")
    assert "idle connected, but sought no match within 7 s" in idle_.failure
    for one in (hangs, crashes, fails):
        assert [answer.number for answer in one.answers] == list(range(1, TURNING))


def test_a_failure_is_told_with_what_was_found_before_it(file: Path) -> None:
    result = decide_again(file, "--bot", f"{BOTS}:Crashes")
    assert result.exit_code == 1
    assert f"0 of {TURNING - 1} decisions differ" in result.output
    assert f"Crashes ended (exit code 7) at decision {TURNING}\nIt said last:\n  out of legions" in result.output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "name a bot"),
        (("--bot", "random", "--exec", "sleep 1"), "name one of the two"),
        (("--exec", "no-such-program-here"), "cannot be started"),
        (("--bot", "nobody.py:Bot"), "there is no file nobody.py"),
        (("--at", 1000), f"was asked {len(VIEW.decisions)} times"),
        (("--out", "x.json"), "--at"),
        (("--seat", "crassus"), "there are caesar and pompey"),
    ],
)
def test_bad_input_is_refused_in_words(file: Path, words: tuple[object, ...], told: str) -> None:
    result = decide_again(file, *words)
    assert result.exit_code != 0
    assert isinstance(result.exception, SystemExit)
    assert told in result.output


def test_a_record_that_does_not_hold_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_bytes(CONTENT.replace(b'"think_ms":1500', b'"think_ms":1501', 1))
    result = decide_again(path, "--bot", "random")
    assert (result.exit_code, "Error: line " in result.output) == (1, True)


# --- As in a true match ---


def plain(decide: pb.Decide) -> pb.Decide:
    """Return a question without what the server measured at the moment."""
    copy = pb.Decide()
    copy.CopyFrom(decide)
    copy.last_server_ms = copy.last_wire_ms = copy.last_think_ms = 0.0
    return copy


def heard(stream: Stream, kind: str) -> list[Any]:
    return [getattr(one, kind) for one in stream.read if one.WhichOneof("message") == kind]


@wired
async def test_a_bot_is_told_what_it_was_told_in_the_match(tmp_path: Path) -> None:
    async with evening(tmp_path) as held:
        first = {name: await held.bot(name, features=["live_events"]) for name in ("one", "two")}
        match = await pair(first["one"], first["two"])
        await asyncio.gather(*[play(stream, seed=3) for stream in first.values()])
        content = await held.record(match)
    played = record.read(content)
    for seat, name in played.header["seats"].items():
        script = write_script(played, GAME, seat)
        async with offering(script, name) as (rehearsal, port), _channel(port) as channel:
            again = Stream(channel, name)
            await again.hello(features=["live_events"])
            await again.done(seek=pb.Seek(game=GAME.NAME))
            await play(again, seed=3)
        then = first[name]
        assert list(map(plain, heard(again, "decide"))) == list(map(plain, heard(then, "decide")))
        assert [answer.now for answer in rehearsal.answers] == [
            entry["action"] for entry in played.actions if entry["seat"] == seat
        ]
        news = [
            [event for told in heard(stream, "events") for event in told.events]
            + list(stream.ended[match].events.events)
            for stream in (again, then)
        ]
        assert news[0][: len(news[1])] == news[1]
        ended = [stream.ended[match] for stream in (again, then)]
        assert ended[0].observation == ended[1].observation
        assert (ended[0].secret, ended[0].termination.kind) == (ended[1].secret, ended[1].termination.kind)
        start = [stream.started[match] for stream in (again, then)]
        for one in start:
            one.origin_id = ""
        assert start[0] == start[1]


def _channel(port: int) -> grpc.aio.Channel:
    return grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=OWN_CONNECTION)


@wired
async def test_a_bot_that_comes_again_goes_on_where_it_was(script: Script) -> None:
    async with offering(script, "bot") as (rehearsal, port), _channel(port) as channel:
        stranger = Stream(channel, "bot")
        await stranger.refusal(hello=stranger.introduction(protocol_min=9, protocol_max=9))
        assert (rehearsal.stage, rehearsal.refusal) == ("absent", "unsupported protocol")
        first = Stream(channel, "bot")
        await first.hello()
        refused = await first.refusal(seek=pb.Seek(game="chess"))
        assert (refused.reason, rehearsal.stage) == (pb.REFUSAL_REASON_UNKNOWN_GAME, "here")
        await first.done(seek=pb.Seek(game=GAME.NAME, seat=OTHER, clock=CLOCK))
        started = (await first.until("match_started")).match_started
        assert (started.seat, started.entropy_wanted, dict(started.options)["edition"]) == (SEAT, True, "2.0")
        await first.done(entropy=pb.Entropy(match_id=started.match_id, entropy=b"mine"))
        for number in range(TURNING - 1):
            decide = await first.decide(started.match_id, number)
            await first.act(decide, random.Random(number).randrange(len(decide.legal)))
        decide = await first.decide(started.match_id, TURNING - 1)
        first.call.cancel()

        second = Stream(channel, "bot")
        welcome = await second.hello()
        assert [(seat.seat, seat.to_act) for seat in welcome.seats] == [(SEAT, True)]
        resumed = (await second.until("match_started")).match_started
        seen = VIEW.decisions[TURNING - 1].seen
        assert (resumed.resumed, resumed.entropy_wanted, resumed.events) == (True, False, seen)
        assert await second.decide(started.match_id) == decide
        history = (await second.ask(get_history=pb.GetHistory(match_id=started.match_id))).history
        assert (history.last, len(history.events.events)) == (seen, seen)
        assert history.opening.SerializeToString() == script.opening
        observed = (await second.ask(observe=pb.Observe(match_id=started.match_id))).observed
        assert (observed.observation, observed.events) == (decide.observation, seen)

        assert (await second.refusal(act=_act(decide, TURNING + 1))).reason == pb.REFUSAL_REASON_NOT_ASKED
        illegal = await second.ask(act=_act(decide, TURNING, "move legio_1 rome"))
        assert illegal.accepted.applied == 1
        again = await second.ask(act=_act(decide, TURNING, "move legio_1 rome"))
        assert again.accepted == illegal.accepted
        assert rehearsal.answers[-1].now == "move legio_1 rome"
        assert [answer.legal for answer in rehearsal.answers] == [True] * (TURNING - 1) + [False]
        await second.decide(started.match_id, TURNING)
        assert await second.done(resign=pb.Resign(match_id=started.match_id)) == ""
        assert (await second.until("match_ended")).match_ended.termination.winner == OTHER
        assert rehearsal.stage == "resigned"


def _act(decide: pb.Decide, number: int, notation: str = "") -> pb.Act:
    act = choose(decide)
    act.decision_id = number
    if notation:
        act.actions[0].notation = notation
    return act


def test_a_batch_counts_as_far_as_it_is_what_was_played(script: Script) -> None:
    questions = script.questions
    run = next(
        i
        for i, one in enumerate(questions)
        if all(q.goes_on and not q.news for q in questions[i : i + 2]) and one.played
    )
    asked = questions[run : run + 3]
    then = [str(question.played) for question in asked]

    def taken(*texts: str) -> tuple[list[str], Stop]:
        act = Act("m", run + 1, [Choice(notation=text) for text in texts])
        given, stopped = batch_of(act, questions[run:], script.setting)
        return [one.now for one in given], stopped

    assert taken(*then) == (then, Stop.NOT)
    assert taken(then[0]) == (then[:1], Stop.NOT)
    other = next(str(action) for action in asked[1].decide.actions if str(action) != then[1])
    assert taken(then[0], other, then[2]) == (then[:1], Stop.NEWS)
    assert taken(then[0], "play 99") == (then[:1], Stop.NOT_LEGAL)
    first = next(str(action) for action in asked[0].decide.actions if str(action) != then[0])
    assert taken(first, then[1]) == ([first], Stop.NEWS)
    last = next(i for i, one in enumerate(questions) if not one.goes_on and one.played)
    act = Act("m", last + 1, [Choice(index=0), Choice(notation="end_moves")])
    assert batch_of(act, questions[last:], script.setting)[1] is Stop.NOT_YOURS


# --- Fixtures ---


def test_a_fixture_is_a_decision_for_a_unit_test(file: Path, script: Script, tmp_path: Path) -> None:
    where = tmp_path / "x.json"
    result = decide_again(file, "--at", TURNING, "--out", where)
    assert result.exit_code == 0, result.output
    assert f'load("{where}")' in result.output
    view, actions = load(where)
    decision = VIEW.decisions[TURNING - 1]
    assert [str(action) for action in actions] == [str(action) for action in decision.legal]
    assert (view.seat, view.decision_id, view.match_id) == (SEAT, TURNING, "again-1")
    assert len(view.history) == decision.seen
    assert view.opening.raw.SerializeToString() == script.opening
    assert view.year == decision.observation.year
    assert view.clock.limit_ms > 0
    assert str(bots.Same().decide(view, actions)) == str(decision.action)
    kept = json.loads(where.read_text())
    assert kept["played"] == str(decision.action)
    assert kept["observation"] == decision.observation.facts()
    assert [event["number"] for event in kept["history"]] == list(range(1, decision.seen + 1))


def test_a_fixture_needs_neither_a_bot_nor_a_name(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert decide_again(file, "--at", 3, "--json").exit_code == 0
    assert load(f"again-1-{SEAT}-3.json")[0].decision_id == 3


def test_no_record_can_choose_where_files_go() -> None:
    assert named_after("../../etc/x y", SEAT, 3, ending=".json") == f".._.._etc_x_y-{SEAT}-3.json"


def test_a_fixture_holds_nothing_the_seat_may_not_know(script: Script) -> None:
    """Draw all that is hidden anew at many decisions: the fixture stays the same, byte for byte."""
    differed = 0
    states = record.replay(PLAYED, GAME)
    for n, (state, _) in enumerate(states):
        entry = PLAYED.actions[n] if n < len(PLAYED.actions) else None
        if entry is None or entry["seat"] != SEAT:
            continue
        number = entry["decision"]
        other = GAME.redeal(state, SEAT, SeededChance(number))
        differed += GAME.digest(other) != GAME.digest(state)
        decision = VIEW.decisions[number - 1]
        seen, legal = GAME.observation(other, SEAT), GAME.legal_actions(other, SEAT)
        redealt = _with(VIEW, number, observation=seen, legal=legal)
        question = script.questions[number - 1]
        ask = _replace(question, decide=_replace(question.decide, observation=seen, actions=legal))
        questions = [*script.questions[: number - 1], ask, *script.questions[number:]]
        before = write_fixture(script, VIEW, number)
        assert write_fixture(_replace(script, questions=questions), redealt, number) == before
        text = json.dumps(before)
        assert PLAYED.footer["secret"] not in text
        assert len(before["history"]) == decision.seen
    assert differed > 30


def test_a_fixture_of_a_decision_knows_nothing_of_later_ones(script: Script) -> None:
    """Whatever comes after a decision, its fixture is the same: also in a match that ended there."""
    for number in (1, 7, TURNING):
        entry = next(e for e in PLAYED.actions if e["seat"] == SEAT and e["decision"] == number)
        shorter = record.read(made(entry["n"]))
        fixture = write_fixture(write_script(shorter, GAME, SEAT), look(shorter, GAME, SEAT), number)
        assert fixture == write_fixture(script, VIEW, number)


def _replace(thing: Any, **changes: Any) -> Any:
    return type(thing)(**{name: changes.get(name, getattr(thing, name)) for name in thing.__dataclass_fields__})


def _with(view: Any, number: int, **changes: Any) -> Any:
    decisions = list(view.decisions)
    decisions[number - 1] = _replace(decisions[number - 1], **changes)
    return _replace(view, decisions=decisions)


@pytest.mark.parametrize("content", ["", "{}", '{"format": "lictor-fixture-1", "wire": {"started": "?"}}', "[1]"])
def test_a_file_that_is_no_fixture_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(LictorError, match=r"is no|cannot be read"):
        load(path)
