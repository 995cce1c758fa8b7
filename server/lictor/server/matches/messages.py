"""What streams and matches say to each other: the wire's messages as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Protocol, TypeAlias

from lictor.server.matches.clocks import Clock
from lictor.server.store import Ending


class Codec(Protocol):
    """The wire form of one game: bytes that a match keeps and passes on without reading them."""

    def observation(self, observation: Any) -> bytes: ...
    def action(self, action: Any) -> bytes: ...
    def event(self, event: Any) -> bytes: ...
    def words(self, event: bytes, viewer: str) -> str:
        """Tell in words what a viewer sees of an event in its wire form."""

    def read_action(self, message: Any) -> Any: ...


class Reason(IntEnum):
    """Why a message is refused; the numbers are the wire's."""

    UNSPECIFIED = 0
    MALFORMED = 1
    HELLO_EXPECTED = 2
    UNSUPPORTED_PROTOCOL = 3
    UNSUPPORTED_FEATURE = 4
    UNAUTHENTICATED = 5
    FORBIDDEN = 6
    VERSION_CHANGED = 7
    BUSY = 8
    LIMIT = 9
    UNKNOWN_GAME = 10
    BAD_OPTION = 11
    UNKNOWN_MATCH = 12
    MATCH_OVER = 13
    ALREADY_ANSWERED = 14
    NOT_ASKED = 15
    ILLEGAL_ACTION = 16
    ENTROPY_CLOSED = 17
    OPPONENT_ABSENT = 18
    UNKNOWN_ID = 19
    NO_DRAW = 20
    HELD = 21
    LEAVING = 22
    INTERNAL = 23


class Stop(IntEnum):
    """Why a batch stopped; the numbers are the wire's."""

    NOT = 0
    NOT_LEGAL = 1
    NEWS = 2
    NOT_YOURS = 3


# --- What a bot says ---


@dataclass(frozen=True, slots=True)
class Choice:
    """An action in one of its three forms: its place in the legal list, its notation, or the wire's own message."""

    index: int | None = None
    notation: str | None = None
    typed: Any = None


@dataclass(frozen=True, slots=True)
class Act:
    """Answers a Decide, and decisions after it."""

    match: str
    decision: int
    choices: Sequence[Choice]
    note: Mapping[str, Any] | None = None  # text and decision; win_chance and beliefs (claim: probability) if any


@dataclass(frozen=True, slots=True)
class Entropy:
    """Adds to the chance of a match."""

    match: str
    entropy: bytes


@dataclass(frozen=True, slots=True)
class Seek:
    """Asks for matches against anybody."""

    game: str
    options: Mapping[str, str]
    seat: str
    clock: Clock | None
    matches: int


@dataclass(frozen=True, slots=True)
class Challenge:
    """Asks one bot for a match."""

    opponent: str
    game: str
    options: Mapping[str, str]
    seat: str
    clock: Clock | None


@dataclass(frozen=True, slots=True)
class AnswerChallenge:
    """Answers a challenge."""

    id: str
    accept: bool


@dataclass(frozen=True, slots=True)
class Cancel:
    """Takes back a seek or challenge; all of them without an id."""

    id: str


@dataclass(frozen=True, slots=True)
class Leave:
    """Finishes the open matches and starts no new ones."""


@dataclass(frozen=True, slots=True)
class Resign:
    """Gives up."""

    match: str
    fault: str = ""  # what went wrong, where the bot failed


@dataclass(frozen=True, slots=True)
class OfferDraw:
    """Offers a draw."""

    match: str


@dataclass(frozen=True, slots=True)
class AnswerDraw:
    """Answers an offer."""

    match: str
    accept: bool


@dataclass(frozen=True, slots=True)
class GetHistory:
    """Asks for what the seat has seen."""

    match: str
    first: int


@dataclass(frozen=True, slots=True)
class Observe:
    """Asks for what the seat sees."""

    match: str


@dataclass(frozen=True, slots=True)
class Ping:
    """Asks for a Pong."""

    nonce: int


@dataclass(frozen=True, slots=True)
class Pong:
    """Answers a Ping."""

    nonce: int


MatchRequest: TypeAlias = Act | Entropy | Resign | OfferDraw | AnswerDraw | GetHistory | Observe
Request: TypeAlias = MatchRequest | Seek | Challenge | AnswerChallenge | Cancel | Leave | Ping | Pong


# --- What the house says ---


