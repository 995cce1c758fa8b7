"""The dump: everything the future of a game depends on, as plain values; and the way back, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lictor.engine.chance import Chance
from lictor.engine.game import BadState
from lictor.engine.julius_caesar import phases as all_phases
from lictor.engine.julius_caesar.facts import SEATS, Facts, facts_for, standard_facts
from lictor.engine.julius_caesar.phases import (
    Battle,
    ChooseBattle,
    ChooseCard,
    ChooseDiscard,
    ChooseSurprise,
    Defection,
    Deploy,
    JupiterCalls,
    Levies,
    Moves,
    Over,
    Phase,
    RegroupPhase,
    VulcanBurns,
    WinterDisband,
    WinterNavis,
)
from lictor.engine.julius_caesar.state import DEAD, FIRST_YEAR, LAST_YEAR, NO_CARD, NOBODY, POOL, TURNS, Fight, State

GAME, EPOCH = "julius_caesar", 1
_OFF_MAP = {POOL: "pool", DEAD: "dead"}


def dump(state: State) -> dict[str, Any]:
    """Return everything the future depends on, except the chance."""
    facts = state.facts
    return {
        "game": GAME,
        "rules_epoch": EPOCH,
        "edition": state.edition,
        "deployment": state.deployment,
        "data": None if facts is standard_facts() else facts.data,
        "year": state.year,
        "turn": state.turn,
        "player1": _seat_name(state.player1),
        "surprise": _space_name(facts, state.surprise),
        "phase": _dump_phase(facts, state.phase),
        "blocks": {
            name: {
                "at": _OFF_MAP.get(state.at[block]) or facts.spaces[state.at[block]],
                "side": SEATS[state.side[block]],
                "steps": state.steps[block],
                "moved": state.moved[block],
                "reserve": state.reserve[block],
            }
            for block, name in enumerate(facts.blocks)
        },
        "fights": {
            facts.spaces[space]: {
                "attacker": SEATS[fight.attacker],
                "main": _space_name(facts, fight.main),
                "entered": {SEATS[seat]: _names(facts.spaces, fight.entered[seat]) for seat in (0, 1)},
            }
            for space, fight in state.fights.items()
        },
        "hands": {name: list(state.hands[seat]) for seat, name in enumerate(SEATS)},
        "discards": dict(zip(SEATS, state.discards, strict=True)),
        "played": dict(zip(SEATS, state.played, strict=True)),
        "last_played": dict(zip(SEATS, state.last_played, strict=True)),
        "spent": {name: list(state.spent[seat]) for seat, name in enumerate(SEATS)},
        "deck": list(state.deck),
    }


def _dump_phase(facts: Facts, phase: Phase) -> dict[str, Any]:
    dumped: dict[str, Any] = {"kind": type(phase).__name__}
    for field in type(phase).__dataclass_fields__:
        value = getattr(phase, field)
        if field in ("seat", "attacker", "side", "winner"):
            dumped[field] = _seat_name(value)
        elif field == "space":
            dumped[field] = facts.spaces[value]
        elif field == "block":
            dumped[field] = facts.blocks[value]
        elif field in ("opened", "kept"):
            dumped[field] = _names(facts.spaces, value)
        elif field in ("acted", "ready"):
            dumped[field] = _names(facts.blocks, value)
        elif field == "roads":
            dumped[field] = {_edge_name(facts, edge): count for edge, count in value.items()}
        elif field == "sailed":
            dumped[field] = dict(zip(SEATS, value, strict=True))
        else:
            dumped[field] = value
    return dumped


def _names(names: list[str], indexes: tuple[int, ...]) -> list[str]:
    return sorted(names[index] for index in indexes)


def _edge_name(facts: Facts, edge: int) -> str:
    return " ".join(sorted(facts.spaces[space] for space in facts.edges[edge]))


def _seat_name(seat: int) -> str | None:
    return None if seat == NOBODY else SEATS[seat]


def _space_name(facts: Facts, space: int) -> str | None:
    return None if space == NOBODY else facts.spaces[space]


def load(dumped: Mapping[str, Any], chance: Chance) -> State:
    """Rebuild a state from its dump, or raise `BadState` with the entry that is wrong."""
    try:
        return _load(dumped, chance)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise BadState(f"the dump is malformed: {type(error).__name__} {error}") from error


def _load(dumped: Mapping[str, Any], chance: Chance) -> State:
    if dumped["game"] != GAME or dumped["rules_epoch"] != EPOCH:
        was = f"{dumped['game']!r:.40}, rules epoch {dumped['rules_epoch']!r:.20}"
        raise BadState(f"this is a dump of {was}; this engine plays {GAME}, rules epoch {EPOCH}")
    _need(dumped["edition"] in ("2.0", "1.x"), "edition", dumped["edition"])
    _need(dumped["deployment"] in ("historical", "free"), "deployment", dumped["deployment"])
    facts = facts_for(dumped["data"])
    state = State(facts, dumped["edition"], dumped["deployment"], chance)
    state.year = _whole(dumped["year"], FIRST_YEAR, LAST_YEAR, "year")
    state.turn = _whole(dumped["turn"], 1, TURNS, "turn")
    state.player1 = _seat_or_nobody(dumped["player1"], "player1")
    state.surprise = NOBODY if dumped["surprise"] is None else _space(facts, dumped["surprise"], "surprise")
    _load_blocks(state, dumped["blocks"])
    _load_fights(state, dumped["fights"])
    _load_cards(state, dumped)
    state.phase = _load_phase(facts, dumped["phase"])
    if isinstance(state.phase, ChooseBattle) or state.phase.__class__ in (Moves, Levies):
        _need(state.player1 != NOBODY, "player1", None)
    return state


def _load_blocks(state: State, blocks: Mapping[str, Any]) -> None:
    facts = state.facts
    _need(sorted(blocks) == sorted(facts.blocks), "blocks", "other ids than the data has")
    for block, name in enumerate(facts.blocks):
        entry, where = blocks[name], f"blocks: {name}"
        state.side[block] = _seat(entry["side"], where)
        if entry["at"] in ("pool", "dead"):
            _need(entry["side"] == SEATS[facts.home[block]], where, "off the map, but not its original owner's")
            _need(
                entry["steps"] == 0 and not entry["moved"] and not entry["reserve"],
                where,
                "off the map with steps or flags",
            )
            _need(block != facts.cleopatra, where, "off the map")
            state.at[block] = POOL if entry["at"] == "pool" else DEAD
            continue
        space = _space(facts, entry["at"], where)
        fits = facts.is_sea[space] or facts.is_port[space] if facts.is_navis[block] else not facts.is_sea[space]
        _need(fits, where, f"cannot stand in {entry['at']}")
        state.steps[block] = _whole(entry["steps"], 1, facts.full[block], f"{where}: steps")
        state.moved[block] = _flag(entry["moved"], f"{where}: moved")
        state.reserve[block] = _flag(entry["reserve"], f"{where}: reserve")
        state.put(block, space)


def _load_fights(state: State, fights: Mapping[str, Any]) -> None:
    facts = state.facts
    contested = sorted(facts.spaces[s] for s in range(len(facts.spaces)) if state.is_contested(s))
    _need(sorted(fights) == contested, "fights", f"{sorted(fights)}, but {contested} are contested")
    for name, entry in fights.items():
        space, where = facts.space_index[name], f"fights: {name}"
        near = {way.to for way in (*facts.roads[space], *facts.borders[space])}
        entered = [tuple(_space(facts, way, where) for way in entry["entered"][seat]) for seat in SEATS]
        main = NOBODY if entry["main"] is None else _space(facts, entry["main"], where)
        _need(near.issuperset((*entered[0], *entered[1])), where, "entered from afar")
        _need(main == NOBODY or main in near, where, "main attack from afar")
        state.fights[space] = Fight(_seat(entry["attacker"], where), main, (entered[0], entered[1]))


def _load_cards(state: State, dumped: Mapping[str, Any]) -> None:
    """Each of the 27 cards must be in one place, once a year is dealt."""
    found: list[int] = [_whole(card, 1, 27, "deck") for card in dumped["deck"]]
    state.deck = tuple(found)
    for seat, name in enumerate(SEATS):
        hand = [_whole(card, 1, 27, f"hands: {name}") for card in dumped["hands"][name]]
        spent = [_whole(card, 1, 27, f"spent: {name}") for card in dumped["spent"][name]]
        state.hands[seat], state.spent[seat] = tuple(sorted(hand)), tuple(spent)
        state.discards[seat] = _whole(dumped["discards"][name], 0, 27, f"discards: {name}")
        state.played[seat] = _whole(dumped["played"][name], 0, 27, f"played: {name}")
        state.last_played[seat] = _whole(dumped["last_played"][name], 0, 27, f"last_played: {name}")
        found += hand + spent
        found += [state.discards[seat]] if state.discards[seat] else []
        face_down = dumped["phase"]["kind"] == "ChooseCard" and state.played[seat] != NO_CARD
        found += [state.played[seat]] if face_down else []
    _need(not found or sorted(found) == list(range(1, 28)), "cards", "a card is missing or in two places")


def _load_phase(facts: Facts, dumped: Mapping[str, Any]) -> Phase:
    kind = dumped["kind"]
    if kind in ("JupiterCalls", "VulcanBurns", "ChooseSurprise", "WinterNavis", "WinterDisband"):
        phase: type[JupiterCalls | VulcanBurns | ChooseSurprise | WinterNavis | WinterDisband] = getattr(
            all_phases, kind
        )
        return phase(_seat(dumped["seat"], "phase: seat"))
    match kind:
        case "ChooseDiscard":
            return ChooseDiscard()
        case "ChooseCard":
            return ChooseCard()
        case "ChooseBattle":
            return ChooseBattle()
        case "Deploy":
            return Deploy(_seat(dumped["seat"], "phase: seat"), _whole(dumped["swaps"], 0, 60, "phase: swaps"))
        case "Defection":
            return Defection(_seat(dumped["seat"], "phase: seat"), _block(facts, dumped["block"], "phase: block"))
        case "Levies":
            return Levies(_seat(dumped["seat"], "phase: seat"), _whole(dumped["points"], 0, 9, "phase: points"))
        case "Moves":
            return Moves(
                _seat(dumped["seat"], "phase: seat"),
                _whole(dumped["points"], 0, 9, "phase: points"),
                tuple(sorted(_space(facts, name, "phase: opened") for name in dumped["opened"])),
                _load_roads(facts, dumped["roads"]),
                tuple(_space(facts, name, "phase: kept") for name in dumped["kept"]),
            )
        case "RegroupPhase":
            space = _space(facts, dumped["space"], "phase: space")
            return RegroupPhase(_seat(dumped["seat"], "phase: seat"), space, _load_roads(facts, dumped["roads"]))
        case "Battle":
            return _load_battle(facts, dumped)
        case "Over":
            _need(dumped["reason"] in ("ten_points", "more_points", "rome", "draw"), "phase: reason", dumped["reason"])
            return Over(_seat_or_nobody(dumped["winner"], "phase: winner"), dumped["reason"])
    raise BadState(f"phase: there is no phase {kind!r:.40}")


def _load_battle(facts: Facts, dumped: Mapping[str, Any]) -> Battle:
    return Battle(
        _space(facts, dumped["space"], "phase: space"),
        _whole(dumped["round"], 1, 4, "phase: round"),
        _seat(dumped["attacker"], "phase: attacker"),
        tuple(_block(facts, name, "phase: acted") for name in dumped["acted"]),
        _load_roads(facts, dumped["roads"]),
        (_flag(dumped["sailed"]["caesar"], "phase: sailed"), _flag(dumped["sailed"]["pompey"], "phase: sailed")),
        _whole(dumped["hits"], 0, 4, "phase: hits"),
        _seat(dumped["side"], "phase: side"),
        tuple(sorted(_block(facts, name, "phase: ready") for name in dumped["ready"])),
    )


def _load_roads(facts: Facts, roads: Mapping[str, Any]) -> dict[int, int]:
    found: dict[int, int] = {}
    for name, count in roads.items():
        ends = tuple(_space(facts, end, "phase: roads") for end in name.split(" "))
        _need(len(ends) == 2 and ends in facts.edge_between, "phase: roads", name)
        found[facts.edge_between[ends[0], ends[1]]] = _whole(count, 0, 63, "phase: roads")
    return found


def _need(holds: bool, where: str, what: object) -> None:
    if not holds:
        raise BadState(f"{where}: {what!s:.120}")


def _whole(value: object, least: int, most: int, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise BadState(f"{where}: must be a number from {least} to {most}, not {value!r:.40}")
    return value


def _flag(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise BadState(f"{where}: must be true or false, not {value!r:.40}")
    return value


def _seat(value: object, where: str) -> int:
    if value not in SEATS:
        raise BadState(f"{where}: there is no seat {value!r:.40}")
    return SEATS.index(value)


def _seat_or_nobody(value: object, where: str) -> int:
    return NOBODY if value is None else _seat(value, where)


def _space(facts: Facts, value: object, where: str) -> int:
    if not isinstance(value, str) or value not in facts.space_index:
        raise BadState(f"{where}: unknown space {value!r:.40}")
    return facts.space_index[value]


def _block(facts: Facts, value: object, where: str) -> int:
    if not isinstance(value, str) or value not in facts.block_index:
        raise BadState(f"{where}: unknown block {value!r:.40}")
    return facts.block_index[value]
