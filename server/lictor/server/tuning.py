"""How the interpreter is set for a server."""

from __future__ import annotations

import gc
import sys


def tune() -> None:
    """Give the thread that writes to disk its turn soon, and make garbage collections rare and cheap."""
    sys.setswitchinterval(0.0005)
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
