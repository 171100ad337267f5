"""What all rooms' tests need."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# Machines are shared: how long an example takes says nothing of the code.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


@pytest.fixture(autouse=True)
def affinity() -> Iterator[None]:
    """An execution pins the lab, here the tests themselves, beside what it measures; what comes
    after it has all processors again."""
    before = os.sched_getaffinity(0)
    yield
    os.sched_setaffinity(0, before)
