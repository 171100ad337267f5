"""An honest run, made from a seed, and the ways to change one thing in it.

Four variants do the same work in three cells each: small and large in steady state, small cold.
Times are those of no real machine, but of a believable one: 0.3% between iterations, 0.5% between
processes, a JVM that warms up over twelve iterations and whose CPU clock steps by 10 ms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Literal

import numpy as np

from runfair.evidence.run import CellEvidence, IntArray, RunEvidence, gather
from runfair.formats.distribution import Distribution
from runfair.formats.execution import Execution, Outcome
from runfair.formats.host import KINDS as KINDS_OF_REFERENCE
from runfair.formats.host import Calibration, Host, Processor, ReferenceKind, ReferenceReading
from runfair.formats.launch import LaunchOutcome, LaunchReport
from runfair.formats.plan import Cell, Effort, Factors, Mode, Plan, PlannedExecution, Role
from runfair.formats.program import Start
from runfair.formats.record import Scalar
from runfair.formats.source_lines import SourceLines
from runfair.formats.variant import Artefact, Variant

MILLISECOND = 10**6
SECOND = 10**9
CREATED_NS = 1_800_000_000 * SECOND
DIGEST = "0123456789abcdef"
OPERATIONS = {"tries": 400_000_000, "placements": 300_000_000, "reads": 1_700_000_000}
LARGE_TO_SMALL = 8
ITERATIONS = 60
WARM_UP_ITERATIONS = 12
EXECUTIONS = 6

LATENESS = Distribution(about="", unit="ns", percentiles=["p50", "p99", "max"])

Series = tuple[IntArray, IntArray]


@dataclass(frozen=True)
class Runtime:
    """What the honest run holds of one variant."""

    name: str
    language: str
    family: str
    small_ns: int
    peak_bytes: int
    flags: str = ""
    settings: dict[str, Scalar] = field(default_factory=dict)
    effective: dict[str, Scalar] = field(default_factory=dict)
    cpu_resolution_ns: int = 1
    cpu_over_wall: float = 0.997
    warm_up: float = 1.0


GCC = Runtime(
    "gcc-12.2.0+o3",
    "c++",
    "gcc",
    1_200 * MILLISECOND,
    4 * 2**20,
    flags="GNU C++20 12.2.0 -march=x86-64 -O3",
    settings={"optimisation": "O3"},
    effective={"optimisation": "speed", "assertions": False},
)
GO = Runtime(
    "go-1.26.8",
    "go",
    "go",
    1_900 * MILLISECOND,
    9 * 2**20,
    effective={"optimisation": "default", "pgo": False, "build_flags": "-compiler=gc"},
)
JAVA = Runtime(
    "temurin-25+g1-gc",
    "java",
    "temurin",
    2_000 * MILLISECOND,
    45 * 2**20,
    settings={"collector": "g1"},
    effective={"collector": "g1", "execution": "mixed"},
    cpu_resolution_ns=10 * MILLISECOND,
    cpu_over_wall=1.05,
    warm_up=4.0,
)
PYTHON = Runtime(
    "cpython-3.11.2",
    "python",
    "cpython",
    24_000 * MILLISECOND,
    11 * 2**20,
    effective={"pgo": True, "lto": True, "gil": True},
)
RUNTIMES = (GCC, GO, JAVA, PYTHON)
KINDS: tuple[tuple[str, Mode], ...] = (("small", "steady"), ("large", "steady"), ("small", "cold"))


def cell_id(runtime: Runtime, size: str = "small", mode: Mode = "steady") -> str:
    return f"sudoku/{size}/{mode}/{runtime.name}"


@dataclass(frozen=True, eq=False)
class Records:
    """What a run leaves on disk. Every method gives a copy in which one thing is different."""

    plan: Plan
    host: Host
    executions: tuple[Execution, ...]
    series: Mapping[str, Series]
    told: Mapping[str, tuple[SourceLines, ...]] = field(default_factory=dict, kw_only=True)
    samples: Mapping[str, list[dict[str, list[int]]]] = field(default_factory=dict, kw_only=True)
    readings: tuple[ReferenceReading, ...] = field(default=(), kw_only=True)

    def evidence(self) -> RunEvidence:
        return gather(
            self.plan,
            self.host,
            self.executions,
            self.series.__getitem__,
            lines=lambda execution: self.told.get(execution, ()),
            samples=lambda execution: self.samples.get(execution, []),
            readings=self.readings,
        )

    def sampling(
        self, cell: str, draw: Callable[[int, int], Sequence[int]], **changes: Any
    ) -> Records:
        """A cell that declares LATENESS, `changes` made in it: `draw(execution, iteration)` gives
        the values that each of its iterations recorded."""
        declared = {"lateness": LATENESS.model_copy(update=changes)}
        mine = [record for record in self.executions if record.cell == cell]
        drawn = {
            record.id: [
                {"lateness": counted(draw(number, iteration))}
                for iteration in range(record.iterations)
            ]
            for number, record in enumerate(mine)
        }
        run = self.with_cell(cell, distributions=declared)
        return replace(run, samples={**self.samples, **drawn})

    def cut_short(self, cell: str, count: int, values: Sequence[int]) -> Records:
        """The first executions of a cell were ended by their watchdog; in the iteration that was
        under way they had recorded these values."""
        timed_out = LaunchOutcome(state="timed_out")
        left = {"lateness": counted(values)}
        run = self.failing(cell, count, "no end after 20 s, ended with its whole tree")
        return run.with_launches(cell, count, outcome=timed_out).with_records(
            cell, count, samples=left
        )

    def telling(
        self,
        cell: str,
        *lines: SourceLines,
        digest: str = DIGEST,
        role: Role = "lines",
        reason: str = "",
    ) -> Records:
        """With one execution more, which told these lines of source, or failed for this reason."""
        like = next(record for record in self.executions if record.cell == cell)
        name = f"{len(self.executions) + 1:05d}"
        own = like.model_copy(
            update={
                "id": f"{name}.1",
                "planned": name,
                "role": role,
                "block": 0,
                "digest": digest,
                "outcome": Outcome.of(reason),
            }
        )
        planned = PlannedExecution(id=name, cell=cell, role=role, block=0, position=0)
        return replace(
            self,
            plan=self.plan.model_copy(update={"executions": [*self.plan.executions, planned]}),
            executions=(*self.executions, own),
            series={**self.series, own.id: self.series[like.id]},
            told={**self.told, own.id: lines},
        )

    def with_plan(self, **changes: Any) -> Records:
        return replace(self, plan=self.plan.model_copy(update=changes))

    def with_host(self, **changes: Any) -> Records:
        return replace(self, host=self.host.model_copy(update=changes))

    def with_calibration(self, **changes: Any) -> Records:
        assert self.host.calibration is not None
        return self.with_host(calibration=self.host.calibration.model_copy(update=changes))

    def with_cells(self, changed: Callable[[Cell], bool], **changes: Any) -> Records:
        cells = [
            cell.model_copy(update=changes) if changed(cell) else cell for cell in self.plan.cells
        ]
        return self.with_plan(cells=cells)

    def with_cell(self, cell: str, **changes: Any) -> Records:
        return self.with_cells(lambda one: one.id == cell, **changes)

    def with_flags(self, runtime: Runtime, flags: str) -> Records:
        """In all of a variant's artefacts."""
        artefact = Artefact(
            variant=runtime.name,
            program="sudoku",
            command=[],
            directory="",
            sha256="0" * 64,
            flags=flags,
        )
        return self.with_cells(lambda one: one.variant == runtime.name, artefact=artefact)

    def with_variant(self, name: str, **changes: Any) -> Records:
        variants = [
            variant.model_copy(update=changes) if variant.name == name else variant
            for variant in self.plan.variants
        ]
        return self.with_plan(variants=variants)

    def with_executions(
        self, cell: str, change: Callable[[Execution], Execution], count: int = EXECUTIONS
    ) -> Records:
        """The first `count` executions of a cell changed."""
        chosen = [record.id for record in self.executions if record.cell == cell][:count]
        assert len(chosen) == count
        return replace(
            self,
            executions=tuple(
                change(record) if record.id in chosen else record for record in self.executions
            ),
        )

    def with_records(self, cell: str, count: int = EXECUTIONS, **changes: Any) -> Records:
        return self.with_executions(cell, lambda one: one.model_copy(update=changes), count)

    def with_launches(self, cell: str, count: int = EXECUTIONS, **changes: Any) -> Records:
        def change(record: Execution) -> Execution:
            launch = record.launch.model_copy(update=changes)
            return record.model_copy(update={"launch": launch})

        return self.with_executions(cell, change, count)

    def with_launch_share(self, cell: str, name: str, share: float) -> Records:
        """A time of the launcher's report as a share of the execution's wall time."""

        def change(record: Execution) -> Execution:
            part_ns = round(record.launch.wall_ns * share)
            launch = record.launch.model_copy(update={name: part_ns})
            return record.model_copy(update={"launch": launch})

        return self.with_executions(cell, change)

    def with_first_iteration(self, cell: str, share: float) -> Records:
        """Its iteration begins when so much of the process's wall time has passed."""

        def change(record: Execution) -> Execution:
            launch = record.launch
            began_ns = launch.started_monotonic_ns + round(launch.wall_ns * share)
            return record.model_copy(update={"first_iteration_monotonic_ns": began_ns})

        return self.with_executions(cell, change)

    def with_starts(self, cell: str, count: int = EXECUTIONS, **changes: Any) -> Records:
        def change(record: Execution) -> Execution:
            assert record.start is not None
            start = record.start.model_copy(update=changes)
            return record.model_copy(update={"start": start})

        return self.with_executions(cell, change, count)

    def with_effective(self, cell: str, effective: dict[str, Scalar]) -> Records:
        return self.with_starts(cell, effective=effective)

    def with_series(
        self, cell: str, change: Callable[[Series], Series], count: int = EXECUTIONS
    ) -> Records:
        """The first `count` executions of a cell with other iterations, which they counted."""
        chosen = [record.id for record in self.executions if record.cell == cell][:count]
        series = {name: change(one) if name in chosen else one for name, one in self.series.items()}

        def count_again(record: Execution) -> Execution:
            return record.model_copy(update={"iterations": len(series[record.id][0])})

        return replace(self.with_executions(cell, count_again, count), series=series)

    def failing(self, cell: str, count: int, reason: str = "exit status 1") -> Records:
        return self.with_records(cell, count, outcome=Outcome(state="failed", reason=reason))

    def with_pilot(self, cell: str, *, failed: bool) -> Records:
        """A pilot before all else, which wrote no iterations."""
        first = next(record for record in self.executions if record.cell == cell)
        state: Literal["failed", "completed"] = "failed" if failed else "completed"
        pilot = first.model_copy(
            update={"id": "p.1", "planned": "p", "role": "pilot", "outcome": Outcome(state=state)}
        )
        empty = np.empty(0, dtype=np.int64)
        return replace(
            self,
            executions=(pilot, *self.executions),
            series={**self.series, pilot.id: (empty, empty)},
        )

    def without(self, cell: str, count: int) -> Records:
        """The last `count` executions of a cell were never carried out, nor planned."""
        mine = [record.planned for record in self.executions if record.cell == cell]
        gone = set(mine[-count:])
        planned = [one for one in self.plan.executions if one.id not in gone]
        kept = tuple(record for record in self.executions if record.planned not in gone)
        return replace(self.with_plan(executions=planned), executions=kept)


