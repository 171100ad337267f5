"""The one value of an execution."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fairness.runs import (
    GCC,
    JAVA,
    MILLISECOND,
    SECOND,
    WARM_UP_ITERATIONS,
    Records,
    Series,
    cell_id,
    honest_run,
)
from runfair.fairness.evidence import CellEvidence, ExecutionEvidence
from runfair.fairness.figures import cell_values, execution_value, figures_of

WARMING = cell_id(JAVA)
FIGURES = figures_of("steady")


def cell(run: Records, name: str) -> CellEvidence:
    return next(one for one in run.evidence().cells if one.cell.id == name)


def first(run: Records, name: str) -> ExecutionEvidence:
    return cell(run, name).executions[0]


def test_a_steady_value_is_that_of_the_steady_part() -> None:
    evidence = first(honest_run(), WARMING)
    assert evidence.steady is not None and evidence.steady.start == WARM_UP_ITERATIONS
    steady = slice(WARM_UP_ITERATIONS, None)
    assert execution_value(evidence, "wall") == np.median(evidence.wall_ns[steady])
    assert execution_value(evidence, "cpu") == np.mean(evidence.cpu_ns[steady])
    assert execution_value(evidence, "memory") == evidence.record.launch.peak_tree_bytes


def test_a_coarse_clock_is_summed_not_sampled() -> None:
    """Every reading is a multiple of 10 ms, and the mean comes nearer to the truth than that."""
    evidence = first(honest_run(), WARMING)
    assert set(evidence.cpu_ns % (10 * MILLISECOND)) == {0}
    truth = float(np.mean(evidence.wall_ns[WARM_UP_ITERATIONS:])) * JAVA.cpu_over_wall
    value = execution_value(evidence, "cpu")
    assert value is not None and abs(value - truth) < 2 * MILLISECOND


def test_a_cold_value_is_the_whole_process() -> None:
    evidence = first(honest_run(), cell_id(GCC, mode="cold"))
    launch = evidence.record.launch
    assert execution_value(evidence, "wall") == launch.wall_ns > evidence.wall_ns.sum()
    assert execution_value(evidence, "cpu") == launch.cpu_ns > evidence.cpu_ns.sum()


def test_the_last_half_stands_in_where_nothing_was_steady() -> None:
    def climbing(series: Series) -> Series:
        slope = np.arange(1, len(series[0]) + 1) * SECOND
        return slope, slope

    evidence = first(honest_run().with_series(WARMING, climbing), WARMING)
    assert evidence.steady is not None and evidence.steady.start is None
    assert execution_value(evidence, "wall") == np.median(np.arange(31, 61)) * SECOND


@pytest.mark.parametrize("figure", FIGURES)
def test_a_failed_execution_has_no_value(figure: str) -> None:
    judged = cell(honest_run().failing(WARMING, 2), WARMING)
    assert [execution_value(one, name) for one in judged.failed for name in FIGURES] == [None] * 6
    assert len(cell_values(judged, next(name for name in FIGURES if name == figure))) == 4


def test_no_iteration_no_time_but_memory() -> None:
    run = honest_run().with_series(WARMING, lambda series: (series[0][:0], series[1][:0]), 1)
    evidence = first(run, WARMING)
    values = [execution_value(evidence, figure) for figure in FIGURES]
    assert values == [None, None, evidence.record.launch.peak_tree_bytes]


def test_pilots_count_in_nothing() -> None:
    judged = cell(honest_run().with_pilot(WARMING, failed=False), WARMING)
    assert len(judged.executions) == 7 and len(judged.blocks) == 6
    assert len(cell_values(judged, "memory")) == 6


def test_the_later_attempt_counts() -> None:
    run = honest_run()
    again = next(record for record in run.executions if record.cell == WARMING)
    launch = again.launch.model_copy(update={"peak_tree_bytes": 1})
    again = again.model_copy(update={"attempt": 2, "id": "again.2", "launch": launch})
    series = {**run.series, again.id: run.series[f"{again.planned}.1"]}
    judged = cell(replace(run, executions=(*run.executions, again), series=series), WARMING)
    assert len(judged.executions) == 6
    assert sum(value == 1 for value in cell_values(judged, "memory")) == 1


def test_a_coarse_cpu_clock_leaves_the_wall_clock_to_the_detector() -> None:
    run = honest_run()
    evidence = first(run.with_starts(WARMING, cpu_clock_resolution_ns=15 * MILLISECOND), WARMING)
    assert evidence.series == "cpu"
    evidence = first(run.with_starts(WARMING, cpu_clock_resolution_ns=25 * MILLISECOND), WARMING)
    assert evidence.series == "wall"
