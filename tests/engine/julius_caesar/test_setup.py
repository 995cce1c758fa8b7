import pytest

from lictor.engine import julius_caesar as game
from lictor.engine.chance import ScriptedChance
from lictor.engine.julius_caesar.state import State
from support.position import FACTS, at, draw, legal, owner, play, steps

DEPLOYED = {
    "caesar": {
        "ravenna": {"caesar", "legio_13", "c_navis_2"},
        "genua": {"antonius", "legio_8", "legio_12"},
        "massilia": {"legio_11", "legio_14", "c_navis_1"},
        "narbo": {"legio_7", "legio_9", "legio_10"},
        "lugdunum": {"legio_16", "c_equitatus_1"},
    },
    "pompey": {
        "neapolis": {"pompey", "legio_1", "p_navis_1"},
        "brundisium": {"legio_3"},
        "syracuse": {"legio_37"},
        "antioch": {"scipio", "legio_34"},
        "alexandria": {"cleopatra", "p_navis_2"},
        "utica": {"legio_39", "p_navis_3"},
        "carthago_nova": {"legio_2", "legio_4"},
        "tarraco": {"legio_5", "legio_6", "p_equitatus_1"},
    },
}


def historical(edition: str = "2.0") -> State:
    return game.new_game({"edition": edition}, ScriptedChance((n, 0) for n in range(27, 15, -1)))


def free() -> State:
    return game.new_game({"deployment": "free"}, ScriptedChance())


