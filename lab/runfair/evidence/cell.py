"""The evidence of a cell: its executions, each with its times, its loads and its samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from runfair.evidence.load import LoadEvidence, Probe
from runfair.evidence.machine_level import Clock
from runfair.evidence.pauses import PauseEvidence
from runfair.evidence.probed import ProbedEvidence
from runfair.evidence.tail_course import SETTLED, TailCourse
from runfair.formats.execution import Execution
from runfair.formats.histogram import Histogram
from runfair.formats.plan import Cell, Mode
from runfair.formats.source_lines import SourceLines
from runfair.formats.variant import Variant
from runfair.statistics.array import IntArray
from runfair.statistics.steady_state import SteadyState

CUT_SHORT = frozenset({"timed_out", "signalled", "memory_exceeded"})


@dataclass(frozen=True, eq=False)
class ServiceEvidence:
    """The loads on a service in one execution: the load at the operating point with the runtime's
    pauses, and the loads at other rates. A field is None or empty if the execution ended before the
    load."""

    load: LoadEvidence | None = None
    probes: tuple[Probe, ...] = ()
    pauses: PauseEvidence | None = None


@dataclass(frozen=True, eq=False)
class ExecutionEvidence:
    """The evidence of one execution. `wall_ns` and `cpu_ns` have an entry for each iteration, in
    order; they are empty if the execution failed. `steady` is None if the steady-state detector did
    not run (cold, failed, pilot, or no iteration). `series` says which of the two arrays the
    detector read. `load` is the load on a service, None if the operating point was not reached.
    `samples` are the samples of its distributions over the steady part, or all samples if the
    execution was ended early. `singles` are the samples of completed executions whose distribution
    has exactly one sample for each iteration: an array with the lower end of each sample's cell, in
    the order of the iterations of the steady part."""

    record: Execution
    cell: Cell
    wall_ns: IntArray
    cpu_ns: IntArray
    steady: SteadyState | None = None
    series: Clock | None = None
    load: LoadEvidence | None = None
    probes: tuple[Probe, ...] = ()
    pauses: PauseEvidence | None = None
    samples: Mapping[str, Histogram] = field(default_factory=dict)
    singles: Mapping[str, IntArray] = field(default_factory=dict)

    @property
    def mode(self) -> Mode:
        return self.cell.mode

    @property
    def completed(self) -> bool:
        return self.record.outcome.state == "completed"

    @property
    def cut_short(self) -> bool:
        """Whether the execution was ended from outside before its work was done. The samples from
        before the end are valid, and the missing samples cannot have been better."""
        return not self.completed and self.record.launch.outcome.state in CUT_SHORT

    @property
    def cpu_resolution_ns(self) -> int | None:
        """The step of the CPU times of iterations; None if it is unknown."""
        return self.record.cpu_resolution_ns

    @property
    def steady_part(self) -> slice:
        """The iterations from which figures are computed: the steady iterations or, if there is no
        steady state, the last half of the iterations."""
        count = len(self.wall_ns)
        if self.steady is None or self.steady.start is None:
            return slice(count // 2, count)
        return slice(self.steady.start, count)


@dataclass(frozen=True, eq=False)
class ReportedLines:
    """An execution that reported figures for the lines of its source."""

    record: Execution
    lines: tuple[SourceLines, ...]


@dataclass(frozen=True, eq=False)
class CellEvidence:
    """A cell with all its executions. `planned` is the number of planned executions that tables
    use.

    If an execution reported lines of source or ran under the probe, a tool slowed it down. Such an
    observed execution is not among the `executions`, and no check uses its times. `lines_untold`
    and `unprobed` say why there are no lines and no bytecodes. If the repeat of a block counts,
    `as_planned` has the executions without repeats; otherwise it is empty. `tail` is the course of
    a service's tail over its load.
    """

    cell: Cell
    variant: Variant
    executions: tuple[ExecutionEvidence, ...]
    planned: int
    reported_lines: tuple[ReportedLines, ...] = ()
    lines_untold: str = ""
    as_planned: tuple[ExecutionEvidence, ...] = ()
    tail: TailCourse = SETTLED
    probed: tuple[ProbedEvidence, ...] = ()
    unprobed: str = ""

    @cached_property
    def blocks(self) -> tuple[ExecutionEvidence, ...]:
        """The executions without pilots. Pilots only set the floor of the stopping rule and are
        never averaged."""
        return tuple(one for one in self.executions if one.record.role == "block")

    @cached_property
    def completed(self) -> tuple[ExecutionEvidence, ...]:
        return tuple(one for one in self.blocks if one.completed)

    @cached_property
    def failed(self) -> tuple[ExecutionEvidence, ...]:
        return tuple(one for one in self.blocks if not one.completed)

    @cached_property
    def host_names(self) -> tuple[str, ...]:
        """The hosts that measured the cell, without duplicates."""
        records = (record for one in self.executions for record in one.record.by_host)
        return tuple(dict.fromkeys(record.host for record in records))

    @cached_property
    def by_host(self) -> dict[str, CellEvidence]:
        """The cell as each host of its service accounted for it, by the host's name. If the service
        runs on a single host at a time, it is the whole cell, without a name."""
        if self.cell.factors.hosts == 1:
            return {"": self}
        found: dict[str, list[ExecutionEvidence]] = {}
        for one in self.executions:
            for record in one.record.by_host:
                found.setdefault(record.host, []).append(replace(one, record=record))
        return {host: replace(self, executions=tuple(mine)) for host, mine in found.items()}

    @cached_property
    def half_blocks(self) -> dict[tuple[int, int], ExecutionEvidence]:
        """The executions by half-block. A half-block is given by its block and a number: 0 for the
        random order, 1 for the reverse order."""
        blocks: dict[int, list[ExecutionEvidence]] = {}
        for one in self.blocks:
            blocks.setdefault(one.record.block, []).append(one)
        return {
            (block, half): one
            for block, members in blocks.items()
            for half, one in enumerate(sorted(members, key=lambda each: each.record.position))
        }
