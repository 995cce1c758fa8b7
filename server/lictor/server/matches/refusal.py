"""A refusal on its way up to whoever answers."""

from __future__ import annotations

from typing import Any

from lictor.server.matches.messages import Reason, Refused


class Refusal(Exception):
    """A request that is not carried out, with the message that says so."""

    def __init__(self, reason: Reason, text: str, **facts: Any) -> None:
        super().__init__(text)
        self.message = Refused(reason, text, **facts)
