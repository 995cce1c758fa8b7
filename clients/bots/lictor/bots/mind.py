"""What the thinking bots share: the engine's own view of a match, made from what comes over the wire."""

from __future__ import annotations

import contextlib
import logging
import secrets
from collections.abc import Sequence
from typing import Any, ClassVar

from lictor.client import Action, Actions, Bot
from lictor.engine import registry
from lictor.engine.chance import SeededChance, derive_secret
from lictor.engine.game import BadNotation
from lictor.server.edge.convert import codec_for

log = logging.getLogger("lictor.bots")


class ThinkingBot(Bot):
    """A bot that has the rules at hand, and remembers what its seat has seen. It knows nothing else."""

    seed: ClassVar[int | None] = None

    def on_start(self, view: Any) -> None:
        """Take out the rules of this match."""
        self.game = registry.get(view.game)
        self._codec = codec_for(view.game, {name: value for name, value in view.options.items() if name != "data"})
        self._memory: Any = None
        self._seen = 0
        self._seed = str(secrets.randbits(64) if self.seed is None else self.seed)

    def look(self, view: Any) -> tuple[Any, Any]:
        """Return the engine's observation of now, and the memory of all that was seen."""
        observation = self._codec.read_observation(view.raw)
        if self._memory is None:
            self._memory = self.game.remember(observation)
        for event in view.history[self._seen :]:
            with contextlib.suppress(BadNotation):  # a newer server may know kinds of events that we do not
                self._memory.see(self._codec.read_event(event.raw))
        self._seen = len(view.history)
        return observation, self._memory

    def chance(self, view: Any) -> SeededChance:
        """Return the chance for one decision: with a seed the same one, on every machine and after every restart."""
        parts = (self._seed, view.match_id, view.seat, str(view.decision_id))
        return SeededChance(int.from_bytes(derive_secret("bot", *parts)[:8], "big"))

    def say(self, orders: Sequence[Any], actions: Actions) -> list[Action | str]:
        """Return orders as an answer; the first must be legal."""
        first = actions.find(str(orders[0]))
        if first is None:
            log.warning("%s is not legal; took %s", orders[0], actions[0])
            return [actions[0]]
        return [first, *map(str, orders[1:])]
