import pytest

from lictor.engine import julius_caesar as game
from support.position import at, goals, legal, play, position


def test_6_1_sidebar_a_block_in_massilia_reaches_these_cities() -> None:
    """S10."""
    state = position("massilia caesar: legio_7", card="1/2")
    assert goals(state, "caesar", "move legio_7 ") == {
        "narbo", "narbo tarraco", "narbo burdigala",
        "lugdunum", "lugdunum cenabum", "lugdunum treveri", "lugdunum genua",
        "genua", "genua ravenna", "genua rome", "genua lugdunum",
    }  # fmt: skip


def test_6_1_sidebar_one_point_moves_a_whole_group_in_many_directions() -> None:
    """Move Example: any or all blocks of Massilia, each its own way, the Navis to sea."""
    state = position(
        """
        massilia  caesar: legio_7 legio_8 legio_9 c_navis_1
        narbo     caesar: legio_10
        """,
        card="1/2",
    )
    play(state, "caesar", "move legio_7 narbo burdigala", "move legio_8 genua", "move c_navis_1 mare_hispanum genua")
    assert game.snapshot(state)["moves_left"] == 0
    assert [at(state, block) for block in ("legio_7", "legio_8", "c_navis_1")] == ["burdigala", "genua", "genua"]
    assert {order.split()[1] for order in legal(state, "caesar", "move")} == {"legio_9"}


def test_6_1_a_block_that_moved_does_not_move_again() -> None:
    state = position(
        """
        massilia  caesar: legio_7
        narbo     caesar: legio_10
        """,
        card="3/1",
    )
    play(state, "caesar", "move legio_7 narbo")
    assert {order.split()[1] for order in legal(state, "caesar", "move")} == {"legio_10"}


def test_6_1_no_block_steps_straight_back() -> None:
    state = position("rome caesar: legio_7", card="1/2")
    assert goals(state, "caesar", "move legio_7 ravenna") == {"", " genua", " aquileia", " asculum"}


def test_6_11_four_of_six_legions_may_attack_genua_and_the_fifth_not_by_lugdunum() -> None:
    """S11."""
    state = position(
        """
        massilia  caesar: legio_7 legio_8 legio_9 legio_10 legio_11 legio_12
        genua     pompey: legio_1 legio_2 legio_3
        """
    )
    play(state, "caesar", *(f"move legio_{number} genua" for number in (7, 8, 9, 10)))
    assert game.snapshot(state)["contested"] == {"genua": "caesar"}
    assert goals(state, "caesar", "move legio_11 ") == {
        "lugdunum", "lugdunum cenabum", "lugdunum treveri", "narbo", "narbo tarraco", "narbo burdigala",
    }  # fmt: skip


def test_6_1_sidebar_six_blocks_in_massilia_cannot_attack_tarraco_nor_genua_by_two_roads() -> None:
    """Movement & Attacking."""
    state = position(
        """
        massilia  caesar: legio_7 legio_8 legio_9 legio_10 legio_11 legio_12
        tarraco   pompey: legio_4 legio_5 legio_6
        genua     pompey: legio_1 legio_2 legio_3
        """
    )
    reached = {"narbo", "narbo burdigala", "lugdunum", "lugdunum cenabum", "lugdunum treveri"}
    assert goals(state, "caesar", "move legio_7 ") == reached | {"genua"}
    play(state, "caesar", *(f"move legio_{number} genua" for number in (7, 8, 9, 10)))
    assert goals(state, "caesar", "move legio_11 ") == reached
    assert goals(state, "caesar", "move legio_12 ") == reached


