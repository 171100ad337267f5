"""A run that others are compared with."""

from __future__ import annotations

import pytest

from evidence.honest_run import honest_run
from runfair.evidence.run import RunEvidence


@pytest.fixture(scope="session")
def first() -> RunEvidence:
    return honest_run(1).evidence()
