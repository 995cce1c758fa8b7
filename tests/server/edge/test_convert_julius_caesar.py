"""Julius Caesar on the wire: what is written can be read, and says neither more nor less."""

from __future__ import annotations

import copy
import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from lictor.engine import julius_caesar as game
from lictor.engine import registry
from lictor.engine.chance import SeededChance
from lictor.engine.game import SPECTATOR, BadNotation
from lictor.engine.julius_caesar import actions
from lictor.engine.julius_caesar import events as tell
from lictor.engine.julius_caesar.facts import standard_facts
from lictor.engine.julius_caesar.observation import Defector
from lictor.server.edge import convert
from lictor.server.edge.convert import codec_for
from lictor.server.edge.convert.julius_caesar import names as words
from lictor.server.edge.convert.julius_caesar.events import EVENT_CLASSES, kind_of
from lictor.server.edge.convert.wire import Memo, sized, tag, varint
from lictor.v1 import game_pb2
from lictor.v1 import julius_caesar_catalog_pb2 as catalog_pb2
from lictor.v1 import julius_caesar_event_pb2 as event_pb2
from lictor.v1 import julius_caesar_observation_pb2 as view_pb2
from lictor.v1 import julius_caesar_pb2 as shared_pb2

VIEWERS = (*game.SEATS, SPECTATOR)
CHOICES: list[dict[str, object]] = [
    {"edition": edition, "deployment": deployment} for edition in game.EDITIONS for deployment in ("historical", "free")
]
GAMES = 4  # random games with each choice of options
CODEC = codec_for("julius_caesar", {})
NAMES = words.Names(game.catalog({}))
NO_SIDE = shared_pb2.JULIUS_CAESAR_SIDE_UNSPECIFIED


@dataclasses.dataclass
class Seen:
    """What came about in games with one choice of options."""

    observations: set[Any] = dataclasses.field(default_factory=set)
    actions: set[Any] = dataclasses.field(default_factory=set)
    events: list[Any] = dataclasses.field(default_factory=list)


def play(options: dict[str, object], seeds: range) -> Seen:
    seen = Seen()
    for seed in seeds:
        chance = SeededChance(seed)
        state = game.new_game(options, chance)
        while seats := game.to_act(state):
            seat = seats[chance.draw(len(seats))]
            seen.observations.update(game.observation(state, viewer) for viewer in VIEWERS)
            legal = game.legal_actions(state, seat)
            seen.actions.update(legal)
            for event in game.apply(state, seat, game.FOG.choose(state, seat, legal, chance)):
                views = [event, *(event.seen_by(viewer) for viewer in VIEWERS)]
                seen.events += [view for view in views if view is not None]
        seen.observations.update(game.observation(state, viewer) for viewer in VIEWERS)
    seen.observations |= {rare(observation) for observation in itertools.islice(seen.observations, 30)}
    return seen


def rare(observation: Any) -> Any:
    """Return an observation of the same viewer in which Jupiter's defector has a choice of cities."""
    known = (None, None) if observation.viewer == SPECTATOR else ("caesar", 3)
    return observation._replace(defector=Defector("aenos", "tan", False, True, *known))


@pytest.fixture(scope="module")
def played() -> list[tuple[dict[str, object], Seen]]:
    return [
        (options, play(options, range(100 * number, 100 * number + GAMES))) for number, options in enumerate(CHOICES)
    ]


# Orders and events too rare to wait for.
RARE_ORDERS = ("decline", "retreat caesar", "surprise aenos", "jupiter_to aenos", "vulcan rome", "end_regroup")
RARE = [
    tell.GameEnded(None, "draw", {"caesar": 7, "pompey": 7}),
    tell.GameEnded("pompey", "rome", {"caesar": 0, "pompey": 0}),
    tell.Declined("caesar", "Vulcan"),
    tell.Declined("pompey", "Jupiter"),
    tell.RolesTurned("caesar"),
    tell.CleopatraJoined("pompey", "aenos"),
    tell.ApolloCopied("caesar", 8, "4/1"),
    tell.TurnCancelled(),
    tell.Shown("caesar", "caesar", "rome", 3),
    tell.YearBegan(706, {"caesar": (), "pompey": None}),
    tell.Defecting("caesar", None, "green", "rome", None, None, False, True),
    tell.Defecting("pompey", "caesar", "tan", "rome", "aenos", 1, True, False),
]


