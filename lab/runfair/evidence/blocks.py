"""Blocks that other processes disturbed: which blocks are repeated, and which attempt at a block
counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from runfair.evidence.machine_level import MachineLevel
from runfair.evidence.run_queue import delay_ns
from runfair.formats.execution import Execution
from runfair.formats.host import ReferenceReading
from runfair.formats.launch import ProcessorSpan
from runfair.formats.plan import Cell, Plan, PlannedExecution
from runfair.statistics import disturbance

# /proc/stat counts in ticks of USER_HZ: 100 a second on both supported architectures.
TICK_NS = 10_000_000


@dataclass(frozen=True)
class WholeBlocks:
    """The shares of whole blocks that other processes took. The shares of whole blocks are used if
    executions are too short for kernel ticks.

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
    processors = set(started[0].launch.processors)
    if processors & set(plan.lab_processors):
        return None
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
    """The CPU time of the reference loop's own process. If foreign time is unknown, it is the
    process's whole life."""
    return max(reading.cpu_ns, reading.process_ns - (reading.foreign_ns or 0))


# The limit beyond which the reference loop was slower during a block than over the run (a
# proposal).
SLOW_REFERENCE = 0.10
Block = tuple[int, tuple[object, ...]]


@dataclass(frozen=True)
class Attempt:
    """An attempt at a block. An attempt is `whole` if no execution is missing. `reasons` say how it
    was disturbed; they are empty if it was not. `lost` is the greatest share of an execution's
    processor time that other processes took. `disturbed` has this share for each cell that lost
    more than usual."""

    records: tuple[Execution, ...]
    reasons: tuple[str, ...]
    lost: float
    disturbed: Mapping[str, float]
    account: BlockAccount | None
    whole: bool

    @property
    def tried(self) -> disturbance.Attempt:
        wall_ns = sum(one.launch.wall_ns for one in self.records)
        return disturbance.Attempt(bool(self.reasons), self.lost, wall_ns)


