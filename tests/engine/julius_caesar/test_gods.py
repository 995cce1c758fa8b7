import pytest

from lictor.engine import julius_caesar as game
from support.position import at, draw, goals, legal, owner, play, position, roll, steps


def test_mars_all_attackers_fire_before_all_defenders_in_round_1() -> None:
    """S52."""
    state = position(
        """
        genua  caesar: caesar legio_10
        rome   pompey: scipio legio_5
        """,
        card="Mars",
    )
    play(state, "caesar", "move caesar rome", "move legio_10 rome")
    play(state, "pompey", "end_moves", "end_levies")
    first = (("caesar", "caesar"), ("caesar", "legio_10"), ("pompey", "scipio"), ("pompey", "legio_5"))
    second = (("pompey", "scipio"), ("caesar", "caesar"), ("pompey", "legio_5"), ("caesar", "legio_10"))
    for number, turns in ((1, first), (2, second)):
        assert game.snapshot(state)["battle"]["round"] == number
        for seat, block in turns:
            assert {order.split()[1] for order in legal(state, seat)} == {block}
            play(state, seat, f"pass {block}")


def test_mars_makes_one_land_group_move_and_gives_no_levy_and_no_voyage() -> None:
    state = position(
        """
        genua           caesar: legio_7 legio_8 c_navis_1
        mare_tyrrhenum  caesar: c_navis_2
        narbo           caesar: legio_9
        """,
        card="Mars",
    )
    assert legal(state, "caesar", "sail") == set()
    assert {order.split()[1] for order in legal(state, "caesar", "move")} == {"legio_7", "legio_8", "legio_9"}
    play(state, "caesar", "move legio_7 rome")
    assert {order.split()[1] for order in legal(state, "caesar", "move")} == {"legio_8"}
    play(state, "caesar", "end_moves")
    assert (game.to_act(state), game.snapshot(state)["phase"]) == (("pompey",), "moves")


def test_mars_of_several_battles_one_is_favoured() -> None:
    state = position(
        """
        genua    caesar: legio_7 legio_8
        rome     pompey: legio_1
        ravenna  pompey: legio_3
        """,
        card="Mars",
    )
    play(state, "caesar", "move legio_7 rome", "move legio_8 ravenna")
    assert game.snapshot(state)["phase"] == "god"
    assert legal(state, "caesar") == {"surprise rome", "surprise ravenna"}
    play(state, "caesar", "surprise ravenna")
    play(state, "pompey", "end_moves", "end_levies")
    play(state, "caesar", "battle rome")
    assert legal(state, "pompey") == {"fire legio_1", "pass legio_1"}
    roll(state, 1, 1, 1, 6)
    play(state, "pompey", "fire legio_1")
    assert at(state, "legio_7") == "dead"
    play(state, "pompey", "end_regroup")
    assert game.snapshot(state)["battle"]["space"] == "ravenna"
    assert legal(state, "caesar") == {"fire legio_8", "pass legio_8"}


def test_mars_as_player_2_favours_no_battle_that_the_enemy_began() -> None:
    state = position(
        """
        rome     caesar: legio_7 | pompey: legio_1
        genua    caesar: legio_8
        ravenna  pompey: legio_3
        """,
        to_move="pompey",
        player1="caesar",
        card="Mars",
        attacks={"rome": ("caesar", "genua")},
        year=705,
        turn=1,
    )
    play(state, "pompey", "move legio_3 genua")
    assert legal(state, "caesar") == {"battle rome", "battle genua"}
    play(state, "caesar", "battle genua")
    assert legal(state, "pompey") == {"fire legio_3", "pass legio_3"}


def test_mars_without_a_battle_has_no_effect() -> None:
    state = position("genua caesar: legio_7", card="Mars")
    play(state, "caesar", "move legio_7 rome")
    assert (game.to_act(state), game.snapshot(state)["phase"]) == (("pompey",), "moves")


