"""What a bot of the Python client notes, and what it is told when it cannot be noted."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from lictor.client import Actions, AsyncBot, Bot
from lictor.server.cli import main

from .processes import Server, play


@pytest.mark.parametrize("kind", [Bot, AsyncBot])
@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"win_chance": 1.5}, "a win chance lies between 0 and 1, not 1.5"),
        ({"win_chance": float("nan")}, "a win chance lies between 0 and 1, not nan"),
        ({"win_chance": "high"}, "a win chance lies between 0 and 1, not 'high'"),
        ({"win_chance": 10**400}, "a win chance lies between 0 and 1"),
        ({"beliefs": ["at legio_2 rome"]}, "a mapping of claims to probabilities, not list"),
        ({"beliefs": []}, "a mapping of claims to probabilities, not list"),
        ({"beliefs": {str(n): 0.5 for n in range(201)}}, "at most 200 beliefs, not 201"),
        ({"beliefs": {"": 0.5}}, "1 to 80 characters, not ''"),
        ({"beliefs": {"x" * 81: 0.5}}, "1 to 80 characters"),
        ({"beliefs": {7: 0.5}}, "1 to 80 characters, not 7"),
        ({"beliefs": {"at légio rome": 0.5}}, "printable ASCII"),
        ({"beliefs": {"at\nrome": 0.5}}, "printable ASCII"),
        ({"beliefs": {"at legio_2 rome": -0.1}}, "'at legio_2 rome' lies between 0 and 1, and is not -0.1"),
        ({"beliefs": {"at legio_2 rome": float("inf")}}, "between 0 and 1, and is not inf"),
        ({"beliefs": {"at legio_2 rome": None}}, "between 0 and 1, and is not None"),
    ],
)
def test_what_cannot_be_noted_says_why(kind: type[Bot | AsyncBot], given: dict[str, Any], told: str) -> None:
    bot = kind()
    with pytest.raises(ValueError, match=re.escape(told)) as caught:
        bot.note("x", **given)
    assert len(str(caught.value)) < 300
    assert bot._note is None


def test_all_that_may_be_noted_can_be() -> None:
    bot = Bot()
    bot.note(win_chance=0, beliefs={"a" * 80: 0, "b": 1, "c": 0.5})
    assert bot._note is not None
    assert [(belief.claim[0], belief.probability) for belief in bot._note.beliefs] == [("a", 0), ("b", 1), ("c", 0.5)]
    assert all(belief.HasField("probability") for belief in bot._note.beliefs)
    bot.note()
    assert bot._note is not None
    assert (bot._note.text, bot._note.HasField("win_chance"), len(bot._note.beliefs)) == ("", False, 0)


def test_what_a_bot_believed_is_scored_when_the_match_is_over(server: Server, tmp_path: Path) -> None:
    class Thinker(Bot):
        def decide(self, view: Any, actions: Actions) -> Any:
            if view.decision_id > 20:
                self.resign()
            claims = {f"hand {view.enemy} {card}": 0.25 for card in range(1, 28)}
            self.note("hm", 0.5, claims)
            return actions[0]

    class Other(Bot):
        def decide(self, view: Any, actions: Actions) -> Any:
            return actions[0]

    (mine, _) = play(server.target, (Thinker, {"matches": 1}), (Other, {"matches": 1}))
    match, seat = mine[0].match_id, mine[0].seat
    record, notes = tmp_path / "record.jsonl", tmp_path / "notes.jsonl"
    for words in (
        ["record", "fetch", match, "--server", server.target, "-o", str(record)],
        ["record", "fetch", match, "--server", server.target, "-o", str(notes), "--transcript", seat],
        ["record", "notes", str(record), str(notes), "--seat", seat, "--worlds", "10", "--json"],
    ):
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["notes"], found["win_chance"]["brier"]) == (20, 0.25)
    assert (found["beliefs"]["claims"], found["beliefs"]["not_understood"]) == (20 * 27, 0)
