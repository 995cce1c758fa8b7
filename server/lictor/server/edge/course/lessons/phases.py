"""A lesson about rare decisions: the course plays both seats to them, and gives the bot its seat."""

from __future__ import annotations

import asyncio

from lictor.engine.chance import SeededChance
from lictor.server.edge.course.course import BOT, Course
from lictor.server.edge.course.lessons.playing import whole_game
from lictor.server.edge.course.sitter import Sitter
from lictor.server.edge.course.steering import Plan, Search
from lictor.server.matches.messages import Seek

_SEARCHED = 60  # games played in mind
_BUSY = "This is not the bot's fault: the machine is too busy."


async def phases(course: Course) -> str:
    """Bring about what has not been asked yet, and see that it is answered."""
    ledger, game = course.ledger, course.game
    if not ledger.answered:
        await whole_game(course, game.SEATS[0])
    search = Search(game, course.seed, _SEARCHED)
    last = await asyncio.to_thread(search.last)
    while missing := [one for one in game.FOG.situations if one != last and one not in ledger.answered]:
        await course.have_bot()
        if not await _bring_about(course, search, missing):
            break
    course.note_blunders()
    answered = [one for one in game.FOG.situations if one in ledger.answered]
    words = f"; not brought about: {', '.join(missing)}" if missing else ""
    return f"it answered in {len(answered)} situations: {', '.join(answered)}{words}"


async def _bring_about(course: Course, search: Search, missing: list[str]) -> bool:
    """Have the bot answer one of the missing decisions; return whether one was found."""
    terms = course.terms(course.ledger.seek) or Seek(course.game.NAME, {}, "", None, 1)
    seat = terms.seat or course.game.SEATS[len(missing) % len(course.game.SEATS)]
    # Killed, not cut off: whether it survives that is for other lessons.
    await course.end_bot()
    await course.until(lambda: not course.connected(), "be gone", _BUSY, alive=False)
    stand_in = Sitter(BOT, course.game, SeededChance(course.seed), course.bell, plays_on=False)
    stand_in.silent = course.opponent.silent = True
    stand_in.join(course.premises.house)
    try:
        match, plan = await _play_there(course, stand_in, search, missing, terms, seat)
    finally:
        course.opponent.silent = False
        stand_in.leave()
    if plan is not None:
        await course.start_bot()
        await course.until(
            lambda: course.ledger.answers[match] > 0,
            f"answer in {plan.situation} as {seat}, in a match that it takes up",
            f"What is legal in {plan.situation} is in Decide.legal, as everywhere. See also the lesson `killed`.",
        )
    await course.clear()
    return plan is not None


async def _play_there(
    course: Course, stand_in: Sitter, search: Search, missing: list[str], terms: Seek, seat: str
) -> tuple[str, Plan | None]:
    """Start a match of stand-in and opponent, and play it to one of the missing decisions."""
    game, house, known = course.game, course.premises.house, set(course.premises.house.matches)
    other = next(one for one in game.SEATS if one != seat)
    stand_in.seek(terms, seat)
    course.opponent.seek(terms, other)
    (match,) = set(house.matches) - known
    options = house.settle(game.NAME, dict(terms.options)).engine_options
    plan = await asyncio.to_thread(search.find, options, house.matches[match].row.secret, match, seat, missing)
    if plan is None:
        return match, None
    for sitter, mine in ((stand_in, seat), (course.opponent, other)):
        sitter.follow(match, plan.orders[mine])
        sitter.send_entropy(match, plan.entropies[mine])
    await course.until(
        lambda: match in stand_in.due, "see a position prepared", _BUSY,
        progress=lambda: len(stand_in.scripts[match]), alive=False,
    )  # fmt: skip
    return match, plan
