"""Play a game and keep its record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from lictor.engine.chance import LedgerChance, SealedChance, commit
from lictor.engine.game import AnyGame, GameError, Options, Outcome, Seat
from lictor.engine.record.lines import FORMAT, compose


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
        data: str | None = None,
    ) -> None:
        """Set up a game. `data` is the hash of its data set, where the caller knows it: finding it takes a while."""
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
            "data": data or game.catalog(options)["data"],
            "rules_epoch": game.RULES_EPOCH,
            "match": match,
            "seats": dict(players),
            "clocks": dict(clocks or {}),
            "commitment": commit(secret),
            "entropies": {seat: entropy.hex() for seat, entropy in given.items()},
            "draws": self._ledger.take(),
        }
        self._played: list[tuple[Seat, int, str, int, list[list[int]]]] = []
        self.draws: list[list[int]] = self.header["draws"]  # made by the last action, or by the set-up

    def apply(self, seat: Seat, action: Any, think_ms: int = 0) -> list[Any]:
        """Carry out an action and write it down."""
        events: list[Any] = self.game.apply(self.state, seat, action)
        self._decisions[seat] += 1
        self.draws = self._ledger.take()
        self._played.append((seat, self._decisions[seat], str(action), think_ms, self.draws))
        return events

    def __len__(self) -> int:
        return len(self._played)

    @property
    def actions(self) -> list[dict[str, Any]]:
        """The lines of the actions so far."""
        return [
            {"n": n, "seat": seat, "decision": decision, "action": action, "think_ms": think_ms, "draws": draws}
            for n, (seat, decision, action, think_ms, draws) in enumerate(self._played, 1)
        ]

    def finish(
        self,
        at: str = "",
        key: Ed25519PrivateKey | None = None,
        *,
        termination: str | None = None,
        seat: Seat | None = None,
        winner: Seat | None = None,
        score: Mapping[Seat, int] | None = None,
    ) -> bytes:
        """Return the record of a game that has come to its own end, or else to the `termination` that is given."""
        outcome = self.game.outcome(self.state)
        if outcome is not None:
            termination, seat = "draw" if outcome.winner is None else "victory", None
        elif termination is not None:
            outcome = Outcome(winner, termination, score or {})
        else:
            raise GameError("the game is not over: say how it was terminated")
        footer = {
            "termination": {"kind": termination, "seat": seat, "at": at},
            "outcome": {"winner": outcome.winner, "reason": outcome.reason, "score": dict(outcome.score)},
            "secret": self._secret.hex(),
            "digest": self.game.digest(self.state),
        }
        return compose(self.header, self.actions, footer, key)
