"""The one value of an execution."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from evidence.honest_run import GCC, JAVA, WARM_UP_ITERATIONS, cell_id, honest_run
from evidence.records import MILLISECOND, SECOND, Records, Series
from runfair.evidence.cell import CellEvidence, ExecutionEvidence
from runfair.fairness.figures import (
    cell_values,
    cut_short_figures,
    execution_value,
    figures_of,
    recorded,
    those_of,
    unit_of,
)
from runfair.formats.launch import LaunchOutcome
from runfair.formats.plan import Factors

WARMING = cell_id(JAVA)
FIGURES = ("wall", "cpu", "memory")


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


def heavy(execution: int, iteration: int) -> list[int]:
    """Lateness whose p50 is 1 ms and whose p99 is 50 ms, after a warm-up that is far worse."""
    random = np.random.default_rng([execution, iteration])
    late = np.where(random.random(400) < 0.02, 50 * MILLISECOND, MILLISECOND)
    return [int(value) * (100 if iteration < WARM_UP_ITERATIONS else 1) for value in late]


def test_percentiles_are_those_of_the_samples_of_the_steady_part() -> None:
    run = honest_run().sampling(WARMING, heavy)
    evidence = first(run, WARMING)
    assert evidence.samples["lateness"].total == 400 * (60 - WARM_UP_ITERATIONS)
    for share, truth in (("p50", MILLISECOND), ("p99", 50 * MILLISECOND)):
        assert execution_value(evidence, f"lateness.{share}") == pytest.approx(truth, rel=0.001)
    assert figures_of(cell(run, WARMING).cell)[3:] == (
        *("lateness.p50", "lateness.p99", "lateness.max"),
    )


def test_groups_are_of_the_figures_that_a_cell_has() -> None:
    sampled = ["lateness.p50", "lateness.p99", "lateness.max"]
    declared = cell(honest_run().sampling(WARMING, heavy), WARMING).cell
    assert those_of(declared, ["all"]) == ["wall", "cpu", "memory", *sampled]
    assert those_of(declared, ["sampled"]) == sampled
    assert those_of(declared, ["elapsed"]) == ["wall", *sampled]
    assert those_of(declared, ["timed", "p99"]) == ["wall", "cpu", *sampled]
    weighed = cell(honest_run().sampling(WARMING, heavy, unit="bytes"), WARMING).cell
    assert those_of(weighed, ["timed"]) == ["wall", "cpu"]
    plain = cell(honest_run(), WARMING).cell
    assert those_of(plain, ["all"]) == ["wall", "cpu", "memory"]
    assert those_of(plain, ["sampled"]) == []


def test_what_was_recorded_until_an_execution_was_cut_short_is_a_bound() -> None:
    run = honest_run().sampling(WARMING, heavy).cut_short(WARMING, 1, [900 * MILLISECOND] * 9)
    ended = first(run, WARMING)
    assert execution_value(ended, "lateness.max") is None
    # The iterations of the warm-up count too: nobody knows from where on it would have been steady.
    assert recorded(ended, "lateness.max") == pytest.approx(5_000 * MILLISECOND, rel=0.001)
    assert ended.samples["lateness"].total == 400 * 60 + 9
    assert cut_short_figures(cell(run, WARMING)) == ["lateness.p50", "lateness.p99", "lateness.max"]


@pytest.mark.parametrize("state", ["exited", "ended_by_lab", "not_started"])
def test_a_program_that_failed_by_itself_bounds_nothing(state: str) -> None:
    run = honest_run().sampling(WARMING, heavy).cut_short(WARMING, 1, [5])
    run = run.with_launches(WARMING, 1, outcome=LaunchOutcome.model_validate({"state": state}))
    assert cut_short_figures(cell(run, WARMING)) == []


def test_a_program_that_gave_a_wrong_answer_bounds_nothing() -> None:
    run = honest_run().sampling(WARMING, heavy).cut_short(WARMING, 1, [5])
    assert cut_short_figures(cell(run.with_records(WARMING, 1, digest="f" * 16), WARMING)) == []


TASKED = cell_id(GCC, mode="cold")
MANY = {"threads": 2, "factors": Factors(processors=2)}


def on_two(cell: str, **launch: Any) -> Records:
    run = honest_run().with_cell(cell, **MANY).with_records(cell, processors=[0, 1])
    return run.with_launches(cell, **launch)


@pytest.mark.parametrize(
    ("changes", "have"), [({}, False), ({"threads": 2}, True), ({"starts_tasks": True}, True)]
)
def test_programs_with_tasks_have_shares_of_the_processors(
    changes: dict[str, Any], have: bool
) -> None:
    tasked = cell(honest_run().with_cell(TASKED, **changes), TASKED)
    assert ({"idle", "queued"} <= {*figures_of(tasked.cell)}) == have


def test_idle_and_queued_are_shares_of_the_time_of_all_processors() -> None:
    one = first(on_two(TASKED, wall_ns=1000, cpu_ns=1500, run_queue_ns=3000), TASKED)
    assert (execution_value(one, "idle"), execution_value(one, "queued")) == (0.25, 1.5)
    assert unit_of(one.cell, "idle") == unit_of(one.cell, "queued") == "share"


def test_a_steady_program_is_idle_in_its_steady_part_only() -> None:
    name = cell_id(GCC)
    idle_at_first = np.where(np.arange(60) < 20, 0, 150)
    run = on_two(name).with_series(name, lambda _: (np.full(60, 100), idle_at_first))
    one = first(run, name)
    steady = idle_at_first[one.steady_part]
    assert execution_value(one, "idle") == pytest.approx(1 - steady.mean() / 200)
    assert steady.min() == 150


def test_no_share_is_negative_and_an_unknown_one_has_no_value() -> None:
    one = first(on_two(TASKED, wall_ns=1000, cpu_ns=2003, run_queue_ns=None), TASKED)
    assert (execution_value(one, "idle"), execution_value(one, "queued")) == (0.0, None)


def test_other_processes_lengthen_shares_of_the_processors() -> None:
    tasked = first(on_two(TASKED), TASKED).cell
    assert {"idle", "queued"} <= {*those_of(tasked, ["elapsed"])}
    # A slower machine does not change a share.
    assert those_of(tasked, ["clocked"]) == [
        one for one in those_of(tasked, ["elapsed"]) if one not in ("idle", "queued")
    ]
