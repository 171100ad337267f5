"""Tests of programs that the ordinary check leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

from checking.testing import LONG_TIERS
from runfair.catalogue.program import ProgramSource


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests of tiers that only `./check --long` verifies. The parameter of such a test is
    a program, its language and tier, or its tier alone. pytest passes the tests of all folders.
    """
    here = Path(__file__).parent
    for item in items:
        if not item.path.is_relative_to(here):
            continue
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        if parameters.get("tier") in LONG_TIERS:
            item.add_marker("long")
        for value in parameters.values():
            language_and_tier = isinstance(value, tuple) and len(value) == 2
            tier = (
                value.tier if isinstance(value, ProgramSource) else language_and_tier and value[1]
            )
            if tier in LONG_TIERS:
                item.add_marker("long")
