"""Subtler leaks: in words, in one phase, to one viewer, behind a false claim, or in worlds that are not redrawn."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from lictor.engine import julius_caesar
from lictor.engine.chance import SeededChance
from lictor.engine.fog import FogReport, Viewpoint, check_games
from lictor.engine.game import SPECTATOR, IllegalAction
from lictor.engine.julius_caesar import events as told
from lictor.engine.julius_caesar.events.event import OWNERS
from lictor.engine.julius_caesar.phases import (
    ChooseCard,
    ChooseDiscard,
    Defection,
    JupiterCalls,
    Over,
    RegroupPhase,
    WinterDisband,
    WinterNavis,
)
from lictor.engine.julius_caesar.state import POOL, State
from support.position import draw, play, position

from .test_planted_leaks import enemy_of, planted, watching

OPTIONS = [{"deployment": "historical"}, {"deployment": "free"}]
STATES = 500
EXTRA = told.DiscardsMade()  # an event too many


def eventing(change: Callable[[Any, State], list[Any]]) -> Any:
    """Return a game whose events are replaced one by one."""

    def apply(state: State, seat: str, action: Any) -> list[Any]:
        return [new for event in julius_caesar.apply(state, seat, action) for new in change(event, state)]

    return planted(apply=apply)


def changed(kind: Any, when: Callable[[Any], bool] = lambda event: True, **methods: Any) -> Any:
    """Return a game in which one kind of event has other methods."""
    other = type(kind.__name__, (kind,), {"__slots__": (), **methods})

    def change(event: Any, state: State) -> list[Any]:
        if type(event) is not kind or not when(event):
            return [event]
        return [other(*[getattr(event, field.name) for field in dataclasses.fields(kind)])]

    return eventing(change)


def seen_by_all(self: Any, viewer: str) -> Any:
    return self


def told_in_words() -> Any:
    """Words that name a block which the facts hide."""
    return planted(describe=lambda e, v: julius_caesar.describe(e, v) and f"{julius_caesar.describe(e, v)} {e}")


def told_in_words_of_winter() -> Any:
    """Only the words of a disbanding name the block."""

    def describe(event: Any, viewer: str) -> str:
        return event.words() if type(event) is told.Disbanded else julius_caesar.describe(event, viewer)

    return planted(describe=describe)


def vulcans_survivors() -> Any:
    """Vulcan's survivors are shown to all."""
    return changed(told.StepLost, seen_by=seen_by_all)


def defector_to_spectator() -> Any:
    """The spectator sees who defects."""
    return changed(told.Defecting, seen_by=seen_by_all)


def disbanded_deserter() -> Any:
    """A disbanded deserter is named to all."""
    return changed(told.Disbanded, lambda event: OWNERS[event.colour] != event.seat, seen_by=seen_by_all)


def false_claim() -> Any:
    """A moving block is named to all, and the event claims that it may."""
    return changed(told.Moved, seen_by=seen_by_all, reveals=lambda self, viewer: (self.block,))


def false_claim_of_levies() -> Any:
    """A levied block is named to all, and the event claims that it may."""
    return changed(told.Levied, seen_by=seen_by_all, reveals=lambda self, viewer: (self.block,))


def hidden_attribute() -> Any:
    """An event hides the block in its facts only."""
    return changed(
        told.Moved,
        seen_by=seen_by_all,
        facts=lambda self: {**told.Event.facts(self), "block": None},
        words=lambda self: "",
    )


def answered() -> Any:
    """Others see that a seat has made its secret choice."""

    def change(state: State, viewer: str, seen: Any) -> Any:
        if isinstance(state.phase, ChooseCard | ChooseDiscard):
            return seen._replace(hand_sizes=(len(state.hands[0]), len(state.hands[1])))
        return seen

    return watching(change)


def swap_noticed() -> Any:
    """Others can count the swaps."""
    return changed(told.Swapped, seen_by=lambda self, v: told.Swapped.seen_by(self, v) or told.Deployed(self.seat))


def elephant_moves() -> Any:
    """An event more when the Elephant moves."""
    return eventing(lambda e, s: [e] + [EXTRA] * (type(e) is told.Moved and e.block == "p_elephant"))


def leader_reinforced() -> Any:
    """An event more when a leader gains a step."""
    leaders = ("caesar", "antonius", "octavian", "pompey", "scipio", "brutus")
    return eventing(lambda e, s: [e] + [EXTRA] * (type(e) is told.Reinforced and e.block in leaders))


