"""The history as tables. Each series has a line, which shows its shape. Below the table, each level
change is listed with the two runs between which it happened.
"""

from __future__ import annotations

from collections.abc import Sequence

from runfair.formats.finding import worst
from runfair.formats.history import (
    History,
    HistoryMachine,
    HistoryPoint,
    HistorySeries,
    LevelChange,
)
from runfair.wording import quantity
from runfair.wording.naming import name_of
from runfair.wording.quantity import interval
from runfair.wording.table import Row, Table
from runfair.wording.text import plain

LEVELS = "▁▂▃▄▅▆▇█"
GONE = "·"
WIDEST = 40
FLAT = 0.1
COLUMNS = ("cell", "figure", "runs", "latest", "oldest to latest", "changes", "verdict")


def tables(history: History) -> list[Table]:
    """A table for each machine. Below the table, each level change is listed with the two runs
    between which it happened, and with the other differences between these two runs."""
    machines = dict.fromkeys(one.machine for one in history.series)
    return [
        _table(machine, [one for one in history.series if one.machine == machine], history)
        for machine in machines
    ]


def _table(machine: HistoryMachine, series: Sequence[HistorySeries], history: History) -> Table:
    changed_first = sorted(series, key=lambda one: not one.changes)
    return Table(
        title=plain(
            f"history on {machine.name} · {machine.processors} × {machine.processor_model} · "
            f"changes of at least {quantity.percent(history.threshold)}"
        ),
        columns=COLUMNS,
        rows=tuple(_row(one) for one in changed_first),
        notes=tuple(
            plain(f"{one.cell} {name_of(one.figure)}: {_told(change)}")
            for one in changed_first
            for change in one.changes
        ),
    )


def _row(series: HistorySeries) -> Row:
    told = [point for point in series.points if point.value is not None]
    gone = len(series.points) - len(told)
    runs = str(len(series.points)) + (f", {gone} void" if gone else "")
    changes = ", ".join(f"× {quantity.three_digits(one.value)}" for one in series.changes)
    latest = series.points[-1]
    state = worst([point.verdict for point in (*told, latest)])
    return Row(
        (
            plain(series.cell),
            name_of(series.figure),
            runs,
            _value(series, latest),
            shape([point.value for point in series.points]),
            changes,
            state,
        ),
        state,
    )


def shape(values: Sequence[float | None]) -> str:
    """The last runs as bars of different heights; `·` stands for a missing value. Differences below
    FLAT are not visible.
    """
    shown = values[-WIDEST:]
    told = [value for value in shown if value is not None]
    if not told:
        return GONE * len(shown)
    least, greatest = min(told), max(told)
    step = max(greatest - least, FLAT * least) / (len(LEVELS) - 1) or 1.0
    return "".join(
        GONE if value is None else LEVELS[round((value - least) / step)] for value in shown
    )


def _value(series: HistorySeries, point: HistoryPoint) -> str:
    if point.value is None:
        return "void"
    return quantity.bounded(point.value, point.bounds, series.unit)


def _told(change: LevelChange) -> str:
    word = "became worse" if change.worse else "became better"
    before, after = (f" ({one})" if one else "" for one in change.commits)
    reasons = "; ".join(change.differences) or (
        "the cause is unknown, because no recorded property of the two runs differs"
    )
    return (
        f"{word} (× {quantity.three_digits(change.value)}{interval(change.interval)}) between "
        f"{change.last_before}{before} and {change.first}{after}: {reasons}"
    )
