"""The house bots, as processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any

import pytest

from lictor.bots.registry import BOTS, load
from lictor.client import Bot, Result, run
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


@pytest.mark.parametrize("name", BOTS)
def test_a_seed_gives_the_same_answers(name: str) -> None:
    legal = [pb.LegalAction(notation=f"play {card}") for card in range(1, 8)]
    actions = Names().actions(pb.Decide(legal=legal))

    def answers(seed: int) -> list[list[str]]:
        bot = load(name, seed)
        return [[str(player.decide(None, actions)) for _ in range(20)] for player in (bot(), bot())]

    assert answers(7) == answers(7) != answers(8)
    assert answers(7)[0] != answers(7)[1]
