"""One viewer before one state: compare all he gets with what he would get in another world."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from lictor.engine.chance import Chance, SeededChance
from lictor.engine.fog.comparing import first_difference, leaves
from lictor.engine.fog.report import FogReport
from lictor.engine.game import Action, AnyGame, GameError, IllegalAction, Path, Viewer, canonical_json, seen_events

Order: TypeAlias = tuple[str, Action]  # seat and action
_WORLDS = 12  # worlds drawn before a state is said to have but one, or a step not to be possible in another
_PROBES = 3  # forbidden actions tried per comparison, for their error texts, of each sort


class Sight:
    """All that a viewer gets of a state, in canonical form."""

    def __init__(self, game: AnyGame, state: Any, viewer: Viewer) -> None:
        self.to_act = game.to_act(state)
        self.outcome = game.outcome(state)
        self.view = game.observation(state, viewer)
        self.facts = self.view.facts()
        self.observation = canonical_json(self.facts)
        self.legal = [str(action) for action in game.legal_actions(state, viewer)] if viewer in game.SEATS else []


class Viewpoint:
    """A viewer of a state, with what he has seen so far; `check` finds what he should not have learnt."""

    def __init__(
        self, game: AnyGame, state: Any, viewer: Viewer, chance: Chance, report: FogReport, where: str
    ) -> None:
        self.game, self.state, self.viewer = game, state, viewer
        self.chance, self.report, self.where = chance, report, where
        self.sight = Sight(game, state, viewer)
        self.dumped = game.dump(state)

    def check(self, history: Sequence[Any], order: Order | None, past: Sequence[Action]) -> None:
        """Compare the state with other worlds, before and after an order."""
        world = self._other_world()
        if world is None:
            hidden = (path for path, _ in self._facts() if self.viewer not in self.game.FOG.knowers(self.dumped, path))
            self.report.single_worlds += any(True for _ in hidden)
            return
        self.report.comparisons += 1
        self._compare(self.sight, world, "another world")
        self._compare_errors(world, past)
        self._count_differences(self.game.dump(world))
        self._compare_sample(history)
        if order is not None:
            self._compare_step(*order)

    def _leak(self, what: str) -> None:
        self.report.leaks.append(f"{self.where}: {what}")

    def _facts(self) -> Iterator[tuple[Path, Any]]:
        return leaves(self.dumped, self.game.FOG.leaves)

    def _other_world(self) -> Any:
        mine = self.game.digest(self.state)
        for _ in range(_WORLDS):
            world = self.game.redeal(self.state, self.viewer, self.chance)
            if self.game.digest(world) != mine:
                return world
        return None

    def _compare(self, mine: Sight, world: Any, when: str) -> None:
        other = Sight(self.game, world, self.viewer)
        for name in ("to_act", "outcome", "legal"):
            if getattr(mine, name) != getattr(other, name):
                self._leak(f"{when}: {name} differs")
        if mine.observation != other.observation:
            self._leak(f"{when}: the observation differs at {first_difference(mine.facts, other.facts)}")
        elif mine.view != other.view:
            self._leak(f"{when}: the observation differs in what its facts do not tell")

    def _compare_sample(self, history: Sequence[Any]) -> None:
        """A sample looks as the state does, and holds all that the viewer may know: nothing is withheld from him."""
        game = self.game
        sampled = game.sample(self.sight.view, history, self.chance)
        there = game.observation(sampled, self.viewer).facts()
        if canonical_json(there) != self.sight.observation:
            self._leak(f"a sampled state looks different at {first_difference(self.sight.facts, there)}")
            return
        rebuilt = dict(leaves(game.dump(sampled), game.FOG.leaves))
        for path, value in self._facts():
            if self._may_know(path) and rebuilt.get(path) != value:
                self._leak(f"{' '.join(path)} may be known, but cannot be rebuilt from what he gets")

    def _may_know(self, path: Path) -> bool:
        """Tell whether the rules let the viewer know a fact; what nobody has classed is told as a leak."""
        try:
            return self.viewer in self.game.FOG.knowers(self.dumped, path)
        except GameError as error:
            self._leak(str(error))
            return False

    def _compare_errors(self, world: Any, past: Sequence[Action]) -> None:
        """Let the viewer try what others may do, or somebody once might: the refusals must read the same."""
        game = self.game
        if self.viewer not in game.SEATS:
            return
        others = [seat for seat in game.SEATS if seat != self.viewer]
        now = [action for place in (self.state, world) for seat in others for action in game.legal_actions(place, seat)]
        for tried in (now, past):
            for _ in range(_PROBES if tried else 0):
                action = tried[self.chance.draw(len(tried))]
                forbidden = str(action) not in self.sight.legal
                if forbidden and self._refusal(self.state, action) != self._refusal(world, action):
                    self._leak(f"the refusal of {action} reads differently")

    def _refusal(self, state: Any, action: Action) -> str:
        try:
            self.game.apply(self.game.copy(state), self.viewer, action)
        except IllegalAction as error:
            return str(error)
        return ""

    def _count_differences(self, other: Mapping[str, Any]) -> None:
        """Check the declaration: what the viewer may know is equal in both worlds; count what is not."""
        others, situation = dict(leaves(other, self.game.FOG.leaves)), self.game.FOG.situation(self.state)
        for path, value in self._facts():
            there = others.get(path)
            if self._may_know(path):
                if there != value:
                    self._leak(f"{' '.join(path)} may be known, but another world has another value")
                continue
            for fact, differs in _redrawable(path, value, there):
                everywhere, here = (self.viewer, *fact), (self.viewer, situation, *fact)
                self.report.hidden[everywhere] += 1
                self.report.hidden[here] += path[-1] == "steps"  # a piece on the table differs in every situation
                if differs:
                    self.report.redrawn |= {everywhere, here}
            if there != value:
                self.report.differed[self.game.FOG.kind(self.dumped, path)] += 1

    def _compare_step(self, seat: str, action: Action) -> None:
        """Let the same happen in both worlds; what this very step lays open to the viewer is left alone."""
        game, draws = self.game, self.chance.draw(10**9)
        mine = game.copy(self.state, SeededChance(draws))
        events = game.apply(mine, seat, action)
        opened = self._opened(str(action), events, self.state, mine)
        after, told = Sight(game, mine, self.viewer), self._told(events)
        unseen = (after.observation, after.legal) == (self.sight.observation, self.sight.legal) and not any(told)
        if seat != self.viewer and game.FOG.secret(self.state, seat, action) and not unseen:
            self._leak("an order given in secret is noticed")
        for _ in range(_WORLDS):
            world = game.redeal(self.state, self.viewer, self.chance, opened)
            other = game.copy(world, SeededChance(draws))
            same = action if seat == self.viewer else game.counterpart(self.state, seat, action, other)
            if same is None or same not in game.legal_actions(other, seat):
                continue
            there = game.apply(other, seat, same)
            # Where other things are laid open nothing can be compared, but the claim to them must hold there, too.
            if self._opened(str(same), there, world, other) != opened:
                continue
            self.report.comparisons += 1
            self.report.steps += 1
            self.report.topics.update(game.FOG.topic(self.state, action, event) for event in events)
            self._compare_told(told, self._told(there))
            self._compare(after, other, "after it")
            return
        self.report.not_carried += 1

    def _opened(self, order: str, events: Sequence[Any], before: Any, after: Any) -> frozenset[str]:
        """Return what a step lays open to the viewer; only events of which the rules say so may claim that."""
        claims = [(event, names) for event in events if (names := tuple(event.reveals(self.viewer)))]
        was, now = (self.game.dump(before), self.game.dump(after)) if claims else ({}, {})
        for event, names in claims:
            if not self.game.FOG.opens(event, self.viewer, order, events, was, now):
                self._leak(f"{type(event).__name__} may not lay open {', '.join(names)}")
        return frozenset(name for _, names in claims for name in names)

    def _told(self, events: Sequence[Any]) -> tuple[list[Any], list[str]]:
        words = [text for event in events if (text := self.game.describe(event, self.viewer))]
        return seen_events(events, self.viewer), words

    def _compare_told(self, mine: tuple[list[Any], list[str]], other: tuple[list[Any], list[str]]) -> None:
        facts, facts_there = ([event.facts() for event in told] for told, _ in (mine, other))
        if canonical_json(facts) != canonical_json(facts_there):
            self._leak(f"the events differ at {first_difference(facts, facts_there)}")
        elif mine[0] != other[0]:
            self._leak("the events differ in what their facts do not tell")
        if mine[1] != other[1]:
            self._leak(f"the words differ at {first_difference(mine[1], other[1])}")


def _redrawable(path: Path, mine: Any, other: Any) -> Iterator[tuple[tuple[object, ...], bool]]:
    """Yield what must get redrawn sooner or later: of a piece any of its values, of a list each member."""
    if isinstance(mine, list):
        there = other if isinstance(other, list) else []
        yield from (((*path, member), member not in there) for member in mine)
    elif mine:
        yield (path[:-1] if len(path) > 2 else path), mine != other
