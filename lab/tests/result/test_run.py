"""The model's figures against a run whose truth is known."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from math import prod, sqrt

import pytest
from rich.console import Console

from evidence.honest_run import (
    GCC,
    GO,
    JAVA,
    PYTHON,
    RUNTIMES,
    Runtime,
    cell_id,
    honest_run,
)
from evidence.records import EXECUTIONS, SECOND, Records, reading
from report.page.pages import page_of
from runfair.fairness.figures import TIMES
from runfair.fairness.verdict import judge
from runfair.formats.host import BusyProgram
from runfair.formats.plan import Factors
from runfair.formats.result import (
    CellResult,
    GeometricMean,
    MachineLevelResult,
    Relative,
    RunResult,
)
from runfair.report.markdown import markdown
from runfair.report.terminal import level_line, print_result
from runfair.result.run import assemble
from runfair.wording import quantity


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


def test_a_ratio_over_several_hosts_has_an_interval_for_these_hosts_too(honest: RunResult) -> None:
    alone = cell_of(honest, GO).figures["cpu"].relative
    fleet = cell_of(result_of(honest_run().on_hosts("a", "b")), GO).figures["cpu"].relative
    assert alone is not None
    assert fleet is not None
    assert alone.on_these_hosts is None
    assert fleet.on_these_hosts is not None
    low, high = fleet.on_these_hosts
    assert low < fleet.value < high
    assert quantity.ratio(fleet).endswith(
        f", on these hosts [{quantity.three_digits(low)}, {quantity.three_digits(high)}]"
    )
    baseline = cell_of(result_of(honest_run().on_hosts("a", "b")), GCC).figures["cpu"].relative
    assert baseline is not None
    assert baseline.on_these_hosts is None


def test_steady_state_in_one_word(honest: RunResult) -> None:
    assert cell_of(honest, GCC).steady_state == "flat"
    assert cell_of(honest, JAVA).steady_state == "warmup"
    assert cell_of(honest, GCC, "cold").steady_state is None


def coarse(records: Records, cell: str) -> Records:
    """Its CPU clock steps by a minute, which is no clock for its two seconds: void."""
    return records.with_starts(cell, cpu_clock_resolution_ns=60 * SECOND)


def damaged(records: Records, cell: str) -> Records:
    """One of its executions counted more iterations than its file holds: its times are void."""
    return records.with_records(cell, 1, iterations=1000)


def disturbed(records: Records, cell: str) -> Records:
    """Others took a fifth of its processor, and nobody told how long it waited for them: its wall
    time is at most what was measured."""
    run = records.with_launch_share(cell, "foreign_ns", 0.2)
    return run.with_launches(cell, run_queue_ns=None, foreign_source="stat")


def drifting(records: Records, share: float = 0.1) -> Records:
    """The machine's own speed changed by this share, in an unknown direction."""
    return records.with_calibration(reference_drift=share)


def test_a_void_figure_is_no_number_and_the_others_stand(honest: RunResult) -> None:
    cell = cell_of(result_of(coarse(honest_run(), cell_id(GO))), GO)
    cpu, wall = cell.figures["cpu"], cell.figures["wall"]
    assert cpu.verdict == "void"
    assert (cpu.value, cpu.interval, cpu.bounds, cpu.relative) == (None, None, None, None)
    assert [finding.check for finding in cpu.findings] == ["clock"]
    assert wall.value == cell_of(honest, GO).figures["wall"].value
    assert wall.relative is not None
    assert (wall.verdict, cell.figures["memory"].verdict) == ("fair", "fair")


def test_a_bounded_figure_is_what_was_measured_with_its_limits(honest: RunResult) -> None:
    cell = cell_of(result_of(disturbed(honest_run(), cell_id(GO))), GO)
    wall, before = cell.figures["wall"], cell_of(honest, GO).figures["wall"]
    assert wall.verdict == "flagged"
    assert (wall.value, wall.interval) == (before.value, before.interval)
    assert before.bounds is None
    assert before.interval is not None
    assert wall.bounds == (None, before.interval[1])
    assert [(one.check, one.severity) for one in wall.findings] == [("foreign_time", "fault")]
    assert (cell.figures["cpu"].verdict, cell.figures["cpu"].bounds) == ("flagged", None)
    assert (cell.figures["memory"].verdict, cell.figures["memory"].bounds) == ("fair", None)


def test_a_void_baseline_leaves_values_without_ratios() -> None:
    cpu = cell_of(result_of(coarse(honest_run(), cell_id(GCC))), GO).figures["cpu"]
    assert cpu.value is not None
    assert cpu.relative is None


