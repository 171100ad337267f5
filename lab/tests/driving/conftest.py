"""The real launcher and the real load generator."""

from __future__ import annotations

import pytest

from runfair.errors import UserMistake
from runfair.loading.generator import generator, minimum_rust, usable_rust
from runfair.machine import native
from runfair.machine.launching import Launcher


@pytest.fixture(scope="session")
def launcher() -> Launcher:
    return Launcher(native.build_native(native.LAUNCHER))


@pytest.fixture(autouse=True, scope="session")
def rust() -> None:
    try:
        usable_rust(minimum_rust())
    except UserMistake as missing:
        pytest.skip(str(missing))
    generator()
