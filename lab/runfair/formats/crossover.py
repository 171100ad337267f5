"""Crossovers that a benchmark declares: the parameter at which two workloads take the same time."""

from __future__ import annotations

from pydantic import field_validator

from runfair.formats.finding import FigureName
from runfair.formats.record import Record


class DeclaredCrossover(Record):
    """A crossover as `benchmark.toml` declares it, below the name of its parameter. `figure` is the
    time in which the two `workloads` are compared."""

    workloads: list[str]
    figure: FigureName

    @field_validator("workloads")
    @classmethod
    def _two(cls, workloads: list[str]) -> list[str]:
        if len(workloads) != 2 or workloads[0] == workloads[1]:
            raise ValueError("state the two workloads whose times are compared")
        return workloads
