"""Blocks that other processes disturbed: which blocks are repeated, one after the other, and which
attempt at a block counts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from runfair.evidence.loss import (
    BlockAccount,
    Group,
    Losses,
    UsualLoss,
    WholeBlocks,
    account,
    together,
)
from runfair.evidence.machine_level import MachineLevel
from runfair.formats.appended_lines import AppendedLines
from runfair.formats.execution import Execution
from runfair.formats.host import ReferenceReading
from runfair.formats.plan import Plan, PlannedExecution
from runfair.formats.run_folder import RunFolder
from runfair.statistics import disturbance

# The limit beyond which the reference loop was slower during a block than usual (a
# proposal).
SLOW_REFERENCE = 0.10
Block = tuple[int, Group]


@dataclass(frozen=True)
class Attempt:
    """An attempt at a block. An attempt is `whole` if no execution is missing. `reasons` say how
    the attempt was disturbed; there are no reasons if it was not disturbed. `lost` is the greatest
    share of an execution's processor time that other processes took. `disturbed` has this share for
    each cell that lost more than usual."""

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
    """The blocks of a run with all attempts at them. The attempts are judged by the usual losses of
    time. If a repeat was interrupted and has two records, the later record counts."""

    losses: Losses
    members: Mapping[Block, Sequence[PlannedExecution]]
    executions: Sequence[Execution]
    level: MachineLevel
    usual: UsualLoss

    @classmethod
    def of(cls, plan: Plan, executions: Sequence[Execution], level: MachineLevel) -> Blocks:
        """All blocks of a run. The usual losses are the losses of the first attempts at these
        blocks."""
        losses, members = Losses(plan), _members(plan)
        groups = [(group, planned) for (_, group), planned in members.items()]
        usual = UsualLoss.of(losses, groups, executions, level)
        return cls(losses, members, executions, level, usual)

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

    def _attempt(self, records: list[Execution], *, whole: bool) -> Attempt:
        told = account(records, self.losses.plan, self.level)
        lost = [self.losses.share(one) for one in records if one.launch.wall_ns]
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
        """The shares of processor time that other processes took during the blocks with these
        executions. None if the share is unknown for one of these blocks."""
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

    def _lost_in_block(self, records: Sequence[Execution], told: BlockAccount | None) -> float:
        """The share of processor time that other processes took during a block of short executions,
        if the block was disturbed."""
        whole = together([told]) if told is not None and self.losses.short(records) else None
        if whole is None:
            return 0.0
        usually = self.usual.of_groups.get(self.losses.cells[records[0].cell].group, 0.0)
        share = whole.foreign + whole.steal
        return share if disturbance.disturbed(share, whole.doubt, usually) else 0.0

    def _disturbed(self, records: Sequence[Execution]) -> dict[str, float]:
        found: dict[str, float] = {}
        for one in records:
            if not one.launch.wall_ns:
                continue
            share, usually = self.losses.share(one), self.usual.of_cells.get(one.cell, 0.0)
            if disturbance.disturbed(share, self.losses.doubt(one), usually):
                found[one.cell] = max(found.get(one.cell, 0.0), share)
        return found

    def _reasons(
        self, records: Sequence[Execution], disturbed: Mapping[str, float], in_block: float
    ) -> Iterator[str]:
        queued = {one.cell for one in records if self.losses.queued_ns(one) is not None}
        for cell, share in disturbed.items():
            variant, part = self.losses.cells[cell].variant, f"{min(share, 1.0):.0%}"
            if cell in queued:
                yield f"{variant} had to wait for a processor during {part} of its wall time"
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
            if one.cell not in self.usual.always_throttled and self.losses.throttled(one):
                yield (
                    f"{self.losses.cells[one.cell].variant} was slowed by a CPU quota that "
                    "the experiment does not state"
                )
        yield from self._slow_reference(records)

    def _slow_reference(self, records: Sequence[Execution]) -> Iterator[str]:
        """The reasons why a block is disturbed if its median reading of the reference loop is
        slower than the median of all first attempts."""
        for lane, own_ns in self.level.medians_after(records):
            if (usually := self.usual.lanes.get(lane)) is None:
                continue
            slower = own_ns / usually.median_ns - 1
            if slower > max(SLOW_REFERENCE, usually.noise):
                yield (
                    f"runfair's reference loop of constant work ({lane[1]}) took {slower:.0%} "
                    "longer than usual"
                )


def _members(plan: Plan) -> dict[Block, list[PlannedExecution]]:
    """The planned executions of each block, in the plan's order."""
    groups = {cell.id: cell.group for cell in plan.cells}
    found: dict[Block, list[PlannedExecution]] = {}
    for planned in plan.executions:
        if planned.role == "block" and planned.cell in groups:
            found.setdefault((planned.block, groups[planned.cell]), []).append(planned)
    return found


