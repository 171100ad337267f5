"""The disturbed blocks of a run that are to be repeated, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from runfair.evidence.blocks import Block, Blocks
from runfair.evidence.machine_level import MachineLevel
from runfair.formats.appended_lines import AppendedLines
from runfair.formats.execution import Execution
from runfair.formats.host import ReferenceReading
from runfair.formats.plan import Plan, PlannedExecution
from runfair.formats.run_folder import RunFolder
from runfair.statistics import disturbance


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

    def next_block(self) -> list[PlannedExecution]:
        """The executions of the next block to repeat, in the plan's order. Empty if no block is to
        be repeated. A smoke run repeats nothing."""
        if self._losses.plan.profile == "smoke":
            return []
        place = disturbance.next_to_repeat([*self._tried.values()])
        if place is None:
            return []
        block = [*self._tried][place]
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

    def next_block(self) -> list[PlannedExecution]:
        """The next disturbed block that there is time to repeat; empty if there is none. If a
        repeat was interrupted, the block is repeated again as a whole. All executions of the plan
        must be recorded before the first call."""
        executions, readings = self._executions.read(), self._readings.read()
        if self._repeats is None:
            level = MachineLevel(tuple(readings))
            self._repeats = Repeats(Blocks.of(self._plan, executions, level))
        else:
            self._repeats.learn(executions, readings)
        return self._repeats.next_block()
