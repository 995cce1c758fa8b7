"""No test of matches may leave a failure in the log that it does not expect."""

import traceback
from collections.abc import Iterator, MutableMapping
from typing import Any

import pytest
import structlog


@pytest.fixture(autouse=True)
def failures() -> Iterator[list[str]]:
    """How the failures that a test expects to be logged begin; it adds them here."""
    expected: list[str] = []
    logged: list[str] = []

    def keep(_logger: object, level: str, entry: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        if level in ("warning", "error", "exception", "critical"):
            trace = traceback.format_exc() if entry.get("exc_info") else ""
            logged.append(f"{entry['event']} {trace or entry}")
        raise structlog.DropEvent

    with structlog.testing.capture_logs(processors=[keep]):
        yield expected
    unexpected = [entry for entry in logged if not entry.startswith(tuple(expected))]
    assert not unexpected, "\n".join(unexpected)
    assert len(logged) >= len(expected), "nothing was logged"
