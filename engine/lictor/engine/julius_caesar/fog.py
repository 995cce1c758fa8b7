"""Who may know what: every field of the dump, classed apart from the code that builds observations."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from lictor.engine.chance import Chance
from lictor.engine.game import SPECTATOR, BadState, Fog, Path, Seat, Viewer
from lictor.engine.julius_caesar.actions import Action, Bare, Decline, Move, Play, Swap
from lictor.engine.julius_caesar.events import Event
from lictor.engine.julius_caesar.facts import MARS, NEPTUNE, SEATS, facts_for
from lictor.engine.julius_caesar.phases import PHASE_NAMES
from lictor.engine.julius_caesar.state import State, deciders

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
    if block == "cleopatra" and (field != "steps" or phase["kind"] == "Deploy"):
        return ALL  # 3.27: she is the only blue block; 5.1: and at full strength while blocks are deployed
    others = facts_for(dumped["data"]).waits_for.get(block, ())
    if others and not any(dumped["blocks"][other]["at"] == "dead" for other in others):
        return ALL  # 7.51: until then the third leader can be in the pool only
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
    """Play at random, but half of the time a God, or go where the enemy is, best by another road: to reserves."""
    me, facts = SEATS.index(seat), state.facts
    if chance.draw(2):
        gods = [action for action in actions if isinstance(action, Play) and facts.cards[action.card].god]
        actions = gods or [action for action in actions if not isinstance(action, Decline)] or actions
        marches = [action for action in actions if isinstance(action, Move)]
        attacks = [a for a in marches if state.has_enemy(facts.space_index[a.path[-1]], me)]
        joins = [a for a in attacks if _joins_late(state, a)]
        if state.played[me] in (MARS, NEPTUNE):  # two battles, so that one must be named
            joins = [a for a in attacks if facts.space_index[a.path[-1]] not in state.fights]
        actions = joins or attacks or actions
    return actions[chance.draw(len(actions))]


def _joins_late(state: State, move: Move) -> bool:
    facts = state.facts
    came = move.path[-2] if len(move.path) > 1 else facts.spaces[state.at[facts.block_index[move.block]]]
    fight = state.fights.get(facts.space_index[move.path[-1]])
    return fight is not None and fight.main != facts.space_index[came]


def opens(
    event: Event,
    viewer: Viewer,
    order: str,
    events: Sequence[Event],
    before: Mapping[str, Any],
    after: Mapping[str, Any],
) -> bool:
    """Tell whether the rules let an event lay open what it claims to lay open to `viewer` (see RULINGS.md)."""
    facts = event.facts()
    block = str(facts.get("block") or "cleopatra")
    was, now = before["blocks"][block], after["blocks"][block]
    match facts["event"]:
        case "CardsRevealed":  # 2.1: both cards are on the table
            return all(card in after["spent"][seat] for seat, card in facts["cards"].items())  # type: ignore[attr-defined]
        case "Revealed":  # 7.1, 7.3
            return _tipped(facts, events, before, after)
        case "Eliminated":  # 5.2, 7.5: face-up
            return bool(now["at"] == "dead")
        case "CleopatraJoined":  # 7.52: at strength I; in the same winter she may go home and change again
            return bool(was["side"] != now["side"]) or any(e.facts().get("changed") for e in events)
        case "Shown":  # Jupiter on a leader or Navis, which then loses a step
            return order == f"jupiter {was['at']}" and now["steps"] < was["steps"]
        case "Defecting":  # Jupiter: both players, and only the block that was drawn
            drawn = after["phase"].get("block") == block or was["side"] != now["side"]
            return order.startswith("jupiter") and viewer in PLAYERS and drawn
        case "Disbanded":  # ruling 10: who gets it back
            return bool(now["at"] == "pool" and now["side"] == viewer)
        case "CleopatraWentHome":  # 8.1: her new side sees her steps
            return bool(facts["changed"] and now["side"] == viewer)
    return False


def _tipped(
    facts: Mapping[str, Any], events: Sequence[Event], before: Mapping[str, Any], after: Mapping[str, Any]
) -> bool:
    """7.1, 7.3: blocks are tipped forward when a battle begins, reserves only when its round 2 does."""
    told = [e.facts() for e in events]
    here = [fact for fact in told if fact.get("space") == facts["space"]]
    begins = any(fact["event"] == "BattleBegan" for fact in here)
    # A battle that ends with the disruption has no second round (7.31).
    second = any(
        fact["event"] == "Disrupted" or (fact["event"] == "RoundBegan" and fact["round"] == 2) for fact in here
    )
    fought = after["phase"]["kind"] == "Battle" and after["phase"]["space"] == facts["space"]
    for _, name, *_ in facts["blocks"]:
        was, now = before["blocks"][name], after["blocks"][name]
        if (was["reserve"] and not second) or (fought and now["reserve"]):
            return False
    return begins or second


def secret(state: State, seat: Seat, action: Action) -> bool:
    """Ruling 1, 5.3: the first of two secret choices, and swaps without Cleopatra, leave no trace."""
    if isinstance(action, Swap):
        return "cleopatra" not in (action.first, action.second)
    return len(deciders(state)) > 1


def topic(state: State, action: Action, event: Event) -> str:
    """Return what an event is about: its name, the kind of block, and whether something ended by itself."""
    facts = event.facts()
    block = facts.get("block")
    kind = state.facts.kinds[state.facts.block_index[str(block)]] if block else ""
    ended = str(facts["event"]).endswith("Ended") and bool(facts.get("unspent", 1))
    return f"{facts['event']} {kind}{' by itself' if ended and not isinstance(action, Bare) else ''}"


KINDS = ("hand", "discard", "chosen", "deck", "pool", "identity", "steps", "reserve", "swaps")
SITUATIONS = tuple(phase.__name__ for phase in PHASE_NAMES)
FOG = Fog(
    KINDS, frozenset({("data",)}), knowers, kind, choose, opens, secret,
    lambda state: type(state.phase).__name__, SITUATIONS, topic,
)  # fmt: skip
