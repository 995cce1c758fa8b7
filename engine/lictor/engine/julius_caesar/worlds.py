"""Other worlds: draw anew what a viewer cannot know, and find the same order in another world."""

from __future__ import annotations

import dataclasses

from lictor.engine.chance import Chance
from lictor.engine.game import Viewer
from lictor.engine.julius_caesar.actions import Action, BlockAlong, BlockTo, OfBlock, OfCard, Swap
from lictor.engine.julius_caesar.facts import APOLLO, GREEN, SEATS, TAN, Facts
from lictor.engine.julius_caesar.matching import assign, shuffle
from lictor.engine.julius_caesar.observation import viewer_index
from lictor.engine.julius_caesar.phases import Battle, ChooseCard, Defection, Deploy
from lictor.engine.julius_caesar.setup import MOST_SWAPS
from lictor.engine.julius_caesar.state import DEAD, NO_CARD, NOBODY, POOL, State


def redeal(state: State, viewer: Viewer, chance: Chance, keep: frozenset[str] = frozenset()) -> State:
    """Draw everything hidden from `viewer` anew within the rules, except what is named in `keep`."""
    me = viewer_index(viewer)
    world = state.copy(chance)
    world.known_legal = None
    for colour in (TAN, GREEN):
        _redeal_blocks(world, me, colour, chance, keep)
    cleopatra = state.facts.cleopatra
    if _is_upright(state, cleopatra, me) and "cleopatra" not in keep and not isinstance(state.phase, Deploy):
        world.steps[cleopatra] = 1 + chance.draw(state.facts.full[cleopatra])
    _redeal_cards(world, me, chance, keep)
    if isinstance(world.phase, Deploy) and world.phase.seat != me:
        world.phase = Deploy(world.phase.seat, chance.draw(MOST_SWAPS))
    return world


def _is_upright(state: State, block: int, me: int) -> bool:
    """Tell whether a block of the map is commanded by another than the viewer and not tipped forward."""
    if state.side[block] == me or (me != NOBODY and isinstance(state.phase, Defection) and state.phase.block == block):
        return False
    fighting = isinstance(state.phase, Battle) and state.phase.space == state.at[block]
    return not fighting or state.reserve[block]


def _redeal_blocks(world: State, me: int, colour: int, chance: Chance, keep: frozenset[str]) -> None:
    facts = world.facts
    # 5.3: while blocks are being deployed, those of the pool cannot take part.
    pool_hidden = colour != me and not isinstance(world.phase, Deploy)
    slots = [
        block
        for block in facts.owned[colour]
        if facts.blocks[block] not in keep
        and (pool_hidden if world.at[block] == POOL else world.at[block] != DEAD and _is_upright(world, block, me))
    ]
    dead = {block for block in facts.leaders if world.at[block] == DEAD}
    allowed = [
        {other for other in slots if world.at[slot] == POOL or fits(facts, world, slot, other, dead)} for slot in slots
    ]
    drawn = assign(allowed, chance)
    assert drawn is not None, "the world itself is one answer"
    _rename(world, dict(zip(slots, drawn, strict=True)), chance)


def fits(facts: Facts, state: State, slot: int, identity: int, dead: set[int]) -> bool:
    """Tell whether `identity` could be the piece that stands where `slot` stands in `state`."""
    space, seat = state.at[slot], state.side[slot]
    if (
        isinstance(state.phase, Defection)
        and state.phase.block == slot
        and (facts.is_leader[identity] or facts.is_navis[identity])
    ):
        return False
    return can_stand(facts, space, seat, identity, dead) and came_by(
        state, space, seat, state.moved[slot], state.reserve[slot], facts.is_navis[identity]
    )


def can_stand(facts: Facts, space: int, seat: int, identity: int, dead: set[int]) -> bool:
    """Tell whether the rules let a block serve `seat` in `space`."""
    navis = facts.is_navis[identity]
    if navis and not (facts.is_sea[space] or facts.is_port[space]):
        return False
    if not navis and facts.is_sea[space]:
        return False
    if seat != facts.home[identity] and (navis or facts.is_leader[identity]):
        return False  # Jupiter: leaders and Navis do not defect
    others = facts.third_leader.get(identity)
    return others is None or not dead.isdisjoint(others)  # 7.51


