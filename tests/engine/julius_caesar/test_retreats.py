from lictor.engine import julius_caesar as game
from support.position import at, goals, legal, owner, play, position, roll, steps


def test_7_62_an_attacker_retreats_by_the_road_he_used_or_to_a_friendly_city() -> None:
    """S42."""
    state = position(
        """
        rome      caesar: legio_7 | pompey: legio_1
        neapolis  caesar: c_auxilia_1
        """,
        phase="battles",
        attacks={"rome": ("caesar", "genua")},
    )
    play(state, "caesar", "battle rome")
    play(state, "pompey", "pass legio_1")
    play(state, "caesar", "pass legio_7")
    play(state, "pompey", "pass legio_1")
    assert goals(state, "caesar", "retreat legio_7 ") == {"genua", "neapolis"}


def test_7_62_an_attacker_may_leave_by_a_road_another_attacker_used() -> None:
    state = position(
        """
        genua    caesar: legio_7
        ravenna  caesar: legio_13
        narbo    caesar: legio_9
        rome     pompey: legio_1
        """
    )
    play(state, "caesar", "move legio_7 rome", "move legio_13 rome", "end_moves", "end_levies")
    play(state, "pompey", "end_moves", "end_levies")
    play(state, "pompey", "pass legio_1")
    play(state, "caesar", "pass legio_7")
    play(state, "pompey", "pass legio_1")
    assert goals(state, "caesar", "retreat legio_7 ") == {"genua", "ravenna"}
    assert goals(state, "caesar", "retreat legio_13 ") == {"genua", "ravenna"}


def test_7_63_a_defender_does_not_retreat_along_roads_of_the_attacker() -> None:
    """S43: roads of the main attack and of its reserves."""
    state = position(
        """
        genua    caesar: legio_7
        ravenna  caesar: legio_13
        narbo    caesar: legio_9
        rome     pompey: legio_1
        """
    )
    play(state, "caesar", "move legio_7 rome", "move legio_13 rome", "end_moves", "end_levies")
    play(state, "pompey", "end_moves", "end_levies")
    play(state, "pompey", "pass legio_1")
    play(state, "caesar", "pass legio_7")
    assert goals(state, "pompey", "retreat legio_1 ") == {"neapolis", "asculum"}


def test_7_63_a_defender_does_not_use_the_attackers_road_even_to_a_friendly_city() -> None:
    state = position(
        """
        rome   caesar: legio_7 | pompey: legio_1
        genua  pompey: legio_2
        """,
        phase="battles",
        attacks={"rome": ("caesar", "genua")},
    )
    play(state, "caesar", "battle rome")
    play(state, "pompey", "pass legio_1")
    play(state, "caesar", "pass legio_7")
    assert goals(state, "pompey", "retreat legio_1 ") == {"neapolis", "asculum", "ravenna"}


def test_7_61_nobody_retreats_into_an_enemy_or_contested_city() -> None:
    state = position(
        """
        rome      caesar: legio_7 | pompey: legio_1
        neapolis  caesar: legio_8 | pompey: legio_2
        asculum   caesar: legio_9
        """,
        phase="battles",
        attacks={"rome": ("caesar", "genua"), "neapolis": ("caesar", "rhegium")},
    )
    play(state, "caesar", "battle rome")
    play(state, "pompey", "pass legio_1")
    play(state, "caesar", "pass legio_7")
    assert goals(state, "pompey", "retreat legio_1 ") == {"ravenna"}
    play(state, "pompey", "pass legio_1")
    assert goals(state, "caesar", "retreat legio_7 ") == {"genua", "asculum"}


def test_7_6_an_attacker_without_a_retreat_in_round_4_is_eliminated() -> None:
    """S44: player 2 has taken the city he came from."""
    state = position(
        """
        genua     caesar: legio_7
        narbo     caesar: legio_9
        rome      pompey: legio_1
        massilia  pompey: legio_2
        """
    )
    play(state, "caesar", "move legio_7 rome", "end_moves", "end_levies")
    play(state, "pompey", "move legio_2 genua", "end_moves", "end_levies")
    for _ in range(3):
        play(state, "pompey", "pass legio_1")
        play(state, "caesar", "pass legio_7")
    assert (at(state, "legio_7"), game.snapshot(state)["battle"]["round"]) == ("rome", 4)
    play(state, "pompey", "pass legio_1")
    assert at(state, "legio_7") == "dead"
    assert (game.snapshot(state)["phase"], game.to_act(state)) == ("regroup", ("pompey",))


