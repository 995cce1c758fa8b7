"""The truth is never excluded by what a viewer can believe."""

from collections import Counter

import pytest

from lictor.engine import julius_caesar as game
from lictor.engine.chance import SeededChance
from lictor.engine.game import SPECTATOR, seen_events
from lictor.engine.julius_caesar.belief import Belief
from lictor.engine.julius_caesar.facts import GREEN, SEATS, TAN
from lictor.engine.julius_caesar.matching import assign
from lictor.engine.julius_caesar.state import DEAD, POOL, State


def hidden_blocks(state: State, colour: int, viewer: str) -> list[int]:
    """Return the blocks of a colour whose place the viewer does not know by name."""

    def is_hidden(block: int) -> bool:
        if state.at[block] == POOL:
            return SEATS[colour] != viewer
        return state.at[block] != DEAD and SEATS[state.side[block]] != viewer

    return [block for block in state.facts.owned[colour] if is_hidden(block)]


def excluded(state: State, belief: Belief, viewer: str) -> list[str]:
    """Return what is true of a state and cannot be believed."""
    facts, found = state.facts, []
    for colour in (TAN, GREEN):
        blocks = hidden_blocks(state, colour, viewer)

        def may_be(block: int, token: int, colour: int = colour) -> bool:
            if belief.place[token] != state.at[block] or token not in belief.where[block]:
                return False
            if state.at[block] == POOL:
                return True
            least, most = belief.bounds(token, block)
            return belief.side[token] == state.side[block] and least <= state.steps[block] <= most

        tokens = [{token for token in facts.owned[colour] if may_be(block, token)} for block in blocks]
        if assign(tokens, SeededChance(1)) is None:
            found.append(f"the {'tan' if colour == TAN else 'green'} blocks")
    cleopatra = facts.cleopatra
    if SEATS[state.side[cleopatra]] != viewer:
        least, most = belief.bounds(cleopatra, cleopatra)
        placed = (belief.place[cleopatra], belief.side[cleopatra]) == (state.at[cleopatra], state.side[cleopatra])
        if not placed or not least <= state.steps[cleopatra] <= most:
            found.append("Cleopatra")
    return found


@pytest.mark.parametrize("seed", range(12))
def test_the_truth_can_always_be_believed(seed: int) -> None:
    options = {"edition": ("2.0", "1.x")[seed % 2], "deployment": ("historical", "free")[seed // 2 % 2]}
    state, choose = game.new_game(options, SeededChance(seed)), SeededChance(seed + 10**9)
    beliefs = {viewer: Belief(state.facts, options["deployment"], viewer) for viewer in (*SEATS, SPECTATOR)}
    step = 0
    while seats := game.to_act(state):
        seat = seats[choose.draw(len(seats))]
        action = game.FOG.choose(state, seat, game.legal_actions(state, seat), choose)
        events = game.apply(state, seat, action)
        for viewer, belief in beliefs.items():
            for event in seen_events(events, viewer):
                belief.see(event)
            assert excluded(state, belief, viewer) == [], f"step {step}: {viewer} after {seat} {action}"
        step += 1


def test_a_belief_is_worth_having() -> None:
    """In the historical deployment nearly everything is still known after a few turns."""
    state, choose = game.new_game({}, SeededChance(3)), SeededChance(3)
    belief = Belief(state.facts, "historical", "caesar")
    for _ in range(40):
        seat = game.to_act(state)[0]
        actions = game.legal_actions(state, seat)
        for event in seen_events(game.apply(state, seat, actions[choose.draw(len(actions))]), "caesar"):
            belief.see(event)
    known = Counter(len(belief.where[block]) == 1 for block in state.facts.owned[GREEN])
    assert known[True] > known[False]
