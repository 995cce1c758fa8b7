"""A quick estimate of who will win, from full knowledge: for playouts and luck-adjusted results.

A logistic model of points, men, and who threatens whose cities. Its weights were fitted on 2,000 games of `advise`
against itself, all kept at zero or above, so that what looks like a gain is never taken for a loss.
"""

from __future__ import annotations

import math

from lictor.engine.julius_caesar.advice.forces import atlas_of, force, odds, threat
from lictor.engine.julius_caesar.facts import CAESAR, POMPEY
from lictor.engine.julius_caesar.phases import Over
from lictor.engine.julius_caesar.state import FIRST_YEAR, NOBODY, TURNS, State

YEARS = 5
NEARLY = 7  # points from which the ten that win come into reach
CAESARS, CAESARS_LATER = 0.275, 0.446  # he has the move; both weights for Caesar, the second grows with time
POINT, POINT_LATER = 0.105, 0.049
NEAR_WIN, NEAR_WIN_IN_WINTER = 0.313, 0.228  # a point beyond seven
HELD_LATER = 0.275  # a point that will be held if attacked
IN_REACH_IN_WINTER = 0.714  # a point that can be taken next turn
STEP, STEP_AT_SEA, PUNCH_LATER = 0.042, 0.042, 0.052


def evaluate(state: State, seat: int) -> float:
    """Estimate the chance of `seat` to win, between 0 and 1."""
    phase = state.phase
    if isinstance(phase, Over):
        return 0.5 if phase.winner == NOBODY else float(phase.winner == seat)
    caesar = 1 / (1 + math.exp(-_lead(state)))
    return caesar if seat == CAESAR else 1 - caesar


def _lead(state: State) -> float:
    """Return Caesar's lead on the logistic scale."""
    played = ((state.year - FIRST_YEAR) * TURNS + state.turn - 1) / (YEARS * TURNS)
    winter = (state.turn - 1) / (TURNS - 1)
    points = state.victory_points()
    nearly = max(points[CAESAR] - NEARLY, 0) - max(points[POMPEY] - NEARLY, 0)
    lead = CAESARS + CAESARS_LATER * played
    lead += (POINT + POINT_LATER * played) * (points[CAESAR] - points[POMPEY])
    lead += (NEAR_WIN + NEAR_WIN_IN_WINTER * winter) * nearly
    held, reach = _prospects(state)
    return lead + HELD_LATER * played * held + IN_REACH_IN_WINTER * winter * reach + _men(state, played)


def _men(state: State, played: float) -> float:
    facts, punch = state.facts, atlas_of(state.facts).punch
    lead = 0.0
    for block, steps in enumerate(state.steps):
        if steps:
            worth = STEP_AT_SEA * steps
            if not facts.is_navis[block]:
                worth = STEP * steps + PUNCH_LATER * played * punch[block][steps]
            lead += worth if state.side[block] == CAESAR else -worth
    return lead


def _prospects(state: State) -> tuple[float, float]:
    """Return the lead in points that would be held against an attack, and in points that could be taken."""
    held = reach = 0.0
    for city, value in state.facts.valued:
        for seat, sign in ((CAESAR, 1), (POMPEY, -1)):
            own, enemy = state.stacks[seat][city], state.stacks[1 - seat][city]
            if own and not enemy:
                safe = odds(force(state, own), threat(state, city, 1 - seat))
                held += sign * value * safe
                reach -= sign * value * (1 - safe)
            elif not own and not enemy:
                near = threat(state, city, seat)
                if near[1]:
                    reach += sign * 0.5 * value * odds(near, threat(state, city, 1 - seat))
    return held, reach
