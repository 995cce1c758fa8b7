"""The house bots, as processes."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lictor.bots.__main__ import paced, parse
from lictor.bots.files import BadBot
from lictor.bots.registry import NAMES, find, load
from lictor.client import AsyncBot, Bot, Result, run
from lictor.client.games.names import Names
from lictor.v1 import play_service_pb2 as pb

from .processes import WAIT_S, Server, in_thread


def start(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "lictor.bots", *arguments]
    env = {**os.environ, **environment}
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_house_bots_play_each_other_and_stop_by_themselves(server: Server) -> None:
    common = ("--server", server.target, "--matches", "2", "--max-matches", "2", "--seed", "3")
    bots = [start("random", *common, "--name", name) for name in ("r1", "r2")]
    for bot in bots:
        assert bot.communicate(timeout=WAIT_S) == ("", "")
        assert bot.returncode == 0


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_house_bot_goes_when_it_is_told_to(server: Server, how: signal.Signals) -> None:
    class Guest(Bot):
        def decide(self, view: Any, actions: Any) -> Any:
            if view.decision_id > 1:
                self.resign()
            return actions[0]

        def on_end(self, result: Result) -> None:
            ended.append(result.termination)

    ended: list[str] = []
    name = f"house{how.name}"
    bot = start("random", "--server", server.target, "--name", name)
    # It is there when it has played.
    in_thread(run, Guest, server.target, challenge=name, matches=1).result(WAIT_S)
    bot.send_signal(how)
    assert bot.communicate(timeout=WAIT_S) == ("", "")
    assert bot.returncode == 0
    assert ended == ["resignation"]


def test_a_house_bot_that_is_not_let_in_says_why(server: Server) -> None:
    bot = start("random", "--server", server.target, LICTOR_TOKEN="nonsense")
    _, said = bot.communicate(timeout=WAIT_S)
    assert bot.returncode == 1
    assert said.count("\n") == 1
    assert "LICTOR_TOKEN" in said


def test_a_seed_a_match_and_a_seat_give_the_same_answers_whatever_else_is_played() -> None:
    legal = [pb.LegalAction(notation=f"play {card}") for card in range(1, 8)]
    actions = Names().actions(pb.Decide(legal=legal))

    def answers(seed: int | None, *matches: tuple[str, str]) -> dict[tuple[str, str], list[str]]:
        bot, found = load("random", seed), {}
        for match, seat in matches:
            player: Any = bot()
            player.on_start(SimpleNamespace(match_id=match, seat=seat))
            found[match, seat] = [str(player.decide(None, actions)) for _ in range(20)]
        return found

    seats = [("m1", "caesar"), ("m1", "pompey"), ("m2", "caesar")]
    assert answers(7, *seats) == answers(7, *reversed(seats))
    assert len({tuple(found) for found in answers(7, *seats).values()}) == 3
    assert answers(7, *seats) != answers(8, *seats)
    assert answers(None, *seats) != answers(None, *seats)


def test_house_bots_have_names_and_some_a_budget() -> None:
    assert [find(name) for name in NAMES if "-" not in name] == [("random", {}), ("novice", {}), ("steady", {})]
    assert find("scout-1") == ("scout", {"budget": 1})
    assert find("scout-1.5s") == ("scout", {"seconds": 1.5})
    assert find("novice-8") == ("novice", {"attention": 8})
    assert all(issubclass(load(name, 7), Bot) for name in NAMES)
    assert find("scout-100000") == ("scout", {"budget": 100_000})


@pytest.mark.parametrize(
    "name",
    ["", "nobody", "scout", "scout-0", "scout-007", "scout-100001", "scout-2x", "scout-0s", "novice-100", "Random"],
)
def test_an_unknown_name_lists_the_names(name: str) -> None:
    with pytest.raises(BadBot) as error:
        load(name)
    assert all(known in str(error.value) for known in NAMES)


BOTS_IN_A_FILE = """
from dataclasses import dataclass

from neighbour import FIRST

from lictor.client import AsyncBot, Bot


@dataclass
class Mine(Bot):
    first: int = FIRST

    def decide(self, view, actions):
        return self.first


class Later(AsyncBot):
    async def decide(self, view, actions):
        return 0


class Other:
    pass
"""


def test_a_class_in_a_file_is_a_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "neighbour.py").write_text("FIRST = 3")
    (tmp_path / "mine.py").write_text(BOTS_IN_A_FILE)
    mine: Any = load(f"{tmp_path}/mine.py:Mine")
    assert mine().decide(None, []) == 3
    assert issubclass(load(f"{tmp_path}/mine.py:Later"), AsyncBot)
    assert "mine" not in sys.modules


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("none.py:Mine", None, "there is no file"),
        ("bad.py", "", "say which class"),
        ("bad.py:", "", "say which class"),
        ("bad.py:Mine", "x = 1\ndef (", "bad.py, line 2: invalid syntax"),
        ("bad.py:Mine", "\n\nimport nothing_of_the_kind", "bad.py, line 3: ModuleNotFoundError: No module named"),
        ("bad.py:Mine", "raise ValueError('two\\nlines')", "bad.py, line 1: ValueError: two lines"),
        ("bad.py:Mine", "from lictor.client import Bot\nclass Nine(Bot): ...", "no class 'Mine'; its bots: Nine"),
        ("bad.py:Mine", "class Mine: ...", "does not derive from Bot"),
        ("bad.py:Bot", "from lictor.client import Bot", "does not derive from Bot"),
        ("bad.txt:Mine", "", "is no Python file"),
    ],
)
def test_a_file_without_the_bot_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: str | None, told: str
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path(name.partition(":")[0]).write_text(content)
    with pytest.raises(BadBot) as error:
        load(name)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_a_bot_that_is_not_there_ends_the_runner_with_one_line() -> None:
    bot = start("nobody")
    said, complained = bot.communicate(timeout=WAIT_S)
    assert (bot.returncode, said, complained.count("\n")) == (2, "", 1)
    assert "there is no house bot 'nobody'" in complained


def test_the_environment_says_what_the_command_line_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LICTOR_GAME", raising=False)
    monkeypatch.delenv("LICTOR_SEED", raising=False)
    assert (parse(["random"]).game, parse(["random"]).seed) == ("julius_caesar", None)
    monkeypatch.setenv("LICTOR_GAME", "latrunculi")
    monkeypatch.setenv("LICTOR_SEED", "0")
    assert (parse(["random"]).game, parse(["random"]).seed) == ("latrunculi", 0)
    given = parse(["random", "--game", "calculi", "--seed", "5"])
    assert (given.game, given.seed) == ("calculi", 5)


def test_the_help_lists_the_house_bots(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert all(name in said for name in NAMES)


def test_bots_of_both_kinds_can_be_slowed_down() -> None:
    class Slow(AsyncBot):
        async def decide(self, view: Any, actions: Any) -> Any:
            return 5

    class Plain(Bot):
        def decide(self, view: Any, actions: Any) -> Any:
            return 6

    slow: Any = paced(Slow, 0.001)
    plain: Any = paced(Plain, 0.001)
    assert asyncio.run(slow().decide(None, [])) == 5
    assert plain().decide(None, []) == 6
    assert paced(Plain, 0.0) is Plain
