"""What is said of programs: means of a suite, the cells of one benchmark, or one alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evidence.honest_run import GCC, GO, JAVA, PYTHON, cell_id, honest_run
from evidence.records import Records
from fairness.large_run import large_run
from report.conclusion.concluded import (
    concluded,
    of_cells,
    one_group,
    one_kind,
    question,
    suite,
    swept,
)
from report.page.test_poor_runs import of_one_runtime, unsupported
from report.test_table import lateness
from result.test_run import drifting, result_of
from runfair.formats.execution import Outcome
from runfair.formats.launch import LaunchOutcome
from runfair.report.conclusion import programs


def test_one_benchmark_has_its_times_and_ratios_the_fastest_first() -> None:
    found = question(one_group())
    assert found.title == "sudoku · balanced: steady state, small, CPU time, gcc-12.2.0+o3 = 1"
    assert [row[0] for row in found.rows] == [each.name for each in (GCC, GO, JAVA, PYTHON)]
    assert found.heading == ("lower is better", "CPU time", "ratio (95%)", "than gcc")
    assert found.rows[0] == (GCC.name, "1.20 s", "1.00", "")
    assert found.rows[1][2].startswith("1.58 [")
    assert found.rows[1][3] == "higher"
    assert found.in_rows
    assert found.sentences == (
        "Against gcc-12.2.0+o3 (= 1), CPU time is higher with go (1.58), temurin (1.76) and "
        "cpython (20.0).",
    )
    assert found.state == "answered"


def test_other_modes_and_sizes_are_a_line_each() -> None:
    _, large, cold = question(honest_run()).sentences
    assert large.startswith("Steady state, large: gcc 1.00, go 1.58, ")
    assert cold.startswith("Whole process, small: gcc 1.00, go 1.56, ")


def test_what_does_not_differ_clearly_is_said_to() -> None:
    run = one_group()
    slower = run.with_series(cell_id(GO), lambda one: (one[0] * 12 // 19, one[1] * 12 // 19))
    assert (
        "CPU time is not clearly different with go (1.00), higher with"
        in question(slower).sentences[0]
    )
    assert [row[3] for row in question(slower).rows[:2]] == ["", "unclear"]


def test_a_suite_has_geometric_means_and_the_cells_farthest_from_them() -> None:
    run = one_kind(large_run(4))
    run = run.with_series(f"0001-{cell_id(PYTHON)}", lambda one: (one[0] * 3, one[1] * 3))
    run = run.with_series(f"0002-{cell_id(GO)}", lambda one: (one[0] * 2, one[1] * 2))
    run = run.with_series(f"0003-{cell_id(JAVA)}", lambda one: (one[0] * 2, one[1] * 2))
    found = question(run)
    assert found.title == (
        "Steady state, small: CPU time, gcc-12.2.0+o3 = 1, geometric mean of 4 benchmarks"
    )
    assert [row[0] for row in found.rows] == [GO.name, JAVA.name, PYTHON.name]
    far = "Ratios farthest from the geometric means: benchmark-0001 with cpython 60.0, "
    assert found.sentences[1].startswith(far)
    assert "benchmark-0002 with go 3.17" in found.sentences[1]
    assert "benchmark-0003 with temurin 3.51" in found.sentences[1]


def test_the_cells_farthest_from_the_means_have_bounds_as_in_the_tables() -> None:
    """The machine's speed changed by 10%, in an unknown direction."""
    result = result_of(drifting(one_kind(large_run(4))))
    means = [one for one in result.geometric_means if one.figure == "wall"]
    said = programs._farthest(means, result.cells)
    assert said.startswith("Ratios farthest from the geometric means: ")
    assert said.count(" to ") == programs.FARTHEST


def test_geometric_means_of_other_modes_name_their_baseline() -> None:
    *_, cold = question(large_run(2)).sentences
    assert cold.startswith("Whole process, small, CPU time (gcc = 1): go 1.56, temurin ")


def test_of_two_benchmarks_none_is_far() -> None:
    assert len(question(one_kind(large_run(2))).sentences) == 1