def test_observations_come_back_and_are_written_the_only_way(played: list[tuple[dict[str, object], Seen]]) -> None:
    for options, seen in played:
        codec = codec_for("julius_caesar", options)
        for observation in seen.observations:
            written = codec.observation(observation)
            message = game_pb2.Observation.FromString(written)
            assert message.SerializeToString(deterministic=True) == written
            assert codec.read_observation(message) == observation


def test_different_observations_have_different_bytes(played: list[tuple[dict[str, object], Seen]]) -> None:
    for options, seen in played:
        codec = codec_for("julius_caesar", options)
        assert len({codec.observation(observation) for observation in seen.observations}) == len(seen.observations)


def test_bytes_do_not_depend_on_what_was_written_before(played: list[tuple[dict[str, object], Seen]]) -> None:
    options, seen = played[0]
    used, fresh = codec_for("julius_caesar", options), convert.MAKERS["julius_caesar"](game.catalog(options))
    for observation in sorted(seen.observations, key=hash)[:300]:
        assert used.observation(observation) == fresh.observation(observation)


def test_all_phases_were_seen(played: list[tuple[dict[str, object], Seen]]) -> None:
    observations = {observation for _, seen in played for observation in seen.observations}
    assert {observation.phase for observation in observations} == {*words.PHASES}
    for field in ("battle", "defector", "regroup", "surprise", "swaps", "outcome", "chosen", "discard"):
        assert any(getattr(observation, field) is not None for observation in observations), field
    for field in ("fights", "opened", "kept", "roads", "dead", "deserters"):
        assert any(getattr(observation, field) for observation in observations), field


def test_every_field_of_the_observation_is_used(played: list[tuple[dict[str, object], Seen]]) -> None:
    left = {field.name for field in view_pb2.JuliusCaesarObservation.DESCRIPTOR.fields}
    for options, seen in played:
        codec = codec_for("julius_caesar", options)
        for observation in seen.observations:
            message = game_pb2.Observation.FromString(codec.observation(observation))
            left -= {field.name for field, _ in message.julius_caesar.ListFields()}
    assert left == set()


def test_columns_say_what_their_names_say(played: list[tuple[dict[str, object], Seen]]) -> None:
    for options, seen in played:
        codec = codec_for("julius_caesar", options)
        for observation in sorted(seen.observations, key=hash)[:100]:
            message = game_pb2.Observation.FromString(codec.observation(observation)).julius_caesar
            assert [NAMES.blocks[row] for row in message.own_blocks.block] == [row.block for row in observation.blocks]
            assert [NAMES.spaces[row] for row in message.own_blocks.space] == [row.space for row in observation.blocks]
            assert list(message.own_blocks.steps) == [row.steps for row in observation.blocks]
            assert list(message.own_blocks.moved) == [row.moved for row in observation.blocks]
            assert list(message.own_blocks.reserve) == [row.reserve for row in observation.blocks]
            assert [NAMES.spaces[row] for row in message.pieces.space] == [row.space for row in observation.pieces]
            assert list(message.pieces.number) == [row.number for row in observation.pieces]
            assert list(message.pieces.moved) == [row.moved for row in observation.pieces]
            assert list(message.pieces.reserve) == [row.reserve for row in observation.pieces]
            assert (message.caesar_points, message.pompey_points) == observation.points
            assert (message.caesar_pool_size, message.pompey_pool_size) == observation.pool_sizes
            assert (message.caesar_hand_size, message.pompey_hand_size) == observation.hand_sizes
            assert (message.caesar_played or None, message.pompey_played or None) == observation.played
            assert (tuple(message.caesar_spent), tuple(message.pompey_spent)) == observation.spent
            assert [NAMES.edges[row] for row in message.roads.edge] == [row[:2] for row in observation.roads]
            if observation.battle:
                assert (message.battle.caesar_sailed, message.battle.pompey_sailed) == observation.battle.sailed


