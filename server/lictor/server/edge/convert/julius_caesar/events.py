"""Events on the wire: each class of event has a message of its name, and nearly every field a field of its name."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from lictor.engine.julius_caesar import events as tell
from lictor.engine.julius_caesar.events import Event
from lictor.engine.julius_caesar.facts import SEATS
from lictor.server.edge.convert.julius_caesar.names import (
    COLOUR_NAMES,
    COLOURS,
    REASON_NAMES,
    REASONS,
    SIDE_NAMES,
    SIDES,
    Names,
)
from lictor.server.edge.convert.wire import sized, tag
from lictor.v1 import julius_caesar_event_pb2 as event_pb2

Fields: TypeAlias = dict[str, Any]  # the fields of a message that is being made
Message: TypeAlias = Any  # one of the many messages of julius_caesar_event.proto

EVENT_CLASSES: tuple[type[Event], ...] = tuple(getattr(tell, name) for name in tell.__all__ if name != Event.__name__)


class Part(NamedTuple):
    """How one field of an event is written into a message's fields, and read from the message."""

    name: str
    write: Callable[[Any, Fields], None]
    read: Callable[[Message], Any]


class Plan(NamedTuple):
    """How events of one class are converted."""

    event: type[Event]
    message: Callable[..., Message]
    tag: bytes
    parts: tuple[Part, ...]


class Events:
    """Writes and reads the events of one data set."""

    def __init__(self, names: Names) -> None:
        self._names = names
        plans = [self._plan(event) for event in EVENT_CLASSES]
        self._by_class = {plan.event: plan for plan in plans}
        self._by_kind = {kind_of(plan.event): plan for plan in plans}

    def write(self, event: Event) -> bytes:
        """Return an event as a serialised `JuliusCaesarEvent`."""
        plan = self._by_class[type(event)]
        fields: Fields = {}
        for name, write, _ in plan.parts:
            value = getattr(event, name)
            if value is not None:  # what the viewer may not know is absent
                write(value, fields)
        body: bytes = plan.message(**fields).SerializeToString(deterministic=True)
        return sized(plan.tag, body)

    def read(self, message: event_pb2.JuliusCaesarEvent) -> Event:
        """Return the event of a message."""
        kind = message.WhichOneof("kind")
        if kind is None:
            raise ValueError("no kind of event is set")
        plan, inner = self._by_kind[kind], getattr(message, kind)
        return plan.event(**{name: read(inner) for name, _, read in plan.parts})

    def _plan(self, event: type[Event]) -> Plan:
        field = event_pb2.JuliusCaesarEvent.DESCRIPTOR.fields_by_name[kind_of(event)]
        message = getattr(event_pb2, f"JuliusCaesar{event.__name__}")
        optional = {field.name for field in message.DESCRIPTOR.fields if field.has_presence}
        attributes = [attribute.name for attribute in dataclasses.fields(event)]  # type: ignore[arg-type]
        parts = tuple([self._part(event, name, optional) for name in attributes])
        return Plan(event, message, tag(field.number), parts)

    def _part(self, event: type[Event], name: str, optional: set[str]) -> Part:
        names = self._names
        special = self._special(event, name)
        if special is not None:
            return special
        match name:
            case "seat":
                return _looked_up(name, "side", SIDES, SIDE_NAMES, optional)
            case "attacker" | "winner":
                return _looked_up(name, name, SIDES, SIDE_NAMES, optional)
            case "colour":
                return _looked_up(name, name, COLOURS, COLOUR_NAMES, optional)
            case "reason":
                return _looked_up(name, name, REASONS, REASON_NAMES, optional)
            case "block":
                return _looked_up(name, name, names.block, names.blocks, optional)
            case "space" | "city":
                return _looked_up(name, name, names.space, names.spaces, optional)
            case "god":
                return _looked_up(name, "card", names.god_cards, names.card_names, optional)
            case "dice":
                return Part(name, _put(name), lambda message: tuple(message.dice))
            case "name" | "names":  # told by the cards
                return self._card_names(name)
        return _as_it_is(name, optional)

    def _special(self, event: type[Event], name: str) -> Part | None:
        space, block = self._names.space, self._names.block
        spaces, blocks = self._names.spaces, self._names.blocks
        match name:
            case "path" if event in (tell.Regrouped, tell.CameToPort):
                return _pair(name, ("from_space", "to_space"), space, spaces)
            case "path":
                return Part(
                    name,
                    lambda path, fields: fields.update(path=[space[place] for place in path]),
                    lambda message: tuple([spaces[row] for row in message.path]),
                )
            case "blocks" if event is tell.Swapped:
                return _pair(name, ("first_block", "second_block"), block, blocks)
            case "spaces":
                return _pair(name, ("first_space", "second_space"), space, spaces)
            case "blocks":
                return self._revealed()
            case "hands":
                return Part(name, _write_hands, _read_hands)
            case "points":
                return _by_seat(name, "points")
            case "cards":
                return _by_seat(name, "card")
        return None

    def _revealed(self) -> Part:
        block, blocks = self._names.block, self._names.blocks

        def write(rows: tuple[tuple[str, str, int, bool], ...], fields: Fields) -> None:
            fields["side"] = [SIDES[row[0]] for row in rows]
            fields["block"] = [block[row[1]] for row in rows]
            fields["steps"] = [row[2] for row in rows]
            fields["moved"] = [row[3] for row in rows]

        def read(message: Message) -> tuple[tuple[str, str, int, bool], ...]:
            columns = zip(message.side, message.block, message.steps, message.moved, strict=True)
            return tuple([(SIDE_NAMES[side], blocks[row], steps, moved) for side, row, steps, moved in columns])

        return Part("blocks", write, read)

    def _card_names(self, name: str) -> Part:
        names = self._names.card_names

        def read(message: Message) -> str | dict[str, str]:
            if name == "name":
                return names[message.card]
            return {seat: names[getattr(message, f"{seat}_card")] for seat in SEATS}

        return Part(name, lambda value, fields: None, read)


