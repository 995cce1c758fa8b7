import pytest

from lictor.engine import julius_caesar as game
from support.position import at, draw, goals, legal, play, position, steps


def test_6_4_what_may_be_raised_in_genua_alone() -> None:
    """S31: its own legions and what any city raises; no Navis, since Genua is no major port."""
    state = position("genua caesar: legio_7", phase="levies")
    assert goals(state, "caesar", "levy ") == {
        f"{block} genua"
        for block in (
            "legio_11", "legio_12", "c_auxilia_1", "c_auxilia_2", "c_auxilia_3", "c_auxilia_4", "c_ballista",
            "caesar", "antonius",
        )
    }  # fmt: skip
    assert legal(state, "caesar", "reinforce") == set()


def test_6_4_a_navis_at_sea_gains_no_step() -> None:
    """S32."""
    state = position(
        """
        mare_hispanum  caesar: c_navis_1/1
        massilia       caesar: c_navis_2/1
        """,
        phase="levies",
    )
    assert legal(state, "caesar", "reinforce") == {"reinforce c_navis_2"}
    play(state, "caesar", "reinforce c_navis_2")
    assert (steps(state, "c_navis_2"), steps(state, "c_navis_1")) == (2, 1)


def test_6_4_a_navis_gains_steps_in_any_port_but_is_built_in_a_major_one() -> None:
    state = position(
        """
        genua    caesar: c_navis_1/1
        ravenna  caesar: legio_13
        """,
        phase="levies",
    )
    assert "reinforce c_navis_1" in legal(state, "caesar")
    assert {order for order in legal(state, "caesar", "levy") if "navis" in order} == {
        f"levy c_navis_{number} ravenna" for number in (2, 3, 4, 5)
    }


def test_6_4_an_elephant_costs_one_point_a_step() -> None:
    """S33: new at strength II, at IV for one point more."""
    state = position("utica pompey: legio_39", phase="levies", to_move="pompey", card="2/3")
    play(state, "pompey", "levy p_elephant utica")
    assert (steps(state, "p_elephant"), game.snapshot(state)["levies_left"]) == (1, 2)
    play(state, "pompey", "reinforce p_elephant")
    assert (steps(state, "p_elephant"), game.snapshot(state)["levies_left"]) == (2, 1)
    assert legal(state, "pompey", "reinforce") == set()


def test_6_4_nothing_is_raised_in_a_contested_city() -> None:
    """S34."""
    state = position(
        """
        massilia  caesar: legio_10/1 legio_9
        narbo     pompey: legio_5
        """
    )
    play(state, "caesar", "move legio_10 narbo", "end_moves")
    assert game.snapshot(state)["phase"] == "levies"
    assert legal(state, "caesar", "reinforce") == set()
    assert {order.split()[2] for order in legal(state, "caesar", "levy")} == {"massilia"}


def test_6_4_nothing_is_raised_in_a_vacant_or_enemy_city() -> None:
    state = position(
        """
        massilia  caesar: legio_10
        ravenna   pompey: legio_5
        """,
        phase="levies",
    )
    assert {order.split()[2] for order in legal(state, "caesar", "levy")} == {"massilia"}
    assert {order for order in legal(state, "caesar", "levy") if "legio" in order} == set()


def test_6_4_a_block_that_moved_gains_a_step_in_its_new_city() -> None:
    state = position("massilia caesar: legio_10/1")
    play(state, "caesar", "move legio_10 narbo")
    assert legal(state, "caesar", "reinforce") == {"reinforce legio_10"}
    play(state, "caesar", "reinforce legio_10")
    assert (at(state, "legio_10"), steps(state, "legio_10")) == ("narbo", 2)


