"""What the checks look at: a run's records, its iterations, and where each became steady."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from runfair.errors import UserMistake
from runfair.evidence.blocks import Blocks
from runfair.evidence.load import LoadEvidence, Probe
from runfair.evidence.machine_level import Clock, MachineLevel
from runfair.evidence.pauses import PauseEvidence
from runfair.evidence.probed import ProbedEvidence, Probes, probed_of
from runfair.evidence.tail_course import SETTLED, TailCourse, tail_course
from runfair.formats.distribution import BrokenSamples, histogram
from runfair.formats.execution import Execution
from runfair.formats.histogram import Histogram
from runfair.formats.host import Host, ReferenceReading
from runfair.formats.plan import Cell, Mode, Plan
from runfair.formats.service import ServicePoint
from runfair.formats.source_lines import SourceLines
from runfair.formats.variant import Variant
from runfair.statistics.noise_floor import LARGEST_TOLERANCE, level_tolerance
from runfair.statistics.steady_state import SteadyState, detect

IntArray = NDArray[np.int64]
Group = tuple[object, ...]

# Others on the machine disturb wall time far more than CPU time (p99/p1 of 23 against 1.13 on an
# overloaded machine, docs/statistics.md), so warm-up is looked for in CPU time, unless its clock
# steps by more than the 1% to which the detector tells levels apart.
FINE_CLOCK = 0.01
WATCHED = frozenset({"lines", "probe"})  # roles whose times are not the program's own
CUT_SHORT = frozenset({"timed_out", "signalled", "memory_exceeded"})


@dataclass(frozen=True, eq=False)
class ServiceEvidence:
    """What the loads on a service show in one execution: at its operating point, at other rates,
    and its runtime's pauses beside the former. None, or nothing, where it did not come so far."""

    load: LoadEvidence | None = None
    probes: tuple[Probe, ...] = ()
    pauses: PauseEvidence | None = None


# The loads of an execution, by how much levels may differ, and from when on the tail has settled.
Loads = Callable[[Execution, float, int], ServiceEvidence]
Lines = Callable[[str], Sequence[SourceLines]]
# The samples of each iteration of an execution: by distribution, cells with their counts.
Samples = Callable[[str], Sequence[Mapping[str, Sequence[int]]]]


