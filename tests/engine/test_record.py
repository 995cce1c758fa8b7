"""Records: what was played can be checked by anybody, and a changed byte is found where it is."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from lictor.engine import julius_caesar, record, registry
from lictor.engine.chance import SeededChance, derive_secret
from lictor.engine.game import GameError, canonical_json
from lictor.engine.record import RecordError

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*.jsonl"))
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))


def play(seed: int = 1, key: Ed25519PrivateKey | None = None, **options: object) -> bytes:
    game = julius_caesar
    recorder = record.Recorder(
        game,
        options,
        match=f"match-{seed}",
        secret=derive_secret("test", str(seed)),
        players={"caesar": "one", "pompey": "two"},
        entropies={"pompey": b"salt"},
    )
    choose = SeededChance(seed)
    while seats := game.to_act(recorder.state):
        actions = game.legal_actions(recorder.state, seats[0])
        recorder.apply(seats[0], actions[choose.draw(len(actions))], think_ms=choose.draw(50))
    return recorder.finish("2026-01-01T00:00:00Z", key)


RECORD = play()


def forged(change: Callable[[list[dict[str, Any]]], None], content: bytes = RECORD) -> bytes:
    """Change lines and make all links and hashes right again, as a forger would."""
    lines = [json.loads(line) for line in content.splitlines()]
    change(lines)
    text, link = b"", ""
    for number, line in enumerate(lines):
        line.pop("link", None)
        if number == len(lines) - 1:
            line["sha256"] = hashlib.sha256(text).hexdigest()
        link = hashlib.sha256(f"{link}\n{canonical_json(line)}".encode()).hexdigest()[:16]
        text += canonical_json({**line, "link": link}).encode() + b"\n"
    return text


def check(content: bytes) -> record.Verified:
    return record.verify(content, registry.get)


def test_a_record_holds() -> None:
    found = check(RECORD)
    assert (found.game, found.match, found.signature) == ("julius_caesar", "match-1", "unsigned")
    assert found.draws > 60
    assert forged(lambda lines: None) == RECORD


def test_the_same_game_gives_the_same_bytes() -> None:
    assert play() == RECORD
    assert play(2) != RECORD


@pytest.mark.parametrize("edition", ["2.0", "1.x"])
@pytest.mark.parametrize("deployment", ["historical", "free"])
def test_records_of_every_kind_of_game_hold(edition: str, deployment: str) -> None:
    assert check(play(5, edition=edition, deployment=deployment)).actions > 100


def test_a_changed_byte_is_found_in_its_line() -> None:
    """Every byte of the header, the footer and some actions, and a sample of all the others."""
    ends = [number for number, byte in enumerate(RECORD) if byte == 10]
    header, footer = range(ends[0] + 1), range(ends[-2] + 1, len(RECORD))
    places = {*header, *range(ends[0], ends[4]), *footer, *range(0, len(RECORD), 97)}
    for place in sorted(places):
        for flip in (1, 32):
            changed = bytearray(RECORD)
            changed[place] ^= flip
            line = 1 + RECORD.count(b"\n", 0, place)
            with pytest.raises(RecordError) as caught:
                check(bytes(changed))
            # A broken or new line end moves the place by one line at the most.
            assert abs(caught.value.line - line) <= (RECORD[place] == 10 or changed[place] == 10), place
            assert str(caught.value).startswith(f"line {caught.value.line}: ")


@pytest.mark.parametrize("cut", [1, 2, 40, 4000])
def test_a_record_cut_short_is_refused(cut: int) -> None:
    with pytest.raises(RecordError):
        check(RECORD[:-cut])
    with pytest.raises(RecordError):
        check(RECORD[cut:])


def test_a_line_added_removed_or_moved_is_found() -> None:
    lines = RECORD.splitlines(keepends=True)
    for changed in (lines[:5] + lines[6:], lines[:5] + lines[4:], [*lines[:5], lines[6], lines[5], *lines[7:]]):
        with pytest.raises(RecordError, match=r"line [67]: "):
            check(b"".join(changed))
    with pytest.raises(RecordError):
        check(RECORD + lines[-1])
    with pytest.raises(RecordError):
        check(RECORD + b"\n")


def first_fire(lines: list[dict[str, Any]]) -> int:
    return next(number for number, line in enumerate(lines) if str(line.get("action")).startswith("fire"))


def set_value(line: int, *path: str, value: object) -> Callable[[list[dict[str, Any]]], None]:
    def change(lines: list[dict[str, Any]]) -> None:
        place: Any = lines[line]
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value

    return change


def better_dice(lines: list[dict[str, Any]]) -> None:
    draws = lines[first_fire(lines)]["draws"]
    draws[0][1] = (draws[0][1] + 1) % 6


def drop_action(lines: list[dict[str, Any]]) -> None:
    del lines[7]
    for n, line in enumerate(lines[1:-1], 1):
        line["n"] = n


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (better_dice, "the secret gives"),
        (drop_action, "line 8"),
        (set_value(0, "draws", value=[]), "line 1: the draws are"),
        (set_value(0, "commitment", value="0" * 64), "not the one that was committed"),
        (set_value(0, "match", value="another"), "line 1: the draws are"),
        (set_value(0, "entropies", "caesar", value="00"), "line 1: the draws are"),
        (set_value(0, "entropies", "caesar", value="zz"), "entropy must be lower-case hex"),
        (set_value(0, "entropies", "caesar", value="00" * 33), "entropy has 33 bytes"),
        (set_value(0, "entropies", value={}), "must name caesar and pompey"),
        (set_value(0, "game", value="chess"), "there is no game 'chess'"),
        (set_value(0, "edition", value="3.0"), "may not be '3.0'"),
        (set_value(0, "options", value={"colour": "red"}), "nothing else"),
        (set_value(0, "data", value="0" * 64), "played with the data set 0000"),
        (set_value(0, "format", value="lictor-record-9"), "this reads lictor-record-1"),
        (set_value(3, "n", value=9), "n is 9, not 3"),
        (set_value(3, "seat", value="nobody"), "no seat"),
        (set_value(3, "decision", value=5), "decision is 5"),
        (set_value(3, "action", value="play 99"), "line 4: "),
        (set_value(3, "action", value="end_moves"), "may not end_moves"),
        (set_value(-1, "secret", value="00" * 32), "not the one that was committed"),
        (set_value(-1, "secret", value="hush"), "hex digits"),
        (set_value(-1, "secret", value="AA" * 32), "lower-case hex digits"),
        (set_value(-1, "digest", value="0" * 64), "final digest"),
        (set_value(-1, "outcome", "winner", value=None), "the replayed game ends"),
        (set_value(-1, "outcome", "reason", value="charm"), "the replayed game ends"),
        (set_value(-1, "termination", "kind", value="resignation"), "had come to its own end"),
        (set_value(-1, "termination", "kind", value="magic"), "none of victory"),
        (set_value(-1, "termination", "seat", value="crassus"), "no seat 'crassus'"),
        (set_value(-1, "outcome", "winner", value=["caesar"]), "no seat ['caesar']"),
        (set_value(-1, "outcome", "score", value={"caesar": 0.0, "pompey": 0.0}), "the replayed game ends"),
        (set_value(-1, "outcome", value={}), "an outcome has winner"),
        (set_value(0, "options", value={}), "must name deployment and nothing else"),
        (set_value(0, "options", value={"deployment": "historical", "edition": "1.x"}), "nothing else"),
        (set_value(0, "options", value={"deployment": "historical", "data": {}}), "nothing else"),
        (set_value(0, "match", value="\udc80"), "cannot be the name"),
        (set_value(0, "match", value="\x1b[2J"), "cannot be the name"),
        (set_value(0, "seats", "caesar", value=None), "cannot be the name"),
        (set_value(3, "think_ms", value=-1), "less than nothing"),
    ],
)
def test_a_forger_who_mends_the_hashes_is_found_by_the_replay(
    change: Callable[[list[dict[str, Any]]], None], told: str
) -> None:
    with pytest.raises(RecordError) as caught:
        check(forged(change))
    assert told in str(caught.value)


def test_a_match_that_ended_early_is_checked_as_such() -> None:
    def resign(lines: list[dict[str, Any]]) -> None:
        del lines[40:-1]
        states = record.replay(record.Record(lines[0], lines[1:-1], lines[-1]), julius_caesar)
        digest = [julius_caesar.digest(state) for state, _ in states][-1]
        termination = {"kind": "resignation", "seat": "caesar", "at": ""}
        outcome = {"winner": "pompey", "reason": "resignation", "score": {}}
        lines[-1].update(termination=termination, digest=digest, outcome=outcome)

    def resign_and_win(lines: list[dict[str, Any]]) -> None:
        resign(lines)
        lines[-1]["outcome"]["winner"] = "caesar"

    found = check(forged(resign))
    assert (found.winner, found.actions) == ("pompey", 39)
    with pytest.raises(RecordError, match="needs the seat that lost by it"):
        check(forged(resign_and_win))
    for kind, seat, winner in (
        ("time", None, "pompey"),
        ("time", "caesar", None),
        ("draw_agreed", None, "pompey"),
        ("server_abort", None, "caesar"),
    ):

        def odd(
            lines: list[dict[str, Any]], kind: str = kind, seat: str | None = seat, won: str | None = winner
        ) -> None:
            resign(lines)
            lines[-1]["termination"].update(kind=kind, seat=seat)
            lines[-1]["outcome"]["winner"] = won

        with pytest.raises(RecordError, match=r"needs the seat|nobody wins"):
            check(forged(odd))
    with pytest.raises(RecordError, match="not over"):
        check(forged(lambda lines: lines.__delitem__(slice(40, -1))))


def test_a_signature_covers_what_a_replay_cannot_know() -> None:
    signed = play(key=KEY)
    found = check(signed)
    assert found.signature == KEY.public_key().public_bytes_raw().hex()
    for change in (set_value(3, "think_ms", value=7), set_value(-1, "termination", "at", value="later")):
        check(forged(change))  # unsigned, nobody can tell
        with pytest.raises(RecordError, match="signature does not match"):
            check(forged(change, signed))


def test_a_signature_can_be_insisted_on() -> None:
    signed = play(key=KEY)
    mine = KEY.public_key().public_bytes_raw().hex()
    record.verify(signed, registry.get, key=mine)
    with pytest.raises(RecordError, match="unsigned"):
        record.verify(RECORD, registry.get, key=mine)
    with pytest.raises(RecordError, match="not by the key asked for"):
        record.verify(signed, registry.get, key="00" * 32)
    with pytest.raises(RecordError, match="signature does not match"):
        check(forged(set_value(-1, "key", value="00"), signed))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"{}\n{}\n",
        b"[" * 100_000 + b"\n{}\n",
        b'{"n":' + b"9" * 10_000 + b"}\n{}\n",
        b"\xff\xfe\n\xff\n",
        b"\x00" * 1000 + b"\n\n",
        b"x" * (1 << 21) + b"\nx\n",
        "schön\nwär's\n".encode(),
        RECORD.replace(b":", b": ", 1),
        RECORD.replace(b'"seats"', b'"seats":1,"seats"', 1),
        RECORD.replace(b"think_ms", b"think_us", 1),
        RECORD.replace(b'"think_ms":', b'"think_ms":1.5e', 1),
        RECORD.replace(b'"think_ms":', b'"think_ms":true,"x":', 1),
    ],
)
def test_garbage_is_refused_with_its_line(content: bytes) -> None:
    with pytest.raises(RecordError, match=r"^line \d+: ") as caught:
        check(content)
    assert len(str(caught.value)) < 400


def test_another_rules_epoch_is_named_when_the_replay_fails() -> None:
    def older(lines: list[dict[str, Any]]) -> None:
        lines[0]["rules_epoch"] = 0

    check(forged(older))  # the replay is identical, so it goes on

    def older_and_different(lines: list[dict[str, Any]]) -> None:
        older(lines)
        lines[3]["action"] = "end_moves"

    with pytest.raises(RecordError, match="rules epoch 0; this engine has 1"):
        check(forged(older_and_different))


def test_a_game_that_is_not_over_has_no_footer_yet() -> None:
    recorder = record.Recorder(julius_caesar, {}, match="m", secret=bytes(32), players={"caesar": "", "pompey": ""})
    with pytest.raises(GameError, match="not over"):
        recorder.finish()


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_records_still_hold(path: Path) -> None:
    assert check(path.read_bytes()).signature == "unsigned"


def test_there_are_golden_records() -> None:
    assert len(GOLDEN) >= 4
