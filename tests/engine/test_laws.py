"""Laws that hold for every registered game."""

import itertools
import json
import pickle
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from lictor.engine import record, registry
from lictor.engine.chance import ChanceError, LedgerChance, NoChance, SeededChance, derive_secret
from lictor.engine.game import SPECTATOR, IllegalAction, canonical_json, sha256_of

GAMES = registry.names()
MOST_DECISIONS = 5000
LAW = settings(max_examples=40, deadline=None, derandomize=True)
SEEDS = st.integers(0, 10**6)


def choices(name: str) -> list[dict[str, object]]:
    """Return every combination of a game's options."""
    options = {key: option.values for key, option in registry.get(name).OPTIONS.items() if option.values}
    return [dict(zip(options, values, strict=True)) for values in itertools.product(*options.values())]


def options_of(name: str, seed: int) -> dict[str, object]:
    return choices(name)[seed % len(choices(name))]


class RandomGame:
    """A random game, step by step."""

    def __init__(self, name: str, seed: int) -> None:
        self.game = registry.get(name)
        self.chance = SeededChance(seed)
        self.choose = SeededChance(seed + 10**9)
        self.state: Any = self.game.new_game(options_of(name, seed), self.chance)
        self.decisions = 0

    def order(self) -> tuple[str, Any] | None:
        seats = self.game.to_act(self.state)
        if not seats:
            return None
        seat = seats[self.choose.draw(len(seats))]
        actions = self.game.legal_actions(self.state, seat)
        return seat, actions[self.choose.draw(len(actions))]

    def step(self) -> list[Any]:
        order = self.order()
        assert order is not None
        self.decisions += 1
        return list(self.game.apply(self.state, *order))

    def run(self, decisions: int = MOST_DECISIONS) -> None:
        while self.decisions < decisions and self.game.to_act(self.state):
            self.step()


@pytest.mark.parametrize("name", GAMES)
def test_somebody_is_to_act_or_there_is_an_outcome_and_play_ends(name: str) -> None:
    for seed in range(24):
        play = RandomGame(name, seed)
        while play.game.to_act(play.state):
            assert play.game.outcome(play.state) is None
            assert play.decisions < MOST_DECISIONS
            play.step()
        outcome = play.game.outcome(play.state)
        assert outcome is not None
        assert outcome.winner in (*play.game.SEATS, None)
        assert set(outcome.score) == set(play.game.SEATS)
        assert [play.game.legal_actions(play.state, seat) for seat in play.game.SEATS] == [[], []]


@pytest.mark.parametrize("name", GAMES)
@given(seed=SEEDS, depth=st.integers(0, 350))
@LAW
def test_legal_lists_are_complete_stable_and_without_doubles(name: str, seed: int, depth: int) -> None:
    play = RandomGame(name, seed)
    play.run(depth)
    game, state = play.game, play.state
    for seat in game.SEATS:
        actions = game.legal_actions(state, seat)
        assert bool(actions) == (seat in game.to_act(state))
        assert len(set(actions)) == len(actions)
        assert actions == game.legal_actions(state, seat)
        assert actions == game.legal_actions(game.load(game.dump(state), NoChance()), seat)
        actions.clear()  # the list is the caller's own
        assert bool(game.legal_actions(state, seat)) == (seat in game.to_act(state))


@pytest.mark.parametrize("name", GAMES)
@given(seed=SEEDS, depth=st.integers(0, 350))
@LAW
def test_every_legal_action_applies_and_round_trips(name: str, seed: int, depth: int) -> None:
    play = RandomGame(name, seed)
    play.run(depth)
    game, state = play.game, play.state
    before = game.digest(state)
    for seat in game.to_act(state):
        for action in game.legal_actions(state, seat):
            assert game.parse_action(str(action)) == action
            twin = game.copy(state, SeededChance(seed))
            game.apply(twin, seat, game.parse_action(str(action)))
            assert game.digest(twin) != before
            assert game.to_act(twin) or game.outcome(twin)
    assert game.digest(state) == before


@pytest.mark.parametrize("name", GAMES)
def test_any_other_action_raises_and_changes_nothing(name: str) -> None:
    """Everything that was legal at some time is tried where it is not."""
    seen: dict[str, Any] = {}
    for seed in range(4):
        play = RandomGame(name, seed)
        game = play.game
        while (order := play.order()) is not None:
            for action in game.legal_actions(play.state, order[0])[:: 1 + play.choose.draw(7)]:
                seen.setdefault(str(action), action)
            if play.choose.draw(12) == 0:
                before = game.digest(play.state)
                pool = list(seen.values())
                for seat in game.SEATS:
                    legal = set(game.legal_actions(play.state, seat))
                    for _ in range(15):
                        action = pool[play.choose.draw(len(pool))]
                        if action not in legal:
                            with pytest.raises(IllegalAction):
                                game.apply(play.state, seat, action)
                assert game.digest(play.state) == before
            play.step()


