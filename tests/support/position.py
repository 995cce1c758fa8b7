"""Draw positions of Julius Caesar as text, play orders on them, and script the dice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lictor.engine import julius_caesar as game
from lictor.engine.chance import ScriptedChance
from lictor.engine.julius_caesar.facts import standard_facts
from lictor.engine.julius_caesar.state import State

FACTS = standard_facts()


def card_number(name: str | int) -> int:
    """Return the number of a card given as number, God's name or move/levy values (the first such card)."""
    if isinstance(name, int):
        return name
    return next(card.id for card in FACTS.cards if card.name == name)


def position(
    drawn: str,
    *,
    to_move: str = "caesar",
    phase: str = "moves",
    card: str | int = "3/1",
    enemy_card: str | int = "2/1",
    player1: str | None = None,
    hands: Mapping[str, Iterable[str | int]] | None = None,
    last_cards: Mapping[str, str | int] | None = None,
    dead: Iterable[str] = (),
    attacks: Mapping[str, tuple[str, str | None]] | None = None,
    year: int = 706,
    turn: int = 2,
    edition: str = "2.0",
) -> State:
    """Build a state from lines such as `rome  pompey: legio_1/3 legio_2 | caesar: legio_8`.

    A block is drawn with its steps left after a slash, or at full strength without. Blocks that are not drawn are in
    their pools (or `dead`); Cleopatra, if not drawn, stands out of the way in Jerusalem as Pompey's.
    `phase` is `card` (both are to play a card; `hands` holds them), `moves`, `levies`, `god` (the card of `to_move`
    says which), `battles` (the next thing is the choice of a battle), `disband` or `year_end` (the last order of
    the fifth turn is to be given: `end_levies`). `card` is that of `to_move`, who is player 1, or at `year_end`
    player 2, unless `player1` says otherwise. A space with both sides needs `attacks`: space -> (attacker, the
    neighbour he came from).
    """
    dumped = game.dump(game.new_game({"edition": edition}, ScriptedChance([(n, 0) for n in range(27, 15, -1)])))
    for name, entry in dumped["blocks"].items():
        home = FACTS.home[FACTS.block_index[name]]
        at = "dead" if name in dead else "pool"
        entry.update(at=at, side=game.SEATS[home], steps=0, moved=False, reserve=False)
    dumped["blocks"]["cleopatra"].update(at="jerusalem", steps=4)
    for line in drawn.strip().splitlines():
        space, _, stacks = line.strip().partition(" ")
        for stack in stacks.split("|"):
            seat, _, names = stack.strip().partition(":")
            for name in names.split():
                block, _, steps = name.partition("/")
                full = FACTS.full[FACTS.block_index[block]]
                dumped["blocks"][block].update(at=space, side=seat.strip(), steps=int(steps or full))
    enemy = "pompey" if to_move == "caesar" else "caesar"
    played = {to_move: card_number(card), enemy: card_number(enemy_card)}
    first = enemy if phase == "year_end" else to_move
    dumped.update(year=year, turn=turn, player1=player1 or first, played=played)
    dumped["last_played"] = {seat: card_number((last_cards or {}).get(seat, 0)) for seat in game.SEATS}
    dumped["fights"] = {
        space: {
            "attacker": attacker,
            "main": came,
            "entered": {seat: [came] if came and seat == attacker else [] for seat in game.SEATS},
        }
        for space, (attacker, came) in (attacks or {}).items()
    }
    _deal(dumped, phase, hands or {})
    dumped["phase"] = _phase(phase, to_move, played[to_move])
    if phase == "year_end":
        dumped["turn"] = 5
    return game.load(dumped, ScriptedChance())


def _deal(dumped: dict[str, Any], phase: str, hands: Mapping[str, Iterable[str | int]]) -> None:
    dumped["hands"] = {seat: sorted(card_number(name) for name in hands.get(seat, ())) for seat in game.SEATS}
    if phase == "card":
        dumped.update(player1=None, played={"caesar": 0, "pompey": 0}, spent={"caesar": [], "pompey": []})
    else:
        cards = dumped["played"]
        dumped["spent"] = {seat: [cards[seat]] for seat in game.SEATS}
        if cards["caesar"] == cards["pompey"]:
            dumped["spent"]["pompey"] = []
    out = {card for seat in game.SEATS for card in (*dumped["hands"][seat], *dumped["spent"][seat])}
    dumped.update(discards={"caesar": 0, "pompey": 0}, deck=[n for n in range(1, 28) if n not in out])


def _phase(phase: str, seat: str, card: int) -> dict[str, Any]:
    points = FACTS.cards[card]
    match phase:
        case "card":
            return {"kind": "ChooseCard"}
        case "moves":
            moves = 1 if points.god else points.move
            return {"kind": "Moves", "seat": seat, "points": moves, "opened": [], "roads": {}, "kept": []}
        case "levies" | "year_end":
            return {"kind": "Levies", "seat": seat, "points": points.levy}
        case "god":
            return {"kind": {"Jupiter": "JupiterCalls", "Vulcan": "VulcanBurns"}[points.name], "seat": seat}
        case "battles":
            return {"kind": "ChooseBattle"}
        case "disband":
            return {"kind": "WinterDisband", "seat": seat}
    raise ValueError(phase)


def play(state: State, seat: str, *orders: str) -> list[str]:
    """Give orders one after the other; return what happened in words, with full knowledge."""
    return [event.words() for order in orders for event in game.apply(state, seat, game.parse_action(order))]


def roll(state: State, *dice: int) -> None:
    """Script the next dice, as they show."""
    state.chance.extend([6, die - 1] for die in dice)  # type: ignore[attr-defined]


def draw(state: State, n: int, value: int) -> None:
    """Script the next other draw."""
    state.chance.extend([[n, value]])  # type: ignore[attr-defined]


def legal(state: State, seat: str, start: str = "") -> set[str]:
    """Return the legal orders of `seat` that begin with `start`."""
    return {str(action) for action in game.legal_actions(state, seat) if str(action).startswith(start)}


def goals(state: State, seat: str, start: str) -> set[str]:
    """Return what follows `start` in the legal orders of `seat`: `goals(s, "caesar", "move legio_7 ")`."""
    return {order.removeprefix(start) for order in legal(state, seat, start)}


def at(state: State, block: str) -> str:
    """Return where a block is: a space, `pool` or `dead`."""
    return str(game.snapshot(state)["blocks"][block]["at"])


def steps(state: State, block: str) -> int | None:
    """Return the steps a block has left, `None` off the map."""
    return game.snapshot(state)["blocks"][block]["steps"]  # type: ignore[no-any-return]


def owner(state: State, block: str) -> str:
    """Return whose a block is now."""
    return str(game.snapshot(state)["blocks"][block]["owner"])
