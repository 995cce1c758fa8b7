"""Search and advice: laws that hold for every registered game."""

from typing import Any

import pytest

from lictor.engine import registry, search
from lictor.engine.chance import SeededChance
from lictor.engine.game import GameError, seen_events

GAMES = registry.names()
STYLES = ("novice", "steady", "restless")


class Told:
    """A game in which both seats follow the advice, and somebody looks over the shoulder of each."""

    def __init__(self, name: str, seed: int, options: dict[str, object] | None = None) -> None:
        self.game = registry.get(name)
        self.chance = SeededChance(seed)
        self.state: Any = self.game.new_game(options or {}, SeededChance(seed + 1))
        self.seen: dict[str, list[Any]] = {seat: [] for seat in self.game.SEATS}

    def step(self, style: str = "steady") -> bool:
        seats = self.game.to_act(self.state)
        if not seats:
            return False
        seat = seats[self.chance.draw(len(seats))]
        legal = self.game.legal_actions(self.state, seat)
        orders = self.game.advise(self.state, seat, self.chance, style)
        assert orders[0] in legal
        events = self.game.apply(self.state, seat, orders[0])
        for viewer, seen in self.seen.items():
            seen += seen_events(events, viewer)
        return True


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", GAMES)
def test_advice_is_legal_from_the_first_decision_to_the_last(name: str, style: str) -> None:
    for seed, options in enumerate(all_options(name)):
        told = Told(name, 10 * seed, options)
        while told.step(style):
            pass
        assert told.game.outcome(told.state) is not None


def all_options(name: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = [{}]
    for key, option in registry.get(name).OPTIONS.items():
        if option.values:
            found = [{**one, key: value} for one in found for value in option.values]
    return found


@pytest.mark.parametrize("name", GAMES)
def test_there_is_no_advice_in_a_style_that_nobody_has(name: str) -> None:
    told = Told(name, 1)
    with pytest.raises(GameError, match="steady"):
        told.game.advise(told.state, told.game.to_act(told.state)[0], SeededChance(1), "reckless")


@pytest.mark.parametrize("name", GAMES)
def test_advice_beats_any_action_at_all(name: str) -> None:
    game = registry.get(name)
    won = 0
    for number in range(10):
        chance, advised = SeededChance(number), game.SEATS[number % 2]
        state = game.new_game({}, SeededChance(100 + number))
        while seats := game.to_act(state):
            legal = game.legal_actions(state, seats[0])
            if seats[0] == advised:
                search.follow(game, state, advised, game.advise(state, advised, chance))
            else:
                game.apply(state, seats[0], legal[chance.draw(len(legal))])
        outcome = game.outcome(state)
        won += outcome is not None and outcome.winner == advised
    assert won >= 9


@pytest.mark.parametrize("name", GAMES)
def test_what_is_remembered_draws_the_same_states_as_the_whole_history(name: str) -> None:
    told = Told(name, 7)
    game, seat = told.game, told.game.SEATS[0]
    memory = game.remember(game.observation(told.state, seat))
    noticed, compared = 0, 0
    while told.step():
        for event in told.seen[seat][noticed:]:
            memory.see(event)
        noticed = len(told.seen[seat])
        if seat in game.to_act(told.state) and noticed % 3 == 0:
            seen = game.observation(told.state, seat)
            whole = game.sample(seen, told.seen[seat], SeededChance(noticed))
            assert game.digest(memory.draw(seen, SeededChance(noticed))) == game.digest(whole)
            compared += 1
    assert compared >= 10


def decisions(name: str, seed: int, every: int) -> Any:
    """Yield positions in which a seat has a choice, with its observation, history and legal actions."""
    told, number = Told(name, seed), 0
    while True:
        for seat in told.game.to_act(told.state):
            legal = told.game.legal_actions(told.state, seat)
            number += len(legal) > 1
            if len(legal) > 1 and number % every == 0:
                yield told, seat, told.game.observation(told.state, seat), legal
        if not told.step():
            return


@pytest.mark.parametrize("name", GAMES)
def test_a_choice_is_legal_reproducible_and_never_over_its_budget(name: str) -> None:
    game, asked = registry.get(name), 0
    for told, seat, seen, legal in decisions(name, 3, 23):
        choices = []
        for _ in range(2):
            memory = game.remember(seen)
            for event in told.seen[seat]:
                memory.see(event)
            best, worlds = search.choose(game, seen, memory, legal, 30, SeededChance(asked))
            choices.append((best.plan, best.value, best.error, best.playouts))
            assert all(game.observation(world, seat) == seen for world in worlds)
        assert choices[0] == choices[1]
        assert choices[0][0][0] in legal
        assert 0 <= choices[0][1] <= 1
        asked += 1
    assert asked >= 5


@pytest.mark.parametrize("name", GAMES)
def test_weighing_drops_the_worse_half_and_pairs_the_rest(name: str) -> None:
    game = registry.get(name)
    _, seat, seen, legal = next(iter(decisions(name, 5, 4)))
    worlds = search.sample_worlds(game, seen, [], 4, SeededChance(1))
    weighed = search.weigh(game, worlds, seat, legal, 20 * len(legal), SeededChance(2))
    assert [one.action for one in weighed] == legal
    assert sum(one.playouts for one in weighed) <= 20 * len(legal)
    best = search.best_of(weighed)
    assert best.playouts == max(one.playouts for one in weighed)
    # The same action twice gets the same worlds and dice: the same value.
    twins = search.weigh(game, worlds, seat, [legal[0], legal[0]], 20, SeededChance(3))
    assert twins[0] == twins[1]


def test_the_error_of_a_mean() -> None:
    assert search.error_of(1, 0.3, 0.09) == 0.5
    values = (0.0, 1.0, 1.0, 0.0)
    assert search.error_of(4, sum(values), sum(value * value for value in values)) == pytest.approx((0.25 / 3) ** 0.5)
