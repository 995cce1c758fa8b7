"""Who may know what: every field of the dump, classed apart from the code that builds observations."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from lictor.engine.chance import Chance
from lictor.engine.game import SPECTATOR, BadState, Fog, Path, Seat, Viewer
from lictor.engine.julius_caesar.actions import Action, Move
from lictor.engine.julius_caesar.facts import SEATS
from lictor.engine.julius_caesar.state import State

ALL = frozenset((*SEATS, SPECTATOR))
PLAYERS = frozenset(SEATS)

PUBLIC = "public"
OWNER = "owner"  # the seat the path names, or whose phase it is
NOBODY = "nobody"
PIECE = "piece"  # who commands the block; all, while it is tipped forward in battle or lies face-up
BOTH = "players"  # both players, but no spectator

# The path in the dump -> who may know it: always, or by kind of phase with "*" for the others.
CLASSES: dict[str, str | dict[str, str]] = {
    "game": PUBLIC,
    "rules_epoch": PUBLIC,
    "edition": PUBLIC,
    "deployment": PUBLIC,
    "data": PUBLIC,
    "year": PUBLIC,
    "turn": PUBLIC,
    "player1": PUBLIC,
    "surprise": PUBLIC,
    "hands *": OWNER,
    "discards *": OWNER,
    "played *": {"ChooseCard": OWNER, "*": PUBLIC},
    "last_played *": PUBLIC,
    "spent *": PUBLIC,
    "deck": NOBODY,
    "blocks * at": PIECE,
    "blocks * side": PIECE,
    "blocks * steps": PIECE,
    "blocks * moved": PIECE,
    "blocks * reserve": PIECE,
    "fights * attacker": PUBLIC,
    "fights * main": PUBLIC,
    "fights * entered *": PUBLIC,
    "phase kind": PUBLIC,
    "phase seat": PUBLIC,
    "phase swaps": OWNER,
    "phase block": BOTH,
    "phase points": PUBLIC,
    "phase opened": PUBLIC,
    "phase roads *": PUBLIC,
    "phase kept": PUBLIC,
    "phase space": PUBLIC,
    "phase round": PUBLIC,
    "phase attacker": PUBLIC,
    "phase acted": PUBLIC,
    "phase sailed *": PUBLIC,
    "phase hits": PUBLIC,
    "phase side": PUBLIC,
    "phase ready": PUBLIC,
    "phase winner": PUBLIC,
    "phase reason": PUBLIC,
}
_BY_PATH = {tuple(pattern.split(" ")): who for pattern, who in CLASSES.items()}


def knowers(dumped: Mapping[str, Any], path: Path) -> frozenset[Viewer]:
    """Return who may know the value at `path`."""
    who = _class_of(path)
    if who is None:
        raise BadState(f"nobody has said who may know {' '.join(path)}")
    phase = dumped["phase"]
    if isinstance(who, dict):
        who = who.get(phase["kind"], who["*"])
    match who:
        case "public":
            return ALL
        case "players":
            return PLAYERS
        case "owner":
            return frozenset((phase["seat"] if path[0] == "phase" else path[1],))
        case "piece":
            return _knowers_of_block(dumped, path[1], path[2])
    return frozenset()


@functools.cache
def _class_of(path: Path) -> str | dict[str, str] | None:
    return next((_BY_PATH[form] for form in _forms(path) if form in _BY_PATH), None)


def _forms(path: Path) -> list[Path]:
    """Return the path with any of its keys but the first left open, the plain one first."""
    forms: list[Path] = [path[:1]]
    for key in path[1:]:
        forms = [*((*form, key) for form in forms), *((*form, "*") for form in forms)]
    return forms


def _knowers_of_block(dumped: Mapping[str, Any], block: str, field: str) -> frozenset[Viewer]:
    entry, phase = dumped["blocks"][block], dumped["phase"]
    if entry["at"] == "dead":
        return ALL  # 5.2, 7.51: face-up, and trophies
    if block == "cleopatra" and field != "steps":
        return ALL  # 3.27: she is the only blue block
    if phase["kind"] == "Battle" and entry["at"] == phase["space"] and not entry["reserve"]:
        return ALL  # 7.1, 7.3
    if phase["kind"] == "Defection" and phase["block"] == block:
        return PLAYERS
    return frozenset((entry["side"],))  # in a pool this is its original owner


def kind(dumped: Mapping[str, Any], path: Path) -> str:
    """Return what kind of hidden fact is at `path`."""
    plain = {"hands": "hand", "discards": "discard", "played": "chosen", "deck": "deck"}
    if path[0] in plain:
        return plain[path[0]]
    if path[0] == "phase":
        return "swaps" if path[1] == "swaps" else "identity"
    entry = dumped["blocks"][path[1]]
    if path[2] == "steps" and entry["steps"]:
        return "steps"
    return "pool" if entry["at"] == "pool" else "reserve" if entry["reserve"] else "identity"


def choose(state: State, seat: Seat, actions: Sequence[Action], chance: Chance) -> Action:
    """Play at random, but half of the time go where the enemy is, best into a battle by another road: to reserves."""
    me, facts = SEATS.index(seat), state.facts
    if chance.draw(2):
        marches = [action for action in actions if isinstance(action, Move)]
        attacks = [a for a in marches if state.has_enemy(facts.space_index[a.path[-1]], me)]
        joins = [a for a in attacks if _joins_late(state, a)]
        actions = joins or attacks or actions
    return actions[chance.draw(len(actions))]


def _joins_late(state: State, move: Move) -> bool:
    facts = state.facts
    came = move.path[-2] if len(move.path) > 1 else facts.spaces[state.at[facts.block_index[move.block]]]
    fight = state.fights.get(facts.space_index[move.path[-1]])
    return fight is not None and fight.main != facts.space_index[came]


KINDS = ("hand", "discard", "chosen", "deck", "pool", "identity", "steps", "reserve", "swaps")
FOG = Fog(KINDS, frozenset({("data",)}), knowers, kind, choose)
