"""What a game is, seen from outside. Server, ladder and generic tests know games only through this."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from lictor.engine.chance import Chance

Seat: TypeAlias = str
Viewer: TypeAlias = str
Options: TypeAlias = Mapping[str, object]

SPECTATOR: Viewer = "spectator"
MOST_CLAIMS = 200  # that a bot says it believes, about one position
CLAIM_LENGTH = 80


class GameError(Exception):
    """Something was asked of a game that it cannot do; the text says what to do instead."""


class IllegalAction(GameError):
    """The action may not be taken now; nothing has changed."""


class BadNotation(GameError):
    """The text is not an action, or not a claim, of this game."""


class UnknownSeat(IllegalAction):
    """There is no such seat, or no such viewer, in this game."""


class BadOption(GameError):
    """An option is unknown, or has a value it may not have."""


class BadData(GameError):
    """A game's data file contradicts itself; the text names the entry."""


class BadState(GameError):
    """A dumped state is malformed or impossible."""


@dataclass(frozen=True, slots=True)
class Option:
    """A choice made before a game: what it may be, what it is by default, and what it means."""

    default: Any
    meaning: str
    values: tuple[str, ...] | None = None  # None: free, checked by the game


Path: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fog:
    """What is hidden in a game's dump, declared apart from the code that shows things to viewers.

    `knowers(dump, path)` are the viewers who may know the value at `path`; a path it does not know raises `BadState`.
    `kind(dump, path)` is the kind of hidden fact it is, one of `kinds`; `leaves` are the paths of mappings that are one
    fact. `choose(state, seat, actions, chance)` plays so that every kind comes about.
    """

    kinds: tuple[str, ...]
    leaves: frozenset[Path]
    knowers: Callable[[Mapping[str, Any], Path], frozenset[Viewer]]
    kind: Callable[[Mapping[str, Any], Path], str]
    choose: Callable[[Any, Seat, Sequence[Any], Chance], Any]
    # Whether the rules let an event lay open what it claims to a viewer, given the order, its events and the dumps.
    opens: Callable[[Any, Viewer, str, Sequence[Any], Mapping[str, Any], Mapping[str, Any]], bool]
    secret: Callable[[Any, Seat, Any], bool]  # an order of which nobody else may notice anything
    situation: Callable[[Any], str]  # what is being decided, one of `situations`
    situations: tuple[str, ...]
    topic: Callable[[Any, Any, Any], str]  # what an event after an action is about: each must be compared often


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: the winner or `None`, the game's reason, and its own score per seat."""

    winner: Seat | None
    reason: str
    score: Mapping[Seat, int]


class Action(Protocol):
    """One spoken order. `str` gives its notation."""

    def __str__(self) -> str: ...
    def __hash__(self) -> int: ...


class Claim(Protocol):
    """A statement about what is hidden, true or not in a full state. `str` gives its notation."""

    @property
    def kind(self) -> str:
        """What it is about: the first word of its notation."""

    def __str__(self) -> str: ...


class Event(Protocol):
    """Something that happened, with all there is to know of it."""

    def seen_by(self, viewer: Viewer) -> Event | None:
        """Return the event as `viewer` may see it, or `None` if he notices nothing."""

    def reveals(self, viewer: Viewer) -> Iterable[str]:
        """Return the names of pieces and cards whose hidden facts this event lays open to `viewer`."""

    def facts(self) -> dict[str, object]:
        """Return the event as plain JSON values, with its kind."""


class Observation(Protocol):
    """All that a viewer may know of a position, without memory of what went before."""

    @property
    def viewer(self) -> Viewer: ...

    def facts(self) -> dict[str, object]:
        """Return the observation as plain JSON values."""


S = TypeVar("S")
A = TypeVar("A", bound=Action)
E = TypeVar("E", bound=Event)
O = TypeVar("O", bound=Observation)  # noqa: E741


class Memory(Protocol):
    """What a viewer has seen."""

    def see(self, event: Any) -> None:
        """Take notice of an event, as the viewer sees it."""

    def draw(self, observation: Any, chance: Chance) -> Any:
        """Draw a full state that fits what the viewer sees now and has seen."""