def test_mercury_a_group_moves_three_cities_or_attacks_with_its_second_step() -> None:
    """S56."""
    state = position(
        """
        massilia  caesar: legio_10
        tarraco   pompey: legio_5
        genua     pompey: legio_1
        """,
        card="Mercury",
    )
    assert goals(state, "caesar", "move legio_10 ") == {
        "genua",
        "narbo", "narbo tarraco", "narbo burdigala", "narbo burdigala bilbilis", "narbo burdigala cenabum",
        "lugdunum", "lugdunum genua", "lugdunum cenabum", "lugdunum cenabum burdigala", "lugdunum cenabum treveri",
        "lugdunum treveri", "lugdunum treveri cenabum",
    }  # fmt: skip
    play(state, "caesar", "move legio_10 lugdunum genua")
    assert game.snapshot(state)["contested"] == {"genua": "caesar"}


def test_mercury_a_third_step_does_not_attack() -> None:
    """S56: with the enemy in Bilbilis."""
    state = position(
        """
        massilia  caesar: legio_10
        bilbilis  pompey: legio_5
        """,
        card="Mercury",
    )
    assert goals(state, "caesar", "move legio_10 narbo burdigala") == {"", " cenabum"}
    assert goals(state, "caesar", "move legio_10 narbo tarraco") == {"", " carthago_nova"}


def test_mercury_road_limits_hold_for_a_third_step() -> None:
    state = position("massilia caesar: legio_7 legio_8 legio_9", card="Mercury")
    play(state, "caesar", "move legio_7 narbo burdigala cenabum", "move legio_8 narbo burdigala cenabum")
    assert goals(state, "caesar", "move legio_9 narbo burdigala") == {"", " bilbilis"}


def test_mercury_a_response_is_a_reserve_even_by_the_road_of_the_main_attack() -> None:
    """Player 2 comes through Genua, which the attackers of Rome have left."""
    state = position(
        """
        rome      caesar: legio_7 | pompey: legio_1
        massilia  pompey: legio_2
        """,
        to_move="pompey",
        player1="caesar",
        card="Mercury",
        attacks={"rome": ("caesar", "genua")},
        year=705,
        turn=1,
    )
    play(state, "pompey", "move legio_2 genua rome")
    assert game.snapshot(state)["reserves"] == ["legio_2"]


@pytest.mark.parametrize("god", ["Mercury", "Pluto"])
def test_mercury_and_pluto_move_land_blocks_only_and_give_no_levy(god: str) -> None:
    state = position(
        """
        massilia       caesar: legio_10 c_navis_1
        mare_hispanum  caesar: c_navis_2
        """,
        card=god,
    )
    assert {order.split()[1] for order in legal(state, "caesar") - {"end_moves"}} == {"legio_10"}
    assert legal(state, "caesar", "sail") == set()
    play(state, "caesar", "move legio_10 genua", "end_moves")
    assert (game.to_act(state), game.snapshot(state)["phase"]) == (("pompey",), "moves")


def test_neptune_moves_navis_only_and_favours_them_at_sea() -> None:
    """S57."""
    state = position(
        """
        mare_tyrrhenum  caesar: c_navis_1
        genua           caesar: legio_7 c_navis_2
        mare_internum   pompey: p_navis_1
        """,
        card="Neptune",
    )
    assert {order.split()[1] for order in legal(state, "caesar") - {"end_moves"}} == {"c_navis_1", "c_navis_2"}
    play(state, "caesar", "move c_navis_1 mare_internum")
    play(state, "pompey", "end_moves", "end_levies")
    assert legal(state, "caesar") == {"fire c_navis_1", "pass c_navis_1"}
    play(state, "caesar", "pass c_navis_1")
    assert legal(state, "pompey") == {"fire p_navis_1", "pass p_navis_1"}
    play(state, "pompey", "pass p_navis_1")
    assert game.snapshot(state)["battle"]["round"] == 2
    assert {"fire p_navis_1", "pass p_navis_1"} <= legal(state, "pompey")


def test_neptune_favours_navis_that_attack_a_port() -> None:
    """S57."""
    state = position(
        """
        mare_hispanum  caesar: c_navis_1
        genua          caesar: legio_7
        tarraco        pompey: scipio
        """,
        card="Neptune",
    )
    play(state, "caesar", "move c_navis_1 tarraco")
    play(state, "pompey", "end_moves", "end_levies")
    assert legal(state, "caesar") == {"fire c_navis_1", "pass c_navis_1"}
    play(state, "caesar", "pass c_navis_1")
    assert legal(state, "pompey") == {"fire scipio", "pass scipio"}
    play(state, "pompey", "pass scipio")
    assert {"fire scipio", "pass scipio"} <= legal(state, "pompey")