def test_actions_come_back(played: list[tuple[dict[str, object], Seen]]) -> None:
    every = {action for _, seen in played for action in seen.actions}
    every |= {actions.parse_action(text) for text in RARE_ORDERS}
    written = {action: CODEC.action(action) for action in every}
    assert len({*written.values()}) == len(every)
    kinds = set()
    for action, wire in written.items():
        message = game_pb2.Action.FromString(wire)
        assert message.SerializeToString(deterministic=True) == wire
        assert CODEC.read_action(message) == action
        assert CODEC.action(copy.deepcopy(action)) is wire
        kinds.add(message.julius_caesar.WhichOneof("kind"))
    assert {action.verb for action in every} == {*actions.VERBS}
    assert kinds == {field.name for field in shared_pb2.JuliusCaesarAction.DESCRIPTOR.fields}
    assert len(kinds) == len(actions.VERBS) == 25


def test_events_come_back_as_every_viewer_sees_them(played: list[tuple[dict[str, object], Seen]]) -> None:
    kinds = set()
    for event in [*RARE, *(event for _, seen in played for event in seen.events)]:
        written = CODEC.event(event)
        message = game_pb2.Event.FromString(written)
        assert message.SerializeToString(deterministic=True) == written
        back = CODEC.read_event(message)
        assert back == event
        assert back.facts() == event.facts()
        kinds.add(type(event))
    assert kinds == {*EVENT_CLASSES}
    fields = {field.name for field in event_pb2.JuliusCaesarEvent.DESCRIPTOR.fields}
    assert fields == {kind_of(event) for event in EVENT_CLASSES}


def test_hidden_fields_of_an_event_are_absent() -> None:
    moved = tell.Moved("caesar", "legio_8", "tan", ("genua", "rome"), False, True, False)
    own, others = (
        game_pb2.Event.FromString(CODEC.event(moved.seen_by(viewer))).julius_caesar.moved
        for viewer in ("caesar", SPECTATOR)
    )
    assert own.HasField("block")
    assert not others.HasField("block")
    assert [NAMES.spaces[row] for row in others.path] == ["genua", "rome"]
    swap = tell.Swapped("pompey", ("cleopatra", "scipio"), ("antioch", "alexandria"))
    placed = game_pb2.Event.FromString(CODEC.event(swap.seen_by("caesar"))).julius_caesar
    assert placed.WhichOneof("kind") == "cleopatra_placed"
    began = tell.YearBegan(706, {"caesar": (1, 2), "pompey": (3, 4)}).seen_by("pompey")
    year = game_pb2.Event.FromString(CODEC.event(began)).julius_caesar.year_began
    assert (year.HasField("caesar_hand"), list(year.pompey_hand.cards)) == (False, [3, 4])


@pytest.mark.parametrize("viewer", game.SEATS)
def test_a_bot_can_sample_from_what_came_over_the_wire(viewer: str) -> None:
    chance, history = SeededChance(7), []
    state = game.new_game({}, chance)
    for decision in range(120):
        seat = game.to_act(state)[0]
        legal = game.legal_actions(state, seat)
        for event in game.apply(state, seat, legal[chance.draw(len(legal))]):
            if (seen := event.seen_by(viewer)) is not None:
                history.append(CODEC.read_event(game_pb2.Event.FromString(CODEC.event(seen))))
        if decision % 10 == 0:
            written = CODEC.observation(game.observation(state, viewer))
            read = CODEC.read_observation(game_pb2.Observation.FromString(written))
            world = game.sample(read, history, SeededChance(decision))
            assert CODEC.observation(game.observation(world, viewer)) == written


