"""Orders on the wire. Reading goes through the notation, so that both forms obey the same rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lictor.engine.game import BadNotation
from lictor.engine.julius_caesar.actions import (
    Action,
    BlockAlong,
    BlockTo,
    OfBlock,
    OfCard,
    OfSpace,
    Swap,
    parse_action,
)
from lictor.server.edge.convert.julius_caesar.names import Names
from lictor.v1 import julius_caesar_pb2 as shared_pb2

# Where a field is not called as its verb: a word that is too general, or that a language has taken.
_FIELDS = {"play": "play_card", "battle": "pick_battle", "pass": "let_pass"}
_VERBS = {field: verb for verb, field in _FIELDS.items()}
# The fields of each kind of order, in the order of the notation.
_SHAPES = {
    kind.name: tuple(field.name for field in kind.message_type.fields)
    for kind in shared_pb2.JuliusCaesarAction.DESCRIPTOR.fields
    if kind.message_type is not None
}


class Actions:
    """Writes and reads the orders of one data set."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def write(self, action: Action) -> bytes:
        """Return an order as a serialised `JuliusCaesarAction`."""
        message = shared_pb2.JuliusCaesarAction()
        order: Any = getattr(message, _FIELDS.get(action.verb, action.verb))
        order.SetInParent()  # so that an order without fields is there
        for field, value in self._fields(action):
            if field == "path":
                order.path.extend(value)
            else:
                setattr(order, field, value)
        return message.SerializeToString(deterministic=True)

    def _fields(self, action: Action) -> Iterable[tuple[str, object]]:
        space, block = self._names.space, self._names.block
        match action:
            case OfCard(card):
                return (("card", card),)
            case OfSpace(place):
                return (("space", space[place]),)
            case OfBlock(name):
                return (("block", block[name]),)
            case BlockTo(name, place):
                return ("block", block[name]), ("space", space[place])
            case BlockAlong(name, path):
                return ("block", block[name]), ("path", [space[place] for place in path])
            case Swap(first, second):
                return ("first", block[first]), ("second", block[second])
        return ()

    def read(self, message: shared_pb2.JuliusCaesarAction) -> Action:
        """Return the order of a message, or raise `BadNotation`."""
        kind = message.WhichOneof("kind")
        if kind is None:
            raise BadNotation("the action has no order in it: set exactly one kind of JuliusCaesarAction")
        order: Any = getattr(message, kind)
        words = [_VERBS.get(kind, kind)]
        for field in _SHAPES[kind]:
            if field == "card":
                words.append(str(order.card))
            elif field == "path":
                words += [_name(self._names.spaces, row, kind, field, "space") for row in order.path]
            elif not order.HasField(field):
                raise BadNotation(f"{kind}: {field} is missing: set it, also where it is 0")
            elif field == "space":
                words.append(_name(self._names.spaces, order.space, kind, field, "space"))
            else:
                words.append(_name(self._names.blocks, getattr(order, field), kind, field, "block"))
        return parse_action(" ".join(words))


def _name(names: Sequence[str], row: int, kind: str, field: str, what: str) -> str:
    if row >= len(names):
        raise BadNotation(f"{kind}: {field}: there is no {what} {row}; the catalog has 0 to {len(names) - 1}")
    return names[row]