def test_6_1_sidebar_mercury_allows_an_attack_on_tarraco_and_a_second_road_to_genua() -> None:
    """Movement & Attacking: with Mercury; two blocks more than printed show the limit of the second road."""
    state = position(
        """
        massilia  caesar: legio_7 legio_8 legio_9 legio_10 legio_11 legio_12 legio_13 legio_14
        tarraco   pompey: legio_4 legio_5 legio_6
        genua     pompey: legio_1 legio_2 legio_3
        """,
        card="Mercury",
    )
    play(state, "caesar", *(f"move legio_{number} genua" for number in (7, 8, 9, 10)))
    assert {"narbo tarraco", "lugdunum genua"} <= goals(state, "caesar", "move legio_11 ")
    play(state, "caesar", "move legio_11 lugdunum genua", "move legio_12 lugdunum genua")
    assert "lugdunum genua" not in goals(state, "caesar", "move legio_13 ")
    play(state, "caesar", "move legio_13 narbo tarraco")
    assert game.snapshot(state)["contested"] == {"genua": "caesar", "tarraco": "caesar"}
    assert game.snapshot(state)["reserves"] == ["legio_11", "legio_12"]


def test_6_12_an_attack_comes_from_an_adjacent_city_only() -> None:
    """S12."""
    state = position(
        """
        massilia  caesar: legio_7
        tarraco   pompey: legio_5
        """
    )
    assert goals(state, "caesar", "move legio_7 narbo") == {"", " burdigala"}


def test_6_12_a_block_stops_where_it_meets_the_enemy() -> None:
    state = position(
        """
        massilia  caesar: legio_7
        narbo     pompey: legio_5
        """
    )
    assert goals(state, "caesar", "move legio_7 narbo") == {""}


def test_6_11_all_blocks_of_a_turn_count_on_a_major_road() -> None:
    """S13: two that come from Massilia and two of Genua fill the road to Rome."""
    state = position(
        """
        massilia  caesar: legio_7 legio_8
        genua     caesar: legio_9 legio_10 legio_11
        """
    )
    play(state, "caesar", "move legio_7 genua rome", "move legio_8 genua rome")
    assert "rome" in goals(state, "caesar", "move legio_11 ")
    play(state, "caesar", "move legio_9 rome", "move legio_10 rome")
    assert goals(state, "caesar", "move legio_11 ") == {
        "massilia", "massilia narbo", "massilia lugdunum",
        "ravenna", "ravenna rome", "ravenna aquileia", "ravenna asculum",
        "lugdunum", "lugdunum massilia", "lugdunum cenabum", "lugdunum treveri",
    }  # fmt: skip


def test_6_11_a_minor_road_takes_two_blocks() -> None:
    """S14."""
    state = position("ravenna caesar: legio_7 legio_8 legio_9")
    play(state, "caesar", "move legio_7 rome")
    assert "rome" in goals(state, "caesar", "move legio_9 ")
    play(state, "caesar", "move legio_8 rome")
    assert goals(state, "caesar", "move legio_9 ") == {
        "genua", "genua rome", "genua massilia", "genua lugdunum",
        "aquileia", "aquileia salone", "aquileia sirmium", "asculum", "asculum rome", "asculum sipontum",
    }  # fmt: skip


def test_6_11_a_full_road_is_closed_to_a_second_step_too() -> None:
    state = position(
        """
        ravenna  caesar: legio_7 legio_8
        genua    caesar: legio_9
        """
    )
    play(state, "caesar", "move legio_7 rome", "move legio_8 rome")
    assert goals(state, "caesar", "move legio_9 ravenna") == {"", " aquileia", " asculum"}


def test_6_11_both_directions_count_on_a_road() -> None:
    state = position(
        """
        ravenna  caesar: legio_7 legio_8
        rome     caesar: legio_9
        """
    )
    play(state, "caesar", "move legio_7 rome", "move legio_9 ravenna")
    assert "rome" not in goals(state, "caesar", "move legio_8 ")
    assert "genua rome" in goals(state, "caesar", "move legio_8 ")


