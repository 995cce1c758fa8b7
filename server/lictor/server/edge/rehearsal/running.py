"""Start a bot, put a recorded match to it, and see what it answers, or why it does not."""

from __future__ import annotations

import asyncio
import importlib.metadata
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import grpc

from lictor.server.accounts import Accounts
from lictor.server.contestants import Contestant, Started, started
from lictor.server.edge.catalog import CatalogEdge
from lictor.server.edge.play import PlayEdge
from lictor.server.edge.registering import hush, register, service_of
from lictor.server.edge.rehearsal.house import Answer, OpenDoor, Rehearsal
from lictor.server.edge.rehearsal.script import Script
from lictor.server.edge.serving import CHANNEL_OPTIONS
from lictor.server.matches.house import House
from lictor.v1 import catalog_service_pb2

TOKEN = "rehearsal"  # noqa: S105 (any is taken)
_LAST_WORDS_S = 0.5  # what a bot that has ended, or is to end, may still say


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """What a bot answered."""

    answers: Sequence[Answer]
    resigned: bool  # gave up at the decision after the last answer
    failure: str  # why it did not answer all; empty if it did
    said: Sequence[str]  # its last lines, where something is wrong


async def rehearse(
    script: Script, who: Contestant, *, seed: int | None, patience: float, log: Path, tell: Callable[[int], None]
) -> Rehearsed:
    """Put a script to a bot, decision after decision; `tell` hears how many it has answered."""
    async with offering(script, who.label) as (rehearsal, port):
        environment = {
            "LICTOR_TARGET": f"127.0.0.1:{port}",
            "LICTOR_TOKEN": TOKEN,
            "LICTOR_GAME": script.started.game,
            **({} if seed is None else {"LICTOR_SEED": str(seed)}),
        }
        rehearsal.moved_at = rehearsal.now()
        async with started(who, environment, log) as bot:
            failure = await _watch(rehearsal, bot, who.label, patience, tell)
            if not failure:
                await asyncio.wait({asyncio.ensure_future(bot.process.wait())}, timeout=_LAST_WORDS_S)
        resigned = rehearsal.stage == "resigned"
        return Rehearsed(rehearsal.answers, resigned, failure, bot.tail() if failure or resigned else [])


@asynccontextmanager
async def offering(script: Script, label: str) -> AsyncIterator[tuple[Rehearsal, int]]:
    """Serve a rehearsal while the block runs; give it, and the port."""
    rehearsal = Rehearsal(script)
    hush()
    # Streams and catalogs ask of a house what a rehearsal has.
    house = cast("House", rehearsal)
    play = PlayEdge(house, cast("Accounts", OpenDoor(label)), f"lictor {importlib.metadata.version('lictor')}")
    server: Any = grpc.aio.server(options=CHANNEL_OPTIONS)
    register(server, "lictor.v1.PlayService", {"Play": grpc.stream_stream_rpc_method_handler(play.play)})
    catalogs = service_of(CatalogEdge(house), catalog_service_pb2, "CatalogService")
    register(server, "lictor.v1.CatalogService", catalogs)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield rehearsal, port
    finally:
        await server.stop(0)


async def _watch(rehearsal: Rehearsal, bot: Started, name: str, patience: float, tell: Callable[[int], None]) -> str:
    """Wait until all is played; return why it never will be, or nothing."""
    ended = asyncio.ensure_future(bot.process.wait())
    try:
        while not rehearsal.over.done():
            tell(len(rehearsal.answers))
            left = rehearsal.moved_at + patience - rehearsal.now()
            if left <= 0:
                return _silent(rehearsal, name, patience)
            waiting: set[asyncio.Future[Any]] = {ended, rehearsal.over}
            await asyncio.wait(waiting, timeout=min(left, 0.2), return_when=asyncio.FIRST_COMPLETED)
            if ended.done():
                await asyncio.wait({rehearsal.over}, timeout=_LAST_WORDS_S)
                if not rehearsal.over.done():
                    return f"{name} ended ({bot.ended}) {_where(rehearsal)}"
        tell(len(rehearsal.answers))
        return ""
    finally:
        ended.cancel()


def _silent(rehearsal: Rehearsal, name: str, patience: float) -> str:
    wait = f"within {patience:g} s"
    if rehearsal.stage == "absent" and rehearsal.refusal:
        return f"{name} said Hello in a way that no server takes ({rehearsal.refusal}), and nothing else {wait}"
    if rehearsal.stage == "absent":
        hint = "it finds the server in LICTOR_TARGET, and its token in LICTOR_TOKEN"
        return f"{name} did not connect {wait}: {hint}; give it longer with --patience"
    if rehearsal.stage == "here":
        refused = f" (it was refused: {rehearsal.refusal})" if rehearsal.refusal else ""
        return f"{name} connected, but sought no match {wait}{refused}: it must say Seek"
    return f"{name} gave no answer {wait} {_where(rehearsal)}; give it longer with --patience"


def _where(rehearsal: Rehearsal) -> str:
    question = rehearsal.question
    if question is not None:
        return f"at decision {question.decide.decision}"
    return {"absent": "before it connected", "here": "before it sought a match"}.get(
        rehearsal.stage, "before the first decision"
    )
