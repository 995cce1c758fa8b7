import pytest

from lictor.engine import julius_caesar as game
from support.position import at, legal, owner, play, position, roll, steps


def test_7_1_player_1_picks_the_battles_one_by_one() -> None:
    state = position(
        """
        rome     caesar: legio_10 | pompey: legio_1/1
        ravenna  caesar: legio_13/1 | pompey: legio_3
        """,
        phase="battles",
        attacks={"rome": ("caesar", "genua"), "ravenna": ("pompey", "aquileia")},
    )
    assert legal(state, "caesar") == {"battle rome", "battle ravenna"}
    play(state, "caesar", "battle rome")
    play(state, "pompey", "pass legio_1")
    roll(state, 1, 6, 6)
    play(state, "caesar", "fire legio_10")
    assert game.snapshot(state)["phase"] == "regroup"
    play(state, "caesar", "end_regroup")
    assert game.snapshot(state)["battle"] == {"space": "ravenna", "round": 1, "attacker": "pompey"}


def test_7_2_sidebar_turns_go_by_letter_and_the_defender_is_first() -> None:
    """S37, and the Battle Turns sidebar."""
    state = position(
        """
        neapolis  caesar: caesar c_equitatus_1 | pompey: pompey p_navis_3
        """,
        phase="battles",
        attacks={"neapolis": ("caesar", "rome")},
    )
    play(state, "caesar", "battle neapolis")
    assert legal(state, "caesar") == {"fire caesar", "pass caesar"}
    play(state, "caesar", "pass caesar")
    assert legal(state, "pompey") == {"fire pompey", "pass pompey"}
    play(state, "pompey", "pass pompey")
    assert legal(state, "caesar") == {"fire c_equitatus_1", "pass c_equitatus_1"}
    play(state, "caesar", "pass c_equitatus_1")
    assert legal(state, "pompey") == {"fire p_navis_3", "pass p_navis_3"}
    play(state, "pompey", "pass p_navis_3")
    assert game.snapshot(state)["battle"]["round"] == 2


def test_7_42_a_ballista_fights_at_b_in_defence_and_at_d_in_attack() -> None:
    """S38."""
    state = position(
        """
        rome  caesar: c_ballista c_auxilia_1 | pompey: p_ballista p_auxilia_1
        """,
        phase="battles",
        attacks={"rome": ("caesar", "genua")},
    )
    play(state, "caesar", "battle rome")
    assert legal(state, "pompey") == {"fire p_ballista", "pass p_ballista", "fire p_auxilia_1", "pass p_auxilia_1"}
    play(state, "pompey", "pass p_auxilia_1")
    assert legal(state, "pompey") == {"fire p_ballista", "pass p_ballista"}
    play(state, "pompey", "pass p_ballista")
    assert legal(state, "caesar") == {"fire c_auxilia_1", "pass c_auxilia_1"}
    play(state, "caesar", "pass c_auxilia_1")
    assert legal(state, "caesar") == {"fire c_ballista", "pass c_ballista"}


def test_7_42_a_ballista_hits_with_four() -> None:
    state = position(
        "rome caesar: legio_7 | pompey: p_ballista", phase="battles", attacks={"rome": ("caesar", "genua")}
    )
    play(state, "caesar", "battle rome")
    roll(state, 4, 5)
    play(state, "pompey", "fire p_ballista")
    assert steps(state, "legio_7") == 2


@pytest.mark.parametrize(
    ("dice", "left"), [((4, 5, 6), 4), ((3, 4, 4), 3), ((2, 3, 6), 2), ((1, 2, 3), 1), ((6, 1, 1), 2)]
)
def test_7_4_example_caesar_at_three_rolls_three_dice_and_hits_with_three_or_less(
    dice: tuple[int, int, int], left: int
) -> None:
    state = position("rome caesar: caesar | pompey: legio_1", phase="battles", attacks={"rome": ("caesar", "genua")})
    play(state, "caesar", "battle rome")
    roll(state, *dice)
    play(state, "caesar", "fire caesar")
    assert steps(state, "legio_1") == left
    assert state.chance.left == 0  # type: ignore[attr-defined]


