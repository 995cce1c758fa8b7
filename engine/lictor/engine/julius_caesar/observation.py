"""What a viewer may know of a position: built from what he may see, never cut from what there is."""

from __future__ import annotations

from typing import NamedTuple

from lictor.engine.game import SPECTATOR, UnknownSeat, Viewer, plain_values
from lictor.engine.julius_caesar.facts import COLOURS, SEATS
from lictor.engine.julius_caesar.phases import (
    Battle,
    ChooseCard,
    ChooseDiscard,
    Defection,
    Deploy,
    Moves,
    Over,
    RegroupPhase,
    phase_name,
)
from lictor.engine.julius_caesar.snapshots import levies_left
from lictor.engine.julius_caesar.state import DEAD, NO_CARD, NOBODY, POOL, State, deciders


class OwnBlock(NamedTuple):
    """A block the viewer commands: his own, or a defector in his service."""

    block: str
    space: str
    steps: int  # steps left
    moved: bool  # face-down: it has moved this turn (6.1)
    reserve: bool  # in reserve in a contested space (7.3)


class Pieces(NamedTuple):
    """Blocks that stand upright and look alike from outside."""

    space: str
    seat: str  # whom they serve
    colour: str  # tan or green, by their original owner; blue is Cleopatra
    moved: bool
    reserve: bool
    number: int  # how many


class FaceUp(NamedTuple):
    """A block tipped forward in a battle, in sight of all (7.1)."""

    block: str
    seat: str
    steps: int
    moved: bool
    acted: bool  # has had its battle turn this round


class FightView(NamedTuple):
    """A contested space (6.12): the neighbours by which the main attack and each side came."""

    space: str
    attacker: str
    main: str | None
    entered: tuple[tuple[str, ...], tuple[str, ...]]  # by seat


class BattleView(NamedTuple):
    """The battle that is being fought (7.2)."""

    space: str
    round: int
    attacker: str
    side: str  # whose battle turn it is; while hits are left, the other side takes them
    ready: tuple[str, ...]  # the blocks that have the turn; one of them acts
    hits: int
    face_up: tuple[FaceUp, ...]
    sailed: tuple[bool, bool]  # by seat: has used its sea retreat this round (7.64)


class RoadUse(NamedTuple):
    """How many blocks have used a road: of the seat that moves or regroups, or of both in a battle round."""

    a: str
    b: str
    blocks: int


class Defector(NamedTuple):
    """The block that Jupiter drew; its identity and steps are known to both players, its colour to all."""

    space: str
    colour: str
    moved: bool
    reserve: bool
    block: str | None
    steps: int | None


class Observation(NamedTuple):
    """All that a viewer may know, without memory of what went before. Pairs are by seat: Caesar, Pompey."""

    viewer: str
    edition: str
    deployment: str
    data: str  # SHA-256 of the data set
    year: int
    turn: int
    phase: str
    to_act: tuple[str, ...]  # while both decide in secret, whether the other has decided is not shown
    player1: str | None
    moves_left: int
    levies_left: int
    hand: tuple[int, ...]  # the viewer's own
    hand_sizes: tuple[int, int]  # before the secret choice of the moment
    discard: int | None  # the viewer's own
    chosen: int | None  # the viewer's own card, face-down
    played: tuple[int | None, int | None]  # once revealed; an Apollo is the card it copies
    last_played: tuple[int | None, int | None]
    spent: tuple[tuple[int, ...], tuple[int, ...]]  # cards played this year, as they were, in order
    blocks: tuple[OwnBlock, ...]
    pieces: tuple[Pieces, ...]  # upright blocks of others
    pool: tuple[str, ...]  # the viewer's own
    pool_sizes: tuple[int, int]
    dead: tuple[str, ...]  # eliminated this year, and dead leaders, face-up
    deserters: tuple[str, ...]  # the viewer's own blocks in the enemy's service
    points: tuple[int, int]  # victory points, live
    fights: tuple[FightView, ...]
    surprise: str | None  # where Mars or Neptune favours the attacker
    opened: tuple[str, ...]  # groups the moving seat has paid for
    kept: tuple[str, ...]  # seas crossed this turn, where one Navis must stay
    roads: tuple[RoadUse, ...]
    battle: BattleView | None
    regroup: str | None  # the space whose victor regroups
    defector: Defector | None
    swaps: int | None  # free deployment: swaps the viewer has made
    outcome: tuple[str | None, str] | None  # winner and reason

    def facts(self) -> dict[str, object]:
        """Return the observation as plain values."""
        return dict(plain_values(self))


