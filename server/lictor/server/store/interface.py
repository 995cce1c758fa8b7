"""What is kept on disk, and the one interface to it. Nothing else in the house knows how it is kept.

Writes are queued and carried out in order by one writer; `done` is called, on the thread of the house, once the write
is on disk, and never before. Nothing that a write causes may leave the server earlier. Reads may be made from any
thread, and see what is on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeAlias

Done: TypeAlias = Callable[[], None]
Post: TypeAlias = Callable[[Callable[[], None]], None]  # runs a function soon, on the thread of the house


class StoreError(Exception):
    """The store cannot do what was asked; the text says what to do."""


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match as it was made. Everything in it is plain: it goes to disk as it is."""

    id: str
    game: str
    options: Mapping[str, str]  # all of them; `data` names a data set that the operator installed, "" is the game's own
    data: str  # SHA-256 of the data set
    rules_epoch: int
    seats: Mapping[str, str]  # seat -> bot
    versions: Mapping[str, str]  # seat -> label of the bot's version
    clock: Mapping[str, int]
    secret: bytes
    started_at: float  # seconds since 1970


class ActionRow(NamedTuple):
    """An action that was played."""

    n: int  # from 1, over both seats
    seat: str
    decision: int  # from 1, of this seat
    action: str
    think_ms: int
    wire_ms: int
    server_ms: int  # of the decision before
    draws: str  # JSON, as in the record: compared when the match is rebuilt
    banks: tuple[int, ...]  # milliseconds left by seat, after it
    batch: int  # the decision id of the Act it came with
    stopped: int  # why the batch stopped after it (the wire's number), if it is the last of its batch
    at: float  # seconds since 1970
    choice: int = -1  # its place in the legal list; -1 for the later actions of a batch


@dataclass(frozen=True, slots=True)
class OpenMatch:
    """A match that was open when the server stopped, with all that happened in it."""

    row: MatchRow
    entropies: Mapping[str, bytes] | None  # None: it had not begun
    actions: Sequence[ActionRow]
    strikes: Mapping[str, int]  # illegal actions by seat
    draw_offers: Mapping[str, str]  # by seat: "" none, "open", or the decision id at which it was refused
    held: str  # why it is held; "" if it is not
    acknowledged: Mapping[str, int]  # by seat: the last event it acknowledged


@dataclass(frozen=True, slots=True)
class Ending:
    """How a match ended: what lists show."""

    kind: str
    seat: str
    winner: str
    reason: str
    score: tuple[int, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished match in a list."""

    row: MatchRow
    ending: Ending
    actions: int
    finished_at: float


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token; of its secret only the hash is kept."""

    id: str
    hash: str  # SHA-256 of the secret, in hex
    account: str
    bot: str  # "" for the account itself
    scopes: tuple[str, ...]
    expires_at: float | None
    revoked: bool
    created_at: float


@dataclass(frozen=True, slots=True)
class BotRow:
    """A bot and whose it is."""

    name: str
    account: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a seat's transcript."""

    seat: str
    at_ms: int  # since the match started
    kind: str
    facts: Mapping[str, Any] = field(default_factory=dict)


class Store(Protocol):
    """What the house keeps."""

    healthy: bool  # False while writes cannot be brought to disk; they are tried again

    # Matches: queued writes.
    def create_match(self, row: MatchRow, done: Done) -> None: ...
    def begin_match(self, match_id: str, entropies: Mapping[str, bytes], done: Done) -> None: ...
    def append(self, match_id: str, rows: Sequence[ActionRow], lines: Sequence[Line], done: Done) -> None:
        """Write actions of one Act, and lines of the transcript, together."""

    def note(self, match_id: str, lines: Sequence[Line], done: Done | None = None) -> None:
        """Write lines of the transcripts."""

    def mark(
        self, match_id: str, *, strikes: Mapping[str, int], draw_offers: Mapping[str, str], held: str, done: Done
    ) -> None:
        """Write the few facts of a match that change in place."""

    def finish(self, match_id: str, ending: Ending, record: bytes, actions: int, at: float, done: Done) -> None:
        """Turn a match into its compressed record and transcripts, and drop its working rows, at once or not at all."""

    # Matches: reads.
    def open_matches(self) -> list[OpenMatch]: ...
    def transcript(self, match_id: str, seat: str) -> bytes | None:
        """Return a finished match's transcript of a seat as JSON Lines, or `None`."""

    def record(self, match_id: str) -> bytes | None:
        """Return a finished match's record, or `None`."""

    def finished(self, match_id: str) -> Finished | None: ...
    def list_finished(
        self, *, game: str = "", bot: str = "", opponent: str = "", limit: int = 50, before: str = ""
    ) -> tuple[list[Finished], str]:
        """Return finished matches, newest first, and where to go on ("" at the end)."""

    # Accounts: writes that return when they are on disk; never called on the thread of the house while matches run, but
    # through a worker thread.
    def create_account(self, name: str) -> None:
        """Make an account, or raise `StoreError` if there is one."""

    def create_bot(self, bot: BotRow) -> None:
        """Make a bot, or raise `StoreError` if there is one or there is no such account."""

    def accounts(self, *, limit: int = 50, after: str = "") -> list[str]: ...
    def has_account(self, name: str) -> bool: ...
    def bots_of(self, account: str) -> list[str]: ...
    def bot(self, name: str) -> BotRow | None: ...
    def claim_version(self, bot: str, label: str, content_hash: str) -> str:
        """Return the content hash that belongs to a bot's version label, taking the label if it is free."""

    def create_token(self, token: TokenRow) -> None: ...
    def token_by_hash(self, hashed: str) -> TokenRow | None: ...
    def token(self, token_id: str) -> TokenRow | None: ...
    def tokens_of(self, account: str) -> list[TokenRow]: ...
    def revoke_token(self, token_id: str) -> None: ...

    def commit_seconds(self) -> list[float]:
        """Return how long the commits since the last call took."""

    def close(self) -> None:
        """Write what is queued, and close."""
