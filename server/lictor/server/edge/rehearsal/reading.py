"""What a bot answers in a rehearsal, and how far that is what was played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lictor.engine.game import GameError
from lictor.server.edge.rehearsal.script import Question
from lictor.server.matches.house import Setting
from lictor.server.matches.messages import Act, Choice, Stop


class Given(NamedTuple):
    """An answer in its notation, or in words where it is none."""

    now: str
    legal: bool


def batch_of(act: Act, questions: Sequence[Question], setting: Setting) -> tuple[list[Given], Stop]:
    """Return the answers of an Act that count, and why no more of them do.

    The first always counts. Those that follow do as long as the batch is what was played then, and the match would have
    taken it: after another answer the match is elsewhere, and the next decision is asked anew.
    """
    given = [_read(act.choices[0], questions[0], setting, first=True)]
    for choice, before, question in zip(act.choices[1:], questions, questions[1:], strict=False):
        if not before.goes_on:
            return given, Stop.NOT_YOURS
        if before.news or given[-1].now != str(before.played):
            return given, Stop.NEWS
        one = _read(choice, question, setting, first=False)
        if not one.legal or one.now != str(question.played):
            return given, Stop.NEWS if one.legal else Stop.NOT_LEGAL
        given.append(one)
    return given, Stop.NOT if len(given) == len(act.choices) else Stop.NOT_YOURS


def _read(choice: Choice, question: Question, setting: Setting, *, first: bool) -> Given:
    legal: Sequence[Any] = question.decide.actions
    if choice.index is not None:
        if first and choice.index < len(legal):
            return Given(str(legal[choice.index]), True)
        return Given(f"index {choice.index} of {len(legal)}", False)
    try:
        if choice.notation is not None:
            action = setting.game.parse_action(choice.notation)
        elif choice.typed is not None:
            action = setting.codec.read_action(choice.typed)
        else:
            return Given("nothing", False)
    except GameError as error:
        return Given(f"{choice.notation or 'an action'} ({error!s:.100})", False)
    return Given(str(action), action in legal)