def test_7_4_each_hit_goes_to_the_strongest_block_at_that_instant() -> None:
    """S39."""
    state = position(
        """
        tarraco  caesar: caesar | pompey: legio_5/3 legio_6/2 legio_4/2 p_auxilia_3/1
        """,
        phase="battles",
        attacks={"tarraco": ("caesar", "narbo")},
    )
    play(state, "caesar", "battle tarraco")
    play(state, "pompey", "pass p_auxilia_3")
    roll(state, 3, 3, 6)
    play(state, "caesar", "fire caesar")
    assert steps(state, "legio_5") == 2
    assert game.snapshot(state)["phase"] == "hits"
    assert legal(state, "pompey") == {"hit legio_4", "hit legio_5", "hit legio_6"}
    play(state, "pompey", "hit legio_4")
    assert [steps(state, block) for block in ("legio_5", "legio_6", "legio_4", "p_auxilia_3")] == [2, 2, 1, 1]


def test_7_4_sidebar_two_hits_on_blocks_of_strength_three_two_and_two() -> None:
    """Battle Hits: the second may be taken by any of the three."""
    state = position(
        """
        tarraco  caesar: caesar | pompey: legio_5/3 legio_6/2 legio_4/2
        """,
        phase="battles",
        attacks={"tarraco": ("caesar", "narbo")},
    )
    play(state, "caesar", "battle tarraco")
    roll(state, 1, 2, 4)
    play(state, "caesar", "fire caesar")
    assert [steps(state, block) for block in ("legio_5", "legio_6", "legio_4")] == [2, 2, 2]
    assert legal(state, "pompey") == {"hit legio_4", "hit legio_5", "hit legio_6"}
    play(state, "pompey", "hit legio_5")
    assert [steps(state, block) for block in ("legio_5", "legio_6", "legio_4")] == [1, 2, 2]


def test_7_4_hits_count_at_once() -> None:
    """A block that falls before its turn does not fire."""
    state = position(
        """
        rome  caesar: caesar | pompey: legio_1/1 legio_2/1
        """,
        phase="battles",
        attacks={"rome": ("caesar", "genua")},
    )
    play(state, "caesar", "battle rome")
    roll(state, 1, 6, 6)
    play(state, "caesar", "fire caesar")
    play(state, "pompey", "hit legio_1")
    assert at(state, "legio_1") == "dead"
    assert legal(state, "pompey") == {"fire legio_2", "pass legio_2"}


def test_7_41_an_elephant_rolls_four_dice_and_drops_to_two_with_one_hit() -> None:
    """S40."""
    state = position(
        "utica caesar: legio_10 | pompey: p_elephant", phase="battles", attacks={"utica": ("caesar", "badias")}
    )
    play(state, "caesar", "battle utica")
    roll(state, 6, 6, 6, 6)
    play(state, "pompey", "fire p_elephant")
    assert state.chance.left == 0  # type: ignore[attr-defined]
    roll(state, 1, 6, 6)
    play(state, "caesar", "fire legio_10")
    assert (steps(state, "p_elephant"), game.snapshot(state)["battle"]["round"]) == (1, 2)
    roll(state, 6, 6)
    play(state, "pompey", "fire p_elephant")
    assert state.chance.left == 0  # type: ignore[attr-defined]
    roll(state, 1, 6, 6)
    play(state, "caesar", "fire legio_10")
    assert at(state, "p_elephant") == "dead"


def test_7_41_an_elephant_is_the_strongest_at_four_but_not_at_two() -> None:
    state = position(
        """
        utica  caesar: legio_10 | pompey: p_elephant legio_39/3
        """,
        phase="battles",
        attacks={"utica": ("caesar", "badias")},
    )
    play(state, "caesar", "battle utica")
    play(state, "pompey", "pass p_elephant", "pass legio_39")
    roll(state, 1, 1, 6)
    play(state, "caesar", "fire legio_10")
    assert (steps(state, "p_elephant"), steps(state, "legio_39")) == (1, 2)


