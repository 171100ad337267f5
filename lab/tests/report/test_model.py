"""The model's figures against a run whose truth is known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fairness.runs import GCC, GO, JAVA, PYTHON, RUNTIMES, Records, Runtime, cell_id, honest_run
from runfair.fairness.figures import TIMES
from runfair.fairness.verdict import judge
from runfair.formats.plan import Factors
from runfair.formats.result import CellResult, RunResult
from runfair.report.model import assemble


def result_of(records: Records) -> RunResult:
    evidence = records.evidence()
    return assemble("run", evidence, judge(evidence))


def interrupted() -> Records:
    """The honest run without its last execution, which was planned."""
    whole = honest_run()
    return replace(whole, executions=whole.executions[:-1])


def cell_of(result: RunResult, runtime: Runtime, mode: str = "steady") -> CellResult:
    wanted = cell_id(runtime, "small", "steady" if mode == "steady" else "cold")
    return next(cell for cell in result.cells if cell.id == wanted)


@pytest.fixture(scope="module")
def honest() -> RunResult:
    return result_of(honest_run())


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_values_and_ratios_are_the_truth_within_their_intervals(
    honest: RunResult, runtime: Runtime
) -> None:
    cell = cell_of(honest, runtime)
    assert (cell.executions, cell.failed) == (6, 0)
    truths = {"wall": 1.0, "cpu": runtime.cpu_over_wall}
    for name in TIMES:
        figure = cell.figures[name]
        truth = runtime.small_ns * truths[name]
        base = GCC.small_ns * {"wall": 1.0, "cpu": GCC.cpu_over_wall}[name]
        assert figure.verdict == "fair"
        assert figure.value == pytest.approx(truth, rel=0.02)
        assert figure.interval is not None
        assert figure.value is not None
        assert figure.interval[0] < figure.value < figure.interval[1]
        assert figure.relative is not None
        assert figure.relative.baseline == GCC.name
        assert figure.relative.value == pytest.approx(truth / base, rel=0.02)
    assert cell.figures["memory"].value == runtime.peak_bytes


def test_the_baseline_is_one_without_an_interval(honest: RunResult) -> None:
    relative = cell_of(honest, GCC).figures["cpu"].relative
    assert relative is not None
    assert (relative.value, relative.interval, relative.p) == (1.0, None, None)


def test_what_differs_is_stated_after_holm(honest: RunResult) -> None:
    relative = cell_of(honest, PYTHON).figures["cpu"].relative
    assert relative is not None
    assert relative.p is not None
    assert relative.p < 0.001
    assert not relative.within_noise_floor


def test_steady_state_in_one_word(honest: RunResult) -> None:
    assert cell_of(honest, GCC).steady_state == "flat"
    assert cell_of(honest, JAVA).steady_state == "warmup"
    assert cell_of(honest, GCC, "cold").steady_state is None


def test_a_void_figure_is_no_number_and_the_others_stand() -> None:
    noisy = honest_run().with_launch_share(cell_id(GO), "foreign_ns", 0.2)
    cell = cell_of(result_of(noisy), GO)
    wall, cpu = cell.figures["wall"], cell.figures["cpu"]
    assert wall.verdict == "void"
    assert (wall.value, wall.interval, wall.relative) == (None, None, None)
    assert [finding.check for finding in wall.findings] == ["foreign_time"]
    assert cpu.verdict == "flagged"
    assert cpu.value is not None
    assert cell.figures["memory"].verdict == "fair"
    assert cpu.relative is not None


def test_a_void_baseline_leaves_values_without_ratios() -> None:
    noisy = honest_run().with_launch_share(cell_id(GCC), "foreign_ns", 0.2)
    wall = cell_of(result_of(noisy), GO).figures["wall"]
    assert wall.value is not None
    assert wall.relative is None


def test_a_failed_execution_is_counted_and_its_pair_left_out() -> None:
    cell = cell_of(result_of(honest_run().failing(cell_id(GO), 1)), GO)
    assert (cell.executions, cell.failed) == (5, 1)
    relative = cell.figures["cpu"].relative
    assert relative is not None
    assert relative.value == pytest.approx(GO.small_ns / GCC.small_ns, rel=0.02)


def test_an_interrupted_run_is_incomplete(honest: RunResult) -> None:
    assert honest.complete
    assert not result_of(interrupted()).complete


def test_what_is_unsupported_stands_with_its_reason() -> None:
    records = honest_run().with_cell(cell_id(GO), unsupported="no such runtime")
    cell = cell_of(result_of(records), GO)
    assert cell.unsupported == "no such runtime"
    assert cell.figures == {}


def test_geometric_means_over_the_same_benchmarks_only() -> None:
    """The large cells made a second benchmark of the same size: the same ratios, so the same mean;
    a variant that lacks one of the two has none."""
    two = second_benchmark(honest_run())
    means = {
        (mean.variant, mean.figure): mean
        for mean in result_of(two).geometric_means
        if mean.mode == "steady"
    }
    assert means[GO.name, "cpu"].benchmarks == 2
    assert means[GO.name, "cpu"].value == pytest.approx(GO.small_ns / GCC.small_ns, rel=0.02)
    assert means[GCC.name, "cpu"].value == 1.0
    lacking = two.with_cell(cell_id(GO), unsupported="not here")
    names = {mean.variant for mean in result_of(lacking).geometric_means}
    assert GO.name not in names
    assert PYTHON.name in names


def test_a_mean_is_against_the_runs_own_baseline_alone() -> None:
    """Where a group lacks the baseline, its ratios are to something else: they join no mean."""
    two = second_benchmark(honest_run())
    lacking = two.with_cell(cell_id(GCC, "large"), unsupported="not here")
    assert {mean.mode for mean in result_of(two).geometric_means} == {"steady"}
    assert result_of(lacking).geometric_means == []


def test_other_factors_are_no_other_benchmarks() -> None:
    """The same benchmark under another factor is a kind of its own, and one benchmark no mean."""
    factored = honest_run().with_cells(
        lambda cell: cell.size == "large", size="small", factors=Factors(processors=2)
    )
    assert result_of(factored).geometric_means == []


def test_a_second_tier_of_the_baseline_is_compared_with_it() -> None:
    """The baseline is a cell, not a variant: another tier of it has an interval of its own."""
    records = honest_run().with_cell(cell_id(GO), variant=GCC.name, tier="abseil", language="c++")
    relative = cell_of(result_of(records), GO).figures["memory"].relative
    cpu = cell_of(result_of(records), GO).figures["cpu"].relative
    assert relative is not None
    assert cpu is None or cpu.interval is not None
    assert relative.value == pytest.approx(GO.peak_bytes / GCC.peak_bytes)


def second_benchmark(records: Records) -> Records:
    """The large cells made a second benchmark of the same size."""
    two = records.with_cells(lambda cell: cell.size == "large", benchmark="sort", size="small")
    for runtime in RUNTIMES:
        two = two.with_starts(cell_id(runtime, "large"), benchmark="sort", size="small")
    return two
