"""A lesson about the future: later servers say more than a bot knows, and some things are said twice."""

from __future__ import annotations

from collections.abc import Sequence

from lictor.server.edge.convert.wire import sized, tag
from lictor.server.edge.course.course import Course
from lictor.server.edge.course.failing import Failed
from lictor.server.edge.course.line import OnResponse
from lictor.v1 import game_pb2, match_pb2
from lictor.v1 import play_service_pb2 as pb

_UNKNOWN = sized(tag(1990), b"of a later version") + bytes((0x81, 0x7D, 1, 2, 3, 4, 5, 6, 7, 8))  # and a fixed64, 2000
_NUMBER = 990  # of no enum
_EVENT = "an unknown kind of event"
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
    ("the same Decide twice", _twice),
    ("messages about an unknown match", _about_nobody),
)


class _LaterEvent:
    """Adds an event of a later version to what the bot sees of a match, and counts on from there."""

    def __init__(self, match: str) -> None:
        self._match = match
        self._number = 0  # of the event that is added, once it is

    def on_request(self, request: pb.PlayRequest) -> Sequence[pb.PlayRequest] | None:
        """Count back where the bot asks by number."""
        asked = request.get_history
        if asked.match_id != self._match or not 0 < self._number < asked.first:
            return None
        asked.first -= 1
        return [request]

    def on_response(self, response: pb.PlayResponse) -> Sequence[pb.PlayResponse] | None:
        """Add the event behind those of the next Decide, and wherever those are told again."""
        kind = response.WhichOneof("message") or ""
        events = response.events if kind == "events" else getattr(getattr(response, kind, None), "events", None)
        if not isinstance(events, pb.Events) or events.match_id != self._match:
            return None
        begins = kind == "decide" and not self._number
        if begins:
            self._number = events.first + len(events.events)
        if self._number:
            self._add(events, again=begins or kind == "history")
        if kind == "history":
            response.history.last += self._number > 0
        return [response]

    def _add(self, events: pb.Events, *, again: bool) -> None:
        """Add the event to a stretch that it is in; count on in one that comes after it."""
        place = self._number - events.first
        if place < 0 or (place == 0 and not again):
            events.first += 1
        elif place <= len(events.events):
            told, words = list(events.events), list(events.words)
            told.insert(place, game_pb2.Event.FromString(_UNKNOWN))
            del events.events[:], events.words[:]
            events.events.extend(told)
            events.words.extend([*words[:place], "Something new happened.", *words[place:]] if words else [])


async def extras(course: Course) -> str:
    """Say more than the bot knows, one thing after another."""
    match = await course.match()
    await course.play(match, 1)
    for name, change in _EXTRAS:
        await _try(course, name, change, match)
    later = _LaterEvent(match)
    course.line.on_request = later.on_request
    await _try(course, _EVENT, later.on_response, match)
    course.opponent.offer_draw(match)
    await _try(course, "an offer of a draw", later.on_response, match)
    course.line.on_response = lambda response: _strange_end(response, later)
    course.opponent.resign(match)
    await course.until(lambda: match in course.ledger.ended, "see its match end", _IGNORE)
    course.line.pass_all()
    try:
        await course.play(await course.match(), 2)
    except Failed as failed:
        raise Failed(f"after a match that ended in a way it does not know {failed.what}", _IGNORE) from failed
    names = ", ".join([name for name, _ in _EXTRAS])
    return f"it went on after {names}, {_EVENT}, an offer of a draw and an unknown kind of end"


def _strange_end(response: pb.PlayResponse, later: _LaterEvent) -> Sequence[pb.PlayResponse] | None:
    if response.HasField("match_ended"):
        response.match_ended.termination.kind = _NUMBER  # type: ignore[assignment]
        later.on_response(response)
        return [response]
    return later.on_response(response)


async def _try(course: Course, name: str, change: OnResponse, match: str) -> None:
    """Change everything the server says in such a way for a few decisions."""
    hellos = len(course.ledger.hellos)
    course.line.on_response = change
    try:
        await course.play(match, 3)
    except Failed as failed:
        raise Failed(f"after {name} {failed.what}", f"{_IGNORE} {failed.hint}") from failed
    if len(course.ledger.hellos) > hellos:
        raise Failed(f"after {name} it opened a new stream", _IGNORE)
