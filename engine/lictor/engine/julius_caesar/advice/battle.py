"""7.0: which battle first, when to fire and when to leave, who takes the hits, and where the victors go."""

from __future__ import annotations

from collections.abc import Sequence

from lictor.engine.chance import Chance
from lictor.engine.julius_caesar.actions import Action, BlockAlong, Fire, Hit, PickBattle, Regroup, Retreat
from lictor.engine.julius_caesar.advice.forces import atlas_of, force, odds, threat
from lictor.engine.julius_caesar.advice.style import Style
from lictor.engine.julius_caesar.battle import ROUNDS
from lictor.engine.julius_caesar.phases import Battle, RegroupPhase
from lictor.engine.julius_caesar.state import TURNS, State
from lictor.engine.julius_caesar.winter import CITY_SUPPLY

_HOPELESS, _POOR = 0.2, 0.4


def pick(state: State, seat: int, legal: Sequence[Action], chance: Chance, style: Style) -> list[Action]:
    """Fight first where the odds are best: a won battle opens ways for the losers of the next."""
    facts = state.facts

    def worth(action: Action) -> float:
        assert isinstance(action, PickBattle)
        space = facts.space_index[action.space]
        return odds(force(state, state.stacks[seat][space]), force(state, state.stacks[1 - seat][space]))

    return [max(legal, key=worth)]


def advise(state: State, seat: int, legal: Sequence[Action], chance: Chance, style: Style) -> list[Action]:
    """Take a hit, leave, or fire."""
    phase, facts = state.phase, state.facts
    assert type(phase) is Battle
    if phase.hits:
        return [min(legal, key=lambda action: _loss(state, action))]
    ways = [action for action in legal if isinstance(action, Retreat)]
    fires = [action for action in legal if isinstance(action, Fire)]
    if ways and style.retreats and fires:
        leaver = _who_leaves(state, phase, seat)
        if leaver:
            ours = [way for way in ways if way.path and facts.block_index[way.block] in leaver]
            if ours:
                return [max(ours, key=lambda way: _refuge(state, seat, way))]
    if fires:
        return [max(fires, key=lambda action: state.steps[facts.block_index[action.block]])]
    return [max(ways, key=lambda way: _refuge(state, seat, way))]


def _loss(state: State, action: Action) -> float:
    """Return what a hit on a block costs."""
    assert isinstance(action, Hit)
    facts, block = state.facts, state.facts.block_index[action.block]
    punch, steps = atlas_of(facts).punch[block], state.steps[block]
    loss: float = punch[steps] - punch[steps - 1]
    if steps == 1:
        loss += 1.0 if facts.is_leader[block] else 0.2
    return loss + (0.1 if facts.is_leader[block] else 0.0)


def _who_leaves(state: State, phase: Battle, seat: int) -> list[int]:
    """Return which of the blocks that have the turn should leave: all in a lost battle, leaders before they die."""
    facts, space = state.facts, phase.space
    held = odds(force(state, state.stacks[seat][space]), force(state, state.stacks[1 - seat][space]))
    attacks = seat == phase.attacker
    lost = held < _HOPELESS or (attacks and held < _POOR and phase.round == ROUNDS - 1)
    # The last defenders of a city of value stay as long as there is any hope: the attacker must leave in the end.
    last = not attacks and len(phase.ready) == len(state.stacks[seat][space]) and facts.vp[space] > 0
    if lost and (not last or held < _HOPELESS / 2):
        return list(phase.ready)
    if held < _POOR:
        return [block for block in phase.ready if facts.is_leader[block] and state.steps[block] == 1]
    return []


def _refuge(state: State, seat: int, way: BlockAlong) -> float:
    """Return how good a place is to retreat to."""
    if not way.path:
        return -9.0
    facts, space = state.facts, state.facts.space_index[way.path[-1]]
    danger = threat(state, space, 1 - seat)
    held = odds(force(state, (*state.stacks[seat][space], facts.block_index[way.block])), danger)
    return held + 0.5 * facts.vp[space] - 0.01 * len(state.stacks[seat][space])


def regroup(state: State, seat: int, legal: Sequence[Action], chance: Chance, style: Style) -> list[Action]:
    """Take empty cities of value, relieve those in danger, and leave what the winter cannot feed."""
    phase, facts = state.phase, state.facts
    assert isinstance(phase, RegroupPhase)
    here = phase.space
    stack = state.stacks[seat][here]
    if len(stack) < 2:
        return [legal[0]]
    crowded = state.turn == TURNS and len(stack) > CITY_SUPPLY + facts.vp[here] and style.minds_supply
    best, found = (0.3, legal[0])
    punch = atlas_of(facts).punch
    for action in legal[1:]:
        assert isinstance(action, Regroup)
        space, block = facts.space_index[action.space], facts.block_index[action.block]
        if facts.is_sea[space]:
            continue
        empty = not state.stacks[seat][space]
        worth = facts.vp[space] * (1.0 if empty else 0.2) + (0.4 if crowded else 0.0)
        worth -= 0.1 * punch[block][state.steps[block]] + (0.3 if facts.is_leader[block] else 0.0)
        if len(state.stacks[seat][space]) >= CITY_SUPPLY + facts.vp[space]:
            worth -= 0.5
        worth += style.misjudge(chance)
        if worth > best:
            best, found = worth, action
    return [found]
