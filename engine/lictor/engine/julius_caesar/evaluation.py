"""A quick estimate of who will win, from full knowledge: for playouts and luck-adjusted results."""

from __future__ import annotations

import math

from lictor.engine.julius_caesar.facts import CAESAR, POMPEY
from lictor.engine.julius_caesar.phases import Over
from lictor.engine.julius_caesar.state import FIRST_YEAR, NOBODY, TURNS, State

YEARS = 5
# Logistic weights: points count for more as the end comes near, steps for less.
POINT_NOW, POINT_AT_END = 0.18, 0.75
STEP_NOW, STEP_AT_END = 0.05, 0.02


def evaluate(state: State, seat: int) -> float:
    """Estimate the chance of `seat` to win, between 0 and 1."""
    phase = state.phase
    if isinstance(phase, Over):
        return 0.5 if phase.winner == NOBODY else float(phase.winner == seat)
    played = ((state.year - FIRST_YEAR) * TURNS + state.turn - 1) / (YEARS * TURNS)
    points = state.victory_points()
    lead = points[CAESAR] - points[POMPEY]
    force = [0, 0]
    for block, steps in enumerate(state.steps):
        force[state.side[block]] += steps
    stronger = force[CAESAR] - force[POMPEY]
    score = lead * (POINT_NOW + (POINT_AT_END - POINT_NOW) * played)
    score += stronger * (STEP_NOW + (STEP_AT_END - STEP_NOW) * played)
    caesar = 1 / (1 + math.exp(-score))
    return caesar if seat == CAESAR else 1 - caesar
