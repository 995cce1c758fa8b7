"""What a seat has seen in one match: complete, whichever streams and processes it came through."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from lictor.client.games.names import Names
from lictor.client.stream import Refusal
from lictor.client.views import Batch, Event, Frame, History, Times, View
from lictor.v1 import game_pb2
from lictor.v1 import play_service_pb2 as pb


class Memory:
    """The events of a match from number 1 on, its opening, and the last view."""

    def __init__(self, frame: Frame, ask: Callable[..., Awaitable[pb.PlayResponse]]) -> None:
        self.names = Names()
        self.events: list[Event] = []
        self.view: View | None = None  # as last shown to the bot
        self._frame, self._ask = frame, ask
        self._opening: View | None = None

    async def learn(self, events: pb.Events, now: game_pb2.Observation | None = None) -> None:
        """Bring the history up to date; what this process has not seen is asked for."""
        if self._opening is None:
            if now is not None and not events.events and events.first <= 1 and not self.events:
                self._opening = self._make(now)  # nothing has happened yet
            else:
                await self._fetch(0)
        while events.first > len(self.events) + 1 and await self._fetch(len(self.events) + 1):
            pass
        self.add(events)

    def add(self, events: pb.Events) -> None:
        """Add what is new and fits."""
        if events.first <= len(self.events) + 1:
            self.events += self.names.events(events, len(self.events))

    async def _fetch(self, first: int) -> bool:
        before = len(self.events)
        try:
            answer = await self._ask(get_history=pb.GetHistory(match_id=self._frame.match_id, first=first))
        except Refusal:  # over meanwhile: the end is on its way
            return False
        if answer.history.HasField("opening"):
            self._opening = self._make(answer.history.opening)
        self.add(answer.history.events)
        return len(self.events) > before

    def show(self, decide: pb.Decide, came_at: float, batch: Batch | None) -> View:
        """Return what the seat sees at a decision."""
        times = Times(
            dict(zip(self._frame.players, decide.bank_ms, strict=False)),
            decide.limit_ms,
            decide.last_server_ms,
            decide.last_wire_ms,
            decide.last_think_ms,
            decide.last_charged_ms,
            came_at,
        )
        self.view = self._make(
            decide.observation,
            times=times,
            decision_id=decide.decision_id,
            events=self.names.events(decide.events, 0),
            batch=batch,
        )
        return self.view

    async def look(self) -> View | None:
        """Return the last view with its history brought up to date, or one of now if there has been none."""
        old = self.view
        if old is not None:
            self.view = self._make(old.raw, times=old.clock, decision_id=old.decision_id)
            return self.view
        try:
            answer = await self._ask(observe=pb.Observe(match_id=self._frame.match_id))
        except Refusal:
            return None
        self.view = self._make(answer.observed.observation)
        return self.view

    def last(self, ended: pb.MatchEnded) -> View | None:
        """Return the last position of a match that is over."""
        self.add(ended.events)
        return self._make(ended.observation) if ended.HasField("observation") else None

    def _make(self, raw: game_pb2.Observation, *, times: Times | None = None, **facts: Any) -> View:
        history = History(self.events)
        times = times or Times({})
        return self.names.view(self._frame, raw, times=times, history=history, opening=self._opening, **facts)
