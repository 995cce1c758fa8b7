"""Julius Caesar on the wire."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from lictor.engine.game import BadNotation
from lictor.engine.julius_caesar import Action, Event, Observation, describe
from lictor.server.edge.convert.julius_caesar.actions import Actions
from lictor.server.edge.convert.julius_caesar.catalogs import catalog_message
from lictor.server.edge.convert.julius_caesar.events import Events
from lictor.server.edge.convert.julius_caesar.names import Names
from lictor.server.edge.convert.julius_caesar.observations import Observations
from lictor.server.edge.convert.julius_caesar.readings import Readings
from lictor.server.edge.convert.wire import Memo, sized, tag
from lictor.v1 import game_pb2

M = TypeVar("M", game_pb2.Action, game_pb2.Event, game_pb2.Observation)
P = TypeVar("P")
V = TypeVar("V")

_GAME = tag(1)  # the field julius_caesar, in every message of game.proto
_MOST_ACTIONS = 50_000


class JuliusCaesarCodec:
    """The wire form of Julius Caesar with one data set, edition and deployment."""

    def __init__(self, catalog: Mapping[str, Any]) -> None:
        names = Names(catalog)
        self._catalog = sized(_GAME, catalog_message(catalog, names).SerializeToString(deterministic=True))
        self._actions = Actions(names)
        self._events = Events(names)
        self._observations = Observations(names)
        self._readings = Readings(names)
        self._written: Memo[Action, bytes] = Memo(
            lambda action: sized(_GAME, self._actions.write(action)), _MOST_ACTIONS
        )

    def observation(self, observation: Observation) -> bytes:
        """Return an observation as a serialised `lictor.v1.Observation`."""
        return sized(_GAME, self._observations.write(observation))

    def action(self, action: Action) -> bytes:
        """Return an action as a serialised `lictor.v1.Action`."""
        return self._written[action]

    def event(self, event: Event) -> bytes:
        """Return an event, as one viewer sees it, as a serialised `lictor.v1.Event`."""
        return sized(_GAME, self._events.write(event))

    def read_observation(self, message: game_pb2.Observation) -> Observation:
        """Return the observation of a message, or raise `BadNotation`."""
        _need_game(message)
        return _reading(self._readings.read, message.julius_caesar)

    def read_action(self, message: game_pb2.Action) -> Action:
        """Return the action of a message, or raise `BadNotation` with what is wrong with it."""
        _need_game(message)
        return self._actions.read(message.julius_caesar)

    def read_event(self, message: game_pb2.Event) -> Event:
        """Return the event of a message, or raise `BadNotation`."""
        _need_game(message)
        return _reading(self._events.read, message.julius_caesar)

    def words(self, event: bytes, viewer: str) -> str:
        """Tell in words what a viewer sees of an event in its wire form."""
        return describe(self.read_event(game_pb2.Event.FromString(event)), viewer)

    def catalog(self) -> game_pb2.Catalog:
        """Return the static data that all indexes refer to."""
        return game_pb2.Catalog.FromString(self._catalog)


def _need_game(message: M) -> None:
    if not message.HasField("julius_caesar"):
        kind = type(message).__name__.lower()
        raise BadNotation(f"the {kind} is not of the match's game: set its field julius_caesar")


def _reading(read: Callable[[P], V], message: P) -> V:
    try:
        return read(message)
    except (IndexError, KeyError, ValueError) as error:
        kind = type(message).__name__
        raise BadNotation(f"this {kind} does not fit the catalog of its match: {error!s:.80}") from error