def test_a_ratio_of_a_bounded_figure_is_bounded(honest: RunResult) -> None:
    figures = cell_of(result_of(disturbed(honest_run(), cell_id(GO))), GO).figures
    base = cell_of(honest, GCC).figures["wall"].interval
    relative, bounds = figures["wall"].relative, figures["wall"].bounds
    assert relative is not None and relative.bounds is not None
    assert base is not None and bounds is not None and bounds[1] is not None
    assert relative.bounds == near(None, bounds[1] / base[0])
    assert figures["cpu"].relative is not None
    assert figures["cpu"].relative.bounds is None


def test_a_bounded_baseline_bounds_the_ratios_to_it() -> None:
    result = result_of(disturbed(honest_run(), cell_id(GCC)))
    bounds = cell_of(result, GCC).figures["wall"].bounds
    for runtime in (GO, JAVA, PYTHON):
        one = cell_of(result, runtime).figures["wall"]
        assert (one.verdict, one.bounds) == ("fair", None)
        assert one.relative is not None and one.relative.bounds is not None
        assert one.interval is not None and bounds is not None and bounds[1] is not None
        assert one.relative.bounds == near(one.interval[0] / bounds[1], None)
    itself = cell_of(result, GCC).figures["wall"].relative
    assert itself is not None
    assert (itself.value, itself.bounds) == (1.0, None)


def test_a_speed_that_drifted_bounds_both_sides_of_a_ratio() -> None:
    result = result_of(drifting(honest_run()))
    go, gcc = (cell_of(result, one).figures["wall"] for one in (GO, GCC))
    assert go.bounds is not None and gcc.bounds is not None
    (least, most), (least_base, most_base) = go.bounds, gcc.bounds
    assert least is not None and most is not None
    assert least_base is not None and most_base is not None
    assert go.relative is not None
    assert go.relative.bounds == near(least / most_base, most / least_base)
    assert least / most_base < 0.9 * GO.small_ns / GCC.small_ns < 1.1 * GO.small_ns / GCC.small_ns
    assert most / least_base > 1.1 * GO.small_ns / GCC.small_ns


def near(low: float | None, high: float | None) -> object:
    """Bounds but for rounding."""
    return tuple(None if end is None else pytest.approx(end) for end in (low, high))


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


def wall_mean(records: Records, runtime: Runtime) -> GeometricMean:
    """Of the wall times of the two benchmarks."""
    (mean,) = [
        one
        for one in result_of(records).geometric_means
        if (one.variant, one.figure, one.mode) == (runtime.name, "wall", "steady")
    ]
    return mean


def wall_ratio(records: Records, runtime: Runtime, size: str) -> Relative:
    (cell,) = [one for one in result_of(records).cells if one.id == cell_id(runtime, size)]
    found = cell.figures["wall"].relative
    assert found is not None
    return found


def test_a_mean_of_ratios_of_which_one_is_bounded_is_bounded() -> None:
    """The other's part is the end of its interval."""
    two = second_benchmark(honest_run())
    before, mean = wall_mean(two, GO), wall_mean(disturbed(two, cell_id(GO)), GO)
    assert before.bounds is None
    assert (mean.value, mean.interval, mean.verdict) == (before.value, before.interval, "flagged")
    bounded = wall_ratio(disturbed(two, cell_id(GO)), GO, "small").bounds
    other = wall_ratio(two, GO, "large").interval
    assert bounded is not None and bounded[1] is not None and other is not None
    assert mean.bounds == near(None, sqrt(bounded[1] * other[1]))
    assert wall_mean(disturbed(two, cell_id(GO)), PYTHON).bounds is None


def test_a_mean_is_unbounded_where_any_of_its_ratios_is() -> None:
    """One benchmark's ratio is known from above alone, the other's from below alone."""
    two = disturbed(disturbed(second_benchmark(honest_run()), cell_id(GO)), cell_id(GCC, "large"))
    assert wall_mean(two, GO).bounds == (None, None)
    # Of the others one has an interval, and the other no upper limit.
    assert (wall_mean(two, PYTHON).bounds or (None, 1.0))[1] is None
    assert (wall_mean(two, PYTHON).bounds or (None, 1.0))[0] is not None


