"""A lesson about the future: later servers say more than a bot knows, and some things are said twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lictor.server.edge.convert.wire import sized, tag
from lictor.server.edge.course.course import Course
from lictor.server.edge.course.failing import Failed
from lictor.server.edge.course.line import OnResponse
from lictor.v1 import game_pb2, match_pb2
from lictor.v1 import play_service_pb2 as pb

_UNKNOWN = sized(tag(1990), b"of a later version") + bytes((0x81, 0x7D, 1, 2, 3, 4, 5, 6, 7, 8))  # and a fixed64, 2000
_NUMBER = 990  # of no enum
_IGNORE = "Ignore what you do not know (message kinds, fields, enum values, event kinds), and go on."


def _grown(response: pb.PlayResponse) -> Sequence[pb.PlayResponse]:
    """Add fields of a later version to a message, and to what is in it."""
    kind = response.WhichOneof("message")
    if kind is not None:
        getattr(response, kind).MergeFromString(_UNKNOWN)
    response.MergeFromString(_UNKNOWN)
    return [response]


def _with_new_kind(response: pb.PlayResponse) -> Sequence[pb.PlayResponse]:
    return [pb.PlayResponse.FromString(_UNKNOWN), response]


def _with_new_values(response: pb.PlayResponse) -> Sequence[pb.PlayResponse]:
    if response.HasField("accepted"):
        response.accepted.stopped = _NUMBER  # type: ignore[assignment]
    strange = pb.Refused(reason=_NUMBER, text="of a later version: nothing happened")  # type: ignore[arg-type]
    return [pb.PlayResponse(refused=strange), response]


def _with_new_event(response: pb.PlayResponse) -> Sequence[pb.PlayResponse]:
    """Put an event of a later version in the place of one, so that the numbers stay right."""
    if response.HasField("decide") and response.decide.events.events:
        response.decide.events.events[-1].CopyFrom(game_pb2.Event.FromString(_UNKNOWN))
    return [response]


def _twice(response: pb.PlayResponse) -> Sequence[pb.PlayResponse]:
    return [response, response] if response.HasField("decide") else [response]


def _about_nobody(response: pb.PlayResponse) -> Sequence[pb.PlayResponse]:
    """Talk about a match that this bot has never heard of, as after a restart of its own."""
    how = match_pb2.Termination(kind=match_pb2.TERMINATION_KIND_DRAW, reason="draw", text="drawn")
    nobody = "ffffffffffffffff"
    return [
        pb.PlayResponse(match_ended=pb.MatchEnded(match_id=nobody, termination=how, secret="00" * 32)),
        pb.PlayResponse(accepted=pb.Accepted(match_id=nobody, decision_id=7, applied=1)),
        response,
    ]


_EXTRAS: tuple[tuple[str, OnResponse], ...] = (
    ("unknown fields", _grown),
    ("an unknown kind of message", _with_new_kind),
    ("unknown values of enums", _with_new_values),
    ("an unknown kind of event", _with_new_event),
    ("the same Decide twice", _twice),
    ("messages about an unknown match", _about_nobody),
)


async def extras(course: Course) -> str:
    """Say more than the bot knows, one thing after another."""
    match = await course.match()
    await course.play(match, 1)
    for name, change in _EXTRAS:
        await _try(course, name, change, match)
    course.opponent.offer_draw(match)
    try:
        goes_on = await course.play(match, 3)
    except Failed as failed:
        raise Failed(f"after an offer of a draw {failed.what}", "Answer DrawOffered, or ignore it.") from failed
    course.line.on_response = _strange_end
    if goes_on:
        course.opponent.resign(match)
    await course.until(lambda: match in course.ledger.ended, "see its match end", _IGNORE)
    course.line.on_response = None
    try:
        await course.play(await course.match(), 2)
    except Failed as failed:
        raise Failed(f"after a match that ended in a way it does not know {failed.what}", _IGNORE) from failed
    return f"it went on after {', '.join(name for name, _ in _EXTRAS)}, an offer of a draw and an unknown kind of end"


def _strange_end(response: pb.PlayResponse) -> Sequence[pb.PlayResponse] | None:
    if not response.HasField("match_ended"):
        return None
    response.match_ended.termination.kind = _NUMBER  # type: ignore[assignment]
    return [response]


async def _try(course: Course, name: str, change: OnResponse, match: str) -> None:
    """Change everything the server says in such a way for a few decisions."""
    hellos = len(course.ledger.hellos)
    once = _once_a_decision(change)
    course.line.on_response = once
    try:
        await course.play(match, 3)
    except Failed as failed:
        raise Failed(f"after {name} {failed.what}", f"{_IGNORE} {failed.hint}") from failed
    finally:
        course.line.on_response = None
    if len(course.ledger.hellos) > hellos:
        raise Failed(f"after {name} it opened a new stream", _IGNORE)


def _once_a_decision(change: OnResponse) -> Callable[[pb.PlayResponse], Sequence[pb.PlayResponse] | None]:
    """Change only what belongs to decisions: a Ping is no news."""

    def changed(response: pb.PlayResponse) -> Sequence[pb.PlayResponse] | None:
        return change(response) if response.WhichOneof("message") in ("decide", "accepted") else None

    return changed
