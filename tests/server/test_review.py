"""Reviews: luck, choice and the end add up; what is lost by chance is not called lost; a planted blunder is found."""

from __future__ import annotations

import itertools
import json
import math
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest
from click.testing import CliRunner, Result

from lictor.engine import record, registry, search
from lictor.engine.chance import Chance, SeededChance, derive_secret
from lictor.engine.game import AnyGame, UnknownSeat, seen_events
from lictor.engine.record.perspective import Decision, Perspective, look
from lictor.server.cli import main
from lictor.server.review.judging import Estimate, Task, judge, judging
from lictor.server.review.ledger import Review, Reviewer
from lictor.server.review.plot import Heading, draw

GAME = registry.get("julius_caesar")
CAESAR, POMPEY = GAME.SEATS
GAP = 0.15  # of a blunder that is worth the name
_SEEDS = 1 << 60


# --- Matches ---


class Blunder(NamedTuple):
    number: int
    played: str
    better: str
    gap: float


class Sensible:
    """Plays both seats of a match as `advise` has it, each by what it has seen; in one place its worst, if asked to."""

    def __init__(self, seed: int, blunders: str = "") -> None:
        self.chance, self.blunders, self.blunder = SeededChance(seed), blunders, cast("Blunder | None", None)
        self.seen: dict[str, list[Any]] = {seat: [] for seat in GAME.SEATS}
        self.asked = dict.fromkeys(GAME.SEATS, 0)
        self.after = 3 + self.chance.draw(12)  # decisions at which all is well
        self.recorder = record.Recorder(
            GAME,
            {},
            match=f"sensible-{seed}",
            secret=derive_secret("review", str(seed)),
            players={CAESAR: "one <&>", POMPEY: "two"},
        )

    def play(self, turns: int, after_blunder: int = 99) -> bytes:
        """Play so many turns, in all and after the blunder; a match that is not over then is a draw by agreement."""
        state = self.recorder.state
        while (seats := GAME.to_act(state)) and GAME.turn_number(state) <= turns:
            if self.blunder is not None:
                turns, after_blunder = min(turns, GAME.turn_number(state) + after_blunder), 99
            seat = seats[0]
            self.asked[seat] += 1
            events = self.recorder.apply(seat, self.decide(seat))
            for viewer, seen in self.seen.items():
                seen += seen_events(events, viewer)
        return self.recorder.finish(termination="draw_agreed")

    def decide(self, seat: str) -> Any:
        state = self.recorder.state
        legal = GAME.legal_actions(state, seat)
        if len(legal) == 1:
            return legal[0]
        if seat == self.blunders and self.blunder is None and self.asked[seat] > self.after and len(legal) <= 30:
            worst = self.worst(seat, legal)
            if worst is not None:
                return worst
        world = self.worlds(seat, 1)[0]
        return GAME.advise(world, seat, self.chance)[0]

    def worlds(self, seat: str, number: int) -> list[Any]:
        observation = GAME.observation(self.recorder.state, seat)
        return search.sample_worlds(GAME, observation, self.seen[seat], number, self.chance)

    def worst(self, seat: str, legal: Sequence[Any]) -> Any:
        """Return the worst action, if it is clearly worse than the best: looked for, then made sure of."""
        few = self.values(seat, legal, 6)
        best, worst = max(few, key=lambda one: few[one]), min(few, key=lambda one: few[one])
        if few[best] - few[worst] < GAP:
            return None
        many = self.values(seat, [best, worst], 100)
        if many[best] - many[worst] < GAP:
            return None
        self.blunder = Blunder(self.asked[seat], str(worst), str(best), many[best] - many[worst])
        return worst

    def values(self, seat: str, actions: Sequence[Any], number: int) -> dict[Any, float]:
        drawn = [(world, self.chance.draw(_SEEDS)) for world in self.worlds(seat, number)]
        return {
            action: sum(search.playout(GAME, world, seat, (action,), seed) for world, seed in drawn) / number
            for action in actions
        }


def reviewed(content: bytes, seat: str, playouts: int, seed: int = 1, jobs: int = 1) -> Review:
    task = Task(content, None, seat, seed)
    view = task.view()
    with judging(task, view, jobs) as judges:
        return Reviewer(task, view, judges, playouts).review()


