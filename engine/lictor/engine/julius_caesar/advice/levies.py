"""6.4: men for the front, and no more than the winter can feed."""

from __future__ import annotations

from collections.abc import Sequence

from lictor.engine.chance import Chance
from lictor.engine.julius_caesar.actions import Action, Levy, Reinforce
from lictor.engine.julius_caesar.advice.forces import FAR, atlas_of, force, odds, threat
from lictor.engine.julius_caesar.advice.style import Style
from lictor.engine.julius_caesar.state import TURNS, State
from lictor.engine.julius_caesar.winter import CITY_SUPPLY

_NEW_MEN = 0.25  # a new block can grow, stand guard and take hits
_NAVIS = 0.4


def advise(state: State, seat: int, legal: Sequence[Action], chance: Chance, style: Style) -> list[Action]:
    """Raise the man that is worth most; there is hardly a reason to raise none."""
    facts, punch, steps = state.facts, atlas_of(state.facts).punch, state.steps
    places: dict[int, float] = {}
    best, found = -1.0, legal[0]
    for action in legal[1:]:
        if isinstance(action, Levy):
            block, space = facts.block_index[action.block], facts.space_index[action.space]
            gain = punch[block][1] + _NEW_MEN + 0.12 * facts.full[block]
            if facts.is_leader[block]:
                gain += 0.5
            if style.minds_supply and _is_full(state, seat, space):
                gain -= 0.6
        else:
            assert isinstance(action, Reinforce)
            block = facts.block_index[action.block]
            space = state.at[block]
            gain = punch[block][steps[block] + 1] - punch[block][steps[block]] + 0.2
            if facts.is_leader[block] and steps[block] == 1:
                gain += 0.2
        if facts.is_navis[block]:
            gain *= _NAVIS
        if space not in places:
            places[space] = _use(state, seat, space) if style.minds_supply else 1.0
        gain = gain * places[space] + style.misjudge(chance)
        if gain > best:
            best, found = gain, action
    return [found]


def _use(state: State, seat: int, space: int) -> float:
    """Return how much men are needed in a city: near the enemy, unless it is lost anyway."""
    near = atlas_of(state.facts).distance[space]
    away = min([near[other] for other, stack in enumerate(state.stacks[1 - seat]) if stack], default=FAR)
    use = 1.3 if away <= 2 else 1.0 if away <= 3 else 0.7
    held = odds(force(state, state.stacks[seat][space]), threat(state, space, 1 - seat))
    return use * (0.6 + 0.4 * held) + 0.3 * state.facts.vp[space] * (1 - held)


def _is_full(state: State, seat: int, space: int) -> bool:
    """8.4: tell whether one more block here would starve, if it stayed."""
    late = state.turn >= TURNS - 1
    return late and len(state.stacks[seat][space]) >= CITY_SUPPLY + state.facts.vp[space]