def test_7_2_no_retreat_in_round_1_and_nothing_else_for_the_attacker_in_round_4() -> None:
    """S41."""
    state = position(
        """
        rome      caesar: legio_7 | pompey: legio_1
        neapolis  caesar: c_auxilia_1
        """,
        phase="battles",
        attacks={"rome": ("caesar", "genua")},
    )
    defence = {"fire legio_1", "pass legio_1"}
    attack = {"fire legio_7", "pass legio_7"}
    defender_ways = {"retreat legio_1 asculum", "retreat legio_1 ravenna"}
    attacker_ways = {"retreat legio_7 genua", "retreat legio_7 neapolis"}
    play(state, "caesar", "battle rome")
    assert legal(state, "pompey") == defence
    play(state, "pompey", "pass legio_1")
    assert legal(state, "caesar") == attack
    play(state, "caesar", "pass legio_7")
    for number in (2, 3):
        assert game.snapshot(state)["battle"]["round"] == number
        assert legal(state, "pompey") == defence | defender_ways
        play(state, "pompey", "pass legio_1")
        assert legal(state, "caesar") == attack | attacker_ways
        play(state, "caesar", "pass legio_7")
    assert game.snapshot(state)["battle"]["round"] == 4
    assert legal(state, "pompey") == defence | defender_ways
    play(state, "pompey", "pass legio_1")
    assert legal(state, "caesar") == attacker_ways
    play(state, "caesar", "retreat legio_7 neapolis")
    assert (at(state, "legio_7"), at(state, "legio_1")) == ("neapolis", "rome")
    assert (game.snapshot(state)["phase"], game.to_act(state)) == ("regroup", ("pompey",))


def test_7_2_sidebar_in_round_4_the_attacker_takes_fire_before_he_leaves() -> None:
    """Pursuit: a defender of an equal or earlier letter still fires."""
    state = position(
        """
        rome      caesar: legio_7/1 | pompey: legio_1
        neapolis  caesar: c_auxilia_1
        """,
        phase="battles",
        attacks={"rome": ("caesar", "genua")},
    )
    play(state, "caesar", "battle rome")
    for _ in range(3):
        play(state, "pompey", "pass legio_1")
        play(state, "caesar", "pass legio_7")
    roll(state, 1, 6, 6, 6)
    play(state, "pompey", "fire legio_1")
    assert at(state, "legio_7") == "dead"


def test_7_3_example_reserves_of_both_sides_arrive_at_tarraco_in_round_2() -> None:
    state = position(
        """
        narbo          caesar: legio_7 legio_8 legio_9 legio_10
        bilbilis       caesar: legio_11 legio_12
        massilia       caesar: legio_13
        tarraco        pompey: legio_4 legio_5 legio_6
        carthago_nova  pompey: legio_1 legio_2 legio_3 legio_39
        """
    )
    play(state, "caesar", *(f"move legio_{number} tarraco" for number in (7, 8, 9, 10, 11, 12)))
    play(state, "caesar", "end_moves", "end_levies")
    play(state, "pompey", *(f"move legio_{number} tarraco" for number in (1, 2, 3, 39)))
    assert game.snapshot(state)["reserves"] == ["legio_1", "legio_11", "legio_12", "legio_2", "legio_3", "legio_39"]
    play(state, "pompey", "end_moves", "end_levies")

    in_round: dict[int, list[set[str]]] = {1: [], 2: []}
    for number, sides in in_round.items():
        for seat, size in (("pompey", (3, 7)), ("caesar", (4, 6))):
            sides.append({order.split()[1] for order in legal(state, seat, "fire")})
            for _ in range(size[number - 1]):
                play(state, seat, min(legal(state, seat, "pass")))
    assert in_round[1] == [
        {"legio_4", "legio_5", "legio_6"},
        {"legio_7", "legio_8", "legio_9", "legio_10"},
    ]
    assert in_round[2] == [
        {"legio_4", "legio_5", "legio_6", "legio_1", "legio_2", "legio_3", "legio_39"},
        {"legio_7", "legio_8", "legio_9", "legio_10", "legio_11", "legio_12"},
    ]
    assert game.snapshot(state)["reserves"] == []


def test_7_3_reserves_take_no_hits_in_round_1() -> None:
    state = position(
        """
        genua    caesar: legio_7/1
        ravenna  caesar: legio_11
        narbo    caesar: legio_9
        rome     pompey: scipio
        """
    )
    play(state, "caesar", "move legio_7 rome", "move legio_11 rome", "end_moves", "end_levies")
    play(state, "pompey", "end_moves", "end_levies")
    roll(state, 1, 1, 1)
    play(state, "pompey", "fire scipio")
    assert at(state, "legio_7") == "dead"
    assert steps(state, "legio_11") == 2


