"""`python -m lictor.bots BOT --server HOST:PORT`: run a bot until it is told to stop."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import os
import random
import signal
import sys
import time
from typing import Any

from lictor.bots.files import BadBot
from lictor.bots.registry import NAMES, AnyBot, listed, load
from lictor.client import Actions, AsyncBot, Bot, LictorError, run


class _List(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(*NAMES, sep="\n")  # noqa: T201
        parser.exit()


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line, and the environment where it says nothing."""
    parser = argparse.ArgumentParser(
        prog="python -m lictor.bots",
        description="Run a bot of the house, or one of your own.",
        epilog="Its token, if the server wants one, comes from the environment: LICTOR_TOKEN.",
    )
    parser.add_argument("bot", help=f"a house bot: {listed()}; or file.py:Class")
    parser.add_argument("--list", action=_List, nargs=0, help="print the house bots, the weakest first")
    parser.add_argument("--server", metavar="HOST:PORT", help="default: $LICTOR_TARGET, or localhost:50051")
    parser.add_argument("--name", help="the name it plays under; default: the one its token is for, or the bot's")
    parser.add_argument("--game", help="default: $LICTOR_GAME, or julius_caesar")
    parser.add_argument("--matches", type=int, default=0, help="stop after so many; default: never")
    parser.add_argument("--max-matches", type=int, default=8, help="so many at once; default: 8")
    parser.add_argument("--seed", help="answer the same questions in the same way every time; default: $LICTOR_SEED")
    parser.add_argument("--pace", type=float, default=0.0, help="seconds to wait before every answer; default: 0")
    given = parser.parse_args(arguments)
    given.game = given.game or os.environ.get("LICTOR_GAME") or "julius_caesar"
    try:
        seed = given.seed or os.environ.get("LICTOR_SEED")
        given.seed = int(seed) if seed else None
    except ValueError:
        parser.error(f"a seed is a whole number, not {seed!r:.40}")
    return given


def paced(bot: AnyBot, seconds: float) -> AnyBot:
    """Return the bot, slowed down so that people can follow."""
    if not seconds:
        return bot
    if issubclass(bot, AsyncBot):
        return _paced_async(bot, seconds)
    return _paced(bot, seconds)


def _paced(bot: type[Bot], seconds: float) -> type[Bot]:
    class Paced(bot):  # type: ignore[valid-type, misc]
        """Waits before every answer."""

        def decide(self, view: Any, actions: Actions) -> Any:
            """Wait, then decide."""
            time.sleep(seconds)
            return super().decide(view, actions)

    return Paced


def _paced_async(bot: type[AsyncBot], seconds: float) -> type[AsyncBot]:
    class Paced(bot):  # type: ignore[valid-type, misc]
        """Waits before every answer."""

        async def decide(self, view: Any, actions: Actions) -> Any:
            """Wait, then decide."""
            await asyncio.sleep(seconds)
            return await super().decide(view, actions)

    return Paced


def _stop(*_: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough: a second one would break into the farewell
    signal.raise_signal(signal.SIGINT)


def main(arguments: list[str] | None = None) -> int:
    """Play until all is played, or a signal comes."""
    given = parse(arguments)
    # A polite stop is the same whichever signal asks for it, also where a shell in the background has SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, _stop)
    own = given.bot.rpartition(":")[2]
    logging.basicConfig(level=logging.WARNING, format=f"{given.name or own}: %(message)s")
    if given.seed is not None:
        random.seed(given.seed)  # for bots in files; as long as they play one match at a time, that is enough
    try:
        bot = paced(load(given.bot, given.seed), given.pace)
        # A token knows whom it is for; without one the name is all there is.
        name = given.name or ("" if os.environ.get("LICTOR_TOKEN") else own)
        run(
            bot,
            given.server,
            seek=given.game,
            matches=given.matches,
            max_matches=given.max_matches,
            name=name,
        )
    except (BadBot, LictorError) as error:
        logging.error("%s", error)
        return 2 if isinstance(error, BadBot) else 1
    return 0


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main())
