from __future__ import annotations

import datetime
import json
import random
from collections.abc import Callable, Iterator
from importlib import resources
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from lictor.engine import julius_caesar as game
from lictor.engine.chance import ScriptedChance, SeededChance
from lictor.engine.game import BadData, canonical_json
from lictor.engine.julius_caesar.facts import standard_facts
from support.position import legal, play, position

Data = dict[str, Any]
Break = Callable[[Data], object]

DATA_FILE = resources.files("lictor.engine.julius_caesar").joinpath("data.yaml")
TEXT = json.dumps(yaml.safe_load(DATA_FILE.read_text("utf-8")))


def fresh() -> Data:
    return json.loads(TEXT)  # type: ignore[no-any-return]


def entry(data: Data, key: str, name: str | int) -> Data:
    return next(found for found in data[key] if found["id"] == name)


def refusal(broken: object) -> str:
    """Return why a game cannot be played with `broken`."""
    with pytest.raises(BadData) as caught:
        game.new_game({"data": broken}, SeededChance(1))
    return str(caught.value)


def set_in(key: str, of: str | int, /, **changes: object) -> Break:
    return lambda data: entry(data, key, of).update(changes)


def swap_ids(data: Data, key: str, one: str | int, other: str | int) -> None:
    first, second = entry(data, key, one), entry(data, key, other)
    first["id"], second["id"] = other, one


def move_edge(data: Data, end: str, other: str, to: str) -> None:
    """Lead the edge between two spaces to a third instead."""
    edge = next(found for found in data["edges"] if set(found[:2]) == {end, other})
    edge[edge.index(other)] = to


def without(data: Data, key: str, name: str | int) -> None:
    data[key].remove(entry(data, key, name))


def give_no_sea(data: Data, port: str) -> None:
    del entry(data, "spaces", port)["seas"]
    data["edges"] = [edge for edge in data["edges"] if not (edge[2] == "sea" and port in edge)]


