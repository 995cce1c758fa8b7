"""What the indexes and enums of the wire are called in the game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from lictor.v1 import julius_caesar_observation_pb2 as view_pb2
from lictor.v1 import julius_caesar_pb2 as shared_pb2

if TYPE_CHECKING:
    from google.protobuf.internal.enum_type_wrapper import _EnumTypeWrapper

N = TypeVar("N", bound=int)


class Names:
    """The ids of one data set and their places in the catalog's lists."""

    def __init__(self, catalog: Mapping[str, Any]) -> None:
        self.edition = str(catalog["edition"])
        self.deployment = str(catalog["deployment"])
        self.data = str(catalog["data"])
        self.spaces: list[str] = [entry["id"] for entry in catalog["spaces"]]
        self.space = {name: row for row, name in enumerate(self.spaces)}
        self.blocks: list[str] = [entry["id"] for entry in catalog["blocks"]]
        self.block = {name: row for row, name in enumerate(self.blocks)}
        self.edges: list[tuple[str, str]] = [(a, b) for a, b, _ in catalog["edges"]]
        self.edge = {ends: row for row, ends in enumerate(self.edges)}
        self.card_names = {int(entry["id"]): str(entry["name"]) for entry in catalog["cards"]}
        # The Gods are named once each; command cards are not, and no event names one alone.
        self.god_cards = {str(entry["name"]): int(entry["id"]) for entry in catalog["cards"] if entry["kind"] == "god"}


def words_of(enum: _EnumTypeWrapper[N]) -> dict[str, N]:
    """Return the values of an enum by the last part of their names, in lower case, without UNSPECIFIED."""
    (unspecified, _), *others = enum.items()
    prefix = unspecified.removesuffix("UNSPECIFIED")
    return {name.removeprefix(prefix).lower(): value for name, value in others}


def names_of(words: Mapping[str, N]) -> dict[int, str]:
    """Return the way back from an enum's values to its words."""
    return {value: word for word, value in words.items()}


SIDES = words_of(shared_pb2.JuliusCaesarSide)
COLOURS = words_of(shared_pb2.JuliusCaesarColour)
REASONS = words_of(shared_pb2.JuliusCaesarReason)
VIEWERS = words_of(view_pb2.JuliusCaesarViewer)
PHASES = words_of(view_pb2.JuliusCaesarPhase)
SIDE_NAMES, COLOUR_NAMES, REASON_NAMES = names_of(SIDES), names_of(COLOURS), names_of(REASONS)
VIEWER_NAMES, PHASE_NAMES = names_of(VIEWERS), names_of(PHASES)
# The ways into a contested space (6.12): of the main attack, and of each seat.
_ENTRANCES = view_pb2.JuliusCaesarEntranceKind
MAIN = _ENTRANCES.JULIUS_CAESAR_ENTRANCE_KIND_MAIN
CAME = (_ENTRANCES.JULIUS_CAESAR_ENTRANCE_KIND_CAESAR, _ENTRANCES.JULIUS_CAESAR_ENTRANCE_KIND_POMPEY)