def in_phase(kind: type, what: Callable[[State, str], object], viewer: str | None = None) -> Any:
    """Return a game that shows something in one phase only, perhaps to one viewer only."""

    def change(state: State, who: str, seen: Any) -> Any:
        shown = type(state.phase) is kind and viewer in (None, who)
        return seen._replace(points=(*seen.points, what(state, who))) if shown else seen

    return watching(change)


def drawn_block() -> Any:
    """Only while a defector is placed, only to the spectator: who it is."""
    return in_phase(Defection, lambda s, v: getattr(s.phase, "block", 0), SPECTATOR)


def winter_pool() -> Any:
    """Only while disbanding: the Navis in the enemy's pool."""
    return in_phase(
        WinterDisband,
        lambda s, v: sum(s.at[b] == POOL and s.facts.is_navis[b] for b in s.facts.owned[enemy_of(v)]),
    )


def winter_fleet() -> Any:
    """Only while Navis winter: their steps."""
    return in_phase(
        WinterNavis, lambda s, v: sum(s.steps[b] for sea in s.facts.seas for b in s.stacks[enemy_of(v)][sea])
    )


def regroup_leader() -> Any:
    """Only in a regroup, to the spectator: whether a leader is there."""

    def what(state: State, viewer: str) -> object:
        assert isinstance(state.phase, RegroupPhase)
        return any(state.facts.is_leader[b] for b in state.stacks[state.phase.seat][state.phase.space])

    return in_phase(RegroupPhase, what, SPECTATOR)


def last_discard() -> Any:
    """Only when the game is over: the enemy's last discard."""
    return in_phase(Over, lambda s, v: s.discards[enemy_of(v)])


def jupiter_order() -> Any:
    """Jupiter's targets are listed by the strength of the garrison."""

    def legal_actions(state: State, seat: str) -> Any:
        found = julius_caesar.legal_actions(state, seat)
        if not isinstance(state.phase, JupiterCalls):
            return found
        garrisons = state.stacks[1 - state.phase.seat]
        strength = {state.facts.spaces[s]: sum(state.steps[b] for b in stack) for s, stack in enumerate(garrisons)}
        return sorted(found, key=lambda action: strength.get(getattr(action, "space", ""), 0))

    return planted(legal_actions=legal_actions)


def refusal_says_where() -> Any:
    """A refusal tells whether a block is on the map."""

    def apply(state: State, seat: str, action: Any) -> Any:
        try:
            return julius_caesar.apply(state, seat, action)
        except IllegalAction as error:
            block = state.facts.block_index.get(getattr(action, "block", ""))
            off_map = block is not None and state.at[block] < 0
            raise IllegalAction(f"{error}{' (off the map)' if off_map else ''}") from error

    return planted(apply=apply)


def lazy(keep: Callable[[State], set[str]], what: Callable[[State], object]) -> Any:
    """Return a game that does not redraw something, and shows it to everybody."""

    def redeal(state: State, viewer: str, chance: Any, kept: frozenset[str] = frozenset()) -> State:
        return julius_caesar.redeal(state, viewer, chance, kept | keep(state))

    game = watching(lambda s, v, seen: seen._replace(points=(*seen.points, what(s))))
    game.redeal = redeal
    return game


def lazy_cleopatra() -> Any:
    """Cleopatra's steps are never redrawn."""
    return lazy(lambda s: {"cleopatra"}, lambda s: s.steps[s.facts.cleopatra])


def lazy_leaders() -> Any:
    """Leaders are never redrawn."""
    return lazy(lambda s: {s.facts.blocks[b] for b in s.facts.leaders}, lambda s: [s.at[b] for b in s.facts.leaders])


def lazy_gods() -> Any:
    """God cards are never redrawn."""
    return lazy(lambda s: {f"card:{card}" for card in range(1, 8)}, lambda s: sum(card < 8 for card in s.hands[1]))


def withheld_flags() -> Any:
    """Moved flags, which all may see, are withheld."""
    return watching(lambda s, v, seen: seen._replace(pieces=tuple(row._replace(moved=False) for row in seen.pieces)))


def withheld_ways() -> Any:
    """The ways into a fight, which all may see, are withheld."""
    return watching(lambda s, v, seen: seen._replace(fights=tuple(f._replace(entered=((), ())) for f in seen.fights)))


