"""An installed PostgreSQL, and private folders for it."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from runfair.errors import UserMistake
from runfair.serving.postgresql_server import ServerBinaries, find_binaries


@pytest.fixture(scope="session")
def binaries() -> ServerBinaries:
    try:
        return find_binaries()
    except UserMistake as missing:
        pytest.skip(str(missing))


@contextlib.contextmanager
def reachable_folder() -> Iterator[Path]:
    """One that the server's user can reach, with a short path."""
    with tempfile.TemporaryDirectory(prefix="rf-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="session")
def kept_folder() -> Iterator[Path]:
    """So that most tests find their template made."""
    with reachable_folder() as folder:
        yield folder


@pytest.fixture
def private(
    kept_folder: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Path:
    request.getfixturevalue("binaries")  # which skips where there are none
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(kept_folder))
    return kept_folder


@pytest.fixture
def empty_private(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Path]:
    """A private folder in which nothing was made yet."""
    request.getfixturevalue("binaries")
    with reachable_folder() as folder:
        monkeypatch.setenv("RUNFAIR_PRIVATE", str(folder))
        yield folder
