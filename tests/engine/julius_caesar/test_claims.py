"""Claims about what is hidden: their notation, their truth, and beliefs made from sampled worlds."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lictor.engine import julius_caesar as game
from lictor.engine.chance import SeededChance
from lictor.engine.game import CLAIM_LENGTH, MOST_CLAIMS, SPECTATOR, BadNotation, UnknownSeat, seen_events
from lictor.engine.julius_caesar.claims import KINDS
from lictor.engine.julius_caesar.state import State
from support.position import card_number, play, position

VIEWERS = (*game.SEATS, SPECTATOR)


def true(state: State, text: str) -> bool:
    return game.holds(state, game.parse_claim(text))


def moments(seed: int, every: int = 40) -> Iterator[tuple[State, dict[str, list[object]]]]:
    """Play a game at random; yield the state now and then, with what each viewer has seen."""
    chance = SeededChance(seed)
    options = {"deployment": ("historical", "free")[seed % 2], "edition": game.EDITIONS[seed // 2 % 2]}
    state = game.new_game(options, chance)
    seen: dict[str, list[object]] = {viewer: [] for viewer in VIEWERS}
    count = 0
    while seats := game.to_act(state):
        if count % every == seed % every:
            yield state, seen
        count += 1
        actions = game.legal_actions(state, seats[0])
        events = game.apply(state, seats[0], actions[chance.draw(len(actions))])
        for viewer in VIEWERS:
            seen[viewer] += seen_events(events, viewer)


def worlds_of(state: State, seen: dict[str, list[object]], viewer: str, count: int = 12) -> list[State]:
    observation = game.observation(state, viewer)
    return [game.sample(observation, seen[viewer], SeededChance(n)) for n in range(count)]  # type: ignore[arg-type]


# --- Notation ---


@pytest.mark.parametrize(
    "text",
    ["at legio_2 rome", "at brutus pool", "at caesar dead", "steps legio_2 4", "hand pompey 7", "discard caesar 27",
     "played pompey 1"],
)  # fmt: skip
def test_a_claim_is_written_as_it_is_read(text: str) -> None:
    claim = game.parse_claim(text)
    assert (str(claim), claim.kind) == (text, text.split()[0])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "first word must be one of at, steps, hand, discard, played"),
        ("legio_2 rome", "first word must be one of"),
        ("at legio_2", "at takes a block and a space"),
        ("at legio_2 rome now", "at takes a block and a space"),
        ("at  legio_2 rome", "at takes"),
        ("at legio_2 rome ", "at takes"),
        ("at Legio_2 rome", "at takes"),
        ("at légio rome", "at takes"),
        ("steps legio_2 5", "0 to 4"),
        ("steps legio_2 -1", "0 to 4"),
        ("steps legio_2 ٣", "0 to 4"),
        ("hand sulla 7", "caesar or pompey"),
        ("hand pompey 0", "1 to 27"),
        ("hand pompey 28", "1 to 27"),
        ("hand pompey 07", "1 to 27"),
        ("played spectator 7", "caesar or pompey"),
        ("discard pompey jupiter", "1 to 27"),
        ("at " + "x" * CLAIM_LENGTH, "at most 80 characters"),
        ("at legio_2 rome\n", "at takes"),
        (None, "a text"),
    ],
)
def test_what_is_no_claim_is_refused_with_what_would_be(text: object, told: str) -> None:
    with pytest.raises(BadNotation) as caught:
        game.parse_claim(text)
    assert told in str(caught.value)
    assert len(str(caught.value)) < 300


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(max_size=90), st.lists(st.sampled_from([*KINDS, "pompey", "rome", "7", ""])).map(" ".join)))
def test_any_text_is_a_claim_or_refused(text: str) -> None:
    with contextlib.suppress(BadNotation):
        assert str(game.parse_claim(text)) == text


# --- Truth ---


def test_blocks_are_where_they_are_with_the_steps_they_have() -> None:
    state = position("rome  pompey: legio_2/3\nravenna caesar: legio_13", dead=["scipio"])
    assert true(state, "at legio_2 rome")
    assert not true(state, "at legio_2 ravenna")
    assert not true(state, "at legio_2 pool")
    assert true(state, "steps legio_2 3")
    assert not true(state, "steps legio_2 4")
    assert true(state, "at legio_1 pool")
    assert true(state, "steps legio_1 0")
    assert true(state, "at scipio dead")
    assert not true(state, "at scipio pool")


def test_a_claim_about_what_the_game_does_not_have_is_not_understood() -> None:
    state = position("rome  pompey: legio_2/3")
    for text, told in (("at legio_99 rome", "legio_99"), ("steps rome 2", "rome"), ("at legio_2 lutetia", "lutetia")):
        with pytest.raises(BadNotation, match=f"there is no .* {told!r}"):
            true(state, text)


def test_2_1_a_card_that_lies_face_down_is_played_and_still_in_hand_for_all_that_others_see() -> None:
    hands = {"caesar": ["Mars", "2/1", "3/1"], "pompey": ["2/2", "4/1", "Vulcan"]}
    state = position("rome  pompey: legio_2\nravenna caesar: legio_13", phase="card", hands=hands)
    mars, other = card_number("Mars"), card_number("2/1")
    assert true(state, f"hand caesar {mars}")
    assert not true(state, f"played caesar {mars}")
    play(state, "caesar", f"play {mars}")
    assert true(state, f"played caesar {mars}")
    assert not true(state, f"played caesar {other}")
    assert true(state, f"hand caesar {mars}")
    play(state, "pompey", f"play {card_number('2/2')}")
    assert true(state, f"played caesar {mars}")
    assert not true(state, f"hand caesar {mars}")
    assert true(state, f"hand caesar {other}")


def test_2_1_an_apollo_is_played_as_apollo_whatever_it_copies() -> None:
    hands = {"caesar": ["Apollo", "2/1"], "pompey": ["2/2", "4/1"]}
    last = {"pompey": card_number("3/1"), "caesar": card_number("2/1")}
    state = position("rome  pompey: legio_2\nravenna caesar: legio_13", phase="card", hands=hands, last_cards=last)
    play(state, "caesar", f"play {card_number('Apollo')}")
    play(state, "pompey", f"play {card_number('2/2')}")
    assert true(state, f"played caesar {card_number('Apollo')}")
    assert not true(state, f"played caesar {card_number('3/1')}")


def test_2_1_the_card_put_away_is_the_discard() -> None:
    state = game.new_game({}, SeededChance(1))
    card, kept = state.hands[1][:2]
    assert not true(state, f"discard pompey {card}")
    play(state, "pompey", f"discard {card}")
    for _ in range(2):
        assert true(state, f"discard pompey {card}")
        assert not true(state, f"discard pompey {kept}")
        assert true(state, f"hand pompey {kept}")
        if len(game.to_act(state)) == 1:
            assert true(state, f"hand pompey {card}")  # in secret: nobody may notice
            play(state, "caesar", f"discard {state.hands[0][0]}")
    assert not true(state, f"hand pompey {card}")


@pytest.mark.parametrize("seed", range(4))
def test_of_all_claims_about_a_thing_one_is_true_and_it_is_what_the_dump_has(seed: int) -> None:
    for state, _ in moments(seed):
        dumped = game.dump(state)
        for name, block in dumped["blocks"].items():
            places = [*state.facts.spaces, "pool", "dead"]
            assert [place for place in places if true(state, f"at {name} {place}")] == [block["at"]]
            assert [n for n in range(5) if true(state, f"steps {name} {n}")] == [block["steps"]]
        for seat, hand in dumped["hands"].items():
            held = {card for card in range(1, 28) if true(state, f"hand {seat} {card}")}
            assert held >= set(hand)
            assert len(held) == game.observation(state, SPECTATOR).hand_sizes[game.SEATS.index(seat)]
            for kind, entries in (("discard", dumped["discards"]), ("played", None)):
                found = [card for card in range(1, 28) if true(state, f"{kind} {seat} {card}")]
                assert len(found) <= 1
                assert entries is None or found == ([entries[seat]] if entries[seat] else [])


# --- Beliefs ---


@pytest.mark.parametrize("seed", range(4))
def test_a_belief_is_the_share_of_the_worlds_and_never_certain(seed: int) -> None:
    for state, seen in moments(seed):
        for viewer in VIEWERS:
            worlds = worlds_of(state, seen, viewer)
            believed = game.believe(worlds, viewer)
            assert len(believed) <= MOST_CLAIMS
            assert believed or not game.observation(state, viewer).pieces
            assert len({claim for claim, _ in believed}) == len(believed)
            for text, probability in believed:
                assert 0 < probability < 1
                number = sum(true(world, text) for world in worlds)
                assert number
                assert probability == (number + 0.5) / (len(worlds) + 1)
                assert len(text) <= CLAIM_LENGTH
            doubts = [abs(probability - 0.5) for _, probability in believed]
            assert doubts == sorted(doubts)
            assert believed == game.believe(worlds, viewer)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("viewer", game.SEATS)
def test_beliefs_are_about_what_the_viewer_cannot_see(seed: int, viewer: str) -> None:
    for state, seen in moments(seed):
        observation = game.observation(state, viewer)
        known = {row.block for row in observation.blocks} | set(observation.pool) | set(observation.dead)
        known |= {row.block for row in observation.battle.face_up} if observation.battle else set()
        believed = [text.split() for text, _ in game.believe(worlds_of(state, seen, viewer), viewer)]
        assert {words[0] for words in believed} <= {"at", "steps", "hand"}
        assert not known.intersection(words[1] for words in believed)
        assert viewer not in {words[1] for words in believed if words[0] == "hand"}


def test_every_enemy_block_on_the_map_and_every_card_that_may_be_held_is_believed_in_somewhere() -> None:
    state = game.new_game({}, SeededChance(3))
    seen: dict[str, list[object]] = {viewer: [] for viewer in VIEWERS}
    worlds = worlds_of(state, seen, "caesar", 200)
    believed = dict(game.believe(worlds, "caesar"))
    placed = {row["id"] for row in state.facts.data["blocks"] if row["owner"] == "pompey"}
    on_map = {name for name in placed if not true(state, f"at {name} pool")}
    # The historical deployment is known to all (5.1); of the cards, what Caesar does not hold.
    assert {text.split()[1] for text in believed if text.startswith("at ")} == on_map
    assert all(believed[text] == 200.5 / 201 and true(state, text) for text in believed if text.startswith("at "))
    unseen = set(range(1, 28)) - set(state.hands[0])
    assert {int(text.split()[2]) for text in believed if text.startswith("hand ")} == unseen
    assert sum(believed[f"hand pompey {card}"] for card in unseen) == pytest.approx(6, abs=0.1)


def test_beliefs_need_a_viewer_that_there_is_and_some_worlds() -> None:
    state = game.new_game({}, SeededChance(3))
    assert game.believe([], "caesar") == []
    with pytest.raises(UnknownSeat):
        game.believe([state], "sulla")
