"""8.6: a year begins."""

from __future__ import annotations

from lictor.engine.julius_caesar import events as tell
from lictor.engine.julius_caesar.events import Event
from lictor.engine.julius_caesar.facts import SEATS
from lictor.engine.julius_caesar.phases import ChooseDiscard
from lictor.engine.julius_caesar.state import DEAD, NO_CARD, POOL, State

DECK, HAND = 27, 6


def begin(state: State, events: list[Event]) -> None:
    """8.6: return the eliminated blocks to their pools, shuffle, and deal six cards each."""
    for block, place in enumerate(state.at):
        # 7.51: dead leaders are trophies for ever.
        if place == DEAD and not state.facts.is_leader[block]:
            state.at[block] = POOL
    deck = list(range(1, DECK + 1))
    dealt = [deck.pop(state.chance.draw(len(deck))) for _ in range(2 * HAND)]
    state.hands = [tuple(sorted(dealt[:HAND])), tuple(sorted(dealt[HAND:]))]
    state.deck = tuple(deck)
    state.discards = [NO_CARD, NO_CARD]
    state.spent = [(), ()]
    state.last_played = [NO_CARD, NO_CARD]
    state.turn = 1
    state.phase = ChooseDiscard()
    events.append(tell.YearBegan(state.year, dict(zip(SEATS, state.hands, strict=True))))
