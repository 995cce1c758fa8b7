"""Seats that the course plays itself: sessions of the house without a wire."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from lictor.engine.chance import Chance
from lictor.engine.game import AnyGame
from lictor.server.edge.course.bell import Bell
from lictor.server.matches.house import House
from lictor.server.matches.messages import (
    Act,
    Cancel,
    Challenge,
    Choice,
    Decide,
    Entropy,
    Introduction,
    MatchEnded,
    MatchStarted,
    OfferDraw,
    Request,
    Resign,
    Response,
    Seek,
)
from lictor.server.matches.session import Handed, Session

_MATCHES = 64


class Sitter:
    """Plays by a script where it has one, and then as the game likes it, or not at all."""

    def __init__(self, name: str, game: AnyGame, chance: Chance, bell: Bell, *, plays_on: bool) -> None:
        self.name, self._game, self._chance, self._bell = name, game, chance, bell
        self._plays_on = plays_on  # when the script is at its end
        self.scripts: dict[str, deque[str]] = {}
        self.started: dict[str, MatchStarted] = {}
        self.due: dict[str, int] = {}  # decisions that it leaves unanswered
        self.silent = False  # whether it sends no entropy by itself, and so keeps matches from beginning
        self._house: House | None = None
        self.session: Session | None = None

    # --- Being there ---

    def join(self, house: House) -> None:
        """Come into a house; a stream of the same bot is sent away."""
        self._house = house
        self.due.clear()
        who = Introduction(self.name, self.name, "", frozenset(), 1, _MATCHES, "", "the course")
        self.session = house.join(who, self)

    def leave(self) -> None:
        """Leave the house; what is played goes on."""
        if self._house is not None and self.session is not None:
            self._house.part(self.session)
        self.session = None

    def offer(self, message: Response, handed: Handed | None = None) -> None:
        """Take a message; never at once, because the house is in the middle of something."""
        asyncio.get_running_loop().call_soon(self._take, message, handed)

    def close(self, status: str, text: str) -> None:
        """Note that the house has sent it away."""
        self.session = None

    # --- Saying ---

    def say(self, message: Request) -> None:
        """Say something to the house."""
        if self._house is not None and self.session is not None:
            self._house.handle(self.session, message, 0, self._house.now())

    def seek(self, terms: Seek, seat: str) -> None:
        """Seek one match on these terms, and nothing else."""
        self.stop_seeking()
        self.say(replace(terms, seat=seat, matches=1))

    def stop_seeking(self) -> None:
        """Take back what was asked for."""
        self.say(Cancel(""))

    def challenge(self, bot: str, seat: str) -> None:
        """Ask a bot for a match, and nothing else."""
        self.stop_seeking()
        self.say(Challenge(bot, self._game.NAME, {}, seat, None))

    def offer_draw(self, match: str) -> None:
        """Offer a draw."""
        self.say(OfferDraw(match))

    def resign(self, match: str) -> None:
        """Give up a match."""
        self.say(Resign(match))

    def send_entropy(self, match: str, entropy: bytes = b"") -> None:
        """Add to the chance of a match."""
        self.say(Entropy(match, entropy))

    def follow(self, match: str, orders: Iterable[str]) -> None:
        """Give these orders in a match."""
        self.scripts[match] = deque(orders)

    # --- Playing ---

    def _take(self, message: Response, handed: Handed | None) -> None:
        house = self._house
        if house is None or self.session is None:
            return
        if handed is not None:
            handed(house.now())
        match message:
            case MatchStarted():
                self.started[message.match] = message
                if message.entropy_wanted and not self.silent:
                    self.send_entropy(message.match)
            case Decide():
                self._decide(message, house)
            case MatchEnded():
                self.started.pop(message.match, None)
                self.scripts.pop(message.match, None)
                self.due.pop(message.match, None)
        self._bell.ring()

    def _decide(self, message: Decide, house: House) -> None:
        found = house.matches.get(message.match)
        script = self.scripts.get(message.match)
        if found is None or found.over:
            return
        if script:
            choice = Choice(notation=script.popleft())
        elif self._plays_on:
            seat = self.started[message.match].seat
            action = self._game.FOG.choose(found.table.state, seat, message.actions, self._chance)
            choice = Choice(index=_place(message.actions, action))
        else:
            self.due[message.match] = message.decision
            return
        self.say(Act(message.match, message.decision, [choice]))


def _place(actions: Any, action: Any) -> int:
    return next(i for i, other in enumerate(actions) if other == action)