FAULTS: dict[str, tuple[Break, tuple[str, ...]]] = {
    # The map
    "edge from an unknown space": (lambda d: d["edges"].append(["atlantis", "rome", "major"]), ("edges", "atlantis")),
    "edge to an unknown space": (lambda d: d["edges"].append(["rome", "atlantis", "major"]), ("edges", "atlantis")),
    "edge to a number": (lambda d: d["edges"].append(["rome", 7, "major"]), ("edges", "rome", "7")),
    "edge to a list": (lambda d: d["edges"].append(["rome", ["genua"], "major"]), ("edges", "rome", "genua")),
    "edge to itself": (lambda d: d["edges"].append(["rome", "rome", "major"]), ("edges", "rome")),
    "edge twice": (lambda d: d["edges"].append(["genua", "rome", "major"]), ("edges", "genua", "rome")),
    "edge twice, reversed": (lambda d: d["edges"].append(["rome", "genua", "major"]), ("edges", "genua", "rome")),
    "edge twice, of another class": (lambda d: d["edges"].append(["genua", "rome", "minor"]), ("genua", "rome")),
    "edge of an unknown class": (lambda d: d["edges"].append(["rome", "utica", "river"]), ("rome", "utica", "river")),
    "edge of a class that is a list": (lambda d: d["edges"].append(["rome", "utica", ["sea"]]), ("rome", "utica")),
    "edge without a class": (lambda d: d["edges"].append(["rome", "utica"]), ("edges", "rome", "utica")),
    "edge with too much": (lambda d: d["edges"].append(["rome", "utica", "major", 2]), ("edges", "rome", "utica")),
    "edge that is a text": (lambda d: d["edges"].append("via appia"), ("edges", "via appia")),
    "edge that is a short text": (lambda d: d["edges"].append("via"), ("edges", "via")),
    "edge that is a mapping": (lambda d: d["edges"].append({"a": "rome", "b": "utica", "class": "major"}), ("rome",)),
    "edge that is nothing": (lambda d: d["edges"].append(None), ("edges", "None")),
    "road into a sea": (lambda d: d["edges"].append(["rome", "propontis", "major"]), ("rome", "propontis")),
    "road between seas": (lambda d: d["edges"].append(["mare_internum", "propontis", "minor"]), ("mare_internum",)),
    "sea border to an inland city": (lambda d: d["edges"].append(["asculum", "propontis", "sea"]), ("asculum",)),
    "sea border between ports": (lambda d: d["edges"].append(["rome", "utica", "sea"]), ("rome", "utica")),
    "sea border that the port does not list": (lambda d: d["edges"].append(["rome", "propontis", "sea"]), ("rome",)),
    "sea that is listed but not drawn": (
        set_in("spaces", "rome", seas=["mare_tyrrhenum", "mare_internum"]),
        ("rome", "seas"),
    ),
    "sea listed twice": (set_in("spaces", "rome", seas=["mare_tyrrhenum", "mare_tyrrhenum"]), ("rome", "seas")),
    "sea list that is empty": (set_in("spaces", "rome", seas=[]), ("rome", "seas")),
    "sea list with an unknown sea": (set_in("spaces", "rome", seas=["mare_nostrum"]), ("rome", "mare_nostrum")),
    "sea list that is nothing": (set_in("spaces", "rome", seas=None), ("rome", "seas")),
    "sea list that is a number": (set_in("spaces", "rome", seas=1), ("rome", "seas")),
    "sea list that is a text": (set_in("spaces", "rome", seas="mare_tyrrhenum"), ("rome", "seas")),
    "sea list of an inland city": (set_in("spaces", "asculum", seas=["mare_tyrrhenum"]), ("asculum", "seas")),
    "sea border that leads elsewhere": (lambda d: move_edge(d, "rome", "mare_tyrrhenum", "propontis"), ("rome",)),
    "port without sea": (lambda d: give_no_sea(d, "utica"), ("utica", "port")),
    "space there twice": (lambda d: d["spaces"].append(dict(entry(d, "spaces", "rome"))), ("spaces", "rome", "twice")),
    "space of an unknown type": (set_in("spaces", "rome", type="capital"), ("rome", "type", "capital")),
    "space of a type that is a list": (set_in("spaces", "rome", type=["port"]), ("rome", "type")),
    "sea with roads": (set_in("spaces", "asculum", type="sea"), ("asculum",)),
    "city worth less than nothing": (set_in("spaces", "rome", vp=-1), ("rome", "vp", "-1")),
    "city worth a text": (set_in("spaces", "rome", vp="2"), ("rome", "vp", "'2'")),
    "city worth a truth": (set_in("spaces", "rome", vp=True), ("rome", "vp", "True")),
    "city worth a fraction": (set_in("spaces", "rome", vp=1.5), ("rome", "vp", "1.5")),
    "city drawn nowhere": (set_in("spaces", "rome", x="west"), ("rome", "x", "west")),
    "city drawn at a truth": (set_in("spaces", "rome", y=True), ("rome", "y", "True")),
    "space that is a text": (lambda d: d["spaces"].__setitem__(3, "rome"), ("spaces", "entry 4")),
    "space that is nothing": (lambda d: d["spaces"].append(None), ("spaces", "entry 77")),
    "no Rome": (lambda d: without(d, "spaces", "rome"), ("spaces", "rome")),
    "Rome by another name": (set_in("spaces", "rome", id="roma"), ("spaces", "rome")),
    "no Alexandria": (lambda d: without(d, "spaces", "alexandria"), ("spaces", "alexandria")),
    "no canvas": (lambda d: d.pop("canvas"), ("canvas",)),
    "canvas without a width": (lambda d: d["canvas"].pop("width"), ("canvas", "width")),
    "canvas of no width": (lambda d: d["canvas"].update(width=0), ("canvas", "width", "0")),
    # The blocks
    "block there twice": (lambda d: d["blocks"].append(dict(entry(d, "blocks", "legio_7"))), ("legio_7", "twice")),
    "62 blocks": (lambda d: without(d, "blocks", "legio_7"), ("blocks", "30", "tan", "31")),
    "64 blocks": (lambda d: d["blocks"].append(entry(d, "blocks", "legio_1") | {"id": "legio_99"}), ("32", "green")),
    "block of the wrong colour": (set_in("blocks", "legio_7", owner="pompey"), ("blocks", "30", "tan")),
    "no Cleopatra": (lambda d: without(d, "blocks", "cleopatra"), ("blocks", "0", "blue")),
    "two Cleopatras": (set_in("blocks", "legio_7", kind="cleopatra", levy="never"), ("blocks", "tan", "30")),
    "block of an unknown owner": (set_in("blocks", "legio_7", owner="sulla"), ("legio_7", "owner", "sulla")),
    "block of an owner that is a list": (set_in("blocks", "legio_7", owner=["caesar"]), ("legio_7", "owner")),
    "block of an unknown kind": (set_in("blocks", "legio_7", kind="trireme"), ("legio_7", "kind", "trireme")),
    "block of an unknown initiative": (set_in("blocks", "legio_7", initiative="E"), ("legio_7", "initiative", "'E'")),
    "block of an initiative of letters": (set_in("blocks", "legio_7", initiative="AB"), ("legio_7", "initiative")),
    "block of an empty initiative": (set_in("blocks", "legio_7", initiative=""), ("legio_7", "initiative")),
    "block that never hits": (set_in("blocks", "legio_7", firepower=0), ("legio_7", "firepower", "0")),
    "block that hits with a seven": (set_in("blocks", "legio_7", firepower=7), ("legio_7", "firepower", "7")),
    "block levied in an unknown city": (set_in("blocks", "legio_7", levy="atlantis"), ("legio_7", "levy", "atlantis")),
    "block levied in a list": (set_in("blocks", "legio_7", levy=["rome"]), ("legio_7", "levy")),
    "block levied in a mapping": (set_in("blocks", "legio_7", levy={"rome": 1}), ("legio_7", "levy")),
    "block levied in nothing": (set_in("blocks", "legio_7", levy=None), ("legio_7", "levy")),
    "block levied at sea": (set_in("blocks", "legio_7", levy="propontis"), ("legio_7", "propontis")),
    "Navis levied inland": (set_in("blocks", "c_navis_1", levy="asculum"), ("c_navis_1", "asculum")),
    "Cleopatra levied": (set_in("blocks", "cleopatra", levy="any_friendly_city"), ("cleopatra",)),
    "fewer strengths than steps": (set_in("blocks", "legio_7", strengths=[3, 2]), ("legio_7", "strengths")),
    "more strengths than steps": (set_in("blocks", "legio_7", steps=2), ("legio_7", "strengths")),
    "rising strengths": (set_in("blocks", "legio_7", strengths=[1, 2, 3]), ("legio_7", "strengths")),
    "equal strengths": (set_in("blocks", "legio_7", strengths=[3, 3, 1]), ("legio_7", "strengths")),
    "no strengths": (set_in("blocks", "legio_7", steps=0, strengths=[]), ("legio_7", "strengths")),
    "strength of nought": (set_in("blocks", "legio_7", strengths=[3, 2, 0]), ("legio_7", "strengths")),
    "strength that is a text": (set_in("blocks", "legio_7", strengths=["3", "2", "1"]), ("legio_7", "strengths")),
    "strength that is a fraction": (set_in("blocks", "legio_7", strengths=[3, 2, 1.5]), ("legio_7", "strengths")),
    "strength that is a list": (set_in("blocks", "legio_7", strengths=[[3], [2], [1]]), ("legio_7", "strengths")),
    "strengths that are a text": (set_in("blocks", "legio_7", strengths="321"), ("legio_7", "strengths")),
    "strengths that are a number": (set_in("blocks", "legio_7", strengths=3), ("legio_7", "strengths")),
    "five steps": (set_in("blocks", "legio_7", steps=5, strengths=[5, 4, 3, 2, 1]), ("legio_7", "strengths")),
    "block that is a list": (lambda d: d["blocks"].append(["legio_99"]), ("blocks", "entry 64")),
    # The deployment
    "block deployed twice": (lambda d: d["deployment"]["caesar"]["narbo"].append("caesar"), ("caesar", "deployment")),
    "block deployed twice in a city": (lambda d: d["deployment"]["caesar"]["narbo"].append("legio_7"), ("legio_7",)),
    "block deployed and in the pool": (lambda d: d["levy_pool"]["caesar"].append("legio_7"), ("legio_7", "levy_pool")),
    "block twice in the pool": (lambda d: d["levy_pool"]["caesar"].append("legio_17"), ("legio_17", "levy_pool")),
    "block neither deployed nor in the pool": (
        lambda d: d["deployment"]["caesar"]["narbo"].remove("legio_7"),
        ("legio_7", "deployment"),
    ),
    "block missing from the pool": (lambda d: d["levy_pool"]["pompey"].remove("legio_32"), ("legio_32", "levy_pool")),
    "block deployed by the enemy": (
        lambda d: (d["levy_pool"]["caesar"].remove("legio_17"), d["levy_pool"]["pompey"].append("legio_17")),
        ("legio_17",),
    ),
    "unknown block deployed": (
        lambda d: d["deployment"]["caesar"]["narbo"].append("legio_99"),
        ("deployment", "narbo", "legio_99"),
    ),
    "unknown block in the pool": (lambda d: d["levy_pool"]["caesar"].append("legio_99"), ("levy_pool", "legio_99")),
    "list as a block in the pool": (lambda d: d["levy_pool"]["caesar"].append(["legio_7"]), ("levy_pool", "legio_7")),
    "deployment in an unknown city": (
        lambda d: d["deployment"]["caesar"].update(atlantis=d["deployment"]["caesar"].pop("narbo")),
        ("deployment", "atlantis"),
    ),
    "deployment at sea": (
        lambda d: d["deployment"]["caesar"].update(mare_internum=d["deployment"]["caesar"].pop("narbo")),
        ("deployment", "mare_internum", "legio_7"),
    ),
    "Navis deployed inland": (
        lambda d: (
            d["deployment"]["caesar"]["massilia"].remove("c_navis_1"),
            d["deployment"]["caesar"]["lugdunum"].append("c_navis_1"),
        ),
        ("lugdunum", "c_navis_1"),
    ),
    "Navis deployed at sea": (
        lambda d: (
            d["deployment"]["caesar"]["massilia"].remove("c_navis_1"),
            d["deployment"]["caesar"].update(mare_hispanum=["c_navis_1"]),
        ),
        ("mare_hispanum", "c_navis_1"),
    ),
    "both sides deployed in one city": (
        lambda d: d["deployment"]["pompey"].update(ravenna=d["deployment"]["pompey"].pop("brundisium")),
        ("deployment", "ravenna"),
    ),
    "city without a list of blocks": (lambda d: d["deployment"]["caesar"].update(narbo=None), ("deployment", "narbo")),
    "city with a number of blocks": (lambda d: d["deployment"]["caesar"].update(narbo=3), ("deployment", "narbo")),
    "city with a text of blocks": (lambda d: d["deployment"]["caesar"].update(narbo="legio_7"), ("narbo",)),
    "deployment of one side only": (lambda d: d["deployment"].pop("pompey"), ("deployment", "pompey")),
    "deployment as a list": (lambda d: d["deployment"].update(pompey=["scipio"]), ("deployment", "pompey")),
    "pool of one side only": (lambda d: d["levy_pool"].pop("caesar"), ("levy_pool", "caesar")),
    "pool as a mapping": (lambda d: d["levy_pool"].update(caesar={"legio_17": 1}), ("levy_pool", "caesar")),
    "pool as a text": (lambda d: d["levy_pool"].update(caesar="legio_17"), ("levy_pool", "caesar")),
    "Cleopatra in the pool": (
        lambda d: (
            d["deployment"]["pompey"]["alexandria"].remove("cleopatra"),
            d["levy_pool"]["pompey"].append("cleopatra"),
        ),
        ("deployment", "cleopatra"),
    ),
    "Cleopatra missing": (lambda d: d["deployment"]["pompey"]["alexandria"].remove("cleopatra"), ("cleopatra",)),
    # The cards
    "26 cards": (lambda d: d["cards"].pop(), ("cards", "27")),
    "28 cards": (lambda d: d["cards"].append(entry(d, "cards", 27) | {"id": 28}), ("cards", "27")),
    "card there twice": (set_in("cards", 9, id=10), ("cards", "27")),
    "cards out of order": (lambda d: swap_ids(d, "cards", 9, 20), ("cards", "order")),
    "card numbered from nought": (set_in("cards", 1, id=0), ("cards", "1 to 27")),
    "card with a text as number": (set_in("cards", 9, id="9"), ("cards", "27")),
    "card with a fraction as number": (set_in("cards", 2, id=2.0), ("cards", "27")),
    "card with a truth as number": (set_in("cards", 1, id=True), ("cards", "27")),
    "God with the wrong name": (set_in("cards", 3, name="Minerva"), ("cards", "3", "Mars")),
    "Gods exchanged": (
        lambda d: (set_in("cards", 1, name="Mars")(d), set_in("cards", 3, name="Apollo")(d)),
        ("cards", "1", "Apollo"),
    ),
    "God that is a command": (set_in("cards", 3, kind="command"), ("cards", "3", "kind", "command")),
    "command that is a God": (set_in("cards", 8, kind="god"), ("cards", "8", "kind", "god")),
    "command without moves": (set_in("cards", 8, move=0), ("cards", "8", "move", "0")),
    "command with text as moves": (set_in("cards", 8, move="four"), ("cards", "8", "move", "four")),
    "command with too many moves": (set_in("cards", 8, move=10), ("cards", "8", "move", "10")),
    "command with fewer levies than none": (set_in("cards", 8, levy=-1), ("cards", "8", "levy", "-1")),
    # The limits
    "limit without a class of road": (lambda d: d["road_limits"]["attack"].pop("minor"), ("road_limits", "attack")),
    "limit with an unknown class": (lambda d: d["road_limits"]["move"].update(river=1), ("road_limits", "move")),
    "limit with a number as class": (lambda d: d["road_limits"]["move"].update({1: 1}), ("road_limits",)),
    "limit that is a list": (lambda d: d["road_limits"].update(move=[4, 2, 2]), ("road_limits", "move")),
    "limit that is a text": (lambda d: d["road_limits"]["retreat"].update(major="4"), ("retreat", "major", "4")),
    "limit below nought": (lambda d: d["road_limits"]["regroup"].update(strait=-1), ("regroup", "strait", "-1")),
    "unknown limit": (lambda d: d["road_limits"].update(fly=9), ("road_limits", "fly")),
    "limit missing": (lambda d: d["road_limits"].pop("pluto_attack"), ("road_limits", "pluto_attack")),
    # The leaders
    "reserve for an unknown leader": (
        lambda d: d["leaders_reserve"].update(sulla=["caesar"]),
        ("leaders_reserve", "sulla"),
    ),
    "reserve after an unknown leader": (
        lambda d: d["leaders_reserve"].update(octavian=["caesar", "sulla"]),
        ("leaders_reserve", "octavian", "sulla"),
    ),
    "reserve that is a number": (lambda d: d["leaders_reserve"].update(octavian=2), ("leaders_reserve", "octavian")),
    "reserve that is nothing": (lambda d: d["leaders_reserve"].update(octavian=None), ("leaders_reserve", "octavian")),
    "reserve that is a text": (lambda d: d["leaders_reserve"].update(octavian="caesar"), ("octavian",)),
    # The frame
    "other game": (lambda d: d.update(game="rommel"), ("game", "rommel")),
    "other players": (lambda d: d.update(players=["pompey", "caesar"]), ("players",)),
    "other editions": (lambda d: d.update(editions=["3.0"]), ("editions", "3.0")),
    "other years": (lambda d: d["years"].append(710), ("years", "710")),
    "other turns": (lambda d: d.update(turns_per_year=6), ("turns_per_year", "6")),
    "other hand": (lambda d: d.update(hand_dealt=7), ("hand_dealt", "7")),
    "other discard": (lambda d: d.update(hand_discard=0), ("hand_discard", "0")),
    "other victory": (lambda d: d.update(victory_points_to_win=9), ("victory_points_to_win", "9")),
    "other rounds": (lambda d: d.update(max_battle_rounds=3), ("max_battle_rounds", "3")),
    "other sea retreats": (lambda d: d.update(sea_retreats_per_round=2), ("sea_retreats_per_round", "2")),
    "other supply": (lambda d: d["winter_supply"].update(city_base=4), ("winter_supply", "4")),
    # What a YAML file may hold, and no record can
    "not a number": (lambda d: d["canvas"].update(width=float("nan")), ("canvas",)),
    "infinite": (lambda d: d["canvas"].update(width=float("inf")), ("canvas",)),
    "date": (lambda d: d.update(printed=datetime.date(2010, 1, 1)), ("printed",)),
    "bytes": (lambda d: d.update(printed=b"2010"), ("printed",)),
    "set": (lambda d: d.update(printed={1, 2}), ("printed",)),
    "keys of several kinds": (lambda d: d.update(printed={1: "a", "b": 2}), ("printed",)),
}  # fmt: skip


