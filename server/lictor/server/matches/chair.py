"""One seat of a match: who sits there, what it owes, what it has seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from lictor.server.matches.messages import Stop
from lictor.server.matches.session import Session


@dataclass(slots=True)
class Pending:
    """A decision that a seat owes."""

    decision: int
    events: int  # how many events the seat had seen when it fell due
    limit_ms: int
    asked: bool = False  # on its way to the seat
    due: float | None = None  # when it was released: None while what led to it is not on disk
    started: float | None = None  # when its clock started
    overdue: bool = False
    actions: Sequence[Any] | None = None
    put_to: Session | None = None  # the stream it was last put to


@dataclass(slots=True)
class Played:
    """A decision that was answered."""

    action: str
    index: int  # its place in the legal list
    batch: int  # the decision of the Act it came with
    stopped: Stop


@dataclass(slots=True)
class Chair:
    """One seat of a match."""

    seat: str
    bot: str
    bank_ms: int
    session: Session | None = None
    informed: Session | None = None  # the session that has been told of the match, and may hear more of it
    absent_since: float = 0.0
    played: list[Played] = field(default_factory=list)
    pending: Pending | None = None
    history: list[bytes] = field(default_factory=list)  # all events, as this seat saw them
    shown: int = 0  # how many of them are on disk
    acknowledged: int = 0
    strikes: int = 0
    refusals: int = 0
    fault: str = ""  # what went wrong, where its bot gave up because it failed
    offer: str = ""  # "", "open", or the number of decisions at which an offer was refused
    server_ms: float = 0.0
    think_ms: float = 0.0
    charged_ms: int = 0
    thought_ms: float = 0.0  # in all

    def charge(self, think_ms: float, charged_ms: int) -> None:
        """Note what a decision took and cost."""
        self.think_ms, self.charged_ms = think_ms, charged_ms
        self.thought_ms += think_ms

    @property
    def wire_ms(self) -> float:
        return self.session.wire_ms if self.session is not None else 0.0
