"""The store in one SQLite file: one thread writes, any thread reads."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from queue import Empty, SimpleQueue
from time import perf_counter
from typing import Any, TypeAlias, TypeVar
from urllib.parse import quote

from lictor.server.store import schema
from lictor.server.store.interface import (
    ActionRow,
    BotRow,
    Done,
    Ending,
    Finished,
    Line,
    MatchRow,
    OpenMatch,
    Post,
    StoreError,
    TokenRow,
)
from lictor.server.store.schema import Row

T = TypeVar("T")
Work: TypeAlias = Callable[[sqlite3.Connection], T]

FIRST_DELAY, LONGEST_DELAY = 0.05, 2.0  # seconds between tries of a commit that fails
BUSY_SECONDS = 5.0  # how long to wait for somebody else's lock, say a backup's
KEPT_ERRORS = 100
KEPT_COMMITS = 10_000


def _insert(table: str, columns: str) -> str:
    return f"INSERT INTO {table} ({columns}) VALUES ({', '.join('?' * len(columns.split(', ')))})"  # noqa: S608


_INSERT_MATCH = _insert("matches", schema.MATCH_COLUMNS)
_INSERT_ACTION = _insert("actions", f"match, {schema.ACTION_COLUMNS}")
_INSERT_LINE = _insert("lines", "match, n, seat, at_ms, line")
_INSERT_RECORD = _insert("records", f"{schema.MATCH_COLUMNS}, {schema.ENDING_COLUMNS}, record")
_INSERT_TOKEN = _insert("tokens", "id, hash, account, bot, scopes, expires_at, revoked, created_at")

# What passes when the disk has room again or the other process lets go; any other error comes back at every try.
_LASTING = {
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_MISMATCH,
    sqlite3.SQLITE_MISUSE,
    sqlite3.SQLITE_RANGE,
    sqlite3.SQLITE_TOOBIG,
}


@dataclass(slots=True, eq=False)
class _Write:
    match_id: str = ""
    actions: Sequence[Row] = ()
    lines: Sequence[Row] = ()
    work: Work[Any] | None = None  # anything that is more than actions and lines
    done: Done | None = None
    answer: Future[Any] | None = None  # of the thread that waits, if one does
    result: Any = None


class SqliteStore:
    """Keep everything in the SQLite file at `path`; only one store may have it open.

    What was refused for good (an action twice, a match that is not there) is told to `on_error`, on the thread of the
    house; what the disk refuses is tried again until it takes it.
    """

    def __init__(self, path: Path | str, post: Post, on_error: Callable[[str], None] | None = None) -> None:
        self.healthy = True  # False while the disk refuses a write
        self.last_error = ""  # why it did so last
        self.errors: list[str] = []  # the last writes that were refused for good
        self._path = Path(path).absolute()
        self._post = post
        self._on_error = on_error
        self._queue: SimpleQueue[_Write] = SimpleQueue()
        self._closing = threading.Event()
        self._closed = threading.Event()
        self._lost = 0
        self._seconds: deque[float] = deque(maxlen=KEPT_COMMITS)
        self._idle_readers: list[sqlite3.Connection] = []
        self._lock = _lock(self._path)
        try:
            self._connection = _open(self._path)
            (last,) = self._connection.execute("SELECT coalesce(max(n), 0) FROM lines").fetchone()
        except BaseException:
            os.close(self._lock)
            raise
        self._line_numbers = count(last + 1)
        # A daemon: a house that dies without closing must not be held by a disk that is full.
        self._thread = threading.Thread(target=self._run, name="lictor-store", daemon=True)
        self._thread.start()

    # Matches: queued writes. What is queued is plain values, so that nothing the house changes later gets into them.

    def create_match(self, row: MatchRow, done: Done) -> None:
        """Write a new match."""
        values = schema.values_of_match(row)

        def work(connection: sqlite3.Connection) -> None:
            if connection.execute("SELECT 1 FROM records WHERE id = ?", (row.id,)).fetchone():
                raise StoreError(f"there was a match {row.id} before: choose another id")
            connection.execute(_INSERT_MATCH, values)

        self._put(_Write(row.id, work=work, done=done))

    def begin_match(self, match_id: str, entropies: Mapping[str, bytes], done: Done) -> None:
        """Write what the seats gave to the dice; it can be given once."""
        text = schema.text_of_entropies(entropies)

        def work(connection: sqlite3.Connection) -> None:
            changed = connection.execute(
                "UPDATE matches SET entropies = ? WHERE id = ? AND entropies IS NULL", (text, match_id)
            )
            if not changed.rowcount:
                raise StoreError(f"there is no match {match_id} that has yet to begin")

        self._put(_Write(match_id, work=work, done=done))

    def append(self, match_id: str, rows: Sequence[ActionRow], lines: Sequence[Line], done: Done) -> None:
        """Write actions of one Act, and lines of the transcript, together."""
        actions = [schema.values_of_action(match_id, row) for row in rows]
        self._put(_Write(match_id, actions, self._values_of_lines(match_id, lines) if lines else (), done=done))

    def note(self, match_id: str, lines: Sequence[Line], done: Done | None = None) -> None:
        """Write lines of the transcripts."""
        self._put(_Write(match_id, lines=self._values_of_lines(match_id, lines), done=done))

    def mark(
        self, match_id: str, *, strikes: Mapping[str, int], draw_offers: Mapping[str, str], held: str, done: Done
    ) -> None:
        """Write the few facts of a match that change in place."""
        values = (schema.text_of(strikes), schema.text_of(draw_offers), held, match_id)

        def work(connection: sqlite3.Connection) -> None:
            changed = connection.execute(
                "UPDATE matches SET strikes = ?, draw_offers = ?, held = ? WHERE id = ?", values
            )
            if not changed.rowcount:
                raise StoreError(f"there is no open match {match_id}")

        self._put(_Write(match_id, work=work, done=done))

    def finish(self, match_id: str, ending: Ending, record: bytes, actions: int, at: float, done: Done) -> None:
        """Turn a match into its compressed record and transcripts, and drop its working rows, at once or not at all."""
        values = schema.values_of_ending(ending, actions, at)

        def work(connection: sqlite3.Connection) -> None:
            _finish(connection, match_id, values, record)

        self._put(_Write(match_id, work=work, done=done))

    # Matches: reads.

    def open_matches(self) -> list[OpenMatch]:
        """Return the matches that are not finished, oldest first."""
        with self._reading() as connection:
            connection.execute("BEGIN")  # all of it as it was at one moment
            matches = connection.execute(
                f"SELECT {schema.MATCH_COLUMNS}, entropies, strikes, draw_offers, held"  # noqa: S608
                " FROM matches ORDER BY started_at, rowid"
            ).fetchall()
            return [schema.open_match_of(match, _actions(connection, match[0])) for match in matches]

    def transcript(self, match_id: str, seat: str) -> bytes | None:
        """Return a finished match's transcript of a seat as JSON Lines, or `None`."""
        found = self._read(
            "SELECT lines FROM transcripts WHERE record_key = (SELECT key FROM records WHERE id = ?) AND seat = ?",
            (match_id, seat),
        )
        return _decompress(match_id, found[0][0]) if found else None

    def record(self, match_id: str) -> bytes | None:
        """Return a finished match's record, or `None`."""
        found = self._read("SELECT record FROM records WHERE id = ?", (match_id,))
        return _decompress(match_id, found[0][0]) if found else None

    def finished(self, match_id: str) -> Finished | None:
        """Return a finished match, or `None`."""
        found = self._read(
            f"SELECT {schema.MATCH_COLUMNS}, {schema.ENDING_COLUMNS} FROM records WHERE id = ?",  # noqa: S608
            (match_id,),
        )
        return schema.finished_of(found[0]) if found else None

    def list_finished(
        self, *, game: str = "", bot: str = "", opponent: str = "", limit: int = 50, before: str = ""
    ) -> tuple[list[Finished], str]:
        """Return finished matches, newest first, and where to go on ("" at the end)."""
        if limit < 1:
            raise StoreError(f"a page of {limit} matches shows nothing: ask for one at least")
        if before and not (before.isascii() and before.isdigit() and len(before) < 19):
            raise StoreError(f"{before!r} is no place in the list: pass on what the page before returned")
        wanted: list[tuple[str, Any]] = []
        source = "records"
        if bot or opponent:
            source = (
                "meetings CROSS JOIN records ON key = record_key"  # CROSS: walk along the meetings, not the records
            )
            wanted += [("bot = ?", bot or opponent), ("meetings.opponent = ?", opponent if bot else "")]
        if game:
            wanted.append(("game = ?", game))
        place = "record_key" if bot or opponent else "key"
        if before:
            wanted.append((f"{place} < ?", int(before)))
        where = f"WHERE {' AND '.join(clause for clause, _ in wanted)}" if wanted else ""
        found = self._read(
            f"SELECT {schema.MATCH_COLUMNS}, {schema.ENDING_COLUMNS}, key"  # noqa: S608
            f" FROM {source} {where} ORDER BY {place} DESC LIMIT ?",
            (*(value for _, value in wanted), limit + 1),
        )
        page = found[:limit]
        return [schema.finished_of(values[:-1]) for values in page], str(page[-1][-1]) if len(found) > limit else ""

    # Accounts: writes return when they are on disk.

    def create_account(self, name: str) -> None:
        """Make an account, or raise `StoreError` if there is one."""

        def work(connection: sqlite3.Connection) -> None:
            if not connection.execute("INSERT OR IGNORE INTO accounts (name) VALUES (?)", (name,)).rowcount:
                raise StoreError(f"there is an account {name!r} already: choose another name")

        self._wait(work)

    def create_bot(self, bot: BotRow) -> None:
        """Make a bot, or raise `StoreError` if there is one or there is no such account."""

        def work(connection: sqlite3.Connection) -> None:
            _need_account(connection, bot.account)
            insert = "INSERT OR IGNORE INTO bots (name, account) VALUES (?, ?)"
            if not connection.execute(insert, (bot.name, bot.account)).rowcount:
                raise StoreError(f"there is a bot {bot.name!r} already: choose another name")

        self._wait(work)

    def accounts(self, *, limit: int = 50, after: str = "") -> list[str]:
        """Return accounts by name, those after `after`."""
        found = self._read("SELECT name FROM accounts WHERE name > ? ORDER BY name LIMIT ?", (after, max(limit, 0)))
        return [name for (name,) in found]

    def has_account(self, name: str) -> bool:
        """Return whether there is an account."""
        return bool(self._read("SELECT 1 FROM accounts WHERE name = ?", (name,)))

    def bots_of(self, account: str) -> list[str]:
        """Return an account's bots by name."""
        return [name for (name,) in self._read("SELECT name FROM bots WHERE account = ? ORDER BY name", (account,))]

    def bot(self, name: str) -> BotRow | None:
        """Return a bot, or `None`."""
        found = self._read("SELECT name, account FROM bots WHERE name = ?", (name,))
        return BotRow(*found[0]) if found else None

    def claim_version(self, bot: str, label: str, content_hash: str) -> str:
        """Return the content hash that belongs to a bot's version label, taking the label if it is free."""
        # A bot that comes back claims what it has: that need not wait for the disk.
        select = "SELECT content_hash FROM versions WHERE bot = ? AND label = ?"
        if found := self._read(select, (bot, label)):
            return str(found[0][0])

        def work(connection: sqlite3.Connection) -> str:
            if not connection.execute("SELECT 1 FROM bots WHERE name = ?", (bot,)).fetchone():
                raise StoreError(f"there is no bot {bot!r}: make it first")
            connection.execute(
                "INSERT OR IGNORE INTO versions (bot, label, content_hash) VALUES (?, ?, ?)", (bot, label, content_hash)
            )
            return str(connection.execute(select, (bot, label)).fetchone()[0])

        return self._wait(work)

    def create_token(self, token: TokenRow) -> None:
        """Keep a token, or raise `StoreError` if its id or hash is there or its account or bot is not."""
        values = schema.values_of_token(token)

        def work(connection: sqlite3.Connection) -> None:
            _need_account(connection, token.account)
            owner = connection.execute("SELECT account FROM bots WHERE name = ?", (token.bot,)).fetchone()
            if token.bot and owner != (token.account,):
                raise StoreError(f"account {token.account!r} has no bot {token.bot!r}: make it first")
            if connection.execute("SELECT 1 FROM tokens WHERE id = ? OR hash = ?", (token.id, token.hash)).fetchone():
                raise StoreError(f"there is a token {token.id!r} already, or one with its secret: make a new one")
            connection.execute(_INSERT_TOKEN, values)

        self._wait(work)

    def token_by_hash(self, hashed: str) -> TokenRow | None:
        """Return the token whose secret has this hash, or `None`."""
        return next(iter(self._tokens("hash = ?", hashed)), None)

    def token(self, token_id: str) -> TokenRow | None:
        """Return a token, or `None`."""
        return next(iter(self._tokens("id = ?", token_id)), None)

    def tokens_of(self, account: str) -> list[TokenRow]:
        """Return an account's tokens, oldest first."""
        return self._tokens("account = ?", account)

    def revoke_token(self, token_id: str) -> None:
        """Revoke a token, or raise `StoreError` if there is none."""

        def work(connection: sqlite3.Connection) -> None:
            if not connection.execute("UPDATE tokens SET revoked = 1 WHERE id = ?", (token_id,)).rowcount:
                raise StoreError(f"there is no token {token_id!r}")

        self._wait(work)

    def commit_seconds(self) -> list[float]:
        """Return how long the commits since the last call took."""
        return [self._seconds.popleft() for _ in range(len(self._seconds))]

    def close(self) -> None:
        """Write what is queued, and close; raise `StoreError` if the disk refuses it."""
        if self._closed.is_set():
            return
        self._closing.set()
        self._queue.put(_Write())  # wakes the writer
        self._thread.join()
        self._abandon()
        self._closed.set()
        while self._idle_readers:
            self._idle_readers.pop().close()
        with suppress(sqlite3.Error):  # what is not moved out of the log now is moved at the next start
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()
        os.close(self._lock)
        if self._lost:
            raise StoreError(f"{self._lost} writes are lost, none of them told as done: {self.last_error}")

    # Reading.

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        # As many connections as threads ever read at once: threads come and go, and would leave theirs behind.
        if self._closed.is_set():
            raise StoreError("the store is closed")
        try:
            connection = self._idle_readers.pop()
        except IndexError:
            connection = _connect(self._path, "ro")
        try:
            yield connection
        except sqlite3.Error as error:
            raise StoreError(f"cannot read {self._path}: {error}") from error
        finally:
            if connection.in_transaction:
                connection.rollback()
            self._idle_readers.append(connection)
            if self._closed.is_set():
                with suppress(IndexError):
                    self._idle_readers.pop().close()

    def _read(self, query: str, values: Sequence[Any]) -> list[Row]:
        with self._reading() as connection:
            return connection.execute(query, values).fetchall()

    def _tokens(self, where: str, value: str) -> list[TokenRow]:
        query = f"SELECT {schema.TOKEN_COLUMNS} FROM tokens WHERE {where} ORDER BY created_at, id"  # noqa: S608
        return [schema.token_of(values) for values in self._read(query, (value,))]

    # Queueing.

    def _put(self, write: _Write) -> None:
        if self._closing.is_set():
            raise StoreError("the store is closed")
        self._queue.put(write)

    def _wait(self, work: Work[T]) -> T:
        answer: Future[T] = Future()
        self._put(_Write(work=work, answer=answer))
        if not self._thread.is_alive():
            self._abandon()  # it slipped in behind the last write
        return answer.result()

    def _abandon(self) -> None:
        with suppress(Empty):
            while True:
                write = self._queue.get_nowait()
                if write.answer:
                    write.answer.set_exception(StoreError("the store is closed"))

    def _values_of_lines(self, match_id: str, lines: Iterable[Line]) -> list[Row]:
        return [
            (match_id, next(self._line_numbers), line.seat, line.at_ms, schema.text_of_line(line)) for line in lines
        ]

    # Writing: all that follows runs on the one thread that writes.

    def _run(self) -> None:
        queue = self._queue
        while not (self._closing.is_set() and queue.empty()):
            batch = [queue.get()]
            batch += [queue.get() for _ in range(queue.qsize())]
            self._carry_out(batch)

    def _carry_out(self, batch: list[_Write]) -> None:
        together, delay = True, FIRST_DELAY
        while True:
            started = perf_counter()
            try:
                refused = self._write_together(batch) if together else self._write_one_by_one(batch)
            except Exception as error:
                self._roll_back()
                if together and not _may_pass(error):
                    together = False  # one of them is at fault: the others go without it
                    continue
                self.healthy, self.last_error = False, f"cannot write {self._path}: {error}"
                if self._closing.is_set():
                    self._lose(batch)
                    return
                self._closing.wait(delay)
                delay = min(2 * delay, LONGEST_DELAY)
            else:
                self._seconds.append(perf_counter() - started)
                self.healthy = True
                self._answer(batch, refused)
                return

    def _write_together(self, batch: list[_Write]) -> dict[_Write, Exception]:
        connection = self._connection
        actions: list[Row] = []
        lines: list[Row] = []
        connection.execute("BEGIN IMMEDIATE")
        for write in batch:
            if write.work is not None:
                self._insert_rows(actions, lines)
                actions, lines = [], []
                write.result = write.work(connection)
            else:
                actions += write.actions
                lines += write.lines
        self._insert_rows(actions, lines)
        connection.execute("COMMIT")
        return {}

    def _write_one_by_one(self, batch: list[_Write]) -> dict[_Write, Exception]:
        connection = self._connection
        refused: dict[_Write, Exception] = {}
        connection.execute("BEGIN IMMEDIATE")
        for write in batch:
            connection.execute("SAVEPOINT one")
            try:
                self._insert_rows(write.actions, write.lines)
                write.result = write.work(connection) if write.work else None
            except Exception as error:
                if _may_pass(error):
                    raise
                refused[write] = error
                connection.execute("ROLLBACK TO one")
            connection.execute("RELEASE one")
        connection.execute("COMMIT")
        return refused

    def _insert_rows(self, actions: Sequence[Row], lines: Sequence[Row]) -> None:
        if actions:
            self._connection.executemany(_INSERT_ACTION, actions)
        if lines:
            self._connection.executemany(_INSERT_LINE, lines)

    def _roll_back(self) -> None:
        with suppress(sqlite3.Error):  # the next BEGIN fails then, and all is tried again
            if self._connection.in_transaction:
                self._connection.rollback()

    def _answer(self, batch: list[_Write], refused: dict[_Write, Exception]) -> None:
        for write, error in refused.items():
            self._refuse(write, error)
        for write in batch:
            if write.answer and write not in refused:
                write.answer.set_result(write.result)
        dones = [write.done for write in batch if write.done and write not in refused]
        if dones:
            self._tell(iter(dones))

    def _refuse(self, write: _Write, error: Exception) -> None:
        if write.answer:
            said = error if isinstance(error, StoreError) else StoreError(f"the database refuses it: {error}")
            write.answer.set_exception(said)
            return
        text = f"a write of match {write.match_id} was refused: {error}"
        self._keep_error(text)
        if on_error := self._on_error:
            self._tell(iter([lambda: on_error(text)]))

    def _lose(self, batch: list[_Write]) -> None:
        for write in batch:
            if write.answer:
                write.answer.set_exception(StoreError(self.last_error))
        self._lost += sum(bool(write.actions or write.lines or write.work) for write in batch)

    def _tell(self, calls: Iterator[Done]) -> None:
        def call() -> None:
            try:
                for each in calls:
                    each()
            except BaseException:
                self._tell(calls)  # one match that fails does not keep the others waiting
                raise

        try:
            self._post(call)
        except Exception as error:  # the house is gone: what it wanted is on disk, and nobody is left to be told
            self._keep_error(f"the house cannot be told what is on disk: {error}")

    def _keep_error(self, text: str) -> None:
        self.errors.append(text)
        del self.errors[:-KEPT_ERRORS]


