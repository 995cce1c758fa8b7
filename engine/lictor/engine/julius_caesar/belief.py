"""What a viewer can still believe: which identities the pieces he has watched may have, and how many steps.

Every piece on the table is followed as a token. Tokens that look alike cannot be told apart: when one of them moves,
each could have been the one, and what was known of one is then known of all of them together. A block tipped forward in
battle is known for certain, until it mingles again. `where[b]` are the tokens that may be block b.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from lictor.engine.game import Viewer
from lictor.engine.julius_caesar import events as told
from lictor.engine.julius_caesar.events import Event
from lictor.engine.julius_caesar.facts import ANY_CITY, COLOURS, GREEN, MAJOR_PORT, SEATS, TAN, Facts
from lictor.engine.julius_caesar.state import DEAD, POOL

MOST_STEPS = 4


class Belief:
    """What can be believed after a sequence of events, as one viewer saw them."""

    def __init__(self, facts: Facts, deployment: str, viewer: Viewer) -> None:
        self.facts = facts
        self.viewer = viewer
        count = len(facts.blocks)
        self.place = [facts.deployment.get(token, POOL) for token in range(count)]
        self.side = list(facts.home)
        self.moved = [False] * count
        self.reserve = [False] * count
        self.steps = [(facts.full[token], facts.full[token]) for token in range(count)]
        self.where: list[set[int]] = [{block} for block in range(count)]
        if deployment == "free":
            for colour in (TAN, GREEN):
                if SEATS[colour] != viewer:
                    on_map = {token for token in facts.owned[colour] if self.place[token] != POOL}
                    for block in on_map:
                        self.where[block] = set(on_map)

    def see(self, event: Event) -> None:
        """Take an event into account."""
        seen = event.seen_by(self.viewer)
        if seen is not None:
            handler = _HANDLERS.get(type(seen))
            if handler is not None:
                handler(self, seen)

    def tokens(self, space: int, seat: int, colour: int) -> list[int]:
        """Return the tokens of a colour that serve a seat in a space."""
        owned = self.facts.owned[colour]
        return [token for token in owned if self.place[token] == space and self.side[token] == seat]

    def leave(self, group: list[int], may_be: Callable[[int], bool]) -> int | None:
        """Let one of a group of like tokens be the one that now does what only some blocks can; return it."""
        able = [t for t in group if any(t in tokens and may_be(b) for b, tokens in enumerate(self.where))] or group
        if not able:
            return None
        together = set(able)
        for tokens in self.where:
            if not tokens.isdisjoint(together):
                tokens |= together
        least, most = min(self.steps[t][0] for t in able), max(self.steps[t][1] for t in able)
        for token in able:
            self.steps[token] = (least, most)
        for block, tokens in enumerate(self.where):
            if able[0] in tokens and not may_be(block) and len(tokens) > 1:
                tokens.discard(able[0])
        return able[0]

    def know(self, block: int, group: Iterable[int]) -> int:
        """Learn that `block` is one of a group of like tokens; return it."""
        token = min(self.where[block].intersection(group) or self.where[block])
        for tokens in self.where:
            if len(tokens) > 1:
                tokens.discard(token)
        self.where[block] = {token}
        return token

    def of_block(self, block: int) -> int:
        """Return a token that may be `block`."""
        return min(self.where[block])


def _by_way(facts: Facts, path: Sequence[str], by_sea: bool) -> Callable[[int], bool]:
    """6.1-6.3: by road and as a passenger only land blocks go, over a border only Navis."""
    here, there = facts.space_index[path[0]], facts.space_index[path[1]]
    navis = not by_sea and (facts.is_sea[here] or facts.is_sea[there])
    return lambda block: facts.is_navis[block] == navis


def _saw_move(belief: Belief, event: Event) -> None:
    assert isinstance(event, told.Moved | told.Regrouped | told.CameToPort)
    facts, seat = belief.facts, SEATS.index(event.seat)
    if event.colour == "blue":
        belief.place[facts.cleopatra] = facts.space_index[event.path[-1]]
    if event.seat == belief.viewer or event.colour == "blue":
        return
    group = belief.tokens(facts.space_index[event.path[0]], seat, COLOURS.index(event.colour))
    ordered = isinstance(event, told.Moved)
    if ordered:
        group = [token for token in group if not belief.moved[token]] or group
    token = belief.leave(group, _by_way(facts, event.path, isinstance(event, told.Moved) and event.by_sea))
    if token is not None:
        belief.place[token] = facts.space_index[event.path[-1]]
        belief.moved[token] = ordered
        belief.reserve[token] = isinstance(event, told.Moved) and event.reserve


def _saw_levy(belief: Belief, event: Event) -> None:
    assert isinstance(event, told.Levied)
    if event.seat == belief.viewer:
        return
    facts, seat = belief.facts, SEATS.index(event.seat)
    city = facts.space_index[event.city]

    def raised_there(block: int) -> bool:
        rule = facts.levy_city[block]
        return rule in (ANY_CITY, city) or (rule == MAJOR_PORT and facts.is_major_port[city])

    group = [token for token in facts.owned[seat] if belief.place[token] == POOL]
    token = belief.leave(group, raised_there)
    if token is not None:
        belief.place[token], belief.side[token], belief.steps[token] = city, seat, (1, 1)


def _saw_step(belief: Belief, event: Event) -> None:
    assert isinstance(event, told.Reinforced)
    if event.seat == belief.viewer:
        return
    facts, seat = belief.facts, SEATS.index(event.seat)
    city = facts.space_index[event.city]
    here = [token for token in range(len(facts.blocks)) if belief.place[token] == city and belief.side[token] == seat]
    for token in here:
        least, most = belief.steps[token]
        belief.steps[token] = (min(least + (len(here) == 1), MOST_STEPS), min(most + 1, MOST_STEPS))


def _saw_vulcan(belief: Belief, event: Event) -> None:
    assert isinstance(event, told.VulcanStruck)
    city = belief.facts.space_index[event.space]
    for token, place in enumerate(belief.place):
        if place == city:
            least, most = belief.steps[token]
            belief.steps[token] = (max(1, least - 1), max(1, most - 1))


def _saw_revealed(belief: Belief, event: Event) -> None:
    assert isinstance(event, told.Revealed)
    facts, space = belief.facts, belief.facts.space_index[event.space]
    known: set[int] = set()
    for seat_name, name, steps in event.blocks:
        block, seat = facts.block_index[name], SEATS.index(seat_name)
        if block == facts.cleopatra:
            belief.steps[block] = (steps, steps)
            continue
        group = [t for t in belief.tokens(space, seat, facts.colour[block]) if t not in known]
        token = belief.know(block, [t for t in group if not belief.reserve[t]] or group)
        known.add(token)
        belief.steps[token] = (steps, steps)


def _saw_steps(belief: Belief, event: Event) -> None:
    assert isinstance(event, told.Weakened)
    token = belief.of_block(belief.facts.block_index[event.block])
    belief.steps[token] = (event.steps, event.steps)


def _saw_shown(belief: Belief, event: Event) -> None:
    assert isinstance(event, told.Shown)
    facts, seat = belief.facts, SEATS.index(event.seat)
    block = facts.block_index[event.block]
    token = belief.know(block, belief.tokens(facts.space_index[event.space], seat, facts.colour[block]))
    belief.steps[token] = (event.steps, event.steps)


def _saw_elimination(belief: Belief, event: Event) -> None:
    assert isinstance(event, told.Eliminated)
    facts, seat = belief.facts, SEATS.index(event.seat)
    block = facts.block_index[event.block]
    token = belief.know(block, belief.tokens(facts.space_index[event.space], seat, facts.colour[block]))
    belief.place[token], belief.side[token] = DEAD, facts.home[block]
    belief.moved[token] = belief.reserve[token] = False


def _saw_retreat(belief: Belief, event: Event) -> None:
    assert isinstance(event, told.Retreated)
    token = belief.of_block(belief.facts.block_index[event.block])
    belief.place[token] = belief.facts.space_index[event.path[-1]]
    belief.reserve[token] = False


def _saw_defection(belief: Belief, event: Event) -> None:
    assert isinstance(event, told.Defecting)
    facts, seat, colour = belief.facts, SEATS.index(event.seat), COLOURS.index(event.colour)
    if event.city is None:
        return
    if event.colour == "blue":
        cleopatra = facts.cleopatra
        belief.place[cleopatra], belief.side[cleopatra] = facts.space_index[event.city], seat
        belief.steps[cleopatra] = (event.steps, event.steps) if event.steps else (1, MOST_STEPS)
        return
    group = belief.tokens(facts.space_index[event.space], 1 - seat, colour)
    if event.block is None:
        token = belief.leave(group, lambda block: not facts.is_leader[block] and not facts.is_navis[block])
    else:
        token = belief.know(facts.block_index[event.block], group)
    if token is not None:
        belief.place[token], belief.side[token] = facts.space_index[event.city], seat
        if event.steps is not None:
            belief.steps[token] = (event.steps, event.steps)


def _saw_disbanding(belief: Belief, event: Event) -> None:
    assert isinstance(event, told.Disbanded)
    facts, seat, colour = belief.facts, SEATS.index(event.seat), COLOURS.index(event.colour)
    group = belief.tokens(facts.space_index[event.space], seat, colour)
    if event.block is None:
        token = belief.leave(group, lambda _: True)
    else:
        token = belief.know(facts.block_index[event.block], group)
    if token is not None:
        belief.place[token], belief.side[token] = POOL, colour


def _saw_cleopatra_join(belief: Belief, event: Event) -> None:
    assert isinstance(event, told.CleopatraJoined)
    cleopatra = belief.facts.cleopatra
    belief.side[cleopatra], belief.steps[cleopatra] = SEATS.index(event.seat), (1, 1)


def _saw_cleopatra_home(belief: Belief, event: Event) -> None:
    assert isinstance(event, told.CleopatraWentHome)
    cleopatra = belief.facts.cleopatra
    belief.place[cleopatra], belief.side[cleopatra] = belief.facts.alexandria, SEATS.index(event.seat)


def _saw_cleopatra_move(belief: Belief, event: Event) -> None:
    assert isinstance(event, told.CleopatraPlaced)
    cleopatra = belief.facts.cleopatra
    here, there = belief.place[cleopatra], belief.facts.space_index[event.space]
    for token in belief.tokens(there, belief.side[cleopatra], belief.side[cleopatra])[:1]:
        belief.place[token] = here
    belief.place[cleopatra] = there


def _saw_battle_end(belief: Belief, event: Event) -> None:
    assert isinstance(event, told.BattleEnded)
    space = belief.facts.space_index[event.space]
    for token, place in enumerate(belief.place):
        if place == space:
            belief.reserve[token] = False


def _saw_turn(belief: Belief, event: Event) -> None:
    belief.moved = [False] * len(belief.moved)
    if isinstance(event, told.YearBegan):
        for token, place in enumerate(belief.place):
            if place == DEAD and not belief.facts.is_leader[token]:
                belief.place[token] = POOL


_HANDLERS: dict[type, Callable[[Belief, Event], None]] = {
    told.Moved: _saw_move,
    told.Regrouped: _saw_move,
    told.CameToPort: _saw_move,
    told.Levied: _saw_levy,
    told.Reinforced: _saw_step,
    told.VulcanStruck: _saw_vulcan,
    told.Revealed: _saw_revealed,
    told.Weakened: _saw_steps,
    told.Shown: _saw_shown,
    told.Eliminated: _saw_elimination,
    told.Retreated: _saw_retreat,
    told.Defecting: _saw_defection,
    told.Disbanded: _saw_disbanding,
    told.CleopatraJoined: _saw_cleopatra_join,
    told.CleopatraWentHome: _saw_cleopatra_home,
    told.CleopatraPlaced: _saw_cleopatra_move,
    told.BattleEnded: _saw_battle_end,
    told.FirstPlayer: _saw_turn,
    told.YearBegan: _saw_turn,
}