def test_7_52_cleopatra_without_a_retreat_in_round_4_changes_sides_at_strength_i() -> None:
    state = position(
        """
        memphis     caesar: legio_7 | pompey: cleopatra/3 legio_38
        alexandria  caesar: legio_8
        pelusium    caesar: legio_9
        """,
        phase="battles",
        to_move="pompey",
        attacks={"memphis": ("pompey", "alexandria")},
    )
    play(state, "pompey", "battle memphis")
    for _ in range(3):
        play(state, "caesar", "pass legio_7")
        play(state, "pompey", "pass cleopatra", "pass legio_38")
    play(state, "caesar", "pass legio_7")
    assert legal(state, "pompey") == {"retreat cleopatra", "retreat legio_38"}
    play(state, "pompey", "retreat cleopatra")
    assert (at(state, "cleopatra"), owner(state, "cleopatra"), steps(state, "cleopatra")) == ("memphis", "caesar", 1)


def test_7_61_one_block_a_round_retreats_over_a_strait() -> None:
    """S45."""
    state = position(
        """
        rhegium  caesar: legio_7 | pompey: legio_5 legio_6
        messana  pompey: legio_37
        """,
        phase="battles",
        attacks={"rhegium": ("caesar", "neapolis")},
    )
    play(state, "caesar", "battle rhegium")
    play(state, "pompey", "pass legio_5", "pass legio_6")
    play(state, "caesar", "pass legio_7")
    assert goals(state, "pompey", "retreat legio_5 ") == goals(state, "pompey", "retreat legio_6 ") == {"messana"}
    play(state, "pompey", "retreat legio_5 messana")
    assert legal(state, "pompey") == {"fire legio_6", "pass legio_6"}
    play(state, "pompey", "pass legio_6")
    play(state, "caesar", "pass legio_7")
    assert goals(state, "pompey", "retreat legio_6 ") == {"messana"}


def test_7_61_road_limits_apply_to_retreats_of_a_round() -> None:
    """S46."""
    state = position(
        """
        rome     caesar: legio_13 | pompey: legio_1 legio_2 legio_3
        asculum  pompey: legio_4
        """,
        phase="battles",
        attacks={"rome": ("caesar", "ravenna")},
    )
    play(state, "caesar", "battle rome")
    play(state, "pompey", "pass legio_1", "pass legio_2", "pass legio_3")
    play(state, "caesar", "pass legio_13")
    assert goals(state, "pompey", "retreat legio_3 ") == {"asculum", "genua", "neapolis"}
    play(state, "pompey", "retreat legio_1 asculum", "retreat legio_2 asculum")
    assert (at(state, "legio_1"), at(state, "legio_2")) == ("asculum", "asculum")
    assert goals(state, "pompey", "retreat legio_3 ") == {"genua", "neapolis"}


def test_7_61_retreat_limits_begin_anew_each_round() -> None:
    state = position(
        """
        rome     caesar: legio_13 | pompey: legio_1 legio_2 legio_3
        asculum  pompey: legio_4
        """,
        phase="battles",
        attacks={"rome": ("caesar", "ravenna")},
    )
    play(state, "caesar", "battle rome")
    play(state, "pompey", "pass legio_1", "pass legio_2", "pass legio_3")
    play(state, "caesar", "pass legio_13")
    play(state, "pompey", "retreat legio_1 asculum", "retreat legio_2 asculum", "pass legio_3")
    play(state, "caesar", "pass legio_13")
    assert goals(state, "pompey", "retreat legio_3 ") == {"asculum", "genua", "neapolis"}


def test_7_63_defenders_may_retreat_to_different_cities() -> None:
    state = position(
        """
        rome  caesar: legio_13 | pompey: legio_1 legio_2
        """,
        phase="battles",
        attacks={"rome": ("caesar", "ravenna")},
    )
    play(state, "caesar", "battle rome")
    play(state, "pompey", "pass legio_1", "pass legio_2")
    play(state, "caesar", "pass legio_13")
    play(state, "pompey", "retreat legio_1 asculum", "retreat legio_2 genua")
    assert (at(state, "legio_1"), at(state, "legio_2")) == ("asculum", "genua")
    assert (game.snapshot(state)["phase"], game.to_act(state)) == ("regroup", ("caesar",))


