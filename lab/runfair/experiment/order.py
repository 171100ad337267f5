"""The order of executions: a random order, then its mirror, block after block.

With a 4% linear drift of the machine and no true difference, A…A B…B finds a false difference
every time, the mirrored order as often as chance allows, with the narrowest interval. Cells that
are compared with each other stand together in a block; so a comparison is paired on it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from runfair.formats.plan import Cell, PlannedExecution

PER_BLOCK = 2  # executions of a cell in a block: once in the order, once in its mirror


def planned_executions(
    cells: Sequence[Cell], executions: int, pilots: int, seed: int
) -> list[PlannedExecution]:
    """Every execution of a run in the order in which it is carried out.

    `executions` (even) and `pilots` are per cell; pilots come first, and only for steady cells.
    The order is a pure function of the cells, the counts and the seed.
    """
    if executions % PER_BLOCK:
        raise ValueError("the mirrored order needs an even number of executions")
    # Not for secrecy: a seeded order that can be repeated.
    source = random.Random(seed)
    groups: dict[tuple[object, ...], list[str]] = {}
    for cell in cells:
        if not cell.unsupported:
            groups.setdefault(cell.group, []).append(cell.id)
    planned: list[PlannedExecution] = []

    def add(cell: str, role: str, block: int, position: int) -> None:
        planned.append(
            PlannedExecution.model_validate(
                {
                    "id": f"{len(planned) + 1:05d}",
                    "cell": cell,
                    "role": role,
                    "block": block,
                    "position": position,
                }
            )
        )

    steady = {cell.id for cell in cells if cell.mode == "steady"}
    for _ in range(pilots):
        for members in groups.values():
            for cell_id in members:
                if cell_id in steady:
                    add(cell_id, "pilot", 0, 0)
    for block in range(1, executions // PER_BLOCK + 1):
        order_of_groups = list(groups.values())
        source.shuffle(order_of_groups)
        for members in order_of_groups:
            order = list(members)
            source.shuffle(order)
            for position, cell_id in enumerate(order + order[::-1]):
                add(cell_id, "block", block, position)
    return planned
