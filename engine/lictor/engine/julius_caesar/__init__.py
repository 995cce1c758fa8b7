"""Julius Caesar (Columbia Games), editions 2.0 and 1.x: the rules, complete. Chapters are modules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from lictor.engine.chance import Chance, NoChance
from lictor.engine.game import (
    BadState,
    IllegalAction,
    Option,
    Options,
    Outcome,
    Seat,
    UnknownSeat,
    Viewer,
    settle_options,
    sha256_of,
)
from lictor.engine.julius_caesar import (
    advice,
    battle,
    cards,
    evaluation,
    gods,
    levies,
    loads,
    movement,
    retreats,
    setup,
    winter,
)
from lictor.engine.julius_caesar.actions import ACTION_TYPES, Action, parse_action
from lictor.engine.julius_caesar.catalog import catalog_of
from lictor.engine.julius_caesar.claims import believe, holds, parse_claim
from lictor.engine.julius_caesar.dumps import dump
from lictor.engine.julius_caesar.events import Event
from lictor.engine.julius_caesar.facts import EDITIONS, NAME, RULES_EPOCH, SEATS, facts_for
from lictor.engine.julius_caesar.fog import FOG
from lictor.engine.julius_caesar.observation import Observation, observation
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
    Over,
    RegroupPhase,
    VulcanBurns,
    WinterDisband,
    WinterNavis,
)
from lictor.engine.julius_caesar.sampling import remember, sample
from lictor.engine.julius_caesar.snapshots import snapshot
from lictor.engine.julius_caesar.state import FIRST_YEAR, NOBODY, TURNS, State, deciders
from lictor.engine.julius_caesar.worlds import counterpart, redeal

__all__ = [
    "EDITIONS", "FOG", "NAME", "OPTIONS", "RULES_EPOCH", "SEATS", "Action", "Event", "Observation", "State", "advise",
    "apply", "believe", "catalog", "copy", "counterpart", "describe", "digest", "dump", "evaluate", "holds",
    "legal_actions", "load", "new_game", "observation", "outcome", "parse_action", "parse_claim", "redeal", "remember",
    "sample", "score", "snapshot", "to_act", "turn_number",
]  # fmt: skip

OPTIONS = {
    "edition": Option("2.0", "the rulebook: 2.0 of 2023, or the older 1.x", EDITIONS),
    "deployment": Option(
        "historical", "the historical set-up (5.1), or free swaps of it (5.3)", ("historical", "free")
    ),
    "data": Option(None, "a parsed data mapping in place of the one that comes with the game"),
}


class Chapter(Protocol):
    """A chapter of the rulebook: what may be done in its phases, what everyone sees must be, and how it is done."""

    def legal(self, state: State, seat: int) -> list[Action]: ...
    def forced(self, state: State) -> tuple[int, Action] | None: ...
    def play(self, state: State, seat: int, action: Action, events: list[Event]) -> None: ...


CHAPTERS: dict[type, Chapter] = {
    Deploy: setup,
    ChooseDiscard: cards,
    ChooseCard: cards,
    JupiterCalls: gods,
    Defection: gods,
    VulcanBurns: gods,
    ChooseSurprise: gods,
    Moves: movement,
    Levies: levies,
    ChooseBattle: battle,
    Battle: battle,
    RegroupPhase: retreats,
    WinterNavis: winter,
    WinterDisband: winter,
}


def new_game(options: Options, chance: Chance) -> State:
    """Set up a game that draws from `chance` for the rest of its life."""
    settled = settle_options(OPTIONS, options)
    facts = facts_for(settled["data"])
    return setup.new_game(facts, str(settled["edition"]), str(settled["deployment"]), chance)


def to_act(state: State) -> tuple[Seat, ...]:
    """Return the seats that owe a decision."""
    return tuple([SEATS[seat] for seat in deciders(state)])


def legal_actions(state: State, seat: Seat) -> list[Action]:
    """Return every action `seat` may take now."""
    return _legal(state, _seat_index(seat)).copy()


def _legal(state: State, seat: int) -> list[Action]:
    known = state.known_legal
    if known is not None and known[0] == seat:
        return known[1]
    found = CHAPTERS[type(state.phase)].legal(state, seat) if seat in deciders(state) else []
    state.known_legal = (seat, found)
    return found


def apply(state: State, seat: Seat, action: Action) -> list[Event]:
    """Carry out `action` in place, with all that everyone can see must follow; or raise `IllegalAction`."""
    index = _seat_index(seat)
    if index not in deciders(state):
        raise IllegalAction(f"{seat} has nothing to decide now")
    if not isinstance(action, ACTION_TYPES):
        raise IllegalAction(f"a {type(action).__name__} is no action: take one from legal_actions or parse_action")
    if action not in _legal(state, index):
        raise IllegalAction(f"{seat} may not {action!s:.80}: it is not among his legal actions")
    state.known_legal = None
    events: list[Event] = []
    CHAPTERS[type(state.phase)].play(state, index, action, events)
    while not isinstance(state.phase, Over):
        step = CHAPTERS[type(state.phase)].forced(state)
        if step is None:
            break
        CHAPTERS[type(state.phase)].play(state, step[0], step[1], events)
    return events


def outcome(state: State) -> Outcome | None:
    """Return how the game ended, or `None` while it goes on."""
    phase = state.phase
    if not isinstance(phase, Over):
        return None
    winner = None if phase.winner == NOBODY else SEATS[phase.winner]
    return Outcome(winner, phase.reason, score(state))


def score(state: State) -> dict[Seat, int]:
    """Return the victory points of each seat (1.2)."""
    return dict(zip(SEATS, state.victory_points(), strict=True))


def turn_number(state: State) -> int:
    """Return how many game turns have begun: five a year (2.0)."""
    return (state.year - FIRST_YEAR) * TURNS + state.turn


def describe(event: Event, viewer: Viewer) -> str:
    """Tell in words what `viewer` sees of `event`; empty if nothing."""
    seen = event.seen_by(viewer)
    return "" if seen is None else seen.words()


def catalog(options: Options) -> dict[str, Any]:
    """Return the static data a client needs."""
    settled = settle_options(OPTIONS, options)
    return catalog_of(facts_for(settled["data"]), str(settled["edition"]), str(settled["deployment"]))


def evaluate(state: State, seat: Seat) -> float:
    """Estimate `seat`'s chance to win, between 0 and 1, from full knowledge."""
    return evaluation.evaluate(state, _seat_index(seat))