def order(**kind: Any) -> game_pb2.Action:
    return game_pb2.Action(julius_caesar=shared_pb2.JuliusCaesarAction(**kind))


LAST_BLOCK, LAST_SPACE = len(NAMES.blocks) - 1, len(NAMES.spaces) - 1

BAD_ORDERS = {
    "no game": (game_pb2.Action(), "set its field julius_caesar"),
    "no kind": (order(), "set exactly one kind"),
    "no block": (order(fire=shared_pb2.JuliusCaesarFire()), "fire: block is missing"),
    "no space": (order(levy=shared_pb2.JuliusCaesarLevy(block=1)), "levy: space is missing"),
    "no second": (order(swap=shared_pb2.JuliusCaesarSwap(first=1)), "swap: second is missing"),
    "block": (
        order(hit=shared_pb2.JuliusCaesarHit(block=LAST_BLOCK + 1)),
        f"hit: block: there is no block {LAST_BLOCK + 1}; the catalog has 0 to {LAST_BLOCK}",
    ),
    "space": (
        order(pick_battle=shared_pb2.JuliusCaesarPickBattle(space=2**32 - 1)),
        f"pick_battle: space: there is no space {2**32 - 1}; the catalog has 0 to {LAST_SPACE}",
    ),
    "path": (
        order(move=shared_pb2.JuliusCaesarMove(block=0, path=[0, LAST_SPACE + 1])),
        "move: path: there is no space",
    ),
    "empty path": (order(move=shared_pb2.JuliusCaesarMove(block=0)), "move takes a block and 1 to 3 spaces"),
    "long path": (order(retreat=shared_pb2.JuliusCaesarRetreat(block=0, path=[1, 2, 3])), "0 to 2 spaces"),
    "huge path": (order(sail=shared_pb2.JuliusCaesarSail(block=0, path=[1] * 9999)), "at most 400 characters"),
    "no card": (order(play_card=shared_pb2.JuliusCaesarPlayCard()), "one card number, 1 to 27"),
    "card": (order(discard=shared_pb2.JuliusCaesarDiscard(card=28)), "one card number, 1 to 27"),
    "swap": (order(swap=shared_pb2.JuliusCaesarSwap(first=0, second=0)), "two different blocks in alphabetical order"),
}


@pytest.mark.parametrize(("message", "text"), BAD_ORDERS.values(), ids=BAD_ORDERS)
def test_a_bad_order_is_refused_with_what_is_wrong(message: game_pb2.Action, text: str) -> None:
    with pytest.raises(BadNotation) as caught:
        CODEC.read_action(message)
    assert text in str(caught.value)
    assert len(str(caught.value)) < 250


def test_an_index_of_0_is_no_missing_field() -> None:
    message = order(levy=shared_pb2.JuliusCaesarLevy(block=0, space=0))
    assert CODEC.read_action(message) == actions.Levy(NAMES.blocks[0], NAMES.spaces[0])


def observed(**changes: Any) -> game_pb2.Observation:
    state = game.new_game({}, SeededChance(1))
    message = game_pb2.Observation.FromString(CODEC.observation(game.observation(state, "caesar")))
    message.julius_caesar.MergeFrom(view_pb2.JuliusCaesarObservation(**changes))
    return message


@pytest.mark.parametrize(
    "message",
    [
        game_pb2.Observation(),
        game_pb2.Observation(julius_caesar=view_pb2.JuliusCaesarObservation()),
        observed(phase=99),
        observed(pool=[200]),
        observed(pieces=view_pb2.JuliusCaesarPieces(space=[1])),
        observed(fights=view_pb2.JuliusCaesarFights(space=[1], attacker=[NO_SIDE])),
    ],
    ids=["no game", "nothing", "enum", "index", "columns", "unspecified"],
)
def test_a_bad_observation_is_refused(message: game_pb2.Observation) -> None:
    with pytest.raises(BadNotation):
        CODEC.read_observation(message)


