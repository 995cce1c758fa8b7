from __future__ import annotations

import random
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lictor.engine import julius_caesar as game
from lictor.engine.chance import SeededChance
from lictor.engine.game import BadNotation
from lictor.engine.julius_caesar import actions
from lictor.engine.julius_caesar.facts import standard_facts

LONGEST_REFUSAL = 400

EXAMPLES = {
    "end_deployment": actions.EndDeployment(),
    "end_moves": actions.EndMoves(),
    "end_levies": actions.EndLevies(),
    "end_regroup": actions.EndRegroup(),
    "end_disband": actions.EndDisband(),
    "decline": actions.Decline(),
    "discard 1": actions.Discard(1),
    "discard 27": actions.Discard(27),
    "play 9": actions.Play(9),
    "play 10": actions.Play(10),
    "jupiter rome": actions.Jupiter("rome"),
    "jupiter_to carthago_nova": actions.JupiterTo("carthago_nova"),
    "vulcan rome": actions.Vulcan("rome"),
    "surprise mare_internum": actions.Surprise("mare_internum"),
    "battle rome": actions.PickBattle("rome"),
    "reinforce legio_7": actions.Reinforce("legio_7"),
    "fire c_navis_1": actions.Fire("c_navis_1"),
    "pass p_elephant": actions.Pass("p_elephant"),
    "hit cleopatra": actions.Hit("cleopatra"),
    "disband c_auxilia_1": actions.Disband("c_auxilia_1"),
    "levy legio_17 rome": actions.Levy("legio_17", "rome"),
    "regroup caesar ravenna": actions.Regroup("caesar", "ravenna"),
    "port p_navis_1 creta": actions.Port("p_navis_1", "creta"),
    "move legio_7 tarraco": actions.Move("legio_7", ("tarraco",)),
    "move legio_7 narbo tarraco": actions.Move("legio_7", ("narbo", "tarraco")),
    "move legio_7 narbo massilia genua": actions.Move("legio_7", ("narbo", "massilia", "genua")),
    "sail legio_7 mare_hispanum utica": actions.Sail("legio_7", ("mare_hispanum", "utica")),
    "sail caesar mare_internum mare_aegaeum creta": actions.Sail("caesar", ("mare_internum", "mare_aegaeum", "creta")),
    "retreat legio_7": actions.Retreat("legio_7", ()),
    "retreat legio_7 narbo": actions.Retreat("legio_7", ("narbo",)),
    "retreat legio_7 mare_hispanum narbo": actions.Retreat("legio_7", ("mare_hispanum", "narbo")),
    "swap caesar legio_7": actions.Swap("caesar", "legio_7"),
}  # fmt: skip


def refusal(text: object) -> str:
    """Return why `text` is not an action."""
    with pytest.raises(BadNotation) as caught:
        game.parse_action(text)
    assert 0 < len(str(caught.value)) < LONGEST_REFUSAL
    return str(caught.value)


def test_the_examples_have_every_verb() -> None:
    assert {text.split(" ")[0] for text in EXAMPLES} == set(actions.VERBS)


@pytest.mark.parametrize("text", EXAMPLES)
def test_every_verb_is_read_and_written(text: str) -> None:
    assert game.parse_action(text) == EXAMPLES[text]
    assert str(EXAMPLES[text]) == text


def test_orders_of_different_verbs_are_different() -> None:
    assert len(set(EXAMPLES.values())) == len(EXAMPLES)
    assert len({actions.Play(7), actions.Discard(7)}) == 2
    assert len({actions.Levy("caesar", "rome"), actions.Regroup("caesar", "rome")}) == 2
    assert len({actions.Move("caesar", ("rome",)), actions.Retreat("caesar", ("rome",))}) == 2


@pytest.mark.parametrize("deployment", ["historical", "free"])
@pytest.mark.parametrize("seed", range(20))
def test_every_legal_action_of_a_game_round_trips(seed: int, deployment: str) -> None:
    edition = game.EDITIONS[seed % 2]
    state = game.new_game({"deployment": deployment, "edition": edition}, SeededChance(seed))
    rng, seen = random.Random(seed), set()
    while seats := game.to_act(state):
        for seat in seats:
            legal = game.legal_actions(state, seat)
            seen.update(legal)
            game.apply(state, seat, rng.choice(legal))
    assert len(seen) > 100
    for action in seen:
        assert game.parse_action(str(action)) == action
        assert type(game.parse_action(str(action))) is type(action)


def test_the_longest_voyage_of_the_map_can_be_spoken() -> None:
    facts = standard_facts()
    names = sorted(facts.spaces, key=len)[-len(facts.seas) - 1 :]
    voyage = actions.Sail(max(facts.blocks, key=len), tuple(names))
    assert game.parse_action(str(voyage)) == voyage


