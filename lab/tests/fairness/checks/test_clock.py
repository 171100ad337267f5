"""Intervals too short for their clock."""

from __future__ import annotations

import pytest

from evidence.honest_run import GCC, cell_id, honest_run
from evidence.records import MILLISECOND, SECOND, Records, Series
from fairness.stories import SMALL, Story
from runfair.fairness.checks.clock import check

COLD = cell_id(GCC, mode="cold")
COARSE = frozenset({"wall_over_cpu"})


def stepping(run: Records, resolution_ns: int) -> Records:
    return run.with_starts(SMALL, cpu_clock_resolution_ns=resolution_ns)


def short(series: Series) -> Series:
    """Iterations of 1.2 µs, whose CPU time a clock of 1 ns still tells."""
    return series[0] // 10**6, series[1] // 10**6


STORIES = (
    # 60 iterations of 1.2 s make 72 s, whose error is √60 steps.
    Story("steps of 90 ms", lambda run: stepping(run, 90 * MILLISECOND), None),
    Story("steps of 96 ms", lambda run: stepping(run, 96 * MILLISECOND), "warning", also=COARSE),
    Story("steps of 450 ms", lambda run: stepping(run, 450 * MILLISECOND), "warning", also=COARSE),
    Story("steps of 500 ms", lambda run: stepping(run, 500 * MILLISECOND), "fault", also=COARSE),
    Story(
        "iterations of a microsecond",
        lambda run: run.with_series(SMALL, short),
        "fault",
        also=frozenset({"dead_code"}),
    ),
    Story(
        "a resolution not told",
        lambda run: run.with_records(SMALL, start=None),
        "limitation",
        also=frozenset({"wall_over_cpu", "effective_flags", "dead_code"}),
    ),
    Story(
        "a process of 30 µs", lambda run: run.with_launches(COLD, cpu_ns=30_000), "warning", COLD
    ),
    Story("a process of 110 µs", lambda run: run.with_launches(COLD, cpu_ns=110_000), None, COLD),
)


def test_each_figure_by_itself() -> None:
    (finding,) = check(stepping(honest_run(), SECOND).evidence())
    assert finding.figures == ["cpu"]
    assert {
        tuple(one.figures) for one in check(honest_run().with_series(SMALL, short).evidence())
    } == {("wall",)}


def test_no_time_at_all_is_void() -> None:
    run = honest_run().with_series(SMALL, lambda series: (series[0], series[1] * 0))
    (finding,) = check(run.evidence())
    assert finding.severity == "fault" and finding.figures == ["cpu"]
    assert finding.values == {"error": 1.0}


def test_the_error_is_told() -> None:
    (finding,) = check(stepping(honest_run(), 150 * MILLISECOND).evidence())
    # √60 steps of 0.15 s in 60 iterations of 1.2 s.
    assert finding.values["error"] == pytest.approx(0.0161, rel=0.02)