def test_the_data_of_the_package_is_accepted() -> None:
    state = game.new_game({"data": fresh()}, SeededChance(1))
    assert game.snapshot(state) == game.snapshot(game.new_game({}, SeededChance(1)))


@pytest.mark.parametrize("fault", FAULTS)
def test_contradictory_data_is_refused_by_name(fault: str) -> None:
    spoil, names = FAULTS[fault]
    broken = fresh()
    spoil(broken)
    text = refusal(broken)
    for name in names:
        assert name in text


STRUCTURES = ("road_limits", "leaders_reserve", "cards", "spaces", "edges", "blocks", "deployment", "levy_pool")
FRAME = (
    "game", "players", "editions", "years", "turns_per_year", "hand_dealt", "hand_discard", "victory_points_to_win",
    "max_battle_rounds", "sea_retreats_per_round", "winter_supply",
)  # fmt: skip


@pytest.mark.parametrize("key", [*STRUCTURES, *FRAME])
def test_missing_data_is_refused_by_name(key: str) -> None:
    broken = fresh()
    del broken[key]
    assert key in refusal(broken)


@pytest.mark.parametrize("value", [None, 7, "text", True, 0.5, {"a": [1]}, [[1]]], ids=repr)
@pytest.mark.parametrize("key", [*STRUCTURES, *FRAME])
def test_data_of_the_wrong_type_is_refused_by_name(key: str, value: object) -> None:
    assert key in refusal(fresh() | {key: value})


