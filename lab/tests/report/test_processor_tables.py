"""Tables of parallel efficiency and of the cycles of whole processes."""

from __future__ import annotations

from typing import Any

import pytest

from evidence.honest_run import GCC, GO, JAVA, cell_id, honest_run
from evidence.records import SECOND, Records
from result.test_run import result_of
from runfair.export.figures import COLUMNS, figures
from runfair.export.go_benchmark import go_benchmark
from runfair.export.pyperf import pyperf
from runfair.formats.launch import CounterReading, ProcessorCounts
from runfair.formats.result import Estimate, ParallelEfficiency
from runfair.report.processor_tables import cycle_tables, efficiency_tables
from runfair.report.table import tables
from runfair.result.judged_run import JudgedRun

EFFICIENCY = ParallelEfficiency(
    cell=cell_id(GCC),
    alone=cell_id(GO),
    processors=2,
    kept=40,
    iterations=1200,
    kept_alone=600,
    iterations_alone=600,
    efficiency=Estimate(value=0.625, interval=(0.61, 0.64)),
    work_inflation=Estimate(value=1.6, interval=None),
    utilisation=Estimate(value=1.0, interval=(0.998, 1.0)),
    verdict="fair",
)
NOTHING = {"efficiency": None, "work_inflation": None, "utilisation": None}


def shown(**changes: Any) -> list[tuple[str, ...]]:
    one = EFFICIENCY.model_copy(update=changes)
    result = result_of(honest_run()).model_copy(update={"parallel_efficiency": [one]})
    (table,) = efficiency_tables(result)
    assert table.title == "sudoku · balanced · small · steady · parallel efficiency"
    return [row.cells for row in table.rows]


def test_ratios_have_their_intervals_and_say_how_much_was_kept() -> None:
    ratios = ("0.625 [0.610, 0.640]", "1.60", "1.00 [0.998, 1.00]")
    assert shown() == [(GCC.name, "2", *ratios, "600 of 600", "40 of 1,200", "fair")]


def test_a_void_time_gives_no_number_and_a_flagged_one_a_star() -> None:
    kept = ("600 of 600", "40 of 1,200")
    assert shown(**NOTHING, verdict="void") == [
        (GCC.name, "2", "void", "void", "void", *kept, "void")
    ]
    ((*_, inflation, _, _, _, state),) = shown(verdict="flagged")
    assert (inflation, state) == ("1.60*", "flagged")


def test_without_undisturbed_iterations_nothing_is_judged() -> None:
    assert shown(**NOTHING, kept=0) == [
        (GCC.name, "2", "—", "—", "—", "600 of 600", "0 of 1,200", "not judged")
    ]


COLD = cell_id(GO, mode="cold")


def counted(**changes: Any) -> ProcessorCounts:
    return ProcessorCounts(
        cycles=CounterReading(value=3_000_000_000, enabled_ns=1_000, running_ns=1_000),
        instructions=CounterReading(value=2_250_000_000, enabled_ns=1_000, running_ns=500),
        user_only=False,
    ).model_copy(update=changes)


def rows(run: Records) -> list[tuple[str, ...]]:
    return [row.cells for table in cycle_tables(result_of(run)) for row in table.rows]


def test_a_cold_cell_has_them_scaled_to_its_whole_time() -> None:
    run = honest_run().with_launches(COLD, processor=counted())
    (row,) = rows(run)
    assert row[1:] == ("3.00 billion", "4.50 billion", "1.50", "fair")
    assert GO.name in row[0]
    assert "cycles of a whole process" in [one.title for one in tables(result_of(run))]
    (without,) = rows(honest_run().with_launches(COLD, processor=counted(user_only=True)))
    assert without[0] == f"{row[0]} (without the kernel)"


def test_nothing_is_said_of_what_was_not_counted_or_cannot_be() -> None:
    seldom = counted(cycles=CounterReading(value=9, enabled_ns=1_000, running_ns=499))
    void = honest_run().with_launch_share(COLD, "foreign_ns", 0.2)
    for run in (
        honest_run(),
        honest_run().with_launches(COLD, processor=seldom),
        honest_run().with_launches(cell_id(JAVA), processor=counted()),
    ):
        assert rows(run) == []
    assert [row[-1] for row in rows(void.with_launches(COLD, processor=counted()))] != ["fair"]


def test_exports_have_a_place_for_them() -> None:
    assert COLUMNS["cycles"] == COLUMNS["instructions"] == "DOUBLE"


TASKED = cell_id(GCC, mode="cold")


def tasked(*idle: float, queued: float = 0.1) -> Records:
    """A cold program with tasks, whose executions were idle for these shares of the time."""
    idle_ns = iter(round(share * SECOND) for share in idle)
    run = honest_run().with_cell(TASKED, starts_tasks=True)
    run = run.with_launches(TASKED, wall_ns=SECOND, run_queue_ns=round(queued * SECOND))
    return run.with_executions(
        TASKED,
        lambda one: one.model_copy(
            update={"launch": one.launch.model_copy(update={"cpu_ns": SECOND - next(idle_ns)})}
        ),
    )


def test_idle_and_queued_are_figures_without_a_ratio() -> None:
    result = result_of(tasked(0, 0.02, 0, 0.02, 0, 0.02))
    (cell,) = [one for one in result.cells if one.id == TASKED]
    idle, queued = cell.figures["idle"], cell.figures["queued"]
    assert idle.value == pytest.approx(0.01)
    assert (idle.unit, idle.relative) == ("share", None)
    assert idle.interval is not None and idle.interval[0] == 0.0
    assert queued.value == pytest.approx(0.1)
    assert queued.interval is None
    assert not {"idle", "queued"} & {mean.figure for mean in result.geometric_means}


def test_only_programs_with_tasks_are_in_the_table_of_processors() -> None:
    shown = tables(result_of(tasked(0.25, 0.27, 0.25, 0.27, 0.25, 0.27)))
    (table,) = [one for one in shown if one.title.startswith("processors · ")]
    assert table.columns == ("variant", "idle", "queued", "verdict")
    ((name, idle, queued, _),) = [row.cells for row in table.rows]
    assert (name, idle.rstrip("*"), queued.rstrip("*")) == (
        GCC.name,
        "26.0% [24.9%, 27.1%]",
        "10.0%",
    )
    assert not [one for one in tables(result_of(honest_run())) if "processors" in one.title]


def test_other_processes_lengthen_the_idle_time() -> None:
    run = tasked(0.25, 0.27, 0.25, 0.27, 0.25, 0.27).with_launch_share(TASKED, "foreign_ns", 0.2)
    (cell,) = [one for one in result_of(run).cells if one.id == TASKED]
    idle = cell.figures["idle"]
    assert idle.bounds is not None
    assert idle.bounds[0] is None
    assert idle.verdict == "flagged"


def test_shares_are_exported_in_formats_that_have_a_unit_for_them() -> None:
    judged = JudgedRun.of("run", tasked(0.25, 0.27, 0.25, 0.27, 0.25, 0.27).evidence())
    assert f"{TASKED} cpu" in pyperf(judged)
    assert f"{TASKED} idle" not in pyperf(judged)
    assert "0.270 idle-share" in go_benchmark(judged)
    named = [*COLUMNS].index("figure")
    assert {"idle", "queued"} <= {row[named] for row in figures(judged).rows()}
