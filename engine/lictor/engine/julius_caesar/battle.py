"""7.1-7.5: battles: turns by letter, fire, hits, reserves, disruption."""

from __future__ import annotations

from lictor.engine.julius_caesar import events as tell
from lictor.engine.julius_caesar import retreats
from lictor.engine.julius_caesar.actions import Action, Fire, Hit, Pass, PickBattle, Retreat
from lictor.engine.julius_caesar.events import Event
from lictor.engine.julius_caesar.facts import CAESAR, POMPEY, SEATS
from lictor.engine.julius_caesar.phases import Battle, ChooseBattle, RegroupPhase
from lictor.engine.julius_caesar.state import NOBODY, State

ROUNDS = 4
DIE = 6


def legal(state: State, seat: int) -> list[Action]:
    """Return the battles to pick, the hits to take, or what the blocks that have the turn may do."""
    phase, facts = state.phase, state.facts
    if isinstance(phase, ChooseBattle):
        return [PickBattle(facts.spaces[space]) for space in sorted(state.fights)]
    assert type(phase) is Battle
    if phase.hits:
        return [facts.hit[block] for block in _strongest(state, phase, seat)]
    found: list[Action] = []
    # Ruling 29: each attacker leaves on its own letter, under the fire of earlier defenders.
    must_leave = phase.round == ROUNDS and seat == phase.attacker
    for block in phase.ready:
        if not must_leave:
            found.append(facts.fire[block])
            found.append(facts.let_pass[block])
        if phase.round > 1:
            ways = retreats.ways(state, phase, block)
            found += [Retreat(facts.blocks[block], way) for way in ways]
            if must_leave and not ways:
                found.append(Retreat(facts.blocks[block], ()))
    return found


def _engaged(state: State, phase: Battle, seat: int) -> list[int]:
    """7.3: reserves do not fire, retreat or take hits in round 1; from round 2 on nobody is in reserve."""
    reserve = state.reserve
    return [block for block in state.stacks[seat][phase.space] if not reserve[block]]


def _strongest(state: State, phase: Battle, seat: int) -> list[int]:
    """7.4: a hit reduces the strongest block; of several the owner chooses."""
    dice, steps = state.facts.dice, state.steps
    blocks = _engaged(state, phase, seat)
    strength = [dice[block][steps[block]] for block in blocks]
    most = max(strength)
    return [block for block, strong in zip(blocks, strength, strict=True) if strong == most]


def forced(state: State) -> tuple[int, Action] | None:
    """All that decides is in sight: the only battle, the only strongest block, the only way out."""
    phase = state.phase
    if isinstance(phase, ChooseBattle):
        found = legal(state, state.player1)
        return (state.player1, found[0]) if len(found) == 1 else None
    assert type(phase) is Battle
    if phase.hits:
        victim = 1 - phase.side
        blocks = _strongest(state, phase, victim)
        return (victim, state.facts.hit[blocks[0]]) if len(blocks) == 1 else None
    if phase.round == ROUNDS and phase.side == phase.attacker and len(phase.ready) == 1:
        found = legal(state, phase.side)
        return (phase.side, found[0]) if len(found) == 1 else None
    return None


def play(state: State, seat: int, action: Action, events: list[Event]) -> None:
    """Pick a battle, fire, pass, retreat or take a hit; then see who has the next turn."""
    facts = state.facts
    if isinstance(action, PickBattle):
        _begin(state, facts.space_index[action.space], events)
        return
    phase = state.phase
    assert type(phase) is Battle
    if isinstance(action, Fire):
        _fire(state, phase, seat, facts.block_index[action.block], events)
    elif isinstance(action, Pass):
        phase.acted = (*phase.acted, facts.block_index[action.block])
        events.append(tell.Passed(SEATS[seat], action.block))
    elif isinstance(action, Hit):
        phase.hits -= 1
        _suffer(state, seat, facts.block_index[action.block], events)
    else:
        assert isinstance(action, Retreat)
        _leave(state, phase, seat, action, events)
    _go_on(state, phase, events)


def _begin(state: State, space: int, events: list[Event]) -> None:
    """7.1: reveal the blocks that fight in round 1."""
    attacker = state.fights[space].attacker
    phase = Battle(space, 1, attacker, (), {}, (False, False), 0, NOBODY, ())
    state.phase = phase
    events.append(tell.BattleBegan(state.facts.spaces[space], SEATS[attacker]))
    _reveal(state, phase, [b for seat in (CAESAR, POMPEY) for b in _engaged(state, phase, seat)], events)
    _go_on(state, phase, events)


def _reveal(state: State, phase: Battle, blocks: list[int], events: list[Event]) -> None:
    names = state.facts.blocks
    shown = tuple([(SEATS[state.side[b]], names[b], state.steps[b], state.moved[b]) for b in blocks])
    if shown:
        events.append(tell.Revealed(state.facts.spaces[phase.space], shown))


