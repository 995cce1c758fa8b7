"""Lessons in normal play: to connect, and to play both seats."""

from __future__ import annotations

from lictor.server.edge.course.course import Course
from lictor.server.edge.course.failing import Failed

_GAMES = 3  # tries to play one game to its end
_LONGEST = 5_000  # decisions of one seat in one game


async def connects(course: Course) -> str:
    """See that the bot introduces itself and gets to play."""
    ledger = course.ledger
    await course.start_bot()
    hint = "Connect to LICTOR_TARGET (host:port), open PlayService.Play and send Hello."
    await course.until(lambda: ledger.firsts, "open a stream and say anything on it", hint)
    if ledger.firsts[0] != "hello":
        raise Failed(f"its first message is {ledger.firsts[0]}, not Hello", "Say Hello before anything else.")
    await course.until(lambda: ledger.welcomes or ledger.refused, "become welcome", hint)
    if not ledger.welcomes:
        hint = "Put the token from LICTOR_TOKEN into Hello.token, and protocol_min and protocol_max to 1."
        raise Failed(f"its Hello is refused: {ledger.refused[0].text}", hint)
    match = await course.match()
    await course.play(match, 1)
    how = "seeks matches" if ledger.seek is not None else "takes challenges"
    return f"it said Hello, is welcome, {how} and answered its first decision"


async def seats(course: Course) -> str:
    """Play a whole game in each seat."""
    lengths = []
    for seat in course.game.SEATS:
        await course.have_bot()
        wish = course.ledger.seek.seat if course.ledger.seek is not None else ""
        if wish not in ("", seat):
            raise Failed(f"it seeks matches as {wish} only", "Leave Seek.seat empty: a rated bot plays every seat.")
        lengths.append(f"{await whole_game(course, seat)} decisions as {seat}")
    course.note_blunders()
    return f"it played to the end: {', '.join(lengths)}"


async def whole_game(course: Course, seat: str) -> int:
    """Play until a game has ended by its own rules; a bot may give up one that is lost."""
    for last in range(_GAMES):
        match = await course.match(seat)
        try:
            goes_on = await course.play(match, _LONGEST)
        except Failed:
            ending = course.endings.get(match)
            if ending is None or ending.kind != "resignation" or last + 1 == _GAMES:
                raise
            continue
        if goes_on:
            raise Failed(f"a game as {seat} did not end within {_LONGEST} decisions", "Choose what brings it forward.")
        return course.ledger.answers[match]
    raise AssertionError