@pytest.mark.parametrize("name", GAMES)
@given(seed=SEEDS, depth=st.integers(0, 300))
@LAW
def test_a_copy_is_independent_and_shares_no_chance(name: str, seed: int, depth: int) -> None:
    game = registry.get(name)
    ledger = LedgerChance(SeededChance(seed))
    state = game.new_game(options_of(name, seed), ledger)
    choose = SeededChance(seed)
    for _ in range(depth):
        if seats := game.to_act(state):
            actions = game.legal_actions(state, seats[0])
            game.apply(state, seats[0], actions[choose.draw(len(actions))])
    ledger.take()
    before = game.digest(state)
    twin, mute = game.copy(state, SeededChance(1)), game.copy(state)
    assert game.digest(twin) == game.digest(mute) == before
    for _ in range(40):
        for other in (twin, mute):
            if seats := game.to_act(other):
                actions = game.legal_actions(other, seats[0])
                try:
                    game.apply(other, seats[0], actions[choose.draw(len(actions))])
                except ChanceError:
                    assert other is mute
                    mute = game.copy(state)
    assert game.digest(state) == before
    assert ledger.take() == []
    after = game.digest(twin)
    if seats := game.to_act(state):
        game.apply(state, seats[0], game.legal_actions(state, seats[0])[-1])
    assert game.digest(twin) == after


@pytest.mark.parametrize("name", GAMES)
def test_a_copy_without_a_chance_refuses_to_draw(name: str) -> None:
    refused = 0
    for seed in range(4):
        play = RandomGame(name, seed)
        while (order := play.order()) is not None:
            mute = play.game.copy(play.state)
            try:
                play.game.apply(mute, *order)
            except ChanceError:
                refused += 1
            play.game.apply(play.state, *order)
    assert refused > 20


@pytest.mark.parametrize("name", GAMES)
@given(seed=SEEDS, depth=st.integers(0, 350))
@settings(LAW, max_examples=8)
def test_a_loaded_dump_behaves_as_the_state_to_the_end(name: str, seed: int, depth: int) -> None:
    play = RandomGame(name, seed)
    play.run(depth)
    game = play.game
    dumped = json.loads(json.dumps(game.dump(play.state)))
    one, other = game.copy(play.state, SeededChance(seed)), game.load(dumped, SeededChance(seed))
    viewers = (*game.SEATS, SPECTATOR)
    while seats := game.to_act(one):
        assert game.to_act(other) == seats
        assert game.digest(one) == game.digest(other)
        for viewer in viewers:
            assert game.observation(one, viewer) == game.observation(other, viewer)
        seat = seats[play.choose.draw(len(seats))]
        actions = game.legal_actions(one, seat)
        assert game.legal_actions(other, seat) == actions
        action = actions[play.choose.draw(len(actions))]
        told = [event.facts() for event in game.apply(one, seat, action)]
        assert told == [event.facts() for event in game.apply(other, seat, action)]
    assert game.outcome(one) == game.outcome(other)
    assert game.digest(one) == game.digest(other)


@pytest.mark.parametrize("name", GAMES)
def test_simultaneous_answers_commute_and_nobody_learns_who_has_answered(name: str) -> None:
    met = 0
    for seed in range(6):
        play = RandomGame(name, seed)
        game = play.game
        while game.to_act(play.state):
            seats = game.to_act(play.state)
            if len(seats) > 1:
                met += 1
                answers = {seat: game.legal_actions(play.state, seat) for seat in seats}
                chosen = {seat: actions[play.choose.draw(len(actions))] for seat, actions in answers.items()}
                ends = []
                for order in itertools.permutations(seats):
                    twin = game.copy(play.state, SeededChance(seed))
                    for number, seat in enumerate(order):
                        others = [viewer for viewer in (*game.SEATS, SPECTATOR) if viewer != seat]
                        before = {viewer: game.observation(twin, viewer).facts() for viewer in others}
                        events = game.apply(twin, seat, chosen[seat])
                        if number < len(order) - 1:
                            assert {v: game.observation(twin, v).facts() for v in others} == before
                            assert not [e for e in events for v in others if e.seen_by(v) is not None]
                            assert game.legal_actions(twin, order[-1]) == answers[order[-1]]
                    ends.append(game.digest(twin))
                assert len(set(ends)) == 1
            play.step()
    assert met > 20


