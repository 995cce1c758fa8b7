"""The fog law: what a viewer gets depends on nothing that he may not know.

For a state S and a viewer, S' is another world that he cannot tell from S. Then to_act, outcome, his observation, his
legal actions and the text of his errors are the same; after the same next action so are his events, their words and his
next observation, unless that very action lays something open to him, which only the events may do that the rules name.
Of an order given in secret the others notice nothing. A state sampled from what he saw looks to him as S does, and all
that he may know is in it: nothing is withheld. And S' is really another world: whatever is hidden gets redrawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lictor.engine.chance import Chance, SeededChance
from lictor.engine.game import SPECTATOR, Action, Game, GameError, IllegalAction, Options, Path, Viewer, canonical_json

AnyGame = Game[Any, Any, Any, Any]
_OFTEN = 60  # a kind of hidden fact, or a situation, that was met less often is looked for
_TOPIC_OFTEN = 4  # an event about a kind of piece that was compared less often is looked for
_SITUATION_OFTEN = 15  # a decision of which fewer states were compared is looked for
_WORLDS = 12  # worlds drawn before a state is said to have but one, or a step not to be possible in another
MOST_LEAKS = 20  # then the search ends: the first ones say enough
_PROBES = 3  # forbidden actions tried per comparison, for their error texts, of each sort
_REMEMBERED = 400  # actions of the past that are tried again where they are forbidden


@dataclass(slots=True)
class FogReport:
    """What a check of the fog law did and found."""

    game: str
    states: int = 0
    comparisons: int = 0  # pairs of worlds compared, a step counted as one more
    steps: int = 0  # of them: steps carried over to the other world
    not_carried: int = 0  # steps that are not possible in another world, or lay other things open there
    single_worlds: int = 0  # states with something hidden for which no other world was found
    differed: Counter[str] = field(default_factory=Counter)  # hidden facts that really differed, by kind
    situations: Counter[str] = field(default_factory=Counter)  # states compared, by what was being decided
    topics: Counter[str] = field(default_factory=Counter)  # events compared
    hidden: Counter[tuple[object, ...]] = field(default_factory=Counter)  # hidden facts met, by viewer and path
    redrawn: set[tuple[object, ...]] = field(default_factory=set)  # those that have differed
    leaks: list[str] = field(default_factory=list)

    def missing_kinds(self, game: AnyGame, least: int = 1) -> list[str]:
        """Return the kinds of hidden fact that differed less than `least` times: little is proved about them."""
        return [kind for kind in game.FOG.kinds if self.differed[kind] < least]

    def missing_situations(self, game: AnyGame, least: int = 1) -> list[str]:
        """Return the decisions of which fewer than `least` states were compared."""
        return [name for name in game.FOG.situations if self.situations[name] < least]

    def stuck(self, least: int = 100) -> list[str]:
        """Return the hidden facts that were met `least` times and were the same in every other world."""
        found = [key for key, count in self.hidden.items() if count >= least and key not in self.redrawn]
        return sorted(" ".join(map(str, key)) for key in found)


def check_games(game: AnyGame, options: Sequence[Options], states: int, seed: int) -> Iterator[FogReport]:
    """Check the law along random games, cycling through `options`, until `states` were visited; yield after each."""
    report = FogReport(game.NAME)
    number = 0
    while report.states < states and len(report.leaks) < MOST_LEAKS:
        _check_game(game, options[number % len(options)], seed + number, states, report)
        number += 1
        yield report


def _check_game(game: AnyGame, options: Options, seed: int, states: int, report: FogReport) -> None:
    """Play one random game; visit about every third state, every one with something rare, and the last."""
    dice, choose, worlds = SeededChance(seed), SeededChance(seed + 10**9), SeededChance(seed + 2 * 10**9)
    state = game.new_game(options, dice)
    viewers = (*game.SEATS, SPECTATOR)
    history: dict[Viewer, list[Any]] = {viewer: [] for viewer in viewers}
    past: list[Action] = []
    step = 0

    def visit(state: Any, order: tuple[str, Action] | None) -> None:
        report.states += 1
        report.situations[game.FOG.situation(state)] += 1
        for viewer in viewers:
            told = f"({order[0]} {order[1]})" if order else "(the end)"
            where = f"seed {seed} options {dict(options)} step {step} {told} viewer {viewer}"
            check_state(game, state, viewer, history[viewer], order, worlds, report, where, past)

    while (seats := game.to_act(state)) and report.states < states and len(report.leaks) < MOST_LEAKS:
        seat = seats[choose.draw(len(seats))]
        actions = game.legal_actions(state, seat)
        action = game.FOG.choose(state, seat, actions, choose)
        before = game.copy(state)
        events = game.apply(state, seat, action)
        rare = any(report.topics[game.FOG.topic(state, event)] < _TOPIC_OFTEN for event in events)
        if choose.draw(3) == 0 or rare or _is_rare(game, before, report):
            visit(before, (seat, action))
        _remember(past, actions, choose)
        for viewer in viewers:
            history[viewer] += seen_events(events, viewer)
        step += 1
    if not game.to_act(state):
        visit(state, None)


def _remember(past: list[Action], actions: Sequence[Action], chance: Chance) -> None:
    for _ in range(3):
        action = actions[chance.draw(len(actions))]
        if len(past) < _REMEMBERED:
            past.append(action)
        else:
            past[chance.draw(_REMEMBERED)] = action


def _is_rare(game: AnyGame, state: Any, report: FogReport) -> bool:
    if report.situations[game.FOG.situation(state)] < _SITUATION_OFTEN:
        return True
    wanted = report.missing_kinds(game, _OFTEN)
    if not wanted:
        return False
    dumped = game.dump(state)
    hidden = (path for path, _ in leaves(dumped, game.FOG.leaves) if SPECTATOR not in game.FOG.knowers(dumped, path))
    return any(game.FOG.kind(dumped, path) in wanted for path in hidden)


def check_state(
    game: AnyGame,
    state: Any,
    viewer: Viewer,
    history: Sequence[Any],
    order: tuple[str, Action] | None,
    chance: Chance,
    report: FogReport,
    where: str,
    past: Sequence[Action] = (),
) -> None:
    """Compare one state with other worlds of one viewer, before and after an order."""
    before = Sight(game, state, viewer)
    dumped = game.dump(state)
    world = next(
        (
            other
            for _ in range(_WORLDS)
            if game.digest(other := game.redeal(state, viewer, chance)) != game.digest(state)
        ),
        None,
    )
    if world is None:
        report.single_worlds += _hides_anything(game, dumped, viewer)
        return
    report.comparisons += 1
    _compare(before, Sight(game, world, viewer), report, f"{where}: another world")
    _compare_errors(game, state, world, viewer, chance, report, where, past)
    _count_differences(game, dumped, game.dump(world), viewer, report, where)
    _compare_sample(game, state, dumped, viewer, history, chance, report, where)
    if order is not None:
        _compare_step(game, state, before, viewer, order, chance, report, where)


class Sight:
    """All that a viewer gets of a state, in canonical form."""

    def __init__(self, game: AnyGame, state: Any, viewer: Viewer) -> None:
        self.to_act = game.to_act(state)
        self.outcome = game.outcome(state)
        self.view = game.observation(state, viewer)
        self.facts = self.view.facts()
        self.observation = canonical_json(self.facts)
        self.legal = [str(action) for action in game.legal_actions(state, viewer)] if viewer in game.SEATS else []


def _compare(mine: Sight, other: Sight, report: FogReport, where: str) -> None:
    for name in ("to_act", "outcome", "legal"):
        if getattr(mine, name) != getattr(other, name):
            report.leaks.append(f"{where}: {name} differs")
    if mine.observation != other.observation:
        report.leaks.append(f"{where}: the observation differs at {first_difference(mine.facts, other.facts)}")
    elif mine.view != other.view:
        report.leaks.append(f"{where}: the observation differs in what its facts do not tell")


def _compare_sample(
    game: AnyGame,
    state: Any,
    dumped: Mapping[str, Any],
    viewer: Viewer,
    history: Sequence[Any],
    chance: Chance,
    report: FogReport,
    where: str,
) -> None:
    """A sample looks as the state does, and holds all that the viewer may know: nothing is withheld from him."""
    seen = game.observation(state, viewer)
    sampled = game.sample(seen, history, chance)
    mine, there = seen.facts(), game.observation(sampled, viewer).facts()
    if canonical_json(mine) != canonical_json(there):
        report.leaks.append(f"{where}: a sampled state looks different at {first_difference(mine, there)}")
        return
    rebuilt = dict(leaves(game.dump(sampled), game.FOG.leaves))
    for path, value in leaves(dumped, game.FOG.leaves):
        if viewer in game.FOG.knowers(dumped, path) and rebuilt.get(path) != value:
            report.leaks.append(f"{where}: {' '.join(path)} may be known, but cannot be rebuilt from what he gets")


def _compare_errors(
    game: AnyGame,
    state: Any,
    world: Any,
    viewer: Viewer,
    chance: Chance,
    report: FogReport,
    where: str,
    past: Sequence[Action],
) -> None:
    """Let the viewer try what others may do, or somebody once might: the refusals must read the same."""
    if viewer not in game.SEATS:
        return
    own = {str(action) for action in game.legal_actions(state, viewer)}
    others = [seat for seat in game.SEATS if seat != viewer]
    now = [action for place in (state, world) for seat in others for action in game.legal_actions(place, seat)]
    for tried in (now, past):
        for _ in range(_PROBES if tried else 0):
            action = tried[chance.draw(len(tried))]
            if str(action) not in own and _refusal(game, state, viewer, action) != _refusal(game, world, viewer, action):
                report.leaks.append(f"{where}: the refusal of {action} reads differently")


def _refusal(game: AnyGame, state: Any, seat: str, action: Action) -> str:
    try:
        game.apply(game.copy(state), seat, action)
    except IllegalAction as error:
        return str(error)
    return ""


def _count_differences(
    game: AnyGame, mine: Mapping[str, Any], other: Mapping[str, Any], viewer: Viewer, report: FogReport, where: str
) -> None:
    """Check the declaration: what the viewer may know is equal in both worlds; count what is not."""
    others = dict(leaves(other, game.FOG.leaves))
    for path, value in leaves(mine, game.FOG.leaves):
        try:
            known = viewer in game.FOG.knowers(mine, path)
        except GameError as error:
            report.leaks.append(f"{where}: {error}")
            continue
        there = others.get(path)
        if not known:
            for fact, differs in _facts_at(path, value, there):
                report.hidden[viewer, *fact] += 1
                if differs:
                    report.redrawn.add((viewer, *fact))
        if there != value:
            if known:
                report.leaks.append(f"{where}: {' '.join(path)} may be known, but another world has another value")
            else:
                report.differed[game.FOG.kind(mine, path)] += 1


def _facts_at(path: Path, mine: Any, other: Any) -> Iterator[tuple[tuple[object, ...], bool]]:
    """Yield what must get redrawn: of a piece any of its values, of a list each member."""
    if isinstance(mine, list):
        there = other if isinstance(other, list) else []
        yield from (((*path, member), member not in there) for member in mine)
    elif mine:
        yield (path[:-1] if len(path) > 2 else path), mine != other


def _hides_anything(game: AnyGame, dumped: Mapping[str, Any], viewer: Viewer) -> bool:
    return any(viewer not in game.FOG.knowers(dumped, path) for path, _ in leaves(dumped, game.FOG.leaves))


def _compare_step(
    game: AnyGame,
    state: Any,
    before: Sight,
    viewer: Viewer,
    order: tuple[str, Action],
    chance: Chance,
    report: FogReport,
    where: str,
) -> None:
    """Let the same happen in both worlds; what this very step lays open to the viewer is left alone."""
    (seat, action), draws = order, chance.draw(10**9)
    mine = game.copy(state, SeededChance(draws))
    events = game.apply(mine, seat, action)
    opened = _opened(game, state, mine, str(action), events, viewer, report, where)
    sight = Sight(game, mine, viewer)
    told, words = _told(game, events, viewer)
    if seat != viewer and game.FOG.secret(state, seat, action):
        if told or words or (sight.observation, sight.legal) != (before.observation, before.legal):
            report.leaks.append(f"{where}: an order given in secret is noticed")
    for _ in range(_WORLDS):
        other = game.copy(game.redeal(state, viewer, chance, opened), SeededChance(draws))
        same = action if seat == viewer else game.counterpart(state, seat, action, other)
        if same is None or same not in game.legal_actions(other, seat):
            continue
        there = game.apply(other, seat, same)
        if frozenset(name for event in there for name in event.reveals(viewer)) != opened:
            continue
        report.comparisons += 1
        report.steps += 1
        report.topics.update(game.FOG.topic(state, event) for event in events)
        told_there, words_there = _told(game, there, viewer)
        facts, facts_there = [event.facts() for event in told], [event.facts() for event in told_there]
        if canonical_json(facts) != canonical_json(facts_there):
            report.leaks.append(f"{where}: the events differ at {first_difference(facts, facts_there)}")
        elif told != told_there:
            report.leaks.append(f"{where}: the events differ in what their facts do not tell")
        if words != words_there:
            report.leaks.append(f"{where}: the words differ at {first_difference(words, words_there)}")
        _compare(sight, Sight(game, other, viewer), report, f"{where}: after it")
        return
    report.not_carried += 1


def _opened(
    game: AnyGame,
    before: Any,
    after: Any,
    order: str,
    events: Sequence[Any],
    viewer: Viewer,
    report: FogReport,
    where: str,
) -> frozenset[str]:
    """Return what a step lays open to the viewer; only events of which the rules say so may claim that."""
    claims = [(event, tuple(event.reveals(viewer))) for event in events]
    claims = [(event, names) for event, names in claims if names]
    if claims:
        dumped, then = game.dump(before), game.dump(after)
        for event, names in claims:
            if not game.FOG.opens(event, viewer, order, dumped, then):
                report.leaks.append(f"{where}: {type(event).__name__} may not lay open {', '.join(names)}")
    return frozenset(name for _, names in claims for name in names)


def _told(game: AnyGame, events: Sequence[Any], viewer: Viewer) -> tuple[list[Any], list[str]]:
    return seen_events(events, viewer), [words for event in events if (words := game.describe(event, viewer))]


def seen_events(events: Sequence[Any], viewer: Viewer) -> list[Any]:
    """Return the events as `viewer` sees them, without those he does not notice."""
    return [seen for event in events if (seen := event.seen_by(viewer)) is not None]


def leaves(value: Mapping[str, Any], patterns: frozenset[Path], path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every single fact of a dump with its path; what a pattern names is one fact."""
    for key, item in value.items():
        here = (*path, str(key))
        if isinstance(item, Mapping) and here not in patterns:
            yield from leaves(item, patterns, here)
        else:
            yield here, item


def first_difference(one: Any, other: Any, path: str = "") -> str:
    """Return where two plain values first differ, and how."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in sorted({*one, *other}, key=str):
            if one.get(key) != other.get(key):
                return first_difference(one.get(key), other.get(key), f"{path}.{key}" if path else str(key))
    if isinstance(one, list | tuple) and isinstance(other, list | tuple) and len(one) == len(other):
        for number, (a, b) in enumerate(zip(one, other, strict=True)):
            if a != b:
                return first_difference(a, b, f"{path}[{number}]")
    return f"{path or 'the top'}: {one!r:.80} against {other!r:.80}"
