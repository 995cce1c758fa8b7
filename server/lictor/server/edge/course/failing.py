"""What a lesson says when a bot does not pass it."""

from __future__ import annotations


class Failed(Exception):
    """A bot did not do what a lesson asks; `hint` says what to do about it."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(what)
        self.what, self.hint = what, hint


class Ended(Failed):
    """The bot's process ended where it should have gone on."""