class Game(Protocol[S, A, E, O]):
    """A game: a module with these names."""

    @property
    def NAME(self) -> str: ...
    @property
    def EDITIONS(self) -> tuple[str, ...]: ...
    @property
    def SEATS(self) -> tuple[Seat, ...]: ...
    @property
    def RULES_EPOCH(self) -> int: ...
    @property
    def OPTIONS(self) -> Mapping[str, Option]: ...
    @property
    def FOG(self) -> Fog: ...

    def new_game(self, options: Options, chance: Chance) -> S:
        """Set up a game that draws from `chance` for the rest of its life."""

    def to_act(self, state: S) -> tuple[Seat, ...]:
        """Return the seats that owe a decision: none if over, several if simultaneous."""

    def legal_actions(self, state: S, seat: Seat) -> list[A]:
        """Return every action `seat` may take now, none twice, in a stable order."""

    def apply(self, state: S, seat: Seat, action: A) -> list[E]:
        """Carry out `action` in place, or raise `IllegalAction` and change nothing."""

    def observation(self, state: S, viewer: Viewer) -> O:
        """Return what `viewer` may know."""

    def outcome(self, state: S) -> Outcome | None:
        """Return how the game ended, or `None` while it goes on."""

    def score(self, state: S) -> Mapping[Seat, int]:
        """Return the game's own score per seat, as all can see it now."""

    def turn_number(self, state: S) -> int:
        """Return how many game turns have begun: it never falls, all can see it, and clocks are paid by it."""

    def parse_action(self, text: str) -> A:
        """Read an action from its notation, or raise `BadNotation`."""

    def parse_claim(self, text: str) -> Claim:
        """Read a claim about what is hidden from its notation, or raise `BadNotation`."""

    def holds(self, state: S, claim: Any) -> bool:
        """Tell whether a claim is true in `state`; raise `BadNotation` if it names what is not in the game."""

    def believe(self, worlds: Sequence[S], viewer: Viewer) -> list[tuple[str, float]]:
        """Return up to `MOST_CLAIMS` claims about what `viewer` cannot see, each with its share of `worlds`, smoothed.

        The worlds are full states that look alike to him, as `sample` draws them.
        """

    def describe(self, event: E, viewer: Viewer) -> str:
        """Tell in words what `viewer` sees of `event`; empty if nothing."""

    def catalog(self, options: Options) -> dict[str, Any]:
        """Return the static data a client needs: spaces, pieces, cards, provenance."""

    def snapshot(self, state: S) -> dict[str, Any]:
        """Return the position in the form in which engines are compared."""

    def dump(self, state: S) -> dict[str, Any]:
        """Return everything the future depends on, except the chance, as plain JSON values."""

    def load(self, dumped: Mapping[str, Any], chance: Chance) -> S:
        """Rebuild a state from `dump`, or raise `BadState`."""

    def digest(self, state: S) -> str:
        """Return the SHA-256 of the canonical JSON of `dump`."""

    def copy(self, state: S, chance: Chance | None = None) -> S:
        """Return an independent twin that draws from `chance`.

        Without one, drawing is a `ChanceError`, and the twin may then be left in the middle of a step.
        """

    def sample(self, observation: O, events: Sequence[E], chance: Chance) -> S:
        """Draw a full state that fits what a viewer sees now and saw in `events`."""

    def remember(self, observation: O) -> Memory:
        """Return a memory for the viewer of `observation`, for who draws states again and again."""

    def redeal(self, state: S, viewer: Viewer, chance: Chance, keep: frozenset[str] = frozenset()) -> S:
        """Draw everything hidden from `viewer` anew, except what is named in `keep`; it draws on from `chance`."""

    def counterpart(self, state: S, seat: Seat, action: A, other: S) -> A | None:
        """Return the action in the re-dealt state `other` that looks the same from outside, if it exists."""

    def evaluate(self, state: S, seat: Seat) -> float:
        """Estimate `seat`'s chance to win, between 0 and 1, from full knowledge."""

    def advise(self, state: S, seat: Seat, chance: Chance, style: str = "steady") -> list[A]:
        """Return what a sensible player of `style`, "novice" or "steady", might do, quickly.

        The first action is legal now; others are to follow it, as far as they will be legal then.
        """


AnyGame: TypeAlias = Game[Any, Any, Any, Any]


def seen_events(events: Iterable[Any], viewer: Viewer) -> list[Any]:
    """Return the events as `viewer` sees them, without those he does not notice."""
    return [seen for event in events if (seen := event.seen_by(viewer)) is not None]


def smoothed(number: int, of: int) -> float:
    """Return a share as the chance to believe in: never 0 and never 1."""
    return (number + 0.5) / (of + 1)


def plain_values(value: Any) -> Any:
    """Return a value as JSON has it: tuples are lists, named tuples and mappings are objects."""
    if isinstance(value, tuple):
        fields = getattr(value, "_fields", None)
        if fields is None:
            return [plain_values(item) for item in value]
        return {name: plain_values(item) for name, item in zip(fields, value, strict=True)}
    if isinstance(value, Mapping):
        return {key: plain_values(item) for key, item in value.items()}
    return value


def canonical_json(value: object) -> str:
    """Return `value` as JSON with sorted keys and no blanks."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def sha256_of(value: object) -> str:
    """Return the SHA-256 of the canonical JSON of `value`, in hex."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def settle_options(allowed: Mapping[str, Option], given: Options) -> dict[str, object]:
    """Return `given` with the defaults filled in, or raise `BadOption`."""
    if not isinstance(given, Mapping):
        raise BadOption(f"options must be a mapping of names to values, not {type(given).__name__}")
    for name in given:
        if name not in allowed:
            raise BadOption(f"unknown option {name!r:.60}; there are {', '.join(allowed)}")
    settled: dict[str, object] = {}
    for name, option in allowed.items():
        value = given.get(name, option.default)
        if option.values is not None and value not in option.values:
            raise BadOption(f"option {name!r} may not be {value!r:.60}; it may be {' or '.join(option.values)}")
        settled[name] = value
    return settled
