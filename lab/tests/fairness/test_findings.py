"""Severities begin just beyond their thresholds."""

from __future__ import annotations

import math

import pytest

from runfair.fairness.findings import grade
from runfair.formats.finding import Severity


@pytest.mark.parametrize(
    ("value", "severity"),
    [
        (0.0, None),
        (0.01, None),
        (math.nextafter(0.01, 1), "warning"),
        (0.05, "warning"),
        (math.nextafter(0.05, 1), "fault"),
        (math.inf, "fault"),
        (math.nan, "fault"),
    ],
)
def test_a_threshold_itself_still_passes(value: float, severity: Severity | None) -> None:
    assert grade(value, warning=0.01, fault=0.05) == severity