def test_7_31_attacking_reserves_are_disrupted_when_their_main_force_is_gone() -> None:
    """S48."""
    state = position(
        """
        genua    caesar: legio_7/1
        ravenna  caesar: legio_11/1 legio_12/3
        narbo    caesar: legio_9
        rome     pompey: scipio
        """
    )
    play(state, "caesar", "move legio_7 rome", "move legio_11 rome", "move legio_12 rome", "end_moves", "end_levies")
    play(state, "pompey", "end_moves", "end_levies")
    roll(state, 1, 6, 6)
    play(state, "pompey", "fire scipio")
    assert (at(state, "legio_7"), at(state, "legio_11")) == ("dead", "dead")
    assert (at(state, "legio_12"), steps(state, "legio_12")) == ("rome", 2)
    assert game.snapshot(state)["battle"] == {"space": "rome", "round": 2, "attacker": "caesar"}
    assert {"fire scipio", "pass scipio"} <= legal(state, "pompey")


def test_7_31_disrupted_defenders_become_the_attackers() -> None:
    """S49."""
    state = position(
        """
        genua     caesar: caesar legio_10
        narbo     caesar: legio_9
        rome      pompey: legio_5/1
        neapolis  pompey: legio_6/3 scipio/3
        asculum   pompey: legio_1
        """
    )
    play(state, "caesar", "move caesar rome", "move legio_10 rome", "end_moves", "end_levies")
    play(state, "pompey", "move legio_6 rome", "move scipio rome", "end_moves", "end_levies")
    roll(state, 1, 2, 3)
    play(state, "caesar", "fire caesar")
    assert at(state, "legio_5") == "dead"
    assert (steps(state, "legio_6"), steps(state, "scipio")) == (2, 2)
    assert game.snapshot(state)["battle"] == {"space": "rome", "round": 2, "attacker": "pompey"}
    assert game.snapshot(state)["contested"] == {"rome": "pompey"}

    for number in (2, 3):
        assert game.snapshot(state)["battle"]["round"] == number
        assert {order.split()[1] for order in legal(state, "caesar")} == {"caesar"}
        play(state, "caesar", "pass caesar")
        assert {order.split()[1] for order in legal(state, "pompey")} == {"scipio"}
        play(state, "pompey", "pass scipio")
        assert {order.split()[1] for order in legal(state, "caesar")} == {"legio_10"}
        play(state, "caesar", "pass legio_10")
        assert {order.split()[1] for order in legal(state, "pompey")} == {"legio_6"}
        play(state, "pompey", "pass legio_6")
    assert {"fire caesar", "pass caesar"} <= legal(state, "caesar")
    play(state, "caesar", "pass caesar")
    assert legal(state, "pompey") == {"retreat scipio neapolis", "retreat scipio asculum"}


def test_7_31_a_ballista_changes_its_letter_when_the_roles_turn() -> None:
    state = position(
        """
        genua     caesar: caesar c_ballista
        narbo     caesar: legio_9
        rome      pompey: legio_5/1
        neapolis  pompey: p_ballista p_auxilia_1
        """
    )
    play(state, "caesar", "move caesar rome", "move c_ballista rome", "end_moves", "end_levies")
    play(state, "pompey", "move p_ballista rome", "move p_auxilia_1 rome", "end_moves", "end_levies")
    roll(state, 1, 6, 6)
    play(state, "caesar", "fire caesar")
    play(state, "caesar", "pass caesar")
    turns = []
    for seat in ("caesar", "pompey", "pompey"):
        turns.append({order.split()[1] for order in legal(state, seat)})
        play(state, seat, min(legal(state, seat, "pass")))
    assert turns == [{"c_ballista"}, {"p_auxilia_1"}, {"p_ballista"}]


