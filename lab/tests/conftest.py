"""The real launcher, load generator and relay, built where the lab itself builds them."""

from __future__ import annotations

from pathlib import Path

import pytest

from runfair.building.crate import Crate, rust_for
from runfair.errors import UserMistake
from runfair.loading import generator
from runfair.machine import native
from runfair.machine.launching import Launcher
from runfair.serving import relay


def built(crate: Crate) -> Path:
    """The crate's executable; skips where no Rust is new enough."""
    try:
        rust_for(crate.name, crate.minimum_rust())
    except UserMistake as missing:
        pytest.skip(str(missing))
    return crate.executable()


@pytest.fixture(scope="session")
def launcher() -> Launcher:
    return Launcher(native.build_native(native.LAUNCHER))


@pytest.fixture(scope="session")
def load_generator() -> Path:
    return built(generator.crate())


@pytest.fixture(scope="session")
def relay_executable() -> Path:
    return built(relay.crate())