def viewer_index(viewer: Viewer) -> int:
    """Return the seat of a viewer, `NOBODY` for a spectator, or raise `UnknownSeat`."""
    if viewer == SPECTATOR:
        return NOBODY
    if viewer not in SEATS:
        raise UnknownSeat(f"there is no viewer {viewer!r:.40}; there are {', '.join(SEATS)} and {SPECTATOR}")
    return SEATS.index(viewer)


def observation(state: State, viewer: Viewer) -> Observation:
    """Return what `viewer` may know."""
    me = viewer_index(viewer)
    facts, phase = state.facts, state.phase
    spaces, blocks = facts.spaces, facts.blocks
    secret = isinstance(phase, ChooseDiscard | ChooseCard)
    fighting = phase if type(phase) is Battle else None
    roads = phase.roads if isinstance(phase, Moves | Battle | RegroupPhase) else {}
    pool, dead = _off_map(state, me)
    return Observation(
        viewer,
        state.edition,
        state.deployment,
        facts.hash,
        state.year,
        state.turn,
        phase_name(phase),
        _seen_to_act(state, me, secret),
        SEATS[state.player1] if state.player1 != NOBODY else None,
        phase.points if type(phase) is Moves else 0,
        levies_left(state),
        state.hands[me] if me != NOBODY else (),
        _hand_sizes(state),
        (state.discards[me] or None) if me != NOBODY else None,
        (state.played[me] or None) if me != NOBODY and type(phase) is ChooseCard else None,
        (None, None) if secret else (state.played[0] or None, state.played[1] or None),
        (state.last_played[0] or None, state.last_played[1] or None),
        (state.spent[0], state.spent[1]),
        _own_blocks(state, me) if me != NOBODY else (),
        _upright_pieces(state, me, fighting),
        pool,
        _pool_sizes(state),
        dead,
        tuple([blocks[b] for b in facts.owned[me] if state.side[b] != me]) if me != NOBODY else (),
        state.victory_points(),
        _fights(state) if state.fights else (),
        spaces[state.surprise] if state.surprise != NOBODY else None,
        tuple([spaces[space] for space in phase.opened]) if type(phase) is Moves else (),
        tuple(sorted([spaces[space] for space in phase.kept])) if type(phase) is Moves else (),
        tuple([_road_use(state, edge, roads[edge]) for edge in sorted(roads)]) if roads else (),
        _battle(state, fighting) if fighting else None,
        spaces[phase.space] if type(phase) is RegroupPhase else None,
        _defector(state, phase, me) if type(phase) is Defection else None,
        phase.swaps if type(phase) is Deploy and phase.seat == me else None,
        (SEATS[phase.winner] if phase.winner != NOBODY else None, phase.reason) if type(phase) is Over else None,
    )


def _seen_to_act(state: State, me: int, secret: bool) -> tuple[str, ...]:
    """While both decide in secret nobody learns whether another has; a seat knows of itself (ruling 1)."""
    owing = deciders(state)
    if secret:
        owing = (0, 1) if me == NOBODY or me in owing else (1 - me,)
    return tuple([SEATS[seat] for seat in owing])


def _hand_sizes(state: State) -> tuple[int, int]:
    """Count a card that was chosen in secret as still in hand, or the count would tell of the choice."""
    phase, sizes = state.phase, [len(state.hands[0]), len(state.hands[1])]
    chosen = (
        state.discards
        if type(phase) is ChooseDiscard
        else state.played
        if type(phase) is ChooseCard
        else (NO_CARD, NO_CARD)
    )
    return sizes[0] + (chosen[0] != NO_CARD), sizes[1] + (chosen[1] != NO_CARD)


