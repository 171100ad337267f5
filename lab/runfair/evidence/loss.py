"""What a single execution lost to other processes, to the hypervisor and to a CPU quota."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from runfair.evidence.block_account import TICK_NS
from runfair.evidence.run_queue import delay_ns
from runfair.formats.execution import Execution
from runfair.formats.plan import Cell, Plan
from runfair.statistics import disturbance


@dataclass(frozen=True, eq=False)
class Losses:
    """The losses of a plan's executions. Shares are parts of the processors' time."""

    plan: Plan

    @cached_property
    def cells(self) -> dict[str, Cell]:
        return {cell.id: cell for cell in self.plan.cells}

    def queued_ns(self, one: Execution) -> int | None:
        return delay_ns(self.cells[one.cell], one.launch)

    def share(self, one: Execution) -> float:
        """The share that an execution lost to other processes and to the hypervisor. The loss is
        the execution's run-queue delay if only other processes can have caused the delay. If the
        delay may have other causes, the loss is the CPU time that other processes used on the
        execution's processors."""
        launch = one.launch
        queued_ns = self.queued_ns(one)
        if queued_ns is not None:
            return (queued_ns + (launch.steal_ns or 0)) / max(1, launch.wall_ns)
        beside_ns = sum(load.generator_ns for load in one.driven)
        if not one.shares_processors(self.plan):
            beside_ns = 0
        taken_ns = max(0, (launch.foreign_ns or 0) - beside_ns) + (launch.steal_ns or 0)
        return taken_ns / max(1, launch.wall_ns * max(1, len(launch.processors)))

    def doubt(self, one: Execution) -> float:
        """The share that rounding to kernel ticks can have added to steal time and, if it is also
        counted in ticks, to the CPU time of other processes."""
        launch = one.launch
        if self.queued_ns(one) is not None:
            return min(TICK_NS, launch.steal_ns or 0) / max(1, launch.wall_ns)
        ticks = (launch.steal_ns is not None) + (launch.foreign_source == "stat")
        return ticks * TICK_NS / max(1, launch.wall_ns * max(1, len(launch.processors)))

    def short(self, records: Sequence[Execution]) -> bool:
        """Whether one of the executions is too short for kernel ticks."""
        return any(
            one.launch.wall_ns and self.doubt(one) > disturbance.LEAST_SHARE for one in records
        )

    def throttled(self, one: Execution) -> bool:
        """Whether an undeclared quota throttled the execution. False for external services, for
        which it is unknown."""
        launch = one.launch
        if launch.outcome.state == "found_running":
            return False
        asked = self.cells[one.cell].factors.cpu_quota is not None
        unasked = not asked and (launch.throttled_ns or launch.throttled_periods)
        return bool(launch.ambient_throttled_ns or unasked)
