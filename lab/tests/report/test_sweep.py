"""Sweeps show the values of the cells that they consist of, in the order of their axis.

The memory of a task is the slope over counts, not what the runtime takes for itself.
"""

from __future__ import annotations

from evidence.honest_run import GCC, GO, cell_id, honest_run
from evidence.honest_services import FASTIFY, honest_services, service_cell
from result.test_run import result_of
from runfair.formats.finding import FigureName
from runfair.formats.plan import Drive, Factors
from runfair.formats.result import CellResult, Figure, RunResult
from runfair.report.sweep import memory_slope_tables, sweep_tables

MIB = 1 << 20


def figure(value: float, verdict: str = "fair") -> Figure:
    return Figure.model_validate(
        {
            "unit": "ns",
            "value": None if verdict == "void" else value,
            "interval": None,
            "verdict": verdict,
            "findings": [],
            "relative": None,
        }
    )


def sized(one: Figure) -> Figure:
    return one.model_copy(update={"unit": "bytes"})


def swept(changes: list[dict[str, object]], figures: list[Figure]) -> RunResult:
    """The honest run's smallest cells of one variant, one at each point."""
    result = result_of(honest_run())
    (cell,) = [one for one in result.cells if one.id == cell_id(GCC)]
    names: tuple[FigureName, ...] = ("wall", "cpu", "memory")
    cells: list[CellResult] = [
        cell.model_copy(
            update={**change, "figures": {**dict.fromkeys(names, one), "memory": sized(one)}}
        )
        for change, one in zip(changes, figures, strict=True)
    ]
    return result.model_copy(update={"cells": cells})


def connections(count: int) -> dict[str, object]:
    return {"drive": Drive(protocol="resp", connections=count, requests=10)}


def test_points_stand_in_the_order_of_the_axis() -> None:
    points = [connections(n) for n in (256, 1, 16)]
    values = [figure(3e6), figure(1e6, "flagged"), figure(2e6, "void")]
    wall, cpu, memory = sweep_tables(swept(points, values))
    assert wall.title == "sudoku · balanced · small · steady · wall time by connections"
    assert wall.columns == ("connections", GCC.name, "verdict")
    assert [row.cells for row in wall.rows] == [
        ("1", "1.00 ms*", "flagged"),
        ("16", "void", "void"),
        ("256", "3.00 ms", "fair"),
    ]
    assert "CPU time by connections" in cpu.title
    assert "peak memory by connections" in memory.title


def test_a_heap_left_to_the_runtime_comes_last() -> None:
    heaps = [None, 8 * MIB, 12 * MIB]
    points: list[dict[str, object]] = [{"factors": Factors(heap_bytes=heap)} for heap in heaps]
    wall, _, memory = sweep_tables(swept(points, [figure(float(MIB))] * 3))
    assert [row.cells[0] for row in wall.rows] == ["8.00 MiB", "12.0 MiB", "the runtime's own"]
    assert wall.title.endswith("small · steady · wall time by heap")
    assert wall.title.endswith(" · wall time by heap")
    assert [row.cells[1] for row in wall.rows] == ["1.05 ms"] * 3
    assert [row.cells[1] for row in memory.rows] == ["1.00 MiB"] * 3


def test_threads_are_swept_with_the_processors_that_follow_them() -> None:
    points: list[dict[str, object]] = [
        {"threads": n, "factors": Factors(processors=n)} for n in (1, 2, 4)
    ]
    wall, _, _ = sweep_tables(swept(points, [figure(1e6)] * 3))
    assert wall.title.endswith(" · wall time by threads")
    assert [row.cells[0] for row in wall.rows] == ["1", "2", "4"]
    apart = [*points[:2], {"threads": 4, "factors": Factors(processors=2)}]
    assert sweep_tables(swept(apart, [figure(1e6)] * 3)) == []


def test_threads_are_swept_on_processors_that_stay() -> None:
    points: list[dict[str, object]] = [
        {"threads": n, "factors": Factors(processors=2)} for n in (1, 2, 4)
    ]
    wall, _cpu, _memory = sweep_tables(swept(points, [figure(1e6)] * 3))
    assert [row.cells[0] for row in wall.rows] == ["1", "2", "4"]


def test_the_title_names_the_connections_of_another_sweep() -> None:
    points: list[dict[str, object]] = [
        {**connections(count), "threads": n, "factors": Factors(processors=n)}
        for count in (1, 64)
        for n in (1, 2, 4)
    ]
    titles = [one.title for one in sweep_tables(swept(points, [figure(1e6)] * 6))[::3]]
    assert titles == [
        f"sudoku · balanced · small · steady · {count} · wall time by threads"
        for count in ("1 connection", "64 connections")
    ]


def test_processors_are_swept_under_threads_that_stay() -> None:
    points: list[dict[str, object]] = [
        {"threads": 4, "factors": Factors(processors=n)} for n in (4, 1, 2)
    ]
    wall, _cpu, _memory = sweep_tables(swept(points, [figure(1e6)] * 3))
    assert wall.title.endswith("steady · 4 threads · wall time by processors")
    assert [row.cells[0] for row in wall.rows] == ["1", "2", "4"]


def test_two_points_are_no_sweep_and_a_missing_one_is_a_dash() -> None:
    assert sweep_tables(swept([connections(1), connections(2)], [figure(1e6)] * 2)) == []
    points = [connections(n) for n in (1, 2, 3)]
    points.append({**connections(1), "variant": GO.name})
    wall, _, _ = sweep_tables(swept(points, [figure(1e6)] * 4))
    assert wall.columns == ("connections", GCC.name, GO.name, "verdict")
    assert [row.cells[2] for row in wall.rows] == ["1.00 ms", "—", "—"]


