"""Conversion between the games' own values and their wire form."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from lictor.engine import registry
from lictor.server.edge.convert.julius_caesar import JuliusCaesarCodec
from lictor.v1 import game_pb2


class Codec(Protocol):
    """The wire form of one game with one data set. What is written is the same bytes for the same value, always."""

    def observation(self, observation: Any) -> bytes:
        """Return an observation as a serialised `lictor.v1.Observation`."""

    def action(self, action: Any) -> bytes:
        """Return an action as a serialised `lictor.v1.Action`."""

    def event(self, event: Any) -> bytes:
        """Return an event, as one viewer sees it, as a serialised `lictor.v1.Event`."""

    def read_observation(self, message: game_pb2.Observation) -> Any:
        """Return the observation of a message, or raise `BadNotation`."""

    def read_action(self, message: game_pb2.Action) -> Any:
        """Return the action of a message, or raise `BadNotation` with what is wrong with it."""

    def read_event(self, message: game_pb2.Event) -> Any:
        """Return the event of a message, or raise `BadNotation`."""

    def words(self, event: bytes, viewer: str) -> str:
        """Tell in words what a viewer sees of an event in its wire form."""

    def catalog(self) -> game_pb2.Catalog:
        """Return the static data that all indexes refer to."""


MAKERS: dict[str, Callable[[Mapping[str, Any]], Codec]] = {"julius_caesar": JuliusCaesarCodec}

_MOST_CODECS = 64
_codecs: OrderedDict[tuple[str, ...], Codec] = OrderedDict()


def codec_for(game: str, options: Mapping[str, object]) -> Codec:
    """Return the codec of a game with these options: the same one for the same data, edition and deployment."""
    catalog = registry.get(game).catalog(options)
    key = (game, *(str(catalog.get(name)) for name in ("data", "edition", "deployment")))
    codec = _codecs.get(key)
    if codec is None:
        codec = _codecs[key] = MAKERS[game](catalog)
    _codecs.move_to_end(key)
    if len(_codecs) > _MOST_CODECS:
        _codecs.popitem(last=False)  # the one used last is forgotten last
    return codec
