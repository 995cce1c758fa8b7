"""What notes were worth: win chances beside the result, beliefs beside the truth and beside the sampled worlds."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lictor.engine import julius_caesar as game
from lictor.engine.chance import SeededChance, derive_secret
from lictor.engine.game import GameError, Seat, seen_events
from lictor.engine.record import Record, Recorder, RecordError, read, replay
from lictor.server.cli import main
from lictor.server.notes import Score, log_loss, score
from lictor.server.transcripts import TranscriptError

CAESAR, POMPEY = game.SEATS
Order = Callable[[tuple[Seat, ...]], Seat]  # which of those who are to act answers first


def recorded(actions: int, first: Order = min, seed: int = 1, **end: Any) -> bytes:
    """Return the record of a match of so many actions, by lot; each seat's lot is its own, whoever answers first."""
    secret = derive_secret("notes", str(seed))
    recorder = Recorder(game, {}, match=f"match-{seed}", secret=secret, players={CAESAR: "one", POMPEY: "other"})
    lots = {seat: SeededChance(seed + number) for number, seat in enumerate(game.SEATS)}
    while len(recorder) < actions:
        seat = first(game.to_act(recorder.state))
        legal = game.legal_actions(recorder.state, seat)
        recorder.apply(seat, legal[lots[seat].draw(len(legal))])
    return recorder.finish(**(end or {"termination": "resignation", "seat": POMPEY, "winner": CAESAR}))


@functools.cache
def a_match() -> Record:
    return read(recorded(160))


def transcript(played: Record, seat: Seat, notes: Mapping[int, Mapping[str, Any]]) -> bytes:
    """Return a transcript as the server writes it."""
    lines: list[dict[str, Any]] = []
    for line in played.actions:
        if line["seat"] == seat:
            noted = notes.get(line["decision"])
            lines += [{"kind": "note", "at": 1, "text": "", "decision": line["decision"], **noted}] if noted else []
            lines.append({"kind": "decision", "at": 1, "decision": line["decision"], "action": line["action"]})
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def scored(notes: Mapping[int, Mapping[str, Any]], played: Record | None = None, worlds: int = 20) -> Score:
    played = played or a_match()
    return score(played, transcript(played, CAESAR, notes), CAESAR, worlds=worlds)


def positions(played: Record, decisions: Sequence[int]) -> dict[int, tuple[Any, list[Any]]]:
    """Return the state and what Caesar had seen when he answered decisions: another way to find when they were put."""
    found: dict[int, tuple[Any, list[Any]]] = {}
    seen: list[Any] = []
    before: tuple[Any, list[Any]] = (None, seen)
    for n, (state, events) in enumerate(replay(played, game)):
        line = played.actions[n - 1] if n else None
        if line is not None and line["seat"] == CAESAR and line["decision"] in decisions:
            found[line["decision"]] = before
        seen += seen_events(events, CAESAR)
        before = (game.copy(state), list(seen))
    return found


# --- By hand ---


def test_a_log_loss_is_what_the_books_say() -> None:
    assert log_loss(0.8, 1) == pytest.approx(0.22314355131420976)
    assert log_loss(0.8, 0) == pytest.approx(1.6094379124341003)
    assert log_loss(0.5, 0.5) == pytest.approx(math.log(2))
    assert log_loss(0.8, 0.5) == pytest.approx(0.916290731874155)
    for wrong in (log_loss(1, 0), log_loss(0, 1)):
        assert wrong == pytest.approx(13.815510557964274)
    for right in (log_loss(1, 1), log_loss(0, 0)):
        assert right == pytest.approx(1e-6, rel=1e-3)


@pytest.mark.parametrize(
    ("winner", "brier", "loss"),
    [
        (CAESAR, (0.3**2 + 0.5**2) / 2, -(math.log(0.7) + math.log(0.5)) / 2),
        (POMPEY, (0.7**2 + 0.5**2) / 2, -(math.log(0.3) + math.log(0.5)) / 2),
        (None, 0.2**2 / 2, -((math.log(0.7) + math.log(0.3)) / 2 + math.log(0.5)) / 2),
    ],
)
def test_win_chances_are_scored_by_the_result(winner: str | None, brier: float, loss: float) -> None:
    loser = POMPEY if winner == CAESAR else CAESAR
    end: dict[str, Any] = (
        {"termination": "draw_agreed"} if winner is None else {"termination": "time", "seat": loser, "winner": winner}
    )
    found = scored({1: {"win_chance": 0.7}, 2: {"text": "hm"}, 3: {"win_chance": 0.5}}, read(recorded(8, **end)))
    assert (found.notes, found.win_chances) == (3, 2)
    assert found.brier == pytest.approx(brier)
    assert found.log_loss == pytest.approx(loss)
    assert found.result == (0.5 if winner is None else float(winner == CAESAR))


