"""A server to send to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from loading.server import Server, serving


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running