@pytest.mark.parametrize(
    ("key", "name", "field"),
    [
        *(("spaces", "rome", field) for field in ("name", "type", "vp", "x", "y", "seas")),
        *(("cards", 8, field) for field in ("name", "kind", "move", "levy")),
        *(("blocks", "legio_7", field) for field in ("name", "owner", "kind", "initiative", "firepower")),
        *(("blocks", "legio_7", field) for field in ("steps", "strengths", "levy")),
    ],
)
def test_an_entry_without_a_field_is_refused_by_name(key: str, name: str | int, field: str) -> None:
    broken = fresh()
    del entry(broken, key, name)[field]
    text = refusal(broken)
    assert text.startswith(f"{key}: {name}: ")
    assert field in text


@pytest.mark.parametrize("key", ["spaces", "cards", "blocks"])
def test_an_entry_without_an_id_is_refused_by_its_place(key: str) -> None:
    broken = fresh()
    del broken[key][4]["id"]
    text = refusal(broken)
    assert f"{key}: entry 5" in text
    assert "id" in text


@pytest.mark.parametrize(
    "new", ["Aenos", "old aenos", "", "7_hills", "aenos\n", "änos", "pool", "dead", pytest.param("a" * 1000, id="long")]
)
def test_a_space_has_an_id_that_the_notation_can_name(new: str) -> None:
    broken = json.loads(TEXT.replace('"aenos"', json.dumps(new)))
    assert repr(new)[:40] in refusal(broken)


