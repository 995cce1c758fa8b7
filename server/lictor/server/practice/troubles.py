"""What can go wrong in practice: each kind has a name, a text, and a hint what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lictor.server.practice.plan import Side

HUNG_AFTER = 3  # games in a row


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why practice stopped before all games were played."""

    kind: str
    who: Side | None  # whose trouble it is; `None`: nobody's who plays
    text: str
    hint: str
    log: Path | None = None
    said: Sequence[str] = field(default=())  # the last lines of that log

    def figures(self) -> dict[str, Any]:
        """Return it for a program to read."""
        return {
            "kind": self.kind,
            "who": self.who,
            "text": self.text,
            "hint": self.hint,
            "log": str(self.log) if self.log else None,
            "said": list(self.said),
        }


@dataclass(frozen=True, slots=True)
class Suspect:
    """A side that something is wrong with: what practice knows of it."""

    side: Side
    name: str
    log: Path
    said: Sequence[str]
    turned_away: str = ""  # what the server refused of late, in words


def not_started(who: Suspect, why: str) -> Trouble:
    """Return the trouble with a program that cannot be run at all."""
    hint = "check the command line: it is run as it stands, without a shell, from the folder you are in"
    return _trouble("not_started", who, f"{who.name} was not started: {why}", hint)


def ended(who: Suspect, how: str, *, in_match: bool, connected: bool, played: int, wanted: int) -> Trouble:
    """Return the trouble with a process that is gone: it crashed in mid-match, or left between matches."""
    if in_match:
        text = f"{who.name} ended in mid-match ({how}); it forfeits what was open"
        return _trouble("crashed", who, text, _look(who, "see what it said last"))
    if not connected:
        text = f"{who.name} ended before it had connected ({how})"
        return _trouble("exited", who, text, _look(who, "see what it said last"))
    text = f"{who.name} left after {played} of {wanted} games ({how})"
    in_order = "let it seek matches without end: practice stops it by itself"
    hint = in_order if how == "exit code 0" else "see what it said last"
    return _trouble("exited", who, text, _look(who, hint))


def never_connected(who: Suspect, seconds: float) -> Trouble:
    """Return the trouble with a program that runs and does not come."""
    text = f"{who.name} runs, but has not connected within {seconds:g} s"
    hint = (
        "a bot connects to $LICTOR_TARGET and says Hello with $LICTOR_TOKEN (lictor.client does both by itself if "
        "run() is given no server, and in a file.py:Class it belongs below if __name__ == '__main__'); --patience "
        "waits longer"
    )
    return _trouble("never_connected", who, text + _refused(who), _look(who, hint))


def disconnected(who: Suspect, seconds: float) -> Trouble:
    """Return the trouble with a program that was here and does not come back."""
    text = f"{who.name} runs, but its stream is gone, and it has not connected again within {seconds:g} s"
    return _trouble("disconnected", who, text + _refused(who), _look(who, "a bot connects again when its stream ends"))


def not_seeking(who: Suspect, seconds: float, game: str) -> Trouble:
    """Return the trouble with a bot that is here and wants no match."""
    text = f"{who.name} is connected, but for {seconds:g} s it has neither sought a match nor accepted a challenge"
    hint = (
        f"a bot sends Seek with the game {game!r}, as $LICTOR_GAME says; with lictor.client: run(MyBot, seek={game!r})"
    )
    return _trouble("not_seeking", who, text + _refused(who), _look(who, hint))


def hung(who: Suspect) -> Trouble:
    """Return the trouble with a bot that does not answer."""
    text = f"{who.name} lost {HUNG_AFTER} games in a row because it did not answer in time"
    return _trouble("hung", who, text, _look(who, "find out what it waits for, or give it a longer --clock"))


def server_failed(why: str) -> Trouble:
    """Return the trouble with the server itself."""
    return Trouble(
        "server_failed", None, f"the server could not go on: {why}", "is the disk full, or the machine busy?"
    )


def interrupted() -> Trouble:
    """Return that somebody wanted no more."""
    return Trouble("interrupted", None, "stopped by a signal", "the same command plays the same games again")


def _trouble(kind: str, who: Suspect, text: str, hint: str) -> Trouble:
    return Trouble(kind, who.side, text, hint, who.log, who.said)


def _look(who: Suspect, hint: str) -> str:
    return f"{hint}; its output is in {who.log}" if who.said else f"{hint}; it has said nothing"


def _refused(who: Suspect) -> str:
    return f"; the server refused what it sent: {who.turned_away}" if who.turned_away else ""
