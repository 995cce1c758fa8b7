"""The store in SQLite: what is told as done is on disk, whatever happens."""

import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from queue import Queue

import pytest

from lictor.server.store import (
    ActionRow,
    BotRow,
    Ending,
    Finished,
    Line,
    MatchRow,
    OpenMatch,
    Store,
    StoreError,
    TokenRow,
)
from lictor.server.store.schema import MIGRATIONS, migrate
from lictor.server.store.sqlite import SqliteStore

SECONDS = 10.0  # longer than anything here takes
ENDING = Ending("victory", "caesar", "caesar", "points", (9, 4), "Caesar wins 9 to 4")


class House:
    """A store and the thread of its house: this one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.posted: Queue[Callable[[], None]] = Queue()
        self.told: list[str] = []
        self.store = SqliteStore(path, self.posted.put, on_error=self.told.append)

    def wait(self, write: Callable[[Callable[[], None]], None]) -> None:
        """Queue a write, and run what is posted until it is done."""
        seen: list[bool] = []
        write(lambda: seen.append(True))
        self.run_until(lambda: bool(seen))

    def run_until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self.posted.get(timeout=SECONDS)()

    def create(self, *rows: MatchRow) -> None:
        for row in rows:
            self.wait(lambda done, row=row: self.store.create_match(row, done))  # type: ignore[misc]

    def play(self, match_id: str, *actions: ActionRow, lines: tuple[Line, ...] = ()) -> None:
        self.wait(lambda done: self.store.append(match_id, actions, lines, done))

    def finish(self, match_id: str, record: bytes = b"record", ending: Ending = ENDING, at: float = 1060.0) -> None:
        self.wait(lambda done: self.store.finish(match_id, ending, record, 2, at, done))

    def rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        """Return what another process would find on disk now."""
        with closing(sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)) as connection:
            return connection.execute(query, values).fetchall()

    def damage(self, statement: str, *values: object) -> None:
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute(statement, values)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    opened = House(tmp_path / "lictor.db")
    yield opened
    opened.store.close()


def match(
    match_id: str = "m1", *, game: str = "julius_caesar", caesar: str = "alba", pompey: str = "bruta"
) -> MatchRow:
    return MatchRow(
        id=match_id,
        game=game,
        options={"edition": "2", "data": ""},
        data="ab" * 32,
        rules_epoch=3,
        seats={"pompey": pompey, "caesar": caesar},
        versions={"pompey": "v1", "caesar": "v2"},
        clock={"base_ms": 60000, "increment_ms": 100},
        secret=bytes(range(32)),
        started_at=1000.0,
    )


def action(n: int, seat: str = "caesar", **changes: object) -> ActionRow:
    row = ActionRow(
        n=n,
        seat=seat,
        decision=n,
        action=f"move legio_{n} roma",
        think_ms=12,
        wire_ms=3,
        server_ms=1,
        draws="[[6,3]]",
        banks=(59000, 58000 - n),
        batch=n,
        stopped=0,
        at=1000.0 + n,
        choice=n + 7,
    )
    return row._replace(**changes)  # type: ignore[arg-type]


def token(token_id: str = "t1", *, account: str = "anna", bot: str = "", created_at: float = 5.0) -> TokenRow:
    return TokenRow(token_id, f"hash of {token_id}", account, bot, ("play", "watch"), 99.5, False, created_at)


def test_the_class_satisfies_the_interface(house: House) -> None:
    store: Store = house.store
    assert store.open_matches() == []


# Matches.


def test_an_open_match_comes_back_as_it_was_written(house: House) -> None:
    row = match()
    house.create(row)
    assert house.store.open_matches() == [OpenMatch(row, None, [], {}, {}, "", {})]
    entropies = {"pompey": b"\x00\xff", "caesar": b"seed"}
    house.wait(lambda done: house.store.begin_match("m1", entropies, done))
    second, first = action(2, "pompey", stopped=4, draws=""), action(1)
    house.play("m1", second, first)
    house.play("m1", action(3, banks=(-1, 0)))
    house.wait(
        lambda done: house.store.mark(
            "m1", strikes={"caesar": 1}, draw_offers={"pompey": "open"}, held="the operator paused it", done=done
        )
    )
    house.store.close()
    house.store = SqliteStore(house.path, house.posted.put)
    (found,) = house.store.open_matches()
    actions = [first, second, action(3, banks=(-1, 0))]
    held = "the operator paused it"
    assert found == OpenMatch(row, entropies, actions, {"caesar": 1}, {"pompey": "open"}, held, {})
    assert list(found.row.seats) == ["pompey", "caesar"], "banks follow the order of the seats"


def test_an_action_without_banks_comes_back_without_banks(house: House) -> None:
    house.create(match())
    house.play("m1", action(1, banks=()))
    assert house.store.open_matches()[0].actions == [action(1, banks=())]


def test_what_the_house_changes_after_a_call_is_not_written(house: House) -> None:
    house.create(match())
    strikes = {"caesar": 1}
    house.store.mark("m1", strikes=strikes, draw_offers={}, held="", done=lambda: None)
    strikes["caesar"] = 2
    house.play("m1", action(1))
    assert house.store.open_matches()[0].strikes == {"caesar": 1}


def test_a_match_that_begins_twice_keeps_its_entropies(house: House) -> None:
    house.create(match())
    house.wait(lambda done: house.store.begin_match("m1", {"caesar": b"1"}, done))
    house.store.begin_match("m1", {"caesar": b"2"}, pytest.fail)
    house.play("m1", action(1))
    assert house.store.open_matches()[0].entropies == {"caesar": b"1"}
    assert house.told == ["a write of match m1 was refused: there is no match m1 that has yet to begin"]


def test_dones_come_in_the_order_of_the_writes(house: House) -> None:
    house.create(match())
    order: list[int] = []
    for n in range(1, 501):
        house.store.append("m1", [action(n)], [], lambda n=n: order.append(n))  # type: ignore[misc]
    house.run_until(lambda: len(order) == 500)
    assert order == list(range(1, 501))
    assert house.posted.empty()


def test_what_is_told_as_done_is_on_disk(house: House) -> None:
    house.create(match())
    found: list[object] = []
    count = "SELECT count(*) FROM actions WHERE n = ?"
    for n in range(1, 21):
        house.store.append("m1", [action(n)], [], lambda n=n: found.extend(house.rows(count, n)))  # type: ignore[misc]
    house.run_until(lambda: len(found) == 20)
    assert found == [(1,)] * 20


def test_a_done_that_fails_does_not_keep_the_others_waiting(house: House) -> None:
    house.create(match("m1"), match("m2"))
    release, called = threading.Event(), []

    def fail() -> None:
        raise RuntimeError("one match has a bug")

    def post(call: Callable[[], None]) -> None:
        house.posted.put(call)
        release.wait(SECONDS)  # the writer waits here, so that the three that follow are one batch

    house.store._post = post
    house.play("m1", action(1))
    house.store.append("m1", [action(2)], [], lambda: called.append("first"))
    house.store.append("m1", [action(3)], [], fail)
    house.store.append("m2", [action(1)], [], lambda: called.append("last"))
    release.set()
    with pytest.raises(RuntimeError, match="a bug"):
        house.run_until(lambda: called == ["first", "last"])
    house.run_until(lambda: called == ["first", "last"])


def test_finish_leaves_the_record_and_no_working_rows(house: House) -> None:
    row = match()
    house.create(row, match("m2"))
    house.play("m1", action(1), action(2, "pompey"), lines=(Line("caesar", 5, "hello"),))
    house.play("m2", action(1))
    record = b"a line of the record\n" * 1000
    house.finish("m1", record)
    assert house.store.record("m1") == record
    assert house.store.finished("m1") == Finished(row, ENDING, 2, 1060.0)
    for query in ("SELECT id FROM matches", "SELECT match FROM actions"):
        assert house.rows(query) == [("m2",)]
    assert house.rows("SELECT * FROM lines") == []
    assert [found.row.id for found in house.store.open_matches()] == ["m2"]


def test_a_finish_that_is_refused_changes_nothing(house: House) -> None:
    house.create(match())
    house.play("m1", action(1), lines=(Line("caesar", 5, "hello"),))
    house.damage("CREATE TRIGGER trap BEFORE DELETE ON matches BEGIN SELECT raise(ABORT, 'a trap'); END")
    house.store.finish("m1", ENDING, b"record", 1, 1060.0, pytest.fail)
    house.run_until(lambda: bool(house.told))
    assert house.told == house.store.errors == ["a write of match m1 was refused: a trap"]
    assert house.store.record("m1") is None
    assert house.store.transcript("m1", "caesar") is None
    assert [len(found.actions) for found in house.store.open_matches()] == [1]
    assert house.rows("SELECT count(*) FROM lines") == [(1,)]
    house.damage("DROP TRIGGER trap")
    house.finish("m1")
    assert house.store.record("m1") == b"record"


def test_a_transcript_has_a_seats_lines_and_decisions_by_time(house: House) -> None:
    house.create(match())
    later = Line("caesar", 2500, "lag", {"wire_ms": 7, "at": "the line's own time wins", "bot": "Größe"})
    house.wait(lambda done: house.store.note("m1", [later], done))
    house.store.note("m1", [Line("caesar", 1000, "offered"), Line("pompey", 0, "connected")])
    house.play("m1", action(1, action='say "salvē"'), action(2, "pompey"), action(3))
    house.finish("m1")
    text = house.store.transcript("m1", "caesar")
    assert text is not None
    lines = text.decode("ascii").splitlines()
    assert [json.loads(line) for line in lines] == [
        {"at": 1000, "kind": "offered"},
        _decision(1, at=1000, action='say "salvē"'),
        {"at": 2500, "kind": "lag", "wire_ms": 7, "bot": "Größe"},
        _decision(3, at=3000, action="move legio_3 roma"),
    ]
    assert lines == [json.dumps(json.loads(line), sort_keys=True, separators=(",", ":")) for line in lines]
    other = house.store.transcript("m1", "pompey")
    assert other is not None
    assert [json.loads(line).get("bank") for line in other.splitlines()] == [None, 59000]
    assert house.store.transcript("m1", "cleopatra") is None
    assert house.store.transcript("m2", "caesar") is None


def _decision(n: int, **changes: object) -> Mapping[str, object]:
    times = {"think_ms": 12, "wire_ms": 3, "server_ms": 1}
    return {"kind": "decision", "decision": n, "bank": 58000 - n, **times, **changes}


def test_a_finished_match_is_not_made_again(house: House) -> None:
    house.create(match())
    house.finish("m1")
    house.store.create_match(match(), pytest.fail)
    house.run_until(lambda: bool(house.told))
    assert "choose another id" in house.told[0]
    assert house.store.finished("m2") is None
    assert house.store.record("m2") is None


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE matches SET clock = '{'",
        "UPDATE matches SET seats = '[]'",
        'UPDATE matches SET entropies = \'{"caesar": "xy"}\'',
        "UPDATE matches SET strikes = '1'",
        "UPDATE actions SET banks = '1,x'",
        "DELETE FROM actions WHERE n = 1",
    ],
)
def test_a_damaged_match_is_named(house: House, statement: str) -> None:
    house.create(match())
    house.play("m1", action(1), action(2))
    house.damage(statement)
    with pytest.raises(StoreError, match="match m1 is damaged"):
        house.store.open_matches()


def test_a_damaged_record_is_named(house: House) -> None:
    house.create(match())
    house.finish("m1")
    house.damage("UPDATE records SET record = x'00', score = '?'")
    house.damage("UPDATE transcripts SET lines = x'00'")
    for read in (house.store.record, house.store.finished, lambda name: house.store.transcript(name, "caesar")):
        with pytest.raises(StoreError, match="match m1 is damaged"):
            read("m1")


# Lists.


def pages(store: SqliteStore, limit: int, **wanted: str) -> list[str]:
    found: list[str] = []
    page, place = store.list_finished(limit=limit, **wanted)
    while True:
        assert len(page) <= limit
        found += [each.row.id for each in page]
        if not place:
            return found
        page, place = store.list_finished(limit=limit, before=place, **wanted)


@pytest.fixture
def played(house: House) -> House:
    odd = "100%_'\"ö\\*"
    house.create(
        match("m1", caesar="alba", pompey="bruta"),
        match("m2", caesar="bruta", pompey="alba", game="other"),
        match("m3", caesar="alba", pompey="alba"),
        match("m4", caesar=odd, pompey="alba"),
        match("m5", caesar="100x_'\"ö\\*", pompey="bruta"),
    )
    for match_id in ("m5", "m1", "m2", "m3", "m4"):
        house.finish(match_id)
    return house


@pytest.mark.parametrize("limit", [1, 2, 5, 50])
def test_lists_go_from_the_newest_to_the_oldest_page_by_page(played: House, limit: int) -> None:
    store = played.store
    assert pages(store, limit) == ["m4", "m3", "m2", "m1", "m5"]
    assert pages(store, limit, game="julius_caesar") == ["m4", "m3", "m1", "m5"]
    assert pages(store, limit, bot="alba") == ["m4", "m3", "m2", "m1"]
    assert pages(store, limit, opponent="alba") == ["m4", "m3", "m2", "m1"]
    assert pages(store, limit, bot="alba", opponent="bruta") == ["m2", "m1"]
    assert pages(store, limit, bot="bruta", opponent="alba") == ["m2", "m1"]
    assert pages(store, limit, bot="alba", opponent="alba") == ["m3"]
    assert pages(store, limit, bot="bruta", game="other") == ["m2"]
    assert pages(store, limit, bot="100%_'\"ö\\*") == ["m4"]
    assert pages(store, limit, bot="%") == []


def test_a_page_stays_in_place_while_matches_finish(played: House) -> None:
    _, place = played.store.list_finished(limit=2)
    played.create(match("m6"))
    played.finish("m6")
    page, _ = played.store.list_finished(limit=2, before=place)
    assert [each.row.id for each in page] == ["m2", "m1"]


@pytest.mark.parametrize("place", ["x", "-1", "9" * 30, "1 ", "²"])
def test_a_place_that_is_none_is_refused(house: House, place: str) -> None:
    with pytest.raises(StoreError, match="no place in the list"):
        house.store.list_finished(before=place)
    with pytest.raises(StoreError, match="at least"):
        house.store.list_finished(limit=0)


# Accounts.


def test_accounts_and_bots_are_kept(house: House) -> None:
    store = house.store
    for name in ("bert", "anna", "O'Hara; --"):
        store.create_account(name)
    store.create_bot(BotRow("bruta", "anna"))
    store.create_bot(BotRow("alba", "anna"))
    assert store.accounts() == ["O'Hara; --", "anna", "bert"]
    assert store.accounts(limit=1, after="O'Hara; --") == ["anna"]
    assert store.bots_of("anna") == ["alba", "bruta"]
    assert store.bots_of("bert") == []
    assert store.bot("alba") == BotRow("alba", "anna")
    assert store.bot("nobody") is None
    with pytest.raises(StoreError, match="an account 'anna' already"):
        store.create_account("anna")
    with pytest.raises(StoreError, match="a bot 'alba' already"):
        store.create_bot(BotRow("alba", "bert"))
    with pytest.raises(StoreError, match="no account 'carl'"):
        store.create_bot(BotRow("nova", "carl"))
    assert store.bot("alba") == BotRow("alba", "anna")
    assert house.told == store.errors == [], "who asked was told"


def test_a_version_belongs_to_who_claims_it_first(house: House) -> None:
    store = house.store
    store.create_account("anna")
    store.create_bot(BotRow("alba", "anna"))
    assert store.claim_version("alba", "v1", "aa") == "aa"
    assert store.claim_version("alba", "v1", "bb") == "aa"
    assert store.claim_version("alba", "v2", "bb") == "bb"
    with pytest.raises(StoreError, match="no bot 'bruta'"):
        store.claim_version("bruta", "v1", "aa")


def test_one_version_claimed_by_many_threads_has_one_content(house: House) -> None:
    house.store.create_account("anna")
    house.store.create_bot(BotRow("alba", "anna"))
    start, found = threading.Barrier(8), []

    def claim(content: str) -> None:
        start.wait(SECONDS)
        found.append(house.store.claim_version("alba", "v1", content))

    threads = [threading.Thread(target=claim, args=(str(i),)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert len(found) == 8
    assert len(set(found)) == 1


def test_tokens_are_found_by_their_hash_and_revoked(house: House) -> None:
    store = house.store
    store.create_account("anna")
    store.create_account("bert")
    store.create_bot(BotRow("alba", "anna"))
    first, second = token("t1", created_at=9.0), replace(token("t2", bot="alba"), expires_at=None, scopes=())
    store.create_token(first)
    store.create_token(second)
    assert store.token_by_hash("hash of t1") == store.token("t1") == first
    assert store.token("t2") == second
    assert store.token("t3") is store.token_by_hash("t1") is None
    assert store.tokens_of("anna") == [second, first]
    assert store.tokens_of("bert") == []
    store.revoke_token("t1")
    store.revoke_token("t1")
    assert store.token("t1") == replace(first, revoked=True)
    assert store.token("t2") == second
    with pytest.raises(StoreError, match="no token 't3'"):
        store.revoke_token("t3")
    with pytest.raises(StoreError, match="a token 't1' already"):
        store.create_token(replace(first, hash="another"))
    with pytest.raises(StoreError, match="or one with its secret"):
        store.create_token(replace(first, id="t4"))
    with pytest.raises(StoreError, match="no account 'carl'"):
        store.create_token(token("t5", account="carl"))
    with pytest.raises(StoreError, match="'bert' has no bot 'alba'"):
        store.create_token(token("t6", account="bert", bot="alba"))


# What goes wrong.


def test_a_bad_write_does_not_poison_the_others(house: House) -> None:
    house.create(match("m1"), match("m2"))
    house.play("m1", action(1))
    done: list[str] = []
    for n in range(1, 50):
        house.store.append("m2", [action(n)], [], lambda n=n: done.append(f"m2 {n}"))  # type: ignore[misc]
        if n == 20:
            house.store.append("m1", [action(2), action(1)], [Line("caesar", 1, "lost")], pytest.fail)
            house.store.append("m3", [action(1)], [], pytest.fail)
            house.store.append("m2", [action(99, action=object())], [], pytest.fail)
            house.store.append("m2", [action(2**70)], [], pytest.fail)
            house.store.mark("m3", strikes={}, draw_offers={}, held="", done=pytest.fail)
            house.store.note("m3", [Line("caesar", 1, "late")], pytest.fail)
    house.run_until(lambda: len(done) == 49 and len(house.told) == 6)
    assert done == [f"m2 {n}" for n in range(1, 50)]
    assert [len(found.actions) for found in house.store.open_matches()] == [1, 49]
    assert house.rows("SELECT * FROM lines") == []
    assert house.store.errors == house.told
    assert "match m1" in house.told[0]
    assert house.store.healthy


def until(condition: Callable[[], bool]) -> None:
    """Wait for what another thread does and tells nobody."""
    turn = threading.Event()
    for _ in range(int(SECONDS * 1000)):
        if condition():
            return
        turn.wait(0.001)
    pytest.fail("it never happened")


def fill(house: House) -> None:
    house.store._connection.execute("PRAGMA max_page_count = 1")  # as many as there are: the disk is full


def test_a_full_disk_is_waited_for_and_nothing_is_done_or_lost(house: House) -> None:
    house.create(match())
    fill(house)
    done: list[int] = []
    for n in range(1, 6):
        big = action(n, draws="x" * 100_000)
        house.store.append("m1", [big], [], lambda n=n: done.append(n))  # type: ignore[misc]
    until(lambda: not house.store.healthy)
    assert house.posted.empty()
    assert house.rows("SELECT n FROM actions") == []
    assert "full" in house.store.last_error
    house.store._connection.execute("PRAGMA max_page_count = 1000000")
    house.run_until(lambda: len(done) == 5)
    assert done == [1, 2, 3, 4, 5]
    assert house.store.healthy
    assert house.rows("SELECT n FROM actions") == [(n,) for n in range(1, 6)]


def test_a_lock_of_another_process_is_waited_for(house: House) -> None:
    house.create(match())
    house.store._connection.execute("PRAGMA busy_timeout = 0")
    with closing(sqlite3.connect(house.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        house.store.append("m1", [action(1)], [], lambda: None)
        until(lambda: not house.store.healthy)
        other.execute("ROLLBACK")
    house.play("m1", action(2))
    assert house.rows("SELECT n FROM actions") == [(1,), (2,)]


def test_closing_on_a_full_disk_says_what_is_lost(tmp_path: Path) -> None:
    house = House(tmp_path / "lictor.db")
    house.create(match())
    fill(house)
    house.store.append("m1", [action(1, draws="x" * 100_000)], [], pytest.fail)
    until(lambda: not house.store.healthy)
    with pytest.raises(StoreError, match=r"1 writes are lost, none of them told as done: .* full"):
        house.store.close()
    assert house.posted.empty()
    again = House(house.path)
    assert [found.actions for found in again.store.open_matches()] == [[]]
    again.store.close()


def test_closing_writes_what_is_queued_even_if_the_house_is_gone(tmp_path: Path) -> None:
    house = House(tmp_path / "lictor.db")
    house.create(match())

    def gone(call: Callable[[], None]) -> None:
        raise RuntimeError("the loop is closed")

    house.store._post = gone
    for n in range(1, 101):
        house.store.append("m1", [action(n)], [], pytest.fail)
    house.store.close()
    house.store.close()
    assert {path.name for path in tmp_path.iterdir()} == {"lictor.db", "lictor.db.lock"}
    assert len(house.rows("SELECT n FROM actions")) == 100


def test_a_closed_store_refuses_everything(house: House) -> None:
    house.store.close()
    with pytest.raises(StoreError, match="closed"):
        house.store.append("m1", [action(1)], [], pytest.fail)
    with pytest.raises(StoreError, match="closed"):
        house.store.create_account("anna")
    with pytest.raises(StoreError, match="closed"):
        house.store.open_matches()


CHILD = """
import os, sys, queue
from tests.server.store.test_sqlite import House, action, match, Line
from pathlib import Path

