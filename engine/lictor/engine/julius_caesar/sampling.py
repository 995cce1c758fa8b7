"""Full states that fit what a viewer sees and has seen: where a search begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lictor.engine.chance import Chance
from lictor.engine.julius_caesar.belief import Belief
from lictor.engine.julius_caesar.events import Event
from lictor.engine.julius_caesar.facts import COLOURS, GREEN, JUPITER, SEATS, TAN, VULCAN, Facts, known_facts
from lictor.engine.julius_caesar.matching import assign, shuffle
from lictor.engine.julius_caesar.observation import BattleView, Observation
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
from lictor.engine.julius_caesar.state import DEAD, NO_CARD, NOBODY, POOL, Fight, State
from lictor.engine.julius_caesar.worlds import came_by, can_stand


class Slot(NamedTuple):
    """A piece whose identity is not known: where it stands, and what can be seen of it."""

    space: int
    seat: int
    moved: bool
    reserve: bool
    defects: bool = False  # it is the one that Jupiter drew


def sample(observation: Observation, events: Sequence[Event], chance: Chance) -> State:
    """Draw a full state that fits what a viewer sees now and saw in `events`; it draws on from `chance`."""
    memory = remember(observation)
    for event in events:
        memory.see(event)
    return memory.draw(observation, chance)


def remember(observation: Observation) -> Memory:
    """Return a memory for the viewer of `observation`, to which nothing has happened yet."""
    return Memory(Belief(known_facts(observation.data), observation.deployment, observation.viewer))


class Memory:
    """What a viewer has seen, kept so that it need not be gone through again for each state that is drawn."""

    __slots__ = ("_belief",)

    def __init__(self, belief: Belief) -> None:
        self._belief = belief

    def see(self, event: Event) -> None:
        """Take notice of an event, as the viewer sees it."""
        self._belief.see(event)

    def draw(self, observation: Observation, chance: Chance) -> State:
        """Draw a full state that fits what the viewer sees now and has seen; it draws on from `chance`."""
        return draw_world(self._belief, observation, chance)


def draw_world(belief: Belief, seen: Observation, chance: Chance) -> State:
    """Draw a full state that fits an observation and a belief."""
    facts = belief.facts
    state = State(facts, seen.edition, seen.deployment, chance)
    state.year, state.turn = seen.year, seen.turn
    state.player1 = SEATS.index(seen.player1) if seen.player1 else NOBODY
    state.surprise = facts.space_index[seen.surprise] if seen.surprise else NOBODY
    for view in seen.fights:
        entered = [tuple(facts.space_index[name] for name in ways) for ways in view.entered]
        main = facts.space_index[view.main] if view.main else NOBODY
        state.fights[facts.space_index[view.space]] = Fight(SEATS.index(view.attacker), main, (entered[0], entered[1]))
    _place_known(state, seen)
    for colour in (TAN, GREEN):
        _draw_blocks(state, belief, seen, colour, chance)
    _place_cleopatra(state, belief, seen, chance)
    _draw_cards(state, seen, chance)
    state.phase = _phase(state, seen, chance)
    return state


def _place_known(state: State, seen: Observation) -> None:
    """Stand what the viewer knows by name where he sees it."""
    index, spaces = state.facts.block_index, state.facts.space_index
    for own in seen.blocks:
        block = index[own.block]
        state.side[block], state.steps[block] = SEATS.index(seen.viewer), own.steps
        state.moved[block], state.reserve[block] = own.moved, own.reserve
        state.put(block, spaces[own.space])
    for shown in seen.battle.face_up if seen.battle else ():
        block = index[shown.block]
        if state.at[block] == POOL:
            _stand(state, block, spaces[seen.battle.space], SEATS.index(shown.seat), shown.steps)  # type: ignore[union-attr]
            state.moved[block] = shown.moved
    for name in seen.dead:
        state.at[index[name]] = DEAD
    drawn = seen.defector
    if drawn and drawn.block and state.at[index[drawn.block]] == POOL:
        block = index[drawn.block]
        _stand(state, block, spaces[drawn.space], 1 - SEATS.index(seen.to_act[0]), drawn.steps or 1)
        state.moved[block], state.reserve[block] = drawn.moved, drawn.reserve


def _stand(state: State, block: int, space: int, seat: int, steps: int) -> None:
    state.side[block], state.steps[block] = seat, steps
    state.put(block, space)


def _draw_blocks(state: State, belief: Belief, seen: Observation, colour: int, chance: Chance) -> None:
    """Give each upright piece of a colour, and each place in its pool, one of the identities left."""
    facts = state.facts
    slots = [
        Slot(facts.space_index[row.space], SEATS.index(row.seat), row.moved, row.reserve)
        for row in seen.pieces
        if row.colour == COLOURS[colour]
        for _ in range(row.number)
    ]
    drawn = seen.defector
    if drawn and drawn.colour == COLOURS[colour]:
        seat = 1 - SEATS.index(seen.to_act[0])
        looks = Slot(facts.space_index[drawn.space], seat, drawn.moved, drawn.reserve)
        if drawn.block is None:
            slots[slots.index(looks)] = looks._replace(defects=True)
        elif SEATS[seat] != seen.viewer:
            # It still stands among the enemy's pieces, but its name is known by now.
            slots.remove(looks)
    if SEATS[colour] == seen.viewer:
        left = [facts.block_index[name] for name in seen.deserters if state.at[facts.block_index[name]] == POOL]
    else:
        left = [block for block in facts.owned[colour] if state.at[block] == POOL]
        slots += [Slot(POOL, colour, False, False)] * (len(left) - len(slots))
    dead = {block for block in facts.leaders if state.at[block] == DEAD}
    possible = [{block for block in left if _fits(state, slot, block, dead)} for slot in slots]
    # Blocks that are known by name stand already; their tokens are nobody else's.
    taken = {belief.of_block(b) for b in facts.owned[colour] if state.at[b] != POOL and len(belief.where[b]) == 1}
    tokens = _tokens_of(belief, slots, colour, taken)
    believed = [
        {block for block in may if token is None or _believes(belief, slot, token, block)}
        for may, slot, token in zip(possible, slots, tokens, strict=True)
    ]
    names = assign(believed, chance) or assign(possible, chance) or shuffle(left, chance)
    for slot, token, block in zip(slots, tokens, names, strict=True):
        if slot.space != POOL:
            _stand(state, block, slot.space, slot.seat, _draw_steps(belief, token, block, chance))
            state.moved[block], state.reserve[block] = slot.moved, slot.reserve


def _fits(state: State, slot: Slot, block: int, dead: set[int]) -> bool:
    if slot.space == POOL:
        return True
    if slot.defects and (state.facts.is_leader[block] or state.facts.is_navis[block]):
        return False
    facts = state.facts
    return can_stand(facts, slot.space, slot.seat, block, dead) and came_by(
        state, slot.space, slot.seat, slot.moved, slot.reserve, facts.is_navis[block]
    )


def _believes(belief: Belief, slot: Slot, token: int, block: int) -> bool:
    """Tell whether the piece that was followed as `token` may be `block`, by name and by strength."""
    least, most = belief.bounds(token, block)
    return token in belief.where[block] and (slot.space == POOL or least <= most)


def _tokens_of(belief: Belief, slots: list[Slot], colour: int, taken: set[int]) -> list[int | None]:
    """Find the followed token of each slot; `None` where the history does not explain the piece."""
    waiting: dict[tuple[int, int], list[int]] = {}
    for token in belief.facts.owned[colour]:
        if token not in taken:
            seat = belief.side[token] if belief.place[token] != POOL else colour
            waiting.setdefault((belief.place[token], seat), []).append(token)
    found: list[int | None] = []
    for slot in slots:
        group = waiting.get((slot.space, slot.seat), [])
        alike = [t for t in group if (belief.moved[t], belief.reserve[t]) == (slot.moved, slot.reserve)] or group
        found.append(alike[0] if alike else None)
        if alike:
            group.remove(alike[0])
    return found


def _draw_steps(belief: Belief, token: int | None, block: int, chance: Chance) -> int:
    least, most = (1, belief.facts.full[block]) if token is None else belief.bounds(token, block)
    if least > most:
        least, most = 1, belief.facts.full[block]
    return least + chance.draw(most - least + 1)


def _place_cleopatra(state: State, belief: Belief, seen: Observation, chance: Chance) -> None:
    """Her place and side are public; her steps only in her own side's sight or in battle."""
    facts, cleopatra = state.facts, state.facts.cleopatra
    for row in seen.pieces:
        if row.colour == "blue" and state.at[cleopatra] == POOL:
            steps = _draw_steps(belief, cleopatra, cleopatra, chance)
            _stand(state, cleopatra, facts.space_index[row.space], SEATS.index(row.seat), steps)
            state.moved[cleopatra], state.reserve[cleopatra] = row.moved, row.reserve


