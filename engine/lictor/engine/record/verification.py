"""Check what a record claims: replay it, recompute its dice, compare its end."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from lictor.engine.chance import ChanceError, LedgerChance, SealedChance, commit
from lictor.engine.game import AnyGame, GameError, Seat, canonical_json
from lictor.engine.record.lines import Record, RecordError, read, signed_part

TERMINATIONS = (
    "victory", "draw", "draw_agreed", "resignation", "time", "illegal_action", "abandonment", "adjudication",
    "server_abort",
)  # fmt: skip
_BY_THE_GAME = ("victory", "draw")
_BY_A_SEAT = ("resignation", "time", "illegal_action", "abandonment")
_BY_NOBODY = ("draw_agreed", "server_abort")


@dataclass(frozen=True, slots=True)
class Verified:
    """What `verify` found to hold."""

    game: str
    match: str
    actions: int
    draws: int
    winner: Seat | None
    reason: str
    data: str  # the data set it was played with
    signature: str  # `unsigned`, or the key that signed


def options_of(record: Record, game: AnyGame, data: Mapping[str, Any] | None = None) -> dict[str, object]:
    """Return the options a record was played with; `data` where it was not the standard data set."""
    named = {name for name in game.OPTIONS if name not in ("edition", "data")}
    if set(record.header["options"]) != named:
        raise RecordError(1, f"options must name {', '.join(sorted(named)) or 'nothing'} and nothing else")
    options: dict[str, object] = {"edition": record.header["edition"], **record.header["options"]}
    if data is not None:
        options["data"] = data
    return options


def replay(record: Record, game: AnyGame, data: Mapping[str, Any] | None = None) -> Iterator[tuple[Any, list[Any]]]:
    """Play a record again; yield the state and the events after the set-up and after every action, checking all.

    It is one state that goes on: copy it to keep it.
    """
    header = record.header
    ledger = LedgerChance(_sealed(record, game))
    try:
        options = options_of(record, game, data)
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
    secret = bytes.fromhex(footer["secret"])
    if commit(secret) != header["commitment"]:
        raise RecordError(last, "the secret is not the one that was committed to in the header")
    if sorted(header["entropies"]) != sorted(game.SEATS) or sorted(header["seats"]) != sorted(game.SEATS):
        raise RecordError(1, f"seats and entropies must name {' and '.join(game.SEATS)}")
    try:
        entropies = [bytes.fromhex(header["entropies"][seat]) for seat in game.SEATS]
        return SealedChance(secret, header["match"], entropies)
    except ChanceError as error:
        raise RecordError(1, str(error)) from error


def _check_draws(line: int, written: list[Any], ledger: LedgerChance) -> None:
    made = ledger.take()
    if canonical_json(written) != canonical_json(made):
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
    return Verified(
        game.NAME,
        header["match"],
        len(record.actions),
        draws,
        outcome["winner"],
        outcome["reason"],
        header["data"],
        signature,
    )


def _check_end(record: Record, game: AnyGame, state: Any, last: int) -> None:
    """Check that the game's own end is as written, and that another end came before it."""
    termination, written = record.footer["termination"], record.footer["outcome"]
    if sorted(termination) != ["at", "kind", "seat"] or sorted(written) != ["reason", "score", "winner"]:
        raise RecordError(last, "a termination has kind, seat and at; an outcome has winner, reason and score")
    kind, seat, winner = termination["kind"], termination["seat"], written["winner"]
    if kind not in TERMINATIONS:
        raise RecordError(last, f"the termination {kind!r:.40} is none of {', '.join(TERMINATIONS)}")
    for named in (seat, winner):
        if named is not None and named not in game.SEATS:
            raise RecordError(last, f"there is no seat {named!r:.40}")
    reached = game.outcome(state)
    if kind in _BY_THE_GAME:
        if reached is None:
            raise RecordError(last, f"it says {kind}, but the replayed game is not over")
        found = {"winner": reached.winner, "reason": reached.reason, "score": dict(reached.score)}
        if canonical_json(written) != canonical_json(found) or (kind == "draw") != (reached.winner is None):
            raise RecordError(last, f"it says {kind} {written!r:.80}; the replayed game ends {found!r:.80}")
        return
    if reached is not None:
        raise RecordError(last, f"it says {kind}, but the replayed game had come to its own end")
    if written["score"] not in ({}, dict(game.score(state))):
        raise RecordError(last, f"it says the score is {written['score']!r:.60}; it is {dict(game.score(state))!r:.60}")
    if kind in _BY_A_SEAT and (seat is None or winner is None or winner == seat):
        raise RecordError(last, f"{kind} needs the seat that lost by it, and another that won")
    if kind in _BY_NOBODY and winner is not None:
        raise RecordError(last, f"nobody wins by {kind}")


def _check_signature(footer: Mapping[str, Any], key: str | None, last: int) -> str:
    if not footer["signature"] and not footer["key"]:
        if key is not None:
            raise RecordError(last, "it is unsigned, and a signature was asked for")
        return "unsigned"
    if key is not None and footer["key"] != key.lower():
        raise RecordError(last, f"it is signed by {footer['key']:.16}, not by the key asked for")
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(footer["key"]))
        public.verify(bytes.fromhex(footer["signature"]), signed_part(footer))
    except (InvalidSignature, ValueError) as error:
        raise RecordError(last, "the signature does not match") from error
    return str(footer["key"])
