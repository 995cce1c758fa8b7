"""Lessons about answers: legal ones, refused ones, late ones, and several at once."""

from __future__ import annotations

from collections.abc import Sequence

from lictor.server.edge.course.course import Course
from lictor.server.edge.course.failing import Ended, Failed
from lictor.server.edge.stream import Encoder, Malformed, decode
from lictor.server.matches.messages import Act, Reason, Refused
from lictor.server.matches.table import Unreadable
from lictor.v1 import play_service_pb2 as pb

_STRETCH = 25  # decisions
_LOOKED_AT = 150  # decisions in which a bot that sends batches has sent one
_ANSWER_AGAIN = "A refusal leaves the decision open: send another Act with the same decision_id."


async def legal(course: Course) -> str:
    """Look at what was refused in normal play."""
    if not course.blunders:
        for _ in course.game.SEATS:
            await course.play(await course.match(), _STRETCH)
            await course.clear()
        course.note_blunders()
    if course.blunders:
        more = f" (and {len(course.blunders) - 1} more)" if len(course.blunders) > 1 else ""
        hint = "Answer with an index, notation or typed action from Decide.legal, of that very decision."
        raise Failed(f"refused in normal play: {course.blunders[0]}{more}", hint)
    return "nothing it said in normal play was refused"


async def refusal(course: Course) -> str:
    """Refuse two answers as if they were illegal."""
    match = await course.match()
    left = course.premises.house.illegal_actions
    for _ in range(2):
        left -= 1
        act = await _catch_act(course, match, left)
        await course.answered(
            match, act.decision_id, "answer again when its answer was refused as illegal", _ANSWER_AGAIN
        )
        await course.play(match, 2)
    return "it answered again after each of two refusals"


async def _catch_act(course: Course, match: str, left: int) -> pb.Act:
    """Refuse the next Act of a match, in the server's own words; return it."""
    caught: list[pb.Act] = []

    def refuse(request: pb.PlayRequest) -> Sequence[pb.PlayRequest] | None:
        if caught or not request.HasField("act") or request.act.match_id != match:
            return None
        refused = _refusal(course, request, left)
        if refused is None:
            return None
        caught.append(request.act)
        course.line.say(refused)
        return []

    course.line.on_request = refuse
    await course.until(lambda: caught, "answer a decision", "Every Decide wants an Act.")
    return caught[0]


def _refusal(course: Course, request: pb.PlayRequest, left: int) -> pb.PlayResponse | None:
    """Return how the server would refuse an answer if it were illegal; None if it is."""
    house, match = course.premises.house, request.act.match_id
    found, seat = house.matches[match], course.seat_of(match)
    try:
        act = decode(request, house.settings)
        assert isinstance(act, Act)
        action = found.table.read(found.chairs[seat], 0, act.choices[0])
    except (Malformed, Unreadable):
        return None
    text = f"{seat} may not {action!s:.80}: it is not among the legal actions of this decision"
    refused = Refused(Reason.ILLEGAL_ACTION, text, "act.actions[0]", match, act.decision, left=left)
    refused.request = request.request_id
    return pb.PlayResponse.FromString(Encoder(house.settings, "", {}).encode(refused))


async def late(course: Course) -> str:
    """Let the bot lose on time while its answer is on the way, once each way round; then play on."""
    for told_first in (False, True):
        await _lose_on_time(course, told_first)
    try:
        await course.play(await course.match(), 3)
    except Failed as failed:
        raise Failed(f"after a loss on time {failed.what}", failed.hint) from failed
    return "it lost two matches on time with an answer on the way, and played the next as if nothing had happened"


async def _lose_on_time(course: Course, told_first: bool) -> None:
    """Hold an Act until the clock has run out; it comes before or after the bot has been told of the end."""
    match = await course.match()
    await course.play(match, 1)
    held: list[pb.PlayRequest] = []

    def hold(request: pb.PlayRequest) -> Sequence[pb.PlayRequest] | None:
        if not request.HasField("act") or request.act.match_id != match:
            return None
        held.append(request)
        return []

    course.line.on_request = hold
    await course.until(lambda: held, "answer a decision", "Every Decide wants an Act.")
    found = course.premises.house.matches[match]
    found.time_out(found.chairs[course.seat_of(match)])
    course.line.on_request = None
    refused = len(course.ledger.refused)
    hint = (
        "MatchEnded may come while an answer is on its way; its Act is then refused as MATCH_OVER, which harms nothing."
    )
    ended, told = course.ledger.ended, course.ledger.refused
    try:
        if told_first:
            await course.until(lambda: match in ended, "take the news that it lost on time", hint)
        course.line.tell(held[0])
        what = "take the refusal of an answer that came too late"
        await course.until(lambda: match in ended and len(told) > refused, what, hint)
    except Ended:
        if course.ended != "exit code 0":  # of one that has played all the matches it wanted
            raise


async def batch(course: Course) -> str:
    """Carry out only the first action of a batch, and see that the bot takes the rest up anew."""
    cut: dict[str, int] = {}
    ledger = course.ledger
    if not ledger.batches and sum(ledger.answers.values()) >= _LOOKED_AT:
        return "it sends one action at a time"

    def shorten(request: pb.PlayRequest) -> Sequence[pb.PlayRequest] | None:
        if not request.HasField("act") or len(request.act.actions) < 2 or cut:
            return None
        cut[request.act.match_id] = request.act.decision_id
        first = pb.PlayRequest()
        first.CopyFrom(request)
        del first.act.actions[1:]
        return [first]

    def explain(response: pb.PlayResponse) -> Sequence[pb.PlayResponse] | None:
        told = response.accepted
        if not response.HasField("accepted") or cut.get(told.match_id) != told.decision_id:
            return None
        told.stopped = pb.BATCH_STOP_NEWS
        return [response]

    match = await course.match()
    course.line.on_request, course.line.on_response = shorten, explain
    for _ in range(_LOOKED_AT):
        if cut or not await course.play(match, 1):
            break
    if not cut:
        return "it sends one action at a time" if not ledger.batches else "no batch came up this time"
    await course.answered(
        match,
        cut[match] + 1,
        "answer the decision at which a batch was stopped",
        "Accepted.applied says how many actions were carried out: forget the others, and answer the next Decide.",
    )
    await course.play(match, 2)
    return "it went on from the new decision when a batch was stopped after its first action"
