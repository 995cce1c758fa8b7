"""The position of a match: what has been played, what each viewer has seen, who owes what. It sends nothing."""

from __future__ import annotations

import json
from typing import Any

from lictor.engine.game import SPECTATOR, AnyGame, GameError, IllegalAction
from lictor.engine.record import Recorder
from lictor.server.matches.chair import Chair, Pending, Played
from lictor.server.matches.clocks import Clock
from lictor.server.matches.messages import Choice, Codec, Stop, Told
from lictor.server.store import ActionRow


class Unreadable(Exception):
    """A choice that is no action; `field` says where it stands."""

    def __init__(self, text: str, field: str) -> None:
        super().__init__(text)
        self.field = field


class Table:
    """The position, and the chairs around it."""

    def __init__(self, match: str, game: AnyGame, codec: Codec, clock: Clock, bots: dict[str, str]) -> None:
        self.match, self.game, self.codec, self.clock = match, game, codec, clock
        self.chairs = {seat: Chair(seat, bots[seat], clock.base_ms) for seat in game.SEATS}
        self.public = Chair(SPECTATOR, "", 0)
        self.viewers = (*self.chairs.values(), self.public)
        self.recorder: Recorder | None = None
        self.openings: dict[str, bytes] = {}  # the first position, as each viewer saw it
        self.public_actions = 0  # how many actions all have noticed; even later nobody learns of the others
        self._public_banks = dict.fromkeys(game.SEATS, clock.base_ms)

    @property
    def state(self) -> Any:
        """The state of the game, which must have been dealt."""
        assert self.recorder is not None
        return self.recorder.state

    def deal(self, recorder: Recorder) -> None:
        """Take up a game that was dealt just now."""
        self.recorder = recorder
        for viewer in self.viewers:
            self.openings[viewer.seat] = self.codec.observation(self.game.observation(recorder.state, viewer.seat))

    # --- Playing ---

    def play(self, chair: Chair, action: Any, think_ms: int) -> bool:
        """Carry out a legal action; return whether it left anything to chance or laid anything open to its seat."""
        recorder, game = self.recorder, self.game
        assert recorder is not None
        turn, public = game.turn_number(recorder.state), len(self.public.history)
        events = recorder.apply(chair.seat, action, think_ms)
        self._witness(events)
        turns = game.turn_number(recorder.state) - turn
        if turns:
            for other in self.chairs.values():
                other.bank_ms = self.clock.pay(other.bank_ms, turns)
        if len(self.public.history) > public:
            self._go_public()
        return bool(recorder.draws) or any(event.reveals(chair.seat) for event in events)

    def play_again(self, row: ActionRow) -> None:
        """Carry out an action that is on disk; raise `GameError` if it comes out otherwise."""
        chair = self.chairs[row.seat]
        if row.decision == row.batch and chair.pending is not None:
            chair.acknowledged = chair.pending.events
        chair.bank_ms = self.clock.spend(chair.bank_ms, self.clock.charge(row.think_ms))
        self.play(chair, self.game.parse_action(row.action), row.think_ms)
        assert self.recorder is not None
        if json.dumps(self.recorder.draws) != row.draws:
            raise IllegalAction(f"action {row.n} draws {self.recorder.draws}, and drew {row.draws}")
        chair.played.append(Played(row.action, row.choice, row.batch, Stop(row.stopped)))
        chair.pending = None
        self.open_decisions()

    def _witness(self, events: list[Any]) -> None:
        """Add to each viewer's history what that viewer sees."""
        encode = self.codec.event
        for event in events:
            known: list[tuple[Any, bytes]] = []  # most events look the same to all
            for viewer in self.viewers:
                seen = event.seen_by(viewer.seat)
                if seen is None:
                    continue
                for other, wire in known:
                    if other is seen:
                        viewer.history.append(wire)
                        break
                else:
                    wire = encode(seen)
                    known.append((seen, wire))
                    viewer.history.append(wire)

    # --- Decisions ---

    def open_decisions(self) -> None:
        """Note which chairs have come to owe a decision."""
        for seat in self.game.to_act(self.state):
            chair = self.chairs[seat]
            if chair.pending is None:
                chair.pending = Pending(len(chair.played) + 1, len(chair.history), self.clock.limit(chair.bank_ms))

    def _go_public(self) -> None:
        """Note how things stand when all have noticed something: until the next time others know no more."""
        self.public_actions += 1
        self._public_banks = {seat: chair.bank_ms for seat, chair in self.chairs.items()}

    def lengths(self) -> list[int]:
        """Return how much each viewer has seen."""
        return [len(viewer.history) for viewer in self.viewers]

    def concerned(self, actor: Chair, before: list[int]) -> list[str]:
        """Return who notices something of what an actor has done since: by an event, or by being asked."""
        return [
            viewer.seat
            for viewer, seen in zip(self.viewers, before, strict=True)
            if viewer is actor or len(viewer.history) > seen or (viewer.pending and not viewer.pending.asked)
        ]

    def banks(self, viewer: str) -> list[int]:
        """Return the banks as a viewer may know them: a bank that falls would tell that its seat has decided."""
        return [chair.bank_ms if seat == viewer else self._public_banks[seat] for seat, chair in self.chairs.items()]

    def legal(self, chair: Chair) -> Any:
        """Return what a chair that owes a decision may do."""
        pending = chair.pending
        assert pending is not None
        if pending.actions is None:
            pending.actions = self.game.legal_actions(self.state, chair.seat)
        return pending.actions

    def read(self, chair: Chair, i: int, choice: Choice) -> Any:
        """Return the action of choice `i` of an Act, or raise `Unreadable`."""
        where = f"act.actions[{i}]"
        try:
            if choice.index is not None:
                if i:
                    raise Unreadable("only the first action may be an index: later lists are not known yet", where)
                legal = self.legal(chair)
                if choice.index >= len(legal):
                    raise Unreadable(f"index {choice.index} of {len(legal)} legal actions", f"{where}.index")
                return legal[choice.index]
            if choice.notation is not None:
                return self.game.parse_action(choice.notation)
            if choice.typed is not None:
                return self.codec.read_action(choice.typed)
        except GameError as error:
            raise Unreadable(str(error), where) from error
        raise Unreadable("an action needs an index, a notation or a typed form", where)

    def stops(self, seat: str, action: Any, news: bool) -> Stop:
        """Return why the next action of a batch is not carried out, if so."""
        if seat not in self.game.to_act(self.state):
            return Stop.NOT_YOURS
        if news:
            return Stop.NEWS
        return Stop.NOT if action in self.game.legal_actions(self.state, seat) else Stop.NOT_LEGAL

    # --- Telling ---

    def told(self, viewer: Chair, start: int, end: int) -> Told:
        """Return a stretch of what a viewer has seen."""
        return Told(self.match, start + 1, viewer.history[start:end], viewer.seat, self.codec)

    def seen_by(self, viewer: str) -> Any:
        """Return the position as a viewer sees it, or `None` before the deal."""
        return None if self.recorder is None else self.game.observation(self.recorder.state, viewer)