def came_by(state: State, space: int, seat: int, moved: bool, reserve: bool, navis: bool) -> bool:
    """Tell whether a Navis, or a land block, can have come to a fight over a city by the ways its side used."""
    fight, is_sea = state.fights.get(space), state.facts.is_sea
    if fight is None or is_sea[space] or not moved or not fight.entered[seat]:
        return True
    ways = (fight.main,) if fight.attacker == seat and not reserve and fight.main != NOBODY else fight.entered[seat]
    by_sea = [is_sea[way] for way in ways]
    return any(by_sea) if navis else not all(by_sea)


def _rename(world: State, names: dict[int, int], chance: Chance) -> None:
    """Let each block of `names` stand, with random steps, where the other stood."""
    facts, at = world.facts, world.at
    looks = {old: (at[old], world.side[old], world.moved[old], world.reserve[old]) for old in names}
    for old in names:
        if at[old] >= 0:
            world.lift(old)
    deploying = isinstance(world.phase, Deploy)
    for old, new in names.items():
        place, side, moved, reserve = looks[old]
        at[new], world.side[new], world.moved[new], world.reserve[new] = place, side, moved, reserve
        if place >= 0:
            world.steps[new] = facts.full[new] if deploying else 1 + chance.draw(facts.full[new])
            world.put(new, place)
    if isinstance(world.phase, Defection):
        world.phase = Defection(world.phase.seat, names.get(world.phase.block, world.phase.block))


def _redeal_cards(world: State, me: int, chance: Chance, keep: frozenset[str]) -> None:
    """Shuffle all cards whose faces the viewer has not seen among the places where they lie."""
    hidden_seats = [seat for seat in (0, 1) if seat != me]
    face_down = isinstance(world.phase, ChooseCard)
    lying: list[int] = list(world.deck)
    for seat in hidden_seats:
        lying += world.hands[seat]
        lying += [world.discards[seat]] if world.discards[seat] else []
        lying += [world.played[seat]] if face_down and world.played[seat] else []
    loose = [card for card in lying if f"card:{card}" not in keep]
    while True:
        new = dict(zip(loose, shuffle(loose, chance), strict=True))
        # Ruling 2: nobody can have laid Apollo on a year's first turn.
        laid = [new.get(world.played[seat], world.played[seat]) for seat in hidden_seats] if face_down else []
        if world.turn > 1 or APOLLO not in laid:
            break
    world.deck = tuple(sorted(new.get(card, card) for card in world.deck))
    for seat in hidden_seats:
        world.hands[seat] = tuple(sorted(new.get(card, card) for card in world.hands[seat]))
        world.discards[seat] = new.get(world.discards[seat], world.discards[seat]) if world.discards[seat] else NO_CARD
        if face_down and world.played[seat]:
            world.played[seat] = new.get(world.played[seat], world.played[seat])


def counterpart(state: State, seat: str, action: Action, other: State) -> Action | None:
    """Return the order in the re-dealt world `other` that looks from outside like `action` in `state`."""
    names, index = state.facts.blocks, state.facts.block_index
    if isinstance(action, OfCard):
        mine = SEATS.index(seat)
        return type(action)(_partner(state.hands[mine], other.hands[mine], action.card))
    twin = {block: names[_twin(state, other, index[block])] for block in _blocks_of(action) if block in index}
    if isinstance(action, OfBlock | BlockTo | BlockAlong):
        return dataclasses.replace(action, block=twin[action.block]) if action.block in twin else None
    if isinstance(action, Swap):
        return Swap(*sorted((twin[action.first], twin[action.second]))) if len(twin) == 2 else None
    return action


def _blocks_of(action: Action) -> tuple[str, ...]:
    if isinstance(action, OfBlock | BlockTo | BlockAlong):
        return (action.block,)
    return (action.first, action.second) if isinstance(action, Swap) else ()


def _twin(state: State, other: State, block: int) -> int:
    """Return the block that stands in `other` where `block` stands in `state`."""
    return _partner(_alike(state, _looks(state, block)), _alike(other, _looks(state, block)), block)


def _looks(state: State, block: int) -> tuple[object, ...]:
    side = state.side[block] if state.at[block] >= 0 else None
    return state.at[block], side, state.facts.colour[block], state.moved[block], state.reserve[block]


def _alike(state: State, looks: tuple[object, ...]) -> tuple[int, ...]:
    return tuple(block for block in range(len(state.at)) if _looks(state, block) == looks)


def _partner(here: tuple[int, ...], there: tuple[int, ...], item: int) -> int:
    """Pair two groups, each of the common members with itself, the others in order; return the partner of `item`."""
    if item in there or item not in here:
        return item
    others = [x for x in there if x not in here]
    return others[[x for x in here if x not in there].index(item)]