def test_a_ratio_of_few_pairs_is_not_exact_in_a_mean() -> None:
    """Large inputs were measured in one block, in which two pairs differ."""
    large = cell_id(GO, "large")
    two = disturbed(second_benchmark(honest_run()), cell_id(GO))
    two = two.with_series(large, lambda series: (series[0] * 3, series[1] * 3), 1)
    two = two.without(large, EXECUTIONS - 2)
    assert wall_ratio(two, GO, "large").interval is None
    assert wall_mean(two, GO).bounds == (None, None)


def test_a_mean_of_ratios_all_bounded_from_both_sides() -> None:
    two = drifting(second_benchmark(honest_run()))
    ratios = [wall_ratio(two, GO, size).bounds for size in ("small", "large")]
    lows = [one[0] for one in ratios if one is not None and one[0] is not None]
    highs = [one[1] for one in ratios if one is not None and one[1] is not None]
    assert wall_mean(two, GO).bounds == near(sqrt(prod(lows)), sqrt(prod(highs)))
    assert wall_mean(two, GCC).bounds is None  # with itself, whatever the speed


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


def slowing() -> Records:
    """A processor that becomes slower by a tenth over the run; memory does not."""
    run = honest_run()
    readings = [
        reading(kind, record, 1 + 0.1 * number / len(run.executions) * (kind == "computing"))
        for number, record in enumerate(run.executions)
        for kind in ("computing", "memory")
    ]
    return replace(run, readings=tuple(readings))


def level_of(run: Records) -> MachineLevelResult:
    found = result_of(run).machine_level
    assert found is not None
    return found


def test_an_even_machine_has_a_narrow_range() -> None:
    found = level_of(honest_run())
    assert [*found.levels] == ["computing", "memory"]
    for one in found.levels.values():
        assert one.readings == len(honest_run().executions)
        assert 0.98 < one.low < 1 < one.high < 1.02
        assert abs(one.drift) < 0.01


def test_a_machine_that_slows_down_is_seen_to_drift() -> None:
    levels = level_of(slowing()).levels
    assert levels["computing"].drift == pytest.approx(0.095, abs=0.005)
    assert levels["memory"].drift == pytest.approx(0, abs=1e-6)
    assert levels["computing"].high - levels["computing"].low == pytest.approx(0.09, abs=0.01)


def test_the_share_is_what_the_readings_took_of_the_run() -> None:
    run = honest_run()
    ends = [one.started_monotonic_ns + one.wall_ns for one in run.readings]
    span_ns = max(ends) - min(one.launch.started_monotonic_ns for one in run.executions)
    found = level_of(run)
    assert found.share == pytest.approx(sum(one.took_ns for one in run.readings) / span_ns)
    assert found.share is not None
    assert found.share < 0.02


def test_one_line_in_the_details_and_in_markdown() -> None:
    result = result_of(slowing())
    assert result.machine_level is not None
    line = level_line(result.machine_level)
    assert "computing: 72 readings, 95% of them lie between 0.9" in line
    assert "drift +9." in line
    shown = StringIO()
    print_result(result, Console(file=shown, width=1000))
    assert shown.getvalue().count(f"reference   {line}\n") == 1
    assert markdown(result).count("- reference ") == 1


def test_without_readings_there_is_no_line_and_no_picture() -> None:
    run = replace(honest_run(), readings=())
    result = result_of(run)
    assert result.machine_level is None
    shown = StringIO()
    print_result(result, Console(file=shown, width=1000))
    assert "reference   " not in shown.getvalue()
    assert "- reference " not in markdown(result)
    assert "machine-level" not in [one.name for one in page_of(run).pictures]


def test_the_page_shows_every_reading_and_who_was_busy() -> None:
    run = honest_run()
    burner = [BusyProgram(name="burner<b>", share=0.97)]
    last = run.readings[-1].model_copy(update={"busy": burner})
    page = page_of(replace(run, readings=(*run.readings[:-1], last)))
    (picture,) = [one for one in page.pictures if one.name == "machine-level"]
    assert len(picture.data["readings"]["y"]) == len(run.readings)
    assert picture.data["readings"]["busy"][-1] == "burner<b> 97%"
    assert [row.cells[:3] for row in picture.table.rows] == [
        ("computing", "1", "72"),
        ("memory", "1", "72"),
    ]
    assert picture.table.rows[1].cells[-1] == "burner<b>"
    assert picture.judgement.total == 0


def test_a_cell_names_the_line_of_its_versions() -> None:
    run = honest_run().with_variant(GO.name, lineage="go-upstream")
    lines = {one.variant: one.line for one in result_of(run).cells}
    assert lines[GO.name] == "go-upstream"
    assert lines[GCC.name] == "gcc"
