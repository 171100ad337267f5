"""Parallel efficiency is split into dearer work and idle processors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evidence.honest_run import GCC, GO, cell_id, honest_run
from evidence.records import EXECUTIONS, MILLISECOND, Records
from result.test_run import result_of
from runfair.fairness.figures import TIMES
from runfair.formats.finding import Verdict, VerdictState
from runfair.formats.plan import Factors
from runfair.formats.result import Estimate, ParallelEfficiency
from runfair.result.parallel_efficiency import parallel_efficiencies
from runfair.statistics.log_interval import WIDEST

ALONE, SEVERAL = cell_id(GCC), cell_id(GO)


def timed(run: Records, cell: str, wall_ms: float, cpu_ms: float, lost_ms: float = 0) -> Records:
    """Iterations of this length that differ by 1%. In every second iteration, others took
    `lost_ms`."""
    lengths = wall_ms * MILLISECOND * (1 + 0.01 * (np.arange(60) % 3 - 1))
    cpu_ns = lengths * cpu_ms / wall_ms
    wall_ns = lengths + lost_ms * MILLISECOND * (np.arange(60) % 2)
    return run.with_series(cell, lambda _: (wall_ns.astype(np.int64), cpu_ns.astype(np.int64)))


def placed(wall_ms: float, cpu_ms: float, lost_ms: float = 0, **changes: Any) -> Records:
    """A program on one processor for 10 ms an iteration, and on two processors."""
    two = {"variant": GCC.name, "language": "c++", "threads": 2, "factors": Factors(processors=2)}
    run = timed(timed(honest_run(), ALONE, 10, 10), SEVERAL, wall_ms, cpu_ms, lost_ms)
    return run.with_cell(SEVERAL, **{**two, **changes})


def judged(run: Records, state: VerdictState = "fair") -> list[ParallelEfficiency]:
    evidence = run.evidence()
    verdicts = {
        one.cell.id: {figure: Verdict(state=state) for figure in TIMES} for one in evidence.cells
    }
    return [*parallel_efficiencies(evidence, verdicts)]


def values(one: ParallelEfficiency) -> tuple[float | None, ...]:
    ratios = (one.efficiency, one.work_inflation, one.utilisation)
    return tuple(None if ratio is None else round(ratio.value, 3) for ratio in ratios)


@pytest.mark.parametrize(
    ("wall_ms", "cpu_ms", "expected"),
    [
        (8, 16, (0.625, 1.6, 1.0)),  # both processors are in use all the time
        (10, 10, (0.5, 1.0, 0.5)),  # half of the time of two processors
        (5, 10, (1.0, 1.0, 1.0)),
    ],
)
def test_dearer_work_and_idle_processors_are_told_apart(
    wall_ms: float, cpu_ms: float, expected: tuple[float, ...]
) -> None:
    (one,) = judged(placed(wall_ms, cpu_ms))
    assert values(one) == expected
    assert (one.cell, one.alone, one.processors) == (SEVERAL, ALONE, 2)


def test_iterations_that_others_disturbed_do_not_count() -> None:
    (one,) = judged(placed(5, 10, lost_ms=3))
    assert values(one) == (1.0, 1.0, 1.0)
    assert one.kept * 2 == one.iterations
    assert one.kept_alone == one.iterations_alone


def test_idle_processors_count_only_if_others_did_not_use_them() -> None:
    taken = placed(10, 10).with_launch_share(SEVERAL, "foreign_ns", 0.2)
    (one,) = judged(taken)
    assert (one.kept, values(one)) == (0, (None, None, None))
    (unknown,) = judged(placed(10, 10).with_launches(SEVERAL, foreign_ns=None))
    assert unknown.kept == 0


def test_steal_time_counts_as_taken() -> None:
    (one,) = judged(placed(10, 10).with_launch_share(SEVERAL, "steal_ns", 0.2))
    assert one.kept == 0


def test_a_coarse_clock_does_not_show_whether_an_iteration_counts() -> None:
    coarse = placed(5, 10).with_starts(SEVERAL, cpu_clock_resolution_ns=MILLISECOND)
    (one,) = judged(coarse)
    assert (one.kept, one.efficiency) == (0, None)


def test_no_processor_is_used_for_more_than_its_time() -> None:
    (one,) = judged(placed(5, 10.05))
    assert one.utilisation is not None
    assert one.utilisation.value == 1.0


def test_the_interval_shows_how_much_executions_differ() -> None:
    longer = (np.full(60, 5_200_000), np.full(60, 10_400_000))
    (one,) = judged(placed(5, 10).with_series(SEVERAL, lambda _: longer, EXECUTIONS // 2))
    assert within(one.efficiency)
    assert within(one.work_inflation)


def within(ratio: Estimate | None) -> bool:
    assert ratio is not None
    assert ratio.interval is not None
    low, high = ratio.interval
    return low < ratio.value < high < WIDEST * low


def test_a_void_time_leaves_no_ratio() -> None:
    (one,) = judged(placed(5, 10), "void")
    assert (values(one), one.verdict) == ((None, None, None), "void")
    assert one.kept == one.iterations


def test_programs_are_compared_only_with_themselves_on_as_many_threads_as_processors() -> None:
    assert judged(placed(5, 10, tier="pool")) == []
    assert judged(placed(5, 10, factors=Factors(processors=1))) == []
    assert judged(placed(5, 10, mode="cold")) == []
    assert judged(placed(5, 10).with_records(SEVERAL, host="other")) == []


def test_a_result_has_it() -> None:
    (one,) = result_of(placed(5, 10)).parallel_efficiency
    assert one.cell == SEVERAL