@pytest.mark.parametrize("new", ["Legio_7", "legio 7", "", "7", "legio_7\n", pytest.param("l" * 1000, id="long")])
def test_a_block_has_an_id_that_the_notation_can_name(new: str) -> None:
    broken = json.loads(TEXT.replace('"legio_7"', json.dumps(new)))
    assert repr(new)[:40] in refusal(broken)


@pytest.mark.parametrize("key", ["spaces", "blocks"])
@pytest.mark.parametrize("name", [None, 7, True, ["rome"], {"rome": 1}], ids=repr)
def test_an_id_is_a_text(key: str, name: object) -> None:
    broken = fresh()
    broken[key][4]["id"] = name
    assert key in refusal(broken)


@pytest.mark.parametrize(
    "path",
    [str(DATA_FILE), "data.yaml", "/etc/passwd", b"data.yaml", DATA_FILE],
    ids=["text", "name", "secret", "bytes", "path"],
)
def test_a_path_is_not_data(path: object) -> None:
    text = refusal(path)
    assert "mapping" in text
    assert "passwd" not in text


@pytest.mark.parametrize("value", [[], [fresh()], 7, True, False, 0.5, "", ()], ids=repr)
def test_data_is_a_mapping(value: object) -> None:
    assert "mapping" in refusal(value)


