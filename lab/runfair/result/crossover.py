"""Crossovers: the value of a parameter at which two workloads of a program take the same time. A
benchmark declares them, and the plan keeps the declarations.

The range of a time is its bounds or, if it has none, its interval. A time without either is
unknown. Source: docs/statistics.md, "Crossover".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from runfair.formats.crossover import DeclaredCrossover
from runfair.formats.finding import FigureName, worst
from runfair.formats.result import CellResult, Crossover, Figure
from runfair.statistics.crossover import Crossing, Range, crossover

FEWEST_PLACES = 2  # values of the parameter, between which a crossover may lie

Declared = Mapping[str, Mapping[str, DeclaredCrossover]]  # by benchmark and parameter
Pair = tuple[CellResult, CellResult]


def crossovers(cells: Sequence[CellResult], declared: Declared) -> Iterator[Crossover]:
    """The declared crossovers of each program that ran both workloads with several values of the
    parameter, but otherwise under the same conditions."""
    for benchmark, by_parameter in declared.items():
        mine = [cell for cell in cells if cell.benchmark == benchmark]
        for parameter, one in by_parameter.items():
            yield from _Sweep(parameter, one.figure, *one.workloads).crossovers(mine)


@dataclass(frozen=True)
class _Sweep:
    """Two workloads whose times are compared over the values of a parameter."""

    parameter: str
    figure: FigureName
    first: str
    second: str

    def crossovers(self, cells: Sequence[CellResult]) -> Iterator[Crossover]:
        """The crossover of each program with enough values of the parameter."""
        programs: dict[tuple[object, ...], dict[float, dict[str, CellResult]]] = {}
        for cell in cells:
            place = cell.parameters.get(self.parameter)
            if self.figure in cell.figures and isinstance(place, int | float):
                points = programs.setdefault(self._program(cell), {})
                points.setdefault(float(place), {})[cell.workload] = cell
        for points in programs.values():
            pairs = {
                place: (both[self.first], both[self.second])
                for place, both in sorted(points.items())
                if {self.first, self.second} <= both.keys()
            }
            if len(pairs) >= FEWEST_PLACES:
                yield self._crossover(pairs)

    def _program(self, cell: CellResult) -> tuple[object, ...]:
        """The key of a program under its conditions. It is equal for cells that differ only in the
        workload and in the value of the parameter."""
        rest = tuple(sorted((k, str(v)) for k, v in cell.parameters.items() if k != self.parameter))
        program = (cell.variant, cell.tier)
        connections = cell.drive and cell.drive.connections
        conditions = (cell.size, cell.mode, cell.seed, cell.threads, cell.factors, connections)
        return (*program, *conditions, rest)

    def _crossover(self, pairs: Mapping[float, Pair]) -> Crossover:
        """The crossover over the places at which neither time is void; void if there are too few
        such places."""
        usable = {
            place: pair
            for place, pair in pairs.items()
            if all(cell.figures[self.figure].value is not None for cell in pair)
        }
        void = len(usable) < FEWEST_PLACES
        used = pairs if void else usable
        first, second = (
            [_range(pair[at].figures[self.figure]) for pair in used.values()] for at in (0, 1)
        )
        found = Crossing() if void else crossover([*used], first, second)
        names = {"first": self.first, "second": self.second, None: None}
        figures = [cell.figures[self.figure] for pair in used.values() for cell in pair]
        return Crossover(
            parameter=self.parameter,
            figure=self.figure,
            cells=[cell.id for pair in used.values() for cell in pair],
            places=[*used],
            bounds=(found.low, found.high),
            below=names[found.below],
            above=names[found.above],
            several=found.several,
            verdict=worst([one.verdict for one in figures]),
        )


def _range(figure: Figure) -> Range:
    low, high = figure.bounds or figure.interval or (None, None)
    return 0.0 if low is None else low, inf if high is None else high