def test_6_4_sidebar_steps_are_added_in_any_friendly_city() -> None:
    """Legio 17 is raised in Rome, Equitatus 1 in Lugdunum; both recover elsewhere, a new block at once."""
    state = position("tarraco caesar: legio_17/1 c_equitatus_1/1", phase="levies", card="2/3")
    assert legal(state, "caesar", "reinforce") == {"reinforce legio_17", "reinforce c_equitatus_1"}
    play(state, "caesar", "levy legio_7 tarraco", "reinforce legio_7", "reinforce legio_17")
    assert (steps(state, "legio_7"), steps(state, "legio_17")) == (2, 2)
    assert game.to_act(state) == ("pompey",)


def test_6_4_several_steps_may_go_to_one_block_up_to_its_maximum() -> None:
    state = position("massilia caesar: legio_10/1", phase="levies", card="2/3")
    play(state, "caesar", "reinforce legio_10", "reinforce legio_10")
    assert steps(state, "legio_10") == 3
    assert legal(state, "caesar", "reinforce") == set()


def test_6_4_cleopatra_gains_steps_but_is_never_raised() -> None:
    state = position("alexandria pompey: cleopatra/3", phase="levies", to_move="pompey")
    assert legal(state, "pompey", "reinforce") == {"reinforce cleopatra"}
    assert legal(state, "pompey", "levy cleopatra") == set()


def test_6_4_a_new_block_does_not_move_this_turn() -> None:
    state = position("genua caesar: legio_7", phase="levies", card="1/2")
    play(state, "caesar", "levy legio_11 genua")
    assert (at(state, "legio_11"), steps(state, "legio_11")) == ("genua", 1)
    assert legal(state, "caesar", "move") == set()


def test_7_51_the_third_leader_waits_while_the_first_two_live() -> None:
    """S35: Octavian with both alive."""
    state = position(
        """
        genua    caesar: caesar antonius
        ravenna  caesar: legio_13
        """,
        phase="levies",
    )
    assert legal(state, "caesar", "levy octavian") == set()


@pytest.mark.parametrize(("dead", "alive"), [("antonius", "caesar"), ("caesar", "antonius")])
def test_7_51_the_third_leader_comes_for_a_dead_one_who_never_returns(dead: str, alive: str) -> None:
    """S35."""
    state = position(
        f"""
        genua    caesar: {alive}
        ravenna  caesar: legio_13
        """,
        phase="levies",
        dead=[dead],
    )
    assert legal(state, "caesar", "levy octavian") == {"levy octavian genua", "levy octavian ravenna"}
    assert legal(state, "caesar", f"levy {dead}") == set()


def test_7_51_a_dead_leader_stays_dead_in_the_next_year() -> None:
    """S35: other eliminated blocks return, he does not."""
    state = position(
        """
        genua    caesar: caesar
        tarraco  pompey: legio_5
        """,
        phase="year_end",
        dead=["antonius", "legio_11"],
    )
    play(state, "caesar", "end_levies", "end_disband")
    for n in range(27, 15, -1):
        draw(state, n, 10)
    play(state, "pompey", "end_disband")
    assert game.snapshot(state)["year"] == 707
    assert (at(state, "antonius"), at(state, "legio_11")) == ("dead", "pool")
    assert game.snapshot(state)["vp"] == {"caesar": 0, "pompey": 4}


def test_7_51_a_disbanded_leader_may_be_raised_again() -> None:
    state = position("genua caesar: caesar", phase="levies")
    assert legal(state, "caesar", "levy antonius") == {"levy antonius genua"}
    assert legal(state, "caesar", "levy octavian") == set()


def test_2_1_levies_may_be_declined() -> None:
    """S36."""
    state = position("genua caesar: legio_7/1", phase="levies", card="2/3")
    assert {"end_levies", "reinforce legio_7", "levy legio_11 genua"} <= legal(state, "caesar")
    play(state, "caesar", "end_levies")
    assert (game.to_act(state), game.snapshot(state)["phase"]) == (("pompey",), "moves")
    assert steps(state, "legio_7") == 1


def test_5_2_a_block_eliminated_this_year_is_not_raised() -> None:
    state = position("genua caesar: legio_7", phase="levies", dead=["legio_11"])
    assert legal(state, "caesar", "levy legio_1") == {"levy legio_12 genua"}
