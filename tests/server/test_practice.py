"""Practice: figures, the same games from the same seed, and a typed end for everything that goes wrong."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from lictor.engine import registry
from lictor.engine.record import verify
from lictor.server.cli import main
from lictor.server.contestants import BadContestant, Contestant, contestant
from lictor.server.matches import messages as say
from lictor.server.matches.clocks import Clock
from lictor.server.matches.settings import Settings
from lictor.server.practice.plan import SIDES, Plan, Side
from lictor.server.practice.running import Practised, practise
from lictor.server.practice.summary import Game, elo, quantile, summarise, wilson
from support.seats import CAESAR, GAME, POMPEY, on_a_clock, opened, quiet, seek

LONGEST_S = 60
_TIMES = ("think_ms", "link", "sha256")  # the last two cover the first

HEAD = """
import os, sys, time
from lictor.client import AsyncBot, Bot, run

class Quitter(Bot):
    def decide(self, view, actions):
        self.resign()
        return actions[0]
"""
QUIT = HEAD + "run(Quitter)"


# --- Figures ---


def game(number: int, winner: Side | None, kind: str = "victory", **facts: Any) -> Game:
    fault: Side | None = {"bot": "against", "against": "bot"}[winner] if winner and kind != "victory" else None  # type: ignore[assignment]
    facts.setdefault("think_ms", {"bot": [], "against": []})
    facts.setdefault("faults", {})
    return Game(number, f"m{number}", (CAESAR, POMPEY)[number % 2], kind, kind, winner, fault, **facts)


def test_error_bars_are_wilsons() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(7, 20) == pytest.approx((0.1812, 0.5671), abs=1e-4)
    assert wilson(0, 4) == pytest.approx((0.0, 0.4899), abs=1e-4)
    assert wilson(4, 4) == pytest.approx((0.5101, 1.0), abs=1e-4)


def test_elo_has_an_end_only_between_the_ends() -> None:
    assert elo(0.75) == pytest.approx(190.85, abs=0.01)
    assert elo(0.5) == 0
    assert elo(0.0) is elo(1.0) is elo(None) is None


def test_quantiles_are_values_that_occurred() -> None:
    assert [quantile(range(1, 101), share) for share in (0.5, 0.95, 1.0)] == [50, 95, 100]
    assert [quantile([3, 1], share) for share in (0.5, 0.95)] == [1, 3]
    assert quantile([], 0.5) == 0


def test_the_summary_counts_for_the_bot() -> None:
    games = [
        game(0, "bot", think_ms={"bot": [1, 2, 9], "against": [4]}),
        game(1, "bot", "time"),
        game(2, "against", "illegal_action"),
        game(3, None, "draw_agreed"),
        game(4, "against", "resignation"),
        game(5, None, "server_abort"),
    ]
    figures = summarise(games, (CAESAR, POMPEY))
    assert [figures[key] for key in ("games", "wins", "draws", "losses", "score")] == [5, 2, 1, 2, 0.5]
    assert (figures["elo"], figures["elo_low"]) == (0.0, -figures["elo_high"])
    assert (figures["forfeits"], figures["forfeits_against"]) == (1, 1)
    assert [figures["by_side"][CAESAR][key] for key in ("games", "wins", "draws", "losses")] == [3, 1, 0, 2]
    assert [figures["by_side"][POMPEY][key] for key in ("games", "wins", "draws", "losses")] == [2, 1, 1, 0]
    assert figures["endings"]["server_abort"] == 1
    assert sum(figures["endings"].values()) == 6
    assert figures["think_ms"]["bot"] == {"decisions": 3, "p50": 2, "p95": 9, "max": 9}
    assert summarise([], (CAESAR, POMPEY))["score"] is None


def plan(folder: Path, bot: Contestant, against: Contestant, games: int = 2, **facts: Any) -> Plan:
    return Plan(bot, against, GAME, facts.pop("options", {}), games, facts.pop("seed", 7), folder, **facts)


def test_ids_secrets_and_seats_come_from_seed_and_number_alone(tmp_path: Path) -> None:
    one = plan(tmp_path, contestant("random"), contestant("random"))
    other = plan(tmp_path / "other", Contestant("x", ("x",)), Contestant("y", ("y",)), 9, jobs=4)
    assert [one.match(n) for n in range(3)] == [other.match(n) for n in range(3)]
    assert [one.secret(n) for n in range(3)] == [other.secret(n) for n in range(3)]
    assert len({plan(tmp_path, one.bot, one.bot, seed=seed).secret(n) for seed in (7, 8) for n in range(5)}) == 10
    assert [one.seating(n)[CAESAR] for n in range(4)] == ["bot", "against", "bot", "against"]
    assert one.names() == {"bot": "random-1", "against": "random-2"}
    assert other.names() == {"bot": "x", "against": "y"}
    assert plan(tmp_path, Contestant("Ä b/c", ()), Contestant("", ())).names() == {"bot": "b-c", "against": "bot"}


def test_contestants_are_named_in_three_ways(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("")
    assert contestant(f"{tmp_path}/mine.py:Mine").label == "Mine"
    assert contestant("scout-50").command[-1] == "scout-50"
    assert contestant(None, f"python {tmp_path}/mine.py --fast").label == "mine"
    assert contestant(None, "./bot --fast") == Contestant("bot", ("./bot", "--fast"))
    for bot, program in (
        (None, None),
        ("random", "ls"),
        ("none.py:X", None),
        ("mine.py", None),
        (None, "'"),
        (None, ""),
    ):
        with pytest.raises(BadContestant):
            contestant(bot, program)


# --- A house whose records depend on nothing else ---


@on_a_clock
async def test_a_reproducible_house_wants_no_entropy_and_asks_in_seat_order() -> None:
    async with opened(settings=Settings(reproducible=True)) as room:
        one, other = room.bot("one"), room.bot("other")
        other.say(seek(seat=POMPEY))
        one.say(seek(seat=CAESAR))
        started = await other.hear(say.MatchStarted)
        assert not started.entropy_wanted
        first = await one.hear(say.Decide)
        await quiet()
        assert other.heard(say.Decide) == []  # though it owes a card as well
        refused = await other.ask(say.Entropy(started.match, b"mine"))
        assert isinstance(refused, say.Refused)
        assert refused.reason is say.Reason.ENTROPY_CLOSED
        early = await other.ask(say.Act(started.match, 1, [say.Choice(index=0)]))
        assert isinstance(early, say.Refused)
        assert early.reason is say.Reason.NOT_ASKED
        await one.act(first, 0)
        await other.act(await other.hear(say.Decide), 0)
        recorder = room.match(started.match).recorder
        assert recorder is not None
        assert [line["seat"] for line in recorder.actions] == [CAESAR, POMPEY]


# --- Playing ---


def program(folder: Path, name: str, text: str) -> Contestant:
    path = folder / f"{name}.py"
    path.write_text(text)
    return Contestant(name, (sys.executable, str(path)))


def play(plan: Plan, now: Callable[[], float] = time.monotonic) -> Practised:
    async def bounded() -> Practised:
        async with asyncio.timeout(LONGEST_S):
            return await practise(plan, asyncio.Event(), now=now)

    return asyncio.run(bounded())


def records(folder: Path) -> list[list[dict[str, Any]]]:
    """Return all records of a folder, each one sound, without the times."""
    found = []
    for path in sorted(folder.glob("*.jsonl")):
        verify(path.read_bytes(), registry.get)
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        lines[-1]["termination"]["at"] = ""
        found.append([{key: value for key, value in line.items() if key not in _TIMES} for line in lines])
    return found


def test_the_same_seed_gives_the_same_records_but_for_the_times(tmp_path: Path) -> None:
    random = contestant("random")
    for folder, jobs in (("one", 1), ("two", 1), ("four", 4)):
        practised = play(plan(tmp_path / folder, random, random, 2, jobs=jobs))
        assert practised.stopped is None
        assert [game.number for game in practised.games] == [0, 1]
    one, two, four = (records(tmp_path / folder) for folder in ("one", "two", "four"))
    assert len(one) == 2
    assert min(len(record) for record in one) > 50
    assert one == two == four
    assert [record[0]["match"] for record in one] == ["practice-7-0001", "practice-7-0002"]
    assert [record[0]["seats"][CAESAR] for record in one] == ["random-1", "random-2"]
    assert all(set(record[0]["entropies"].values()) == {""} for record in one)


def test_a_class_in_a_file_practises(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(HEAD)
    both = contestant(f"{tmp_path}/mine.py:Quitter")
    practised = play(plan(tmp_path / "kept", both, both, 2))
    assert practised.stopped is None
    assert [(game.seat, game.winner, game.kind) for game in practised.games] == [
        (CAESAR, "against", "resignation"),  # who is asked first resigns first
        (POMPEY, "bot", "resignation"),
    ]


def test_any_program_practises_and_practices_own_terms_win(tmp_path: Path) -> None:
    wishes = "run(Quitter, name='me', options={'edition': '1.x'}, clock='60+5/10', seat='pompey', matches=2)"
    garbage = "sys.stdout.buffer.write(bytes(range(256)) * 50)\n"
    bot = program(tmp_path, "bot", HEAD + garbage + wishes)
    practised = play(plan(tmp_path / "kept", bot, program(tmp_path, "other", QUIT), clock=Clock(base_ms=77_000)))
    assert practised.stopped is None
    headers = [record[0] for record in records(tmp_path / "kept")]
    assert [header["edition"] for header in headers] == ["2.0", "2.0"]
    assert [header["clocks"]["base_ms"] for header in headers] == [77_000, 77_000]
    assert [header["seats"] for header in headers] == [
        {CAESAR: "bot", POMPEY: "other"},
        {CAESAR: "other", POMPEY: "bot"},
    ]
    assert (tmp_path / "kept" / "bot-bot.log").stat().st_size >= 256 * 50


def test_a_bot_that_only_waits_for_challenges_gets_its_games(tmp_path: Path) -> None:
    waits, asks = HEAD + "run(Quitter, seek=None)", HEAD + "run(Quitter, challenge='waits')"
    bots = program(tmp_path, "waits", waits), program(tmp_path, "asks", asks)
    practised = play(plan(tmp_path / "kept", *bots))
    assert practised.stopped is None
    assert len(practised.games) == 2


# --- Trouble ---

CRASH = HEAD.replace("self.resign()", "print('alas', flush=True); os._exit(7)") + "run(Quitter)"
HANG = HEAD.replace("self.resign()", "time.sleep(1000)") + "run(Quitter, max_matches=3)"
SOUND = HEAD.replace("self.resign()", "pass") + "run(Quitter, max_matches=3)"
NEVER = "import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(1000)"
RAW = """
import os, time, grpc
from lictor.v1 import play_service_pb2 as pb