def test_7_64_one_land_block_a_round_retreats_by_sea() -> None:
    """S47."""
    state = position(
        """
        rhegium        caesar: legio_7 | pompey: legio_5 legio_6
        mare_internum  pompey: p_navis_1
        syracuse       pompey: legio_37
        cyrene         pompey: legio_39
        """,
        phase="battles",
        attacks={"rhegium": ("caesar", "neapolis")},
    )
    by_sea = {"mare_internum syracuse", "mare_internum cyrene"}
    play(state, "caesar", "battle rhegium")
    play(state, "pompey", "pass legio_5", "pass legio_6")
    play(state, "caesar", "pass legio_7")
    assert goals(state, "pompey", "retreat legio_5 ") == by_sea | {"messana"}
    assert goals(state, "pompey", "retreat legio_6 ") == by_sea | {"messana"}
    play(state, "pompey", "retreat legio_5 mare_internum cyrene")
    assert at(state, "legio_5") == "cyrene"
    assert goals(state, "pompey", "retreat legio_6 ") == {"messana"}
    play(state, "pompey", "pass legio_6")
    play(state, "caesar", "pass legio_7")
    assert goals(state, "pompey", "retreat legio_6 ") == by_sea | {"messana"}


def test_7_64_a_sea_retreat_ends_in_a_friendly_port_on_the_same_friendly_sea() -> None:
    """Salamis lies a sea further, Cyrene is vacant, Mare Tyrrhenum is the enemy's."""
    state = position(
        """
        rhegium         caesar: legio_7 | pompey: legio_5
        mare_internum   pompey: p_navis_1
        mare_egypticum  pompey: p_navis_2
        mare_tyrrhenum  caesar: c_navis_1
        syracuse        pompey: legio_37
        salamis         pompey: legio_38
        genua           pompey: legio_1
        """,
        phase="battles",
        attacks={"rhegium": ("caesar", "neapolis")},
    )
    play(state, "caesar", "battle rhegium")
    play(state, "pompey", "pass legio_5")
    play(state, "caesar", "pass legio_7")
    assert goals(state, "pompey", "retreat legio_5 ") == {"messana", "mare_internum syracuse"}


def test_7_64_a_sea_retreat_may_cross_the_sea_the_attacker_came_from() -> None:
    state = position(
        """
        tarraco        caesar: c_navis_1 | pompey: legio_5
        mare_hispanum  pompey: p_navis_1
        utica          pompey: legio_39
        """,
        phase="battles",
        attacks={"tarraco": ("caesar", "mare_hispanum")},
    )
    play(state, "caesar", "battle tarraco")
    play(state, "pompey", "pass legio_5")
    play(state, "caesar", "pass c_navis_1")
    assert goals(state, "pompey", "retreat legio_5 ") == {
        "narbo", "bilbilis", "carthago_nova", "mare_hispanum utica",
    }  # fmt: skip


def test_7_64_example_both_sides_leave_utica_by_sea_in_one_round() -> None:
    state = position(
        """
        utica          caesar: legio_7 legio_8 | pompey: legio_39 legio_33
        mare_internum  caesar: c_navis_1
        mare_hispanum  pompey: p_navis_1
        syracuse       caesar: legio_19
        tarraco        pompey: legio_5
        """,
        phase="battles",
        attacks={"utica": ("caesar", "tacape")},
    )
    play(state, "caesar", "battle utica")
    play(state, "pompey", "pass legio_39", "pass legio_33")
    play(state, "caesar", "pass legio_7", "pass legio_8")
    assert goals(state, "pompey", "retreat legio_39 ") == {"badias", "iomnium", "mare_hispanum tarraco"}
    play(state, "pompey", "retreat legio_39 mare_hispanum tarraco")
    assert goals(state, "pompey", "retreat legio_33 ") == {"badias", "iomnium"}
    play(state, "pompey", "pass legio_33")
    assert goals(state, "caesar", "retreat legio_7 ") == {"tacape", "mare_internum syracuse"}
    play(state, "caesar", "retreat legio_7 mare_internum syracuse")
    assert game.snapshot(state)["battle"]["round"] == 2
    assert (at(state, "legio_39"), at(state, "legio_7")) == ("tarraco", "syracuse")
    assert goals(state, "caesar", "retreat legio_8 ") == {"tacape"}


def test_7_7_road_limits_apply_to_a_regroup_and_nobody_regroups_by_sea() -> None:
    """S53."""
    state = position(
        """
        rome            caesar: legio_7 legio_8 legio_9 legio_10 | pompey: legio_1/1
        mare_tyrrhenum  caesar: c_navis_1
        utica           caesar: legio_11
        """,
        phase="battles",
        attacks={"rome": ("caesar", "genua")},
    )
    play(state, "caesar", "battle rome")
    play(state, "pompey", "pass legio_1")
    roll(state, 1, 6, 6)
    play(state, "caesar", "fire legio_7")
    assert legal(state, "caesar") == {"end_regroup"} | {
        f"regroup legio_{number} {city}"
        for number in (7, 8, 9, 10)
        for city in ("genua", "ravenna", "neapolis", "asculum")
    }
    play(state, "caesar", "regroup legio_7 ravenna", "regroup legio_8 ravenna")
    assert legal(state, "caesar") == {"end_regroup"} | {
        f"regroup legio_{number} {city}" for number in (9, 10) for city in ("genua", "neapolis", "asculum")
    }


