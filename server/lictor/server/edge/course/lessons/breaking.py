"""Lessons about streams that break, and servers that go away."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from lictor.server.edge.course.course import Course
from lictor.server.edge.course.failing import Failed
from lictor.v1 import play_service_pb2 as pb

COME_BACK = (
    "The end of a stream is never the end of a match: connect again by yourself, after a short wait, and say Hello."
)
ANSWER = "On the new stream every open match is announced again with MatchStarted and its pending Decide: answer it."
_DECISIONS = 100
_AWAY_S = 0.8
_KNOCKS = 40  # a second


async def drops(course: Course) -> str:
    """Break the stream while the bot owes a decision, and when it has sent an answer."""
    seen = await _break_in_all_phases(course)
    await course.clear()
    match = await course.match()
    for lost in (True, False):
        await course.play(match, 1)
        await _lose(course, match, lost)
    return f"it came back and went on each time the stream broke, in {', '.join(seen)}, and after its answers"


async def _break_in_all_phases(course: Course) -> list[str]:
    """Break the stream whenever a decision of a new kind is due, before the bot can have answered it."""
    seen: list[str] = []
    match = await course.match()
    hellos = 0

    def cut(response: pb.PlayResponse) -> Sequence[pb.PlayResponse] | None:
        nonlocal hellos
        situation = course.ledger.situation_of(response.decide)
        if response.decide.match_id != match or situation in seen:
            return None
        seen.append(situation)
        hellos = len(course.ledger.hellos)
        course.wire.cut()
        return []

    course.line.on_response = cut
    try:
        await course.play(match, _DECISIONS)
    except Failed as failed:
        came = len(course.ledger.hellos) > hellos
        what = f"when its stream broke in {seen[-1] if seen else 'a match'} {failed.what}"
        raise Failed(f"{what}{', though it came back' if came else ''}", ANSWER if came else COME_BACK) from failed
    return seen


async def _lose(course: Course, match: str, lost: bool) -> None:
    acts: list[pb.Act] = []
    hellos = len(course.ledger.hellos)

    def swallow_act(request: pb.PlayRequest) -> Sequence[pb.PlayRequest] | None:
        if acts or not request.HasField("act") or request.act.match_id != match:
            return None
        acts.append(request.act)
        return [] if lost else None

    def swallow_answer(_response: pb.PlayResponse) -> Sequence[pb.PlayResponse] | None:
        return [] if acts else None

    course.line.on_request, course.line.on_response = swallow_act, swallow_answer
    await course.until(lambda: acts, "answer a decision", "Every Decide wants an Act.")
    if not lost:
        taken = acts[0].decision_id
        hint = "This is not the bot's fault."
        await course.until(lambda: course.ledger.accepted.get(match, 0) >= taken, "have an answer accepted", hint)
    course.wire.cut()
    course.line.pass_all()
    when = "with an answer on the way" if lost else "before it heard that an answer was accepted"
    await course.until(lambda: len(course.ledger.hellos) > hellos, f"come back when its stream broke {when}", COME_BACK)
    try:
        await course.play(match, 2)
    except Failed as failed:
        raise Failed(f"after its stream broke {when} {failed.what}", ANSWER) from failed


async def restart(course: Course) -> str:
    """Let the server go away for a while in mid-match, and come back where it was."""
    match = await course.match()
    await course.play(match, 3)
    await course.hush(match)
    hellos = len(course.ledger.hellos)
    wire = course.wire
    wire.away, wire.knocks = True, 0
    try:
        await course.premises.close()
        await course.line.disconnect()
        wire.cut()
        wire.knocks = 0
        await asyncio.sleep(_AWAY_S)
        knocks = wire.knocks
    finally:
        await course.premises.open()
        course.settle_in()
        course.line.pass_all()
        wire.away = False
    await course.until(lambda: len(course.ledger.hellos) > hellos, "come back when the server was back", COME_BACK)
    await course.play(match, 2)
    if knocks > _KNOCKS * _AWAY_S:
        hint = "Wait between two attempts: 0.2 s at first, then twice as long each time, up to 10 s, with some jitter."
        raise Failed(f"it knocked {knocks} times in {_AWAY_S:g} s while the server was away", hint)
    return "it came back by itself after a restart of the server, and went on with its match"
