from __future__ import annotations

import inspect
from typing import Any

import pytest

from lictor.engine import registry
from lictor.engine.game import SPECTATOR, Game, GameError

AnyGame = Game[Any, Any, Any, Any]

MEMBERS = sorted(name for name in vars(Game) if not name.startswith("_"))
METHODS = [name for name in MEMBERS if inspect.isfunction(vars(Game)[name])]
CONSTANTS = [name for name in MEMBERS if isinstance(vars(Game)[name], property)]

every_game = pytest.mark.parametrize("game", registry.GAMES.values(), ids=registry.GAMES)


def test_the_interface_is_made_of_methods_and_constants() -> None:
    assert sorted(METHODS + CONSTANTS) == MEMBERS
    assert {"new_game", "to_act", "legal_actions", "apply", "outcome", "dump", "load", "copy"} <= set(METHODS)
    assert {"NAME", "SEATS", "OPTIONS", "RULES_EPOCH"} <= set(CONSTANTS)


def test_julius_caesar_is_registered() -> None:
    assert "julius_caesar" in registry.names()


def test_names_are_sorted_and_can_be_got() -> None:
    assert registry.names() == sorted(registry.GAMES)
    for name in registry.names():
        assert registry.get(name) is registry.GAMES[name]
        assert name == registry.get(name).NAME


def test_changing_the_list_of_names_changes_nothing() -> None:
    registry.names().clear()
    assert registry.names()


@pytest.mark.parametrize(
    "name",
    ["", "chess", "Julius_Caesar", "julius_caesar ", "julius_caesar\n", pytest.param("x" * 100_000, id="long"), None],
)
def test_an_unknown_game_is_refused_with_the_names_of_all(name: str) -> None:
    with pytest.raises(registry.UnknownGame) as caught:
        registry.get(name)
    assert isinstance(caught.value, GameError)
    for known in registry.names():
        assert known in str(caught.value)
    assert len(str(caught.value)) < 400


@every_game
@pytest.mark.parametrize("member", MEMBERS)
def test_every_game_has_every_name_of_the_interface(game: AnyGame, member: str) -> None:
    assert hasattr(game, member)


@every_game
@pytest.mark.parametrize("method", METHODS)
def test_every_game_takes_the_arguments_of_the_interface(game: AnyGame, method: str) -> None:
    asked = list(inspect.signature(getattr(Game, method)).parameters.values())[1:]
    offered = list(inspect.signature(getattr(game, method)).parameters.values())
    both = zip(offered, asked, strict=False)
    assert [(p.name, p.default, p.kind) for p, _ in both] == [(p.name, p.default, p.kind) for p in asked]
    assert all(p.default is not inspect.Parameter.empty for p in offered[len(asked) :])


@every_game
def test_every_game_describes_itself(game: AnyGame) -> None:
    assert game.NAME.isidentifier()
    assert game.NAME.islower()
    assert game.EDITIONS
    assert game.RULES_EPOCH >= 1
    assert len(game.SEATS) == len(set(game.SEATS)) >= 2
    assert SPECTATOR not in game.SEATS


@every_game
def test_every_option_has_a_meaning_and_a_default_that_is_allowed(game: AnyGame) -> None:
    assert {"edition"} <= set(game.OPTIONS)
    for option in game.OPTIONS.values():
        assert option.meaning
        assert option.values is None or option.default in option.values
    assert game.OPTIONS["edition"].values == game.EDITIONS
