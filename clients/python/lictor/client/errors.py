"""What can go wrong for good. Everything else the client mends by itself."""

from __future__ import annotations


class LictorError(Exception):
    """Something that a person must look at; the text says what to do."""


class ConnectionRefusedForGood(LictorError):
    """The server will not let this bot in, however often it asks."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason  # the end of a name of RefusalReason, in lower case, such as "unauthenticated"


class RequestRefused(LictorError):
    """The server will not carry out a request, such as a seek with an option that does not exist."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class Superseded(LictorError):
    """Another process plays under the same name now, and has this one's seats."""


class BotError(LictorError):
    """The bot itself failed: one of its methods raised, or `decide` gave no usable answer."""