def _lock(path: Path) -> int:
    try:
        _make_private(path)
        lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreError(f"cannot open {path}: {error.strerror}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        raise StoreError(f"another server has {path} open: stop it first, or use another file") from error
    return lock


def _make_private(path: Path) -> None:
    # Secrets of running matches are inside. SQLite gives the files it puts beside the database the same mode.
    for folder in [folder for folder in reversed(path.parents) if not folder.exists()]:
        folder.mkdir(mode=0o700)
        _sync_folder(folder.parent)
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        os.fchmod(file, 0o600)
    finally:
        os.close(file)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    # Without it a new file may be gone after a power cut, with all that was written to it.
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    # The threads take turns with a connection; SQLite itself is built for that.
    return sqlite3.connect(
        f"file:{quote(str(path))}?mode={mode}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )


def _open(path: Path) -> sqlite3.Connection:
    try:
        connection = _connect(path, "rw")
        try:
            schema.version_of(connection)  # before anything changes the file
            (journal,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
            if journal != "wal":
                raise StoreError(f"{path} lies on a file system without write-ahead logs: use a local disk")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA cache_size = -65536")  # 64 MB: the last page of each of thousands of matches
            connection.execute("PRAGMA journal_size_limit = 67108864")
            schema.migrate(connection)
        except BaseException:
            connection.close()
            raise
    except sqlite3.Error as error:
        raise StoreError(f"cannot open {path} as a database: {error}") from error
    return connection


def _may_pass(error: Exception) -> bool:
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_MISUSE)  # none: Python refused it before SQLite saw it
        return (code & 0xFF) not in _LASTING
    return isinstance(error, MemoryError)


def _need_account(connection: sqlite3.Connection, name: str) -> None:
    if not connection.execute("SELECT 1 FROM accounts WHERE name = ?", (name,)).fetchone():
        raise StoreError(f"there is no account {name!r}: make it first")


def _actions(connection: sqlite3.Connection, match_id: str) -> list[Row]:
    query = f"SELECT {schema.ACTION_COLUMNS} FROM actions WHERE match = ? ORDER BY n"  # noqa: S608
    return connection.execute(query, (match_id,)).fetchall()


def _finish(connection: sqlite3.Connection, match_id: str, ending: Row, record: bytes) -> None:
    query = f"SELECT {schema.MATCH_COLUMNS} FROM matches WHERE id = ?"  # noqa: S608
    match = connection.execute(query, (match_id,)).fetchone()
    if match is None:
        raise StoreError(f"there is no open match {match_id}")
    row = schema.match_of(match)
    lines = connection.execute("SELECT seat, at_ms, line FROM lines WHERE match = ? ORDER BY n", (match_id,))
    transcripts = schema.transcripts_of(row, _actions(connection, match_id), lines)
    key = connection.execute(_INSERT_RECORD, (*match, *ending, zlib.compress(record))).lastrowid
    connection.executemany(
        "INSERT INTO transcripts (record_key, seat, lines) VALUES (?, ?, ?)",
        [(key, seat, zlib.compress(text)) for seat, text in transcripts.items()],
    )
    connection.executemany(
        "INSERT INTO meetings (bot, opponent, record_key) VALUES (?, ?, ?)",
        [(bot, opponent, key) for bot, opponent in schema.meetings_of(row)],
    )
    connection.execute("DELETE FROM actions WHERE match = ?", (match_id,))
    connection.execute("DELETE FROM lines WHERE match = ?", (match_id,))
    connection.execute("DELETE FROM matches WHERE id = ?", (match_id,))


def _decompress(match_id: str, compressed: bytes) -> bytes:
    try:
        return zlib.decompress(compressed)
    except zlib.error as error:
        raise StoreError(
            f"match {match_id} is damaged on disk ({error}): restore the database from a backup"
        ) from error
