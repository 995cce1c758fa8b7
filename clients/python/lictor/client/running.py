"""Run a bot."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypedDict, Unpack

from lictor.client.bot import AsyncBot, Bot, Player
from lictor.client.client import Client
from lictor.client.results import Result
from lictor.client.settings import DEFAULT_TARGET, ClockLike, OnError, Settings, Tls, read_clock


class Wishes(TypedDict, total=False):
    """What `run` may be told beyond the bot and the server."""

    seek: str | None  # the game to seek matches of, "julius_caesar" by default; None: only wait for challenges
    options: Mapping[str, str]  # of the game, such as {"edition": "1.x"}
    seat: str  # the seat wished for; by default either
    clock: ClockLike | None  # "300+30/60": base, increment, limit per decision in seconds; by default the server's
    matches: int  # how many in all; 0, the default: without end
    max_matches: int  # how many at once, 1 by default
    name: str  # the bot's; by default the one its token is for, or without a token that of its class
    token: str  # by default $LICTOR_TOKEN; none is needed with `lictor serve --dev`
    version: str  # a label, for ever of this version
    content_hash: str  # hex, by which the server tells whether the label is used for something else
    challenge: str | None  # a bot to challenge, instead of seeking anybody
    accept_challenges: bool  # by default yes
    words: bool  # each event also in words; by default not
    tls: Tls | None  # by default none
    on_error: OnError  # what a failing bot does: "resign" that match, the default, or "raise" BotError and stop
    entropy: Callable[[int], bytes]  # the bot's share in the dice, by default os.urandom


def run(bot_class: type[Bot] | type[AsyncBot], target: str | None = None, **wishes: Unpack[Wishes]) -> list[Result]:
    """Play until all matches are played or Ctrl-C is pressed, and return how they ended.

    `target` is HOST:PORT, by default $LICTOR_TARGET or localhost:50051. By name: seek (a game, or None), options, seat,
    clock ("300+30/60"), matches (0: without end), max_matches (at once), name, token (by default $LICTOR_TOKEN),
    version, content_hash, challenge (an opponent), accept_challenges, words, tls, on_error ("resign" or "raise"),
    entropy.
    """
    results: list[Result] = []
    with suppress(KeyboardInterrupt):
        asyncio.run(_collect(bot_class, target, wishes, results))
    return results


async def arun(
    bot_class: type[Bot] | type[AsyncBot], target: str | None = None, **wishes: Unpack[Wishes]
) -> list[Result]:
    """Do as `run` does, in the loop of the caller."""
    results: list[Result] = []
    await _collect(bot_class, target, wishes, results)
    return results


async def _collect(
    bot_class: type[Bot] | type[AsyncBot], target: str | None, wishes: Wishes, results: list[Result]
) -> None:
    client = Client(bot_class, _settings(bot_class, target, wishes))
    try:
        await client.play()
    finally:
        results += client.results


def _settings(bot_class: Any, target: str | None, wishes: Wishes) -> Settings:
    if not (isinstance(bot_class, type) and issubclass(bot_class, Bot | AsyncBot)):
        raise TypeError(f"run takes a class derived from Bot, not {bot_class!r:.60}: each match has its own instance")
    given: dict[str, object] = dict(wishes)
    given["clock"] = read_clock(wishes.get("clock"))
    given.setdefault("token", os.environ.get("LICTOR_TOKEN", ""))
    # A token knows whom it is for; without one the name is all there is.
    given.setdefault("name", "" if given["token"] else bot_class.__name__)
    # Events are sent while others decide only if somebody looks at them.
    given["live_events"] = bot_class.on_events is not Player.on_events
    given["target"] = target or os.environ.get("LICTOR_TARGET") or DEFAULT_TARGET
    return Settings(**given)  # type: ignore[arg-type]