def test_empty_data_is_refused() -> None:
    assert refusal({})


def narrow_roads() -> Data:
    """Return the data with room for one block on a major road."""
    changed = fresh()
    changed["road_limits"]["move"]["major"] = 1
    return changed


def test_changing_the_mapping_later_does_not_change_the_game() -> None:
    mine = narrow_roads()
    state = game.new_game({"data": mine}, SeededChance(1))
    before = game.digest(state)
    mine["road_limits"]["move"]["major"] = 4
    mine["cards"].clear()
    assert game.digest(state) == before
    assert game.digest(game.new_game({"data": narrow_roads()}, SeededChance(1))) == before


def test_changing_a_dump_does_not_change_the_game() -> None:
    state = game.new_game({"data": narrow_roads()}, SeededChance(1))
    before = game.digest(state)
    game.dump(state)["data"]["road_limits"]["move"]["major"] = 9
    assert game.digest(state) == before
    assert game.digest(game.new_game({"data": narrow_roads()}, SeededChance(1))) == before


@pytest.mark.parametrize("chosen", [{}, {"data": narrow_roads()}], ids=["standard", "narrow"])
def test_changing_a_catalog_does_not_change_the_next(chosen: dict[str, Any]) -> None:
    before = canonical_json(game.catalog(chosen))
    mine = game.catalog(chosen)
    mine["canvas"].update(width=1)
    mine["blocks"][0]["strengths"].append(9)
    mine["spaces"][0]["seas"].clear()
    mine["edges"][0].clear()
    assert canonical_json(game.catalog(chosen)) == before


