"""The God cards that are not moves: Jupiter, Vulcan, and the battle that Mars or Neptune favours."""

from __future__ import annotations

from lictor.engine.julius_caesar import events as tell
from lictor.engine.julius_caesar import sequence
from lictor.engine.julius_caesar.actions import DECLINE, Action, Decline, Jupiter, JupiterTo, Surprise, Vulcan
from lictor.engine.julius_caesar.events import Event
from lictor.engine.julius_caesar.facts import COLOURS, SEATS
from lictor.engine.julius_caesar.phases import ChooseSurprise, Defection, JupiterCalls, VulcanBurns
from lictor.engine.julius_caesar.state import NOBODY, Fight, State


def legal(state: State, seat: int) -> list[Action]:
    """Return what `seat` may do with his God."""
    phase, spaces = state.phase, state.facts.spaces
    if isinstance(phase, JupiterCalls):
        # Ruling 9: Jupiter may be declined.
        return [DECLINE, *(Jupiter(spaces[space]) for space in _jupiter_targets(state, seat))]
    if isinstance(phase, Defection):
        return [JupiterTo(spaces[city]) for city in _refuges(state, seat, state.at[phase.block])]
    if isinstance(phase, VulcanBurns):
        targets: list[Action] = [Vulcan(spaces[city]) for city in _vulcan_targets(state, seat)]
        return targets or [DECLINE]  # ruling 11: with no target it passes
    return [Surprise(spaces[space]) for space in _own_attacks(state, seat)]


def _jupiter_targets(state: State, seat: int) -> list[int]:
    """Jupiter: a city with enemy blocks next to a friendly city; in 1.x also a sea, for the Navis there."""
    facts = state.facts
    return [
        space
        for space, enemies in enumerate(state.stacks[1 - seat])
        if enemies and (not facts.is_sea[space] or state.edition == "1.x") and _refuges(state, seat, space)
    ]


def _refuges(state: State, seat: int, space: int) -> list[int]:
    """Ruling 9: friendly cities by road or strait; next to a sea, its ports."""
    facts = state.facts
    ways = facts.borders[space] if facts.is_sea[space] else facts.roads[space]
    return [way.to for way in ways if not facts.is_sea[way.to] and state.is_friendly(way.to, seat)]


def _vulcan_targets(state: State, seat: int) -> list[int]:
    """Vulcan: a city wholly the enemy's; in 1.x any city that is not contested (ruling 11)."""
    facts = state.facts
    victims = (seat, 1 - seat) if state.edition == "1.x" else (1 - seat,)
    return [
        space
        for space in range(len(facts.spaces))
        if not facts.is_sea[space] and any(state.is_friendly(space, victim) for victim in victims)
    ]


def _own_attacks(state: State, seat: int) -> list[int]:
    """Ruling 5: only battles in which the God's player attacks."""
    return sorted(space for space, fight in state.fights.items() if fight.attacker == seat)


def forced(state: State) -> tuple[int, Action] | None:
    """Where there is one choice everyone sees it: who holds which city is public."""
    seat = state.phase.seat  # type: ignore[union-attr]
    found = legal(state, seat)
    return (seat, found[0]) if len(found) == 1 else None


def play(state: State, seat: int, action: Action, events: list[Event]) -> None:
    """Carry out a God's choice."""
    if isinstance(action, Jupiter):
        _jupiter(state, seat, state.facts.space_index[action.space], events)
        return
    if isinstance(action, JupiterTo):
        _defect(state, seat, state.facts.space_index[action.space], events)
    elif isinstance(action, Vulcan):
        _vulcan(state, seat, state.facts.space_index[action.space], events)
    elif isinstance(action, Surprise):
        _surprise(state, seat, state.facts.space_index[action.space], events)
    else:
        assert isinstance(action, Decline)
        events.append(tell.Declined(SEATS[seat], "Jupiter" if isinstance(state.phase, JupiterCalls) else "Vulcan"))
    sequence.end_command(state, seat, events)


def _jupiter(state: State, seat: int, space: int, events: list[Event]) -> None:
    """Draw uniformly over the enemy blocks there (ruling 9); a leader or Navis is shown and loses a step instead."""
    facts, group = state.facts, state.stacks[1 - seat][space]
    events.append(tell.JupiterCalled(SEATS[seat], facts.spaces[space]))
    block = group[state.chance.draw(len(group))]
    name, victim = facts.blocks[block], SEATS[1 - seat]
    if not facts.is_leader[block] and not facts.is_navis[block]:
        looks = state.moved[block], state.reserve[block]
        events.append(_defecting(state, seat, block, space, None, looks))
        state.phase = Defection(seat, block)
        return
    events.append(tell.Shown(victim, name, facts.spaces[space], state.steps[block]))
    state.lose_step(block, events)
    if state.steps[block]:
        events.append(tell.Weakened(victim, name, state.steps[block]))
    state.calm(space)
    sequence.end_command(state, seat, events)


def _defect(state: State, seat: int, city: int, events: list[Event]) -> None:
    """Ruling 10: the defector keeps its strength and serves its new owner."""
    phase, facts = state.phase, state.facts
    assert isinstance(phase, Defection)
    block, space = phase.block, state.at[phase.block]
    looks = state.moved[block], state.reserve[block]
    state.turn_coat(block)
    state.shift(block, city)
    state.calm(space)
    events.append(_defecting(state, seat, block, space, facts.spaces[city], looks))


def _defecting(
    state: State, seat: int, block: int, space: int, city: str | None, looks: tuple[bool, bool]
) -> tell.Defecting:
    facts = state.facts
    colour, place = COLOURS[facts.colour[block]], facts.spaces[space]
    return tell.Defecting(SEATS[seat], facts.blocks[block], colour, place, city, state.steps[block], *looks)


def _vulcan(state: State, seat: int, city: int, events: list[Event]) -> None:
    """Vulcan: every block there loses a step; in 2.0 Cleopatra at strength I is spared."""
    facts = state.facts
    victim = seat if state.is_friendly(city, seat) else 1 - seat
    group = state.stacks[victim][city]
    events.append(tell.VulcanStruck(SEATS[seat], facts.spaces[city]))
    for block in group:
        if block == facts.cleopatra and state.steps[block] == 1 and state.edition == "2.0":
            continue
        state.lose_step(block, events)
        if state.steps[block] and state.side[block] == victim:
            name = facts.blocks[block]
            events.append(tell.StepLost(SEATS[victim], name, facts.spaces[city], state.steps[block]))
    if state.is_contested(city):
        # 1.x: Cleopatra changed sides (7.52), and the Vulcan player is the attacker.
        state.fights[city] = Fight(seat, NOBODY, ((), ()))


def name_surprise(state: State, seat: int, events: list[Event]) -> None:
    """Mars, Neptune: after the moves (ruling 5), choose the battle; one is taken unasked, none has no effect."""
    attacks = _own_attacks(state, seat)
    if len(attacks) > 1:
        state.phase = ChooseSurprise(seat)
        return
    if attacks:
        _surprise(state, seat, attacks[0], events)
    sequence.end_command(state, seat, events)


def _surprise(state: State, seat: int, space: int, events: list[Event]) -> None:
    state.surprise = space
    events.append(tell.SurpriseNamed(SEATS[seat], state.facts.spaces[space]))
