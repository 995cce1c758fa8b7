"""One match, from this bot's seat: it asks the bot, and answers the server.

A match takes its messages one after another, in its own task. It outlives streams: an answer that a dying stream may
have lost is said again on the next one, and the bot is not asked twice.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from lictor.client.actions import NotLegal, read_answer
from lictor.client.bot import AsyncBot, Bot
from lictor.client.errors import BotError
from lictor.client.games.names import Names
from lictor.client.memory import Memory
from lictor.client.results import Result
from lictor.client.settings import Settings
from lictor.client.spelling import words_of
from lictor.client.views import Batch, Frame, View
from lictor.client.worker import Worker
from lictor.v1 import match_pb2
from lictor.v1 import play_service_pb2 as pb

log = logging.getLogger("lictor.client")

_KINDS = words_of(match_pb2.TerminationKind.DESCRIPTOR)
_STOPS = words_of(pb.BatchStop.DESCRIPTOR)
_FAULT_LENGTH = 500
_ILLEGAL = 2  # at so many illegal answers to one decision the match is given up


class Table(Protocol):
    """What a match needs of the client."""

    settings: Settings
    most_actions: int  # in an Act

    def say(self, **message: Any) -> int:
        """Say something now; return the number of the stream, or 0 if there is none."""

    async def ask(self, **message: Any) -> pb.PlayResponse:
        """Return the server's answer, from whatever stream; raise `Refusal`."""

    async def names(self, started: pb.MatchStarted) -> Names: ...
    def ended(self, match: Match, result: Result) -> None: ...


