"""What is kept on disk."""

from lictor.server.store.interface import (
    ActionRow,
    BotRow,
    Done,
    Ending,
    Finished,
    Line,
    MatchRow,
    OpenMatch,
    Post,
    Store,
    StoreError,
    TokenRow,
)

__all__ = [
    "ActionRow",
    "BotRow",
    "Done",
    "Ending",
    "Finished",
    "Line",
    "MatchRow",
    "OpenMatch",
    "Post",
    "Store",
    "StoreError",
    "TokenRow",
]
