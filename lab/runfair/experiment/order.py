"""The order of executions. Each block has a random order of its cells, and then the mirror of this
order.

Suppose that the machine drifts linearly by 4% and that there is no true difference. The order A…A
B…B then always shows a false difference. The mirrored order shows a false difference only as often
as chance allows, and has the narrowest interval. Cells that are compared with each other share a
block, so comparisons are paired on blocks.

Cold programs come first. Each workload is completed with all its blocks before the next, so that
each table is complete early. The groups of a workload (its sweeps) are interleaved block by block.
All steady programs are also interleaved, and so are all services.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from runfair.formats.plan import Cell, PlannedExecution, Role
from runfair.probing.observation import probed_executions

PER_BLOCK = 2  # the number of executions of a cell in a block: one in the order, one in its mirror


def planned_executions(
    cells: Sequence[Cell],
    executions: int,
    pilots: int,
    seed: int,
    service_executions: int = PER_BLOCK,
) -> list[PlannedExecution]:
    """All executions of a run, in their order.

    `executions`, `service_executions` and `pilots` are numbers per cell. The numbers of executions
    are even; a service may also have a single execution. Cold programs come first, then pilots,
    steady cells and services. The executions that report lines of source or run under the probe are
    last. The order is a pure function of the cells, the numbers and the seed.
    """
    if executions % PER_BLOCK or (service_executions % PER_BLOCK and service_executions != 1):
        raise ValueError(
            "the number of executions must be even, because each random order is followed by the "
            "reverse order"
        )
    programs = [cell for cell in cells if cell.mode != "service"]
    services = [cell for cell in cells if cell.mode == "service"]
    planned = _Planned([], random.Random(seed))  # not cryptographic: the order must repeat
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
    """The executions that are planned so far, numbered in order."""

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
        """Add executions that report lines of source. Cells that differ only in mode or factors run
        the same lines, so they get a single such execution together."""
        seen: set[tuple[object, ...]] = set()
        for cell in cells:
            own = (cell.benchmark, cell.workload, cell.own, cell.seed, cell.size)
            key = (*own, cell.tier, cell.variant, cell.threads)
            if cell.lines and not cell.absent and key not in seen:
                seen.add(key)
                self._add(cell, "lines", 0, 0)

    def add_probes(self, cells: Sequence[Cell]) -> None:
        for cell in cells:
            if not cell.absent and not cell.broken_input:
                for position in range(probed_executions(cell)):
                    self._add(cell, "probe", 0, position)

    def _add(self, cell: Cell, role: Role, block: int, position: int) -> None:
        number = f"{len(self.executions) + 1:05d}"
        self.executions.append(
            PlannedExecution(id=number, cell=cell.id, role=role, block=block, position=position)
        )


def _works(cells: Sequence[Cell]) -> list[list[Cell]]:
    """The cells grouped by workload. A group is a benchmark's workload at one size, which is shown
    in one table or sweep."""
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
