"""2.1: the card phase, where both decide at once and in secret (ruling 1)."""

from __future__ import annotations

from lictor.engine.julius_caesar import events as tell
from lictor.engine.julius_caesar import sequence
from lictor.engine.julius_caesar.actions import Action, Discard, Play
from lictor.engine.julius_caesar.events import Event
from lictor.engine.julius_caesar.facts import APOLLO, CAESAR, POMPEY, SEATS
from lictor.engine.julius_caesar.phases import ChooseCard, ChooseDiscard
from lictor.engine.julius_caesar.state import FIRST_YEAR, NO_CARD, State


def legal(state: State, seat: int) -> list[Action]:
    """Return the cards `seat` may put away or play."""
    if isinstance(state.phase, ChooseDiscard):
        return [Discard(card) for card in state.hands[seat]]
    # Ruling 2: Apollo may not be played on the first turn of a year; there is no last turn to copy.
    return [Play(card) for card in state.hands[seat] if card != APOLLO or state.turn > 1]


def forced(state: State) -> tuple[int, Action] | None:
    """The last card is played: everyone can see that it is the last."""
    if isinstance(state.phase, ChooseCard):
        for seat in (CAESAR, POMPEY):
            if state.played[seat] == NO_CARD and len(state.hands[seat]) == 1:
                return seat, Play(state.hands[seat][0])
    return None


def play(state: State, seat: int, action: Action, events: list[Event]) -> None:
    """Take a seat's secret choice; go on when both have chosen."""
    assert isinstance(action, Discard | Play)
    state.hands[seat] = tuple([card for card in state.hands[seat] if card != action.card])
    if isinstance(action, Discard):
        state.discards[seat] = action.card
        events.append(tell.Discarded(SEATS[seat], action.card))
        if NO_CARD not in state.discards:
            events.append(tell.DiscardsMade())
            state.phase = ChooseCard()
    else:
        state.played[seat] = action.card
        events.append(tell.CardChosen(SEATS[seat], action.card))
        if NO_CARD not in state.played:
            _reveal(state, events)


def _reveal(state: State, events: list[Event]) -> None:
    cards = state.facts.cards
    events.append(
        tell.CardsRevealed(
            dict(zip(SEATS, state.played, strict=True)),
            {name: cards[card].name for name, card in zip(SEATS, state.played, strict=True)},
        )
    )
    state.spent = [(*state.spent[seat], state.played[seat]) for seat in (CAESAR, POMPEY)]
    if all(cards[card].god for card in state.played):
        # 2.1; Apollo is a God as well, and copies nothing then (ruling 3).
        events.append(tell.TurnCancelled())
        sequence.end_turn(state, events)
        return
    for seat in (CAESAR, POMPEY):
        if state.played[seat] == APOLLO:
            # Ruling 3: the copied card counts as played.
            state.played[seat] = state.last_played[1 - seat]
            events.append(tell.ApolloCopied(SEATS[seat], state.played[seat], cards[state.played[seat]].name))
    state.player1 = _first_player(state)
    events.append(tell.FirstPlayer(SEATS[state.player1], state.year, state.turn))
    sequence.begin_command(state, state.player1)


def _first_player(state: State) -> int:
    """2.1: the God player, else the higher move; a tie is Caesar's. Apollo counts as what it copies, in 1.x too."""
    if state.edition == "2.0" and state.year == FIRST_YEAR and state.turn == 1:
        return CAESAR
    caesar, pompey = (state.facts.cards[card] for card in state.played)
    if caesar.god or pompey.god:
        return CAESAR if caesar.god else POMPEY
    return CAESAR if caesar.move >= pompey.move else POMPEY
