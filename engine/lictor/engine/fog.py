"""The fog law: what a viewer gets depends on nothing that he may not know.

For a state S and a viewer, S' is another world that he cannot tell from S. Then to_act, outcome, his observation, his
legal actions and the text of his errors are the same; after the same next action so are his events and his next
observation, unless that very action lays something open; and a state sampled from what he saw looks to him as S does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lictor.engine.chance import Chance, SeededChance
from lictor.engine.game import (
    SPECTATOR,
    Action,
    AnyGame,
    GameError,
    IllegalAction,
    Options,
    Path,
    Viewer,
    canonical_json,
    seen_events,
)

_OFTEN = 60  # a kind of hidden fact that differed less often is looked for
_WORLDS = 8  # worlds drawn before a state is said to have but one
MOST_LEAKS = 20  # then the search ends: the first ones say enough
_PROBES = 3  # forbidden actions tried per comparison, for their error texts


@dataclass(slots=True)
class FogReport:
    """What a check of the fog law did and found."""

    game: str
    states: int = 0
    comparisons: int = 0  # pairs of worlds compared, a step counted as one more
    steps: int = 0  # of them: steps carried over to the other world
    not_carried: int = 0  # steps that are not possible in the other world
    single_worlds: int = 0  # states with something hidden for which no other world was found
    differed: Counter[str] = field(default_factory=Counter)  # hidden facts that really differed, by kind
    leaks: list[str] = field(default_factory=list)

    def missing_kinds(self, game: AnyGame, least: int = 1) -> list[str]:
        """Return the kinds of hidden fact that differed less than `least` times: little is proved about them."""
        return [kind for kind in game.FOG.kinds if self.differed[kind] < least]


def check_games(game: AnyGame, options: Sequence[Options], states: int, seed: int) -> Iterator[FogReport]:
    """Check the law along random games, cycling through `options`, until `states` were visited; yield after each."""
    report = FogReport(game.NAME)
    number = 0
    while report.states < states and len(report.leaks) < MOST_LEAKS:
        _check_game(game, options[number % len(options)], seed + number, states, report)
        number += 1
        yield report


def _check_game(game: AnyGame, options: Options, seed: int, states: int, report: FogReport) -> None:
    """Play one random game; visit about every third state, and every one that hides a rare kind of fact."""
    dice, choose, worlds = SeededChance(seed), SeededChance(seed + 10**9), SeededChance(seed + 2 * 10**9)
    state = game.new_game(options, dice)
    viewers = (*game.SEATS, SPECTATOR)
    history: dict[Viewer, list[Any]] = {viewer: [] for viewer in viewers}
    step = 0
    while (seats := game.to_act(state)) and report.states < states and len(report.leaks) < MOST_LEAKS:
        seat = seats[choose.draw(len(seats))]
        actions = game.legal_actions(state, seat)
        action = game.FOG.choose(state, seat, actions, choose)
        if choose.draw(3) == 0 or _is_rare(game, state, report):
            report.states += 1
            for viewer in viewers:
                where = f"seed {seed} options {dict(options)} step {step} ({seat} {action}) viewer {viewer}"
                check_state(game, state, viewer, history[viewer], (seat, action), worlds, report, where)
        for event in game.apply(state, seat, action):
            for viewer in viewers:
                seen = event.seen_by(viewer)
                if seen is not None:
                    history[viewer].append(seen)
        step += 1


def _is_rare(game: AnyGame, state: Any, report: FogReport) -> bool:
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
    order: tuple[str, Action],
    chance: Chance,
    report: FogReport,
    where: str,
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
    _compare_errors(game, state, world, viewer, chance, report, where)
    _count_differences(game, dumped, game.dump(world), viewer, report, where)
    sampled = game.sample(game.observation(state, viewer), history, chance)
    if canonical_json(game.observation(sampled, viewer).facts()) != before.observation:
        told = first_difference(game.observation(state, viewer).facts(), game.observation(sampled, viewer).facts())
        report.leaks.append(f"{where}: a sampled state looks different at {told}")
    _compare_step(game, state, viewer, order, chance, report, where)


class Sight:
    """All that a viewer gets of a state, in canonical form."""

    def __init__(self, game: AnyGame, state: Any, viewer: Viewer) -> None:
        self.to_act = game.to_act(state)
        self.outcome = game.outcome(state)
        self.facts = game.observation(state, viewer).facts()
        self.observation = canonical_json(self.facts)
        self.legal = [str(action) for action in game.legal_actions(state, viewer)] if viewer in game.SEATS else []


def _compare(mine: Sight, other: Sight, report: FogReport, where: str) -> None:
    for name in ("to_act", "outcome", "legal"):
        if getattr(mine, name) != getattr(other, name):
            report.leaks.append(f"{where}: {name} differs")
    if mine.observation != other.observation:
        report.leaks.append(f"{where}: the observation differs at {first_difference(mine.facts, other.facts)}")


def _compare_errors(
    game: AnyGame, state: Any, world: Any, viewer: Viewer, chance: Chance, report: FogReport, where: str
) -> None:
    """Let the viewer try what others may do, or he himself may not: the refusals must read the same."""
    if viewer not in game.SEATS:
        return
    own = {str(action) for action in game.legal_actions(state, viewer)}
    tried = [action for seat in game.SEATS if seat != viewer for action in game.legal_actions(state, seat)]
    tried += [action for seat in game.SEATS if seat != viewer for action in game.legal_actions(world, seat)]
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
        if others.get(path) != value:
            if known:
                report.leaks.append(f"{where}: {' '.join(path)} may be known, but another world has another value")
            else:
                report.differed[game.FOG.kind(mine, path)] += 1


def _hides_anything(game: AnyGame, dumped: Mapping[str, Any], viewer: Viewer) -> bool:
    return any(viewer not in game.FOG.knowers(dumped, path) for path, _ in leaves(dumped, game.FOG.leaves))


def _compare_step(
    game: AnyGame,
    state: Any,
    viewer: Viewer,
    order: tuple[str, Action],
    chance: Chance,
    report: FogReport,
    where: str,
) -> None:
    """Let the same happen in both worlds; what this very step lays open is left alone."""
    (seat, action), draws = order, chance.draw(10**9)
    mine = game.copy(state, SeededChance(draws))
    events = game.apply(mine, seat, action)
    opened = frozenset(name for event in events for name in event.reveals())
    other = game.copy(game.redeal(state, viewer, chance, opened), SeededChance(draws))
    same = action if seat == viewer else game.counterpart(state, seat, action, other)
    if same is None or same not in game.legal_actions(other, seat):
        report.not_carried += 1
        return
    report.comparisons += 1
    report.steps += 1
    told = [event.facts() for event in seen_events(events, viewer)]
    told_there = [event.facts() for event in seen_events(game.apply(other, seat, same), viewer)]
    if canonical_json(told) != canonical_json(told_there):
        report.leaks.append(f"{where}: the events differ at {first_difference(told, told_there)}")
    _compare(Sight(game, mine, viewer), Sight(game, other, viewer), report, f"{where}: after it")


def leaves(value: Mapping[str, Any], whole: frozenset[Path], path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every single fact of a dump with its path; what `whole` names is one fact."""
    for key, item in value.items():
        here = (*path, str(key))
        if isinstance(item, Mapping) and here not in whole:
            yield from leaves(item, whole, here)
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
