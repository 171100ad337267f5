"""The processor time that a single execution and a whole block lost to other processes, to the
hypervisor and to a CPU quota, and what the first attempts at blocks usually lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from runfair.evidence.machine_level import Lane, MachineLevel, UsualLevel
from runfair.formats.execution import Execution
from runfair.formats.host import ReferenceReading
from runfair.formats.launch import LaunchReport, ProcessorSpan
from runfair.formats.plan import Cell, Plan, PlannedExecution
from runfair.statistics import disturbance

# The runtimes of other languages have compiler and collector threads. Waits of these threads do not
# delay the program.
SINGLE_THREADED_LANGUAGES = frozenset({"c", "c++", "rust", "python"})


def waits_for_others_only(cell: Cell) -> bool:
    """Whether only other programs can make the program wait for a processor."""
    loop = cell.drive or cell.peak
    one_client = cell.service is None and (loop is None or loop.connections == 1)
    alone = not cell.has_tasks and one_client
    limited = cell.factors.cpu_quota is not None
    return alone and not limited and cell.language in SINGLE_THREADED_LANGUAGES


def delay_ns(cell: Cell, launch: LaunchReport) -> int | None:
    """The time in ns for which other programs kept the program from its processor. None if the
    kernel does not report it, or if the program's own threads or children, or a CPU quota, may be
    the cause."""
    alone = max(launch.processes, launch.processes_started or 1) == 1
    if not waits_for_others_only(cell) or not alone or launch.throttled:
        return None
    return launch.run_queue_ns


# /proc/stat counts in ticks of USER_HZ: 100 a second on both supported architectures.
TICK_NS = 10_000_000


@dataclass(frozen=True)
class WholeBlocks:
    """The shares of processor time that other processes took during whole blocks. These shares are
    used if executions are too short for kernel ticks.

    A share is a part of the processors' time, from the first start in each block to the last end.
    `doubt` is one tick for each block and processor."""

    foreign: float
    steal: float
    doubt: float


@dataclass(frozen=True)
class BlockAccount:
    """The CPU time that other processes used during a block. `doubt_ns` is one tick for each
    processor."""

    foreign_ns: int
    steal_ns: int
    available_ns: int
    doubt_ns: int


def together(accounts: Sequence[BlockAccount]) -> WholeBlocks | None:
    """The account of several blocks together; None if there are no blocks."""
    available_ns = sum(one.available_ns for one in accounts)
    if not available_ns:
        return None
    return WholeBlocks(
        sum(one.foreign_ns for one in accounts) / available_ns,
        sum(one.steal_ns for one in accounts) / available_ns,
        sum(one.doubt_ns for one in accounts) / available_ns,
    )


def account(records: Sequence[Execution], plan: Plan, level: MachineLevel) -> BlockAccount | None:
    """The CPU time that other processes used during a block's executions. None if the CPU time of
    other processes is unknown for an execution. It is unknown in old records, if the lab shares the
    processors, or if the executions had different processors or ran before and after a restart."""
    started = [one for one in records if one.launch.wall_ns]
    spans = [one.launch.processor_span for one in started]
    told = [span for span in spans if span is not None]
    surroundings = {(one.boot_id, *one.launch.processors) for one in started}
    if not told or len(told) < len(spans) or len(surroundings) > 1:
        return None
    if any(one.shares_processors(plan) for one in started):
        return None
    processors = set(started[0].launch.processors)
    began_ns = min(one.started_ns for one in started)
    ended_ns = max(one.started_ns + one.launch.wall_ns for one in started)
    own_ns = sum(span.own_ns for span in told) + sum(
        map(_own_ns, level.between(started[0].boot_id, processors, began_ns, ended_ns))
    )
    first, last = _ends(told)
    return BlockAccount(
        foreign_ns=max(0, last.busy_after_ns - first.busy_before_ns - own_ns),
        steal_ns=last.steal_after_ns - first.steal_before_ns,
        available_ns=(ended_ns - began_ns) * len(processors),
        doubt_ns=TICK_NS * len(processors),
    )


def _ends(told: Sequence[ProcessorSpan]) -> tuple[ProcessorSpan, ProcessorSpan]:
    first = min(told, key=lambda span: span.busy_before_ns)
    return first, max(told, key=lambda span: span.busy_after_ns)


def _own_ns(reading: ReferenceReading) -> int:
    """The CPU time of the reference loop's own process. If foreign time is unknown, the result is
    the duration of the process's whole life."""
    return max(reading.cpu_ns, reading.process_ns - (reading.foreign_ns or 0))


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


Group = tuple[object, ...]


@dataclass(frozen=True)
class UsualLoss:
    """What executions usually lose, by cell, and what whole blocks of short executions usually
    lose, by comparison group. `always_throttled` has the cells in which at least half of the
    executions were throttled. Repeating a single block would not help these cells. `lanes` has the
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