LEAKS = [
    told_in_words, told_in_words_of_winter, vulcans_survivors, false_claim, false_claim_of_levies, hidden_attribute,
    answered, swap_noticed, leader_reinforced, winter_pool, winter_fleet, regroup_leader, last_discard,
    refusal_says_where, lazy_cleopatra, lazy_leaders, lazy_gods, withheld_flags, withheld_ways,
]  # fmt: skip


def jupiter() -> tuple[State, str, str]:
    """Return a moment in which Jupiter has several targets and the defector several refuges."""
    drawn = """
        genua     caesar: legio_7
        massilia  caesar: legio_8
        lugdunum  pompey: legio_5 legio_6/1 legio_2/2
        narbo     pompey: legio_4/1 p_equitatus_1
        """
    return position(drawn, phase="god", card="Jupiter"), "caesar", "jupiter lugdunum"


def defection() -> tuple[State, str, str]:
    """Return the moment after it: the drawn block is to be placed."""
    state, seat, order = jupiter()
    draw(state, 3, 0)
    play(state, seat, order)
    return state, seat, "jupiter_to genua"


def elephant() -> tuple[State, str, str]:
    """Return a moment in which the Elephant may move."""
    state = position("utica pompey: p_elephant legio_39 legio_2", to_move="pompey")
    return state, "pompey", "move p_elephant badias"


def deserter() -> tuple[State, str, str]:
    """Return a winter in which a deserter may be disbanded."""
    state = position("rome pompey: legio_7 legio_8 legio_1", phase="disband", to_move="pompey")
    return state, "pompey", "disband legio_7"


def surprise() -> tuple[State, str, str]:
    """Return a moment in which Mars may favour one of two battles."""
    drawn = """
        genua    caesar: legio_7/2 legio_8
        rome     pompey: legio_1/3 legio_2
        ravenna  pompey: legio_3/1
        """
    state = position(drawn, card="Mars")
    play(state, "caesar", "move legio_7 rome", "move legio_8 ravenna")
    return state, "caesar", "surprise rome"


def vulcan() -> tuple[State, str, str]:
    """Return a moment in which Vulcan may strike blocks of every strength."""
    state = position("rome pompey: legio_1/1 legio_2/3 scipio/1\ngenua caesar: legio_7", phase="god", card="Vulcan")
    return state, "caesar", "vulcan rome"


# Leaks that show so rarely that a random game may never come to them.
RARE = [
    (jupiter_order, jupiter),
    (defector_to_spectator, defection),
    (drawn_block, defection),
    (elephant_moves, elephant),
    (disbanded_deserter, deserter),
]


def is_caught(report: FogReport) -> bool:
    return bool(report.leaks or report.single_worlds or report.stuck())


def check_scene(game: Any, scene: Callable[[], tuple[State, str, str]]) -> FogReport:
    """Check the law in one moment, in many worlds."""
    report, chance = FogReport(game.NAME), SeededChance(1)
    for _ in range(25):
        for viewer in (*game.SEATS, SPECTATOR):
            state, seat, order = scene()
            viewpoint = Viewpoint(game, state, viewer, chance, report, f"{scene.__name__} {viewer}")
            viewpoint.check([], (seat, game.parse_action(order)), [])
    return report


@pytest.mark.parametrize("scene", [jupiter, defection, elephant, deserter, surprise, vulcan])
def test_the_law_holds_in_moments_that_are_rare(scene: Callable[[], tuple[State, str, str]]) -> None:
    report = check_scene(planted(), scene)
    assert report.leaks == []
    assert report.steps > 0


@pytest.mark.parametrize(("plant", "scene"), RARE, ids=lambda given: given.__name__)
def test_a_rare_leak_is_caught(plant: Callable[[], Any], scene: Callable[[], tuple[State, str, str]]) -> None:
    assert check_scene(planted(), scene).leaks == []
    assert check_scene(plant(), scene).leaks, plant.__doc__


@pytest.mark.parametrize("plant", LEAKS, ids=lambda plant: plant.__name__)
def test_a_subtle_leak_is_caught(plant: Callable[[], Any]) -> None:
    reports = check_games(plant(), OPTIONS, STATES, seed=11)
    assert any(is_caught(report) for report in reports), plant.__doc__


def test_the_same_search_finds_nothing_in_the_game_itself() -> None:
    assert not any(is_caught(report) for report in check_games(planted(), OPTIONS, STATES, seed=11))