def test_a_variant_without_a_mean_says_so() -> None:
    cell = f"0000-{cell_id(GO)}"
    missing = question(one_kind(large_run(2)).with_cell(cell, unsupported="why"))
    assert missing.rows[-1] == (GO.name, "no geometric mean, because 1 of 2 workloads are missing")
    assert missing.state == "answered"  # what cannot run here owes no answer
    failed = question(one_kind(large_run(2)).failing(cell, 6, reason="exit status 1"))
    assert failed.state == "open"
    assert failed.sentences[0] == (
        "No answer for go: none of 6 executions completed: exit status 1."
    )


def test_a_mean_over_other_workloads_too_is_no_answer_about_the_rest() -> None:
    """The other workloads have distributions, so each of them is a question of its own."""
    run = one_kind(large_run(2))
    for cell in run.plan.cells:
        if cell.id.startswith("0001-"):
            run = run.sampling(cell.id, lambda *_: [1_000_000] * 400)
    titles = [one.title for one in concluded(run).questions]
    assert (
        titles[0] == "benchmark-0000 · balanced: steady state, small, CPU time, gcc-12.2.0+o3 = 1"
    )
    assert not any("geometric mean" in title for title in titles)


def test_one_variant_of_a_suite_is_compared_with_nothing() -> None:
    run = large_run(3)
    mine = {cell.id for cell in run.plan.cells if cell.variant == GCC.name and cell.mode == "cold"}
    found = question(of_cells(run, mine))
    assert found.title == (
        "gcc-12.2.0+o3, whole process, small, CPU time, wall time and peak memory"
    )
    assert found.rows[0] == ("benchmark-0000 · balanced", "1.24 s", "1.24 s", "4.00 MiB")
    assert found.sentences == ("There is no other variant to compare with.",)


def test_one_variant_in_several_kinds_has_a_row_each() -> None:
    found = question(of_one_runtime())
    assert [row[0] for row in found.rows] == [
        "steady state, small",
        "steady state, large",
        "whole process, small",
    ]


def test_a_flagged_figure_says_so_wherever_it_stands() -> None:
    def disturbed(cell: str) -> Records:
        return honest_run().with_launch_share(cell, "foreign_ns", 0.2)

    row = question(disturbed(cell_id(GO))).rows[1]
    assert row[0] == GO.name
    assert row[-1] == "flagged: other processes"
    cold = question(disturbed(cell_id(GO, mode="cold"))).sentences[2]
    assert "go 1.56 (flagged), temurin" in cold


def test_a_void_figure_is_no_number_and_no_answer_where_nothing_else_stands() -> None:
    run = one_group().failing(cell_id(GO), 6, reason="exit status 1")
    found = question(run)
    (row,) = [each for each in found.rows if each[0] == GO.name]
    assert row == (GO.name, "void", "", "", "6 of 6 executions failed")
    assert found.state == "open"
    other = question(honest_run().failing(cell_id(GO, mode="cold"), 6))
    assert "go void" in other.sentences[-1]
    assert other.state == "open"


def test_wall_time_alone_is_an_answer() -> None:
    """Too short for the CPU clocks."""
    run = one_group()
    for runtime in (GCC, GO, JAVA, PYTHON):
        run = run.with_starts(cell_id(runtime), cpu_clock_resolution_ns=10**12)
    found = question(run)
    assert "wall time" in found.title
    assert found.state == "answered"


def test_an_execution_that_failed_among_others_leaves_the_answer() -> None:
    found = question(one_group().failing(cell_id(GO), 2))
    assert found.state == "answered"
    assert found.rows[1][-1] == "flagged: 2 of 6 executions failed"