@pytest.mark.parametrize(
    "event",
    [
        None,
        event_pb2.JuliusCaesarEvent(),
        event_pb2.JuliusCaesarEvent(passed=event_pb2.JuliusCaesarPassed(side=NO_SIDE)),
        event_pb2.JuliusCaesarEvent(passed=event_pb2.JuliusCaesarPassed(side=words.SIDES["caesar"], block=63)),
        event_pb2.JuliusCaesarEvent(revealed=event_pb2.JuliusCaesarRevealed(block=[1])),
    ],
    ids=["no game", "no kind", "unspecified", "index", "columns"],
)
def test_a_bad_event_is_refused(event: event_pb2.JuliusCaesarEvent | None) -> None:
    with pytest.raises(BadNotation):
        CODEC.read_event(game_pb2.Event(julius_caesar=event))


def wide_data() -> dict[str, Any]:
    """Return a data set in which every space of the game has an index that takes two bytes."""
    data = copy.deepcopy(dict(standard_facts().data))
    more = [{"id": f"a_{n}", "name": f"A {n}", "type": "city", "vp": 0, "x": n, "y": n} for n in range(130)]
    return {**data, "spaces": [*more, *data["spaces"]]}


def test_a_larger_board_fits() -> None:
    options: dict[str, object] = {"data": wide_data()}
    codec, seen = codec_for("julius_caesar", options), play(options, range(1))
    for observation in seen.observations:
        written = codec.observation(observation)
        message = game_pb2.Observation.FromString(written)
        assert message.SerializeToString(deterministic=True) == written
        assert codec.read_observation(message) == observation
    for action in seen.actions:
        assert codec.read_action(game_pb2.Action.FromString(codec.action(action))) == action
    assert len(codec.catalog().julius_caesar.spaces) == LAST_SPACE + 131


def catalog_dict(message: catalog_pb2.JuliusCaesarCatalog) -> dict[str, Any]:
    """Say the whole catalog again in the engine's words."""

    def name_of(enum: Any, value: int) -> str:
        return words.names_of(words.words_of(enum))[value]

    def blocks() -> Iterator[dict[str, Any]]:
        for block in message.blocks:
            letters = [
                name_of(catalog_pb2.JuliusCaesarInitiative, letter).upper()
                for letter in (block.initiative_defending, block.initiative_attacking)
            ]
            rule = name_of(catalog_pb2.JuliusCaesarLevyRule, block.levy)
            assert block.HasField("levy_city") == (rule == "city")
            yield {
                "id": block.id,
                "name": block.name,
                "owner": words.SIDE_NAMES[block.owner],
                "kind": name_of(catalog_pb2.JuliusCaesarBlockKind, block.kind),
                "initiative": "/".join(dict.fromkeys(letters)),
                "firepower": block.firepower,
                "steps": len(block.strengths),
                "strengths": list(block.strengths),
                "levy": message.spaces[block.levy_city].id if rule == "city" else rule,
                "colour": words.COLOUR_NAMES[block.colour],
            }

    def spaces() -> Iterator[dict[str, Any]]:
        for space in message.spaces:
            lists = {
                "seas": [message.spaces[sea].id for sea in space.seas],
                "alias": list(space.aliases),
            }
            yield {
                "id": space.id,
                "name": space.name,
                "type": name_of(catalog_pb2.JuliusCaesarSpaceKind, space.kind),
                "vp": space.points,
                "x": space.x,
                "y": space.y,
                **{key: value for key, value in lists.items() if value},
            }

    setup: dict[str, dict[str, list[str]]] = {}
    for entry in message.setup:
        cities = setup.setdefault(words.SIDE_NAMES[entry.side], {})
        cities[message.spaces[entry.space].id] = [message.blocks[row].id for row in entry.blocks]
    return {
        "game": message.game,
        "title": message.title,
        "notice": message.notice,
        "provenance": message.provenance,
        "data": message.data,
        "edition": message.edition,
        "deployment": message.deployment,
        "seats": list(message.seats),
        "colours": list(message.colours),
        "years": list(message.years),
        "turns_per_year": message.turns_per_year,
        "phases": list(message.phases),
        "verbs": list(message.verbs),
        "canvas": {"width": message.canvas_width, "height": message.canvas_height},
        "spaces": list(spaces()),
        "edges": [
            [
                message.spaces[edge.a].id,
                message.spaces[edge.b].id,
                name_of(catalog_pb2.JuliusCaesarEdgeKind, edge.kind),
            ]
            for edge in message.edges
        ],
        "blocks": list(blocks()),
        "cards": [
            {
                "id": card.number,
                "name": card.name,
                "kind": name_of(catalog_pb2.JuliusCaesarCardKind, card.kind),
                "move": card.move,
                "levy": card.levy,
                **({"effect": card.effect} if card.HasField("effect") else {}),
            }
            for card in message.cards
        ],
        "road_limits": {
            field.name: {"major": limit.major, "minor": limit.minor, "strait": limit.strait}
            for field, limit in message.road_limits.ListFields()
        },
        "leaders_reserve": {
            message.blocks[row.leader].id: [message.blocks[other].id for other in row.waits_for]
            for row in message.leaders_reserve
        },
        "setup": setup,
    }