def test_other_road_limits_change_the_legal_moves_of_a_new_game() -> None:
    follow = []
    for chosen in (fresh(), narrow_roads()):
        state = game.new_game({"data": chosen}, ScriptedChance([n, n - 1] for n in range(27, 15, -1)))
        for seat, order in (("caesar", "discard 27"), ("pompey", "discard 21"), ("caesar", "play 26")):
            play(state, seat, order)
        play(state, "pompey", "play 20")
        play(state, "caesar", "move legio_16 cenabum")
        follow.append(legal(state, "caesar", "move c_equitatus_1 "))
    assert follow[0] - follow[1] == {
        "move c_equitatus_1 cenabum",
        "move c_equitatus_1 cenabum burdigala",
        "move c_equitatus_1 cenabum treveri",
    }
    assert follow[1] < follow[0]


def test_other_road_limits_change_the_legal_moves_of_a_loaded_game() -> None:
    standard = position("massilia caesar: legio_7 legio_8", card="1/2")
    narrow = game.load(game.dump(standard) | {"data": narrow_roads()}, ScriptedChance())
    for state in (standard, narrow):
        play(state, "caesar", "move legio_7 narbo")
    assert "move legio_8 narbo" in legal(standard, "caesar")
    assert "move legio_8 narbo" not in legal(narrow, "caesar")
    assert "move legio_8 genua" in legal(narrow, "caesar")