def test_a_match_that_the_server_broke_off_says_nothing_about_win_chances() -> None:
    found = scored({1: {"win_chance": 0.7}}, read(recorded(8, termination="server_abort")))
    assert (found.result, found.brier, found.log_loss, found.win_chances) == (None, None, None, 1)


def test_beliefs_are_scored_by_the_truth_as_by_hand() -> None:
    state, _ = positions(a_match(), [1])[1]
    held, not_held = state.hands[1][0], state.deck[0]
    claims = {
        f"hand pompey {held}": 0.8,
        f"hand pompey {not_held}": 0.3,
        "at legio_2 pool": 0.5,
        "steps legio_2 4": 0.9,
    }
    found = scored({1: {"beliefs": claims}}, worlds=2000)
    kinds = {kind: beliefs.figures() for kind, beliefs in found.kinds.items()}
    assert kinds["hand"]["loss"] == pytest.approx(-(math.log(0.8) + math.log(0.7)) / 2)
    assert kinds["at"]["loss"] == pytest.approx(-math.log(0.5))
    assert kinds["steps"]["loss"] == pytest.approx(-math.log(0.9))
    whole = found.beliefs.figures()
    assert whole["loss"] == pytest.approx(-(math.log(0.8) + math.log(0.7) + math.log(0.5) + math.log(0.9)) / 4)
    # Any six of the 21 cards that Caesar does not hold; where the blocks stand, and how strong, is known to all (5.1).
    sampled = -(math.log(6 / 21) + math.log(15 / 21)) / 2
    assert kinds["hand"]["baseline"] == pytest.approx(sampled, abs=0.06)
    assert kinds["at"]["baseline"] == pytest.approx(-math.log(2000.5 / 2001))
    assert (whole["claims"], whole["open"], kinds["at"]["skill"], kinds["steps"]["skill"]) == (4, 2, None, None)
    skill = 1 - kinds["hand"]["loss"] / kinds["hand"]["baseline"]  # type: ignore[operator]
    assert kinds["hand"]["skill"] == whole["skill"] == pytest.approx(skill)


# --- Perfect, wrong, and as good as it gets ---

DECISIONS = (1, 2, 3, 20, 40, 60)


def beliefs_of(sure: Callable[[bool], float]) -> dict[int, dict[str, Any]]:
    """Return notes that know of each of the sampler's claims whether it is true, and make something of it."""
    notes = {}
    for decision, (state, seen) in positions(a_match(), DECISIONS).items():
        observation = game.observation(state, CAESAR)
        worlds = [game.sample(observation, seen, SeededChance(n)) for n in range(10)]
        claims = [claim for claim, _ in game.believe(worlds, CAESAR)]
        notes[decision] = {"beliefs": {text: sure(game.holds(state, game.parse_claim(text))) for text in claims}}
    return notes


def test_who_knows_the_truth_loses_nothing_and_beats_the_sampler() -> None:
    found = scored(beliefs_of(float))
    figures = found.beliefs.figures()
    assert figures["loss"] == pytest.approx(1e-6, rel=0.01)
    assert figures["baseline"] > 0.1  # type: ignore[operator]
    assert figures["skill"] == pytest.approx(1, abs=1e-4)
    assert {"at", "steps", "hand"} <= set(found.kinds)
    assert all(0 < kind.open <= kind.claims for kind in found.kinds.values())


def test_who_is_wrong_about_everything_loses_all_there_is() -> None:
    figures = scored(beliefs_of(lambda truth: 1.0 - truth)).beliefs.figures()
    assert figures["loss"] == pytest.approx(-math.log(1e-6))
    assert figures["skill"] < -1  # type: ignore[operator]


def test_who_shrugs_is_worse_than_the_sampler() -> None:
    figures = scored(beliefs_of(lambda _: 0.5)).beliefs.figures()
    assert figures["loss"] == pytest.approx(math.log(2))
    assert figures["loss"] > figures["baseline"]  # type: ignore[operator]


def test_beliefs_of_sampled_worlds_have_about_no_skill() -> None:
    notes = {}
    for decision, (state, seen) in positions(a_match(), DECISIONS).items():
        observation = game.observation(state, CAESAR)
        worlds = [game.sample(observation, seen, SeededChance(n)) for n in range(60)]
        notes[decision] = {"beliefs": dict(game.believe(worlds, CAESAR))}
    skill = scored(notes, worlds=60).beliefs.skill
    assert skill is not None
    assert -0.15 < skill < 0.15


def test_the_same_notes_always_get_the_same_score() -> None:
    notes = beliefs_of(lambda truth: 0.75 if truth else 0.25)
    assert scored(notes).figures() == scored(notes).figures()


