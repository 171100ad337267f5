"""What the first attempts at the blocks of a run usually lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from runfair.evidence.block_account import account, together
from runfair.evidence.loss import Losses
from runfair.evidence.machine_level import Lane, MachineLevel, UsualLevel
from runfair.formats.execution import Execution
from runfair.formats.plan import PlannedExecution
from runfair.statistics import disturbance

Group = tuple[object, ...]


@dataclass(frozen=True)
class UsualLoss:
    """What executions usually lose, by cell, and what whole blocks of short executions usually
    lose, by comparison group. `always_throttled` has the cells in which at least half of the
    executions were throttled, so that repeating a single block would not help them. `lanes` has the
    usual level of the reference loop.

    Only first attempts count. A repeat is judged by what was usual before it, and never changes how
    another attempt is judged.
    """

    of_cells: Mapping[str, float]
    of_groups: Mapping[Group, float]
    always_throttled: frozenset[str]
    lanes: Mapping[Lane, UsualLevel]

    @classmethod
    def of(
        cls,
        losses: Losses,
        blocks: Iterable[tuple[Group, Sequence[PlannedExecution]]],
        executions: Sequence[Execution],
        level: MachineLevel,
    ) -> UsualLoss:
        """`blocks` are the planned executions of each block, with its comparison group."""
        first = [one for one in executions if one.role == "block" and one.repeat == 0]
        by_cell: dict[str, list[float]] = {}
        for one in first:
            if one.launch.wall_ns:
                by_cell.setdefault(one.cell, []).append(losses.share(one))
        by_group: dict[Group, list[float]] = {}
        latest = {one.planned: one for one in first}
        for group, members in blocks:
            records = [latest[one.id] for one in members if one.id in latest]
            told = account(records, losses.plan, level) if losses.short(records) else None
            if told is not None and (whole := together([told])) is not None:
                by_group.setdefault(group, []).append(whole.foreign + whole.steal)
        all_of_cell = Counter(one.cell for one in first)
        throttled = Counter(one.cell for one in first if losses.throttled(one))
        return cls(
            {cell: disturbance.usual(shares) for cell, shares in by_cell.items()},
            {group: disturbance.usual(shares) for group, shares in by_group.items()},
            frozenset(one for one, count in throttled.items() if 2 * count >= all_of_cell[one]),
            level.without({one.id for one in executions if one.repeat}).usual(),
        )
