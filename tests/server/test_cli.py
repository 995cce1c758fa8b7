"""The command line, as a user types it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lictor.server.cli import main

GOLDEN = Path(__file__).parents[1] / "golden" / "julius_caesar_2.0_historical.jsonl"


def lictor(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_selfplay_with_the_same_seed_gives_the_same_games(tmp_path: Path) -> None:
    for folder, jobs in (("one", 1), ("two", 1), ("three", 2)):
        result = lictor("selfplay", "-n", 3, "--seed", 7, "--records", tmp_path / folder, "-j", jobs)
        assert result.exit_code == 0, result.output
    games = {
        folder: [p.read_bytes() for p in sorted((tmp_path / folder).iterdir())] for folder in ("one", "two", "three")
    }
    assert len(games["one"]) == 3
    assert games["one"] == games["two"] == games["three"]
    assert lictor("record", "verify", *sorted((tmp_path / "one").iterdir())).exit_code == 0


def test_selfplay_tells_a_program_what_happened() -> None:
    result = json.loads(lictor("selfplay", "-n", 2, "--players", "steady,random", "--json").stdout)
    assert result["games"] == 2
    assert sum(result["wins"].values()) + result["draws"] == 2
    assert result["players"] == {"caesar": "steady", "pompey": "random"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("selfplay", "--game", "chess"), "there is no game 'chess'"),
        (("selfplay", "-o", "edition=9"), "may not be '9'"),
        (("selfplay", "-o", "colour=red"), "unknown option 'colour'"),
        (("selfplay", "-o", "edition"), "is not NAME=VALUE"),
        (("selfplay", "-o", "data=x"), "--data"),
        (("selfplay", "--players", "random"), "for each of caesar, pompey"),
        (("selfplay", "--players", "random,brilliant"), "there are random, novice, steady, scout-N"),
        (("selfplay", "--data", __file__), "is not YAML"),
        (("record", "show", __file__), "line "),
        (("record", "show", GOLDEN, "--viewer", "crassus"), "caesar, pompey, spectator"),
        (("record", "replay", GOLDEN, "--to", 10**6), "the record has"),
        (("record", "verify", "no such file"), "does not exist"),
        (("leakcheck", "--game", "go"), "there is no game 'go'"),
        (("bench", "engine", "--game", "go"), "there is no game 'go'"),
    ],
)
def test_bad_input_is_refused_in_words(words: tuple[object, ...], told: str) -> None:
    result = lictor(*words)
    assert result.exit_code in (1, 2)
    assert told in " ".join(result.output.replace("│", " ").split())
    assert isinstance(result.exception, SystemExit)


def test_a_folder_that_cannot_be_written_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = lictor("selfplay", "-n", 1, "--records", tmp_path / "file" / "folder")
    assert result.exit_code == 1
    assert result.output.startswith("Error: ")
    assert isinstance(result.exception, SystemExit)


def test_a_reader_that_stops_ends_the_telling_quietly() -> None:
    command = f"{sys.executable} -m lictor.server.cli record show {GOLDEN} | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


def test_a_broken_data_file_is_refused_with_its_entry(tmp_path: Path) -> None:
    broken = tmp_path / "data.yaml"
    broken.write_text("game: julius_caesar\n")
    result = lictor("selfplay", "--data", broken)
    assert result.exit_code == 1
    assert "players: must be" in result.output


def test_verify_says_what_holds_and_what_is_broken(tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(GOLDEN.read_bytes().replace(b"fire", b"pass", 1))
    result = lictor("record", "verify", GOLDEN, broken)
    assert result.exit_code == 1
    assert "ok " in result.output
    assert "BROKEN" in result.output
    rows = json.loads(lictor("record", "verify", GOLDEN, broken, "--json").stdout)
    assert [row["ok"] for row in rows] == [True, False]
    assert rows[1]["error"].startswith(f"line {rows[1]['line']}: ")


def test_show_tells_the_match_as_a_viewer_saw_it() -> None:
    everything = lictor("record", "show", GOLDEN).output
    spectators = lictor("record", "show", GOLDEN, "--viewer", "spectator").output
    assert "levies Auxilia" in everything
    assert "levies Auxilia" not in spectators
    assert "levies a green block" in spectators
    assert "caesar move " not in spectators
    assert "caesar move " not in lictor("record", "show", GOLDEN, "--viewer", "pompey").output


def test_show_gives_the_telling_to_a_program() -> None:
    told = json.loads(lictor("record", "show", GOLDEN, "--viewer", "pompey", "--json").stdout)["told"]
    assert {row["seat"] for row in told} == {None, "pompey"}
    assert any("commands first" in text for row in told for text in row["words"])


def test_replay_gives_the_position_at_any_point() -> None:
    start = json.loads(lictor("record", "replay", GOLDEN, "--to", 0).stdout)
    assert start["after"] == 0
    assert start["position"]["blocks"]["caesar"]["at"] == "ravenna"
    seen = json.loads(lictor("record", "replay", GOLDEN, "--to", 30, "--viewer", "pompey").stdout)
    assert seen["position"]["viewer"] == "pompey"
    end = json.loads(lictor("record", "replay", GOLDEN).stdout)
    assert end["digest"] == json.loads(GOLDEN.read_text().splitlines()[-1])["digest"]


def test_leakcheck_reports_a_list_of_games() -> None:
    result = lictor("leakcheck", "--states", 20, "--json")
    assert result.exit_code == 0
    (row,) = json.loads(result.stdout)
    assert (row["game"], row["states"], row["leaks"]) == ("julius_caesar", 20, 0)
    assert row["comparisons"] > 60
    assert "No leak" in lictor("leakcheck", "--states", 5).output


def test_bench_engine_gives_the_figures_relied_on() -> None:
    figures = json.loads(lictor("bench", "engine", "--seconds", 0.1, "--json").stdout)
    relied_on = "game games games_per_s decisions_per_s decisions_per_game us_legal us_apply us_observation us_copy"
    assert set(relied_on.split()) <= set(figures)
    assert all(figures[name] > 0 for name in relied_on.split()[1:])


def test_the_demo_serves_plays_over_the_wire_and_verifies(tmp_path: Path) -> None:
    environment = {**os.environ, "COLUMNS": "200"}
    words = [sys.executable, "-m", "lictor.server.cli", "demo", "--matches", "2", "--pace", "0", "--port", "0"]
    words += ["--home", str(tmp_path / "home")]
    done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=60, check=True)
    assert "dev mode, no token needed" in done.stdout
    assert re.search(r"(random|novice|steady)\S* \(caesar\) against (random|novice|steady)\S* \(pompey\)", done.stdout)
    finished, verified = re.findall(r"^(\d+) of (\d+) records verify", done.stdout, re.MULTILINE)[0]
    assert int(finished) == int(verified) >= 2
    assert done.stderr == ""


def test_the_rungs_of_the_house_bots_are_measured_over_the_wire() -> None:
    rows = json.loads(lictor("bench", "bots", "--rungs", "random,novice,steady", "--pairs", 1, "--json").stdout)
    assert [(row["bot"], row["against"]) for row in rows] == [
        ("novice", "random"), ("steady", "novice"), ("steady", "random"),
    ]  # fmt: skip
    assert all(row["games"] == 2 and row["score_low"] < row["score"] <= row["score_high"] for row in rows[::2])
    assert rows[2]["wins"] == 2


def test_rungs_that_nobody_knows_are_refused() -> None:
    done = lictor("bench", "bots", "--rungs", "random,genius", "--pairs", 1)
    assert done.exit_code == 1
    assert "genius" in done.output
    assert "Traceback" not in done.output