@dataclass(frozen=True, eq=False)
class ExecutionEvidence:
    """One execution. `wall_ns` and `cpu_ns` hold one number an iteration, in order, and are empty
    if it failed; `steady` is None if the detector was not asked (cold, failed, pilot, or
    no iteration); `series` says in which of the two the detector looked. `load` is a service's,
    None if its operating point was never reached. `samples` are those of its distributions over
    the part that counts; of one that was cut short, all that it recorded."""

    record: Execution
    mode: Mode
    wall_ns: IntArray
    cpu_ns: IntArray
    steady: SteadyState | None = None
    series: Clock | None = None
    load: LoadEvidence | None = None
    probes: tuple[Probe, ...] = ()
    pauses: PauseEvidence | None = None
    samples: Mapping[str, Histogram] = field(default_factory=dict)

    @property
    def completed(self) -> bool:
        return self.record.outcome.state == "completed"

    @property
    def cut_short(self) -> bool:
        """Whether it was ended from outside before its work was done: what it recorded until then
        is true, and what is missing cannot have been better."""
        return not self.completed and self.record.launch.outcome.state in CUT_SHORT

    @property
    def cpu_resolution_ns(self) -> int | None:
        """The step of the program's own CPU clock; None if it never told."""
        return None if self.record.start is None else self.record.start.cpu_clock_resolution_ns

    @property
    def steady_part(self) -> slice:
        """The iterations that count; the last half where no steady state was found."""
        count = len(self.wall_ns)
        if self.steady is None or self.steady.start is None:
            return slice(count // 2, count)
        return slice(self.steady.start, count)


@dataclass(frozen=True, eq=False)
class ReportedLines:
    """One execution that told figures for lines of its source."""

    record: Execution
    lines: tuple[SourceLines, ...]


@dataclass(frozen=True, eq=False)
class CellEvidence:
    """A cell with every execution it had; `planned` counts those that a table stands on.

    An execution whose role it was to tell lines of source, or that ran under the probe, was watched
    while it ran: it is not among the `executions`, so that no check takes its times for the
    program's. `lines_untold` and `unprobed` say why there are none. `as_planned`: its executions
    without repeated blocks, where a repeat counts; else none. `tail` is the course of a service's
    tail over its load.
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
        """Pilots excluded: they set the stopping rule and are never averaged."""
        return tuple(one for one in self.executions if one.record.role == "block")

    @cached_property
    def completed(self) -> tuple[ExecutionEvidence, ...]:
        return tuple(one for one in self.blocks if one.completed)

    @cached_property
    def failed(self) -> tuple[ExecutionEvidence, ...]:
        return tuple(one for one in self.blocks if not one.completed)

    @cached_property
    def half_blocks(self) -> dict[tuple[int, int], ExecutionEvidence]:
        """Executions by their half-block: the block, and 0 in its order or 1 in the mirror."""
        blocks: dict[int, list[ExecutionEvidence]] = {}
        for one in self.blocks:
            blocks.setdefault(one.record.block, []).append(one)
        return {
            (block, half): one
            for block, members in blocks.items()
            for half, one in enumerate(sorted(members, key=lambda each: each.record.position))
        }


@dataclass(frozen=True, eq=False)
class RunEvidence:
    """A run: its plan, its machine, and every cell that could be run here: `programs` and
    `services`. `level` is the machine's own over the run, `blocks` has all attempts."""

    plan: Plan
    host: Host
    cells: tuple[CellEvidence, ...]
    level: MachineLevel = field(default_factory=MachineLevel)
    blocks: Blocks | None = None

    @property
    def programs(self) -> tuple[CellEvidence, ...]:
        return tuple(one for one in self.cells if one.cell.mode != "service")

    @property
    def services(self) -> tuple[CellEvidence, ...]:
        return tuple(one for one in self.cells if one.cell.mode == "service")

    @property
    def launched(self) -> tuple[CellEvidence, ...]:
        """All cells except external services, whose processes are not accounted for."""
        return tuple(one for one in self.cells if not _is_external(one.cell))

    @property
    def external(self) -> tuple[CellEvidence, ...]:
        """Services that ran already."""
        return tuple(one for one in self.cells if _is_external(one.cell))

    def groups(
        self,
        key: Callable[[Cell], Group] | None = None,
        among: Sequence[CellEvidence] | None = None,
    ) -> list[tuple[CellEvidence, ...]]:
        """Cells that share a key: by default all of the run, by what a table compares."""
        found: dict[Group, list[CellEvidence]] = {}
        for one in self.cells if among is None else among:
            found.setdefault(one.cell.group if key is None else key(one.cell), []).append(one)
        return [tuple(cells) for cells in found.values()]

    def baseline(self, group: Sequence[CellEvidence]) -> CellEvidence:
        """What the group is compared with: the plan's baseline (a variant or a language), its
        standard tier first; the group's first cell where the baseline is not among them. Of
        services, the first that the experiment names."""
        if group[0].cell.mode == "service":
            return group[0]
        wanted = self.plan.baseline
        return min(
            group,
            key=lambda one: (
                wanted not in (one.cell.variant, one.cell.language),
                one.cell.tier != "standard",
            ),
        )


def _is_external(cell: Cell) -> bool:
    return cell.service is not None and cell.service.kind == "url"


def same_work(cell: Cell) -> Group:
    """Cells that must give one answer and do the same work, whatever their surroundings."""
    return (cell.benchmark, cell.workload, cell.own, cell.size, cell.seed)


def gather(
    plan: Plan,
    host: Host,
    executions: Sequence[Execution],
    iterations: Callable[[str], tuple[ArrayLike, ArrayLike]],
    loads: Loads = lambda _execution, _tolerance, _settled_ns: ServiceEvidence(),
    lines: Lines = lambda _execution: (),
    samples: Samples = lambda _execution: (),
    readings: Sequence[ReferenceReading] = (),
    probes: Probes = lambda _execution: None,
) -> RunEvidence:
    """The evidence of a run. `iterations(id)` gives wall and CPU nanoseconds, one an iteration, and
    is asked for completed executions only; `loads` what the load at a service's operating point
    shows, and those at other rates; `lines(id)` a completed execution's figures for the lines of
    its source; `probes(record)` what it left if it ran under the probe; `samples(id)` what each
    iteration of a cell with distributions recorded. `readings` are those of the reference loop.

    Of two attempts at one planned execution the later counts (a block interrupted and repeated); of
    a block that was disturbed and repeated, the first attempt that was not disturbed.
    Cells that are unsupported here have no figures, so no evidence. KeyError if a cell's
    variant is not in the plan.
    """
    variants = {variant.name: variant for variant in plan.variants}
    level = MachineLevel(tuple(readings))
    known = {cell.id for cell in plan.cells}
    executions = [one for one in executions if one.cell in known]
    blocks = Blocks(plan, executions, level)
    counting = blocks.counting_records
    recorded: dict[str, list[Execution]] = {}
    for record in counting:
        recorded.setdefault(record.cell, []).append(record)
    first = {one.planned: one for one in executions if one.repeat == 0}
    counted = Counter(one.cell for one in plan.executions if one.role == "block")
    tolerated = tolerances(host)

    def examined(
        records: Sequence[Execution], cell: Cell
    ) -> tuple[tuple[ExecutionEvidence, ...], TailCourse]:
        if cell.service is not None:
            return _examine_services(records, cell.service, tolerated["wall"], loads)
        programs = (_examine(record, cell, tolerated, iterations) for record in records)
        return tuple(_with_samples(one, cell, samples) for one in programs), SETTLED

    cells = []
    for cell in plan.cells:
        if cell.absent:
            continue
        records = [one for one in recorded.get(cell.id, []) if one.role not in WATCHED]
        mine, tail = examined(records, cell)
        as_planned: tuple[ExecutionEvidence, ...] = ()
        if any(record.repeat for record in records):
            as_planned, _ = examined(
                [first[one.planned] if one.repeat else one for one in records], cell
            )
        told, untold = _reported_lines(recorded.get(cell.id, []), lines)
        probed, unprobed = probed_of(recorded.get(cell.id, []), probes)
        cells.append(
            CellEvidence(
                *(cell, variants[cell.variant], mine, counted[cell.id]),
                *(told, untold, as_planned, tail),
                probed=probed,
                unprobed=unprobed,
            )
        )
    return RunEvidence(plan, host, tuple(cells), level, blocks)


def _reported_lines(
    records: Sequence[Execution], lines: Lines
) -> tuple[tuple[ReportedLines, ...], str]:
    """What was told, and why nothing was where that was asked for."""
    completed = [one for one in records if one.outcome.state == "completed"]
    told = tuple(ReportedLines(one, tuple(found)) for one in completed if (found := lines(one.id)))
    failed = [one for one in records if one.role == "lines" and one not in completed]
    return told, failed[0].outcome.reason if failed else ""


def tolerances(host: Host) -> dict[Clock, float]:
    """By how much levels inside one execution may differ and still be one."""
    calibration = host.calibration
    if calibration is None or calibration.boot_id != host.boot_id:
        return {"wall": LARGEST_TOLERANCE, "cpu": LARGEST_TOLERANCE}
    return {
        "wall": level_tolerance(calibration.noise_floor_wall, calibration.pairs),
        "cpu": level_tolerance(calibration.noise_floor_cpu, calibration.pairs),
    }


def _examine_services(
    records: Sequence[Execution], service: ServicePoint, tolerance: float, loads: Loads
) -> tuple[tuple[ExecutionEvidence, ...], TailCourse]:
    """The executions of a service. Where its tail becomes steady later than its median, all are
    examined again from there on."""
    seen = [loads(record, tolerance, 0) for record in records]
    tail = tail_course([one.load for one in seen if one.load is not None], service.point.objective)
    if tail.from_ns:
        seen = [loads(record, tolerance, tail.from_ns) for record in records]
    nothing = np.empty(0, dtype=np.int64)
    found = tuple(
        ExecutionEvidence(
            record=record,
            mode="service",
            wall_ns=nothing,
            cpu_ns=nothing,
            steady=None if one.load is None else one.load.steady,
            series="wall",
            load=one.load,
            probes=one.probes,
            pauses=one.pauses,
        )
        for record, one in zip(records, seen, strict=True)
    )
    return found, tail


def _examine(
    record: Execution,
    cell: Cell,
    tolerated: dict[Clock, float],
    iterations: Callable[[str], tuple[ArrayLike, ArrayLike]],
) -> ExecutionEvidence:
    if record.outcome.state != "completed":
        nothing = np.empty(0, dtype=np.int64)
        return ExecutionEvidence(record, cell.mode, nothing, nothing)
    wall_ns, cpu_ns = (np.asarray(one, dtype=np.int64) for one in iterations(record.id))
    if cell.mode == "cold" or record.role == "pilot" or len(wall_ns) == 0:
        return ExecutionEvidence(record, cell.mode, wall_ns, cpu_ns)
    series = _series(record, cpu_ns)
    if series == "cpu" and record.start is not None:
        resolution_ns = float(record.start.cpu_clock_resolution_ns)
        steady = detect(cpu_ns, tolerance=tolerated["cpu"], resolution_ns=resolution_ns)
    else:
        steady = detect(wall_ns, tolerance=tolerated["wall"])
    return ExecutionEvidence(record, cell.mode, wall_ns, cpu_ns, steady, series)


def _with_samples(one: ExecutionEvidence, cell: Cell, samples: Samples) -> ExecutionEvidence:
    """The execution with the samples of the part that counts, or of all that was recorded until it
    was cut short."""
    if not cell.distributions:
        return one
    right = one.record.digest in (None, cell.digest) or cell.digest is None
    if not (one.completed or (one.cut_short and right)):
        return one
    told = [*samples(one.record.id)]
    if not one.completed:
        told.append(one.record.samples)
    elif cell.mode == "steady":
        told = told[one.steady_part]
    try:
        gathered = {
            name: histogram(each[name] for each in told if name in each)
            for name in cell.distributions
        }
    except BrokenSamples as error:
        raise UserMistake(
            f"iterations/{one.record.id}.jsonl: damaged: samples: {error}; restore the run's folder"
        ) from None
    return replace(one, samples={name: found for name, found in gathered.items() if found.total})


def _series(record: Execution, cpu_ns: IntArray) -> Clock:
    if record.start is None:
        return "wall"
    fine = record.start.cpu_clock_resolution_ns <= FINE_CLOCK * float(np.median(cpu_ns))
    return "cpu" if fine else "wall"