@dataclass(slots=True)
class Refused:
    """A message was not taken."""

    reason: Reason
    text: str
    field: str = ""
    match: str = ""
    decision: int = 0
    limit: str = ""
    retry_after_ms: int = 0
    played: str = ""
    left: int | None = None  # illegal actions left
    request: int = 0


@dataclass(slots=True)
class Accepted:
    """An Act is on disk."""

    match: str
    decision: int
    applied: int
    stopped: Stop
    request: int = 0


@dataclass(slots=True)
class Told:
    """Events as one viewer saw them: entry i of `events` has the number first + i."""

    match: str
    first: int
    events: Sequence[bytes]
    viewer: str
    codec: Codec
    request: int = 0


@dataclass(slots=True)
class Decide:
    """A decision is due."""

    match: str
    decision: int
    observation: Any
    actions: Sequence[Any]
    told: Told
    banks: Sequence[int]
    limit_ms: int
    server_ms: float
    wire_ms: float
    think_ms: float
    charged_ms: int
    strikes: int
    codec: Codec
    cause: float | None = None  # the stamp of the Act that caused it
    request: int = 0


@dataclass(slots=True)
class MatchStarted:
    """A match begins, or goes on."""

    match: str
    game: str
    options: Mapping[str, str]
    data: str
    rules_epoch: int
    seat: str
    seats: Mapping[str, str]
    versions: Mapping[str, str]
    clock: Clock
    commitment: str
    entropy_wanted: bool
    resumed: bool
    events: int
    origin: str = ""  # the seek or challenge it came from
    request: int = 0


@dataclass(slots=True)
class MatchEnded:
    """A match is over."""

    match: str
    ending: Ending
    told: Told
    observation: Any  # None if the game never began
    secret: str
    codec: Codec
    request: int = 0


@dataclass(slots=True)
class Done:
    """A request was carried out."""

    id: str = ""
    request: int = 0


@dataclass(slots=True)
class Challenged:
    """Another bot wants a match."""

    id: str
    opponent: str
    game: str
    options: Mapping[str, str]
    seat: str
    clock: Clock
    request: int = 0


@dataclass(slots=True)
class ChallengeClosed:
    """A challenge is off the table."""

    id: str
    reason: str
    request: int = 0


@dataclass(slots=True)
class DrawOffered:
    """The other seat offers a draw."""

    match: str
    seat: str
    request: int = 0


@dataclass(slots=True)
class DrawDeclined:
    """The other seat goes on."""

    match: str
    request: int = 0


@dataclass(slots=True)
class History:
    """What a seat has seen."""

    told: Told
    opening: Any  # an observation, if number 0 was asked for and there is one
    last: int
    codec: Codec
    request: int = 0


@dataclass(slots=True)
class Observed:
    """What a seat sees."""

    match: str
    observation: Any
    events: int
    banks: Sequence[int]
    codec: Codec
    request: int = 0


@dataclass(slots=True)
class InProgress:
    """A seat that a bot holds."""

    match: str
    seat: str
    to_act: bool
    held: str


@dataclass(slots=True)
class Welcome:
    """The stream is open."""

    bot: str
    protocol: int
    features: Sequence[str]
    max_matches: int
    seats: Sequence[InProgress]
    request: int = 0


@dataclass(slots=True)
class Superseded:
    """Another stream has taken over."""

    text: str = (
        "Another stream of this bot said Hello and has taken over its seats. Connecting again would take them back: "
        "for a second bot at the same time use another token (in dev mode: another name)."
    )
    request: int = 0


@dataclass(slots=True)
class ServerPing:
    """The house measures the wire."""

    nonce: int
    request: int = 0


@dataclass(slots=True)
class ServerPong:
    """The house answers."""

    nonce: int
    request: int = 0


Response: TypeAlias = (
    Refused
    | Accepted
    | Told
    | Decide
    | MatchStarted
    | MatchEnded
    | Done
    | Challenged
    | ChallengeClosed
    | DrawOffered
    | DrawDeclined
    | History
    | Observed
    | Welcome
    | Superseded
    | ServerPing
    | ServerPong
)


@dataclass(frozen=True, slots=True)
class Introduction:
    """A Hello that was let in: who speaks, and what was agreed."""

    bot: str
    account: str
    version: str = ""
    features: frozenset[str] = field(default_factory=frozenset)
    protocol: int = 1
    max_matches: int = 1
    token_id: str = ""
    client: str = ""
