"""What the tests of several runtimes share."""

from __future__ import annotations

from pathlib import Path

import pytest

from probing.jvms import compiled


@pytest.fixture(scope="session")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the compiled programs."""
    return compiled(tmp_path_factory.mktemp("classes"))