hello = pb.Hello(token=os.environ["LICTOR_TOKEN"], protocol_min=1, protocol_max=1)
seek = pb.Seek(game=os.environ["LICTOR_GAME"])
channel = grpc.insecure_channel(os.environ["LICTOR_TARGET"])

def talk(*messages):
    said = (m if isinstance(m, bytes) else pb.PlayRequest(**m).SerializeToString() for m in messages)
    return channel.stream_stream("/lictor.v1.PlayService/Play")(said)

def answers(*messages):
    return [pb.PlayResponse.FromString(raw) for raw in talk(*messages)]
"""
GARBAGE_FIRST = RAW + "answers(b'\\xff garbage')"
GARBAGE_LATER = (
    RAW
    + """
import threading

playing = threading.Event()

def garbage():
    yield pb.PlayRequest(hello=hello).SerializeToString()
    yield pb.PlayRequest(seek=seek).SerializeToString()
    playing.wait(60)
    yield from [b"\\xff garbage"] * 200

for raw in channel.stream_stream("/lictor.v1.PlayService/Play")(garbage()):
    if pb.PlayResponse.FromString(raw).HasField("decide"):
        playing.set()
"""
)
LEAVES = RAW + "answers({'hello': hello}); print('gone', flush=True); time.sleep(1000)"
SILENT = (
    RAW
    + """