MALFORMED = [
    "", " ", "\n", "\0", "\t", "move", "play", "swap", "retreat", "nonsense", "help", "resign",
    # Blanks
    " decline", "decline ", "decline\n", "decline\r\n", "decline\0", "play  7", " play 7", "play 7 ", "play 7\n",
    "play\t7", "move legio_7  narbo", "move legio_7 narbo ", "move legio_7 narbo\n", "move legio_7\nnarbo",
    "move\u00a0legio_7 narbo", "move legio_7\u2003narbo", "move legio_7\u3000narbo", "move legio_7 narbo\u200b",
    "\ufeffmove legio_7 narbo",
    # Letters
    "Decline", "DECLINE", "PLAY 7", "Move legio_7 narbo", "move Legio_7 narbo", "move legio_7 Narbo",
    "move LEGIO_7 NARBO", "move legio_7 n\u00e4rbo", "move legio_7 \u043darbo", "move legio_\uff17 narbo",
    "move legio_\u0667 narbo", "\uff4dove caesar rome", "move legio-7 narbo", "move legio_7 narbo,tarraco",
    "move legio_7 narbo;", "move _legio_7 narbo", "move 7 narbo", "move legio_7 'narbo'",
    "move legio_7 narbo\x1b[31m", "fire legio_7\x07", "fire legio_7%s", "fire ../legio_7", "fire {block}",
    # Cards
    "play 0", "play 28", "play 99", "play 100", "play 007", "play 07", "play +7", "play -7", "play 7.0", "play 1e1",
    "play 0x7", "play 1_0", "play \uff17", "play \u0667", "play \u00b2", "play \u2167", "play VII", "play Apollo",
    "play 7 8", "play seven", "discard 0", "discard 28", "discard 027", "discard \uff11\uff12", "discard",
    "discard 1 2", "play 99999999999999999999999",
    # Objects
    "decline jupiter", "end_moves now", "end_moves legio_7", "fire", "fire legio_7 legio_8", "hit legio_7 2",
    "vulcan", "vulcan rome genua", "levy legio_17", "levy legio_17 rome genua", "port c_navis_1", "regroup caesar",
    "battle rome rome",
    # Paths
    "move legio_7", "move legio_7 narbo massilia genua rome", "sail legio_7 utica", "sail legio_7",
    "retreat legio_7 narbo massilia genua", "sail legio_7 " + " ".join(["mare_internum"] * 21),
    # Swaps
    "swap legio_7 caesar", "swap caesar caesar", "swap caesar", "swap antonius caesar legio_7",
]  # fmt: skip


@pytest.mark.parametrize("text", MALFORMED, ids=ascii)
def test_malformed_notation_is_refused(text: str) -> None:
    refusal(text)


@pytest.mark.parametrize(
    "value", [None, b"decline", 7, 7.0, True, ["decline"], ("play", 7), {}, object(), actions.DECLINE]
)
def test_what_is_not_a_text_is_refused(value: object) -> None:
    refusal(value)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 5_000_000,
        " " * 5_000_000,
        "\0" * 1_000_000,
        "\U0001f3fa" * 1_000_000,
        "move legio_7 " + "narbo " * 500_000,
        "play " + "9" * 1_000_000,
        "fire " + "a" * 1_000_000,
        "decline" + "\n" * 1_000_000,
    ],
    ids=["letters", "blanks", "nulls", "amphoras", "path", "number", "name", "lines"],
)
def test_megabytes_are_refused_briefly(text: str) -> None:
    assert len(refusal(text)) < 200


def test_a_refusal_quotes_the_text_without_its_control_characters() -> None:
    text = refusal("fire legio_7\x1b[2J\x00\n")
    assert "fire legio_7" in text
    assert not re.search(r"[\x00-\x1f\x7f]", text)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("mvoe legio_7 narbo", "move"),
        ("play", "card number"),
        ("decline now", "nothing more"),
        ("fire", "block"),
        ("vulcan", "space"),
        ("levy legio_17", "block and a space"),
        ("move legio_7", "1 to 3"),
        ("swap legio_7 caesar", "alphabetical"),
        ("move Legio_7 narbo", "lower-case"),
    ],
)
def test_a_refusal_says_what_would_be_right(text: str, hint: str) -> None:
    assert hint in refusal(text)


def expect_refused_or_exact(text: str) -> None:
    """A text is an action's own notation, or no action at all."""
    try:
        action = game.parse_action(text)
    except BadNotation:
        refusal(text)
        return
    assert str(action) == text
    assert game.parse_action(str(action)) == action


@settings(derandomize=True, deadline=None, max_examples=400)
@given(st.text(max_size=500))
@example("decline\u2028")
@example("\ud800")
@example("move \udfff rome")
def test_any_text_is_refused_or_an_exact_action(text: str) -> None:
    expect_refused_or_exact(text)


words = st.sampled_from(
    [*actions.VERBS, "legio_7", "caesar", "rome", "mare_internum", "7", "27", "28", "0", "", " ", "\n"]
)
strange_words = words | st.text(max_size=4)


@settings(derandomize=True, deadline=None, max_examples=600)
@given(
    st.sampled_from(actions.VERBS),
    st.lists(strange_words, max_size=5),
    st.sampled_from([" ", " ", " ", "  ", "\t", ""]),
)
def test_a_verb_with_any_words_is_refused_or_an_exact_action(verb: str, more: list[str], blank: str) -> None:
    expect_refused_or_exact(blank.join([verb, *more]))


@settings(derandomize=True, deadline=None, max_examples=600)
@given(st.sampled_from(sorted(EXAMPLES)), st.data())
def test_an_action_with_one_character_changed_is_refused_or_another_exact_action(
    text: str, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(text)))
    character = data.draw(st.characters() | st.sampled_from(" \n\t\0AZ_09-"))
    dropped = data.draw(st.integers(0, 1))
    expect_refused_or_exact(text[:place] + character + text[place + dropped :])
