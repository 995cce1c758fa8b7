"""6.1-6.3: group moves, Navis moves, amphibious moves."""

from __future__ import annotations

from lictor.engine.julius_caesar import events as tell
from lictor.engine.julius_caesar import gods, sequence
from lictor.engine.julius_caesar.actions import END_MOVES, Action, Move, Sail
from lictor.engine.julius_caesar.events import Event
from lictor.engine.julius_caesar.facts import COLOURS, MARS, MERCURY, NEPTUNE, PLUTO, SEATS, Path
from lictor.engine.julius_caesar.phases import Levies, Moves
from lictor.engine.julius_caesar.state import Fight, State

LAND_GODS = (MARS, MERCURY, PLUTO)


def legal(state: State, seat: int) -> list[Action]:
    """Return all moves of all blocks of `seat`, voyages first."""
    phase, facts = state.phase, state.facts
    assert type(phase) is Moves
    card = state.played[seat]
    navis_move, land_moves = card not in LAND_GODS, card != NEPTUNE
    own, moved, is_sea, is_port = state.stacks[seat], state.moved, facts.is_sea, facts.is_port
    found: list[Action] = [END_MOVES]
    if phase.points and not phase.opened and not facts.cards[card].god:
        found += _voyages(state, phase)
    # 6.1: a group that has been paid for, or any group while points last.
    origins = range(len(own)) if phase.points else phase.opened
    for origin in origins:
        stack = own[origin]
        if not stack:
            continue
        blocks = [block for block in stack if not moved[block]]
        if not blocks or (origin in state.fights and _is_pinned(state, origin, seat)):
            continue
        if is_sea[origin]:
            # Ruling 15: one Navis must stay in each sea that was crossed.
            if navis_move and (origin not in phase.kept or len(stack) > 1):
                _march(state, phase, facts.sea_paths[origin], blocks, found)
            continue
        if is_port[origin]:
            fleet = [block for block in blocks if facts.is_navis[block]]
            if fleet:
                if navis_move:
                    _march(state, phase, facts.sea_paths[origin], fleet, found)
                blocks = [block for block in blocks if not facts.is_navis[block]]
        if blocks and land_moves:
            _march(state, phase, facts.land_paths[origin], blocks, found)
    return found


def _march(state: State, phase: Moves, paths: tuple[Path, ...], blocks: list[int], found: list[Action]) -> None:
    """Add the moves of `blocks` along `paths`: one step, or two if the first meets no enemy and the second neither."""
    seat, facts, roads = phase.seat, state.facts, phase.roads
    enemy = state.stacks[1 - seat]
    card = state.played[seat]
    limit = facts.limit_move
    attack_limit = facts.limit_pluto if card == PLUTO else facts.limit_attack
    banned = _banned(state, state.at[blocks[0]], seat) if state.fights else ()
    for path in paths:
        if path.to in banned:
            continue
        used = roads.get(path.edge, 0)
        if enemy[path.to]:
            # 6.12: attack or respond (6.14), and stop; the limit goes by who stands there now (ruling 8).
            if used < attack_limit[path.kind]:
                orders = path.orders or facts.orders(path)
                found += [orders[block] for block in blocks]
            continue
        if used >= limit[path.kind]:
            continue
        orders = path.orders or facts.orders(path)
        found += [orders[block] for block in blocks]
        if card == MERCURY:
            _march_on(state, phase, path, blocks, found)
            continue
        for further in path.further:
            # 2.2: a block that moves two spaces cannot attack or reinforce.
            if not enemy[further.to] and roads.get(further.edge, 0) < limit[further.kind]:
                orders = further.orders or facts.orders(further)
                found += [orders[block] for block in blocks]


def _march_on(state: State, phase: Moves, path: Path, blocks: list[int], found: list[Action]) -> None:
    """Mercury: the second step may attack; a third may not (ruling 7)."""
    facts, roads, enemy = state.facts, phase.roads, state.stacks[1 - phase.seat]
    for second in path.further:
        attacks = bool(enemy[second.to])
        limit = facts.limit_attack if attacks else facts.limit_move
        if roads.get(second.edge, 0) >= limit[second.kind]:
            continue
        found += [facts.orders(second)[block] for block in blocks]
        if attacks:
            continue
        for third in second.further:
            if not enemy[third.to] and roads.get(third.edge, 0) < facts.limit_move[third.kind]:
                found += [facts.orders(third)[block] for block in blocks]


def _is_pinned(state: State, space: int, seat: int) -> bool:
    """6.13: attackers pin as many defenders; reserves neither pin nor are counted (6.14, ruling 12)."""
    if state.fights[space].attacker == seat:
        return False
    pinned = [block for block in state.stacks[seat][space] if not state.reserve[block]]
    pinning = [block for block in state.stacks[1 - seat][space] if not state.reserve[block]]
    return len(pinned) <= len(pinning)


def _banned(state: State, space: int, seat: int) -> tuple[int, ...]:
    """6.13: who leaves a battle may not use a road or border the enemy used to enter it (ruling 13)."""
    fight = state.fights.get(space)
    return fight.entered[1 - seat] if fight else ()


