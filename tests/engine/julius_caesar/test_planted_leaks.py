"""Leaks planted on purpose: the fog law must catch every one, or it proves nothing."""

import types
from collections.abc import Callable
from typing import Any

import pytest

from lictor.engine import julius_caesar
from lictor.engine.fog import check_games
from lictor.engine.game import IllegalAction
from lictor.engine.julius_caesar import events as told
from lictor.engine.julius_caesar.facts import SEATS
from lictor.engine.julius_caesar.observation import RoadUse
from lictor.engine.julius_caesar.phases import Battle, ChooseCard, Levies
from lictor.engine.julius_caesar.state import State

OPTIONS = [{"deployment": "historical"}, {"deployment": "free"}]
STATES = 400


def enemy_of(viewer: str) -> int:
    return 1 - SEATS.index(viewer) if viewer in SEATS else 1


def planted(**changes: Any) -> Any:
    """Return the game with some of its functions replaced."""
    names = {name: getattr(julius_caesar, name) for name in julius_caesar.__all__}
    return types.SimpleNamespace(**{**names, **changes})


def watching(change: Callable[[State, str, Any], Any]) -> Any:
    """Return a game whose observations are changed."""
    return planted(observation=lambda s, v: change(s, v, julius_caesar.observation(s, v)))


def list_order() -> Any:
    """Pieces listed in the order of the hidden blocks."""

    def change(state: State, viewer: str, seen: Any) -> Any:
        first = {state.facts.spaces[s]: stack for s, stack in enumerate(state.stacks[enemy_of(viewer)])}
        return seen._replace(pieces=tuple(sorted(seen.pieces, key=lambda row: first.get(row.space, ()))))

    return watching(change)


def moved_flag() -> Any:
    """A leader's piece shows as moved."""

    def change(state: State, viewer: str, seen: Any) -> Any:
        led = {state.facts.spaces[state.at[b]] for b in state.facts.leaders if state.at[b] >= 0}
        return seen._replace(pieces=tuple(row._replace(moved=row.moved or row.space in led) for row in seen.pieces))

    return watching(change)


def pool() -> Any:
    """The enemy's pool by name."""

    def change(state: State, viewer: str, seen: Any) -> Any:
        enemy = julius_caesar.observation(state, SEATS[enemy_of(viewer)])
        return seen._replace(pool=seen.pool + enemy.pool[:1])

    return watching(change)


def pool_size() -> Any:
    """The number of Navis in the enemy's pool."""

    def change(state: State, viewer: str, seen: Any) -> Any:
        fleet = sum(state.at[b] == -1 and state.facts.is_navis[b] for b in state.facts.owned[enemy_of(viewer)])
        return seen._replace(pool_sizes=(*seen.pool_sizes, fleet))

    return watching(change)


def reserve() -> Any:
    """Reserves tipped forward in round 1."""

    def change(state: State, viewer: str, seen: Any) -> Any:
        phase = state.phase
        if not isinstance(phase, Battle):
            return seen
        here = state.stacks[enemy_of(viewer)][phase.space]
        shown = tuple(state.facts.blocks[b] for b in here if state.reserve[b])
        return seen._replace(edition=seen.edition + "".join(shown))

    return watching(change)


def discard() -> Any:
    """The enemy's discard."""
    return watching(lambda s, v, seen: seen._replace(discard=s.discards[enemy_of(v)]))


def hand() -> Any:
    """Whether the enemy holds a God."""
    return watching(lambda s, v, seen: seen._replace(turn=seen.turn + 10 * any(c < 8 for c in s.hands[enemy_of(v)])))


def deck() -> Any:
    """The first card of the deck."""
    return watching(lambda s, v, seen: seen._replace(levies_left=s.deck[0] if s.deck else 0))


def steps() -> Any:
    """The enemy's strength in all."""

    def change(state: State, viewer: str, seen: Any) -> Any:
        total = sum(state.steps[b] for stack in state.stacks[enemy_of(viewer)] for b in stack)
        return seen._replace(points=(*seen.points, total))

    return watching(change)


def chosen() -> Any:
    """The card the enemy has laid face-down."""

    def change(state: State, viewer: str, seen: Any) -> Any:
        return seen._replace(played=tuple(state.played)) if isinstance(state.phase, ChooseCard) else seen

    return watching(change)


def decision_id() -> Any:
    """A count that goes with the enemy's swaps."""
    return watching(lambda s, v, seen: seen._replace(swaps=getattr(s.phase, "swaps", None)))


