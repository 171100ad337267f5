"""Cycles of whole processes: of cold cells that were counted, and of nothing else."""

from __future__ import annotations

from typing import Any

from fairness.runs import GO, JAVA, Records, cell_id, honest_run
from result.test_run import result_of
from runfair.export.figures import COLUMNS
from runfair.formats.launch import CounterReading, ProcessorCounts
from runfair.report.cycles import cycle_tables
from runfair.report.table import tables

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