@pytest.mark.parametrize("options", CHOICES, ids=str)
def test_the_catalog_leaves_nothing_out(options: dict[str, object]) -> None:
    assert catalog_dict(codec_for("julius_caesar", options).catalog().julius_caesar) == game.catalog(options)


def test_the_words_of_the_enums_are_the_games() -> None:
    catalog = game.catalog({})
    assert [*words.SIDES] == catalog["seats"]
    assert [*words.COLOURS] == catalog["colours"]
    assert {*words.PHASES} == {*catalog["phases"]}
    assert [*words.VIEWERS] == [*VIEWERS]


def test_a_catalog_that_was_given_out_can_be_changed() -> None:
    CODEC.catalog().julius_caesar.title = "another"
    assert CODEC.catalog().julius_caesar.title == "Julius Caesar"


def test_codecs_are_kept_by_data_edition_and_deployment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert codec_for("julius_caesar", {"edition": "2.0", "data": None}) is codec_for("julius_caesar", {})
    assert len({id(codec_for("julius_caesar", options)) for options in CHOICES}) == len(CHOICES)
    with pytest.raises(registry.UnknownGame):
        codec_for("chess", {})
    assert {*convert.MAKERS} == {*registry.names()}
    monkeypatch.setattr(convert, "_MOST_CODECS", 2)
    monkeypatch.setattr(convert, "_codecs", type(convert._codecs)())
    first = codec_for("julius_caesar", CHOICES[0])
    for options in (CHOICES[1], CHOICES[0], CHOICES[2]):
        codec_for("julius_caesar", options)
    assert codec_for("julius_caesar", CHOICES[0]) is first
    assert len(convert._codecs) == 2


def test_a_memo_makes_each_thing_once_and_stays_small() -> None:
    made = []

    def make(number: int) -> str:
        made.append(number)
        return str(number)

    memo = Memo(make, 3)
    assert [memo[number] for number in (1, 2, 1, 3, 2)] == ["1", "2", "1", "3", "2"]
    assert made == [1, 2, 3]
    assert (memo[4], {*memo}) == ("4", {4})


@pytest.mark.parametrize("number", [0, 1, 127, 128, 300, 4095, 4096, 2**32 - 1])
def test_numbers_are_written_as_protobuf_writes_them(number: int) -> None:
    packed = view_pb2.JuliusCaesarOwnBlocks(block=[number])
    assert sized(tag(1), varint(number)) == packed.SerializeToString()