def list_length() -> Any:
    """A list as long as the enemy's hand has high cards."""

    def change(state: State, viewer: str, seen: Any) -> Any:
        more = (RoadUse("rome", "genua", 0),) * sum(card > 20 for card in state.hands[enemy_of(viewer)])
        return seen._replace(roads=seen.roads + more)

    return watching(change)


def message_size() -> Any:
    """Blanks that only show in the size."""

    def change(state: State, viewer: str, seen: Any) -> Any:
        return seen._replace(edition=seen.edition + " " * (sum(state.hands[enemy_of(viewer)]) % 5))

    return watching(change)


def error_text() -> Any:
    """A refusal that names a hidden number."""

    def apply(state: State, seat: str, action: Any) -> Any:
        try:
            return julius_caesar.apply(state, seat, action)
        except IllegalAction as error:
            raise IllegalAction(f"{error} {sum(state.hands[enemy_of(seat)])}") from error

    return planted(apply=apply)


def legal_list() -> Any:
    """An action that is offered only against a weak enemy."""

    def legal_actions(state: State, seat: str) -> Any:
        found = julius_caesar.legal_actions(state, seat)
        weak = sum(state.steps[b] for stack in state.stacks[enemy_of(seat)] for b in stack) % 2
        return found[1:] if weak and len(found) > 3 else found

    return planted(legal_actions=legal_actions)


def event_count() -> Any:
    """An event more when a leader moves."""

    def apply(state: State, seat: str, action: Any) -> Any:
        events = julius_caesar.apply(state, seat, action)
        leaders = [
            e for e in events if isinstance(e, told.Moved) and e.block in ("caesar", "pompey", "scipio", "antonius")
        ]
        return events + [told.DiscardsMade()] * len(leaders)

    return planted(apply=apply)


class OpenMove(told.Moved):
    """A move that shows everybody the block."""

    __slots__ = ()

    def seen_by(self, viewer: str) -> Any:
        return self


def event_identity() -> Any:
    """Moves that name the block."""

    def apply(state: State, seat: str, action: Any) -> Any:
        events = julius_caesar.apply(state, seat, action)
        return [
            OpenMove(e.seat, e.block, e.colour, e.path, e.by_sea, e.attacks, e.reserve)
            if isinstance(e, told.Moved)
            else e
            for e in events
        ]

    return planted(apply=apply)


def forced_decision() -> Any:
    """A levy that is not asked because of what the pool holds and the steps there are."""

    def apply(state: State, seat: str, action: Any) -> Any:
        events = julius_caesar.apply(state, seat, action)
        while isinstance(state.phase, Levies) and state.steps[state.facts.owned[state.phase.seat][3]] % 2:
            name = SEATS[state.phase.seat]
            events += julius_caesar.apply(state, name, julius_caesar.parse_action("end_levies"))
        return events

    return planted(apply=apply)


def to_act() -> Any:
    """Who is to act depends on a hidden hand."""

    def leaky(state: State) -> Any:
        seats = julius_caesar.to_act(state)
        return seats[::-1] if sum(state.hands[1]) % 2 else seats

    return planted(to_act=leaky)


def unclassed_field() -> Any:
    """A new field in the dump that nobody has classed."""
    return planted(dump=lambda s: {**julius_caesar.dump(s), "mood": "fine"})


def sampled_state() -> Any:
    """A sample that does not look as what was seen."""

    def sample(observation: Any, events: Any, chance: Any) -> Any:
        state = julius_caesar.sample(observation, events, chance)
        state.year = 705 if state.year > 705 else 706
        return state

    return planted(sample=sample)


LEAKS = [
    list_order, moved_flag, pool, pool_size, reserve, discard, hand, deck, steps, chosen, decision_id, list_length,
    message_size, error_text, legal_list, event_count, event_identity, forced_decision, to_act, unclassed_field,
    sampled_state,
]  # fmt: skip


@pytest.mark.parametrize("plant", LEAKS, ids=lambda plant: plant.__name__)
def test_a_planted_leak_is_caught(plant: Callable[[], Any]) -> None:
    game = plant()
    assert any(report.leaks for report in check_games(game, OPTIONS, STATES, seed=7)), plant.__doc__


def test_the_same_search_finds_nothing_in_the_game_itself() -> None:
    assert not any(report.leaks for report in check_games(planted(), OPTIONS, STATES, seed=7))