def busy_during(records: Sequence[Execution], level: MachineLevel) -> list[str]:
    """The programs that were busy during a block's readings of the reference loop, the busiest
    first."""
    shares: dict[str, float] = {}
    for reading in level.after(records):
        for busy in reading.busy:
            shares[busy.name] = max(shares.get(busy.name, 0.0), busy.share)
    return sorted(shares, key=lambda name: -shares[name])


class Repeats:
    """The attempts at each block of a run whose first attempts are all recorded. Only a few figures
    of an attempt are kept, and new records change only the blocks to which they belong."""

    def __init__(self, blocks: Blocks) -> None:
        self._losses = blocks.losses
        self._usual = blocks.usual
        self._members = blocks.members
        self._block_of = {
            one.id: block for block, members in blocks.members.items() for one in members
        }
        self._tried: dict[Block, list[disturbance.Attempt]] = {
            block: [one.tried for one in attempts]
            for block, attempts in blocks.attempts.items()
            if attempts[0].whole
        }
        self._repeats: dict[Block, list[Execution]] = {}
        self._readings: dict[str, tuple[Block, list[ReferenceReading]]] = {}
        self._note(blocks.executions, blocks.level.readings)

    def learn(self, executions: Sequence[Execution], readings: Sequence[ReferenceReading]) -> None:
        """Adds the new records of repeats, and the readings of the reference loop after them."""
        for block in self._note(executions, readings):
            records = self._repeats[block]
            after = [reading for one in records for reading in self._readings[one.id][1]]
            found = Blocks(
                self._losses,
                {block: self._members[block]},
                records,
                MachineLevel(tuple(after)),
                self._usual,
            )
            again = [one.tried for one in found.attempts.get(block, ())]
            self._tried[block] = [self._tried[block][0], *again]

    def next_block(self, under_way: Collection[str] = ()) -> list[PlannedExecution]:
        """The executions of the next block to repeat, in the plan's order. Empty if no block is to
        be repeated. `under_way` are the planned executions that are being repeated. A smoke run
        repeats nothing."""
        if self._losses.plan.profile == "smoke":
            return []
        repeated = {self._block_of[planned] for planned in under_way}
        blocks = [*self._tried]
        places = {place for place, block in enumerate(blocks) if block in repeated}
        place = disturbance.next_to_repeat([*self._tried.values()], places)
        if place is None:
            return []
        block = blocks[place]
        repeat = len(self._tried[block])
        return [one.model_copy(update={"repeat": repeat}) for one in self._members[block]]

    def _note(
        self, executions: Sequence[Execution], readings: Sequence[ReferenceReading]
    ) -> list[Block]:
        """Keeps the records of repeats. Returns the blocks that they belong to. On several hosts, a
        reading can be recorded later than its execution."""
        changed: dict[Block, None] = {}
        for one in executions:
            if one.repeat:
                block = self._block_of[one.planned]
                self._repeats.setdefault(block, []).append(one)
                self._readings[one.id] = (block, [])
                changed[block] = None
        for reading in readings:
            if reading.after in self._readings:
                block, own = self._readings[reading.after]
                own.append(reading)
                changed[block] = None
        return [*changed]


class RecordedRepeats:
    """The repeats of a run, from the records in its folder. Each record is read once."""

    def __init__(self, folder: RunFolder, plan: Plan) -> None:
        self._plan = plan
        self._executions = AppendedLines(folder.executions_file, Execution)
        self._readings = AppendedLines(folder.reference_file, ReferenceReading)
        self._repeats: Repeats | None = None

    def next_block(self, under_way: Collection[str] = ()) -> list[PlannedExecution]:
        """The next disturbed block that there is time to repeat; empty if there is none.
        `under_way` are the planned executions that other hosts are repeating. If a repeat was
        interrupted, the block is repeated again as a whole. All executions of the plan must be
        recorded before the first call."""
        executions, readings = self._executions.read(), self._readings.read()
        if self._repeats is None:
            level = MachineLevel(tuple(readings))
            self._repeats = Repeats(Blocks.of(self._plan, executions, level))
        else:
            self._repeats.learn(executions, readings)
        return self._repeats.next_block(under_way)
