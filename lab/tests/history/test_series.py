"""Series of a known history: one machine each, void left out, and changes where they were made."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from evidence.honest_run import CREATED_NS, GO, cell_id, honest_run
from evidence.records import SECOND
from runfair.export.figures import figures
from runfair.formats.history import History, HistorySeries
from runfair.history.series import series_of
from runfair.history.store import Row
from runfair.history.table import shape, tables
from runfair.result.judged_run import JudgedRun

GO_CELL = cell_id(GO)
DAY_NS = 86_400 * SECOND


@cache
def one_run() -> tuple[Row, ...]:
    run = JudgedRun.of("run", honest_run().evidence())
    return tuple(row for row in figures(run).records() if row["cell"] == GO_CELL)


def runs(count: int, change: Callable[[int, Row], Row] = lambda _, row: row) -> list[Row]:
    """So many runs of one cell, a day apart, 1% of noise; `change` makes a history of it."""
    random = np.random.default_rng(61)
    made: list[Row] = []
    for number in range(count):
        for row in one_run():
            noise = float(np.exp(random.normal(0, 0.01)))
            moved = {
                "run": f"run-{number:02d}",
                "created_realtime_ns": CREATED_NS + number * DAY_NS,
                "value": None if row["value"] is None else row["value"] * noise,
            }
            made.append(change(number, {**row, **moved}))
    return made


def found(rows: list[Row], figure: str = "cpu", **options: Any) -> HistorySeries:
    every = series_of(rows, options.pop("commits", {}), smallest=options.pop("smallest", 0.03))
    (only,) = [one for one in every if one.figure == figure]
    return only


def slower_from(number: int, factor: float = 1.1, **also: Any) -> Callable[[int, Row], Row]:
    def change(at: int, row: Row) -> Row:
        if at < number or row["figure"] != "cpu":
            return row if at < number else {**row, **also}
        return {**row, "value": row["value"] * factor, **also}

    return change


def test_a_series_a_figure_with_a_point_a_run() -> None:
    every = series_of(runs(5), {}, smallest=0.03)
    assert {one.figure for one in every} == {"wall", "cpu", "memory"}
    for one in every:
        assert [point.run for point in one.points] == [f"run-{n:02d}" for n in range(5)]
        assert one.changes == []
        assert (one.cell, one.variant, one.machine.name) == (GO_CELL, GO.name, "host")


def test_a_rebuilt_runtime_may_explain_a_change() -> None:
    rows = runs(24, slower_from(15, 1.1, runtime_sha256="a" * 64))
    (change,) = found(rows).changes
    assert change.differences == [
        "the SHA-256 of the runtime's facts (such as the date of its build): unknown and "
        "aaaaaaaaaaaa…"
    ]


def test_a_change_lies_between_two_runs_and_says_what_differs_there() -> None:
    rows = runs(24, slower_from(15, 1.1, artefact_sha256="f" * 64, runtime_version="2"))
    commits = {f"run-{n:02d}": f"c{n}" for n in range(24)}
    (change,) = found(rows, commits=commits).changes
    assert (change.last_before, change.first) == ("run-14", "run-15")
    assert change.commits == ("c14", "c15")
    assert change.value == pytest.approx(1.1, rel=0.01)
    assert change.interval is not None
    assert change.interval[0] < 1.1 < change.interval[1]
    assert change.worse
    assert change.differences == [
        "the runtime's version: 1 and 2",
        "the SHA-256 of the build (programs compiled together share it): "
        "000000000000… and ffffffffffff…",
    ]
    assert found(rows, "wall").changes == []


def test_what_became_faster_is_better() -> None:
    (change,) = found(runs(24, slower_from(15, 0.8))).changes
    assert not change.worse
    assert change.value == pytest.approx(0.8, rel=0.02)
    assert change.differences == []


def test_a_change_below_the_threshold_is_not_told() -> None:
    assert found(runs(24, slower_from(15, 1.1)), smallest=0.2).changes == []


def test_void_figures_are_points_without_a_value() -> None:
    def void(number: int, row: Row) -> Row:
        if number % 4 == 0:
            return {**row, "value": None, "low": None, "high": None, "verdict": "void"}
        return slower_from(15)(number, row)

    one = found(runs(24, void))
    assert len(one.points) == 24
    assert [point.value is None for point in one.points[:5]] == [True, False, False, False, True]
    (change,) = one.changes
    assert (change.last_before, change.first) == ("run-14", "run-15")


def test_each_change_is_of_the_levels_beside_it() -> None:
    def twice(number: int, row: Row) -> Row:
        factor = 1.0 if number < 12 else 1.5 if number < 24 else 0.75
        return {**row, "value": row["value"] * factor}

    up, down = found(runs(36, twice)).changes
    assert (up.first, down.first) == ("run-12", "run-24")
    assert up.value == pytest.approx(1.5, rel=0.02)
    assert down.value == pytest.approx(0.5, rel=0.02)


def test_a_value_of_nothing_is_no_level() -> None:
    """A counter that came to nothing has no ratio to its neighbours."""

    def nothing(number: int, row: Row) -> Row:
        return {**row, "value": 0.0} if number == 3 else slower_from(15)(number, row)

    one = found(runs(24, nothing))
    assert one.points[3].value == 0
    assert [change.first for change in one.changes] == ["run-15"]


def test_two_machines_never_share_a_series() -> None:
    def elsewhere(number: int, row: Row) -> Row:
        return {**row, "machine": "other", "value": row["value"] * 3} if number % 2 else row

    every = [
        one for one in series_of(runs(24, elsewhere), {}, smallest=0.03) if one.figure == "cpu"
    ]
    assert [(one.machine.name, len(one.points)) for one in every] == [("host", 12), ("other", 12)]
    assert not any(one.changes for one in every)


def test_another_processor_or_other_work_is_another_series() -> None:
    for changed in ({"processor_model": "faster"}, {"machine_processors": 64}, {"work": "other"}):
        rows = runs(24, slower_from(12, 1.5, **changed))
        every = [one for one in series_of(rows, {}, smallest=0.03) if one.figure == "cpu"]
        assert [len(one.points) for one in every] == [12, 12]
        assert not any(one.changes for one in every)


def test_nothing_changed_in_a_history_is_rarely_told() -> None:
    said = []
    for seed in range(100):
        random = np.random.default_rng([62, seed])
        rows = [
            {**row, "value": row["value"] * float(np.exp(random.normal(0, 0.01)))}
            for row in runs(30)
            if row["figure"] == "cpu"
        ]
        said.append(bool(found(rows, smallest=0.0).changes))
    assert np.mean(said) <= 0.08


def test_tables_name_the_machine_and_where_it_changed() -> None:
    rows = runs(24, slower_from(15, 1.1, runtime_version="2"))
    history = History(
        threshold=0.03, series=series_of(rows, {"run-15": "abc"}, smallest=0.03), passed_over=[]
    )
    (table,) = tables(history)
    assert table.title.startswith("history on host · 2 × a processor · changes of at least 3.00%")
    first = table.rows[0].cells
    assert (first[0], first[1], first[2]) == (GO_CELL, "CPU time", "24")
    assert len(first[4]) == 24
    assert first[5].startswith("× 1.1")
    assert len(table.notes) == 1
    assert f"{GO_CELL} CPU time: became worse (× 1.1" in table.notes[0]
    assert "between run-14 and run-15 (abc): the runtime's version: 1 and 2" in table.notes[0]


def test_the_latest_run_is_the_last_even_if_it_is_void() -> None:
    def void(number: int, row: Row) -> Row:
        gone = {"value": None, "low": None, "high": None, "verdict": "void"}
        return {**row, **gone} if number == 5 else row

    series = series_of(runs(6, void), {}, smallest=0.03)
    (table,) = tables(History(threshold=0.03, series=series, passed_over=[]))
    cells = dict(zip(table.columns, table.rows[0].cells, strict=True))
    assert (cells["runs"], cells["latest"], cells["verdict"]) == ("6, 1 void", "void", "void")
    assert cells["oldest to latest"].endswith("·")
    assert table.rows[0].state == "void"


def test_shapes_show_levels_and_gaps() -> None:
    assert shape([1.0, None, 2.0]) == "▁·█"
    assert shape([1.0, 1.001, 0.999]) == "▁▁▁"
    assert shape([None, None]) == "··"
    assert shape([0.0, 0.0]) == "▁▁"
    assert shape([]) == ""
    assert len(shape([float(n + 1) for n in range(100)])) == 40
    assert shape([9.0] * 20 + [1.0] * 39 + [2.0]) == "▁" * 39 + "█"  # the latest are shown


def test_hostile_names_are_plain_in_the_table() -> None:
    rows = runs(3, lambda _, row: {**row, "cell": "\x1b[31m<b>\n\u202e", "machine": "\x07host"})
    history = History(threshold=0.03, series=series_of(rows, {}, smallest=0.03), passed_over=[])
    shown = str(tables(history))
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\\x1b" not in shown
