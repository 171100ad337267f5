"""How long executions may take."""

from __future__ import annotations

import pytest

from experiment.plans import cell
from runfair.formats.plan import Effort, Mode, PlannedExecution, Role

EFFORT = Effort(executions=2, max_seconds=6, timeout_seconds=120, pilots=2, pilot_seconds=60)


@pytest.mark.parametrize(
    ("mode", "role", "max_seconds", "limit_seconds", "asked_s", "limit_s"),
    [
        ("cold", "block", None, None, 0, 120),
        ("cold", "block", 60, 5, 0, 5),
        ("steady", "block", None, None, 6, 120),
        ("steady", "block", None, 5, 6, 11),
        ("steady", "block", 2, 5, 2, 7),
        ("steady", "pilot", 2, None, 60, 180),
        ("steady", "pilot", 2, 60, 60, 120),
    ],
)
def test_a_limit_begins_after_the_time_that_was_asked_for(
    mode: Mode,
    role: Role,
    max_seconds: float | None,
    limit_seconds: float | None,
    asked_s: float,
    limit_s: float,
) -> None:
    one = cell(mode=mode, max_seconds=max_seconds, limit_seconds=limit_seconds)
    planned = PlannedExecution(id="00001", cell=one.id, role=role, block=0, position=0)
    assert EFFORT.asked_s(one, planned) == asked_s
    assert EFFORT.limit_s(one, planned) == limit_s
