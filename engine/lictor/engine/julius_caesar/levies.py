"""6.4: levies."""

from __future__ import annotations

from lictor.engine.julius_caesar import events as tell
from lictor.engine.julius_caesar import sequence
from lictor.engine.julius_caesar.actions import END_LEVIES, Action, Levy, Reinforce
from lictor.engine.julius_caesar.events import Event
from lictor.engine.julius_caesar.facts import ANY_CITY, COLOURS, MAJOR_PORT, NEVER, SEATS
from lictor.engine.julius_caesar.phases import Levies
from lictor.engine.julius_caesar.state import DEAD, POOL, State


def legal(state: State, seat: int) -> list[Action]:
    """Return the steps and new blocks `seat` may raise; levies may be declined (2.1, ruling 16)."""
    facts, phase = state.facts, state.phase
    assert isinstance(phase, Levies)
    if not phase.points:
        return [END_LEVIES]
    cities = _friendly_cities(state, seat)
    found: list[Action] = [END_LEVIES]
    steps, full = state.steps, facts.full
    for city in cities:
        for block in state.stacks[seat][city]:
            if steps[block] < full[block]:
                found.append(facts.reinforce[block])
    ports = [city for city in cities if facts.is_major_port[city]]
    for block in facts.owned[seat]:
        if state.at[block] == POOL and _is_available(state, block):
            place = facts.levy_city[block]
            if place == ANY_CITY:
                found += [facts.levies[block][city] for city in cities]
            elif place == MAJOR_PORT:
                found += [facts.levies[block][port] for port in ports]
            elif place != NEVER and place in cities:
                found.append(facts.levies[block][place])
    return found


def _friendly_cities(state: State, seat: int) -> list[int]:
    """6.4: never in a vacant or contested city, never at sea."""
    enemy, is_sea = state.stacks[1 - seat], state.facts.is_sea
    return [space for space, own in enumerate(state.stacks[seat]) if own and not enemy[space] and not is_sea[space]]


def _is_available(state: State, block: int) -> bool:
    """7.51: the third leader waits until one of the first two is dead (ruling 17)."""
    others = state.facts.third_leader.get(block)
    return others is None or any(state.at[other] == DEAD for other in others)


def forced(state: State) -> tuple[int, Action] | None:
    """End the levies without points or without a friendly city; what the pool holds is nobody's business."""
    phase = state.phase
    assert isinstance(phase, Levies)
    if phase.points and _friendly_cities(state, phase.seat):
        return None
    return phase.seat, END_LEVIES


def play(state: State, seat: int, action: Action, events: list[Event]) -> None:
    """Raise a block or a step, or end the levies."""
    facts, phase = state.facts, state.phase
    assert isinstance(phase, Levies)
    if isinstance(action, Levy):
        block = facts.block_index[action.block]
        phase.points -= 1
        state.put(block, facts.space_index[action.space])
        state.steps[block] = 1
        events.append(tell.Levied(SEATS[seat], action.block, COLOURS[facts.colour[block]], action.space))
    elif isinstance(action, Reinforce):
        block = facts.block_index[action.block]
        phase.points -= 1
        state.steps[block] += 1
        city = facts.spaces[state.at[block]]
        events.append(tell.Reinforced(SEATS[seat], action.block, city, state.steps[block]))
    else:
        events.append(tell.LeviesEnded(SEATS[seat], phase.points))
        sequence.end_command(state, seat, events)
