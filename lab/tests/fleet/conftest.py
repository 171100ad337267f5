"""Runs over hosts without a cluster."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fleet.fleet_runs import PLAN, FakeHosts, Fleet, Work, new_run


@pytest.fixture
def fleet(tmp_path: Path) -> Callable[..., Fleet]:
    def made(work: Work, *hosts: str) -> Fleet:
        return Fleet(new_run(tmp_path, PLAN), FakeHosts(work, *hosts))

    return made
