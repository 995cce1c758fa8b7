"""What a sensible commander would do: the hand that plays in playouts, and the house bots `novice` and `steady`.

It is quick rather than deep: every chapter looks at the position once, gives each choice a worth in victory points, and
takes the best. It reads the state it is given, all of it: who may not know everything gives it a state from `sample`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from lictor.engine.chance import Chance
from lictor.engine.game import GameError
from lictor.engine.julius_caesar.actions import Action
from lictor.engine.julius_caesar.advice import battle, cards, gods, levies, moves, winter
from lictor.engine.julius_caesar.advice.style import STYLES, Style
from lictor.engine.julius_caesar.phases import (
    Battle,
    ChooseBattle,
    ChooseCard,
    ChooseDiscard,
    ChooseSurprise,
    Defection,
    Deploy,
    JupiterCalls,
    Levies,
    Moves,
    RegroupPhase,
    VulcanBurns,
    WinterDisband,
    WinterNavis,
)
from lictor.engine.julius_caesar.state import State

Advisor: TypeAlias = Callable[[State, int, Sequence[Action], Chance, Style], list[Action]]


def _keep(state: State, seat: int, legal: Sequence[Action], chance: Chance, style: Style) -> list[Action]:
    """5.3: the historical deployment is good enough."""
    return [legal[0]]


ADVISORS: dict[type, Advisor] = {
    Deploy: _keep,
    ChooseDiscard: cards.discard,
    ChooseCard: cards.play,
    JupiterCalls: gods.jupiter,
    Defection: gods.defection,
    VulcanBurns: gods.vulcan,
    ChooseSurprise: gods.surprise,
    Moves: moves.advise,
    Levies: levies.advise,
    ChooseBattle: battle.pick,
    Battle: battle.advise,
    RegroupPhase: battle.regroup,
    WinterNavis: winter.port,
    WinterDisband: winter.disband,
}


def advise(state: State, seat: int, legal: Sequence[Action], chance: Chance, style: str) -> list[Action]:
    """Return a legal action, and perhaps those that should follow it."""
    if style not in STYLES:
        raise GameError(f"there is no style {style!r:.40}; there are {', '.join(STYLES)}")
    if len(legal) == 1:
        return [legal[0]]
    return ADVISORS[type(state.phase)](state, seat, legal, chance, STYLES[style])