def test_vulcan_burns_a_step_off_every_block_and_spares_cleopatra_at_strength_i() -> None:
    """S58."""
    state = position(
        """
        alexandria  pompey: cleopatra/1 p_navis_2/2 scipio/1
        genua       caesar: legio_7
        """,
        phase="god",
        card="Vulcan",
    )
    assert game.snapshot(state)["vp"] == {"caesar": 0, "pompey": 2}
    play(state, "caesar", "vulcan alexandria")
    assert (owner(state, "cleopatra"), steps(state, "cleopatra")) == ("pompey", 1)
    assert (steps(state, "p_navis_2"), at(state, "scipio")) == (1, "dead")
    assert game.snapshot(state)["vp"] == {"caesar": 1, "pompey": 2}
    assert game.snapshot(state)["contested"] == {}
    assert (game.to_act(state), game.snapshot(state)["phase"]) == (("pompey",), "moves")


def test_vulcan_reduces_cleopatra_above_strength_i() -> None:
    state = position(
        """
        alexandria  pompey: cleopatra/2
        antioch     pompey: legio_34
        """,
        phase="god",
        card="Vulcan",
    )
    play(state, "caesar", "vulcan alexandria")
    assert (owner(state, "cleopatra"), steps(state, "cleopatra")) == ("pompey", 1)


@pytest.mark.parametrize(
    ("edition", "targets"),
    [("2.0", {"rome", "jerusalem"}), ("1.x", {"rome", "jerusalem", "genua", "narbo"})],
)
def test_vulcan_burns_enemy_cities_and_in_edition_1_x_own_ones_too(edition: str, targets: set[str]) -> None:
    """Never a sea, a vacant or a contested city."""
    state = position(
        """
        rome           pompey: legio_1
        genua          caesar: legio_7
        narbo          caesar: legio_9
        mare_hispanum  pompey: p_navis_1
        tarraco        caesar: legio_8 | pompey: legio_5
        """,
        phase="god",
        card="Vulcan",
        edition=edition,
        attacks={"tarraco": ("pompey", "bilbilis")},
    )
    assert goals(state, "caesar", "vulcan ") == targets
    assert "decline" not in legal(state, "caesar")


def test_vulcan_without_a_target_is_declined() -> None:
    state = position(
        """
        alexandria     caesar: cleopatra
        mare_hispanum  pompey: p_navis_1
        """,
        phase="god",
        card="Vulcan",
    )
    assert legal(state, "caesar") == {"decline"}
    play(state, "caesar", "decline")
    assert (game.to_act(state), game.snapshot(state)["phase"]) == (("pompey",), "moves")


def test_vulcan_edition_1_x_burns_an_own_city() -> None:
    state = position("genua caesar: legio_7 legio_8/1", phase="god", card="Vulcan", edition="1.x")
    play(state, "caesar", "vulcan genua")
    assert (steps(state, "legio_7"), at(state, "legio_8")) == (2, "dead")


def test_vulcan_edition_1_x_turns_cleopatra_and_its_player_attacks() -> None:
    state = position(
        """
        alexandria  pompey: cleopatra/1 p_navis_2/2
        genua       caesar: legio_7
        """,
        phase="god",
        card="Vulcan",
        edition="1.x",
    )
    play(state, "caesar", "vulcan alexandria")
    assert (owner(state, "cleopatra"), steps(state, "cleopatra")) == ("caesar", 1)
    assert steps(state, "p_navis_2") == 1
    assert game.snapshot(state)["contested"] == {"alexandria": "caesar"}


def test_vulcan_edition_1_x_turns_cleopatra_out_of_an_own_city_and_its_player_attacks() -> None:
    state = position(
        """
        alexandria  caesar: cleopatra/1 legio_7
        genua       caesar: legio_8
        antioch     pompey: legio_34
        """,
        phase="god",
        card="Vulcan",
        edition="1.x",
    )
    play(state, "caesar", "vulcan alexandria")
    assert (owner(state, "cleopatra"), steps(state, "cleopatra")) == ("pompey", 1)
    assert steps(state, "legio_7") == 2
    assert game.snapshot(state)["contested"] == {"alexandria": "caesar"}


