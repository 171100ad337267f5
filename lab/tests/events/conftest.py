"""The real launcher."""

from __future__ import annotations

import pytest

from runfair.machine import native
from runfair.machine.launching import Launcher


@pytest.fixture(scope="session")
def launcher() -> Launcher:
    return Launcher(native.build_native(native.LAUNCHER))