def _draw_cards(state: State, seen: Observation, chance: Chance) -> None:
    """Deal the cards that the viewer has not seen; nobody else has made his secret choice yet."""
    known = {*seen.hand, *seen.spent[0], *seen.spent[1], seen.discard or NO_CARD, seen.chosen or NO_CARD}
    state.spent = list(seen.spent)
    state.played = [card or NO_CARD for card in seen.played]
    state.last_played = [card or NO_CARD for card in seen.last_played]
    if seen.phase == "deploy":
        return
    unseen = shuffle([card for card in range(1, len(state.facts.cards)) if card not in known], chance)
    for seat, name in enumerate(SEATS):
        if name == seen.viewer:
            state.hands[seat] = seen.hand
            state.discards[seat] = seen.discard or NO_CARD
            if seen.chosen:
                state.played[seat] = seen.chosen
        else:
            size = seen.hand_sizes[seat]
            state.hands[seat], unseen = tuple(sorted(unseen[:size])), unseen[size:]
            if seen.phase != "discard":
                state.discards[seat] = unseen.pop()
    state.deck = tuple(sorted(unseen))


def _phase(state: State, seen: Observation, chance: Chance) -> Phase:
    facts = state.facts
    seat = SEATS.index(seen.to_act[0]) if seen.to_act else NOBODY
    roads = {facts.edge_between[facts.space_index[use.a], facts.space_index[use.b]]: use.blocks for use in seen.roads}
    match seen.phase:
        case "deploy":
            return Deploy(seat, seen.swaps or 0)
        case "discard":
            return ChooseDiscard()
        case "card":
            return ChooseCard()
        case "god":
            return _god(state, seen, seat, chance)
        case "moves":
            opened = tuple(sorted(facts.space_index[name] for name in seen.opened))
            return Moves(seat, seen.moves_left, opened, roads, tuple(facts.space_index[name] for name in seen.kept))
        case "levies":
            return Levies(seat, seen.levies_left)
        case "battle_pick":
            return ChooseBattle()
        case "regroup":
            return RegroupPhase(seat, facts.space_index[str(seen.regroup)], roads)
        case "winter_navis":
            return WinterNavis(seat)
        case "winter_disband":
            return WinterDisband(seat)
        case "over":
            winner, reason = seen.outcome or (None, "draw")
            return Over(SEATS.index(winner) if winner else NOBODY, reason)
    assert seen.battle is not None
    return _battle(facts, seen.battle, roads)


def _god(state: State, seen: Observation, seat: int, chance: Chance) -> Phase:
    card = state.played[seat]
    if seen.defector is None:
        return JupiterCalls(seat) if card == JUPITER else VulcanBurns(seat) if card == VULCAN else ChooseSurprise(seat)
    if seen.defector.block:
        return Defection(seat, state.facts.block_index[seen.defector.block])
    facts, colour = state.facts, COLOURS.index(seen.defector.colour)
    group = [
        block
        for block in state.stacks[1 - seat][facts.space_index[seen.defector.space]]
        if facts.colour[block] == colour
        and not facts.is_leader[block]
        and not facts.is_navis[block]
        and (state.moved[block], state.reserve[block]) == (seen.defector.moved, seen.defector.reserve)
    ]
    return Defection(seat, group[chance.draw(len(group))])


def _battle(facts: Facts, view: BattleView, roads: dict[int, int]) -> Battle:
    acted = tuple(facts.block_index[row.block] for row in view.face_up if row.acted)
    ready = tuple(facts.block_index[name] for name in view.ready)
    space, attacker, side = facts.space_index[view.space], SEATS.index(view.attacker), SEATS.index(view.side)
    return Battle(space, view.round, attacker, acted, roads, view.sailed, view.hits, side, ready)
