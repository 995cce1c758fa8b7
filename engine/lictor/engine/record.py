"""The record of a match: JSON Lines that anybody can check offline.

The first line is the header, then one line an action, then the footer. Each line carries a `link`, the hash of the
line before it and of itself, so that a changed byte is found in its line; the footer adds the hash of all bytes before
it and, when the house has a key, a signature. Nothing here reads or writes files.
"""

from __future__ import annotations

import collections
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from lictor.engine.chance import ChanceError, LedgerChance, SealedChance, commit
from lictor.engine.game import Game, GameError, Options, Seat, canonical_json

FORMAT = "lictor-record-1"
AnyGame = Game[Any, Any, Any, Any]
TERMINATIONS = (
    "victory", "draw", "draw_agreed", "resignation", "time", "illegal_action", "abandonment", "adjudication",
    "server_abort",
)  # fmt: skip
_BY_THE_GAME = ("victory", "draw")
_LINE_BYTES = 1 << 20
_FILE_BYTES = 1 << 26

_HEADER = {
    "format": str, "game": str, "edition": str, "options": dict, "data": str, "rules_epoch": int, "match": str,
    "seats": dict, "clocks": dict, "commitment": str, "entropies": dict, "draws": list, "link": str,
}  # fmt: skip
_ACTION = {"n": int, "seat": str, "decision": int, "action": str, "think_ms": int, "draws": list, "link": str}
_FOOTER = {
    "termination": dict, "outcome": dict, "secret": str, "digest": str, "sha256": str, "key": str, "signature": str,
    "link": str,
}  # fmt: skip


