"""What operators watch. Every metric of the house is named here."""

from __future__ import annotations

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

_FAST = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)
_SLOW = (0.001, 0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 3600)


class Metrics:
    """The metrics of one house, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self._matches = Counter("lictor_matches", "Finished matches.", ["game", "ending"], registry=registry)
        self.running = Gauge("lictor_matches_running", "Open matches.", registry=registry)
        self._decisions = Counter("lictor_decisions", "Decisions answered.", ["game"], registry=registry)
        self._seconds = Histogram(
            "lictor_decision_seconds",
            "Where the time of a decision went: think (as measured), wire (median round trip), server (from the stamp "
            "of an Act to handing over the Decide it caused).",
            ["game", "part"],
            buckets=_SLOW,
            registry=registry,
        )
        self._games: dict[str, tuple[Counter, Histogram, Histogram, Histogram]] = {}
        self.streams = Gauge("lictor_streams", "Bots connected.", registry=registry)
        self.watchers = Gauge("lictor_watchers", "Spectators connected.", registry=registry)
        self._refusals = Counter("lictor_refusals", "Messages and calls not taken.", ["reason"], registry=registry)
        self.lag = Gauge("lictor_loop_lag_seconds", "By how much the event loop is late.", registry=registry)
        self._commits = Histogram(
            "lictor_store_commit_seconds", "Time of a commit to disk.", buckets=_FAST, registry=registry
        )

    def decided(self, game: str, think_s: float, wire_s: float) -> None:
        """Count a decision."""
        decisions, think, wire, _ = self._of(game)
        decisions.inc()
        think.observe(think_s)
        wire.observe(wire_s)

    def answered(self, game: str, server_s: float) -> None:
        """Count the server's share of a decision."""
        self._of(game)[3].observe(server_s)

    def _of(self, game: str) -> tuple[Counter, Histogram, Histogram, Histogram]:
        """Return the metrics of a game; looking them up anew at every decision would cost more than counting."""
        known = self._games.get(game)
        if known is None:
            seconds = [self._seconds.labels(game, part) for part in ("think", "wire", "server")]
            known = self._games[game] = (self._decisions.labels(game), seconds[0], seconds[1], seconds[2])
        return known

    def ended(self, game: str, ending: str) -> None:
        """Count a finished match."""
        self._matches.labels(game, ending).inc()

    def refused(self, reason: str) -> None:
        """Count a refusal."""
        self._refusals.labels(reason).inc()

    def commits(self, seconds: Iterable[float]) -> None:
        """Count commits."""
        for took in seconds:
            self._commits.observe(took)
