"""What a seat may do, and what a bot's answer means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from lictor.client.errors import BotError
from lictor.v1 import game_pb2
from lictor.v1 import play_service_pb2 as pb

TEXT_SHOWN = 200


class Action:
    """One order. `str(action)` is its notation, such as "move legio_7 narbo tarraco"."""

    __slots__ = ("_names", "_raw", "_text", "index")

    def __init__(self, legal: pb.LegalAction, index: int, names: Any) -> None:
        self._text, self._raw, self._names = legal.notation, legal, names
        self.index = index  # its place in the legal list

    @property
    def verb(self) -> str:
        """Return the first word."""
        return self._text.partition(" ")[0]

    @property
    def args(self) -> tuple[str, ...]:
        """Return the other words."""
        return tuple(self._text.split(" ")[1:])

    @property
    def raw(self) -> game_pb2.Action:
        """Return the typed form, as it came."""
        return self._raw.action

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<{self._text}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Action) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)


class Actions(tuple[Action, ...]):
    """The legal actions of one decision: complete, never empty, in a stable order."""

    __slots__ = ()

    def by_verb(self, *verbs: str) -> list[Action]:
        """Return the actions that begin with one of these words."""
        return [action for action in self if action.verb in verbs]

    def find(self, notation: str) -> Action | None:
        """Return the action of that notation, or None if it is not legal."""
        text = " ".join(notation.split())
        return next((action for action in self if str(action) == text), None)


One: TypeAlias = Action | str | int
Answer: TypeAlias = One | Sequence[One] | None


class NotLegal(Exception):
    """The first action of an answer is not among the legal ones."""


def read_answer(answer: object, actions: Actions, who: str) -> list[pb.Choice]:
    """Return what `decide` answered as choices of an Act; raise `BotError` or `NotLegal`, with what is wrong."""
    many = list(answer) if isinstance(answer, Sequence) and not isinstance(answer, str) else [answer]
    if not many:
        raise BotError(f"{who}.decide returned an empty list; return at least one action")
    choices = []
    for i, one in enumerate(many):
        if isinstance(one, int) and not isinstance(one, bool):
            one = _by_index(one, i, actions, who)
        if not isinstance(one, Action | str):
            where = f"{one!r:.60} in a list" if isinstance(answer, Sequence) else f"{one!r:.60}"
            text = f"{who}.decide returned {where}; return one of `actions`, its notation, its index, or a list of them"
            raise BotError(text)
        text = " ".join(str(one).split())
        choices.append(pb.Choice(notation=text) if i else _first(text, one, actions, who))
    return choices


def _by_index(index: int, i: int, actions: Actions, who: str) -> Action:
    if i:
        raise BotError(f"{who}.decide returned a list with an index after its first entry; use notations there")
    if not 0 <= index < len(actions):
        raise NotLegal(f"{who}.decide returned the index {index}; there are {len(actions)} legal actions, from 0")
    return actions[index]


def _first(text: str, one: Action | str, actions: Actions, who: str) -> pb.Choice:
    """Check the first action here, where a mistake costs no strike."""
    # An action kept from an earlier decision may stand elsewhere in the list by now.
    if isinstance(one, Action) and one.index < len(actions) and actions[one.index] is one:
        return pb.Choice(index=one.index)
    found = actions.find(text)
    if found is None:
        legal = ", ".join(map(str, actions))
        shown = legal if len(legal) <= TEXT_SHOWN else legal[:TEXT_SHOWN] + " ..."
        raise NotLegal(f"{who}.decide returned {text!r:.80}, which is not legal now; legal: {shown}")
    return pb.Choice(index=found.index)