def cell_named(name: str) -> CellEvidence:
    """A cell of the honest run, and what was seen of it, under another name."""
    one = honest_run().evidence().cells[0]
    return replace(one, cell=one.cell.model_copy(update={"id": name}))


def counted(values: Sequence[int]) -> list[int]:
    """Values in a recorder's cells."""
    cells = Counter(cell_of(value) for value in values)
    return [number for cell in sorted(cells) for number in (cell, cells[cell])]


def cell_of(value: int) -> int:
    """The recorder's cell, by the formula of benchmarks/contract.md."""
    shift = value.bit_length() - 11
    return value if value < 2048 else shift * 1024 + (value >> shift)


@cache
def honest_run(seed: int = 1) -> Records:
    """The same records for the same seed."""
    random = np.random.default_rng(seed)
    plan = _plan(random)
    cells = {cell.id: cell for cell in plan.cells}
    runtimes = {runtime.name: runtime for runtime in RUNTIMES}
    executions, series = [], {}
    readings: list[ReferenceReading] = []
    now_ns = CREATED_NS + SECOND
    for planned in plan.executions:
        cell = cells[planned.cell]
        runtime = runtimes[cell.variant]
        measured = _series(random, runtime, cell)
        record = _record(planned, cell, runtime, measured, now_ns)
        executions.append(record)
        series[record.id] = measured
        now_ns += record.launch.wall_ns + SECOND
        readings += [reading(kind, record, 1 + noise) for kind, noise in _even(record)]
    return Records(plan, _host(), tuple(executions), series, readings=tuple(readings))


