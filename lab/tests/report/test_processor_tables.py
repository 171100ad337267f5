"""Tables of parallel efficiency and of the cycles of whole processes."""

from __future__ import annotations

from typing import Any

from evidence.honest_run import GCC, GO, JAVA, cell_id, honest_run
from evidence.records import Records
from result.test_run import result_of
from runfair.export.figures import COLUMNS
from runfair.formats.launch import CounterReading, ProcessorCounts
from runfair.formats.result import Estimate, ParallelEfficiency
from runfair.report.processor_tables import cycle_tables, efficiency_tables
from runfair.report.table import tables

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