class RecordError(GameError):
    """A record is malformed or does not hold; `line` says where (from 1), and the text what."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(f"line {line}: {what}")
        self.line = line


@dataclass(frozen=True, slots=True)
class Record:
    """A record as it was read: its lines are whole and unchanged, but nothing has been replayed yet."""

    header: Mapping[str, Any]
    actions: Sequence[Mapping[str, Any]]
    footer: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Verified:
    """What `verify` found to hold."""

    game: str
    match: str
    actions: int
    draws: int
    winner: Seat | None
    reason: str
    signature: str  # `unsigned`, or the key that signed


class Recorder:
    """Plays a game and keeps its record."""

    def __init__(
        self,
        game: AnyGame,
        options: Options,
        *,
        match: str,
        secret: bytes,
        players: Mapping[Seat, str],
        entropies: Mapping[Seat, bytes] | None = None,
        clocks: Mapping[str, Any] | None = None,
    ) -> None:
        given = {seat: (entropies or {}).get(seat, b"") for seat in game.SEATS}
        self.game = game
        self._secret = secret
        self._ledger = LedgerChance(SealedChance(secret, match, list(given.values())))
        self.state = game.new_game(options, self._ledger)
        plain = {name: option.default for name, option in game.OPTIONS.items()} | dict(options)
        self._decisions = dict.fromkeys(game.SEATS, 0)
        self.header: dict[str, Any] = {
            "format": FORMAT,
            "game": game.NAME,
            "edition": str(plain.pop("edition")),
            "options": {name: value for name, value in plain.items() if name != "data"},
            "data": game.catalog(options)["data"],
            "rules_epoch": game.RULES_EPOCH,
            "match": match,
            "seats": dict(players),
            "clocks": dict(clocks or {}),
            "commitment": commit(secret),
            "entropies": {seat: entropy.hex() for seat, entropy in given.items()},
            "draws": self._ledger.take(),
        }
        self.actions: list[dict[str, Any]] = []

    def apply(self, seat: Seat, action: Any, think_ms: int = 0) -> list[Any]:
        """Carry out an action and write it down."""
        events: list[Any] = self.game.apply(self.state, seat, action)
        self._decisions[seat] += 1
        self.actions.append(
            {
                "n": len(self.actions) + 1,
                "seat": seat,
                "decision": self._decisions[seat],
                "action": str(action),
                "think_ms": think_ms,
                "draws": self._ledger.take(),
            }
        )
        return events

    def finish(self, at: str = "", key: Ed25519PrivateKey | None = None) -> bytes:
        """Return the record of a game that has come to its own end."""
        outcome = self.game.outcome(self.state)
        if outcome is None:
            raise GameError("the game is not over: compose the record with its termination instead")
        kind = "draw" if outcome.winner is None else "victory"
        footer = {
            "termination": {"kind": kind, "seat": None, "at": at},
            "outcome": {"winner": outcome.winner, "reason": outcome.reason, "score": dict(outcome.score)},
            "secret": self._secret.hex(),
            "digest": self.game.digest(self.state),
        }
        return compose(self.header, self.actions, footer, key)


def compose(
    header: Mapping[str, Any],
    actions: Sequence[Mapping[str, Any]],
    footer: Mapping[str, Any],
    key: Ed25519PrivateKey | None = None,
) -> bytes:
    """Return the bytes of a record: link the lines, hash them, and sign if there is a key."""
    text, link = b"", ""
    for line in (header, *actions):
        link = _link(link, line)
        text += canonical_json({**line, "link": link}).encode() + b"\n"
    last = {**footer, "sha256": hashlib.sha256(text).hexdigest(), "key": "", "signature": ""}
    if key is not None:
        last["key"] = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()
        last["signature"] = key.sign(_signed_part(last)).hex()
    return text + canonical_json({**last, "link": _link(link, last)}).encode() + b"\n"


def _link(before: str, line: Mapping[str, Any]) -> str:
    return hashlib.sha256(f"{before}\n{canonical_json(line)}".encode()).hexdigest()[:16]


def _signed_part(footer: Mapping[str, Any]) -> bytes:
    """Return what a signature covers: the hash of all before the footer, and the rest of the footer."""
    return canonical_json({name: footer[name] for name in footer if name not in ("signature", "link")}).encode()


def read(content: bytes) -> Record:
    """Read a record whose every byte is in order, or raise `RecordError` with the line."""
    if len(content) > _FILE_BYTES:
        raise RecordError(1, f"the file has {len(content)} bytes; a record has at most {_FILE_BYTES}")
    lines = content.split(b"\n")
    if lines.pop() != b"":
        raise RecordError(len(lines) + 1, "the record does not end with a line end: it was cut off or added to")
    if len(lines) < 2:
        raise RecordError(1, "a record has a header and a footer at least")
    parsed: list[dict[str, Any]] = []
    link = ""
    for number, line in enumerate(lines, 1):
        form = _HEADER if number == 1 else _FOOTER if number == len(lines) else _ACTION
        entry = _parse_line(number, line, form)
        link = _link(link, {name: value for name, value in entry.items() if name != "link"})
        if link != entry["link"]:
            raise RecordError(number, "its bytes do not match its link: this line, or its link, was changed")
        parsed.append(entry)
    header, footer = parsed[0], parsed[-1]
    before = content[: len(content) - len(lines[-1]) - 1]
    if footer["sha256"] != hashlib.sha256(before).hexdigest():
        raise RecordError(
            len(lines), "sha256 is not the hash of the lines before: lines were changed, added or removed"
        )
    if header["format"] != FORMAT:
        raise RecordError(1, f"the format is {header['format']!r:.40}; this reads {FORMAT}")
    return Record(header, parsed[1:-1], footer)


def _parse_line(number: int, line: bytes, form: Mapping[str, type]) -> dict[str, Any]:
    if len(line) > _LINE_BYTES:
        raise RecordError(number, f"the line has {len(line)} bytes; a line has at most {_LINE_BYTES}")
    try:
        entry = json.loads(line.decode("ascii"))
        plain = canonical_json(entry).encode()
    except (ValueError, RecursionError) as error:
        raise RecordError(number, f"not a line of JSON in ASCII: {error!s:.120}") from error
    if not isinstance(entry, dict) or sorted(entry) != sorted(form):
        raise RecordError(number, f"the keys must be {', '.join(sorted(form))}")
    for name, kind in form.items():
        if type(entry[name]) is not kind:
            raise RecordError(number, f"{name} must be {_kind_name(kind)}, not {entry[name]!r:.40}")
    if plain != line:
        raise RecordError(number, "not in canonical form: blanks, order of keys or spelling were changed")
    return entry


def _kind_name(kind: type) -> str:
    return {"dict": "an object", "list": "a list", "str": "a text", "int": "a whole number"}[kind.__name__]


def options_of(record: Record, data: Mapping[str, Any] | None = None) -> dict[str, object]:
    """Return the options a record was played with; `data` where it was not the standard data set."""
    options: dict[str, object] = {"edition": record.header["edition"], **record.header["options"]}
    if data is not None:
        options["data"] = data
    return options


def replay(record: Record, game: AnyGame, data: Mapping[str, Any] | None = None) -> Iterator[tuple[Any, list[Any]]]:
    """Play a record again; yield the state and the events after the set-up and after every action, checking all."""
    header = record.header
    ledger = LedgerChance(_sealed(record, game))
    try:
        options = options_of(record, data)
        has = game.catalog(options)["data"]
        if has != header["data"]:
            raise RecordError(
                1, f"it was played with the data set {header['data']:.16}; this is {has:.16}: give its file"
            )
        state = game.new_game(options, ledger)
    except RecordError:
        raise
    except GameError as error:
        raise RecordError(1, f"it cannot be set up: {error}") from error
    _check_draws(1, header["draws"], ledger)
    yield state, []
    decisions = dict.fromkeys(game.SEATS, 0)
    for n, entry in enumerate(record.actions, 1):
        line, seat = n + 1, entry["seat"]
        if entry["n"] != n:
            raise RecordError(line, f"n is {entry['n']}, not {n}: an action is missing, doubled or out of order")
        try:
            events = game.apply(state, seat, game.parse_action(entry["action"]))
        except GameError as error:
            raise RecordError(line, f"{error}{_epoch_hint(record, game)}") from error
        decisions[seat] += 1
        if entry["decision"] != decisions[seat]:
            raise RecordError(line, f"decision is {entry['decision']}; {seat} was asked {decisions[seat]} times")
        _check_draws(line, entry["draws"], ledger)
        yield state, events


def _sealed(record: Record, game: AnyGame) -> SealedChance:
    header, footer = record.header, record.footer
    last = len(record.actions) + 2
    try:
        secret = bytes.fromhex(footer["secret"])
    except ValueError as error:
        raise RecordError(last, "secret must be hex digits") from error
    if commit(secret) != header["commitment"]:
        raise RecordError(last, "the secret is not the one that was committed to in the header")
    if sorted(header["entropies"]) != sorted(game.SEATS) or sorted(header["seats"]) != sorted(game.SEATS):
        raise RecordError(1, f"seats and entropies must name {' and '.join(game.SEATS)}")
    try:
        entropies = [bytes.fromhex(header["entropies"][seat]) for seat in game.SEATS]
        return SealedChance(secret, header["match"], entropies)
    except (ValueError, TypeError) as error:
        raise RecordError(1, "an entropy must be hex digits") from error
    except ChanceError as error:
        raise RecordError(1, str(error)) from error


def _check_draws(line: int, written: list[Any], ledger: LedgerChance) -> None:
    made = ledger.take()
    if written != made:
        raise RecordError(line, f"the draws are {written!r:.80}; the secret gives {made!r:.80}")


def _epoch_hint(record: Record, game: AnyGame) -> str:
    epoch = record.header["rules_epoch"]
    return (
        "" if epoch == game.RULES_EPOCH else f" (played under rules epoch {epoch}; this engine has {game.RULES_EPOCH})"
    )


def verify(
    content: bytes, find_game: Callable[[str], AnyGame], data: Mapping[str, Any] | None = None, key: str | None = None
) -> Verified:
    """Check everything a record claims, by replaying it; `key` insists on a signature by that public key (hex)."""
    record = read(content)
    header, footer = record.header, record.footer
    last = len(record.actions) + 2
    try:
        game = find_game(header["game"])
    except GameError as error:
        raise RecordError(1, str(error)) from error
    state = collections.deque(replay(record, game, data), maxlen=1)[0][0]
    _check_end(record, game, state, last)
    if footer["digest"] != game.digest(state):
        raise RecordError(last, f"the final digest is not that of the replayed game{_epoch_hint(record, game)}")
    draws = sum(len(entry["draws"]) for entry in (header, *record.actions))
    signature = _check_signature(footer, key, last)
    outcome = footer["outcome"]
    winner, reason = outcome.get("winner"), str(outcome.get("reason"))
    return Verified(game.NAME, header["match"], len(record.actions), draws, winner, reason, signature)


def _check_end(record: Record, game: AnyGame, state: Any, last: int) -> None:
    """Check that the game's own end is as written, and that another end came before it."""
    termination, written = record.footer["termination"], record.footer["outcome"]
    kind, loser = termination.get("kind"), termination.get("seat")
    if kind not in TERMINATIONS:
        raise RecordError(last, f"the termination {kind!r:.40} is none of {', '.join(TERMINATIONS)}")
    if loser is not None and loser not in game.SEATS:
        raise RecordError(last, f"the termination names the seat {loser!r:.40}")
    reached = game.outcome(state)
    if kind in _BY_THE_GAME:
        if reached is None:
            raise RecordError(last, f"it says {kind}, but the replayed game is not over")
        found = {"winner": reached.winner, "reason": reached.reason, "score": dict(reached.score)}
        if written != found or (kind == "draw") != (reached.winner is None):
            raise RecordError(last, f"it says {kind} {written!r:.80}; the replayed game ends {found!r:.80}")
    elif reached is not None:
        raise RecordError(last, f"it says {kind}, but the replayed game had come to its own end")
    elif loser is not None and written.get("winner") == loser:
        raise RecordError(last, f"{loser} cannot win by his own {kind}")


def _check_signature(footer: Mapping[str, Any], key: str | None, last: int) -> str:
    if not footer["signature"] and not footer["key"]:
        if key is not None:
            raise RecordError(last, "it is unsigned, and a signature was asked for")
        return "unsigned"
    if key is not None and footer["key"] != key.lower():
        raise RecordError(last, f"it is signed by {footer['key']:.16}, not by the key asked for")
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(footer["key"]))
        public.verify(bytes.fromhex(footer["signature"]), _signed_part(footer))
    except (InvalidSignature, ValueError) as error:
        raise RecordError(last, "the signature does not match") from error
    return str(footer["key"])