def test_vulcan_edition_1_x_turns_a_lone_cleopatra_without_a_battle() -> None:
    state = position(
        """
        alexandria  pompey: cleopatra/1
        antioch     pompey: legio_34
        """,
        phase="god",
        card="Vulcan",
        edition="1.x",
    )
    play(state, "caesar", "vulcan alexandria")
    assert (owner(state, "cleopatra"), steps(state, "cleopatra")) == ("caesar", 1)
    assert game.snapshot(state)["contested"] == {}
    assert game.snapshot(state)["vp"]["caesar"] == 2


def test_vulcan_kills_a_leader_and_the_third_may_be_raised_in_the_same_turn() -> None:
    state = position(
        """
        antioch  pompey: scipio/1
        rome     pompey: pompey
        """,
        phase="god",
        card="Vulcan",
        enemy_card="2/1",
    )
    play(state, "caesar", "vulcan antioch")
    play(state, "pompey", "end_moves")
    assert legal(state, "pompey", "levy brutus") == {"levy brutus rome", "levy brutus jerusalem"}


def test_jupiter_a_block_defects_to_a_friendly_city_of_choice() -> None:
    """S59."""
    state = position(
        """
        genua     caesar: legio_7
        massilia  caesar: legio_8
        lugdunum  pompey: legio_5/2
        """,
        phase="god",
        card="Jupiter",
    )
    assert legal(state, "caesar") == {"jupiter lugdunum", "decline"}
    draw(state, 1, 0)
    play(state, "caesar", "jupiter lugdunum")
    assert (at(state, "legio_5"), owner(state, "legio_5")) == ("lugdunum", "pompey")
    assert legal(state, "caesar") == {"jupiter_to genua", "jupiter_to massilia"}
    play(state, "caesar", "jupiter_to massilia")
    assert (at(state, "legio_5"), owner(state, "legio_5"), steps(state, "legio_5")) == ("massilia", "caesar", 2)
    assert (game.to_act(state), game.snapshot(state)["phase"]) == (("pompey",), "moves")


def test_jupiter_a_navis_loses_a_step_instead() -> None:
    """S60: its last one."""
    state = position(
        """
        genua     caesar: legio_7
        massilia  pompey: p_navis_1/1
        """,
        phase="god",
        card="Jupiter",
    )
    draw(state, 1, 0)
    play(state, "caesar", "jupiter massilia")
    assert (at(state, "p_navis_1"), owner(state, "p_navis_1")) == ("dead", "pompey")
    assert (game.to_act(state), game.snapshot(state)["phase"]) == (("pompey",), "moves")


@pytest.mark.parametrize(("value", "defector"), [(0, "cleopatra"), (1, "legio_5"), (2, "legio_6")])
def test_jupiter_each_of_three_blocks_is_as_likely_as_the_others(value: int, defector: str) -> None:
    """S61, and the printed example of a group of three: one draw over three, Cleopatra among them."""
    state = position(
        """
        genua     caesar: legio_7
        lugdunum  pompey: legio_6 cleopatra legio_5
        """,
        phase="god",
        card="Jupiter",
    )
    draw(state, 3, value)
    play(state, "caesar", "jupiter lugdunum")
    blocks = ("cleopatra", "legio_5", "legio_6")
    assert {block for block in blocks if owner(state, block) == "caesar"} == {defector}
    assert {block for block in blocks if at(state, block) == "genua"} == {defector}
    assert steps(state, defector) == {"cleopatra": 4, "legio_5": 3, "legio_6": 3}[defector]


@pytest.mark.parametrize(
    ("value", "struck"), [(0, "cleopatra"), (1, "scipio"), (2, "legio_5"), (3, "legio_6"), (4, "p_navis_1")]
)
def test_jupiter_each_of_five_blocks_is_as_likely_as_the_others(value: int, struck: str) -> None:
    """The printed example of a group of five; a leader and a Navis are weakened, the others defect."""
    state = position(
        """
        genua     caesar: legio_7
        massilia  pompey: cleopatra scipio legio_5 legio_6 p_navis_1
        """,
        phase="god",
        card="Jupiter",
    )
    before = game.snapshot(state)["blocks"]
    draw(state, 5, value)
    play(state, "caesar", "jupiter massilia")
    after = game.snapshot(state)["blocks"]
    assert {block for block in after if after[block] != before[block]} == {struck}
    if struck in ("scipio", "p_navis_1"):
        assert after[struck] == {**before[struck], "steps": before[struck]["steps"] - 1}
    else:
        assert after[struck] == {**before[struck], "at": "genua", "owner": "caesar"}


