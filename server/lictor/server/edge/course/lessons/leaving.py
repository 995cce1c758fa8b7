"""Lessons about the bot's process: killed and started again, or told to end."""

from __future__ import annotations

import asyncio
import signal

from lictor.server.edge.course.course import Course
from lictor.server.edge.course.failing import Failed

_LINGER_S = 0.5


async def killed(course: Course) -> str:
    """Kill the bot in mid-match, and start it again."""
    match = await course.match()
    await course.play(match, 3)
    await course.end_bot()
    await course.start_bot()
    hint = "A MatchStarted with `resumed` may be of a match this process has never heard of; its Decide follows."
    await course.until(
        lambda: not course.owes(match) and course.connected(),
        "take up the match that it left when it was killed",
        hint,
    )
    await course.play(match, 2)
    return "killed and started again in mid-match, it went on with the match"


async def leaves(course: Course) -> str:
    """Ask the bot to end, in mid-match."""
    match = await course.match()
    await course.play(match, 1)
    course.signal_bot(signal.SIGTERM)
    hint = "On SIGTERM close the stream and end; nothing is lost: a match goes on when the bot is back."
    await course.until(lambda: course.ended, "end on SIGTERM", hint, alive=False)
    how, loop = course.ended, asyncio.get_running_loop()
    deadline = loop.time() + _LINGER_S
    while course.signal_bot(0):
        if loop.time() > deadline:
            raise Failed("it ended on SIGTERM, but left processes behind", "End what the bot has started, too.")
        await asyncio.sleep(0.01)
    await course.end_bot()
    return f"it ended on SIGTERM ({how})"