class Match:
    """One match."""

    def __init__(self, table: Table, bot_class: type[Bot] | type[AsyncBot], started: pb.MatchStarted) -> None:
        self.id = started.match_id
        self.over = False  # known as soon as it is heard, even while the bot thinks
        self._table, self._bot_class = table, bot_class
        self._frame = Frame(
            started.match_id,
            started.game,
            started.seat,
            dict(started.options),
            {holder.seat: holder.bot for holder in started.seats},
            {field.name: getattr(started.clock, field.name) for field in started.clock.DESCRIPTOR.fields},
        )
        self._memory = Memory(self._frame, table.ask)
        self._inbox: asyncio.Queue[tuple[str, Any, int]] = asyncio.Queue()
        self._worker: Worker | None = None
        self._bot: Bot | AsyncBot | None = None
        self._entropy = table.settings.entropy(32)
        self._entropy_on = 0  # the stream it was said on
        self._ready = False  # whether on_start was called
        self._told = 0  # events
        self._resigning = False
        self._fault = ""  # why, where the bot failed
        self._decide: pb.Decide | None = None
        self._act: pb.Act | None = None  # the last one, until it is refused
        self._act_on = 0  # the stream it was said on
        self._batch: Batch | None = None
        self._illegal = 0  # answers to this decision

    @property
    def opponents(self) -> set[str]:
        """Return who else sits here."""
        return {bot for seat, bot in self._frame.players.items() if seat != self._frame.seat}

    def hear(self, kind: str, message: Any, stream: int) -> None:
        """Queue a message about this match."""
        self.over = self.over or kind == "match_ended"
        self._inbox.put_nowait((kind, message, stream))

    async def run(self) -> None:
        """Play the match to its end."""
        handlers: dict[str, Callable[[Any, int], Awaitable[None]]] = {
            "match_started": self._on_started,
            "decide": self._on_decide,
            "accepted": self._on_accepted,
            "illegal": self._on_illegal,
            "events": self._on_events,
            "draw_offered": self._on_draw_offered,
        }
        try:
            while True:
                kind, message, stream = await self._inbox.get()
                if kind == "match_ended":
                    await self._on_ended(message)
                    return
                if not self.over:
                    await handlers[kind](message, stream)
        finally:
            if self._worker is not None:
                self._worker.close()

    # --- Beginning ---

    async def _on_started(self, started: pb.MatchStarted, stream: int) -> None:
        if self._bot is None and not self._resigning:
            self._memory.names = await self._table.names(started)
            # The bot gets ready before it sends entropy, that is, before the game and its clocks begin.
            self._bot = await self._make_bot()
            if started.events:  # it goes on, and this process has seen nothing of it
                await self._memory.learn(pb.Events(first=started.events + 1))
        if started.entropy_wanted and self._entropy_on != stream:
            self._entropy_on = self._table.say(entropy=pb.Entropy(match_id=self.id, entropy=self._entropy))
        if self._resigning:
            self._resign()

    async def _make_bot(self) -> Bot | AsyncBot | None:
        make: Callable[[], Bot | AsyncBot] = self._bot_class
        try:
            if inspect.iscoroutinefunction(self._bot_class.decide):
                return make()
            self._worker = Worker(f"{self._table.settings.name} {self.id}")
            bot: Bot = await self._worker.call(make)
            return bot
        except Exception as error:
            self._fail("__init__", error)
            return None

    # --- Deciding ---

    async def _on_decide(self, decide: pb.Decide, stream: int) -> None:
        if self._act is not None and self._act.decision_id == decide.decision_id:
            if self._act_on != stream:  # it may have been lost with the last stream
                self._act_on = self._table.say(act=self._act)
            return
        if self._resigning or self._bot is None:
            self._resign()
            return
        came_at = time.monotonic()
        await self._memory.learn(decide.events, decide.observation)
        self._decide, self._illegal = decide, 0
        view = self._memory.show(decide, came_at, self._batch)
        await self._tell(view)
        if self._goes_on():
            await self._answer(decide, view)

    async def _answer(self, decide: pb.Decide, view: View) -> None:
        bot, actions = self._bot, self._memory.names.actions(decide)
        assert bot is not None
        try:
            answer = await self._call("decide", view, actions)
            note, bot._note = bot._note, None
            self._do_as_bid()
            if not self._goes_on():
                return
            choices = read_answer(answer, actions, self._bot_class.__name__)
        except NotLegal as error:
            await self._illegal_answer(str(error))
        except Exception as error:
            self._fail("decide", error)
        else:
            choices = choices[: self._table.most_actions]
            self._act = pb.Act(match_id=self.id, decision_id=decide.decision_id, actions=choices, note=note)
            self._act_on = self._table.say(act=self._act)

    async def _illegal_answer(self, text: str) -> None:
        """Ask once more; a bot that does it again would only lose by it later."""
        self._act = None
        self._illegal += 1
        decide, view = self._decide, self._memory.view
        if self._illegal >= _ILLEGAL or decide is None or view is None:
            self._fail("decide", BotError(text))
            return
        log.error("match %s, decision %d: %s; asking once more", self.id, decide.decision_id, text)
        await self._answer(decide, view)

    async def _on_illegal(self, refused: pb.Refused, stream: int) -> None:
        if self._act is not None and refused.decision_id == self._act.decision_id:
            await self._illegal_answer(refused.text)

    async def _on_accepted(self, accepted: pb.Accepted, stream: int) -> None:
        self._batch = None
        if self._act is not None and accepted.decision_id == self._act.decision_id and len(self._act.actions) > 1:
            stopped = _STOPS.get(accepted.stopped) if accepted.stopped else None
            self._batch = Batch(len(self._act.actions), accepted.applied, stopped)

    # --- What else happens ---

    async def _on_events(self, events: pb.Events, stream: int) -> None:
        await self._memory.learn(events)
        if self._bot is not None and (view := await self._memory.look()) is not None:
            await self._tell(view)

    async def _tell(self, view: View) -> None:
        """Tell the bot that it begins, if it did not know, and all that it has not been told."""
        if not self._ready:
            self._ready = True
            await self._attempt("on_start", view)
        news = self._memory.events[self._told :]
        self._told += len(news)
        if news and self._table.settings.live_events and not self._resigning:
            await self._attempt("on_events", view, news)

    async def _on_draw_offered(self, offer: pb.DrawOffered, stream: int) -> None:
        agreed = False
        if self._bot is not None and (view := await self._memory.look()) is not None:
            agreed = bool(await self._attempt("on_draw_offered", view))
        if self._goes_on():
            self._table.say(answer_draw=pb.AnswerDraw(match_id=self.id, accept=agreed))

    async def _on_ended(self, ended: pb.MatchEnded) -> None:
        view = self._memory.last(ended)
        if self._ready and view is not None:
            await self._tell(view)
        if self._bot is not None:
            try:
                await self._call("on_end", self._result(ended, view))
            except Exception:
                log.exception("match %s: %s.on_end raised", self.id, self._bot_class.__name__)
        self._table.ended(self, self._result(ended, None))

    def _result(self, ended: pb.MatchEnded, view: View | None) -> Result:
        how, frame = ended.termination, self._frame
        return Result(
            match_id=self.id,
            game=frame.game,
            seat=frame.seat,
            players=frame.players,
            winner=how.winner or None,
            won=how.winner == frame.seat if how.winner else None,
            termination=_KINDS.get(how.kind, str(how.kind)),
            reason=how.reason,
            text=how.text,
            score=dict(zip(frame.players, how.score, strict=False)),
            secret=ended.secret,
            view=view,
        )

    # --- The bot ---

    async def _call(self, method: str, *args: Any) -> Any:
        bound = getattr(self._bot, method)
        if self._worker is not None:
            return await self._worker.call(bound, *args)
        value = bound(*args)
        return await value if inspect.isawaitable(value) else value

    async def _attempt(self, method: str, *args: Any) -> Any:
        """Return what a method that owes no action returns; None if it raised, which gives up the match."""
        try:
            value = await self._call(method, *args)
        except Exception as error:
            self._fail(method, error)
            return None
        self._do_as_bid()
        return value

    def _goes_on(self) -> bool:
        return not self._resigning and not self.over

    def _do_as_bid(self) -> None:
        bot = self._bot
        assert bot is not None
        if bot._offers_draw:
            bot._offers_draw = False
            self._table.say(offer_draw=pb.OfferDraw(match_id=self.id))
        if bot._resigns and not self._resigning:
            self._resign()

    def _fail(self, method: str, error: Exception) -> None:
        """Give up the match, or everything, because the bot failed."""
        who = f"{self._bot_class.__name__}.{method}"
        text = str(error) if isinstance(error, BotError) else f"{who} raised {type(error).__name__}: {error}"
        if self._table.settings.on_error == "raise":
            raise BotError(f"match {self.id}: {text}") from error
        trace = None if isinstance(error, BotError) else error
        log.error("match %s: %s; this match is given up", self.id, text, exc_info=trace)
        self._fault = text[:_FAULT_LENGTH]
        self._resign()

    def _resign(self) -> None:
        self._resigning = True
        if not self.over:
            self._table.say(resign=pb.Resign(match_id=self.id, fault=self._fault))