def _fire(state: State, phase: Battle, seat: int, block: int, events: list[Event]) -> None:
    """7.4: as many dice as strength; each at or below the firepower hits."""
    facts = state.facts
    phase.acted, phase.ready = (*phase.acted, block), ()
    dice = tuple([state.chance.draw(DIE) + 1 for _ in range(facts.dice[block][state.steps[block]])])
    phase.hits = sum([die <= facts.fire_power[block] for die in dice])
    events.append(tell.Fired(SEATS[seat], facts.blocks[block], dice, phase.hits))


def _suffer(state: State, seat: int, block: int, events: list[Event]) -> None:
    """7.4: one hit, one step, in sight of all."""
    name = state.facts.blocks[block]
    state.lose_step(block, events)
    if state.steps[block] and state.side[block] == seat:
        events.append(tell.Weakened(SEATS[seat], name, state.steps[block]))


def _leave(state: State, phase: Battle, seat: int, action: Retreat, events: list[Event]) -> None:
    """7.6: retreat; a block that must and cannot is eliminated.

    Cleopatra changes sides at strength I instead (7.52, ruling 31); she has neither fired, retreated nor passed, so
    that her battle turn is still to come, on her new side (ruling 30).
    """
    block = state.facts.block_index[action.block]
    if action.path:
        retreats.retreat(state, phase, seat, block, action.path, events)
    else:
        state.eliminate(block, events)


def _go_on(state: State, phase: Battle, events: list[Event]) -> None:
    """Find the next decision of the battle, or end it."""
    phase.acted = tuple([block for block in phase.acted if state.at[block] == phase.space])
    while True:
        space = phase.space
        for seat in (CAESAR, POMPEY):
            if not state.stacks[1 - seat][space]:
                _end(state, phase, seat, events)
                return
        mains = [_engaged(state, phase, seat) for seat in (CAESAR, POMPEY)]
        if phase.round == 1 and not all(mains):
            # Ruling 20: a main force is gone; surplus hits are lost and the round ends at once.
            phase.hits = 0
            _next_round(state, phase, events)
            continue
        if phase.hits:
            return
        if _next_turn(state, phase, mains):
            return
        _next_round(state, phase, events)


def _next_turn(state: State, phase: Battle, mains: list[list[int]]) -> bool:
    """7.2: letters in order, the defender first; surprise puts all attackers first, in round 1 only (ruling 6)."""
    facts, acted = state.facts, phase.acted
    attacker, defender = phase.attacker, 1 - phase.attacker
    surprise = phase.round == 1 and state.surprise == phase.space
    best = 99
    for seat in (defender, attacker):
        letters = facts.letter_attacking if seat == attacker else facts.letter_defending
        for block in mains[seat]:
            if block not in acted:
                rank = 2 * letters[block] + (seat == attacker)
                if surprise and seat == defender:
                    rank += 10
                if rank < best:
                    best, phase.side, ready = rank, seat, [block]
                elif rank == best:
                    ready.append(block)
    if best == 99:
        return False
    phase.ready = tuple(ready)
    return True


def _next_round(state: State, phase: Battle, events: list[Event]) -> None:
    """7.2, 7.3: reserves arrive in round 2, disrupted if their main force is gone (7.31)."""
    space = phase.space
    if phase.round == 1:
        _reserves_arrive(state, phase, events)
    phase.round += 1
    phase.acted, phase.roads, phase.sailed, phase.ready = (), {}, (False, False), ()
    if state.is_contested(space):
        events.append(tell.RoundBegan(state.facts.spaces[space], phase.round))


def _reserves_arrive(state: State, phase: Battle, events: list[Event]) -> None:
    """7.31: reserves whose main force is gone, also when Jupiter took it before the battle, lose a step."""
    space, place = phase.space, state.facts.spaces[phase.space]
    disrupted = [seat for seat in (CAESAR, POMPEY) if not _engaged(state, phase, seat)]
    reserves = [[b for b in state.stacks[seat][space] if state.reserve[b]] for seat in (CAESAR, POMPEY)]
    _reveal(state, phase, reserves[CAESAR] + reserves[POMPEY], events)
    for block in reserves[CAESAR] + reserves[POMPEY]:
        state.reserve[block] = False
    for seat in disrupted:
        # Ruling 21: disruption can kill.
        events.append(tell.Disrupted(SEATS[seat], place))
        for block in reserves[seat]:
            _suffer(state, seat, block, events)
        if seat != phase.attacker and state.stacks[seat][space]:
            # 7.31: the defender becomes the attacker for the rest of the battle (ruling 22).
            phase.attacker = seat
            state.fights[space] = state.fights[space]._replace(attacker=seat)
            events.append(tell.RolesTurned(SEATS[seat]))


def _end(state: State, phase: Battle, winner: int, events: list[Event]) -> None:
    """7.7: the victor may regroup."""
    state.calm(phase.space)
    state.phase = RegroupPhase(winner, phase.space, {})
    events.append(tell.BattleEnded(state.facts.spaces[phase.space], SEATS[winner]))
