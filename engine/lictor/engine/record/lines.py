"""The form of a record: its lines, how they are linked, hashed and signed, and how they are read."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from lictor.engine.game import GameError, canonical_json

FORMAT = "lictor-record-1"
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
_HEX = re.compile(r"(?:[0-9a-f]{2})*")
_NAME_LENGTH = 200


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


def compose(
    header: Mapping[str, Any],
    actions: Sequence[Mapping[str, Any]],
    footer: Mapping[str, Any],
    key: Ed25519PrivateKey | None = None,
) -> bytes:
    """Return the bytes of a record: link the lines, hash them, and sign if there is a key."""
    lines, link = [], ""
    for line in (header, *actions):
        link = _link(link, line)
        lines.append(canonical_json({**line, "link": link}).encode() + b"\n")
    text = b"".join(lines)
    last = {**footer, "sha256": hashlib.sha256(text).hexdigest(), "key": "", "signature": ""}
    if key is not None:
        last["key"] = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()
        last["signature"] = key.sign(signed_part(last)).hex()
    return text + canonical_json({**last, "link": _link(link, last)}).encode() + b"\n"


def _link(before: str, line: Mapping[str, Any]) -> str:
    return hashlib.sha256(f"{before}\n{canonical_json(line)}".encode()).hexdigest()[:16]


def signed_part(footer: Mapping[str, Any]) -> bytes:
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
    _check_words(header, footer, len(lines))
    return Record(header, parsed[1:-1], footer)


def _check_words(header: Mapping[str, Any], footer: Mapping[str, Any], last: int) -> None:
    """Refuse names that cannot be printed, and hex that is not plain: they may be shown, or hashed, elsewhere."""
    players = header["seats"].values()
    for name in (header["game"], header["match"], header["edition"], *header["seats"], *players):
        if not isinstance(name, str) or len(name) > _NAME_LENGTH or not name.isprintable():
            raise RecordError(1, f"{name!r:.60} cannot be the name of a game, a match, a seat or a player")
    for name in ("commitment", "data"):
        if not _HEX.fullmatch(header[name]):
            raise RecordError(1, f"{name} must be lower-case hex digits")
    for entropy in header["entropies"].values():
        if not isinstance(entropy, str) or not _HEX.fullmatch(entropy):
            raise RecordError(1, "an entropy must be lower-case hex digits")
    for name in ("secret", "digest", "key", "signature"):
        if not _HEX.fullmatch(footer[name]):
            raise RecordError(last, f"{name} must be lower-case hex digits")


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
    if entry.get("think_ms", 0) < 0:
        raise RecordError(number, f"think_ms is {entry['think_ms']!r:.40}, less than nothing")
    if plain != line:
        raise RecordError(number, "not in canonical form: blanks, order of keys or spelling were changed")
    return entry


def _kind_name(kind: type) -> str:
    return {"dict": "an object", "list": "a list", "str": "a text", "int": "a whole number"}[kind.__name__]
