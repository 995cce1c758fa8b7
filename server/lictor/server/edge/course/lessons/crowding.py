"""Lessons about more than one: matches at once, pings in between, another stream of the same bot."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from functools import partial

from lictor.engine.chance import SeededChance
from lictor.server.edge.course.course import BOT, Course
from lictor.server.edge.course.failing import Ended, Failed
from lictor.server.edge.course.sitter import Sitter
from lictor.v1 import play_service_pb2 as pb

_MOST_MATCHES = 8
_ROUNDS = 5
_WINDOW_S = 1.5
_RETURNS = 3
_NONCES = (3_000_000_001, 3_000_000_002)  # the server counts from 1
_MIXED_UP = (
    pb.REFUSAL_REASON_UNKNOWN_MATCH,
    pb.REFUSAL_REASON_ALREADY_ANSWERED,
    pb.REFUSAL_REASON_NOT_ASKED,
)
_APART = "Keep what you know by match_id, and answer each Decide with the match_id and decision_id it came with."


async def several(course: Course) -> str:
    """Open as many matches as the bot takes, and ask in all of them at once, in any order."""
    await course.have_bot()
    most = min(_MOST_MATCHES, course.ledger.hellos[-1].max_matches)
    if most < 2:
        return "it plays one match at a time, as its Hello says (max_matches)"
    held: dict[str, pb.PlayResponse] = {}
    matches: list[str] = []

    def hold(response: pb.PlayResponse) -> Sequence[pb.PlayResponse] | None:
        if not response.HasField("decide"):
            return None
        held[response.decide.match_id] = response
        return []

    course.line.on_response = hold
    while len(matches) < most:
        try:
            matches.append(await course.match())
        except Ended:
            raise
        except Failed:
            if not matches:
                raise
            break  # it seeks no more, whatever its Hello says
    if len(matches) < 2:
        return f"it seeks one match at a time, though its Hello says {most} (max_matches)"
    lot = random.Random(course.seed)
    refused = len(course.ledger.refused)
    for _ in range(_ROUNDS):
        await _ask_all(course, matches, held, lot)
        for one in course.ledger.refused[refused:]:
            if one.reason in _MIXED_UP:
                raise Failed(f"with {len(matches)} matches at once an answer was refused: {one.text}", _APART)
    return f"it kept {len(matches)} matches apart that asked all at once, in any order"


async def _ask_all(course: Course, matches: list[str], held: dict[str, pb.PlayResponse], lot: random.Random) -> None:
    """Wait until every match asks, then let all of them ask, and wait until all are answered."""
    await course.until(
        lambda: all(match in held or match in course.endings for match in matches), "keep its matches going", _APART
    )
    asked = [held.pop(match) for match in tuple(held)]
    lot.shuffle(asked)
    for response in asked:
        course.line.say(response)
    for response in asked:
        match, decision = response.decide.match_id, response.decide.decision_id
        await course.answered(match, decision, f"answer each of {len(asked)} matches that asked at once", _APART)


async def ping(course: Course) -> str:
    """Ask for a Pong."""
    match = await course.match()
    await course.play(match, 1)
    for nonce in _NONCES:
        course.line.say(pb.PlayResponse(ping=pb.Ping(nonce=nonce)))
        await course.until(
            partial(course.ledger.pongs.__contains__, nonce),
            "answer a Ping with a Pong of the same nonce",
            "Answer Ping at once, never behind your thinking: the server measures the wire by it.",
        )
    return "it answers Ping with Pong"


async def takeover(course: Course) -> str:
    """Take the bot's seat with another stream, again and again, and see whether it fights."""
    match = await course.match()
    await course.hush(match)
    rival = Sitter(BOT, course.game, SeededChance(course.seed), course.bell, plays_on=False)
    loop, house = asyncio.get_running_loop(), course.premises.house
    hellos, end = len(course.ledger.hellos), asyncio.get_running_loop().time() + _WINDOW_S
    returns = 0
    while (left := end - loop.time()) > 0 and returns <= _RETURNS and not course.ended:
        session = house.sessions.get(BOT)
        if session is None or session is not rival.session:
            rival.join(house)
        await course.bell.heard(left)
        returns = len(course.ledger.hellos) - hellos
    rival.leave()
    how = f"it ended ({course.ended})" if course.ended else f"it came back {returns} times" if returns else "it waits"
    await course.end_bot()
    if returns > _RETURNS:
        hint = "Superseded means that another process plays under this token: stop, or ask a person; do not reconnect."
        raise Failed(f"it came back {returns} times within {_WINDOW_S:g} s when another stream took over", hint)
    return f"another stream took over, and it did not fight: {how}"
