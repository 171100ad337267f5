"""Crossovers: the size of a piece of work at which a new task costs as much as a worker.

The range of a time is its bounds or, if it has none, its interval. A time without either is
unknown. Source: benchmarks/concurrency/spawn-or-worker/contract.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from runfair.formats.finding import FigureName, worst
from runfair.formats.result import CellResult, Crossover, Figure
from runfair.statistics.crossover import Crossing, Range, crossover

FIGURE: FigureName = "tasks.p50"
PARAMETER = "rounds"
WORKLOADS = ("spawn", "worker")
FEWEST_PLACES = 2  # values of the parameter, between which a crossover may lie

Pair = tuple[CellResult, CellResult]


def crossovers(cells: Sequence[CellResult]) -> Iterator[Crossover]:
    """The crossover of each program that ran both workloads with several values of the parameter,
    but otherwise under the same conditions."""
    programs: dict[tuple[object, ...], dict[float, dict[str, CellResult]]] = {}
    for cell in cells:
        place = cell.parameters.get(PARAMETER)
        if FIGURE in cell.figures and cell.workload in WORKLOADS and isinstance(place, int | float):
            points = programs.setdefault(_program(cell), {})
            points.setdefault(float(place), {})[cell.workload] = cell
    for points in programs.values():
        pairs = {
            place: (both[WORKLOADS[0]], both[WORKLOADS[1]])
            for place, both in sorted(points.items())
            if len(both) == len(WORKLOADS)
        }
        if len(pairs) >= FEWEST_PLACES:
            yield _crossover(pairs)


def _program(cell: CellResult) -> tuple[object, ...]:
    """The key of a program under its conditions. It is equal for cells that differ only in the
    workload and in the value of the parameter."""
    rest = tuple(sorted((k, str(v)) for k, v in cell.parameters.items() if k != PARAMETER))
    program = (cell.benchmark, cell.variant, cell.tier)
    return (*program, cell.size, cell.mode, cell.seed, cell.threads, cell.factors, rest)


def _crossover(pairs: dict[float, Pair]) -> Crossover:
    """The crossover over the places at which neither time is void; void if there are too few."""
    usable = {
        place: pair
        for place, pair in pairs.items()
        if all(cell.figures[FIGURE].value is not None for cell in pair)
    }
    void = len(usable) < FEWEST_PLACES
    used = pairs if void else usable
    new, sent = ([_range(pair[at].figures[FIGURE]) for pair in used.values()] for at in (0, 1))
    found = Crossing() if void else crossover([*used], new, sent)
    names = {"first": WORKLOADS[0], "second": WORKLOADS[1], None: None}
    return Crossover(
        parameter=PARAMETER,
        cells=[cell.id for pair in used.values() for cell in pair],
        places=[*used],
        bounds=(found.low, found.high),
        below=names[found.below],
        above=names[found.above],
        several=found.several,
        verdict=worst([cell.figures[FIGURE].verdict for pair in used.values() for cell in pair]),
    )


def _range(figure: Figure) -> Range:
    low, high = figure.bounds or figure.interval or (None, None)
    return 0.0 if low is None else low, inf if high is None else high