def stacks(state: State, seat: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, block in game.snapshot(state)["blocks"].items():
        if block["owner"] == seat and block["at"] != "pool":
            found.setdefault(block["at"], set()).add(name)
    return found


@pytest.mark.parametrize("seat", ["caesar", "pompey"])
def test_5_1_both_sides_deploy_as_in_705_at_full_strength(seat: str) -> None:
    state = historical()
    assert stacks(state, seat) == DEPLOYED[seat]
    for block in set().union(*DEPLOYED[seat].values()):
        assert steps(state, block) == FACTS.full[FACTS.block_index[block]]


def test_5_2_all_other_blocks_wait_in_the_pools() -> None:
    state = historical()
    pool = {name for name in FACTS.blocks if at(state, name) == "pool"}
    assert {name for name in pool if owner(state, name) == "caesar"} == {
        "octavian", "legio_17", "legio_18", "legio_19", "legio_20", "legio_21",
        "c_auxilia_1", "c_auxilia_2", "c_auxilia_3", "c_auxilia_4",
        "c_equitatus_2", "c_equitatus_3", "c_equitatus_4", "c_ballista", "c_navis_3", "c_navis_4", "c_navis_5",
    }  # fmt: skip
    assert {name for name in pool if owner(state, name) == "pompey"} == {
        "brutus", "legio_32", "legio_33", "legio_35", "legio_36", "legio_38",
        "p_auxilia_1", "p_auxilia_2", "p_auxilia_3", "p_auxilia_4",
        "p_equitatus_2", "p_equitatus_3", "p_elephant", "p_ballista", "p_navis_4", "p_navis_5",
    }  # fmt: skip


@pytest.mark.parametrize("edition", ["2.0", "1.x"])
def test_1_2_sidebar_pompey_starts_with_seven_points_and_caesar_with_one(edition: str) -> None:
    state = historical(edition)
    assert game.snapshot(state)["vp"] == {"caesar": 1, "pompey": 7}
    occupied = {*stacks(state, "caesar"), *stacks(state, "pompey")}
    assert occupied.isdisjoint({"rome", "athens", "byzantium", "ephesus"})


def test_4_2_eleven_cities_are_worth_thirteen_points_together() -> None:
    values = {space: value for space, value in zip(FACTS.spaces, FACTS.vp, strict=True) if value}
    assert values == {
        "rome": 2, "alexandria": 2, "massilia": 1, "tarraco": 1, "carthago_nova": 1, "utica": 1,
        "syracuse": 1, "athens": 1, "byzantium": 1, "ephesus": 1, "antioch": 1,
    }  # fmt: skip
    assert sum(values.values()) == 13


def test_2_1_a_historical_game_begins_with_six_cards_each_and_a_discard() -> None:
    seen = game.snapshot(historical())
    assert (seen["year"], seen["turn"], seen["phase"], seen["to_act"]) == (705, 1, "discard", ["caesar", "pompey"])
    assert seen["hands"] == {"caesar": [1, 2, 3, 4, 5, 6], "pompey": [7, 8, 9, 10, 11, 12]}


def test_5_3_a_navis_may_be_swapped_only_into_ports() -> None:
    """S68: where Navis 1 may go, and that no swap changes the number of blocks in a city."""
    state = free()
    swaps = [order.split()[1:] for order in legal(state, "caesar", "swap")]
    partners = {other for pair in swaps if "c_navis_1" in pair for other in pair} - {"c_navis_1"}
    assert {at(state, block) for block in partners} == {"genua", "narbo", "ravenna"}
    assert partners == DEPLOYED["caesar"]["genua"] | DEPLOYED["caesar"]["narbo"] | DEPLOYED["caesar"]["ravenna"]
    assert {at(state, block) for pair in swaps if "legio_11" in pair for block in pair} == set(DEPLOYED["caesar"])

    play(state, "caesar", "swap c_navis_1 legio_8", "swap c_navis_2 legio_7")
    assert (at(state, "c_navis_1"), at(state, "legio_8")) == ("genua", "massilia")
    assert (at(state, "c_navis_2"), at(state, "legio_7")) == ("narbo", "ravenna")
    sizes = {city: len(blocks) for city, blocks in stacks(state, "caesar").items()}
    assert sizes == {city: len(blocks) for city, blocks in DEPLOYED["caesar"].items()}
    assert {order.split()[0] for order in legal(state, "caesar")} == {"swap", "end_deployment"}


def test_5_3_nothing_but_whole_swaps_changes_a_deployment() -> None:
    """S68: each order keeps the counts, so the deployment may be ended after any of them."""
    state = free()
    on_map = set().union(*DEPLOYED["caesar"].values())
    orders = legal(state, "caesar")
    assert "end_deployment" in orders
    for order in orders - {"end_deployment"}:
        verb, one, other = order.split()
        assert verb == "swap"
        assert {one, other} <= on_map
        assert at(state, one) != at(state, other)


def test_5_3_example_any_three_blocks_of_pompey_may_stand_in_neapolis() -> None:
    state = free()
    play(state, "caesar", "end_deployment")
    play(state, "pompey", "swap legio_34 pompey", "swap legio_1 scipio", "swap cleopatra p_navis_1")
    assert stacks(state, "pompey")["neapolis"] == {"legio_34", "scipio", "cleopatra"}
    assert stacks(state, "pompey")["antioch"] == {"pompey", "legio_1"}
    assert stacks(state, "pompey")["alexandria"] == {"p_navis_1", "p_navis_2"}
    sizes = {city: len(blocks) for city, blocks in stacks(state, "pompey").items()}
    assert sizes == {city: len(blocks) for city, blocks in DEPLOYED["pompey"].items()}


def test_5_3_caesar_deploys_first_and_the_cards_are_dealt_last() -> None:
    state = free()
    assert (game.to_act(state), game.snapshot(state)["phase"]) == (("caesar",), "deploy")
    play(state, "caesar", "end_deployment")
    assert (game.to_act(state), game.snapshot(state)["phase"]) == (("pompey",), "deploy")
    assert game.snapshot(state)["hands"] == {"caesar": [], "pompey": []}
    for n in range(27, 15, -1):
        draw(state, n, 0)
    play(state, "pompey", "end_deployment")
    assert (game.to_act(state), game.snapshot(state)["phase"]) == (("caesar", "pompey"), "discard")
    assert game.snapshot(state)["hands"] == {"caesar": [1, 2, 3, 4, 5, 6], "pompey": [7, 8, 9, 10, 11, 12]}


def test_5_3_after_sixty_swaps_the_deployment_must_be_ended() -> None:
    state = free()
    play(state, "caesar", *["swap caesar legio_8"] * 59)
    assert len(legal(state, "caesar")) > 1
    play(state, "caesar", "swap caesar legio_8")
    assert legal(state, "caesar") == {"end_deployment"}
    assert stacks(state, "caesar") == DEPLOYED["caesar"]