def test_7_7_two_blocks_regroup_over_a_strait() -> None:
    state = position(
        """
        rhegium  caesar: legio_7 legio_8 legio_9 | pompey: legio_1/1
        """,
        phase="battles",
        attacks={"rhegium": ("caesar", "neapolis")},
    )
    play(state, "caesar", "battle rhegium")
    play(state, "pompey", "pass legio_1")
    roll(state, 1, 6, 6)
    play(state, "caesar", "fire legio_7")
    play(state, "caesar", "regroup legio_7 messana", "regroup legio_8 messana")
    assert legal(state, "caesar") == {"end_regroup", "regroup legio_9 neapolis"}


def test_7_7_reserves_regroup_with_the_victors() -> None:
    state = position(
        """
        genua    caesar: caesar
        ravenna  caesar: legio_13
        narbo    caesar: legio_9
        rome     pompey: legio_1/1
        """
    )
    play(state, "caesar", "move caesar rome", "move legio_13 rome", "end_moves", "end_levies")
    play(state, "pompey", "end_moves", "end_levies")
    roll(state, 1, 6, 6)
    play(state, "caesar", "fire caesar")
    assert game.snapshot(state)["phase"] == "regroup"
    assert goals(state, "caesar", "regroup legio_13 ") == {"genua", "ravenna", "neapolis", "asculum"}
    assert steps(state, "legio_13") == 3


def test_7_7_nobody_regroups_into_a_contested_city() -> None:
    state = position(
        """
        rome      caesar: caesar | pompey: legio_1/1
        neapolis  caesar: legio_8 | pompey: legio_2
        asculum   pompey: legio_3
        """,
        phase="battles",
        attacks={"rome": ("caesar", "genua"), "neapolis": ("caesar", "rhegium")},
    )
    play(state, "caesar", "battle rome")
    roll(state, 1, 6, 6)
    play(state, "caesar", "fire caesar")
    assert goals(state, "caesar", "regroup caesar ") == {"genua", "ravenna"}


def test_7_82_where_navis_retreat_from_a_battle_on_mare_internum() -> None:
    """S54."""
    state = position(
        """
        mare_internum  caesar: c_navis_1 | pompey: p_navis_1
        cyrene         pompey: legio_39
        utica          pompey: legio_33
        """,
        phase="battles",
        attacks={"mare_internum": ("caesar", "mare_tyrrhenum")},
    )
    play(state, "caesar", "battle mare_internum")
    play(state, "pompey", "pass p_navis_1")
    play(state, "caesar", "pass c_navis_1")
    assert goals(state, "pompey", "retreat p_navis_1 ") == {
        "cyrene", "utica", "mare_aegaeum", "mare_egypticum", "mare_hadriaticum",
    }  # fmt: skip
    play(state, "pompey", "pass p_navis_1")
    assert goals(state, "caesar", "retreat c_navis_1 ") == {"mare_tyrrhenum"}


def test_7_82_an_attacking_navis_retreats_to_friendly_seas_and_ports_as_well() -> None:
    state = position(
        """
        mare_internum  caesar: c_navis_1 | pompey: p_navis_1
        mare_aegaeum   caesar: c_navis_2
        creta          caesar: legio_7
        """,
        phase="battles",
        attacks={"mare_internum": ("caesar", "pylos")},
    )
    play(state, "caesar", "battle mare_internum")
    play(state, "pompey", "pass p_navis_1")
    play(state, "caesar", "pass c_navis_1")
    play(state, "pompey", "pass p_navis_1")
    assert goals(state, "caesar", "retreat c_navis_1 ") == {"pylos", "mare_aegaeum", "creta"}


def test_7_82_a_defending_navis_retreats_to_a_friendly_sea_by_the_attackers_border() -> None:
    """Player 2 has followed the attacker into the sea he came from."""
    state = position(
        """
        mare_internum   caesar: c_navis_1 | pompey: p_navis_1
        mare_tyrrhenum  pompey: p_navis_2
        """,
        phase="battles",
        attacks={"mare_internum": ("caesar", "mare_tyrrhenum")},
    )
    play(state, "caesar", "battle mare_internum")
    play(state, "pompey", "pass p_navis_1")
    play(state, "caesar", "pass c_navis_1")
    assert goals(state, "pompey", "retreat p_navis_1 ") == {
        "mare_tyrrhenum", "mare_aegaeum", "mare_egypticum", "mare_hadriaticum",
    }  # fmt: skip


