"""A server for tests that do not harm it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .processes import Server, serving


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("home")) as running:
        yield running
