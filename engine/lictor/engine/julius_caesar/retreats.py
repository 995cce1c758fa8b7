"""7.6-7.8: retreats by land and sea, and regroups."""

from __future__ import annotations

from lictor.engine.julius_caesar import events as tell
from lictor.engine.julius_caesar import sequence
from lictor.engine.julius_caesar.actions import END_REGROUP, Action, Regroup
from lictor.engine.julius_caesar.events import Event
from lictor.engine.julius_caesar.facts import COLOURS, SEATS, Road
from lictor.engine.julius_caesar.phases import Battle, RegroupPhase
from lictor.engine.julius_caesar.state import State


def ways(state: State, phase: Battle, block: int) -> list[tuple[str, ...]]:
    """Return all ways by which a block may retreat."""
    facts, seat, space = state.facts, state.side[block], phase.space
    allowed = _attacker_may if seat == phase.attacker else _defender_may
    if facts.is_navis[block]:
        return [(facts.spaces[way.to],) for way in facts.borders[space] if allowed(state, seat, space, way)]
    by_land = [
        (facts.spaces[way.to],)
        for way in facts.roads[space]
        # 7.61, ruling 26: the counters are common to both sides.
        if allowed(state, seat, space, way) and phase.roads.get(way.edge, 0) < facts.limit_retreat[way.kind]
    ]
    return by_land + _sea_ways(state, phase, seat)


def _attacker_may(state: State, seat: int, space: int, way: Road) -> bool:
    """7.62, 7.82: to a friendly space, or a vacant one by which some own block came (ruling 23)."""
    if state.has_enemy(way.to, seat):
        return False
    return state.is_friendly(way.to, seat) or way.to in state.fights[space].entered[seat]


def _defender_may(state: State, seat: int, space: int, way: Road) -> bool:
    """7.63: to a friendly or vacant city, not by a way the attacker came (ruling 24)."""
    if state.has_enemy(way.to, seat):
        return False
    attackers_way = way.to in state.fights[space].entered[1 - seat]
    facts = state.facts
    if facts.is_sea[space] or facts.is_sea[way.to]:
        # 7.82, ruling 25: a Navis to a friendly sea or port by any border, to a vacant sea only by an unused one.
        return state.is_friendly(way.to, seat) or (facts.is_sea[way.to] and not attackers_way)
    return not attackers_way


def _sea_ways(state: State, phase: Battle, seat: int) -> list[tuple[str, ...]]:
    """7.64: one land block per round and side, over a friendly sea to a friendly port on it (rulings 27, 28)."""
    if phase.sailed[seat]:
        return []
    facts, space = state.facts, phase.space
    return [
        (facts.spaces[sea.to], facts.spaces[port.to])
        for sea in facts.borders[space]
        if state.is_friendly(sea.to, seat)
        for port in facts.borders[sea.to]
        if port.to != space and not facts.is_sea[port.to] and state.is_friendly(port.to, seat)
    ]


def retreat(state: State, phase: Battle, seat: int, block: int, path: tuple[str, ...], events: list[Event]) -> None:
    """Let a block retreat along `path`."""
    facts = state.facts
    events.append(tell.Retreated(SEATS[seat], facts.blocks[block], (facts.spaces[phase.space], *path)))
    target = facts.space_index[path[-1]]
    if len(path) == 2:
        phase.sailed = (seat == 0 or phase.sailed[0], seat == 1 or phase.sailed[1])
    else:
        edge = facts.edge_between[phase.space, target]
        phase.roads[edge] = phase.roads.get(edge, 0) + 1
    state.shift(block, target)


# 7.7 Regroups


def legal(state: State, seat: int) -> list[Action]:
    """7.7, 7.83: victorious blocks may go to an adjacent friendly or vacant space."""
    phase, facts = state.phase, state.facts
    assert isinstance(phase, RegroupPhase)
    found: list[Action] = [END_REGROUP]
    stack = state.stacks[seat][phase.space]
    by_land, by_sea = _open_ways(state, phase)
    for block in stack:
        name = facts.blocks[block]
        found += [Regroup(name, facts.spaces[to]) for to in (by_sea if facts.is_navis[block] else by_land)]
    return found


def _open_ways(state: State, phase: RegroupPhase) -> tuple[list[int], list[int]]:
    """Road limits apply (6.11), counted from zero (ruling 26); a Navis may leave a port as well (ruling 32)."""
    facts, seat = state.facts, phase.seat
    by_land = [
        way.to
        for way in facts.roads[phase.space]
        if not state.has_enemy(way.to, seat) and phase.roads.get(way.edge, 0) < facts.limit_regroup[way.kind]
    ]
    by_sea = [way.to for way in facts.borders[phase.space] if not state.has_enemy(way.to, seat)]
    return by_land, by_sea


def forced(state: State) -> tuple[int, Action] | None:
    """End the regroup when anyone can see that no piece has a way, whatever it is."""
    phase = state.phase
    assert isinstance(phase, RegroupPhase)
    if state.stacks[phase.seat][phase.space] and any(_open_ways(state, phase)):
        return None
    return phase.seat, END_REGROUP


def play(state: State, seat: int, action: Action, events: list[Event]) -> None:
    """Regroup a block, or go on to the next battle."""
    phase, facts = state.phase, state.facts
    assert isinstance(phase, RegroupPhase)
    if isinstance(action, Regroup):
        block, target = facts.block_index[action.block], facts.space_index[action.space]
        edge = facts.edge_between[phase.space, target]
        phase.roads[edge] = phase.roads.get(edge, 0) + 1
        state.shift(block, target)
        colour = COLOURS[facts.colour[block]]
        path = (facts.spaces[phase.space], action.space)
        events.append(tell.Regrouped(SEATS[seat], action.block, colour, path, state.moved[block]))
    else:
        events.append(tell.RegroupEnded(SEATS[seat], facts.spaces[phase.space]))
        sequence.begin_battles(state, events)