def _off_map(state: State, me: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    at, names = state.at, state.facts.blocks
    dead = tuple([names[block] for block, place in enumerate(at) if place == DEAD]) if DEAD in at else ()
    if me == NOBODY:
        return (), dead
    return tuple([names[block] for block in state.facts.owned[me] if at[block] == POOL]), dead


def _pool_sizes(state: State) -> tuple[int, int]:
    at, owned = state.at, state.facts.owned
    return sum([at[block] == POOL for block in owned[0]]), sum([at[block] == POOL for block in owned[1]])


def _own_blocks(state: State, me: int) -> tuple[OwnBlock, ...]:
    steps, moved, reserve, memo = state.steps, state.moved, state.reserve, state.facts.own_rows
    rows = []
    for space, stack in enumerate(state.stacks[me]):
        for block in stack:
            key = (((block << 8 | space) << 3 | steps[block]) << 1 | moved[block]) << 1 | reserve[block]
            row = memo.get(key)
            if row is None:
                row = memo[key] = OwnBlock(
                    state.facts.blocks[block], state.facts.spaces[space], steps[block], moved[block], reserve[block]
                )
            rows.append(row)
    return tuple(rows)


def _upright_pieces(state: State, me: int, fighting: Battle | None) -> tuple[Pieces, ...]:
    """Group the blocks that others command by what can be seen; the order is that of the spaces, then of the looks."""
    facts, moved, reserve = state.facts, state.moved, state.reserve
    colour, memo = facts.colour, facts.piece_rows
    rows: list[Pieces] = []
    for seat in (0, 1) if me == NOBODY else (1 - me,):
        for space, stack in enumerate(state.stacks[seat]):
            if not stack:
                continue
            if fighting is not None and space == fighting.space:
                # 7.1, 7.3: in a battle only reserves stand upright.
                stack = tuple([block for block in stack if reserve[block]])
            looks = [colour[block] << 2 | moved[block] << 1 | reserve[block] for block in stack]
            key = (space, seat, tuple(sorted(looks)))
            found = memo.get(key)
            if found is None:
                found = memo[key] = [
                    Pieces(
                        facts.spaces[space],
                        SEATS[seat],
                        COLOURS[look >> 2],
                        bool(look & 2),
                        bool(look & 1),
                        looks.count(look),
                    )
                    for look in sorted(set(looks))
                ]
            rows += found
    return tuple(rows)


def _fights(state: State) -> tuple[FightView, ...]:
    spaces = state.facts.spaces
    return tuple(
        [
            FightView(
                spaces[space],
                SEATS[fight.attacker],
                spaces[fight.main] if fight.main != NOBODY else None,
                (
                    tuple(sorted([spaces[way] for way in fight.entered[0]])),
                    tuple(sorted([spaces[way] for way in fight.entered[1]])),
                ),
            )
            for space, fight in sorted(state.fights.items())
        ]
    )


def _battle(state: State, phase: Battle) -> BattleView:
    facts = state.facts
    face_up = tuple(
        [
            FaceUp(facts.blocks[block], SEATS[seat], state.steps[block], state.moved[block], block in phase.acted)
            for seat in (0, 1)
            for block in state.stacks[seat][phase.space]
            if not state.reserve[block]
        ]
    )
    ready = () if phase.hits else tuple([facts.blocks[block] for block in phase.ready])
    place, attacker, side = facts.spaces[phase.space], SEATS[phase.attacker], SEATS[phase.side]
    return BattleView(place, phase.round, attacker, side, ready, phase.hits, face_up, phase.sailed)


def _road_use(state: State, edge: int, count: int) -> RoadUse:
    a, b = state.facts.edges[edge]
    return RoadUse(state.facts.spaces[a], state.facts.spaces[b], count)


def _defector(state: State, phase: Defection, me: int) -> Defector:
    facts, block = state.facts, phase.block
    place, colour = facts.spaces[state.at[block]], COLOURS[facts.colour[block]]
    looks = (place, colour, state.moved[block], state.reserve[block])
    if me == NOBODY:
        return Defector(*looks, None, None)
    return Defector(*looks, facts.blocks[block], state.steps[block])
