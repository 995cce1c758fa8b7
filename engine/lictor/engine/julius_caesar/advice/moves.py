"""6.1-6.3: where to march. Each place that can be reached is a project with a worth; the best is carried out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from lictor.engine.chance import Chance
from lictor.engine.julius_caesar.actions import Action, BlockAlong, Sail
from lictor.engine.julius_caesar.advice.forces import atlas_of, force, odds, threat
from lictor.engine.julius_caesar.advice.style import Style
from lictor.engine.julius_caesar.facts import PLUTO
from lictor.engine.julius_caesar.phases import Moves
from lictor.engine.julius_caesar.state import TURNS, State

Way: TypeAlias = tuple[int, BlockAlong]  # a block, and its order
Ways: TypeAlias = dict[int, list[Way]]  # by origin

_RESERVE = 0.75  # what a block is worth that comes in round 2
_STEP = 0.11  # a step, in victory points
_FOOTHOLD = 0.12  # a city without value
_LEADER = 0.7
_COST = 0.05  # of a move point
_LEAST = 0.02  # a project worth less is not begun


@dataclass(slots=True)
class Project:
    """Orders with one aim."""

    worth: float
    orders: list[Action]


class Map:
    """What can go where: for each target the blocks and their orders, by origin."""

    def __init__(self, state: State, seat: int, legal: Sequence[Action], style: Style) -> None:
        self.state, self.seat, self.style = state, seat, style
        self.atlas = atlas_of(state.facts)
        self.late = state.turn == TURNS
        phase = state.phase
        assert type(phase) is Moves
        self.phase = phase
        self.ways: dict[int, Ways] = {}
        blocks, spaces, at = state.facts.block_index, state.facts.space_index, state.at
        for action in legal:
            if isinstance(action, BlockAlong):
                block = blocks[action.block]
                rows = self.ways.setdefault(spaces[action.path[-1]], {}).setdefault(at[block], [])
                rows.append((block, action))
        self._spare: dict[int, int] = {}
        self._dangers: dict[int, tuple[float, int]] = {}
        self._pulls: dict[int, float] = {}
        self._goals = [
            (city, value)
            for city, value in state.facts.valued
            if state.stacks[1 - seat][city] or not state.stacks[seat][city]
        ]

    def spare(self, origin: int) -> int:
        """Return how many blocks may leave a place: cities of value keep a garrison."""
        known = self._spare.get(origin)
        if known is None:
            stack = self.state.stacks[self.seat][origin]
            keep = 0
            if origin not in self.state.fights:
                keep = 1 if self.state.facts.vp[origin] else 0
            known = self._spare[origin] = len(stack) - keep
        return known

    def leave(self, origin: int, rows: list[Way], most: int) -> list[Way]:
        """Return the strongest blocks that may go, each by one way, at most `most`."""
        punch, steps, navis = self.atlas.punch, self.state.steps, self.state.facts.is_navis
        one_way: dict[int, BlockAlong] = {}
        for block, order in rows:
            if block not in one_way or len(order.path) < len(one_way[block].path):
                one_way[block] = order
        best = sorted(one_way, key=lambda block: (navis[block], -punch[block][steps[block]], block))
        return [(block, one_way[block]) for block in best[: min(most, self.spare(origin))]]

    def danger(self, space: int) -> tuple[float, int]:
        """Return what the enemy could throw at a place."""
        known = self._dangers.get(space)
        if known is None:
            known = self._dangers[space] = threat(self.state, space, 1 - self.seat)
        return known

    def pull(self, space: int) -> float:
        """Return how near a place is to cities of value that are not ours."""
        known = self._pulls.get(space)
        if known is None:
            near = self.atlas.near[space]
            known = self._pulls[space] = sum([value * near[city] for city, value in self._goals])
        return known

    def points(self, origin: int, order: Action) -> int:
        """Return what it costs to begin with a group."""
        return 0 if origin in self.phase.opened and not isinstance(order, Sail) else 1


def advise(state: State, seat: int, legal: Sequence[Action], chance: Chance, style: Style) -> list[Action]:
    """Return the orders of the best project, or the end of the moves."""
    found = Map(state, seat, legal, style)
    enemy, own = state.stacks[1 - seat], state.stacks[seat]
    best = Project(_LEAST, [legal[0]])
    aims = _aims(found)
    for target, origins in found.ways.items():
        if enemy[target]:
            project = _attack(found, target, origins)
        elif own[target]:
            wanted = origins if found.danger(target)[1] else aims.get(target)
            project = _relieve(found, target, wanted) if wanted else None
        else:
            wanted = origins if state.facts.vp[target] else aims.get(target)
            project = _occupy(found, target, wanted) if wanted else None
        if project is not None:
            project.worth += style.misjudge(chance)
            if project.worth > best.worth:
                best = project
    return best.orders


def _aims(found: Map) -> dict[int, Ways]:
    """Return the places to which men come nearest to cities of value, with the ways from where it is so."""
    best: dict[int, tuple[float, int]] = {}
    enemy, is_sea = found.state.stacks[1 - found.seat], found.state.facts.is_sea
    for target, origins in found.ways.items():
        if not enemy[target] and not is_sea[target]:
            pull = found.pull(target)
            for origin in origins:
                if origin not in best or pull > best[origin][0]:
                    best[origin] = pull, target
    aims: dict[int, Ways] = {}
    for origin, (_, target) in best.items():
        aims.setdefault(target, {})[origin] = found.ways[target][origin]
    return aims


def _attack(found: Map, target: int, origins: Ways) -> Project | None:
    """6.12: attack, from the place of most men first; other roads bring reserves, as far as points go."""
    state, seat, facts = found.state, found.seat, found.state.facts
    limits = facts.limit_pluto if state.played[seat] == PLUTO else facts.limit_attack
    groups = []
    for origin, rows in origins.items():
        near = [(block, order) for block, order in rows if len(order.path) == 1]
        most = 9
        if near and not facts.is_sea[origin]:
            way = found.atlas.limit[origin].get(target)
            if way is not None:
                most = limits[way.kind] - found.phase.roads.get(way.edge, 0)
        men = found.leave(origin, near or rows, most)
        if men:
            groups.append((force(state, [block for block, _ in men]), origin, men))
    if not groups:
        return None
    groups.sort(key=lambda group: -group[0][0] * group[0][1])
    theirs = force(state, state.stacks[1 - seat][target])
    fight = state.fights.get(target)
    ours = force(state, state.stacks[seat][target])
    hits, steps = ours
    theirs = _with_relief(found, target, theirs)
    prize = _prize(found, target)
    before = _worth(found.style, prize, ours, theirs) if ours[1] else 0.0
    best: Project | None = None
    orders: list[Action] = []
    points, cost = found.phase.points, 0.0
    for (more_hits, more_steps), origin, men in groups:
        price = found.points(origin, men[0][1])
        if price > points:
            continue
        points -= price
        cost += _COST * price
        share = 1.0 if (fight is None and not orders) or (fight is not None and fight.main == origin) else _RESERVE
        hits, steps = hits + share * more_hits, steps + more_steps
        orders = orders + [order for _, order in men]
        worth = _worth(found.style, prize, (hits, steps), theirs) - before - cost
        if best is None or worth > best.worth + 0.01:
            best = Project(worth, orders)
    return best


def _with_relief(found: Map, target: int, theirs: tuple[float, int]) -> tuple[float, int]:
    """6.14: who moves second may still send men to a battle."""
    state, seat = found.state, found.seat
    if state.player1 != seat:
        return theirs
    more = found.danger(target)
    return theirs[0] + 0.3 * more[0], theirs[1] + int(0.3 * more[1])


def _prize(found: Map, target: int) -> float:
    """Return what it is worth to drive the enemy out: his points lost and ours won, men apart."""
    state, facts = found.state, found.state.facts
    leaders = sum([facts.is_leader[block] for block in state.stacks[1 - found.seat][target]])
    value = facts.vp[target] * (2.3 if found.late else 2.0) + 0.25 * leaders * _LEADER
    return value + (0.02 if facts.is_sea[target] else _FOOTHOLD)


def _worth(style: Style, prize: float, ours: tuple[float, int], theirs: tuple[float, int]) -> float:
    """Return what a battle is worth: the prize if it is won, and the men lost on both sides."""
    # The defender fires first, and may stay behind his walls till the attacker must leave.
    won = odds(ours, (theirs[0] * 1.15, theirs[1])) if style.counts_odds else 0.6
    return won * prize + _STEP * (
        won * theirs[1] * 0.8 - (1 - won) * ours[1] * 0.7 - won * 0.3 * min(theirs[1], ours[1])
    )


def _occupy(found: Map, target: int, origins: Ways) -> Project | None:
    """Take a vacant place with few men if it is safe, with more if it is not; or come nearer to the enemy."""
    state, facts = found.state, found.state.facts
    if facts.is_sea[target]:
        return None
    danger = found.danger(target)
    value = facts.vp[target] * (1.3 if found.late else 1.0)
    best: Project | None = None
    for origin, rows in origins.items():
        men = found.leave(origin, rows, 4)
        price = found.points(origin, rows[0][1])
        if not men or price > found.phase.points or facts.is_sea[origin]:
            continue
        if isinstance(rows[0][1], Sail):
            men = men[:1]
        nearer = 0.0 if found.late else found.pull(target) - found.pull(origin)
        few = men[-1:] if value and not danger[1] else men
        held = odds(force(state, [block for block, _ in few]), danger)
        left = _left(found, origin, few)
        worth = value * held - left - _COST * price + nearer * len(few) * 0.5 - _STEP * (1 - held) * danger[1] * 0.2
        if best is None or worth > best.worth:
            best = Project(worth, [order for _, order in few])
    return best


def _relieve(found: Map, target: int, origins: Ways) -> Project | None:
    """Send men to an own city in danger, or nearer to the enemy."""
    state, seat, facts = found.state, found.seat, found.state.facts
    if facts.is_sea[target]:
        return None
    danger = found.danger(target)
    hits, steps = force(state, state.stacks[seat][target])
    before = odds((hits, steps), danger)
    value = facts.vp[target] * 1.6 + _FOOTHOLD
    crowd = len(state.stacks[seat][target])
    room = 3 + facts.vp[target] - crowd if found.style.minds_supply and state.turn >= TURNS - 1 else 9
    best: Project | None = None
    for origin, rows in origins.items():
        price = found.points(origin, rows[0][1])
        if price > found.phase.points or facts.is_sea[origin]:
            continue
        men = found.leave(origin, rows, max(0, min(4, room)))
        if isinstance(rows[0][1], Sail):
            men = men[:1]
        if not men:
            continue
        more = force(state, [block for block, _ in men])
        after = odds((hits + more[0], steps + more[1]), danger)
        nearer = 0.0 if found.late else found.pull(target) - found.pull(origin)
        worth = value * (after - before) - _left(found, origin, men) - _COST * price + nearer * len(men) * 0.5
        if best is None or worth > best.worth:
            best = Project(worth, [order for _, order in men])
    return best


def _left(found: Map, origin: int, men: list[Way]) -> float:
    """Return what the place is less worth that they leave."""
    state, seat, facts = found.state, found.seat, found.state.facts
    if origin in state.fights:
        return 0.0
    stack = state.stacks[seat][origin]
    danger = found.danger(origin)
    value = facts.vp[origin] * 1.6 + _FOOTHOLD
    gone = {block for block, _ in men}
    stay = [block for block in stack if block not in gone]
    return value * (odds(force(state, stack), danger) - (odds(force(state, stay), danger) if stay else 0.0))