def test_6_11_example_four_blocks_from_genua_and_two_from_ravenna_move_to_rome() -> None:
    state = position(
        """
        genua    caesar: legio_7 legio_8 legio_9 legio_10 legio_11
        ravenna  caesar: legio_12 legio_13 legio_14
        """
    )
    play(state, "caesar", *(f"move legio_{number} rome" for number in (7, 8, 9, 10, 12, 13)))
    assert {at(state, f"legio_{number}") for number in (7, 8, 9, 10, 12, 13)} == {"rome"}
    assert "rome" not in goals(state, "caesar", "move legio_11 ")
    assert "rome" not in goals(state, "caesar", "move legio_14 ")


def test_6_11_road_limits_apply_to_each_player() -> None:
    """Both move two blocks over the same minor road in the same turn, and neither a third."""
    state = position(
        """
        rome      caesar: legio_7 legio_8 legio_9
        sipontum  pompey: legio_1 legio_2 legio_3
        """
    )
    play(state, "caesar", "move legio_7 asculum ravenna", "move legio_8 asculum ravenna")
    assert {goal.split()[0] for goal in goals(state, "caesar", "move legio_9 ")} == {"genua", "neapolis", "ravenna"}
    play(state, "caesar", "move legio_9 genua")
    play(state, "caesar", "end_levies")
    play(state, "pompey", "move legio_1 asculum rome", "move legio_2 asculum rome")
    assert "asculum" not in goals(state, "pompey", "move legio_3 ")
    assert {at(state, "legio_1"), at(state, "legio_2")} == {"rome"}


def test_6_11_example_both_players_use_the_road_between_massilia_and_genua() -> None:
    """Four blocks go Massilia-Genua-Ravenna, then four of the enemy Rome-Genua-Massilia."""
    state = position(
        """
        massilia  caesar: legio_7 legio_8 legio_9 legio_10
        narbo     caesar: legio_11
        rome      pompey: legio_1 legio_2 legio_3 legio_4
        """
    )
    play(state, "caesar", *(f"move legio_{number} genua ravenna" for number in (7, 8, 9, 10)))
    play(state, "caesar", "end_moves", "end_levies")
    play(state, "pompey", *(f"move legio_{number} genua massilia" for number in (1, 2, 3, 4)))
    assert {at(state, f"legio_{number}") for number in (7, 8, 9, 10)} == {"ravenna"}
    assert {at(state, f"legio_{number}") for number in (1, 2, 3, 4)} == {"massilia"}
    assert game.snapshot(state)["contested"] == {}


@pytest.mark.parametrize(("left", "onward"), [(False, True), (True, False)])
def test_6_11_example_a_block_left_in_genua_bars_the_way_to_massilia(left: bool, onward: bool) -> None:
    """S19."""
    state = position(
        """
        massilia  caesar: legio_7 legio_8
        narbo     caesar: legio_9
        rome      pompey: legio_1
        """
    )
    play(state, "caesar", "move legio_7 genua ravenna")
    play(state, "caesar", "move legio_8 genua" if left else "move legio_8 genua ravenna")
    play(state, "caesar", "end_moves", "end_levies")
    assert ("genua massilia" in goals(state, "pompey", "move legio_1 ")) is onward
    assert goals(state, "pompey", "move legio_1 genua") == ({"", " massilia", " lugdunum"} if onward else {""})
    play(state, "pompey", "move legio_1 genua massilia" if onward else "move legio_1 genua")
    assert game.snapshot(state)["contested"] == ({} if onward else {"genua": "pompey"})


def test_pluto_three_blocks_attack_by_a_minor_road_and_others_by_a_major_one() -> None:
    """S15."""
    state = position(
        """
        ravenna  caesar: legio_7 legio_8 legio_9 legio_10 legio_11 legio_12 legio_13 legio_14
        rome     pompey: legio_1
        genua    pompey: legio_2
        """,
        card="Pluto",
    )
    play(state, "caesar", "move legio_7 rome", "move legio_8 rome", "move legio_9 rome")
    assert goals(state, "caesar", "move legio_10 ") == {
        "genua", "aquileia", "aquileia salone", "aquileia sirmium", "asculum", "asculum sipontum",
    }  # fmt: skip
    play(state, "caesar", *(f"move legio_{number} genua" for number in (10, 11, 12, 13, 14)))
    assert {at(state, f"legio_{number}") for number in (10, 11, 12, 13, 14)} == {"genua"}


