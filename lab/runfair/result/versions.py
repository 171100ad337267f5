"""A figure over the versions of one runtime, and the versions at which it changed.

Two neighbouring versions count as different under two conditions. First, the 95% intervals of their
figures, widened to the bounds of their doubts, do not overlap. Second, the figures differ by at
least 5%. A smaller difference may be an effect of where the compiler places the code.

The table gives simulated rates for 9 versions of 6 executions, with 400 repetitions: how often a
step in the middle is found, by its size, and how often an unchanged series shows a change (`none`).
The rows are standard deviations between executions:

    between executions   10%    20%    50%   none
    2%                  100%   100%   100%   0.0%
    5%                   46%    98%   100%   3.5%
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import inf, log
from pathlib import Path

from runfair.formats.finding import FigureName
from runfair.formats.record import Record
from runfair.formats.result import CellResult, Figure
from runfair.formats.toml import read_toml
from runfair.formats.variant import at_least, version_key

KNOWN = Path(__file__).with_name("known_changes.toml")
SMALLEST = 0.05
# A series needs more than two versions. Two versions are compared in their own table.
FEWEST_VERSIONS = 3
_NAME = re.compile(r"(?P<family>[a-z][a-z0-9-]*?)-(?P<version>\d[^+@]*)(@[^+]*)?(?P<suffix>\+.*)?")


class KnownChange(Record):
    """A known change of a runtime from version `first` on, with its source. If `tiers` or
    `workloads` is empty, the change concerns all of them."""

    families: list[str]
    first: str
    benchmarks: list[str]
    tiers: list[str] = []
    workloads: list[str] = []
    source: str
    about: str


class KnownChanges(Record):
    change: list[KnownChange]


@dataclass(frozen=True)
class VersionedCell:
    cell: CellResult
    line: str
    version: str
    suffix: str


@dataclass(frozen=True)
class Point:
    """The point of a series at one version. `change` is the ratio to the previous version. It is
    None if the two versions do not differ. `known` has the known changes that may explain the
    ratio."""

    cell: CellResult
    figure: Figure | None
    change: float | None = None
    known: tuple[KnownChange, ...] = ()


def version_series(cells: Sequence[CellResult]) -> list[list[VersionedCell]]:
    """The series of cells that differ only in the runtime's version, with the oldest version
    first."""
    series: dict[tuple[object, ...], list[VersionedCell]] = {}
    for cell in cells:
        name = _NAME.fullmatch(cell.variant)
        if name is None or not cell.is_program or not cell.figures:
            continue
        line = cell.line or name["family"]
        one = VersionedCell(cell, line, name["version"], name["suffix"] or "")
        work = (cell.benchmark, cell.workload, cell.own, cell.seed, cell.size, cell.mode)
        around = (cell.tier, cell.threads, cell.factors, cell.drive)
        series.setdefault((one.line, one.suffix, *work, *around), []).append(one)
    return [
        sorted(found, key=lambda one: (version_key(one.version), one.cell.variant))
        for found in series.values()
        if len({one.version for one in found}) >= FEWEST_VERSIONS
    ]


def points(series: Sequence[VersionedCell], figure: FigureName) -> list[Point]:
    """The points of a series for a figure, with the changes between versions."""
    found: list[Point] = []
    before: tuple[VersionedCell, Figure] | None = None
    for one in series:
        own = one.cell.figures.get(figure)
        change = None
        known: tuple[KnownChange, ...] = ()
        if own is not None and _extent(own) is not None:
            if before is not None and before[0].version != one.version:
                change = _change(before[1], own)
                known = _between(before[0], one) if change is not None else ()
            before = (one, own)
        found.append(Point(one.cell, own, change, known))
    return found


def _change(before: Figure, after: Figure) -> float | None:
    first, second = _extent(before), _extent(after)
    if first is None or second is None or not before.value or not after.value:
        return None
    apart = first[1] < second[0] or second[1] < first[0]
    ratio = after.value / before.value
    return ratio if apart and abs(log(ratio)) >= log(1 + SMALLEST) else None


def _extent(figure: Figure) -> tuple[float, float] | None:
    """The limits of the figure's true value; None if they are unknown."""
    if figure.value is None or figure.interval is None or figure.verdict == "void":
        return None
    low, high = figure.interval
    if figure.bounds is not None:
        least, most = figure.bounds
        low = -inf if least is None else min(low, least)
        high = inf if most is None else max(high, most)
    return low, high


def _between(before: VersionedCell, after: VersionedCell) -> tuple[KnownChange, ...]:
    """The known changes of the runtime after one version, up to and including another."""
    return tuple(
        one
        for one in known_changes()
        if after.line in one.families
        and after.cell.benchmark in one.benchmarks
        and (not one.tiers or after.cell.tier in one.tiers)
        and (not one.workloads or after.cell.workload in one.workloads)
        and at_least(after.version, one.first)
        and not at_least(before.version, one.first)
    )


@cache
def known_changes() -> list[KnownChange]:
    """The known changes in the data file."""
    return read_toml(KNOWN, KnownChanges).change
