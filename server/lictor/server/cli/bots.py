"""House bots as processes of their own: the server starts them, and never imports them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import click

from lictor.server.accounts import Accounts

HOUSE = "house"
_STOP_S = 5.0


def command_of(name: str, server: str, *arguments: str) -> list[str]:
    """Return the command line that runs a house bot."""
    return [sys.executable, "-m", "lictor.bots", name, "--server", server, *arguments]


@click.command("bot", context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def bot(arguments: tuple[str, ...]) -> None:
    """Run a house bot: lictor bot random --server HOST:PORT. See lictor bot --help."""
    os.execv(sys.executable, [sys.executable, "-m", "lictor.bots", *arguments])  # noqa: S606


def house_token(accounts: Accounts, bot: str) -> str:
    """Return a fresh token for a house bot; none is needed in dev mode."""
    if accounts.dev:
        return ""
    return accounts.house_token(HOUSE, bot)


@asynccontextmanager
async def running_bots(commands: Sequence[tuple[list[str], str]]) -> AsyncIterator[list[asyncio.subprocess.Process]]:
    """Run bots, each a command and its token, while the block runs; then end them."""
    processes: list[asyncio.subprocess.Process] = []
    try:
        for command, token in commands:
            environment = {**os.environ, **({"LICTOR_TOKEN": token} if token else {})}
            # Its own group: Ctrl-C is for the server, which then ends its bots in order.
            processes.append(await asyncio.create_subprocess_exec(*command, env=environment, start_new_session=True))
        yield processes
    finally:
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
        for process in processes:
            try:
                async with asyncio.timeout(_STOP_S):
                    await process.wait()
            except TimeoutError:
                process.kill()
                await process.wait()
