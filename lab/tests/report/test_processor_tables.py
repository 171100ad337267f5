"""Parallel efficiency is split into what the work costs more and what processors did not do."""

from __future__ import annotations

from typing import Any

from evidence.honest_run import GCC, GO, JAVA, cell_id, honest_run
from evidence.records import Records
from result.test_run import result_of
from runfair.export.figures import COLUMNS
from runfair.formats.finding import FigureName
from runfair.formats.launch import CounterReading, ProcessorCounts
from runfair.formats.plan import Factors
from runfair.formats.result import CellResult, Figure, RunResult
from runfair.report.processor_tables import cycle_tables, efficiency_tables
from runfair.report.table import tables

MS = 1e6


def figure(ms: float, verdict: str = "fair", most_ms: float | None = None) -> Figure:
    return Figure.model_validate(
        {
            "unit": "ns",
            "value": None if verdict == "void" else ms * MS,
            "interval": None,
            "bounds": None if most_ms is None else (ms * MS, most_ms * MS),
            "verdict": verdict,
            "findings": [],
            "relative": None,
        }
    )


def placed(threads: int, wall: Figure, cpu: Figure, processors: int | None = None) -> CellResult:
    (cell,) = [one for one in result_of(honest_run()).cells if one.id == cell_id(GCC)]
    names: dict[FigureName, Figure] = {"wall": wall, "cpu": cpu}
    factors = Factors(processors=processors or threads)
    update = {"threads": threads, "factors": factors, "figures": names, "mode": "steady"}
    return cell.model_copy(update=update)


def run(*cells: CellResult) -> RunResult:
    return result_of(honest_run()).model_copy(update={"cells": list(cells)})


def shown(*cells: CellResult) -> list[tuple[str, ...]]:
    return [row.cells for table in efficiency_tables(run(*cells)) for row in table.rows]


def test_dearer_work_and_idle_processors_are_told_apart() -> None:
    alone = placed(1, figure(10), figure(10))
    dearer = placed(2, figure(8), figure(16))  # both processors are in use all the time
    idle = placed(4, figure(5), figure(10))  # half of the time of four processors
    (table,) = efficiency_tables(run(alone, idle, dearer))
    assert table.title == "sudoku · balanced · small · steady · parallel efficiency"
    assert [row.cells for row in table.rows] == [
        (GCC.name, "2", "0.625", "1.60", "1.00", "fair"),
        (GCC.name, "4", "0.500", "1.00", "0.500", "fair"),
    ]


def test_a_void_figure_gives_no_number_and_a_flagged_one_a_star() -> None:
    fair, flagged, void = figure(10), figure(10, "flagged"), figure(10, "void")
    assert shown(placed(1, fair, fair), placed(2, fair, void)) == [
        (GCC.name, "2", "0.500", "void", "void", "void")
    ]
    assert shown(placed(1, fair, fair), placed(2, flagged, fair)) == [
        (GCC.name, "2", "0.500*", "1.00", "0.500*", "flagged")
    ]


def test_a_doubt_that_has_a_size_keeps_it() -> None:
    bounded = figure(4, "flagged", most_ms=5)
    assert shown(placed(1, figure(8), figure(8)), placed(2, bounded, figure(8))) == [
        (GCC.name, "2", "0.800 to 1.00*", "1.00", "0.800 to 1.00*", "flagged")
    ]


def test_without_one_processor_or_with_processors_of_another_number_there_is_none() -> None:
    two = placed(2, figure(5), figure(10))
    assert shown(two) == []
    assert shown(placed(1, figure(10), figure(10)), placed(2, figure(5), figure(10), 1)) == []
    alone = placed(1, figure(10), figure(10))
    cold = [one.model_copy(update={"mode": "cold"}) for one in (alone, two)]
    assert shown(*cold) == []


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