@pytest.mark.parametrize("edition", ["2.0", "1.x"])
def test_jupiter_may_be_declined(edition: str) -> None:
    state = position(
        """
        genua     caesar: legio_7
        lugdunum  pompey: legio_5
        """,
        phase="god",
        card="Jupiter",
        edition=edition,
    )
    play(state, "caesar", "decline")
    assert (game.to_act(state), game.snapshot(state)["phase"]) == (("pompey",), "moves")
    assert owner(state, "legio_5") == "pompey"


def test_jupiter_reaches_by_road_and_strait_but_not_over_a_sea() -> None:
    state = position(
        """
        messana         caesar: legio_7
        mare_tyrrhenum  caesar: c_navis_1
        rhegium         pompey: legio_1
        syracuse        pompey: legio_37
        utica           pompey: legio_39
        mare_internum   pompey: p_navis_1
        """,
        phase="god",
        card="Jupiter",
    )
    assert goals(state, "caesar", "jupiter ") == {"rhegium", "syracuse"}


@pytest.mark.parametrize(
    ("edition", "targets"),
    [("2.0", {"lugdunum"}), ("1.x", {"lugdunum", "mare_hispanum"})],
)
def test_jupiter_edition_1_x_reaches_a_navis_at_sea(edition: str, targets: set[str]) -> None:
    """From a friendly port on that sea; Mare Internum has none."""
    state = position(
        """
        massilia       caesar: legio_7
        lugdunum       pompey: legio_5
        mare_hispanum  pompey: p_navis_1 p_navis_2
        mare_internum  pompey: p_navis_3
        """,
        phase="god",
        card="Jupiter",
        edition=edition,
    )
    assert goals(state, "caesar", "jupiter ") == targets


def test_jupiter_edition_1_x_weakens_the_navis_drawn_at_sea() -> None:
    state = position(
        """
        massilia       caesar: legio_7
        mare_hispanum  pompey: p_navis_1 p_navis_2
        """,
        phase="god",
        card="Jupiter",
        edition="1.x",
    )
    draw(state, 2, 1)
    play(state, "caesar", "jupiter mare_hispanum")
    assert (steps(state, "p_navis_1"), steps(state, "p_navis_2")) == (2, 1)
    assert owner(state, "p_navis_2") == "pompey"
    assert game.to_act(state) == ("pompey",)


def test_jupiter_takes_an_own_block_back() -> None:
    state = position(
        """
        genua     caesar: legio_8
        lugdunum  pompey: legio_7/1
        """,
        phase="god",
        card="Jupiter",
    )
    draw(state, 1, 0)
    play(state, "caesar", "jupiter lugdunum")
    assert (at(state, "legio_7"), owner(state, "legio_7"), steps(state, "legio_7")) == ("genua", "caesar", 1)


def test_jupiter_a_defector_serves_its_new_owner() -> None:
    """He moves it, and adds steps to it."""
    state = position("genua caesar: legio_5/1", card="1/2")
    play(state, "caesar", "move legio_5 rome", "reinforce legio_5")
    assert (at(state, "legio_5"), owner(state, "legio_5"), steps(state, "legio_5")) == ("rome", "caesar", 2)


def test_jupiter_a_defector_returns_to_its_first_owner_when_eliminated() -> None:
    state = position("rome caesar: legio_5/1 | pompey: scipio", phase="battles", attacks={"rome": ("caesar", "genua")})
    play(state, "caesar", "battle rome")
    roll(state, 1, 6, 6)
    play(state, "pompey", "fire scipio")
    assert (at(state, "legio_5"), owner(state, "legio_5")) == ("dead", "pompey")


def test_jupiter_a_defector_returns_to_its_first_owner_when_disbanded() -> None:
    state = position("genua caesar: legio_5 legio_7", phase="disband")
    play(state, "caesar", "disband legio_5")
    assert (at(state, "legio_5"), owner(state, "legio_5")) == ("pool", "pompey")
