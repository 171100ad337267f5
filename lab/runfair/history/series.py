"""Rows grouped into series, and the points where each series changes its level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from runfair.formats.history import (
    HistoryMachine,
    HistoryPoint,
    HistorySeries,
    LevelChange,
)
from runfair.formats.result import Bounds
from runfair.history.store import Row
from runfair.statistics.comparison import welch_ratio
from runfair.statistics.level_shift import level_shifts
from runfair.statistics.log_interval import telling

# The columns that identify a series. All rows of a series agree in them.
KEY = ("machine", "processor_model", "machine_processors", "cell", "work", "figure")
# Columns whose change may explain a level change, each with its name in the printed line.
SUSPECTS = {
    "runtime_version": "the runtime's version",
    "runtime_sha256": "the SHA-256 of the runtime's facts (such as the date of its build)",
    "flags": "the program's flags",
    "artefact_sha256": "the SHA-256 of the build (programs compiled together share it)",
    "kernel": "the kernel",
    "boot_id": "the boot ID (the machine was restarted)",
    "profile": "the profile",
    "runfair": "the version of runfair",
}
SHORT = 12  # digits of a hash, enough to identify it


def series_of(
    rows: Sequence[Row], commits: Mapping[str, str], *, smallest: float
) -> list[HistorySeries]:
    """The series in the order in which they first appear. `commits` has the commit of each run, or
    "" if it is unknown. `smallest` is the smallest level change that is reported.
    """
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in KEY), []).append(row)
    return [_series(members, commits, smallest) for members in groups.values()]


def _series(rows: Sequence[Row], commits: Mapping[str, str], smallest: float) -> HistorySeries:
    first = rows[0]
    names = ("cell", "benchmark", "workload", "size", "tier", "mode", "threads", "variant")
    return HistorySeries.model_validate(
        {
            **{name: first[name] for name in (*names, "work", "figure", "unit")},
            "better": first["better"] or "lower",
            "machine": HistoryMachine(
                name=first["machine"],
                processor_model=first["processor_model"],
                processors=first["machine_processors"],
            ),
            "points": [_point(row, commits) for row in rows],
            "changes": _changes(rows, commits, smallest),
        }
    )


def _point(row: Row, commits: Mapping[str, str]) -> HistoryPoint:
    known = row["low"] is not None and row["high"] is not None
    return HistoryPoint(
        run=row["run"],
        created_realtime_ns=row["created_realtime_ns"],
        profile=row["profile"],
        commit=commits.get(row["run"], ""),
        value=row["value"],
        interval=(row["low"], row["high"]) if known else None,
        bounds=_bounds(row),
        verdict=row["verdict"],
        runtime_version=row["runtime_version"] or "",
        artefact_sha256=row["artefact_sha256"] or "",
    )


def _bounds(row: Row) -> Bounds | None:
    ends = (row["bound_low"], row["bound_high"])
    return None if ends == (None, None) else ends


def _changes(rows: Sequence[Row], commits: Mapping[str, str], smallest: float) -> list[LevelChange]:
    told = [
        row
        for row in rows
        if row["value"] is not None and row["value"] > 0 and _bounds(row) is None
    ]
    if not told:
        return []
    values = [row["value"] for row in told]
    cuts = level_shifts(values, smallest=smallest)
    bounds = [0, *cuts, len(told)]
    return [
        _change(told, (start, cut, end), commits)
        for (start, cut), end in zip(pairwise(bounds[:-1]), bounds[2:], strict=True)
    ]


def _change(
    told: Sequence[Row], bounds: tuple[int, int, int], commits: Mapping[str, str]
) -> LevelChange:
    start, cut, end = bounds
    before, after = told[cut - 1], told[cut]
    values = [row["value"] for row in told]
    ratio = welch_ratio(values[cut:end], values[start:cut])
    return LevelChange(
        last_before=before["run"],
        first=after["run"],
        value=ratio.value,
        interval=telling(ratio.low, ratio.high),
        worse=(ratio.value > 1) == (before["better"] != "higher"),
        commits=(commits.get(before["run"], ""), commits.get(after["run"], "")),
        differences=[
            f"{said}: {_shown(before[name])} and {_shown(after[name])}"
            for name, said in SUSPECTS.items()
            if before[name] != after[name]
        ],
    )


def _shown(value: object) -> str:
    text = "unknown" if value is None or value == "" else str(value)
    return f"{text[:SHORT]}…" if len(text) == 64 else text
