"""`python -m lictor.bots NAME --server HOST:PORT`: run a house bot until it is told to stop."""

from __future__ import annotations

import argparse
import contextlib
import logging
import signal
import sys
import time
from typing import Any

from lictor.bots.registry import BOTS, load
from lictor.client import Actions, Bot, LictorError, run


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    epilog = "Its token, if the server wants one, comes from the environment: LICTOR_TOKEN."
    parser = argparse.ArgumentParser(prog="python -m lictor.bots", description="Run a house bot.", epilog=epilog)
    parser.add_argument("bot", choices=sorted(BOTS), help="which bot")
    parser.add_argument("--server", metavar="HOST:PORT", help="default: $LICTOR_TARGET, or localhost:50051")
    parser.add_argument("--name", help="the name it plays under; default: the bot's")
    parser.add_argument("--game", default="julius_caesar", help="default: julius_caesar")
    parser.add_argument("--matches", type=int, default=0, help="stop after so many; default: never")
    parser.add_argument("--max-matches", type=int, default=8, help="so many at once; default: 8")
    parser.add_argument("--seed", type=int, help="answer the same questions in the same way every time")
    parser.add_argument("--pace", type=float, default=0.0, help="seconds to wait before every answer; default: 0")
    return parser.parse_args(arguments)


def paced(bot: type[Bot], seconds: float) -> type[Bot]:
    """Return the bot, slowed down so that people can follow."""
    if not seconds:
        return bot

    class Paced(bot):  # type: ignore[valid-type, misc]
        """Waits before every answer."""

        def decide(self, view: Any, actions: Actions) -> Any:
            """Wait, then decide."""
            time.sleep(seconds)
            return super().decide(view, actions)

    return Paced


def main() -> int:
    """Play until all is played, or a signal comes."""
    given = parse()
    # A polite stop is the same whichever signal asks for it.
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    logging.basicConfig(level=logging.WARNING, format=f"{given.name or given.bot}: %(message)s")
    try:
        run(
            paced(load(given.bot, given.seed), given.pace),
            given.server,
            seek=given.game,
            matches=given.matches,
            max_matches=given.max_matches,
            name=given.name or given.bot,
        )
    except LictorError as error:
        logging.error("%s", error)
        return 1
    return 0


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main())