def silence():
    yield pb.PlayRequest(hello=hello).SerializeToString()
    time.sleep(1000)

for raw in channel.stream_stream("/lictor.v1.PlayService/Play")(silence()):
    print("welcome", flush=True)
"""
)
OTHER_GAME = HEAD + "run(Quitter, seek='chess')"


@pytest.mark.parametrize(
    ("name", "text", "kind", "told"),
    [
        ("early", "import sys; sys.exit('no luck today')", "exited", "before it had connected (exit code 1)"),
        ("killed", "import os; os.kill(os.getpid(), 9)", "exited", "killed by SIGKILL"),
        ("few", HEAD + "run(Quitter, matches=1)", "exited", "left after 1 of 4 games (exit code 0)"),
        ("crash", CRASH, "crashed", "in mid-match (exit code 7)"),
        ("chess", OTHER_GAME, "exited", "exit code 1"),
        ("first", GARBAGE_FIRST, "exited", "exit code 1"),
        ("later", GARBAGE_LATER, "crashed", "exit code 1"),
    ],
)
def test_a_bot_in_trouble_ends_practice_with_a_typed_result(
    tmp_path: Path, name: str, text: str, kind: str, told: str
) -> None:
    bots = program(tmp_path, name, text), program(tmp_path, "sound", SOUND)
    practised = play(plan(tmp_path / "kept", *bots, games=4))
    assert practised.stopped is not None
    assert (practised.stopped.kind, practised.stopped.who) == (kind, "bot")
    assert told in practised.stopped.text
    assert name in practised.stopped.text
    assert practised.stopped.hint
    lost = {"few": 1, "crash": 1, "later": 1}.get(name, 0)
    assert [game.winner for game in practised.games] == ["against"] * lost
    assert len(records(tmp_path / "kept")) == lost
    if name not in ("few", "killed"):
        assert practised.stopped.said


def test_a_bot_that_hangs_loses_three_games_by_the_clock_and_no_more_are_started(tmp_path: Path) -> None:
    bots = program(tmp_path, "hang", HANG), program(tmp_path, "sound", SOUND)
    clock = Clock(base_ms=0, increment_ms=0, per_decision_ms=1500)  # long enough for the other on any machine
    practised = play(plan(tmp_path / "kept", *bots, games=20, jobs=3, clock=clock))
    assert practised.stopped is not None
    assert (practised.stopped.kind, practised.stopped.who) == ("hung", "bot")
    assert [game.kind for game in practised.games][:3] == ["time"] * 3
    assert 3 <= len(practised.games) <= 5
    assert {(game.winner, game.forfeited_by) for game in practised.games} == {("against", "bot")}
    assert len(records(tmp_path / "kept")) == len(practised.games)


def test_trouble_of_the_opponent_is_his(tmp_path: Path) -> None:
    practised = play(plan(tmp_path / "kept", contestant("random"), program(tmp_path, "crash", CRASH)))
    assert practised.stopped is not None
    assert (practised.stopped.kind, practised.stopped.who, practised.stopped.said) == ("crashed", "against", ["alas"])
    assert [(game.winner, game.forfeited_by) for game in practised.games] == [("bot", "against")]


def test_what_cannot_be_started_is_told(tmp_path: Path) -> None:
    nothing = contestant(None, str(tmp_path / "nothing"))
    practised = play(plan(tmp_path / "kept", contestant("random"), nothing))
    assert practised.stopped is not None
    assert (practised.stopped.kind, practised.stopped.who) == ("not_started", "against")
    assert "No such file" in practised.stopped.text


def test_a_bot_that_never_connects_is_waited_for_and_ended(tmp_path: Path) -> None:
    never = program(tmp_path, "never", NEVER)
    practised = play(plan(tmp_path / "kept", never, never, patience_s=1.0))
    assert practised.stopped is not None
    assert (practised.stopped.kind, practised.stopped.who) == ("never_connected", "bot")
    assert "LICTOR_TARGET" in practised.stopped.hint
    for line in practised.stopped.said:
        with pytest.raises(ProcessLookupError):
            os.kill(int(line), 0)


@pytest.mark.parametrize(
    ("name", "text", "kind"), [("silent", SILENT, "not_seeking"), ("leaves", LEAVES, "disconnected")]
)
def test_a_bot_that_comes_and_wants_no_match_is_told_apart(tmp_path: Path, name: str, text: str, kind: str) -> None:
    both, looks = program(tmp_path, name, text), itertools.count(1)
    what = plan(tmp_path / "kept", both, both)

    def now() -> float:
        """Let time pass only when both have said that they were here."""
        here = all(what.log(side).is_file() and what.log(side).stat().st_size for side in SIDES)
        return 100.0 * next(looks) if here else 0.0

    practised = play(what, now)
    assert practised.stopped is not None
    assert practised.stopped.kind == kind
    assert practised.stopped.who in SIDES  # both do the same, and either may have come first
    assert practised.games == []


# --- The command ---


def lictor(*words: object, cwd: Path, **environment: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "lictor.server.cli", "practice", *map(str, words)]
    env: Mapping[str, str] = {**os.environ, "COLUMNS": "200", **environment}
    return subprocess.Popen(
        command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def test_the_command_gives_one_object_to_a_program(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(HEAD)
    done = lictor("mine.py:Quitter", "--against", "random", "-n", 2, "--seed", 5, "--json", cwd=tmp_path)
    said, complained = done.communicate(timeout=LONGEST_S)
    assert (done.returncode, complained) == (0, "")
    figures = json.loads(said)
    relied_on = "bot against games wins draws losses by_side forfeits endings think_ms records seed score score_low "
    relied_on += "score_high elo elo_low elo_high stopped"
    assert set(relied_on.split()) <= set(figures)
    assert (figures["bot"], figures["against"], figures["games"], figures["losses"]) == ("Quitter", "random", 2, 2)
    assert (figures["endings"], figures["stopped"]) == ({"resignation": 2}, None)
    assert figures["records"] == "practice-records/Quitter-random-5"
    assert len(records(tmp_path / figures["records"])) == 2


def test_the_command_tells_people_what_happened_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "few.py").write_text(HEAD + "run(Quitter, matches=1)")
    done = lictor("--exec", f"{sys.executable} few.py", "--against-exec", f"{sys.executable} few.py", cwd=tmp_path)
    said, complained = done.communicate(timeout=LONGEST_S)
    assert done.returncode == 1
    assert "few-1 against few-2: 1 games of julius_caesar" in said
    assert "0% to 79%" in said
    assert "An odd number of games: few-1 was caesar once more" in said
    assert "Endings: resignation 1." in said
    assert "Stopped after 1 of 20 games (exited): few-" in complained
    assert "Hint: let it seek matches without end" in complained


def test_an_interrupted_practice_tells_what_was_played(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(HEAD)
    folder = tmp_path / "kept"
    words = ("mine.py:Quitter", "--against", "mine.py:Quitter", "-n", 9999, "--records", folder, "--json")
    running = lictor(*words, cwd=tmp_path)
    deadline = time.monotonic() + LONGEST_S
    while not list(folder.glob("*.jsonl")) and time.monotonic() < deadline:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    said, complained = running.communicate(timeout=LONGEST_S)
    assert (running.returncode, complained) == (1, "")
    figures = json.loads(said)
    assert figures["stopped"]["kind"] == "interrupted"
    assert 0 < figures["games"] < 9999
    assert len(records(folder)) == figures["games"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "name a bot"),
        (("random", "--exec", "ls"), "name one of the two"),
        (("random", "--against", "random", "--against-exec", "ls"), "name one of the two"),
        (("mine.py",), "mine.py:MyBot"),
        (("random", "-o", "edition=9"), "may not be '9'"),
        (("random", "--game", "chess"), "there is no game 'chess'"),
        (("random", "--clock", "soon"), "base+increment/limit"),
        (("random", "--games", "0"), "0 is not in the range"),
    ],
)
def test_a_bad_command_line_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["practice", *words])
    assert result.exit_code == 2
    assert told in " ".join(result.output.split())


FAILING = """
from lictor.client import Bot


class Fails(Bot):
    def decide(self, view, actions):
        if view.decision_id == 5:
            raise ValueError("out of legions")
        return actions[0]
"""


def test_a_bot_that_raises_is_told_so_and_not_only_that_it_resigned(tmp_path: Path) -> None:
    (tmp_path / "fails.py").write_text(FAILING)
    words = [
        "practice",
        f"{tmp_path}/fails.py:Fails",
        "--against",
        "random",
        "-n",
        "2",
        "--records",
        str(tmp_path / "r"),
    ]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 1
    assert "failed in 2 of 2 games: Fails.decide raised ValueError: out of legions" in " ".join(done.output.split())
    again = CliRunner().invoke(main, [*words, "--json"])
    figures = json.loads(again.stdout)
    assert (figures["forfeits"], figures["failures"]["bot"]["games"], figures["stopped"]) == (2, 2, None)


def test_records_of_other_games_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "practice-7-0099.jsonl").write_text("mine")
    words = ["practice", "random", "--against", "random", "-n", "1", "--seed", "7", "--records", str(tmp_path)]
    assert CliRunner().invoke(main, words).exit_code == 0
    assert (tmp_path / "practice-7-0099.jsonl").read_text() == "mine"
