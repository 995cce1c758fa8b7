"""The tables, how a database is brought up to them, and how the rows of the house look in them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from json.encoder import encode_basestring_ascii
from typing import Any, TypeAlias

from lictor.server.store.interface import ActionRow, Ending, Finished, Line, MatchRow, OpenMatch, StoreError, TokenRow

Row: TypeAlias = tuple[Any, ...]

# A match as it was made, the same in the working rows and with the record.
_MATCH = """
    id TEXT NOT NULL UNIQUE,
    game TEXT NOT NULL,
    options TEXT NOT NULL,
    data TEXT NOT NULL,
    rules_epoch INTEGER NOT NULL,
    seats TEXT NOT NULL,
    versions TEXT NOT NULL,
    clock TEXT NOT NULL,
    secret BLOB NOT NULL,
    started_at REAL NOT NULL,
"""

_VERSION_1 = f"""
CREATE TABLE matches (
    {_MATCH}
    entropies TEXT,
    strikes TEXT NOT NULL DEFAULT '{{}}',
    draw_offers TEXT NOT NULL DEFAULT '{{}}',
    held TEXT NOT NULL DEFAULT ''
);
-- Without rowid: the actions of a match lie together, and a new one touches one page.
CREATE TABLE actions (
    match TEXT NOT NULL REFERENCES matches (id),
    n INTEGER NOT NULL,
    seat TEXT NOT NULL,
    decision INTEGER NOT NULL,
    action TEXT NOT NULL,
    think_ms INTEGER NOT NULL,
    wire_ms INTEGER NOT NULL,
    server_ms INTEGER NOT NULL,
    draws TEXT NOT NULL,
    banks TEXT NOT NULL,
    batch INTEGER NOT NULL,
    stopped INTEGER NOT NULL,
    at REAL NOT NULL,
    choice INTEGER NOT NULL,
    PRIMARY KEY (match, n)
) WITHOUT ROWID;
CREATE TABLE lines (
    match TEXT NOT NULL REFERENCES matches (id),
    n INTEGER NOT NULL,
    seat TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    line TEXT NOT NULL,
    PRIMARY KEY (match, n)
) WITHOUT ROWID;
-- The record stands last: a list reads the columns before it without touching its pages.
CREATE TABLE records (
    key INTEGER PRIMARY KEY,
    {_MATCH}
    ending_kind TEXT NOT NULL,
    ending_seat TEXT NOT NULL,
    winner TEXT NOT NULL,
    reason TEXT NOT NULL,
    score TEXT NOT NULL,
    ending_text TEXT NOT NULL,
    actions INTEGER NOT NULL,
    finished_at REAL NOT NULL,
    record BLOB NOT NULL
);
CREATE INDEX records_by_game ON records (game);
CREATE TABLE transcripts (
    record_key INTEGER NOT NULL REFERENCES records (key),
    seat TEXT NOT NULL,
    lines BLOB NOT NULL,
    PRIMARY KEY (record_key, seat)
);
-- Who met whom, both ways round; opponent '' stands for anybody, so that each filter is one walk along the key.
CREATE TABLE meetings (
    bot TEXT NOT NULL,
    opponent TEXT NOT NULL,
    record_key INTEGER NOT NULL REFERENCES records (key),
    PRIMARY KEY (bot, opponent, record_key)
) WITHOUT ROWID;
CREATE TABLE accounts (name TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE bots (
    name TEXT NOT NULL PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (name),
    UNIQUE (account, name)
) WITHOUT ROWID;
CREATE TABLE versions (
    bot TEXT NOT NULL REFERENCES bots (name),
    label TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    PRIMARY KEY (bot, label)
) WITHOUT ROWID;
CREATE TABLE tokens (
    id TEXT NOT NULL PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    account TEXT NOT NULL REFERENCES accounts (name),
    bot TEXT,
    scopes TEXT NOT NULL,
    expires_at REAL,
    revoked INTEGER NOT NULL,
    created_at REAL NOT NULL,
    FOREIGN KEY (account, bot) REFERENCES bots (account, name)
);
CREATE INDEX tokens_by_account ON tokens (account);
"""

# One script for each version; never change one that was released, add the next.
MIGRATIONS: tuple[str, ...] = (_VERSION_1,)

MATCH_COLUMNS = "id, game, options, data, rules_epoch, seats, versions, clock, secret, started_at"
ACTION_COLUMNS = ", ".join(ActionRow._fields)
ENDING_COLUMNS = "ending_kind, ending_seat, winner, reason, score, ending_text, actions, finished_at"
TOKEN_COLUMNS = "id, hash, account, coalesce(bot, ''), scopes, expires_at, revoked, created_at"  # noqa: S105

_BANKS = ActionRow._fields.index("banks")
# Canonical: one text for one meaning, in ASCII as records are.
_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
_ordered = json.JSONEncoder(separators=(",", ":")).encode


def version_of(connection: sqlite3.Connection, known: int = len(MIGRATIONS)) -> int:
    """Return the version of a database's tables, or raise `StoreError` if it is newer than what is known."""
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found > known:
        raise StoreError(f"the database has tables of version {found}, this lictor knows {known}: use a newer lictor")
    return int(found)


def migrate(connection: sqlite3.Connection, migrations: Sequence[str] = MIGRATIONS) -> None:
    """Bring a database up to the newest version of its tables, all the way or not at all."""
    found = version_of(connection, len(migrations))
    if found < len(migrations):
        steps = "".join(migrations[found:])
        try:
            connection.executescript(f"BEGIN IMMEDIATE; {steps} PRAGMA user_version = {len(migrations)}; COMMIT;")
        except sqlite3.Error:
            if connection.in_transaction:
                connection.rollback()
            raise


def values_of_match(row: MatchRow) -> Row:
    """Return the values of `MATCH_COLUMNS`."""
    # Seats keep their order: banks follow it.
    options, seats, versions, clock = (_ordered(dict(m)) for m in (row.options, row.seats, row.versions, row.clock))
    return (row.id, row.game, options, row.data, row.rules_epoch, seats, versions, clock, row.secret, row.started_at)


def values_of_action(match_id: str, row: ActionRow) -> Row:
    """Return the match and the values of `ACTION_COLUMNS`."""
    return (match_id, *row[:_BANKS], ",".join(map(str, row.banks)), *row[_BANKS + 1 :])


def values_of_ending(ending: Ending, actions: int, at: float) -> Row:
    """Return the values of `ENDING_COLUMNS`."""
    score = _ordered(list(ending.score))
    return (ending.kind, ending.seat, ending.winner, ending.reason, score, ending.text, actions, at)


def values_of_token(token: TokenRow) -> Row:
    """Return the values of `TOKEN_COLUMNS`."""
    scopes = _ordered(list(token.scopes))
    return (
        *(token.id, token.hash, token.account, token.bot or None),
        *(scopes, token.expires_at, int(token.revoked), token.created_at),
    )


def text_of(facts: Mapping[str, Any]) -> str:
    """Return plain facts as canonical JSON."""
    return _canonical(dict(facts))


def text_of_entropies(entropies: Mapping[str, bytes]) -> str:
    """Return the seats' entropies as JSON."""
    return _canonical({seat: entropy.hex() for seat, entropy in entropies.items()})


def text_of_line(line: Line) -> str:
    """Return a line of a transcript as canonical JSON."""
    return _canonical({**line.facts, "at": line.at_ms, "kind": line.kind})


def match_of(values: Row) -> MatchRow:
    """Return the match with these values of `MATCH_COLUMNS`, or raise `StoreError` naming it."""
    match_id, game, options, data, epoch, seats, versions, clock, secret, started_at = values
    try:
        texts = [_mapping(text) for text in (options, seats, versions, clock)]
    except ValueError as error:
        raise _damaged(match_id, error) from error
    return MatchRow(match_id, game, texts[0], data, epoch, texts[1], texts[2], texts[3], secret, started_at)


def open_match_of(values: Row, actions: Iterable[Row]) -> OpenMatch:
    """Return an open match from its columns and its actions by n, or raise `StoreError` naming it."""
    row = match_of(values[:-4])
    entropies, strikes, draw_offers, held = values[-4:]
    try:
        played = [_action_of(action) for action in actions]
        if any(action.n != n for n, action in enumerate(played, 1)):
            raise ValueError("an action is missing")
        return OpenMatch(
            row=row,
            entropies=None
            if entropies is None
            else {seat: bytes.fromhex(entropy) for seat, entropy in _mapping(entropies).items()},
            actions=played,
            strikes=_mapping(strikes),
            draw_offers=_mapping(draw_offers),
            held=held,
            acknowledged={},
        )
    except (ValueError, TypeError) as error:
        raise _damaged(row.id, error) from error


def finished_of(values: Row) -> Finished:
    """Return a finished match from its columns, or raise `StoreError` naming it."""
    row = match_of(values[:10])
    kind, seat, winner, reason, score, text, actions, finished_at = values[10:]
    try:
        points = tuple(json.loads(score))
    except (ValueError, TypeError) as error:
        raise _damaged(row.id, error) from error
    return Finished(row, Ending(kind, seat, winner, reason, points, text), actions, finished_at)


def token_of(values: Row) -> TokenRow:
    """Return the token with these values of `TOKEN_COLUMNS`."""
    token_id, hashed, account, bot, scopes, expires_at, revoked, created_at = values
    return TokenRow(token_id, hashed, account, bot, tuple(json.loads(scopes)), expires_at, bool(revoked), created_at)


def transcripts_of(match: MatchRow, actions: Iterable[Row], lines: Iterable[tuple[str, int, str]]) -> dict[str, bytes]:
    """Return each seat's transcript as JSON Lines, by time."""
    seats: dict[str, list[tuple[int, str]]] = {seat: [] for seat in match.seats}
    for seat, at_ms, line in lines:
        seats.setdefault(seat, []).append((at_ms, line))
    for values in actions:
        row = ActionRow(*values)
        at_ms = round((row.at - match.started_at) * 1000)
        left = dict(zip(match.seats, values[_BANKS].split(","), strict=False)).get(row.seat) or "null"
        # Written by hand, its keys in order: the encoder would take most of the time a match takes to finish.
        line = (
            f'{{"action":{encode_basestring_ascii(row.action)},"at":{at_ms},"bank":{left},"decision":{row.decision},'
            f'"kind":"decision","server_ms":{row.server_ms},"think_ms":{row.think_ms},"wire_ms":{row.wire_ms}}}'
        )
        seats.setdefault(row.seat, []).append((at_ms, line))
    for entries in seats.values():
        entries.sort(key=_time)  # stable: of the same millisecond, what was noted comes before what was decided
    return {seat: "".join(f"{line}\n" for _, line in entries).encode() for seat, entries in seats.items()}


def meetings_of(row: MatchRow) -> set[tuple[str, str]]:
    """Return who met whom in a match, both ways round, and each bot with "" for anybody."""
    players = list(row.seats.values())
    met = {(bot, other) for i, bot in enumerate(players) for j, other in enumerate(players) if i != j}
    return met | {(bot, "") for bot in players}


def _time(entry: tuple[int, str]) -> int:
    return entry[0]


def _action_of(values: Row) -> ActionRow:
    banks = values[_BANKS]
    return ActionRow(*values)._replace(banks=tuple(map(int, banks.split(","))) if banks else ())


def _mapping(text: str) -> dict[str, Any]:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError(f"{text!r} is no mapping")
    return found


def _damaged(match_id: str, error: Exception) -> StoreError:
    return StoreError(f"match {match_id} is damaged on disk ({error}): restore the database from a backup")