@dataclass(frozen=True, eq=False)
class Blocks:
    """The blocks of a run with all attempts at them. If a repeat was interrupted and has two
    records, the later record counts."""

    plan: Plan
    executions: Sequence[Execution]
    level: MachineLevel

    @cached_property
    def _cells(self) -> dict[str, Cell]:
        return {cell.id: cell for cell in self.plan.cells}

    @cached_property
    def _shares(self) -> dict[str, float]:
        """The share that each execution lost, by its id."""
        return {one.id: self._share(one) for one in self.executions if one.launch.wall_ns}

    @cached_property
    def _usual(self) -> dict[str, float]:
        shares: dict[str, list[float]] = {}
        for one in self.executions:
            if one.role == "block" and one.repeat == 0 and one.launch.wall_ns:
                shares.setdefault(one.cell, []).append(self._shares[one.id])
        return {cell: disturbance.usual(told) for cell, told in shares.items()}

    @cached_property
    def members(self) -> dict[Block, list[PlannedExecution]]:
        found: dict[Block, list[PlannedExecution]] = {}
        for planned in self.plan.executions:
            cell = self._cells.get(planned.cell)
            if cell is not None and planned.role == "block":
                key = (planned.block, cell.group)
                found.setdefault(key, []).append(planned)
        return found

    @cached_property
    def attempts(self) -> dict[Block, list[Attempt]]:
        """The attempts at each block, in order. An incomplete repeat is left out."""
        latest = {(one.planned, one.repeat): one for one in self.executions}
        found: dict[Block, list[Attempt]] = {}
        for block, members in self.members.items():
            for repeat in range(disturbance.MOST_REPEATS + 1):
                records = [latest[one.id, repeat] for one in members if (one.id, repeat) in latest]
                whole = len(records) == len(members)
                if records and (whole or repeat == 0):
                    found.setdefault(block, []).append(self._attempt(records, whole=whole))
        return found

    def counting(self, block: Block) -> Attempt:
        """The attempt at a block whose figures are shown."""
        attempts = self.attempts[block]
        return attempts[disturbance.chosen([one.tried for one in attempts])]

    @cached_property
    def counting_records(self) -> list[Execution]:
        """A record for each planned execution, in the order of the first attempts."""
        found: dict[str, Execution] = {}
        for one in self.executions:
            if one.repeat == 0:
                found[one.planned] = one
        for block in self.attempts:
            found.update({one.planned: one for one in self.counting(block).records})
        return list(found.values())

    def next_repeat(self) -> list[PlannedExecution]:
        """The executions of the next block to repeat, in the plan's order. Empty if no block is to
        be repeated."""
        if self.plan.profile == "smoke":
            return []
        begun = {block: tried for block, tried in self.attempts.items() if tried[0].whole}
        place = disturbance.next_to_repeat([[one.tried for one in each] for each in begun.values()])
        if place is None:
            return []
        block = [*begun][place]
        repeat = len(begun[block])
        return [one.model_copy(update={"repeat": repeat}) for one in self.members[block]]

    def _attempt(self, records: list[Execution], *, whole: bool) -> Attempt:
        told = account(records, self.plan, self.level)
        lost = [self._shares[one.id] for one in records if one.launch.wall_ns]
        in_block = self._lost_in_block(records, told)
        disturbed = self._disturbed(records)
        return Attempt(
            tuple(records),
            tuple(dict.fromkeys(self._reasons(records, disturbed, in_block))),
            max([*lost, in_block]),
            disturbed,
            told,
            whole,
        )

    def over_blocks(self, executions: Collection[str]) -> WholeBlocks | None:
        """The shares of the blocks with these executions that other processes took; None if the
        share of a block is unknown."""
        blocks = dict.fromkeys(
            block for one in executions if (block := self._block_of.get(one)) is not None
        )
        accounts = [self.counting(block).account for block in blocks]
        told = [one for one in accounts if one is not None]
        return together(told) if len(told) == len(accounts) else None

    @cached_property
    def _block_of(self) -> dict[str, Block]:
        """The block of each execution that counts, by the execution's id."""
        return {one.id: block for block in self.attempts for one in self.counting(block).records}

    @cached_property
    def _usual_of_blocks(self) -> dict[tuple[object, ...], float]:
        shares: dict[tuple[object, ...], list[float]] = {}
        first = {(one.planned, one.repeat): one for one in self.executions}
        for (_, group), members in self.members.items():
            records = [first[one.id, 0] for one in members if (one.id, 0) in first]
            told = account(records, self.plan, self.level) if self._short(records) else None
            if told is not None and (whole := together([told])) is not None:
                shares.setdefault(group, []).append(whole.foreign + whole.steal)
        return {group: disturbance.usual(told) for group, told in shares.items()}

    def _short(self, records: Sequence[Execution]) -> bool:
        """Whether one of the executions is too short for kernel ticks."""
        return any(
            one.launch.wall_ns and self._doubt(one) > disturbance.LEAST_SHARE for one in records
        )

    def _lost_in_block(self, records: Sequence[Execution], told: BlockAccount | None) -> float:
        """The share of a block of short executions that other processes took, if the block was
        disturbed."""
        whole = together([told]) if told is not None and self._short(records) else None
        if whole is None:
            return 0.0
        usually = self._usual_of_blocks.get(self._cells[records[0].cell].group, 0.0)
        share = whole.foreign + whole.steal
        return share if disturbance.disturbed(share, whole.doubt, usually) else 0.0

    def _disturbed(self, records: Sequence[Execution]) -> dict[str, float]:
        found: dict[str, float] = {}
        for one in records:
            if not one.launch.wall_ns:
                continue
            share, usually = self._shares[one.id], self._usual.get(one.cell, 0.0)
            if disturbance.disturbed(share, self._doubt(one), usually):
                found[one.cell] = max(found.get(one.cell, 0.0), share)
        return found

    def _reasons(
        self, records: Sequence[Execution], disturbed: Mapping[str, float], in_block: float
    ) -> Iterator[str]:
        queued = {one.cell for one in records if self._queued_ns(one) is not None}
        for cell, share in disturbed.items():
            variant, part = self._cells[cell].variant, f"{min(share, 1.0):.0%}"
            if cell in queued:
                yield f"{variant} waited for a processor during {part} of its wall time"
            else:
                yield (
                    f"other processes used {part} of the CPU time of the processors on which "
                    f"{variant} ran"
                )
        if in_block:
            yield (
                f"other processes used {min(in_block, 1.0):.0%} of the processors' time during "
                "the block"
            )
        for one in records:
            if one.cell not in self._always_throttled and self._throttled(one):
                yield (
                    "a CPU quota that the experiment does not state throttled "
                    f"{self._cells[one.cell].variant}"
                )
        yield from self._slow_reference(records)

    def _queued_ns(self, one: Execution) -> int | None:
        return delay_ns(self._cells[one.cell], one.launch)

    def _share(self, one: Execution) -> float:
        """The share that an execution lost to other processes and to the hypervisor. The loss is
        the execution's run-queue delay if only other processes can have caused the delay. If the
        delay may have other causes, the loss is the CPU time that other processes used on the
        execution's processors."""
        launch = one.launch
        queued_ns = self._queued_ns(one)
        if queued_ns is not None:
            return (queued_ns + (launch.steal_ns or 0)) / max(1, launch.wall_ns)
        beside_ns = sum(load.generator_ns for load in one.driven)
        if not set(self.plan.lab_processors) & set(one.processors):
            beside_ns = 0
        taken_ns = max(0, (launch.foreign_ns or 0) - beside_ns) + (launch.steal_ns or 0)
        return taken_ns / max(1, launch.wall_ns * max(1, len(launch.processors)))

    def _doubt(self, one: Execution) -> float:
        """The share that rounding to kernel ticks can have added to steal time and, if it is also
        counted in ticks, to the CPU time of other processes."""
        launch = one.launch
        if self._queued_ns(one) is not None:
            return min(TICK_NS, launch.steal_ns or 0) / max(1, launch.wall_ns)
        ticks = (launch.steal_ns is not None) + (launch.foreign_source == "stat")
        return ticks * TICK_NS / max(1, launch.wall_ns * max(1, len(launch.processors)))

    def _throttled(self, one: Execution) -> bool:
        """Whether an undeclared quota throttled the execution. False for external services, for
        which it is unknown."""
        launch = one.launch
        if launch.outcome.state == "found_running":
            return False
        asked = self._cells[one.cell].factors.cpu_quota is not None
        unasked = not asked and (launch.throttled_ns or launch.throttled_periods)
        return bool(launch.ambient_throttled_ns or unasked)

    @cached_property
    def _always_throttled(self) -> set[str]:
        """The cells in which at least half of the planned executions were throttled. Repeating a
        single block would not help them."""
        planned = [one for one in self.executions if one.role == "block" and one.repeat == 0]
        told = Counter(one.cell for one in planned)
        held = Counter(one.cell for one in planned if self._throttled(one))
        return {cell for cell, count in held.items() if 2 * count >= told[cell]}

    def _slow_reference(self, records: Sequence[Execution]) -> Iterator[str]:
        """The reasons why a block is disturbed if its median reading of the reference loop is
        slower than the median of the whole run."""
        for lane, slower in self.level.slowdowns(records):
            if slower > max(SLOW_REFERENCE, self.level.noise(lane)):
                yield f"the reference loop ({lane[1]}) was {slower:.0%} slower than usual"


def busy_during(records: Sequence[Execution], level: MachineLevel) -> list[str]:
    """The programs that were busy during a block's readings of the reference loop, the busiest
    first."""
    shares: dict[str, float] = {}
    for reading in level.after(records):
        for busy in reading.busy:
            shares[busy.name] = max(shares.get(busy.name, 0.0), busy.share)
    return sorted(shares, key=lambda name: -shares[name])