house = House(Path(sys.argv[1]))
house.create(match())
print("ready", flush=True)
n = 0
while True:
    for _ in range(5):
        n += 1
        house.store.append("m1", [action(n)], [Line("caesar", n, "line")], lambda n=n: print(n, flush=True))
    house.posted.get()()
"""


@pytest.mark.parametrize("lines", [1, 50, 400])
def test_what_was_told_before_a_kill_is_there_after_it(tmp_path: Path, lines: int) -> None:
    path = tmp_path / "lictor.db"
    root = Path(__file__).parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, path], stdout=subprocess.PIPE, text=True, cwd=root, env=os.environ
    ) as child:
        assert child.stdout is not None
        for _ in range(lines + 1):
            assert child.stdout.readline()
        child.send_signal(signal.SIGKILL)
        told = [int(line) for line in child.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
    last = max(told, default=lines)
    house = House(path)
    (found,) = house.store.open_matches()
    assert len(found.actions) >= last
    assert [each.n for each in found.actions] == list(range(1, len(found.actions) + 1))
    assert house.rows("SELECT count(*) FROM lines") == [(len(found.actions),)]
    house.play("m1", action(len(found.actions) + 1), lines=(Line("caesar", 0, "line"),))
    house.store.close()


# The file.


def test_a_second_store_on_the_same_file_is_refused(house: House) -> None:
    with pytest.raises(StoreError, match=r"another server has .* open"):
        SqliteStore(house.path, house.posted.put)
    house.create(match())
    house.store.close()
    house.store = SqliteStore(str(house.path), house.posted.put)
    assert len(house.store.open_matches()) == 1


def test_the_file_and_new_folders_are_private(tmp_path: Path) -> None:
    house = House(tmp_path / "made" / "in a row?#%" / "lictor.db")
    house.create(match())
    for folder in (house.path.parent, house.path.parent.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    files = sorted(house.path.parent.iterdir())
    assert [file.name for file in files] == ["lictor.db", "lictor.db-shm", "lictor.db-wal", "lictor.db.lock"]
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert len(house.store.open_matches()) == 1
    house.store.close()


def test_an_empty_file_is_migrated_to_the_newest_version(house: House) -> None:
    assert house.rows("PRAGMA user_version") == [(len(MIGRATIONS),)]
    assert house.rows("PRAGMA journal_mode") == [("wal",)]
    assert house.store._connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert house.store._connection.execute("PRAGMA foreign_keys").fetchone() == (1,)


def test_migrations_run_from_where_the_database_is_all_or_none() -> None:
    first, second = "CREATE TABLE a (x);", "ALTER TABLE a ADD COLUMN y; INSERT INTO a VALUES (1, 2);"
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection, (first,))
        with pytest.raises(sqlite3.Error):
            migrate(connection, (first, second, "CREATE TABLE a (x);"))
        assert connection.execute("SELECT * FROM a").description == (("x", *[None] * 6),)
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        migrate(connection, (first, second))
        migrate(connection, (first, second))
        assert connection.execute("SELECT * FROM a").fetchall() == [(1, 2)]


def test_a_newer_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "lictor.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    before = path.read_bytes()
    for _ in range(2):  # the lock is given back
        with pytest.raises(StoreError, match="use a newer lictor"):
            SqliteStore(path, lambda call: None)
    assert path.read_bytes() == before


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "lictor.db"
    path.write_bytes(b"something else entirely" * 1000)
    with pytest.raises(StoreError, match="not a database"):
        SqliteStore(path, lambda call: None)
    with pytest.raises(StoreError, match="cannot open"):
        SqliteStore(tmp_path, lambda call: None)


def test_commits_are_timed(house: House) -> None:
    house.create(match())
    house.play("m1", action(1))
    seconds = house.store.commit_seconds()
    assert len(seconds) == 2
    assert all(0 < each < SECONDS for each in seconds)
    assert house.store.commit_seconds() == []
