"""The real executable, and a server to send to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from loading.server import Server, serving
from runfair.errors import UserMistake
from runfair.loading.generator import generator, minimum_rust, usable_rust


@pytest.fixture(scope="session")
def executable() -> Path:
    """Built where the lab itself builds it, and only once; skips where no Rust is new enough."""
    try:
        usable_rust(minimum_rust())
    except UserMistake as missing:
        pytest.skip(str(missing))
    return generator()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running
