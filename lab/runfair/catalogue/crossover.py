"""`[crossovers.PARAMETER]`: the part of a benchmark's file that declares its crossovers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from runfair.errors import UserMistake
from runfair.formats.crossover import DeclaredCrossover
from runfair.formats.distribution import Distribution, figure_names
from runfair.formats.toml import mistake

TIMES_OF_PROGRAMS = ("wall", "cpu")


def require_measurable(
    path: Path,
    crossovers: Mapping[str, DeclaredCrossover],
    *,
    numbers: Collection[str],
    workloads: Collection[str],
    distributions: Mapping[str, Distribution],
) -> None:
    """Raises UserMistake if the file at `path` declares a crossover of something that its benchmark
    does not have. `numbers` are the parameters whose values are numbers."""
    times = {name: one for name, one in distributions.items() if one.unit == "ns"}
    figures = (*TIMES_OF_PROGRAMS, *figure_names(times))
    for parameter, one in crossovers.items():
        where = ("crossovers", parameter)
        if parameter not in numbers:
            raise _not_among(path, where, "numeric parameter", parameter, numbers)
        for workload in one.workloads:
            if workload not in workloads:
                raise _not_among(path, (*where, "workloads"), "workload", workload, workloads)
        if one.figure not in figures:
            raise _not_among(path, (*where, "figure"), "time", one.figure, figures)


def _not_among(
    path: Path, where: tuple[str, ...], kind: str, name: str, among: Collection[str]
) -> UserMistake:
    known = ", ".join(among)
    choice = f"choose from {known}" if known else "leave this table out"
    return mistake(path, where, f"the benchmark has no {kind} {name!r}; {choice}")
