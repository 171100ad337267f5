"""The order of executions: in each block a random order, then its mirror.

With a linear drift of the machine of 4% and no true difference, the order A…A B…B always finds a
false difference. The mirrored order finds one only as often as chance allows, and has the narrowest
interval. Cells that are compared with each other share a block, so comparisons are paired on
blocks.

Cold programs come first, one workload after the other with all its blocks, so that each table is
complete early. The groups of a workload (its sweeps) stay interleaved, block after block, and so do
all steady programs, and all services.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from runfair.formats.plan import Cell, PlannedExecution, Role

PER_BLOCK = 2  # executions of a cell in a block: once in the order, once in its mirror


def planned_executions(
    cells: Sequence[Cell],
    executions: int,
    pilots: int,
    seed: int,
    service_executions: int = PER_BLOCK,
) -> list[PlannedExecution]:
    """All executions of a run, in their order.

    `executions`, `service_executions` (both even, or a single one of each service) and `pilots` are
    numbers per cell. Cold programs come first, then pilots, then steady cells, then services, and
    last the executions that report lines of source or run under the probe. The order is a pure
    function of the cells, the counts and the seed.
    """
    if executions % PER_BLOCK or (service_executions % PER_BLOCK and service_executions != 1):
        raise ValueError("the mirrored order needs an even number of executions")
    programs = [cell for cell in cells if cell.mode != "service"]
    services = [cell for cell in cells if cell.mode == "service"]
    planned = _Planned([], random.Random(seed))  # no cryptography: the order must be repeatable
    works = _works([cell for cell in programs if cell.mode == "cold"])
    planned.source.shuffle(works)
    for cold in works:
        planned.add_blocks(cold, executions)
    steady = [cell for cell in programs if cell.mode == "steady"]
    planned.add_pilots(steady, pilots)
    planned.add_blocks(steady, executions)
    planned.add_blocks(services, service_executions)
    planned.add_lines(programs)
    planned.add_probes(cells)
    return planned.executions


@dataclass
class _Planned:
    """The executions planned so far, numbered in order."""

    executions: list[PlannedExecution]
    source: random.Random

    def add_pilots(self, cells: Sequence[Cell], count: int) -> None:
        for _ in range(count):
            for members in _groups(cells):
                for cell in members:
                    self._add(cell, "pilot", 0, 0)

    def add_blocks(self, cells: Sequence[Cell], executions: int) -> None:
        groups = _groups(cells)
        for block in range(1, -(-executions // PER_BLOCK) + 1):
            mirrored = block * PER_BLOCK <= executions
            self.source.shuffle(groups)
            for members in groups:
                order = list(members)
                self.source.shuffle(order)
                whole = order + order[::-1] if mirrored else order
                for position, cell in enumerate(whole):
                    self._add(cell, "block", block, position)

    def add_lines(self, cells: Sequence[Cell]) -> None:
        """Add an execution for lines of source, once for cells that differ only in mode or factors,
        because they run the same lines."""
        seen: set[tuple[object, ...]] = set()
        for cell in cells:
            own = (cell.benchmark, cell.workload, cell.own, cell.seed, cell.size)
            key = (*own, cell.tier, cell.variant, cell.threads)
            if cell.lines and not cell.absent and key not in seen:
                seen.add(key)
                self._add(cell, "lines", 0, 0)

    def add_probes(self, cells: Sequence[Cell]) -> None:
        for cell in cells:
            if cell.probe and not cell.absent and not cell.broken_input:
                self._add(cell, "probe", 0, 0)

    def _add(self, cell: Cell, role: Role, block: int, position: int) -> None:
        number = f"{len(self.executions) + 1:05d}"
        self.executions.append(
            PlannedExecution(id=number, cell=cell.id, role=role, block=block, position=position)
        )


def _works(cells: Sequence[Cell]) -> list[list[Cell]]:
    """The cells grouped by workload: a benchmark's workload at one size, shown in one table or
    sweep."""
    works: dict[tuple[str, ...], list[Cell]] = {}
    for cell in cells:
        works.setdefault((cell.benchmark, cell.workload, cell.size), []).append(cell)
    return list(works.values())


def _groups(cells: Sequence[Cell]) -> list[list[Cell]]:
    groups: dict[tuple[object, ...], list[Cell]] = {}
    for cell in cells:
        if not cell.absent:
            groups.setdefault(cell.group, []).append(cell)
    return list(groups.values())