def _even(record: Execution) -> Iterator[tuple[ReferenceKind, float]]:
    """A reference loop that is even to 0.3%, drawn apart from all else."""
    random = np.random.default_rng(int(record.planned))
    for kind in KINDS_OF_REFERENCE:
        yield kind, float(random.normal(0, 0.003))


def reading(kind: ReferenceKind, after: Execution, level: float = 1.0) -> ReferenceReading:
    """Half a second after an execution; the machine is `level` times as slow as usual."""
    steps, step_ns = (60_000_000, 1.7) if kind == "computing" else (1_000_000, 100)
    length_ns = round(steps * step_ns * level)
    return ReferenceReading(
        boot_id=after.boot_id,
        started_monotonic_ns=after.launch.started_monotonic_ns
        + after.launch.wall_ns
        + 500 * MILLISECOND,
        kind=kind,
        processor=1,
        steps=steps,
        wall_ns=length_ns,
        cpu_ns=length_ns,
        process_ns=length_ns + 2 * MILLISECOND,
        foreign_ns=0,
        steal_ns=0,
        took_ns=length_ns + 8 * MILLISECOND,
        after=after.id,
    )


def _plan(random: np.random.Generator) -> Plan:
    cells = [_cell(runtime, size, mode) for runtime in RUNTIMES for size, mode in KINDS]
    executions: list[PlannedExecution] = []
    for block in range(1, EXECUTIONS // 2 + 1):
        for size, mode in KINDS:
            order = [cell_id(RUNTIMES[index], size, mode) for index in random.permutation(4)]
            for position, cell in enumerate([*order, *reversed(order)]):
                name = f"{len(executions) + 1:05d}"
                executions.append(
                    PlannedExecution(
                        id=name, cell=cell, role="block", block=block, position=position
                    )
                )
    return Plan(
        runfair="0.1.0",
        experiment="honest",
        about="",
        profile="quick",
        created_realtime_ns=CREATED_NS,
        order_seed=1,
        baseline=GCC.name,
        effort=Effort(executions=EXECUTIONS, max_seconds=600, timeout_seconds=1200),
        measured_processors=[1],
        lab_processors=[0],
        variants=[_variant(runtime) for runtime in RUNTIMES],
        cells=cells,
        executions=executions,
    )


def _variant(runtime: Runtime) -> Variant:
    return Variant(
        name=runtime.name,
        runtime=runtime.name.split("+")[0],
        family=runtime.family,
        version="1",
        language=runtime.language,
        origin="system",
        state="ready",
        settings=runtime.settings,
    )


def _cell(runtime: Runtime, size: str, mode: Mode) -> Cell:
    scale = LARGE_TO_SMALL if size == "large" else 1
    return Cell(
        id=cell_id(runtime, size, mode),
        suite="langbench",
        benchmark="sudoku",
        workload="balanced",
        size=size,
        tier="standard",
        mode=mode,
        threads=1,
        variant=runtime.name,
        language=runtime.language,
        factors=Factors(),
        inputs=[f"sudoku-{size}.txt"],
        digest=DIGEST,
        operations={name: count * scale for name, count in OPERATIONS.items()},
        artefact=Artefact(
            variant=runtime.name,
            program="sudoku",
            command=[],
            directory="",
            sha256="0" * 64,
            flags=runtime.flags,
        ),
    )


def _series(random: np.random.Generator, runtime: Runtime, cell: Cell) -> Series:
    count = 1 if cell.mode == "cold" else ITERATIONS
    scale = LARGE_TO_SMALL if cell.size == "large" else 1
    level = runtime.small_ns * scale * np.exp(random.normal(0, 0.005))
    wall_ns = level * np.exp(random.normal(0, 0.003, count))
    wall_ns[:WARM_UP_ITERATIONS] *= runtime.warm_up
    clock_ns = np.cumsum(np.concatenate(([0.0], wall_ns * runtime.cpu_over_wall)))
    steps = np.floor(clock_ns / runtime.cpu_resolution_ns) * runtime.cpu_resolution_ns
    return wall_ns.astype(np.int64), np.diff(steps).astype(np.int64)


START_NS = 20 * MILLISECOND  # from a process to its program's first line


def _record(
    planned: PlannedExecution, cell: Cell, runtime: Runtime, series: Series, now_ns: int
) -> Execution:
    wall_ns = int(series[0].sum()) + 40 * MILLISECOND
    cpu_ns = int(series[1].sum()) + 39 * MILLISECOND
    return Execution(
        id=f"{planned.id}.1",
        planned=planned.id,
        attempt=1,
        cell=cell.id,
        role=planned.role,
        block=planned.block,
        position=planned.position,
        host="host",
        boot_id="boot",
        command=["sudoku"],
        processors=[1],
        artefact_sha256="0" * 64,
        start=Start(
            event="start",
            contract=1,
            benchmark=cell.benchmark,
            language=cell.language,
            tier=cell.tier,
            workload=cell.workload,
            size=cell.size,
            seed=cell.seed,
            runtime=runtime.name,
            threads=1,
            processors=1,
            monotonic_ns=now_ns - CREATED_NS + START_NS,
            realtime_ns=now_ns + START_NS,
            cpu_clock_resolution_ns=runtime.cpu_resolution_ns,
            effective=runtime.effective,
        ),
        iterations=len(series[0]),
        digest=DIGEST,
        launch=LaunchReport(
            schema_version=1,
            outcome=LaunchOutcome(state="exited", exit_status=0),
            started_monotonic_ns=now_ns - CREATED_NS,
            started_realtime_ns=now_ns,
            wall_ns=wall_ns,
            user_ns=cpu_ns - 5 * MILLISECOND,
            system_ns=5 * MILLISECOND,
            cpu_ns=cpu_ns,
            peak_rss_bytes=runtime.peak_bytes,
            peak_tree_bytes=runtime.peak_bytes,
            peak_tree_method="wait4",
            processes=1,
            voluntary_switches=3,
            involuntary_switches=20,
            minor_faults=900,
            major_faults=0,
            read_bytes=0,
            written_bytes=0,
            run_queue_ns=wall_ns // 1000,
            left_behind=0,
            foreign_ns=wall_ns // 1000,
            foreign_source="cpuacct",
            steal_ns=0,
            processors=[1],
            launcher_cpu_ns=MILLISECOND,
            ambient_throttled_ns=0,
        ),
        outcome=Outcome(state="completed"),
    )


def _host() -> Host:
    return Host(
        name="host",
        boot_id="boot",
        system="Debian GNU/Linux 12",
        kernel="6.1",
        architecture="x86_64",
        processor_model="a processor",
        processors=[
            Processor(
                number=number,
                core=number,
                socket=0,
                node=0,
                siblings=[number],
                isolated=False,
                governor="performance",
            )
            for number in range(2)
        ],
        memory_bytes=16 * 2**30,
        virtualised="",
        clock_source="tsc",
        frequency_scaling="none",
        turbo="off",
        address_randomisation="on",
        transparent_huge_pages="madvise",
        hardware_counters=True,
        cgroup="v2",
        calibration=Calibration(
            realtime_ns=CREATED_NS - 60 * SECOND,
            boot_id="boot",
            pairs=20,
            noise_floor_wall=0.008,
            noise_floor_cpu=0.003,
            reference_ns=50 * MILLISECOND,
            reference_drift=0.002,
            foreign_share=0.001,
            steal_share=0.0,
            processors=[1],
            gates=[],
        ),
    )
