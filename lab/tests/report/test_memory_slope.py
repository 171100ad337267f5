"""The memory of a task is the slope over counts, not what the runtime takes for itself."""

from __future__ import annotations

from evidence.honest_run import GCC, cell_id, honest_run
from result.test_run import result_of
from runfair.formats.result import CellResult, Figure
from runfair.report.memory_slope import memory_slope_tables


def waiting(tasks: int, total_bytes: float | None, verdict: str = "fair") -> CellResult:
    """A cell whose `tasks` take so many bytes together."""
    (cell,) = [one for one in result_of(honest_run()).cells if one.id == cell_id(GCC)]
    figure = {
        "unit": "bytes",
        "value": None if total_bytes is None else total_bytes / tasks,
        "interval": None,
        "verdict": verdict,
    }
    update = {
        "mode": "cold",
        "own": f"tasks={tasks}",
        "parameters": {"tasks": tasks},
        "figures": {"bytes.max": Figure.model_validate(figure)},
    }
    return cell.model_copy(update=update)


def shown(*cells: CellResult) -> list[tuple[str, ...]]:
    result = result_of(honest_run()).model_copy(update={"cells": list(cells)})
    return [row.cells for table in memory_slope_tables(result) for row in table.rows]


def with_own(tasks: int) -> float:
    """2 KiB a task, and 1 MiB that the runtime takes for itself."""
    return 2048.0 * tasks + 2**20


def test_what_the_runtime_takes_for_itself_is_not_the_tasks() -> None:
    cells = [waiting(tasks, with_own(tasks)) for tasks in (1000, 4000, 12000)]
    assert shown(*cells) == [
        (GCC.name, "1,000 to 12,000", "2.00 KiB", "1.00 MiB", "fair"),
    ]


def test_a_void_count_leaves_no_slope_and_a_flagged_one_a_star() -> None:
    two = [waiting(tasks, with_own(tasks)) for tasks in (1000, 4000)]
    assert shown(*two, waiting(12000, None, "void")) == [
        (GCC.name, "1,000 to 12,000", "void", "void", "void")
    ]
    assert shown(*two, waiting(12000, with_own(12000), "flagged")) == [
        (GCC.name, "1,000 to 12,000", "2.00 KiB*", "1.00 MiB*", "flagged")
    ]


def test_two_counts_are_no_slope_and_programs_are_not_mixed() -> None:
    two = [waiting(tasks, with_own(tasks)) for tasks in (1000, 4000)]
    other = waiting(12000, with_own(12000)).model_copy(update={"tier": "virtual"})
    assert shown(*two, other) == []
