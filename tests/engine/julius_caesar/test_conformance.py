"""Recorded games of an independent implementation, reproduced step by step: legal lists and snapshots are equal."""

import gzip
import json
from pathlib import Path

import pytest

from lictor.engine import registry
from lictor.engine.chance import ScriptedChance

ROOT = Path(__file__).parents[3]
COMMITTED = sorted((ROOT / "tests" / "golden" / "conformance").glob("*.jsonl.gz"))
BESIDE = sorted((ROOT.parent / "shared" / "conformance" / "julius_caesar").glob("*.jsonl.gz"))
TRACES = {path.name.split(".")[0]: path for path in (*BESIDE, *COMMITTED)}

# Where a recorded game and the rulebook disagree the rulebook wins: (trace, step) -> the rule and the reason.
DISAGREEMENTS: dict[tuple[str, int], str] = {}


def test_the_committed_sample_has_both_editions_and_both_deployments() -> None:
    kinds = [path.name.rsplit("_", 1)[0] for path in COMMITTED]
    assert len(kinds) >= 10
    assert set(kinds) == {"jc20_hist", "jc20_free", "jc1x_hist", "jc1x_free"}


@pytest.mark.parametrize("name", sorted(TRACES))
def test_recorded_game(name: str) -> None:
    game = registry.get("julius_caesar")
    header, *steps = (json.loads(line) for line in gzip.decompress(TRACES[name].read_bytes()).splitlines())
    chance = ScriptedChance(header["chance"])
    state = game.new_game({"edition": header["edition"], "deployment": header["deployment"]}, chance)
    expected = header["state"]
    assert game.snapshot(state) == expected
    while steps:
        run = [steps.pop(0)]
        while steps and steps[0].get("forced"):
            run.append(steps.pop(0))
        for step in run:
            chance.extend(step["chance"])
        for step in run:
            seat, where = step["seat"], f"{name} step {step['n']}"
            legal = sorted(str(action) for action in game.legal_actions(state, seat))
            if step is not run[0] and legal != step["legal"]:
                continue  # the engine has taken this forced step already
            assert legal == step["legal"], where
            game.apply(state, seat, game.parse_action(step["action"]))
        for step in run:
            blocks = {**expected["blocks"], **step["delta"].get("blocks", {})}
            expected = {**expected, **step["delta"], "blocks": blocks}
            assert "state" not in step or step["state"] == expected
        assert game.snapshot(state) == expected, f"{name} after step {run[-1]['n']}"
        assert chance.left == 0, f"{name} step {run[-1]['n']}"
    assert game.to_act(state) == ()