def test_another_deployment_is_set_up() -> None:
    changed = fresh()
    changed["deployment"]["caesar"]["rome"] = changed["deployment"]["caesar"].pop("lugdunum")
    blocks = game.snapshot(game.new_game({"data": changed}, SeededChance(1)))["blocks"]
    assert {name for name, block in blocks.items() if block["at"] == "rome"} == {"legio_16", "c_equitatus_1"}


def test_a_game_with_other_data_survives_dump_and_load() -> None:
    one = game.new_game({"data": narrow_roads()}, SeededChance(3))
    rng = random.Random(3)
    for _ in range(40):
        play_some(one, rng, 1)
        dumped = json.loads(json.dumps(game.dump(one)))
        other = game.load(dumped, SeededChance(4))
        assert dumped["data"] == narrow_roads()
        assert game.dump(other) == dumped
        assert game.digest(other) == game.digest(one)
        for seat in game.to_act(one):
            assert game.legal_actions(other, seat) == game.legal_actions(one, seat)


def test_other_data_give_another_digest_and_another_hash() -> None:
    standard, narrow = (game.new_game({"data": chosen}, SeededChance(1)) for chosen in (fresh(), narrow_roads()))
    assert game.digest(standard) != game.digest(narrow)
    assert standard.facts.hash != narrow.facts.hash
    assert standard.facts.hash == standard_facts().hash


def play_some(state: game.State, rng: random.Random, steps: int) -> None:
    for _ in range(steps):
        for seat in game.to_act(state)[:1]:
            game.apply(state, seat, rng.choice(game.legal_actions(state, seat)))


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


PATHS = {key: [path for path in paths(fresh()) if path[0] == key] for key in fresh()}
REMOVED = object()

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-1, 10)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
)


def containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)


json_values = st.recursive(scalars, containers, max_leaves=6)
known_values = (
    st.sampled_from(sorted(PATHS)).flatmap(lambda key: st.sampled_from(PATHS[key])).map(lambda path: at(fresh(), path))
)
places = st.sampled_from(sorted(PATHS)).flatmap(lambda key: st.sampled_from(PATHS[key]))


@settings(derandomize=True, deadline=None, max_examples=600)
@given(place=places, value=json_values | known_values | st.just(REMOVED), seed=st.integers(0, 99))
def test_changed_data_are_refused_or_playable(place: tuple[Any, ...], value: Any, seed: int) -> None:
    changed = fresh()
    holder = at(changed, place[:-1])
    if value is REMOVED:
        del holder[place[-1]]
    else:
        holder[place[-1]] = value
    try:
        state = game.new_game({"data": changed}, SeededChance(seed))
    except BadData:
        return
    play_some(state, random.Random(seed), 30)
    canonical_json(game.catalog({"data": changed}))
    again = game.load(json.loads(json.dumps(game.dump(state))), SeededChance(seed))
    assert game.digest(again) == game.digest(state)