def _voyages(state: State, phase: Moves) -> list[Action]:
    """6.3: land blocks go from port to port over friendly seas; whole paths only (ruling 14)."""
    facts, seat = state.facts, phase.seat
    friendly = [sea for sea in facts.seas if state.is_friendly(sea, seat)]
    if not friendly:
        return []
    found: list[Action] = []
    for origin in {way.to for sea in friendly for way in facts.borders[sea] if not facts.is_sea[way.to]}:
        if origin in state.fights and _is_pinned(state, origin, seat):
            continue
        blocks = [b for b in state.stacks[seat][origin] if not state.moved[b] and not facts.is_navis[b]]
        if blocks:
            banned = _banned(state, origin, seat)
            seas = [way.to for way in facts.borders[origin] if way.to in friendly and way.to not in banned]
            for path in _sea_paths(state, seat, origin, seas, friendly):
                names = tuple([facts.spaces[space] for space in path])
                found += [Sail(facts.blocks[block], names) for block in blocks]
    return sorted(found, key=str)


def _sea_paths(state: State, seat: int, origin: int, seas: list[int], friendly: list[int]) -> list[tuple[int, ...]]:
    facts = state.facts
    done: list[tuple[int, ...]] = []
    open_paths: list[tuple[int, ...]] = [(sea,) for sea in seas]
    while open_paths:
        path = open_paths.pop()
        for way in facts.borders[path[-1]]:
            if facts.is_sea[way.to]:
                if way.to in friendly and way.to not in path:
                    open_paths.append((*path, way.to))
            elif way.to != origin and not state.has_enemy(way.to, seat):
                done.append((*path, way.to))
    return done


def forced(state: State) -> tuple[int, Action] | None:
    """End the moves when anyone can see that nothing can move, whatever the pieces are."""
    phase = state.phase
    assert type(phase) is Moves
    return None if _could_move(state, phase) else (phase.seat, END_MOVES)


def _could_move(state: State, phase: Moves) -> bool:
    """Tell whether a piece of unknown kind could move: in a port it may be a Navis or not."""
    facts, seat, own, moved = state.facts, phase.seat, state.stacks[phase.seat], state.moved
    card = state.played[seat]
    sails = bool(phase.points) and not phase.opened and not facts.cards[card].god
    enemy = state.stacks[1 - seat]
    limits = facts.limit_move, facts.limit_pluto if card == PLUTO else facts.limit_attack
    for origin in range(len(own)) if phase.points else phase.opened:
        stack = own[origin]
        if not stack or all(moved[block] for block in stack):
            continue
        if origin in state.fights and _is_pinned(state, origin, seat):
            continue
        if origin in phase.kept and len(stack) == 1:
            continue
        if sails and facts.is_port[origin]:
            return True
        banned = _banned(state, origin, seat)
        ways = (facts.roads[origin] if card != NEPTUNE else []) + (
            facts.borders[origin] if card not in LAND_GODS else []
        )
        for way in ways:
            if way.to not in banned and phase.roads.get(way.edge, 0) < limits[bool(enemy[way.to])][way.kind]:
                return True
    return False


def play(state: State, seat: int, action: Action, events: list[Event]) -> None:
    """Move a block, or end the moves."""
    phase = state.phase
    assert type(phase) is Moves
    if isinstance(action, Move):
        _play_move(state, phase, action, events)
    elif isinstance(action, Sail):
        _play_sail(state, phase, action, events)
    else:
        _end_moves(state, phase, events)


def _play_move(state: State, phase: Moves, action: Move, events: list[Event]) -> None:
    facts, seat = state.facts, phase.seat
    block = facts.block_index[action.block]
    here = origin = state.at[block]
    if origin not in phase.opened:
        phase.opened = tuple(sorted((*phase.opened, origin)))
        phase.points -= 1
    for name in action.path:
        before, here = here, facts.space_index[name]
        edge = facts.edge_between[before, here]
        phase.roads[edge] = phase.roads.get(edge, 0) + 1
    state.shift(block, here)
    state.moved[block] = True
    attacks = state.has_enemy(here, seat)
    if attacks:
        _enter_fight(state, seat, block, here, before)
    path = (facts.spaces[origin], *action.path)
    colour = COLOURS[facts.colour[block]]
    events.append(tell.Moved(SEATS[seat], action.block, colour, path, False, attacks, state.reserve[block]))


def _enter_fight(state: State, seat: int, block: int, space: int, came_from: int) -> None:
    """6.12, 7.3: the first way in is the main attack; other ways, and all who respond (6.14), are reserves.

    Navis count as land blocks do (ruling 39).
    """
    fight = state.fights.get(space)
    if fight is None:
        fight = Fight(seat, came_from, ((), ()))
    elif fight.attacker != seat or fight.main != came_from:
        state.reserve[block] = True
    entered = [*fight.entered]
    if came_from not in entered[seat]:
        entered[seat] = (*entered[seat], came_from)
    state.fights[space] = Fight(fight.attacker, fight.main, (entered[0], entered[1]))


def _play_sail(state: State, phase: Moves, action: Sail, events: list[Event]) -> None:
    facts = state.facts
    block = facts.block_index[action.block]
    path = (facts.spaces[state.at[block]], *action.path)
    phase.points -= 1
    seas = [facts.space_index[name] for name in action.path[:-1]]
    phase.kept = (*phase.kept, *(sea for sea in seas if sea not in phase.kept))
    state.shift(block, facts.space_index[action.path[-1]])
    state.moved[block] = True
    colour = COLOURS[facts.colour[block]]
    events.append(tell.Moved(SEATS[phase.seat], action.block, colour, path, True, False, False))


def _end_moves(state: State, phase: Moves, events: list[Event]) -> None:
    seat, card = phase.seat, state.facts.cards[state.played[phase.seat]]
    events.append(tell.MovesEnded(SEATS[seat], phase.points))
    if not card.god:
        state.phase = Levies(seat, card.levy)
    elif card.id in (MARS, NEPTUNE):
        gods.name_surprise(state, seat, events)
    else:
        sequence.end_command(state, seat, events)