# --- What is decided in secret at the same time ---


def test_what_the_other_seat_plays_at_the_same_time_is_the_truth_whoever_answers_first() -> None:
    for decision, kind in ((1, "discard"), (2, "played")):
        claims = {f"{kind} pompey {card}": 0.05 for card in range(1, 28)}
        found = []
        for first in (min, max):
            played = read(recorded(8, first))
            card = next(line for line in played.actions if (line["seat"], line["decision"]) == (POMPEY, decision))
            truth = f"{kind} pompey {card['action'].split()[1]}"
            found.append(scored({decision: {"beliefs": {**claims, truth: 0.9}}}, played, 200))
        one, other = (score.figures()["beliefs"]["kinds"] for score in found)
        assert one == other
        assert one[kind]["loss"] == pytest.approx(-(math.log(0.9) + 26 * math.log(0.95)) / 27)
        # The sampler knows that it is any of the 21 cards which Caesar has not seen.
        assert one[kind]["baseline"] == pytest.approx(-(math.log(1 / 21) + 20 * math.log(20 / 21)) / 27, abs=0.03)
        assert 0.2 < one[kind]["skill"] < 1


def test_who_never_answers_has_played_nothing() -> None:
    played = read(recorded(1, termination="time", seat=POMPEY, winner=CAESAR))
    claims = {f"discard pompey {card}": 0.0 for card in range(1, 28)}
    assert scored({1: {"beliefs": claims}}, played).beliefs.figures()["loss"] == pytest.approx(1e-6, rel=0.01)


# --- What is not understood, and what everybody knows ---


def test_claims_that_are_not_understood_are_counted_and_nothing_else() -> None:
    claims = {"at legio_2 rome": 0.1, "at legio_99 rome": 0.9, "at legio_2 lutetia": 0.9, "gibberish": 1.0}
    found = scored({1: {"beliefs": claims, "not_understood": ["gibberish"]}})
    assert (found.beliefs.claims, found.not_understood) == (1, 3)
    assert "legio_99" in found.complaint
    alone = scored({1: {"beliefs": {"gibberish": 0.5}}})
    assert (alone.beliefs.claims, alone.not_understood) == (0, 1)
    assert alone.beliefs.figures() == {"claims": 0, "open": 0, "loss": None, "baseline": None, "skill": None}


def test_saying_what_everybody_knows_earns_no_skill() -> None:
    known = {"at caesar ravenna": 0.0, "at brutus pool": 1.0, "at legio_2 rome": 0.0, "hand caesar 27": 0.0}
    state, _ = positions(a_match(), [1])[1]
    known = {text: float(game.holds(state, game.parse_claim(text))) for text in known}
    plain = {f"hand pompey {state.hands[1][0]}": 0.3, f"hand pompey {state.deck[0]}": 0.3}
    assert scored({1: {"beliefs": known}}).beliefs.skill is None
    assert scored({1: {"beliefs": {**known, **plain}}}).beliefs.skill == scored({1: {"beliefs": plain}}).beliefs.skill


# --- Transcripts ---


def test_a_transcript_must_be_that_of_the_seat_in_this_match() -> None:
    played = a_match()
    own = transcript(played, CAESAR, {})
    for content, seat in (
        (transcript(played, POMPEY, {}), CAESAR),
        (own, POMPEY),
        (transcript(read(recorded(160, seed=2)), CAESAR, {}), CAESAR),
        (b"", CAESAR),
        (own[: own.rindex(b'{"kind"')], CAESAR),
    ):
        with pytest.raises(TranscriptError, match=f"not the transcript of {seat} .* --transcript {seat}"):
            score(played, content, seat)
    with pytest.raises(TranscriptError, match="no seat 'sulla'; there are caesar and pompey"):
        score(played, own, "sulla")
    assert score(played, own, CAESAR).notes == 0


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"{", "line 1 .* not JSON"),
        (b"[" * 100_000, "line 1 .* not JSON"),
        (b"\xff\xfe", "line 1 .* not JSON"),
        (b"[]", "line 1 .* no kind"),
        (b'{"kind": 7}', "line 1 .* no kind"),
        (b'{"kind": "note"}', "line 1 .* never made: None"),
        (b'{"kind": "note", "decision": true}', "line 1 .* never made: True"),
        (b'{"kind": "note", "decision": 100000}', "line 1 .* never made: 100000"),
        (b'{"kind": "note", "decision": 1, "win_chance": "high"}', "line 1 .* 'high' is not a chance"),
        (b'{"kind": "note", "decision": 1, "win_chance": NaN}', "line 1 .* nan is not a chance"),
        (b'{"kind": "note", "decision": 1, "win_chance": true}', "line 1 .* True is not a chance"),
        (b'{"kind": "note", "decision": 1, "beliefs": [1]}', "line 1 .* must be an object"),
        (b'{"kind": "note", "decision": 1, "beliefs": {"at legio_2 rome": 1.5}}', "line 1 .* 1.5 is not a chance"),
        (b'{"kind": "note", "decision": 1, "beliefs": {"at legio_2 rome": null}}', "line 1 .* None is not a chance"),
    ],
)
def test_a_transcript_that_cannot_be_read_is_refused_with_its_line(line: bytes, told: str) -> None:
    with pytest.raises(TranscriptError, match=told):
        score(a_match(), line + b"\n" + transcript(a_match(), CAESAR, {}), CAESAR)