@cache
def short() -> bytes:
    """A match of one turn, ended by agreement."""
    return Sensible(4).play(1)


@cache
def short_review() -> Review:
    return reviewed(short(), CAESAR, 20)


# --- From one seat ---


def test_a_seat_is_asked_what_it_answered() -> None:
    content = Sensible(1).play(3)
    played = record.read(content)
    for seat in GAME.SEATS:
        view = look(played, GAME, seat)
        answers = [entry for entry in played.actions if entry["seat"] == seat]
        asked = view.decisions[: len(answers)]
        assert [str(decision.action) for decision in asked] == [entry["action"] for entry in answers]
        assert [decision.number for decision in asked] == [entry["decision"] for entry in answers]
        assert all(decision.action in decision.legal for decision in asked)
        assert all(decision.action is None for decision in view.decisions[len(answers) :])
        assert all(decision.observation.viewer == seat for decision in asked)
        assert view.result == 0.5
        assert all(a.seen <= b.seen for a, b in itertools.pairwise(view.decisions))
        assert view.words(view.decisions[0]).startswith("game turn 1, choose discard")
        assert any(decision.follows for decision in asked)
    with pytest.raises(UnknownSeat, match="there are caesar and pompey"):
        look(played, GAME, "crassus")


# --- What adds up ---


def _adds_up(found: Review) -> None:
    total = found.first.value + found.choice.value + found.luck.value + found.ending.value
    assert total == pytest.approx(found.view.result, abs=1e-12)
    chance = found.first.value
    for entry, after in zip(found.entries, [*found.entries, None][1:], strict=True):
        assert chance + entry.judged.gain.value == pytest.approx(entry.judged.after.value, abs=1e-12)
        chance += entry.judged.gain.value + entry.luck.value
        assert chance == pytest.approx(after.judged.before.value if after else found.end.value, abs=1e-12)


def test_choice_luck_and_the_end_add_up() -> None:
    found = short_review()
    _adds_up(found)
    assert found.view.termination == "draw_agreed"
    assert 0 < found.end.value < 1  # by playouts: the rules did not end it
    assert found.ending.value == pytest.approx(0.5 - found.end.value)
    assert len(found.entries) == sum(len(one.legal) > 1 for one in found.view.decisions if one.action is not None)


def test_a_match_that_came_to_its_own_end_ends_with_its_result() -> None:
    """The last turns of a whole match, as if the seat had first been asked there."""
    whole = Sensible(4).play(99)
    view = look(record.read(whole), GAME, POMPEY)
    assert view.termination == "victory"
    task = Task(whole, None, POMPEY, 1)
    last = Perspective(
        **{name: getattr(view, name) for name in view.__dataclass_fields__ if name != "decisions"},
        decisions=view.decisions[-6:],
    )
    with judging(task, view) as judges:
        found = Reviewer(task, last, judges, 16).review()
    _adds_up(found)
    assert (found.end, found.ending) == (Estimate(view.result, 0.0), Estimate(0.0, 0.0))
    assert found.entries[-1].luck.value == view.result - found.entries[-1].judged.after.value


@pytest.mark.parametrize("kind", ["resignation", "time"])
def test_a_forfeit_is_neither_luck_nor_choice(kind: str) -> None:
    player = Sensible(4)
    player.play(1)
    content = player.recorder.finish(termination=kind, seat=CAESAR, winner=POMPEY)
    found = reviewed(content, CAESAR, 10)
    _adds_up(found)
    assert (found.view.result, found.view.termination) == (0.0, kind)
    assert found.ending.value == -found.end.value < 0


def test_a_match_that_never_began_is_reviewed_too(tmp_path: Path) -> None:
    player = Sensible(4)
    content = player.recorder.finish(termination="abandonment", seat=CAESAR, winner=POMPEY)
    found = reviewed(content, CAESAR, 10)
    _adds_up(found)
    assert (found.entries, found.worst(), found.unlucky()) == ([], [], [])
    ET.fromstring(draw(found, Heading("none", "none")))


# --- What is not biased ---


