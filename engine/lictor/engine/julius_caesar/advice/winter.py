"""8.3-8.5: ships to useful ports, and the least useful men sent home."""

from __future__ import annotations

from collections.abc import Sequence

from lictor.engine.chance import Chance
from lictor.engine.julius_caesar.actions import END_DISBAND, Action, Disband, Port
from lictor.engine.julius_caesar.advice.forces import atlas_of
from lictor.engine.julius_caesar.advice.style import Style
from lictor.engine.julius_caesar.state import State
from lictor.engine.julius_caesar.winter import CITY_SUPPLY


def port(state: State, seat: int, legal: Sequence[Action], chance: Chance, style: Style) -> list[Action]:
    """Bring ships to ports that can feed them, cities of value first."""
    facts = state.facts

    def worth(action: Action) -> float:
        assert isinstance(action, Port)
        space = facts.space_index[action.space]
        room = CITY_SUPPLY + facts.vp[space] - len(state.stacks[seat][space])
        return (2.0 if room > 0 else 0.0) + facts.vp[space] + style.misjudge(chance)

    return [max(legal, key=worth)]


def disband(state: State, seat: int, legal: Sequence[Action], chance: Chance, style: Style) -> list[Action]:
    """Send home whom the winter would starve, the weakest first; nobody else."""
    if END_DISBAND in legal[:1]:
        return [legal[0]]
    facts, punch = state.facts, atlas_of(state.facts).punch

    def worth(action: Action) -> float:
        assert isinstance(action, Disband)
        block = facts.block_index[action.block]
        value: float = (
            punch[block][state.steps[block]] + 0.1 * state.steps[block] + (0.3 if facts.is_leader[block] else 0)
        )
        return value + style.misjudge(chance)

    return [min(legal, key=worth)]
