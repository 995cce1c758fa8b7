"""Names instead of indexes and enums."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message


def words_of(enum: EnumDescriptor) -> dict[int, str]:
    """Return the ends of the names of an enum's values, in lower case."""
    prefix = enum.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return {value.number: value.name.removeprefix(prefix).lower() for value in enum.values}


class _Field(NamedTuple):
    name: str
    optional: bool
    repeated: bool
    spell: Callable[[Any], Any]


class Speller:
    """Spells out messages. `meanings` says, by a field's name, what its number stands for."""

    def __init__(self, meanings: Mapping[str, Callable[[Any], Any]]) -> None:
        self._meanings = meanings
        self._plans: dict[str, list[_Field]] = {}

    def fields(self, message: Message) -> dict[str, Any]:
        """Return the fields of a message by name; what is absent is None, what is repeated a tuple."""
        plan = self._plans.get(message.DESCRIPTOR.full_name)
        if plan is None:
            fields: Sequence[Any] = message.DESCRIPTOR.fields
            plan = [self._field(field) for field in fields]
            self._plans[message.DESCRIPTOR.full_name] = plan
        spelt: dict[str, Any] = {}
        for name, optional, repeated, spell in plan:
            if optional and not message.HasField(name):
                spelt[name] = None
                continue
            value = getattr(message, name)
            spelt[name] = tuple([spell(entry) for entry in value]) if repeated else spell(value)
        return spelt

    def one_of(self, message: Message, oneof: str) -> tuple[str, dict[str, Any]]:
        """Return which variant of a message is set, and its fields; nothing if it is one this client does not know."""
        kind = message.WhichOneof(oneof)
        return (str(kind), self.fields(getattr(message, str(kind)))) if kind else ("", {})

    def _field(self, field: FieldDescriptor) -> _Field:
        return _Field(field.name, field.has_presence, field.is_repeated, self._spell(field))

    def _spell(self, field: FieldDescriptor) -> Callable[[Any], Any]:
        if field.name in self._meanings:
            return self._meanings[field.name]
        if field.enum_type is not None:
            words = words_of(field.enum_type)
            return lambda number: words.get(number, str(number))
        return self.fields if field.message_type is not None else lambda value: value
