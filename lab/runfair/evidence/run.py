"""The evidence of a run: its cells, gathered from its records with the steady point of each
execution."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from runfair.errors import UserMistake
from runfair.evidence.blocks import Blocks
from runfair.evidence.cell import (
    CellEvidence,
    ExecutionEvidence,
    ReportedLines,
    ServiceEvidence,
)
from runfair.evidence.machine_level import Clock, MachineLevel
from runfair.evidence.probed import Probes, probed_of
from runfair.evidence.tail_course import SETTLED, TailCourse, tail_course
from runfair.formats.distribution import BrokenSamples, histogram, least_values
from runfair.formats.execution import Execution
from runfair.formats.host import Host, ReferenceReading
from runfair.formats.plan import WATCHED, Cell, Plan
from runfair.formats.service import Objective
from runfair.formats.source_lines import SourceLines
from runfair.statistics.array import IntArray
from runfair.statistics.blocks import median
from runfair.statistics.noise_floor import LARGEST_TOLERANCE, level_tolerance
from runfair.statistics.steady_state import detect

Group = tuple[object, ...]

# Other processes disturb wall time far more than CPU time (p99/p1 of 23 and 1.13 on an overloaded
# machine, docs/statistics.md). The detector therefore reads CPU time, unless the step of the CPU
# clock is more than 1% of an iteration (the detector's smallest tolerance).
FINE_CLOCK = 0.01

# A function that returns an execution's loads. Its arguments are the tolerance of levels and the
# instant from which the tail is steady.
Loads = Callable[[Execution, float, int], ServiceEvidence]
# A function that returns the tolerances of the host that measured an execution.
Tolerated = Callable[[Execution], Mapping[Clock, float]]
Lines = Callable[[str], Sequence[SourceLines]]
# The samples of each iteration: for each distribution, cells with their counts.
Samples = Callable[[str], Sequence[Mapping[str, Sequence[int]]]]


@dataclass(frozen=True, eq=False)
class RunEvidence:
    """The evidence of a run: its plan, its machine (the first of its `hosts`), and every cell that
    could run here (`programs` and `services`). `level` is the machine's level over the run.
    `blocks` has all attempts at each block."""

    plan: Plan
    host: Host
    cells: tuple[CellEvidence, ...]
    level: MachineLevel = field(default_factory=MachineLevel)
    blocks: Blocks | None = None
    hosts: tuple[Host, ...] = ()

    @cached_property
    def _hosts(self) -> dict[str, Host]:
        return {one.name: one for one in self.hosts}

    def host_of(self, record: Execution) -> Host:
        """The host that measured an execution. If that host is not described, it is the run's
        machine."""
        return self._hosts.get(record.host, self.host)

    def hosts_of(self, *cells: CellEvidence) -> tuple[Host, ...]:
        """The hosts that measured these cells, without duplicates."""
        if len(self.hosts) < 2:
            return self.hosts
        names = dict.fromkeys(name for one in cells for name in one.host_names)
        found = (self._hosts.get(name, self.host) for name in names)
        return tuple({host.name: host for host in found}.values())

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
        """The cells of external services."""
        return tuple(one for one in self.cells if _is_external(one.cell))

    def groups(
        self,
        key: Callable[[Cell], Group] | None = None,
        among: Sequence[CellEvidence] | None = None,
    ) -> list[tuple[CellEvidence, ...]]:
        """Cells grouped by a key; by default all cells of the run, by comparison group."""
        found: dict[Group, list[CellEvidence]] = {}
        for one in self.cells if among is None else among:
            found.setdefault(one.cell.group if key is None else key(one.cell), []).append(one)
        return [tuple(cells) for cells in found.values()]

    def baseline(self, group: Sequence[CellEvidence]) -> CellEvidence:
        """The baseline of a group: the plan's baseline (a variant or a language), its standard tier
        first, or the group's first cell if the baseline is missing. For services, it is the first
        service that the experiment names."""
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
    return cell.hosting.kind == "url"


def same_work(cell: Cell) -> Group:
    """The key of cells that must give the same answer and do the same work."""
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
    hosts: Sequence[Host] = (),
) -> RunEvidence:
    """The evidence of a run. The functions return data of an execution: `iterations(id)` the wall
    and CPU times of its iterations in ns (only if it completed), `loads` the evidence of a
    service's loads, `lines(id)` the figures for lines of source (only if it completed),
    `probes(record)` the results of the probe, and `samples(id)` the samples of each iteration.
    `readings` are the reference loop's readings. `hosts` are all machines of the run. The default
    is the single machine `host`. Each execution is examined with the calibration of its own host.

    If a block was interrupted and repeated, the later attempt at an execution counts. If a block
    was disturbed and repeated, the first undisturbed attempt counts. Cells that are unsupported
    here have no evidence. Raises KeyError if a cell's variant is not in the plan.
    """
    variants = {variant.name: variant for variant in plan.variants}
    level = MachineLevel(tuple(readings))
    known = {cell.id for cell in plan.cells}
    executions = [one for one in executions if one.cell in known]
    blocks = Blocks.of(plan, executions, level)
    counting = blocks.counting_records
    recorded: dict[str, list[Execution]] = {}
    for record in counting:
        recorded.setdefault(record.cell, []).append(record)
    first = {one.planned: one for one in executions if one.repeat == 0}
    counted = Counter(one.cell for one in plan.executions if one.role == "block")
    own = {one.name: tolerances(one) for one in hosts or (host,)}
    other = tolerances(host)

    def tolerated(record: Execution) -> Mapping[Clock, float]:
        return own.get(record.host, other)

    def examined(
        records: Sequence[Execution], cell: Cell
    ) -> tuple[tuple[ExecutionEvidence, ...], TailCourse]:
        if cell.service is not None:
            objective = cell.service.point.objective
            return _examine_services(records, cell, objective, tolerated, loads)
        programs = (_examine(record, cell, tolerated(record), iterations) for record in records)
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
    return RunEvidence(plan, host, tuple(cells), level, blocks, tuple(hosts) or (host,))


def _reported_lines(
    records: Sequence[Execution], lines: Lines
) -> tuple[tuple[ReportedLines, ...], str]:
    """The reported lines, and the reason if lines were requested but none were reported."""
    completed = [one for one in records if one.outcome.state == "completed"]
    told = tuple(ReportedLines(one, tuple(found)) for one in completed if (found := lines(one.id)))
    failed = [one for one in records if one.role == "lines" and one not in completed]
    return told, failed[0].outcome.reason if failed else ""


def tolerances(host: Host) -> dict[Clock, float]:
    """The greatest difference of two levels in an execution that count as one level, for each
    clock."""
    calibration = host.calibration
    if calibration is None or calibration.boot_id != host.boot_id:
        return {"wall": LARGEST_TOLERANCE, "cpu": LARGEST_TOLERANCE}
    return {
        "wall": level_tolerance(calibration.noise_floor_wall, calibration.pairs),
        "cpu": level_tolerance(calibration.noise_floor_cpu, calibration.pairs),
    }


def _examine_services(
    records: Sequence[Execution],
    cell: Cell,
    objective: Objective | None,
    tolerated: Tolerated,
    loads: Loads,
) -> tuple[tuple[ExecutionEvidence, ...], TailCourse]:
    """The executions of a service. If the service's tail becomes steady later than its median, all
    loads are examined again from that instant."""
    seen = [loads(record, tolerated(record)["wall"], 0) for record in records]
    tail = tail_course([one.load for one in seen if one.load is not None], objective)
    if tail.from_ns:
        seen = [loads(record, tolerated(record)["wall"], tail.from_ns) for record in records]
    nothing = np.empty(0, dtype=np.int64)
    found = tuple(
        ExecutionEvidence(
            record=record,
            cell=cell,
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
    tolerated: Mapping[Clock, float],
    iterations: Callable[[str], tuple[ArrayLike, ArrayLike]],
) -> ExecutionEvidence:
    if record.outcome.state != "completed":
        nothing = np.empty(0, dtype=np.int64)
        return ExecutionEvidence(record, cell, nothing, nothing)
    wall_ns, cpu_ns = (np.asarray(one, dtype=np.int64) for one in iterations(record.id))
    if cell.mode == "cold" or record.role == "pilot" or len(wall_ns) == 0:
        return ExecutionEvidence(record, cell, wall_ns, cpu_ns)
    series = _series(record, cpu_ns)
    resolution_ns = record.cpu_resolution_ns
    if series == "cpu" and resolution_ns is not None:
        steady = detect(cpu_ns, tolerance=tolerated["cpu"], resolution_ns=float(resolution_ns))
    else:
        steady = detect(wall_ns, tolerance=tolerated["wall"])
    return ExecutionEvidence(record, cell, wall_ns, cpu_ns, steady, series)


def _with_samples(one: ExecutionEvidence, cell: Cell, samples: Samples) -> ExecutionEvidence:
    """The execution with the samples of its steady part, or with all samples if it was ended
    early."""
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
        singles = {
            name: values
            for name, declared in cell.distributions.items()
            if declared.single and one.completed
            if (values := least_values(each.get(name, ()) for each in told)) is not None
        }
    except BrokenSamples as error:
        raise UserMistake(
            f"iterations/{one.record.id}.jsonl: the samples in this file are damaged ({error}); "
            "restore the run's folder from a copy"
        ) from None
    found = {name: each for name, each in gathered.items() if each.total}
    return replace(one, samples=found, singles=singles)


def _series(record: Execution, cpu_ns: IntArray) -> Clock:
    resolution_ns = record.cpu_resolution_ns
    if resolution_ns is None:
        return "wall"
    fine = resolution_ns <= FINE_CLOCK * median(cpu_ns)
    return "cpu" if fine else "wall"