@pytest.mark.parametrize("name", GAMES)
def test_everything_that_leaves_the_engine_is_plain_json(name: str) -> None:
    for seed in range(4):
        play = RandomGame(name, seed)
        game = play.game
        viewers = (*game.SEATS, SPECTATOR)
        while game.to_act(play.state):
            before = game.digest(play.state)
            if play.choose.draw(10) == 0:
                assert before == sha256_of(game.dump(play.state))
                for viewer in viewers:
                    facts = game.observation(play.state, viewer).facts()
                    assert json.loads(canonical_json(facts)) == facts
                canonical_json(game.snapshot(play.state))
                assert 0 <= game.evaluate(play.state, game.SEATS[0]) <= 1
                total = sum(game.evaluate(play.state, seat) for seat in game.SEATS)
                assert total == pytest.approx(1)
                assert game.digest(play.state) == before
            for event in play.step():
                for viewer in viewers:
                    seen = event.seen_by(viewer)
                    words = game.describe(event, viewer)
                    assert bool(words) == (seen is not None)
                    if seen is not None:
                        assert json.loads(canonical_json(seen.facts())) == seen.facts()
                        assert "None" not in words
                        assert seen.seen_by(viewer) == seen


@pytest.mark.parametrize("name", GAMES)
def test_a_state_travels_between_processes(name: str) -> None:
    play = RandomGame(name, 5)
    play.run(90)
    game = play.game
    for twin in (pickle.loads(pickle.dumps(play.state)), deepcopy(play.state)):
        assert game.digest(twin) == game.digest(play.state)
        assert [game.legal_actions(twin, seat) for seat in game.SEATS] == [
            game.legal_actions(play.state, seat) for seat in game.SEATS
        ]
    assert len(pickle.dumps(play.state)) < 50_000


@pytest.mark.parametrize("name", GAMES)
def test_the_catalog_is_plain_json_and_says_where_its_facts_come_from(name: str) -> None:
    for options in choices(name):
        catalog = registry.get(name).catalog(options)
        assert json.loads(canonical_json(catalog)) == catalog
        assert catalog["provenance"]
        assert catalog["notice"]


@pytest.mark.parametrize("name", GAMES)
@given(seed=SEEDS)
@settings(LAW, max_examples=4)
def test_replaying_a_record_gives_the_same_digest(name: str, seed: int) -> None:
    game = registry.get(name)
    players = dict.fromkeys(game.SEATS, "random")
    secret = derive_secret("law", str(seed))
    recorder = record.Recorder(game, options_of(name, seed), match=f"law-{seed}", secret=secret, players=players)
    choose = SeededChance(seed)
    digests = [game.digest(recorder.state)]
    while seats := game.to_act(recorder.state):
        seat = seats[choose.draw(len(seats))]
        actions = game.legal_actions(recorder.state, seat)
        recorder.apply(seat, actions[choose.draw(len(actions))])
        digests.append(game.digest(recorder.state))
    content = recorder.finish()
    assert [game.digest(state) for state, _ in record.replay(record.read(content), game)] == digests
    assert record.verify(content, registry.get).actions == len(digests) - 1


class AnyPlay(RuleBasedStateMachine):
    """Play in which Hypothesis chooses: it shrinks a broken game to the shortest."""

    name = ""

    @initialize(seed=SEEDS)
    def begin(self, seed: int) -> None:
        self.game = registry.get(self.name)
        self.state = self.game.new_game(options_of(self.name, seed), SeededChance(seed))

    @precondition(lambda self: self.game.to_act(self.state))
    @rule(who=st.integers(0, 1), what=st.floats(0, 1, exclude_max=True))
    def act(self, who: int, what: float) -> None:
        seats = self.game.to_act(self.state)
        seat = seats[who % len(seats)]
        actions = self.game.legal_actions(self.state, seat)
        self.game.apply(self.state, seat, actions[int(what * len(actions))])

    @invariant()
    def it_goes_on_or_is_over(self) -> None:
        assert bool(self.game.to_act(self.state)) == (self.game.outcome(self.state) is None)

    @invariant()
    def a_seat_to_act_has_an_action(self) -> None:
        for seat in self.game.SEATS:
            assert bool(self.game.legal_actions(self.state, seat)) == (seat in self.game.to_act(self.state))

    @invariant()
    def the_dump_tells_all(self) -> None:
        loaded = self.game.load(self.game.dump(self.state), NoChance())
        assert self.game.digest(loaded) == self.game.digest(self.state)


@pytest.mark.parametrize("name", GAMES)
def test_any_play_keeps_the_invariants(name: str) -> None:
    machine = type("Play", (AnyPlay,), {"name": name})
    run_state_machine_as_test(
        machine, settings=settings(max_examples=15, stateful_step_count=60, deadline=None, derandomize=True)
    )