@dataclass
class Toss:
    """A game of one decision among many actions that are all alike: a coin decides."""

    chance: Chance
    value: float = 0.5
    over: bool = False


class Tosses:
    """The part of a game that judging needs."""

    def __init__(self, worth: dict[str, float]) -> None:
        self.worth = worth

    def remember(self, _observation: Any) -> Tosses:
        return self

    def draw(self, _observation: Any, chance: Chance) -> Toss:
        return Toss(chance)

    def copy(self, state: Toss, chance: Chance) -> Toss:
        return Toss(chance, state.value, state.over)

    def to_act(self, state: Toss) -> tuple[str, ...]:
        return () if state.over else ("a",)

    def turn_number(self, _state: Toss) -> int:
        return 1

    def apply(self, state: Toss, _seat: str, action: str) -> list[Any]:
        # Each action has a coin of its own: the draws are told apart by the action's place.
        for _ in range(list(self.worth).index(action)):
            state.chance.draw(1000)
        state.value, state.over = float(state.chance.draw(1000) < 1000 * self.worth[action]), True
        return []

    def evaluate(self, state: Toss, _seat: str) -> float:
        return state.value

    def advise(self, _state: Toss, _seat: str, chance: Chance, _style: str = "") -> list[str]:
        return [list(self.worth)[chance.draw(len(self.worth))]]


def tossed(worth: dict[str, float], played: str, playouts: int, seed: int) -> Any:
    decision = Decision(1, 1, "toss", None, list(worth), 0, played, False)
    game = cast("AnyGame", Tosses(worth))
    view = Perspective(game, "toss", "a", None, [], [decision], None, 1, 1.0, "victory")
    return judge(view, decision, playouts, SeededChance(seed))


def test_where_all_is_alike_nothing_is_lost_on_average() -> None:
    """The best of eight noisy values is far too good; played out afresh, it is as good as any."""
    alike = dict.fromkeys("abcdefgh", 0.5)
    found = [tossed(alike, "a", 80, seed) for seed in range(400)]
    losses = [one.loss.value for one in found if one.best != "a"]
    error = math.sqrt(sum(loss * loss for loss in losses)) / len(losses)
    assert abs(sum(losses) / len(losses)) < 4 * error < 0.05
    wrong = sum(one.loss.value > 2 * one.loss.error for one in found if one.best != "a")
    assert wrong < 0.08 * len(losses)


def test_what_is_lost_is_measured() -> None:
    worth = {"a": 0.2, "b": 0.7, "c": 0.4}
    found = tossed(worth, "a", 4000, 1)
    assert found.best == "b"
    assert found.loss.value == pytest.approx(0.5, abs=4 * found.loss.error)
    assert found.before.value == pytest.approx(1.3 / 3, abs=4 * found.before.error)
    assert found.gain.value == pytest.approx(0.2 - 1.3 / 3, abs=4 * found.gain.error)
    best = tossed(worth, "b", 400, 2)
    assert (best.best, best.loss) == ("b", Estimate(0.0, 0.0))


# --- What is found ---


def _planted(seed: int, turns: int, after_blunder: int) -> tuple[str, Blunder, bytes]:
    """Return the record of a match with a blunder in it; where a match has no place for one, another is taken."""
    seat = GAME.SEATS[seed % 2]
    for attempt in range(10):
        player = Sensible(seed + 100 * attempt, seat)
        content = player.play(turns, after_blunder)
        if player.blunder is not None:
            return seat, player.blunder, content
    raise AssertionError(f"no blunder was to be had with seed {seed}")


def _rank(seed: int, playouts: int, turns: int = 99, after_blunder: int = 99) -> int | None:
    """Return the place of a planted blunder among the worst choices."""
    seat, blunder, content = _planted(seed, turns, after_blunder)
    ranks = [entry.decision.number for entry in reviewed(content, seat, playouts, seed).worst()]
    return ranks.index(blunder.number) + 1 if blunder.number in ranks else None


@pytest.mark.parametrize("seed", [2, 3])
def test_a_planted_blunder_is_among_the_three_worst(seed: int) -> None:
    assert _rank(seed, playouts=20, turns=8, after_blunder=0) in (1, 2, 3)


