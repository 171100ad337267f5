"""The real launcher and the real load generator."""

from __future__ import annotations

import os
from collections.abc import Iterator

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


@pytest.fixture(autouse=True)
def affinity() -> Iterator[None]:
    """An execution pins the lab, here the tests themselves, beside what it measures."""
    before = os.sched_getaffinity(0)
    yield
    os.sched_setaffinity(0, before)