@pytest.mark.parametrize("edition", ["2.0", "1.x"])
def test_pluto_six_blocks_attack_by_a_major_road(edition: str) -> None:
    """S15: up to six attack Genua, not a seventh."""
    state = position(
        """
        ravenna  caesar: legio_7 legio_8 legio_9 legio_10 legio_11 legio_12 legio_13
        genua    pompey: legio_2
        """,
        card="Pluto",
        edition=edition,
    )
    play(state, "caesar", *(f"move legio_{number} genua" for number in (7, 8, 9, 10, 11)))
    assert "genua" in goals(state, "caesar", "move legio_13 ")
    play(state, "caesar", "move legio_12 genua")
    assert "genua" not in goals(state, "caesar", "move legio_13 ")


@pytest.mark.parametrize("edition", ["2.0", "1.x"])
def test_pluto_raises_no_limit_for_other_moves(edition: str) -> None:
    state = position(
        """
        ravenna  caesar: legio_7 legio_8 legio_9 legio_10 legio_11 legio_12 legio_13
        """,
        card="Pluto",
        edition=edition,
    )
    play(state, "caesar", *(f"move legio_{number} genua" for number in (7, 8, 9, 10)))
    play(state, "caesar", "move legio_11 rome", "move legio_12 rome")
    assert {goal.split()[0] for goal in goals(state, "caesar", "move legio_13 ")} == {"aquileia", "asculum"}


def test_4_32_one_block_attacks_over_a_strait() -> None:
    """S16: against a defended Rhegium."""
    state = position(
        """
        messana  caesar: legio_7 legio_8
        rhegium  pompey: legio_5
        """
    )
    play(state, "caesar", "move legio_7 rhegium")
    assert goals(state, "caesar", "move legio_8 ") == {
        "lilybaeum", "lilybaeum syracuse", "syracuse", "syracuse lilybaeum",
    }  # fmt: skip


def test_4_32_two_blocks_cross_a_strait_to_a_vacant_city() -> None:
    """S16: with Rhegium vacant."""
    state = position("messana caesar: legio_7 legio_8 legio_9")
    play(state, "caesar", "move legio_7 rhegium")
    assert "rhegium" in goals(state, "caesar", "move legio_9 ")
    play(state, "caesar", "move legio_8 rhegium")
    assert goals(state, "caesar", "move legio_9 ") == {
        "lilybaeum", "lilybaeum syracuse", "syracuse", "syracuse lilybaeum",
    }  # fmt: skip


def test_pluto_two_blocks_attack_over_a_strait() -> None:
    """S16: with Pluto."""
    state = position(
        """
        messana  caesar: legio_7 legio_8 legio_9
        rhegium  pompey: legio_5
        """,
        card="Pluto",
    )
    play(state, "caesar", "move legio_7 rhegium")
    assert "rhegium" in goals(state, "caesar", "move legio_9 ")
    play(state, "caesar", "move legio_8 rhegium")
    assert goals(state, "caesar", "move legio_9 ") == {
        "lilybaeum", "lilybaeum syracuse", "syracuse", "syracuse lilybaeum",
    }  # fmt: skip


def test_6_2_a_navis_leaves_massilia_by_its_sea_and_passes_no_enemy_port() -> None:
    """S17."""
    state = position(
        """
        massilia  caesar: c_navis_1
        genua     caesar: legio_7
        utica     pompey: legio_39
        """
    )
    assert goals(state, "caesar", "move c_navis_1 ") == {
        "mare_hispanum", "mare_hispanum oceanus_atlanticus", "mare_hispanum mare_tyrrhenum",
        "mare_hispanum caralis", "mare_hispanum carthago_nova", "mare_hispanum genua", "mare_hispanum iomnium",
        "mare_hispanum narbo", "mare_hispanum siga", "mare_hispanum tarraco", "mare_hispanum tingis",
    }  # fmt: skip


