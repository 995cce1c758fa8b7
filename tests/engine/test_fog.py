"""The fog law over every registered game."""

import pytest

from lictor.engine import registry
from lictor.engine.fog import FogReport, check_games, first_difference, leaves
from lictor.engine.game import BadState

from .test_laws import choices

STATES = 700


def check(name: str, states: int, seed: int) -> FogReport:
    return list(check_games(registry.get(name), choices(name), states, seed))[-1]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", registry.names())
def test_nothing_a_viewer_gets_depends_on_what_he_may_not_know(name: str, seed: int) -> None:
    report = check(name, STATES, 1000 * seed)
    print(
        f"{name}: {report.states} states, {report.comparisons} comparisons, {report.steps} steps; "
        f"differed {dict(report.differed)}"
    )
    assert report.leaks == []
    assert report.single_worlds == 0, "a state with something hidden must have two worlds at least"
    assert report.missing_kinds(registry.get(name)) == []
    assert report.stuck() == [], "whatever is hidden must get redrawn"
    assert report.steps > report.not_carried


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", registry.names())
def test_the_fog_law_over_many_more_states(name: str, seed: int) -> None:
    report = check(name, 5 * STATES, 10**6 + 10**4 * seed)
    assert report.leaks == []
    assert report.single_worlds == 0
    assert report.stuck() == []
    print(f"decisions never met: {report.missing_situations(registry.get(name))}")


@pytest.mark.parametrize("name", registry.names())
def test_every_field_of_the_dump_is_classed(name: str) -> None:
    game = registry.get(name)
    with pytest.raises(BadState, match="who may know"):
        game.FOG.knowers({"phase": {"kind": "?"}}, ("a_new_field",))


def test_differences_are_told_by_their_place() -> None:
    assert first_difference({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}) == "a[1].b: 2 against 3"
    assert first_difference([1], [1, 2]).startswith("the top")
    assert list(leaves({"a": {"b": 1}, "c": 2}, frozenset())) == [(("a", "b"), 1), (("c",), 2)]
