"""The lessons, in the order in which they are given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from lictor.server.edge.course.course import Course
from lictor.server.edge.course.lessons import answering, breaking, crowding, extras, leaving, phases, playing


class Lesson(NamedTuple):
    """One lesson: it returns in words what the bot has shown, or raises `Failed`."""

    name: str
    about: str
    give: Callable[[Course], Awaitable[str]]


LESSONS = (
    Lesson("connects", "it says Hello first, with its token, then seeks or is challenged", playing.connects),
    Lesson("seats", "it plays a whole game in each seat", playing.seats),
    Lesson("killed", "killed in mid-match and started again, it takes the match up", leaving.killed),
    Lesson("phases", "it answers in every situation of the game that can be brought about", phases.phases),
    Lesson("legal", "nothing it says in normal play is refused", answering.legal),
    Lesson("refusal", "told that an answer is illegal, it gives another", answering.refusal),
    Lesson("late", "it survives a loss on time, also when its answer is on the way, and plays on", answering.late),
    Lesson("batch", "it goes on from the new decision when only part of a batch was carried out", answering.batch),
    Lesson("drops", "it comes back when its stream breaks, in every phase and after an answer", breaking.drops),
    Lesson("several", "it keeps its matches apart when it plays several at once", crowding.several),
    Lesson("ping", "it answers Ping with Pong", crowding.ping),
    Lesson("extras", "it ignores what it does not know", extras.extras),
    Lesson("restart", "it comes back, without knocking wildly, when the server was away", breaking.restart),
    Lesson("takeover", "it does not fight for its seat when another stream takes over", crowding.takeover),
    Lesson("leaves", "it ends when it is told to", leaving.leaves),
)  # fmt: skip
