"""What an event is: what happened, with what each viewer may see of it, and how it is told.

An event knows everything. `seen_by` gives what one viewer may see: a field he may not know is `None`, and an event he
does not notice is `None` altogether. `words` tells what is left.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from lictor.engine.game import Viewer, plain_values

PLAYERS = ("caesar", "pompey")
OWNERS = {"tan": "caesar", "green": "pompey", "blue": ""}  # who bears a colour from the start


def spoken(name: str) -> str:
    """Return an id as it is read aloud: `c_auxilia_1` is Auxilia 1."""
    bare = name[2:] if name[:2] in ("c_", "p_") else name
    return bare.replace("_", " ").title()


class Event:
    """Something that happened; public unless it says otherwise."""

    __slots__ = ()

    def seen_by(self, viewer: Viewer) -> Event | None:
        return self

    def reveals(self, viewer: Viewer) -> Iterable[str]:
        """Return the blocks and cards whose hidden facts are laid open to somebody by this."""
        return ()

    def facts(self) -> dict[str, object]:
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}  # type: ignore[arg-type]
        return {"event": type(self).__name__, **plain_values(values)}

    def words(self) -> str:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class OwnersEvent(Event):
    """An event that only the seat itself notices."""

    seat: str

    def seen_by(self, viewer: Viewer) -> Event | None:
        return self if viewer == self.seat else None


@dataclass(frozen=True, slots=True)
class PieceEvent(Event):
    """An event about a block whose identity only its owner sees; the others see a piece of its colour."""

    seat: str
    block: str | None
    colour: str

    def seen_by(self, viewer: Viewer) -> Self:
        return self if viewer == self.seat else dataclasses.replace(self, block=None)

    def who(self) -> str:
        """Return the block by name, or by colour where the name is hidden."""
        if self.block is not None:
            return spoken(self.block)
        return "Cleopatra" if self.colour == "blue" else f"a {self.colour} block"
