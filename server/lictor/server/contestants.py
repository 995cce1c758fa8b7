"""Who plays: a house bot, a class in a file, or any program. Each is started as a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

_STOP_S = 5.0
_TAIL = 20  # lines
_TAIL_BYTES, _LINE_LENGTH = 65_536, 600


class BadContestant(Exception):
    """A bot was named that cannot be started; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """A bot that can be started: what it is called, and its command line."""

    label: str
    command: tuple[str, ...]


def contestant(bot: str | None, program: str | None = None) -> Contestant:
    """Return whom a command line names: a house bot, `file.py:Class`, or any program."""
    if bot is None and program is None:
        raise BadContestant("name a bot: a house name, file.py:Class, or a program with --exec")
    if bot is not None and program is not None:
        raise BadContestant(f"name one of the two, the bot {bot!r} or the program {program!r}")
    if bot is not None:
        path, colon, name = bot.rpartition(":")
        if colon and not Path(path).is_file():
            raise BadContestant(f"there is no file {path}; a bot of your own is named file.py:Class")
        if not colon and bot.endswith(".py"):
            raise BadContestant(
                f"say which class of {bot} is the bot: {bot}:MyBot; or run it with --exec 'python {bot}'"
            )
        return Contestant(name if colon else bot, (sys.executable, "-m", "lictor.bots", bot))
    assert program is not None
    try:
        words = shlex.split(program)
    except ValueError as error:
        raise BadContestant(f"--exec {program!r}: {error}") from error
    if not words:
        raise BadContestant("--exec is empty; give a command line such as 'node bot.js'")
    # A program is known by the script it runs, if there is one among its words.
    script = next((word for word in words[1:] if Path(word).is_file()), words[0])
    return Contestant(Path(script).stem or words[0], tuple(words))


class Started:
    """A contestant that runs, with what it says kept in a file."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self.process, self.log = process, log

    @property
    def ended(self) -> str:
        """Return how the process ended, in words, or nothing while it runs."""
        code = self.process.returncode
        if code is None:
            return ""
        if code >= 0:
            return f"exit code {code}"
        with contextlib.suppress(ValueError):
            return f"killed by {signal.Signals(-code).name}"
        return f"killed by signal {-code}"

    def tail(self) -> list[str]:
        """Return the last lines it has said, fit to be printed whatever they are."""
        try:
            with self.log.open("rb") as said:
                said.seek(max(0, self.log.stat().st_size - _TAIL_BYTES))
                text = said.read(_TAIL_BYTES).decode("utf-8", "replace")
        except OSError:
            return []
        return [_printable(line) for line in text.splitlines()[-_TAIL:]]

    def ask_to_end(self) -> None:
        """Tell it, and whatever it has started, to end; the end of the block waits for it."""
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGTERM)


def _printable(line: str) -> str:
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in line[:_LINE_LENGTH])


@asynccontextmanager
async def started(who: Contestant, environment: Mapping[str, str], log: Path) -> AsyncIterator[Started]:
    """Run a contestant while the block runs; then end it, and whatever it has started.

    `environment` is what a bot is told: LICTOR_TARGET, LICTOR_TOKEN, LICTOR_GAME, LICTOR_SEED.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as said:
        try:
            process = await asyncio.create_subprocess_exec(
                *who.command,
                env={**os.environ, **environment},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,  # Ctrl-C is for us, who then end it in order
            )
        except OSError as error:
            raise BadContestant(f"{who.command[0]} cannot be started: {error.strerror}") from error
    try:
        yield Started(process, log)
    finally:
        await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_STOP_S):
                await process.wait()
            # Children that outlived it have its group still.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            return
