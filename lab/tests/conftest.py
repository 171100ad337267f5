"""What all rooms' tests need."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def affinity() -> Iterator[None]:
    """An execution pins the lab, here the tests themselves, beside what it measures; what comes
    after it has all processors again."""
    before = os.sched_getaffinity(0)
    yield
    os.sched_setaffinity(0, before)
