"""The way back from a dump, checked: what no game could have come to is refused, with the entry that is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lictor.engine.chance import Chance
from lictor.engine.game import BadData, BadState
from lictor.engine.julius_caesar import phases as all_phases
from lictor.engine.julius_caesar.facts import EDITIONS, NAME, RULES_EPOCH, SEATS, Facts, facts_for
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

_IN_TURN = (JupiterCalls, Defection, VulcanBurns, ChooseSurprise, Moves, Levies, ChooseBattle, Battle, RegroupPhase)


def load(dumped: Mapping[str, Any], chance: Chance) -> State:
    """Rebuild a state from its dump, or raise `BadState` with the entry that is wrong."""
    try:
        return _load(dumped, chance)
    except BadData as error:
        raise BadState(f"data: {error}") from error
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise BadState(f"the dump is malformed: {type(error).__name__} {error}") from error


def _load(dumped: Mapping[str, Any], chance: Chance) -> State:
    epoch = dumped["rules_epoch"]
    if dumped["game"] != NAME or type(epoch) is not int or epoch != RULES_EPOCH:
        was = f"{dumped['game']!r:.40}, rules epoch {epoch!r:.20}"
        raise BadState(f"this is a dump of {was}; this engine plays {NAME}, rules epoch {RULES_EPOCH}")
    _need(dumped["edition"] in EDITIONS, "edition", dumped["edition"])
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
    _check_turn(state)
    _check_phase(state)
    return state


def _check_turn(state: State) -> None:
    """Within a turn there are a player 1 and cards; fights, reserves and a surprise are nowhere else."""
    spaces = state.facts.spaces
    if isinstance(state.phase, _IN_TURN):
        _need(state.player1 != NOBODY, "player1", "nobody, in the middle of a turn")
        _need(NO_CARD not in state.played, "played", "nothing, in the middle of a turn")
    else:
        _need(not state.fights, "fights", "there are some, and it is not the time")
    _need(state.surprise == NOBODY or state.surprise in state.fights, "surprise", "nobody fights there")
    for block, name in enumerate(state.facts.blocks):
        in_fight = state.at[block] in state.fights
        _need(in_fight or not state.reserve[block], f"blocks: {name}", "in reserve where nobody fights")
    if isinstance(state.phase, WinterNavis | WinterDisband):
        _need(state.year < LAST_YEAR, "year", f"the winter of {LAST_YEAR} ends the game")
    if isinstance(state.phase, Battle | RegroupPhase):
        fought = state.phase.space in state.fights
        _need(
            fought == isinstance(state.phase, Battle), f"phase: space {spaces[state.phase.space]}", "contested or not"
        )


def _check_phase(state: State) -> None:
    """What a phase names must be there."""
    phase, facts = state.phase, state.facts
    match phase:
        case Defection():
            block = phase.block
            defects = not facts.is_leader[block] and not facts.is_navis[block]
            there = state.at[block] >= 0 and state.side[block] != phase.seat
            _need(there and defects, "phase: block", f"{facts.blocks[block]} cannot defect")
        case Battle():
            _need(phase.attacker == state.fights[phase.space].attacker, "phase: attacker", "not the one of the fight")
            standing = [[b for b in state.stacks[seat][phase.space] if not state.reserve[b]] for seat in (0, 1)]
            _need(all(standing), "phase: space", "a side has nobody to fight with")
            late = phase.round > 1 and any(state.reserve[b] for seat in (0, 1) for b in state.stacks[seat][phase.space])
            _need(not late, "phase: round", "reserves have arrived by then")
            ready = set(phase.ready)
            _need(bool(phase.hits) or bool(ready), "phase: ready", "nobody has the turn")
            able = ready <= set(standing[phase.side]) - set(phase.acted)
            _need(bool(phase.hits) or able, "phase: ready", "a block that cannot have the turn")
        case Over():
            _need((phase.winner == NOBODY) == (phase.reason == "draw"), "phase: winner", f"by {phase.reason}")


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
