from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lictor.engine import julius_caesar as game
from lictor.engine.chance import ScriptedChance, SeededChance
from lictor.engine.game import BadData, BadState, canonical_json
from lictor.engine.julius_caesar.facts import standard_facts
from lictor.engine.julius_caesar.state import State
from support.position import play, position

Dump = dict[str, Any]
Break = Callable[[Dump], object]

PHASES = (
    "Deploy", "ChooseDiscard", "ChooseCard", "JupiterCalls", "Defection", "VulcanBurns", "ChooseSurprise", "Moves",
    "Levies", "ChooseBattle", "Battle", "RegroupPhase", "WinterNavis", "WinterDisband", "Over",
)  # fmt: skip
HANDS = {"caesar": [8, 9], "pompey": [10, 14]}
NO_CARDS = {"caesar": 0, "pompey": 0}


def plain(dumped: Mapping[str, Any]) -> Dump:
    """Return what is left of a dump after a journey as JSON."""
    return json.loads(json.dumps(dumped))  # type: ignore[no-any-return]


def walk(seed: int) -> Iterator[State]:
    """Play at random, and yield the state before each decision and at the end."""
    options = {"edition": game.EDITIONS[seed % 2], "deployment": ("historical", "free")[seed // 2 % 2]}
    state, rng = game.new_game(options, SeededChance(seed)), random.Random(seed)
    yield state
    while seats := game.to_act(state):
        seat = rng.choice(seats)
        game.apply(state, seat, rng.choice(game.legal_actions(state, seat)))
        yield state


def refusal(dumped: object) -> str:
    """Return why a dump cannot be loaded."""
    with pytest.raises((BadState, BadData)) as caught:
        game.load(dumped, ScriptedChance())  # type: ignore[arg-type]
    assert 0 < len(str(caught.value)) < 400
    return str(caught.value)


# Digests


def test_the_digest_is_the_hash_of_the_canonical_json_of_the_dump() -> None:
    state = position("genua caesar: legio_7 caesar/1\nrome pompey: legio_1")
    text = json.dumps(game.dump(state), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    assert game.digest(state) == hashlib.sha256(text.encode("ascii")).hexdigest()
    assert text == canonical_json(game.dump(state))


def test_the_digest_of_a_known_position_never_changes() -> None:
    """A change here means that records and open matches of this rules epoch are refused: raise the epoch."""
    state = game.new_game({}, ScriptedChance([n, n - 1] for n in range(27, 15, -1)))
    assert game.RULES_EPOCH == 1
    assert game.digest(state) == "4c3ab863837a3f94696d25d6f2c7d1ad1a6bd06d0b39874ba0189acd0f62576e"
    for seat, order in (
        ("caesar", "discard 27"),
        ("pompey", "discard 21"),
        ("caesar", "play 26"),
        ("pompey", "play 20"),
    ):
        play(state, seat, order)
    play(state, "caesar", "move legio_16 cenabum", "end_moves", "levy c_auxilia_1 genua", "end_levies")
    assert game.digest(state) == "008dda7e615cc8de84c2a6f0c6096d6420e6479695d19b232e789ed10261ce0d"


def test_the_digest_does_not_depend_on_who_asks_what_before() -> None:
    state = position("genua caesar: legio_7\nrome pompey: legio_1")
    before = game.digest(state)
    for seat in game.SEATS:
        game.legal_actions(state, seat)
    game.snapshot(state)
    game.outcome(state)
    game.dump(state).clear()
    assert game.digest(state) == before
    assert game.digest(game.copy(state)) == before


def test_the_digest_does_not_depend_on_the_chance() -> None:
    dumped = game.dump(position("genua caesar: legio_7"))
    digests = {
        game.digest(game.load(dumped, chance)) for chance in (ScriptedChance(), SeededChance(1), SeededChance(2))
    }
    assert len(digests) == 1


def test_the_order_of_simultaneous_answers_makes_no_difference() -> None:
    digests = set()
    for seats in (("caesar", "pompey"), ("pompey", "caesar")):
        state = game.new_game({}, SeededChance(3))
        for _ in range(2):
            for seat in seats:
                game.apply(state, seat, game.legal_actions(state, seat)[0])
        digests.add(game.digest(state))
    assert len(digests) == 1


def test_every_decision_gives_another_digest() -> None:
    digests = [game.digest(state) for state in walk(4)]
    assert len(set(digests)) == len(digests)


# Dump and load


@pytest.mark.parametrize("seed", range(12))
def test_a_loaded_dump_is_the_same_state_all_along_a_game(seed: int) -> None:
    for state in walk(seed):
        dumped = plain(game.dump(state))
        again = game.load(dumped, SeededChance(0))
        assert game.dump(again) == dumped == game.dump(state)
        assert game.digest(again) == game.digest(state)
        assert game.snapshot(again) == game.snapshot(state)
        assert game.outcome(again) == game.outcome(state)
        assert game.to_act(again) == game.to_act(state)
        for seat in game.SEATS:
            assert game.legal_actions(again, seat) == game.legal_actions(state, seat)


@pytest.mark.parametrize("seed", range(8))
def test_a_loaded_dump_behaves_as_the_state_for_ever(seed: int) -> None:
    """Both go on from the middle of a game with the same draws and the same decisions."""
    for number, state in enumerate(walk(seed)):
        if number % 150 == 75:
            one, other = game.copy(state, SeededChance(9)), game.load(plain(game.dump(state)), SeededChance(9))
            rng = random.Random(seed)
            while seats := game.to_act(one):
                action = rng.choice(game.legal_actions(one, seats[0]))
                assert game.apply(one, seats[0], action) == game.apply(other, seats[0], action)
            assert game.digest(one) == game.digest(other)
            assert game.outcome(one) == game.outcome(other)


def test_random_games_reach_every_phase_that_is_dumped() -> None:
    assert set(PHASES) == set(SAMPLES)


def test_a_dump_holds_plain_values_only() -> None:
    for state in walk(2):
        assert plain(game.dump(state)) == game.dump(state)


def test_loading_does_not_change_or_keep_the_dump() -> None:
    state = position("rome caesar: legio_7 | pompey: legio_1", phase="battles", attacks={"rome": ("caesar", "genua")})
    dumped = game.dump(state)
    before = plain(dumped)
    loaded = game.load(dumped, ScriptedChance())
    assert dumped == before
    dumped["phase"].clear()
    dumped["blocks"]["legio_7"]["steps"] = 1
    dumped["fights"]["rome"]["entered"]["caesar"].clear()
    dumped["deck"].clear()
    assert game.dump(loaded) == before


# Corrupt dumps


def in_battle() -> Dump:
    """Return a dump with something in every part: round 2, a hit to take, cards everywhere."""
    state = position(
        """
        rome    caesar: legio_7 caesar antonius | pompey: legio_1 legio_2 pompey
        utica   caesar: legio_8 | pompey: legio_39
        creta   pompey: p_navis_1
        genua   caesar: c_navis_1
        """,
        phase="battles",
        attacks={"rome": ("caesar", "genua"), "utica": ("pompey", "badias")},
        hands=HANDS,
        dead=["scipio"],
    )
    state.chance.extend([6, 0] for _ in range(3))  # type: ignore[attr-defined]
    play(state, "caesar", "battle rome", "fire caesar")
    dumped = plain(game.dump(state))
    assert dumped["phase"]["kind"] == "Battle"
    assert dumped["phase"]["hits"] > 0
    return dumped


def in_moves() -> Dump:
    state = position(
        """
        genua         caesar: legio_7 caesar
        lugdunum      caesar: legio_8
        mare_hispanum caesar: c_navis_1
        rome          pompey: legio_1
        """,
        card="4/1",
    )
    play(state, "caesar", "sail legio_7 mare_hispanum narbo", "move caesar rome")
    dumped = plain(game.dump(state))
    assert dumped["phase"]["kept"]
    assert dumped["phase"]["roads"]
    return dumped


def block(name: str, **changes: object) -> Break:
    return lambda dumped: dumped["blocks"][name].update(changes)


def phase(**changes: object) -> Break:
    return lambda dumped: dumped["phase"].update(changes)


FAULTS: dict[str, tuple[Break, str]] = {
    "other game": (lambda d: d.update(game="caesar_xl"), "caesar_xl"),
    "later epoch": (lambda d: d.update(rules_epoch=2), "epoch 2"),
    "earlier epoch": (lambda d: d.update(rules_epoch=0), "epoch 0"),
    "no epoch": (lambda d: d.update(rules_epoch=None), "epoch None"),
    "unknown edition": (lambda d: d.update(edition="3.0"), "edition"),
    "edition in a list": (lambda d: d.update(edition=["2.0"]), "edition"),
    "unknown deployment": (lambda d: d.update(deployment="random"), "deployment"),
    "data by path": (lambda d: d.update(data="data.yaml"), "mapping"),
    "empty data": (lambda d: d.update(data={}), "game"),
    "early year": (lambda d: d.update(year=704), "year"),
    "late year": (lambda d: d.update(year=710), "year"),
    "year as text": (lambda d: d.update(year="706"), "year"),
    "year as fraction": (lambda d: d.update(year=706.0), "year"),
    "turn nought": (lambda d: d.update(turn=0), "turn"),
    "sixth turn": (lambda d: d.update(turn=6), "turn"),
    "turn as truth": (lambda d: d.update(turn=True), "turn"),
    "unknown player 1": (lambda d: d.update(player1="sulla"), "player1"),
    "player 1 as number": (lambda d: d.update(player1=0), "player1"),
    "nobody is player 1": (lambda d: d.update(player1=None), "player1"),
    "surprise nowhere": (lambda d: d.update(surprise="atlantis"), "atlantis"),
    "surprise in a list": (lambda d: d.update(surprise=["rome"]), "surprise"),
    "surprise where nobody fights": (lambda d: d.update(surprise="narbo"), "surprise"),
    # Blocks
    "no blocks": (lambda d: d.update(blocks={}), "blocks"),
    "blocks as list": (lambda d: d.update(blocks=[]), "blocks"),
    "block missing": (lambda d: d["blocks"].pop("legio_9"), "blocks"),
    "unknown block": (lambda d: d["blocks"].update(legio_99=d["blocks"]["legio_9"]), "blocks"),
    "block as nothing": (lambda d: d["blocks"].update(legio_9=None), "malformed"),
    "block as text": (lambda d: d["blocks"].update(legio_9="pool"), "malformed"),
    "block nowhere": (block("legio_7", at="atlantis"), "legio_7"),
    "block in a number": (block("legio_7", at=3), "legio_7"),
    "block in a list": (block("legio_7", at=["rome"]), "legio_7"),
    "block without a place": (lambda d: d["blocks"]["legio_7"].pop("at"), "at"),
    "block of nobody": (block("legio_7", side="sulla"), "legio_7"),
    "block of no seat": (block("legio_7", side=None), "legio_7"),
    "block of a number": (block("legio_7", side=0), "legio_7"),
    "land block at sea": (block("legio_16", at="mare_internum", steps=1), "legio_16"),
    "Cleopatra at sea": (block("cleopatra", at="mare_internum"), "cleopatra"),
    "Navis inland": (block("p_navis_1", at="asculum"), "p_navis_1"),
    "too many steps": (block("legio_7", steps=4), "legio_7"),
    "no steps on the map": (block("legio_7", steps=0), "legio_7"),
    "negative steps": (block("legio_7", steps=-1), "legio_7"),
    "steps as text": (block("legio_7", steps="3"), "legio_7"),
    "steps as truth": (block("legio_7", steps=True), "legio_7"),
    "steps as fraction": (block("legio_7", steps=2.0), "legio_7"),
    "steps in the pool": (block("legio_9", steps=1), "legio_9"),
    "moved in the pool": (block("legio_9", moved=True), "legio_9"),
    "reserve in the pool": (block("legio_9", reserve=True), "legio_9"),
    "steps of the dead": (block("scipio", steps=1), "scipio"),
    "pool of the enemy": (block("legio_9", side="pompey"), "legio_9"),
    "dead on the wrong side": (block("scipio", side="caesar"), "scipio"),
    "Cleopatra in the pool": (block("cleopatra", at="pool", steps=0), "cleopatra"),
    "Cleopatra dead": (block("cleopatra", at="dead", steps=0), "cleopatra"),
    "moved as number": (block("legio_7", moved=1), "legio_7"),
    "reserve as text": (block("legio_7", reserve="yes"), "legio_7"),
    "reserve where nobody fights": (block("c_navis_1", reserve=True), "c_navis_1"),
    # Fights
    "fight forgotten": (lambda d: d["fights"].pop("utica"), "utica"),
    "fight over an empty space": (lambda d: d["fights"].update(narbo=d["fights"]["utica"]), "narbo"),
    "fight over a friendly space": (lambda d: d["fights"].update(genua=d["fights"]["utica"]), "genua"),
    "fight nowhere": (lambda d: d["fights"].update(atlantis=d["fights"]["utica"]), "atlantis"),
    "contested without a fight": (block("legio_16", at="creta", steps=1), "creta"),
    "fights as list": (lambda d: d.update(fights=["rome", "utica"]), "malformed"),
    "fight as nothing": (lambda d: d["fights"].update(rome=None), "malformed"),
    "attack by nobody": (lambda d: d["fights"]["utica"].update(attacker=None), "utica"),
    "attack from nowhere": (lambda d: d["fights"]["utica"].update(main="atlantis"), "utica"),
    "attack from afar": (lambda d: d["fights"]["utica"].update(main="rome"), "utica"),
    "entered from afar": (lambda d: d["fights"]["utica"]["entered"].update(pompey=["rome"]), "utica"),
    "entered by one side": (lambda d: d["fights"]["utica"]["entered"].pop("caesar"), "caesar"),
    "entered as number": (lambda d: d["fights"]["utica"]["entered"].update(pompey=1), "malformed"),
    # Cards
    "card in hand and deck": (lambda d: d["deck"].append(8), "cards"),
    "card in both hands": (lambda d: d["hands"]["pompey"].append(8), "cards"),
    "card twice in hand": (lambda d: d["hands"]["caesar"].append(8), "cards"),
    "card spent and in hand": (lambda d: d["spent"]["caesar"].append(8), "cards"),
    "card put away and in hand": (lambda d: d["discards"].update(caesar=8), "cards"),
    "card missing": (lambda d: d["deck"].pop(), "cards"),
    "card 28": (lambda d: d["deck"].append(28), "deck"),
    "card nought": (lambda d: d["hands"]["caesar"].append(0), "hands"),
    "card as text": (lambda d: d["hands"].update(caesar=["8", "9"]), "hands"),
    "card as truth": (lambda d: d["spent"].update(caesar=[True]), "spent"),
    "hand as number": (lambda d: d["hands"].update(caesar=8), "malformed"),
    "hand as text": (lambda d: d["hands"].update(caesar="89"), "hands"),
    "hand missing": (lambda d: d["hands"].pop("pompey"), "pompey"),
    "hands as list": (lambda d: d.update(hands=[[8, 9], [10, 14]]), "malformed"),
    "played 28": (lambda d: d["played"].update(caesar=28), "played"),
    "played nothing": (lambda d: d["played"].update(caesar=0), "played"),
    "played null": (lambda d: d["played"].update(caesar=None), "played"),
    "last played -1": (lambda d: d["last_played"].update(pompey=-1), "last_played"),
    "put away a text": (lambda d: d["discards"].update(caesar="8"), "discards"),
    # The phase
    "no phase": (lambda d: d.update(phase=None), "malformed"),
    "phase as text": (lambda d: d.update(phase="Battle"), "malformed"),
    "phase without kind": (lambda d: d["phase"].pop("kind"), "kind"),
    "unknown phase": (phase(kind="Parley"), "Parley"),
    "phase in lower case": (phase(kind="battle"), "battle"),
    "phase by a class of the module": (phase(kind="State"), "State"),
    "phase in a list": (phase(kind=["Battle"]), "Battle"),
    "battle nowhere": (phase(space="atlantis"), "atlantis"),
    "battle over an empty space": (phase(space="narbo"), "narbo"),
    "battle over a friendly space": (phase(space="creta"), "creta"),
    "battle elsewhere": (phase(space="utica"), "phase"),
    "battle of nobody": (phase(attacker=None), "attacker"),
    "battle with the roles exchanged": (phase(attacker="pompey"), "attacker"),
    "fifth round": (phase(round=5), "round"),
    "round nought": (phase(round=0), "round"),
    "too many hits": (phase(hits=5), "hits"),
    "hits as truth": (phase(hits=True), "hits"),
    "unknown block acted": (phase(acted=["legio_99"]), "legio_99"),
    "unknown block ready": (phase(ready=["legio_99"]), "legio_99"),
    "nobody ready": (phase(hits=0, ready=[]), "ready"),
    "ready elsewhere": (phase(hits=0, ready=["legio_8"]), "ready"),
    "ready in the pool": (phase(hits=0, ready=["legio_9"]), "ready"),
    "ready on the other side": (phase(hits=0, ready=["legio_1"]), "ready"),
    "sailed as number": (phase(sailed={"caesar": 0, "pompey": 0}), "sailed"),
    "sailed by one": (phase(sailed={"caesar": False}), "pompey"),
    "roads as list": (phase(roads=["genua rome"]), "malformed"),
    "road to nowhere": (phase(roads={"atlantis rome": 1}), "atlantis"),
    "road that is none": (phase(roads={"rome utica": 1}), "rome utica"),
    "road of one end": (phase(roads={"rome": 1}), "rome"),
    "road of three ends": (phase(roads={"genua massilia rome": 1}), "roads"),
    "road used by a text": (phase(roads={"genua rome": "1"}), "roads"),
    "road used by too many": (phase(roads={"genua rome": 64}), "roads"),
    "nobody's moves": (lambda d: d.update(phase=in_moves()["phase"] | {"seat": None}), "seat"),
    "moves of nought points": (lambda d: d.update(phase=in_moves()["phase"] | {"points": -1}), "points"),
    "moves of too many points": (lambda d: d.update(phase=in_moves()["phase"] | {"points": 10}), "points"),
    "moves opened nowhere": (lambda d: d.update(phase=in_moves()["phase"] | {"opened": ["atlantis"]}), "opened"),
    "moves kept as nothing": (lambda d: d.update(phase=in_moves()["phase"] | {"kept": None}), "malformed"),
    "too many swaps": (lambda d: d.update(phase={"kind": "Deploy", "seat": "caesar", "swaps": 61}), "swaps"),
    "levies of a text": (lambda d: d.update(phase={"kind": "Levies", "seat": "caesar", "points": "1"}), "points"),
    "defection of nobody": (lambda d: d.update(phase={"kind": "Defection", "seat": "caesar", "block": None}), "block"),
    "defection from the pool": (
        lambda d: d.update(phase={"kind": "Defection", "seat": "caesar", "block": "legio_4"}),
        "legio_4",
    ),
    "defection of an own block": (
        lambda d: d.update(phase={"kind": "Defection", "seat": "caesar", "block": "legio_8"}),
        "legio_8",
    ),
    "defection without a refuge": (
        lambda d: d.update(phase={"kind": "Defection", "seat": "caesar", "block": "cleopatra"}),
        "phase",
    ),
    "regroup in a battle": (
        lambda d: d.update(phase={"kind": "RegroupPhase", "seat": "caesar", "space": "rome", "roads": {}}),
        "rome",
    ),
    "over for no reason": (lambda d: d.update(phase={"kind": "Over", "winner": "caesar", "reason": "luck"}), "reason"),
    "over for an unknown seat": (
        lambda d: d.update(phase={"kind": "Over", "winner": "sulla", "reason": "rome"}),
        "winner",
    ),
    "fights in winter": (lambda d: d.update(phase={"kind": "WinterDisband", "seat": "caesar"}), "fights"),
    "fights at the card table": (lambda d: d.update(phase={"kind": "ChooseCard"}, played=NO_CARDS), "fights"),
    "no battle to favour": (
        lambda d: (
            d["fights"]["rome"].update(attacker="pompey"),
            d.update(phase={"kind": "ChooseSurprise", "seat": "caesar"}),
        ),
        "phase",
    ),
}

# Faults of a position at peace, with Caesar's and Pompey's hands 8, 9 and 10, 14.
PEACE_FAULTS: dict[str, tuple[Break, str]] = {
    "over by a draw that is won": (
        lambda d: d.update(phase={"kind": "Over", "winner": "caesar", "reason": "draw"}),
        "draw",
    ),
    "over by points of nobody": (
        lambda d: d.update(phase={"kind": "Over", "winner": None, "reason": "ten_points"}),
        "winner",
    ),
    "no battle to pick": (
        lambda d: d.update(phase={"kind": "ChooseBattle"}, player1="caesar", played={"caesar": 11, "pompey": 22}),
        "phase",
    ),
    "no Navis to bring to port": (lambda d: d.update(phase={"kind": "WinterNavis", "seat": "pompey"}), "phase"),
    "winter quarters in the last year": (
        lambda d: d.update(phase={"kind": "WinterDisband", "seat": "caesar"}, year=709),
        "year",
    ),
    "no card to play": (
        lambda d: (d["deck"].extend(d["hands"]["caesar"]), d["hands"].update(caesar=[])),
        "phase",
    ),
    "no card to play but Apollo on the first turn": (
        lambda d: (
            d.update(turn=1, deck=[card for card in (*d["deck"], 8, 9) if card != 1]),
            d["hands"].update(caesar=[1]),
        ),
        "phase",
    ),
    "no card to put away": (
        lambda d: (
            d.update(phase={"kind": "ChooseDiscard"}),
            d["deck"].extend(d["hands"]["caesar"]),
            d["hands"].update(caesar=[]),
        ),
        "phase",
    ),
    "both have put away": (
        lambda d: d.update(
            phase={"kind": "ChooseDiscard"},
            discards={"caesar": 8, "pompey": 10},
            hands={"caesar": [9], "pompey": [14]},
        ),
        "phase",
    ),
    "both have played": (
        lambda d: d.update(
            phase={"kind": "ChooseCard"},
            played={"caesar": 8, "pompey": 10},
            hands={"caesar": [9], "pompey": [14]},
        ),
        "phase",
    ),
}


def at_peace() -> Dump:
    state = position("genua caesar: legio_7\nrome pompey: legio_1", phase="card", hands=HANDS)
    return plain(game.dump(state))


@pytest.mark.parametrize("fault", PEACE_FAULTS)
def test_a_dump_in_which_nothing_can_be_done_is_refused(fault: str) -> None:
    spoil, name = PEACE_FAULTS[fault]
    broken = at_peace()
    spoil(broken)
    assert name in refusal(broken)


def test_the_dumps_to_be_broken_are_whole() -> None:
    for dumped in (in_battle(), in_moves(), at_peace()):
        assert game.dump(game.load(dumped, ScriptedChance())) == dumped


@pytest.mark.parametrize("fault", FAULTS)
def test_a_corrupt_dump_is_refused_by_name(fault: str) -> None:
    spoil, name = FAULTS[fault]
    broken = in_battle()
    spoil(broken)
    assert name in refusal(broken)


@pytest.mark.parametrize("key", sorted(in_battle()))
def test_a_dump_without_a_part_is_refused_by_name(key: str) -> None:
    broken = in_battle()
    del broken[key]
    assert key in refusal(broken)


@pytest.mark.parametrize("field", sorted(in_battle()["phase"]))
def test_a_battle_without_a_part_is_refused_by_name(field: str) -> None:
    broken = in_battle()
    del broken["phase"][field]
    assert field in refusal(broken)


@pytest.mark.parametrize("field", sorted(in_moves()["phase"]))
def test_moves_without_a_part_are_refused_by_name(field: str) -> None:
    broken = in_moves()
    del broken["phase"][field]
    assert field in refusal(broken)


@pytest.mark.parametrize("kind", ["JupiterCalls", "VulcanBurns", "ChooseSurprise", "Moves", "Levies", "ChooseBattle"])
def test_a_turn_without_a_player_1_is_refused(kind: str) -> None:
    """Without one, nobody would be asked for the battles that follow."""
    broken = in_moves() | {"player1": None}
    broken["phase"] |= {"kind": kind, "seat": "caesar", "points": 1}
    assert "player1" in refusal(broken)


@pytest.mark.parametrize(
    "dumped", [None, 7, "dump", b"dump", [], ["game"], {}, object(), True], ids=lambda value: type(value).__name__
)
def test_what_is_no_dump_is_refused(dumped: object) -> None:
    refusal(dumped)


@pytest.mark.parametrize("key", sorted(in_battle()))
@pytest.mark.parametrize("value", [7, "text", [], [[]], {}, {"a": 1}, True, 0.5], ids=repr)
def test_a_part_of_the_wrong_type_is_refused(key: str, value: object) -> None:
    assert refusal(in_battle() | {key: value})


# Any dump at all


def before_a_surprise() -> State:
    """Random play hardly ever attacks twice with Mars."""
    board = "genua caesar: legio_7 legio_8\nrome pompey: legio_1\nmassilia pompey: legio_2"
    state = position(board, card="Mars", hands=HANDS)
    play(state, "caesar", "move legio_7 rome", "move legio_8 massilia")
    if game.to_act(state) == ("caesar",) and type(state.phase).__name__ == "Moves":
        play(state, "caesar", "end_moves")
    return state


def samples() -> dict[str, list[str]]:
    """Return some dumps of every phase, as JSON."""
    found = {"ChooseSurprise": [json.dumps(game.dump(before_a_surprise()))]}
    for seed in range(40):
        for number, state in enumerate(walk(seed)):
            kind = type(state.phase).__name__
            kept = found.setdefault(kind, [])
            if len(kept) < 6 or (number % 97 == 0 and len(kept) < 12):
                kept.append(json.dumps(game.dump(state)))
        if len(found) == len(PHASES) and seed >= 4:
            break
    return found


SAMPLES = samples()


def paths(value: object) -> Iterator[tuple[Any, ...]]:
    """Yield the way to everything within `value`, by keys and indexes."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield (key,)
        yield from ((key, *further) for further in paths(part))


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


REMOVED = object()
FACTS = standard_facts()

known_values = st.sampled_from([*FACTS.spaces, *FACTS.blocks, *game.SEATS, *PHASES, "pool", "dead"])
scalars = (
    st.none() | st.booleans() | st.integers() | st.integers(-1, 28) | st.floats(allow_nan=False) | st.text(max_size=6)
) | known_values


def containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6) | known_values, inner, max_size=4)


json_values = st.recursive(scalars, containers, max_leaves=6)


@st.composite
def damaged_dumps(draw: st.DrawFn) -> Dump:
    """Draw a dump of a real game with one thing in it changed: at random, or to what another dump has there."""
    dumped = json.loads(draw(st.sampled_from(SAMPLES[draw(st.sampled_from(PHASES))])))
    part = draw(st.sampled_from([*sorted(dumped), "phase", "phase", "phase", "fights"]))
    path = draw(st.sampled_from([path for path in paths(dumped) if path[0] == part]))
    other = json.loads(draw(st.sampled_from(SAMPLES[draw(st.sampled_from(PHASES))])))
    try:
        foreign = st.just(at(other, path))
    except (KeyError, IndexError, TypeError):
        foreign = st.just(REMOVED)
    value = draw(json_values | foreign | st.just(REMOVED))
    if value is REMOVED:
        del at(dumped, path[:-1])[path[-1]]
    else:
        at(dumped, path[:-1])[path[-1]] = value
    return dumped  # type: ignore[no-any-return]


@settings(derandomize=True, deadline=None, max_examples=2500)
@given(dumped=damaged_dumps())
def test_a_damaged_dump_is_refused_or_playable(dumped: Dump) -> None:
    try:
        state = game.load(dumped, SeededChance(1))
    except (BadState, BadData):
        refusal(dumped)
        return
    seats = game.to_act(state)
    assert bool(seats) == (game.outcome(state) is None)
    for seat in seats:
        assert game.legal_actions(state, seat)
    assert game.digest(game.load(plain(game.dump(state)), SeededChance(1))) == game.digest(state)
    for seat in seats:
        for action in game.legal_actions(state, seat)[:3]:
            game.apply(game.copy(state, SeededChance(1)), seat, action)