@pytest.mark.parametrize("limit", ["time", "memory"])
def test_a_program_at_the_limit_stated_owes_no_answer(limit: str) -> None:
    run = one_group()
    if limit == "time":
        run = run.with_cell(cell_id(GO), limit_seconds=2.0)
        (cell,) = [one for one in run.plan.cells if one.id == cell_id(GO)]
        run = run.with_records(cell_id(GO), outcome=Outcome.of(cell.too_long))
    else:
        (cell,) = [one for one in run.plan.cells if one.id == cell_id(GO)]
        factors = cell.factors.model_copy(update={"memory_limit_bytes": 2**20})
        run = run.with_cells(lambda _: True, factors=factors)
        run = run.failing(cell_id(GO), 6, reason="more than its limit")
        exceeded = LaunchOutcome(state="memory_exceeded")
        run = run.with_launches(cell_id(GO), outcome=exceeded)
    found = question(run)
    (row,) = [each for each in found.rows if each[0] == GO.name]
    assert row == (
        GO.name,
        ("every execution reached the time limit or the memory limit of the experiment"),
    )
    assert found.state == "answered"


def test_what_cannot_run_here_is_no_missing_answer() -> None:
    found = question(unsupported())
    assert found.state == "answered"
    assert found.sentences == ("Nothing was measured.",)
    assert found.rows[0][1:] == ("unsupported: needs a newer kernel",)


def test_many_that_cannot_run_for_the_same_reason_share_a_row() -> None:
    run = one_kind(large_run(1))
    for runtime in (GO, JAVA, PYTHON):
        run = run.with_cell(f"0000-{cell_id(runtime)}", unsupported="too old")
    rows = question(run).rows
    assert [row[0] for row in rows] == [GCC.name, "3 variants"]
    assert rows[-1] == ("3 variants", "unsupported: too old")


def test_what_failed_to_build_owes_an_answer() -> None:
    """Its reason passes: tomorrow it would have one."""
    line = "dial tcp 127.0.0.1:9: connect: connection refused"
    cell = next(one.id for one in one_group().plan.cells if one.variant == GO.name)
    run = one_group().with_cell(cell, failed_to_build=line)
    found = question(replace(run, executions=tuple(x for x in run.executions if x.cell != cell)))
    assert found.state == "open"
    assert found.sentences[0] == f"No answer for go: failed to build: {line}."
    (row,) = [each for each in found.rows if each[0] == GO.name]
    assert row == (GO.name, f"failed to build: {line}")


def test_what_was_never_measured_is() -> None:
    found = question(replace(one_group(), executions=()))
    assert found.state == "open"
    assert {row[1:] for row in found.rows} == {("not measured",)}


def test_six_languages_have_short_names() -> None:
    assert "rust" in question(suite(2)).sentences[0]
    twins = one_group().with_cell(cell_id(GO), variant="gcc-13")
    twins = twins.with_plan(
        variants=[
            *twins.plan.variants,
            twins.plan.variants[0].model_copy(update={"name": "gcc-13"}),
        ]
    )
    assert "higher with gcc-13 (1.58), temurin" in question(twins).sentences[0]


def sampled() -> Records:
    run = one_group()
    for place, runtime in enumerate((GCC, GO, JAVA, PYTHON)):
        run = run.sampling(cell_id(runtime), lateness((place + 1) * 10**6))
    return run


def test_a_distribution_is_asked_for_in_place_of_the_times() -> None:
    found = question(sampled())
    assert found.title == "sudoku · balanced: lateness, steady state, small"
    assert found.rows[0][0] == GCC.name
    assert found.rows[0][1].startswith("p50 1.0")
    assert found.rows[0][2].startswith("p99 1")
    assert found.sentences[0] == (
        "Against gcc-12.2.0+o3 (= 1), lateness p50 is higher with go (2.00), temurin (3.00) "
        "and cpython (4.00)."
    )
    percentiles = {"lateness.p50", "lateness.p99", "lateness.max"}
    assert {name for _, name in found.concerns} == percentiles


def test_bounds_are_shown_as_such_and_answer() -> None:
    found = question(sampled().cut_short(cell_id(GO), 6, [900_000_000] * 5))
    (row,) = [each for each in found.rows if each[0] == GO.name]
    assert row[1].startswith("p50 ≥ 2.0")
    assert row[3] == "max ≥ 900 ms"
    assert found.state == "answered"


def test_points_of_a_sweep_are_no_questions_of_their_own() -> None:
    assert len(concluded(swept()).questions) == 1
