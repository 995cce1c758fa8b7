"""2.0: the sequence of a game turn."""

from __future__ import annotations

from lictor.engine.julius_caesar import winter
from lictor.engine.julius_caesar.events import Event
from lictor.engine.julius_caesar.facts import JUPITER, VULCAN
from lictor.engine.julius_caesar.phases import ChooseBattle, ChooseCard, JupiterCalls, Moves, VulcanBurns
from lictor.engine.julius_caesar.state import NO_CARD, NOBODY, TURNS, State


def begin_command(state: State, seat: int) -> None:
    """2.2: a seat moves and levies, or executes a God card."""
    card = state.facts.cards[state.played[seat]]
    if card.id == JUPITER:
        state.phase = JupiterCalls(seat)
    elif card.id == VULCAN:
        state.phase = VulcanBurns(seat)
    else:
        # Ruling 4: a God that moves gives one group move and nothing else.
        state.phase = Moves(seat, 1 if card.god else card.move, (), {}, ())


def end_command(state: State, seat: int, events: list[Event]) -> None:
    """2.2: after player 1 comes player 2, then the battles."""
    if seat == state.player1:
        begin_command(state, 1 - seat)
    else:
        begin_battles(state, events)


def begin_battles(state: State, events: list[Event]) -> None:
    """2.3: battles are fought one at a time, as player 1 picks them (ruling 19); then the turn ends."""
    if state.fights:
        state.phase = ChooseBattle()
    else:
        end_turn(state, events)


def end_turn(state: State, events: list[Event]) -> None:
    """2.0: five turns make a year; a cancelled fifth turn leads to winter as well (ruling 37)."""
    state.last_played = state.played  # of a cancelled turn as well (ruling 3)
    state.played = [NO_CARD, NO_CARD]
    state.player1 = state.surprise = NOBODY
    state.moved = [False] * len(state.moved)
    if state.turn < TURNS:
        state.turn += 1
        state.phase = ChooseCard()
    else:
        state.last_played = [NO_CARD, NO_CARD]
        winter.begin(state, events)