def advise(state: State, seat: Seat, chance: Chance, style: str = "steady") -> list[Action]:
    """Return a legal action that a sensible player of `style` might take, and perhaps those to follow it."""
    return advice.advise(state, _seat_index(seat), _legal(state, _seat_index(seat)), chance, style)


def load(dumped: Mapping[str, Any], chance: Chance) -> State:
    """Rebuild a state from `dump`, or raise `BadState`."""
    state = loads.load(dumped, chance)
    waiting = [SEATS[seat] for seat in deciders(state) if not _legal(state, seat)]
    if waiting or (not deciders(state) and not isinstance(state.phase, Over)):
        raise BadState(f"phase: there is nothing to decide for {' and '.join(waiting) or 'anybody'}")
    state.known_legal = None
    return state


def digest(state: State) -> str:
    """Return the SHA-256 of the canonical JSON of `dump`."""
    return sha256_of(dump(state))


def copy(state: State, chance: Chance | None = None) -> State:
    """Return an independent twin that draws from `chance`; without one, drawing is an error."""
    return state.copy(NoChance() if chance is None else chance)


def _seat_index(seat: Seat) -> int:
    if seat not in SEATS:
        raise UnknownSeat(f"there is no seat {seat!r:.40}; there are {' and '.join(SEATS)}")
    return SEATS.index(seat)