def test_6_2_sidebar_a_navis_in_massilia_reaches_all_other_ports_of_its_sea() -> None:
    """Navis Move Example 1."""
    state = position("massilia caesar: c_navis_1")
    assert goals(state, "caesar", "move c_navis_1 mare_hispanum ") == {
        "oceanus_atlanticus", "mare_tyrrhenum",
        "utica", "caralis", "iomnium", "siga", "tingis", "carthago_nova", "tarraco", "narbo", "genua",
    }  # fmt: skip


def test_6_2_sidebar_a_navis_on_mare_internum_reaches_four_seas_and_the_ports_beyond() -> None:
    """Navis Move Example 2."""
    state = position("mare_internum caesar: c_navis_1")
    orders = goals(state, "caesar", "move c_navis_1 ")
    assert {order for order in orders if " " not in order} == {
        "mare_tyrrhenum", "mare_hadriaticum", "mare_aegaeum", "mare_egypticum",
        "ambracia", "brundisium", "creta", "cyrene", "lilybaeum", "messana", "pylos", "rhegium", "syracuse",
        "tacape", "thubactus", "utica",
    }  # fmt: skip
    assert goals(state, "caesar", "move c_navis_1 mare_aegaeum ") == {
        "propontis", "mare_egypticum", "creta", "athens", "thessalonika", "aenos", "ephesus",
    }  # fmt: skip


def test_6_2_a_navis_attacks_with_its_first_step_only() -> None:
    state = position(
        """
        massilia        caesar: c_navis_1
        mare_hispanum   caesar: c_navis_2
        mare_tyrrhenum  pompey: p_navis_1
        tarraco         pompey: legio_5
        """
    )
    assert {"mare_tyrrhenum", "tarraco"} <= goals(state, "caesar", "move c_navis_2 ")
    assert {"mare_hispanum mare_tyrrhenum", "mare_hispanum tarraco"}.isdisjoint(
        goals(state, "caesar", "move c_navis_1 ")
    )


def test_4_32_a_navis_passes_a_strait_held_by_the_enemy() -> None:
    state = position(
        """
        mare_aegaeum  caesar: c_navis_1
        byzantium     pompey: legio_35
        nicomedia     pompey: legio_36
        """
    )
    assert goals(state, "caesar", "move c_navis_1 propontis") == {"", " pontus_euxinus"}


def test_6_12_a_block_that_moves_two_cities_does_not_join_a_battle() -> None:
    """S18."""
    state = position(
        """
        genua     caesar: legio_7
        massilia  caesar: legio_8
        rome      pompey: legio_1
        """
    )
    play(state, "caesar", "move legio_7 rome")
    assert goals(state, "caesar", "move legio_8 genua") == {"", " ravenna", " lugdunum"}


def test_4_21_a_city_is_vacant_as_soon_as_its_last_block_leaves() -> None:
    state = position(
        """
        massilia  caesar: legio_7
        rome      pompey: legio_1
        """
    )
    assert game.snapshot(state)["vp"] == {"caesar": 1, "pompey": 2}
    play(state, "caesar", "move legio_7 genua")
    assert game.snapshot(state)["vp"] == {"caesar": 0, "pompey": 2}


def test_4_21_one_attacker_makes_a_city_contested_at_once() -> None:
    state = position(
        """
        genua  caesar: legio_7 legio_8
        rome   pompey: legio_1 legio_2
        """
    )
    play(state, "caesar", "move legio_7 rome")
    assert game.snapshot(state)["contested"] == {"rome": "caesar"}
    assert game.snapshot(state)["vp"] == {"caesar": 0, "pompey": 0}