def test_nothing_is_scored_without_the_end_of_the_record() -> None:
    """While a match is open nobody has its secret or the hash of all its lines: without a footer there is no record."""
    lines = recorded(40).splitlines(keepends=True)
    for content in (b"".join(lines[:-1]), b"".join(lines[:20]), lines[0] + lines[-1]):
        with pytest.raises(RecordError):
            read(content)
    forged = Record(read(recorded(40)).header, read(recorded(40)).actions, {**a_match().footer, "secret": "00" * 32})
    with pytest.raises(GameError, match="secret"):
        scored({1: {"beliefs": {"at legio_2 rome": 0.5}}}, forged)


# --- The command ---


def lictor(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    content, notes = recorded(60), tmp_path / "notes.jsonl"
    (tmp_path / "match.jsonl").write_bytes(content)
    claims = {"at legio_2 rome": 0.25, "hand pompey 7": 0.5, "hand pompey 8": 0.5, "what?": 0.1}
    noted: dict[int, dict[str, Any]] = {1: {"win_chance": 0.75, "beliefs": claims}, 5: {"win_chance": 0.5}}
    notes.write_bytes(transcript(read(content), CAESAR, noted))
    return tmp_path / "match.jsonl", notes


def test_the_command_tells_people_and_programs(files: tuple[Path, Path]) -> None:
    result = lictor("record", "notes", *files, "--seat", CAESAR, "--worlds", 50)
    assert result.exit_code == 0, result.output
    assert "match-1, caesar: won, 2 notes" in result.stdout
    assert "win chances: 2, Brier 0.1562, log loss 0.4904" in result.stdout
    assert "1 claims were not understood; the first: 'what?' is not a claim" in result.stdout
    rows = [line.replace("│", " ").replace("┃", " ").split() for line in result.stdout.splitlines()]
    assert [row[:2] for row in rows if row and row[0] in ("at", "hand", "all")] == [
        ["at", "1"],
        ["hand", "2"],
        ["all", "3"],
    ]
    found = json.loads(lictor("record", "notes", *files, "--seat", CAESAR, "--worlds", 50, "--json").stdout)
    assert (found["match"], found["seat"], found["result"], found["notes"]) == ("match-1", CAESAR, 1.0, 2)
    assert found["win_chance"] == {"notes": 2, "brier": 0.15625, "log_loss": pytest.approx(0.4904146)}
    assert (found["beliefs"]["claims"], found["beliefs"]["not_understood"], found["worlds"]) == (3, 1, 50)
    assert set(found["beliefs"]["kinds"]) == {"at", "hand"}
    assert found["beliefs"]["kinds"]["hand"]["loss"] == pytest.approx(math.log(2))


def test_the_command_says_when_there_is_nothing_to_score(files: tuple[Path, Path]) -> None:
    files[1].write_bytes(transcript(read(files[0].read_bytes()), CAESAR, {}))
    result = lictor("record", "notes", *files, "--seat", CAESAR)
    assert (result.exit_code, "nothing to score" in result.stdout) == (0, True)


def test_the_command_refuses_bad_input_in_words(files: tuple[Path, Path], tmp_path: Path) -> None:
    match, notes = files
    (tmp_path / "open.jsonl").write_bytes(b"".join(match.read_bytes().splitlines(keepends=True)[:-1]))
    for words, told in (
        ((match, notes), "Missing option '--seat'"),
        ((match, notes, "--seat", "sulla"), "no seat 'sulla'"),
        ((match, notes, "--seat", POMPEY), "not the transcript of pompey"),
        ((match, match, "--seat", CAESAR), "no kind"),
        ((notes, match, "--seat", CAESAR), "line 1"),
        ((tmp_path / "open.jsonl", notes, "--seat", CAESAR), "line "),
        ((match, tmp_path / "none", "--seat", CAESAR), "does not exist"),
        ((match, notes, "--seat", CAESAR, "--worlds", 1), "--worlds"),
    ):
        result = lictor("record", "notes", *words)
        assert result.exit_code in (1, 2), words
        assert told in result.output
        assert not isinstance(result.exception, GameError)