def kind_of(event: type[Event]) -> str:
    """Return the field of `JuliusCaesarEvent` for a class of event."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event.__name__).lower()


def _put(field: str) -> Callable[[Any, Fields], None]:
    def write(value: object, fields: Fields) -> None:
        fields[field] = value

    return write


def _as_it_is(name: str, optional: set[str]) -> Part:
    def read(message: Message) -> Any:
        return None if name in optional and not message.HasField(name) else getattr(message, name)

    return Part(name, _put(name), read)


def _looked_up(
    name: str, field: str, there: Mapping[str, int], back: Mapping[int, str] | list[str], optional: set[str]
) -> Part:
    def write(value: str, fields: Fields) -> None:
        fields[field] = there[value]

    def read(message: Message) -> str | None:
        return None if field in optional and not message.HasField(field) else back[getattr(message, field)]

    return Part(name, write, read)


def _pair(name: str, pair: tuple[str, str], there: Mapping[str, int], back: list[str]) -> Part:
    first, second = pair

    def write(value: tuple[str, str], fields: Fields) -> None:
        fields[first], fields[second] = there[value[0]], there[value[1]]

    return Part(name, write, lambda message: (back[getattr(message, first)], back[getattr(message, second)]))


def _by_seat(name: str, ending: str) -> Part:
    def write(value: Mapping[str, int], fields: Fields) -> None:
        for seat in SEATS:
            fields[f"{seat}_{ending}"] = value[seat]

    return Part(name, write, lambda message: {seat: getattr(message, f"{seat}_{ending}") for seat in SEATS})


def _write_hands(hands: Mapping[str, tuple[int, ...] | None], fields: Fields) -> None:
    for seat, cards in hands.items():
        if cards is not None:
            fields[f"{seat}_hand"] = event_pb2.JuliusCaesarHand(cards=cards)


def _read_hands(message: Message) -> dict[str, tuple[int, ...] | None]:
    fields = {seat: f"{seat}_hand" for seat in SEATS}
    return {
        seat: tuple(getattr(message, field).cards) if message.HasField(field) else None
        for seat, field in fields.items()
    }
