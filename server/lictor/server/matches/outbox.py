"""What waits for the disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable


class Outbox:
    """Holds back what a write causes until that write is on disk. Writes are saved in the order they are queued.

    Each write concerns some viewers, and only they wait for it: somebody who may not know that a seat has decided
    must not notice it by a delay either.
    """

    def __init__(self, viewers: Iterable[str], failed: Callable[[Exception], None]) -> None:
        self._failed = failed  # told when something that was held back cannot be done
        self._queued = self._saved = 0
        self._latest = dict.fromkeys(viewers, 0)  # the last write that concerns a viewer
        self._waiting: list[tuple[int, Callable[[], None]]] = []

    def queue(self, concerns: Iterable[str] | None = None) -> Callable[[], None]:
        """Note that a write is queued, which concerns some or all; return what to call when it is on disk."""
        self._queued += 1
        for viewer in self._latest if concerns is None else concerns:
            self._latest[viewer] = self._queued
        return self._save_one

    def after(self, viewer: str, release: Callable[[], None]) -> None:
        """Do something for a viewer when all that is queued now and concerns him is on disk."""
        needed = self._latest[viewer]
        if needed <= self._saved:
            release()
        else:
            self._waiting.append((needed, release))

    def after_all(self, release: Callable[[], None]) -> None:
        """Do something when all that is queued now is on disk."""
        if self._queued == self._saved:
            release()
        else:
            self._waiting.append((self._queued, release))

    def when_settled(self, viewer: str, answer: Callable[[], None]) -> None:
        """Answer a viewer from the position, when all of it that concerns him is on disk by then."""
        if self._latest[viewer] <= self._saved:
            answer()
        else:
            self._waiting.append((self._latest[viewer], lambda: self.when_settled(viewer, answer)))

    def _save_one(self) -> None:
        self._saved += 1
        if not self._waiting:
            return
        ready = [release for needed, release in self._waiting if needed <= self._saved]
        self._waiting = [entry for entry in self._waiting if entry[0] > self._saved]
        for release in ready:
            try:
                release()
            except Exception as error:  # whatever it is, it is this match's, and the writer must not see it
                self._failed(error)
