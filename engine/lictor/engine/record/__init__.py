"""The record of a match: JSON Lines that anybody can check offline.

The first line is the header, then one line an action, then the footer. Each line carries a `link`, the hash of the
line before it and of itself, so that a changed byte is found in its line; the footer adds the hash of all bytes before
it and, when the house has a key, a signature. Nothing here reads or writes files.
"""

from lictor.engine.record.lines import FORMAT, Record, RecordError, compose, read
from lictor.engine.record.recorder import Recorder
from lictor.engine.record.verification import TERMINATIONS, Verified, options_of, replay, verify

__all__ = [
    "FORMAT", "TERMINATIONS", "Record", "RecordError", "Recorder", "Verified", "compose", "options_of", "read",
    "replay", "verify",
]  # fmt: skip