def test_points_of_one_series_share_their_seed_which_is_told() -> None:
    points = [{**connections(n), "seed": 2} for n in (1, 2, 3)]
    wall, _, _ = sweep_tables(swept(points, [figure(1e6)] * 3))
    assert " · seed 2 · wall time by" in wall.title
    points[0]["seed"] = 1
    assert sweep_tables(swept(points, [figure(1e6)] * 3)) == []


def test_where_nothing_was_measured_there_is_no_verdict() -> None:
    result = swept([connections(n) for n in (1, 2, 3)], [figure(1e6)] * 3)
    empty = result.cells[0].model_copy(update={"figures": {}})
    wall, _, _ = sweep_tables(result.model_copy(update={"cells": [empty, *result.cells[1:]]}))
    assert (wall.rows[0].cells, wall.rows[0].state) == (("1", "—", ""), None)


def test_services_are_no_points_of_a_sweep() -> None:
    result = result_of(honest_services())
    cells = [
        one.model_copy(update={"threads": threads})
        for one in result.cells
        for threads in (1, 2, 4)
        if one.id == service_cell(FASTIFY)
    ]
    assert sweep_tables(result.model_copy(update={"cells": cells})) == []


def test_where_there_is_no_room_each_part_has_its_own_points() -> None:
    """Two that share but their first point, as programs with smallest heaps of their own do."""
    points = [{**connections(n), "variant": "a"} for n in (1, 2, 3)]
    points += [{**connections(n), "variant": "b"} for n in (1, 4)]
    wall, _, _ = sweep_tables(swept(points, [figure(1e6)] * 5))
    assert [row.cells[0] for row in wall.rows] == ["1", "2", "3", "4"]
    assert [[row.cells[0] for row in one.rows] for one in wall.narrow] == [
        ["1", "2", "3"],
        ["1", "4"],
    ]


def test_where_there_is_no_room_programs_come_one_after_another() -> None:
    names = ["a", "b", "c"]
    points = [{**connections(n), "variant": name} for name in names for n in (1, 2, 3)]
    wall, _, _ = sweep_tables(swept(points, [figure(n * 1e6) for n in range(1, 10)]))
    left, right = wall.narrow
    assert [left.columns[1:-1], right.columns[1:-1]] == [("a", "b"), ("c",)]
    assert [one.columns[1:-1] for one in left.narrow] == [("a",), ("b",)]
    assert not right.narrow
    assert [row.cells for row in right.rows] == [
        ("1", "7.00 ms", "fair"),
        ("2", "8.00 ms", "fair"),
        ("3", "9.00 ms", "fair"),
    ]
    assert {one.title for one in (left, right)} == {wall.title}


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


def test_servers_with_several_numbers_of_connections_are_not_mixed() -> None:
    cells = [
        waiting(tasks, count * with_own(tasks)).model_copy(update=connections(count))
        for count in (1, 2)
        for tasks in (1000, 4000, 12000)
    ]
    assert shown(*cells) == [
        (GCC.name, "1,000 to 12,000", "2.00 KiB", "1.00 MiB", "fair"),
        (GCC.name, "1,000 to 12,000", "4.00 KiB", "2.00 MiB", "fair"),
    ]
    result = result_of(honest_run()).model_copy(update={"cells": cells})
    one, two = memory_slope_tables(result)
    assert one.title.endswith(" · 1 connection · memory per task")
    assert two.title.endswith(" · 2 connections · memory per task")


def with_interval(cell: CellResult, share: float) -> CellResult:
    figure = cell.figures["bytes.max"]
    assert figure.value is not None
    limits = (figure.value * (1 - share), figure.value * (1 + share))
    changed = figure.model_copy(update={"interval": limits})
    return cell.model_copy(update={"figures": {"bytes.max": changed}})


def test_the_slope_is_a_range_if_the_points_are() -> None:
    cells = [with_interval(waiting(n, with_own(n)), 0.01) for n in (1000, 4000, 12000)]
    assert shown(*cells) == [
        (GCC.name, "1,000 to 12,000", "1.97 to 2.03 KiB", "903 KiB to 1.12 MiB", "fair"),
    ]


def test_a_fixed_part_is_not_negative() -> None:
    def memory(own: float, share: float) -> str:
        points = [waiting(n, 2048.0 * n + own) for n in (1000, 4000, 12000)]
        return shown(*(with_interval(one, share) for one in points))[0][3]

    assert memory(0, 0) == memory(-30_000, 0) == "about 0"
    assert memory(10_000, 0.02).startswith("≤ ")


def test_points_that_do_not_lie_on_a_line_are_flagged() -> None:
    curved = [waiting(n, 2.0 * n * n) for n in (1000, 4000, 12000)]
    assert shown(*curved) == [
        (GCC.name, "1,000 to 12,000", "9.77 to 31.2 KiB*", "—", "flagged: not a line")
    ]
    result = result_of(honest_run()).model_copy(update={"cells": curved})
    (table,) = memory_slope_tables(result)
    assert table.notes[0].startswith("“not a line” means ")


def test_an_open_bound_leaves_a_side_of_the_slope_open() -> None:
    cells = [waiting(tasks, with_own(tasks)) for tasks in (1000, 4000)]
    last = waiting(12000, with_own(12000), "flagged")
    found = last.figures["bytes.max"]
    opened = found.model_copy(update={"bounds": (found.value, None)})
    cells.append(last.model_copy(update={"figures": {"bytes.max": opened}}))
    assert shown(*cells) == [(GCC.name, "1,000 to 12,000", "≥ 2.00 KiB*", "≤ 1.00 MiB*", "flagged")]
