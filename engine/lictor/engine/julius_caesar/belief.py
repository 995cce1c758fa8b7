"""What a viewer can still believe: which identities the pieces he has watched may have, and how many steps.

Every piece on the table is followed as a token. Tokens that look alike cannot be told apart: when one of them moves or
is shown, each could have been the one, and what was known of one is then known of all of them together. A block tipped
forward in battle is known for certain, until it mingles again. `where[b]` are the tokens that may be block b;
`steps[t]` bounds the steps the token has left, `lost[t]` those it has lost of its full strength, whatever that is.
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
        self.steps = [(1, MOST_STEPS)] * count
        self.lost = [(0, 0)] * count  # 5.1: all begin at full strength
        self.arriving = False  # whether the next blocks tipped forward are the reserves (7.3)
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

    def mingle(self, tokens: Iterable[int]) -> None:
        """Forget which of some tokens is which: what may be one may be any of them."""
        together = list(tokens)
        for may_be in self.where:
            if not may_be.isdisjoint(together):
                may_be.update(together)
        for bounds in (self.steps, self.lost):
            widest = min(bounds[t][0] for t in together), max(bounds[t][1] for t in together)
            for token in together:
                bounds[token] = widest

    def leave(self, group: list[int], may_be: Callable[[int], bool]) -> int | None:
        """Let one of a group of like tokens be the one that now does what only some blocks can; return it."""
        able = [t for t in group if any(t in tokens and may_be(b) for b, tokens in enumerate(self.where))] or group
        if not able:
            return None
        self.mingle(able)
        for block, tokens in enumerate(self.where):
            if able[0] in tokens and not may_be(block) and len(tokens) > 1:
                tokens.discard(able[0])
        return able[0]

    def know(self, block: int, group: Iterable[int], steps: int | None = None) -> int:
        """Learn that `block` is one of a group of like tokens, and its steps; return the token."""
        found = self.where[block].intersection(group)
        token = min(found or self.where[block])
        if found:
            self.mingle(found)  # any of them may have been the one: the others keep what was known of all
        for tokens in self.where:
            if len(tokens) > 1:
                tokens.discard(token)
        self.where[block] = {token}
        if steps is not None:
            self.count(token, block, steps)
        return token

    def count(self, token: int, block: int, steps: int) -> None:
        """Learn how many steps a known block has left."""
        lost = self.facts.full[block] - steps
        self.steps[token], self.lost[token] = (steps, steps), (lost, lost)

    def bounds(self, token: int, block: int) -> tuple[int, int]:
        """Return the fewest and most steps a token has if it is `block`; if it cannot be, the fewest are more."""
        full, (least, most), (fewest, worst) = self.facts.full[block], self.steps[token], self.lost[token]
        return max(least, full - worst), min(most, full - fewest)

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
    if not isinstance(event, told.CameToPort):
        was_moved = isinstance(event, told.Regrouped) and event.moved
        group = [token for token in group if belief.moved[token] == was_moved] or group
    token = belief.leave(group, _by_way(facts, event.path, isinstance(event, told.Moved) and event.by_sea))
    if token is not None:
        belief.place[token] = facts.space_index[event.path[-1]]
        belief.moved[token] |= ordered
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
        belief.place[token], belief.side[token] = city, seat
        belief.steps[token], belief.lost[token] = (1, 1), (0, MOST_STEPS - 1)


def _saw_step(belief: Belief, event: Event) -> None:
    assert isinstance(event, told.Reinforced)
    if event.block is not None:  # the viewer's own: another may get it yet, as Cleopatra (8.1)
        block = belief.facts.block_index[event.block]
        belief.count(belief.of_block(block), block, event.steps or 1)
        return
    facts, seat = belief.facts, SEATS.index(event.seat)
    city = facts.space_index[event.city]
    here = [token for token in range(len(facts.blocks)) if belief.place[token] == city and belief.side[token] == seat]
    sure = len(here) == 1
    for token in here:
        (least, most), (fewest, worst) = belief.steps[token], belief.lost[token]
        belief.steps[token] = min(least + sure, MOST_STEPS), min(most + 1, MOST_STEPS)
        belief.lost[token] = max(fewest - 1, 0), max(worst - sure, 0)


def _saw_vulcan(belief: Belief, event: Event) -> None:
    """Who is still there after it has lost a step; Cleopatra at strength I may have been spared."""
    assert isinstance(event, told.VulcanStruck)
    city = belief.facts.space_index[event.space]
    for token, place in enumerate(belief.place):
        if place == city:
            (least, most), (fewest, worst) = belief.steps[token], belief.lost[token]
            spared = token == belief.facts.cleopatra
            belief.steps[token] = max(1, least - 1), max(1, most - 1)
            belief.lost[token] = fewest + (not spared), worst + 1


def _saw_step_lost(belief: Belief, event: Event) -> None:
    assert isinstance(event, told.StepLost | told.Weakened)
    block = belief.facts.block_index[event.block]
    belief.count(belief.of_block(block), block, event.steps)


def _saw_battle_begin(belief: Belief, event: Event) -> None:
    belief.arriving = False


def _saw_revealed(belief: Belief, event: Event) -> None:
    """7.1, 7.3: first the blocks that are engaged are tipped forward, then the reserves."""
    assert isinstance(event, told.Revealed)
    facts, space = belief.facts, belief.facts.space_index[event.space]
    known: set[int] = set()
    for seat_name, name, steps, moved in event.blocks:
        block, seat = facts.block_index[name], SEATS.index(seat_name)
        if block == facts.cleopatra:
            belief.count(block, block, steps)
            continue
        group = [t for t in belief.tokens(space, seat, facts.colour[block]) if t not in known]
        looks = (moved, belief.arriving)
        fitting = [t for t in group if (belief.moved[t], belief.reserve[t]) == looks] or group
        known.add(belief.know(block, fitting, steps))
    belief.arriving = True


def _saw_round(belief: Belief, event: Event) -> None:
    assert isinstance(event, told.RoundBegan)
    _end_reserves(belief, event.space)


def _end_reserves(belief: Belief, name: str) -> None:
    space = belief.facts.space_index[name]
    for token, place in enumerate(belief.place):
        if place == space:
            belief.reserve[token] = False


def _saw_shown(belief: Belief, event: Event) -> None:
    assert isinstance(event, told.Shown)
    facts, seat = belief.facts, SEATS.index(event.seat)
    block = facts.block_index[event.block]
    belief.know(block, belief.tokens(facts.space_index[event.space], seat, facts.colour[block]), event.steps)


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
    """The drawn block is known to the players at once; it goes when its new owner has chosen the city."""
    assert isinstance(event, told.Defecting)
    facts, seat, colour = belief.facts, SEATS.index(event.seat), COLOURS.index(event.colour)
    block = None if event.block is None else facts.block_index[event.block]
    group = [facts.cleopatra] if event.colour == "blue" else []
    group = group or belief.tokens(facts.space_index[event.space], 1 - seat, colour)
    group = [t for t in group if (belief.moved[t], belief.reserve[t]) == (event.moved, event.reserve)] or group
    if block is not None:
        token: int | None = belief.know(block, group, event.steps)
    elif event.city is None:
        return
    else:
        token = belief.leave(group, lambda b: not facts.is_leader[b] and not facts.is_navis[b])
    if token is not None and event.city is not None:
        belief.place[token], belief.side[token] = facts.space_index[event.city], seat
        belief.moved[token], belief.reserve[token] = event.moved, False


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
    belief.side[cleopatra] = SEATS.index(event.seat)
    belief.count(cleopatra, cleopatra, 1)


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
    _end_reserves(belief, event.space)


def _saw_turn(belief: Belief, event: Event) -> None:
    belief.moved = [False] * len(belief.moved)
    if isinstance(event, told.YearBegan):
        # Who is dead is known by name; which token bears the name is not the same thing.
        for block, tokens in enumerate(belief.where):
            token = min(tokens)
            if len(tokens) == 1 and belief.place[token] == DEAD and not belief.facts.is_leader[block]:
                belief.place[token] = POOL


_HANDLERS: dict[type, Callable[[Belief, Event], None]] = {
    told.Moved: _saw_move,
    told.Regrouped: _saw_move,
    told.CameToPort: _saw_move,
    told.Levied: _saw_levy,
    told.Reinforced: _saw_step,
    told.VulcanStruck: _saw_vulcan,
    told.Revealed: _saw_revealed,
    told.BattleBegan: _saw_battle_begin,
    told.RoundBegan: _saw_round,
    told.Weakened: _saw_step_lost,
    told.StepLost: _saw_step_lost,
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
