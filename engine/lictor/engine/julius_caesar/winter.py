"""8.0: the winter turn, in its exact order."""

from __future__ import annotations

from lictor.engine.julius_caesar import events as tell
from lictor.engine.julius_caesar import years
from lictor.engine.julius_caesar.actions import END_DISBAND, Action, Disband, Port
from lictor.engine.julius_caesar.events import Event
from lictor.engine.julius_caesar.facts import CAESAR, COLOURS, POMPEY, SEATS
from lictor.engine.julius_caesar.phases import Over, WinterDisband, WinterNavis
from lictor.engine.julius_caesar.state import LAST_YEAR, NOBODY, State

POINTS_TO_WIN = 10
CITY_SUPPLY = 3


def begin(state: State, events: list[Event]) -> None:
    """8.1, 8.2: Cleopatra goes home, then victory is determined."""
    _cleopatra_goes_home(state, events)
    points = state.victory_points()
    events.append(tell.YearScored(state.year, dict(zip(SEATS, points, strict=True))))
    ended = _victory(state, points)
    if ended is None:
        state.phase = WinterNavis(CAESAR)
        _next_navis(state)
    else:
        state.phase = ended
        winner = None if ended.winner == NOBODY else SEATS[ended.winner]
        events.append(tell.GameEnded(winner, ended.reason, dict(zip(SEATS, points, strict=True))))


def _cleopatra_goes_home(state: State, events: list[Event]) -> None:
    """8.1: she joins who holds Alexandria against her side; a vacant Alexandria changes nothing (ruling 33)."""
    cleopatra, home = state.facts.cleopatra, state.facts.alexandria
    if state.at[cleopatra] != home:
        state.shift(cleopatra, home)
    changes = state.has_enemy(home, state.side[cleopatra])
    if changes:
        state.turn_coat(cleopatra)
    events.append(tell.CleopatraWentHome(SEATS[state.side[cleopatra]], changes))


def _victory(state: State, points: tuple[int, int]) -> Over | None:
    """1.2: ten points win in any winter; the last year is decided by points, then Rome (ruling 36)."""
    for seat in (CAESAR, POMPEY):
        if points[seat] >= POINTS_TO_WIN:
            return Over(seat, "ten_points")
    if state.year < LAST_YEAR:
        return None
    if points[CAESAR] != points[POMPEY]:
        return Over(CAESAR if points[CAESAR] > points[POMPEY] else POMPEY, "more_points")
    for seat in (CAESAR, POMPEY):
        if state.is_friendly(state.facts.rome, seat):
            return Over(seat, "rome")
    return Over(NOBODY, "draw")


def legal(state: State, seat: int) -> list[Action]:
    """Return the winter actions of `seat`."""
    return _ports(state, seat) if isinstance(state.phase, WinterNavis) else _disbands(state, seat)


def _ports(state: State, seat: int) -> list[Action]:
    """8.3: a Navis at sea must go to a friendly port on its sea if it has one (ruling 34)."""
    facts, stacks = state.facts, state.stacks[seat]
    found: list[Action] = []
    for sea in facts.seas:
        if stacks[sea]:
            ports = [facts.spaces[way.to] for way in facts.borders[sea]
                     if not facts.is_sea[way.to] and state.is_friendly(way.to, seat)]  # fmt: skip
            found += [Port(facts.blocks[navis], port) for navis in stacks[sea] for port in ports]
    return found


def _disbands(state: State, seat: int) -> list[Action]:
    """8.4, 8.5: first the surplus, of spaces that hold more than their supply; then any block, or none."""
    facts, stacks = state.facts, state.stacks[seat]
    surplus: list[int] = []
    every: list[int] = []
    for space, stack in enumerate(stacks):
        if stack:
            # Ruling 35: Cleopatra is counted, but is never disbanded.
            blocks = [block for block in stack if block != facts.cleopatra]
            every += blocks
            if len(stack) > (0 if facts.is_sea[space] else CITY_SUPPLY + facts.vp[space]):
                surplus += blocks
    if surplus:
        return [Disband(facts.blocks[block]) for block in surplus]
    return [END_DISBAND, *(Disband(facts.blocks[block]) for block in every)]


def forced(state: State) -> tuple[int, Action] | None:
    """Where a single thing can be done, everyone sees it: Navis at sea and blocks per city are public."""
    seat = state.phase.seat  # type: ignore[union-attr]
    found = legal(state, seat)
    return (seat, found[0]) if len(found) == 1 else None


def play(state: State, seat: int, action: Action, events: list[Event]) -> None:
    """Carry out a winter action."""
    facts, name = state.facts, SEATS[seat]
    if isinstance(action, Port):
        navis, port = facts.block_index[action.block], facts.space_index[action.space]
        sea = facts.spaces[state.at[navis]]
        events.append(tell.CameToPort(name, action.block, COLOURS[facts.colour[navis]], (sea, action.space)))
        state.shift(navis, port)
        _next_navis(state)
    elif isinstance(action, Disband):
        block = facts.block_index[action.block]
        space = facts.spaces[state.at[block]]
        events.append(tell.Disbanded(name, action.block, COLOURS[facts.colour[block]], space))
        state.lift(block)
        state.side[block] = facts.home[block]  # ruling 10
    elif seat == CAESAR:
        state.phase = WinterDisband(POMPEY)  # ruling 35: Caesar finishes first
    else:
        state.year += 1
        years.begin(state, events)


def _next_navis(state: State) -> None:
    phase = state.phase
    assert isinstance(phase, WinterNavis)
    for seat in range(phase.seat, POMPEY + 1):
        if _ports(state, seat):
            state.phase = WinterNavis(seat)
            return
    state.phase = WinterDisband(CAESAR)
