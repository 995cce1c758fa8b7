"""What spells out the messages of a game: as much as can be done for any."""

from __future__ import annotations

from typing import Any

from lictor.client.actions import Action, Actions
from lictor.client.spelling import Speller
from lictor.client.views import Event, Frame, View
from lictor.v1 import game_pb2
from lictor.v1 import play_service_pb2 as pb


class Names:
    """Spells out the messages of a game that this client knows nothing about."""

    view_class: type[View] = View
    action_class: type[Action] = Action

    def __init__(self, speller: Speller | None = None) -> None:
        self._speller = speller or Speller({})

    def view(self, frame: Frame, raw: game_pb2.Observation, **facts: Any) -> View:
        """Return what a seat sees."""
        return self.view_class(frame, self, raw, **facts)

    def actions(self, decide: pb.Decide) -> Actions:
        """Return what a seat may do."""
        make = self.action_class
        return Actions([make(legal, index, self) for index, legal in enumerate(decide.legal)])

    def events(self, events: pb.Events, after: int) -> list[Event]:
        """Return the events of a message whose numbers are higher than `after`."""
        words = events.words or [""] * len(events.events)
        numbered = enumerate(zip(events.events, words, strict=True), events.first)
        return [Event(raw, number, text, self) for number, (raw, text) in numbered if number > after]

    def event(self, raw: game_pb2.Event) -> tuple[str, dict[str, Any]]:
        """Return the kind of an event and its fields."""
        return self._in_its_game(raw, "kind")

    def action_fields(self, raw: game_pb2.Action) -> dict[str, Any]:
        """Return the fields of an action in its typed form."""
        return self._in_its_game(raw, "kind")[1]

    def _in_its_game(self, raw: game_pb2.Action | game_pb2.Event, oneof: str) -> tuple[str, dict[str, Any]]:
        game = raw.WhichOneof("game")
        return self._speller.one_of(getattr(raw, game), oneof) if game else ("", {})