def test_7_81_navis_that_attack_a_port_come_from_the_sea_and_leave_by_it() -> None:
    state = position(
        """
        mare_hispanum  caesar: c_navis_1
        narbo          caesar: legio_9
        tarraco        pompey: legio_5 p_navis_1
        """
    )
    play(state, "caesar", "move c_navis_1 tarraco", "end_moves", "end_levies")
    assert game.snapshot(state)["contested"] == {"tarraco": "caesar"}
    play(state, "pompey", "end_moves", "end_levies")
    play(state, "pompey", "pass legio_5", "pass p_navis_1")
    play(state, "caesar", "pass c_navis_1")
    assert goals(state, "pompey", "retreat legio_5 ") == {"bilbilis", "carthago_nova"}
    play(state, "pompey", "pass legio_5")
    assert legal(state, "pompey") == {"fire p_navis_1", "pass p_navis_1"}
    play(state, "pompey", "pass p_navis_1")
    assert goals(state, "caesar", "retreat c_navis_1 ") == {"mare_hispanum"}


def test_7_82_a_navis_and_a_land_block_each_leave_a_port_their_own_way() -> None:
    state = position(
        """
        tarraco  caesar: legio_7 | pompey: p_navis_1 legio_5
        """,
        phase="battles",
        attacks={"tarraco": ("caesar", "narbo")},
    )
    play(state, "caesar", "battle tarraco")
    play(state, "pompey", "pass legio_5")
    play(state, "caesar", "pass legio_7")
    play(state, "pompey", "pass p_navis_1")
    assert goals(state, "pompey", "retreat legio_5 ") == {"bilbilis", "carthago_nova"}
    play(state, "pompey", "pass legio_5")
    play(state, "caesar", "pass legio_7")
    assert goals(state, "pompey", "retreat p_navis_1 ") == {"mare_hispanum"}


def test_7_83_where_navis_regroup_after_a_battle_on_mare_tyrrhenum() -> None:
    """S55."""
    state = position(
        """
        mare_tyrrhenum  caesar: c_navis_1 | pompey: p_navis_1/1
        rome            pompey: legio_1
        """,
        phase="battles",
        attacks={"mare_tyrrhenum": ("caesar", "mare_hispanum")},
    )
    play(state, "caesar", "battle mare_tyrrhenum")
    play(state, "pompey", "pass p_navis_1")
    roll(state, 2, 6)
    play(state, "caesar", "fire c_navis_1")
    assert at(state, "p_navis_1") == "dead"
    assert goals(state, "caesar", "regroup c_navis_1 ") == {
        "mare_hispanum", "mare_internum",
        "aleria", "caralis", "genua", "lilybaeum", "messana", "neapolis", "rhegium", "utica",
    }  # fmt: skip


def test_7_83_a_navis_that_won_a_port_may_regroup_to_sea() -> None:
    state = position(
        """
        caralis  caesar: c_navis_1 | pompey: legio_5/1
        """,
        phase="battles",
        attacks={"caralis": ("caesar", "mare_hispanum")},
    )
    play(state, "caesar", "battle caralis")
    play(state, "pompey", "pass legio_5")
    roll(state, 1, 6)
    play(state, "caesar", "fire c_navis_1")
    assert goals(state, "caesar", "regroup c_navis_1 ") == {"mare_hispanum", "mare_tyrrhenum"}


def test_7_1_sidebar_an_earlier_battle_opens_a_retreat_for_a_later_one() -> None:
    state = position(
        """
        rome      caesar: legio_7 | pompey: legio_1
        neapolis  caesar: caesar | pompey: legio_2/1
        """,
        phase="battles",
        attacks={"rome": ("caesar", "genua"), "neapolis": ("caesar", "rhegium")},
    )
    play(state, "caesar", "battle neapolis")
    roll(state, 1, 6, 6)
    play(state, "caesar", "fire caesar")
    play(state, "caesar", "end_regroup")
    assert game.snapshot(state)["battle"]["space"] == "rome"
    play(state, "pompey", "pass legio_1")
    play(state, "caesar", "pass legio_7")
    play(state, "pompey", "pass legio_1")
    assert goals(state, "caesar", "retreat legio_7 ") == {"genua", "neapolis"}