def test_7_31_the_round_ends_when_a_main_force_is_gone() -> None:
    """Blocks that have not acted lose their turn."""
    state = position(
        """
        genua     caesar: caesar legio_10
        narbo     caesar: legio_9
        rome      pompey: legio_5/1
        neapolis  pompey: legio_6
        """
    )
    play(state, "caesar", "move caesar rome", "move legio_10 rome", "end_moves", "end_levies")
    play(state, "pompey", "move legio_6 rome", "end_moves", "end_levies")
    roll(state, 1, 6, 6)
    play(state, "caesar", "fire caesar")
    assert game.snapshot(state)["battle"]["round"] == 2
    assert {order.split()[1] for order in legal(state, "caesar")} == {"caesar"}


def test_7_5_an_eliminated_block_is_dead_and_a_leader_is_a_point() -> None:
    state = position("rome caesar: legio_10 | pompey: scipio/1", phase="battles", attacks={"rome": ("caesar", "genua")})
    play(state, "caesar", "battle rome")
    play(state, "pompey", "pass scipio")
    assert game.snapshot(state)["vp"] == {"caesar": 0, "pompey": 0}
    roll(state, 1, 6, 6)
    play(state, "caesar", "fire legio_10")
    assert at(state, "scipio") == "dead"
    assert game.snapshot(state)["vp"] == {"caesar": 3, "pompey": 0}


def test_7_52_cleopatra_hit_before_her_turn_acts_for_her_new_side() -> None:
    """S50."""
    state = position(
        """
        alexandria  caesar: caesar legio_10 | pompey: cleopatra/1 legio_38/1
        """,
        phase="battles",
        attacks={"alexandria": ("caesar", "memphis")},
    )
    play(state, "caesar", "battle alexandria")
    roll(state, 3, 6, 6)
    play(state, "caesar", "fire caesar")
    assert legal(state, "pompey") == {"hit cleopatra", "hit legio_38"}
    play(state, "pompey", "hit cleopatra")
    assert (owner(state, "cleopatra"), steps(state, "cleopatra")) == ("caesar", 1)
    assert legal(state, "pompey") == {"fire legio_38", "pass legio_38"}
    play(state, "pompey", "pass legio_38")
    assert game.snapshot(state)["battle"]["round"] == 1
    assert legal(state, "caesar") == {"fire cleopatra", "pass cleopatra", "fire legio_10", "pass legio_10"}
    roll(state, 1)
    play(state, "caesar", "fire cleopatra")
    assert at(state, "legio_38") == "dead"


def test_7_52_cleopatra_hit_after_her_turn_does_not_act_twice() -> None:
    state = position(
        """
        alexandria  caesar: legio_10 legio_9 | pompey: cleopatra/1 legio_38/1
        """,
        phase="battles",
        attacks={"alexandria": ("caesar", "memphis")},
    )
    play(state, "caesar", "battle alexandria")
    play(state, "pompey", "pass cleopatra", "pass legio_38")
    roll(state, 1, 6, 6)
    play(state, "caesar", "fire legio_10")
    play(state, "pompey", "hit cleopatra")
    assert legal(state, "caesar") == {"fire legio_9", "pass legio_9"}


def test_7_52_cleopatra_as_the_last_defender_ends_the_battle_by_joining_the_enemy() -> None:
    """S51."""
    state = position(
        "alexandria caesar: caesar | pompey: cleopatra/1",
        phase="battles",
        attacks={"alexandria": ("caesar", "memphis")},
    )
    play(state, "caesar", "battle alexandria")
    roll(state, 1, 1, 1)
    play(state, "caesar", "fire caesar")
    assert (at(state, "cleopatra"), owner(state, "cleopatra"), steps(state, "cleopatra")) == ("alexandria", "caesar", 1)
    seen = game.snapshot(state)
    assert (seen["phase"], seen["to_act"], seen["contested"]) == ("regroup", ["caesar"], {})
    assert seen["vp"]["caesar"] == 2


def test_7_8_in_a_battle_at_sea_the_defender_is_first() -> None:
    state = position(
        """
        mare_internum  caesar: c_navis_1 | pompey: p_navis_1
        """,
        phase="battles",
        attacks={"mare_internum": ("caesar", "mare_tyrrhenum")},
    )
    play(state, "caesar", "battle mare_internum")
    assert legal(state, "pompey") == {"fire p_navis_1", "pass p_navis_1"}
    play(state, "pompey", "pass p_navis_1")
    assert legal(state, "caesar") == {"fire c_navis_1", "pass c_navis_1"}
