"""What waits for the disk."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable


class Outbox:
    """Holds back what a write causes until that write is on disk. Writes are saved in the order they are queued."""

    def __init__(self, failed: Callable[[Exception], None]) -> None:
        self._failed = failed  # told when something that was held back cannot be done
        self._queued = self._saved = 0
        self._waiting: deque[tuple[int, Callable[[], None]]] = deque()

    def queue(self) -> Callable[[], None]:
        """Note that a write is queued; return what is to be called when it is on disk."""
        self._queued += 1
        return self._save_one

    def after(self, release: Callable[[], None]) -> None:
        """Do something when all that is queued now is on disk."""
        if self._saved == self._queued:
            release()
        else:
            self._waiting.append((self._queued, release))

    def when_settled(self, answer: Callable[[], None]) -> None:
        """Answer from the position when all of it is on disk, however much is queued in the meantime."""
        if self._saved == self._queued:
            answer()
        else:
            self._waiting.append((self._queued, lambda: self.when_settled(answer)))

    def _save_one(self) -> None:
        self._saved += 1
        while self._waiting and self._waiting[0][0] <= self._saved:
            try:
                self._waiting.popleft()[1]()
            except Exception as error:  # whatever it is, it is this match's, and the writer must not see it
                self._failed(error)