@pytest.mark.soak
def test_planted_blunders_are_found_in_whole_matches() -> None:
    ranks = [_rank(seed, playouts=100) for seed in range(10)]
    assert sum(rank in (1, 2, 3) for rank in ranks) >= 9, ranks


def test_the_number_of_processes_makes_no_difference() -> None:
    one, two = short_review(), reviewed(short(), CAESAR, 20, jobs=2)
    for a, b in zip(one.entries, two.entries, strict=True):
        assert (a.judged, a.again, a.luck, a.verdict) == (b.judged, b.again, b.luck, b.verdict)
    assert one.end == two.end


def test_another_seed_gives_other_playouts_of_the_same_choices() -> None:
    one, two = short_review(), reviewed(short(), CAESAR, 20, seed=2)
    assert [entry.decision.number for entry in one.entries] == [entry.decision.number for entry in two.entries]
    assert one.first != two.first


# --- The drawing ---


def test_the_drawing_shows_turns_and_marks_the_worst() -> None:
    found = short_review()
    drawing = ET.fromstring(draw(found, Heading("one <&> against two", "luck & choice")))
    kinds = [element.get("class") for element in drawing.iter() if element.get("class")]
    worst = found.worst()
    assert worst
    assert kinds.count("drop") == len(worst)
    assert kinds.count("turn") == len({entry.decision.turn for entry in found.entries})
    assert (kinds.count("band"), kinds.count("line"), kinds.count("title")) == (1, 1, 1)
    texts = [element.text or "" for element in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert "one <&> against two" in texts
    assert any(f"decision {worst[0].decision.number}: {worst[0].decision.action}" in text for text in texts)
    band = next(element for element in drawing.iter() if element.get("class") == "band").get("points", "").split()
    assert len(band) == 2 * (2 * len(found.entries) + 1)


# --- The command ---


def review(*words: object) -> Result:
    return CliRunner().invoke(main, ["record", "review", *[str(word) for word in words]])


def test_the_command_tells_all(tmp_path: Path) -> None:
    file = tmp_path / "short.jsonl"
    file.write_bytes(short())
    result = review(file, "--seat", CAESAR, "--playouts", 20, "-j", 1, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    drawn = tmp_path / f"sensible-4-{CAESAR}-review.svg"
    assert found["plot"] == str(drawn)
    ET.parse(drawn)
    total = sum(found[part]["value"] for part in ("first", "choice", "luck", "ending"))
    assert total == pytest.approx(found["result"])
    same = short_review()
    assert [row["loss"]["value"] for row in found["decisions"]] == [one.judged.loss.value for one in same.entries]
    assert found["worst"] == [entry.decision.number for entry in same.worst()]


def test_the_command_tells_it_in_words(tmp_path: Path) -> None:
    player = Sensible(4)
    player.play(0)
    file = tmp_path / "x.jsonl"
    for _ in range(6):
        seat = GAME.to_act(player.recorder.state)[0]
        player.asked[seat] += 1
        player.recorder.apply(seat, player.decide(seat))
    file.write_bytes(player.recorder.finish(termination="time", seat=CAESAR, winner=POMPEY))
    result = review(file, "--seat", CAESAR, "--playouts", 10, "-j", 1, "--plot", tmp_path / "y.svg")
    assert result.exit_code == 0, result.output
    assert result.output.startswith("one <&> (caesar) against two (pompey): lost (time)\n")
    for words in ("chance to win at first", "choices", "luck", "ending", f"Wrote {tmp_path / 'y.svg'}."):
        assert words in result.output


@pytest.mark.parametrize(
    ("words", "told"),
    [(("--seat", "crassus"), "there are caesar and pompey"), ((), "--seat"), (("--seat", CAESAR, "-j", 0), "-j")],
)
def test_bad_input_is_refused_in_words(tmp_path: Path, words: tuple[object, ...], told: str) -> None:
    file = tmp_path / "short.jsonl"
    file.write_bytes(short())
    result = review(file, *words)
    assert result.exit_code != 0
    assert isinstance(result.exception, SystemExit)
    assert told in result.output
