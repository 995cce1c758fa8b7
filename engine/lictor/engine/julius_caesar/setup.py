"""5.0: deployment."""

from __future__ import annotations

from lictor.engine.chance import Chance
from lictor.engine.julius_caesar import events as tell
from lictor.engine.julius_caesar import years
from lictor.engine.julius_caesar.actions import END_DEPLOYMENT, Action, Swap
from lictor.engine.julius_caesar.events import Event
from lictor.engine.julius_caesar.facts import CAESAR, POMPEY, SEATS, Facts
from lictor.engine.julius_caesar.phases import Deploy
from lictor.engine.julius_caesar.state import State

MOST_SWAPS = 60


def new_game(facts: Facts, edition: str, deployment: str, chance: Chance) -> State:
    """5.1: deploy at full strength; 5.3: then Caesar, then Pompey may rearrange (ruling 40)."""
    state = State(facts, edition, deployment, chance)
    for block, space in facts.deployment.items():
        state.put(block, space)
        state.steps[block] = facts.full[block]
    if deployment == "free":
        state.phase = Deploy(CAESAR, 0)
    else:
        years.begin(state, [])
    return state


def legal(state: State, seat: int) -> list[Action]:
    """5.3: swap any two blocks of different cities; a Navis must stand in a port."""
    facts, phase = state.facts, state.phase
    assert isinstance(phase, Deploy)
    if phase.swaps == MOST_SWAPS:
        return [END_DEPLOYMENT]
    own = sorted((block for stack in state.stacks[seat] for block in stack), key=facts.blocks.__getitem__)
    found: list[Action] = [END_DEPLOYMENT]
    for number, one in enumerate(own):
        for other in own[number + 1 :]:
            here, there = state.at[one], state.at[other]
            fits = (not facts.is_navis[one] or facts.is_port[there]) and (
                not facts.is_navis[other] or facts.is_port[here]
            )
            if here != there and fits:
                found.append(Swap(facts.blocks[one], facts.blocks[other]))
    return found


def forced(state: State) -> tuple[int, Action] | None:
    """Nothing is: how often a seat has swapped is its own affair."""
    return None


def play(state: State, seat: int, action: Action, events: list[Event]) -> None:
    """Swap, or end the deployment."""
    phase = state.phase
    assert isinstance(phase, Deploy)
    if isinstance(action, Swap):
        one, other = state.facts.block_index[action.first], state.facts.block_index[action.second]
        here, there = state.at[one], state.at[other]
        state.shift(one, there)
        state.shift(other, here)
        phase.swaps += 1
        names = (state.facts.spaces[there], state.facts.spaces[here])
        events.append(tell.Swapped(SEATS[seat], (action.first, action.second), names))
        return
    events.append(tell.Deployed(SEATS[seat]))
    if seat == CAESAR:
        state.phase = Deploy(POMPEY, 0)
    else:
        years.begin(state, events)
