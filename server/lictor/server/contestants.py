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


class BadContestant(Exception):
    """A bot was named that cannot be started; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """A bot that can be started: what it is called, and its command line."""

    label: str
    command: tuple[str, ...]


def contestant(bot: str | None, program: str | None = None) -> Contestant:
    """Return whom a command line names: a house bot, `file.py:Class`, or any program."""
    if (bot is None) == (program is None):
        raise BadContestant("name a bot: a house name, file.py:Class, or a program with --exec")
    if bot is not None:
        path, colon, name = bot.rpartition(":")
        if colon and not Path(path).is_file():
            raise BadContestant(f"there is no file {path}; a bot of your own is named file.py:Class")
        return Contestant(name if colon else bot, (sys.executable, "-m", "lictor.bots", bot))
    assert program is not None
    try:
        words = shlex.split(program)
    except ValueError as error:
        raise BadContestant(f"--exec {program!r}: {error}") from error
    if not words:
        raise BadContestant("--exec is empty; give a command line such as 'node bot.js'")
    return Contestant(Path(words[-1]).stem or words[0], tuple(words))


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
        return f"exit code {code}" if code >= 0 else f"killed by {signal.Signals(-code).name}"

    def tail(self) -> list[str]:
        """Return the last lines it has said."""
        with contextlib.suppress(OSError):
            return self.log.read_text("utf-8", "replace").splitlines()[-_TAIL:]
        return []


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
