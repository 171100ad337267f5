"""An honest run, made from a seed.

Four variants do the same work in three cells each: small and large in steady state, small cold.
Times are those of no real machine, but of a believable one: 0.3% between iterations, 0.5% between
processes, a JVM that warms up over twelve iterations and whose CPU clock steps by 10 ms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from evidence.records import DIGEST, EXECUTIONS, MILLISECOND, SECOND, Records, Series, reading
from runfair.evidence.cell import CellEvidence
from runfair.formats.execution import Execution, Outcome
from runfair.formats.host import KINDS as KINDS_OF_REFERENCE
from runfair.formats.host import Calibration, Host, Processor, ReferenceKind, ReferenceReading
from runfair.formats.launch import LaunchOutcome, LaunchReport
from runfair.formats.plan import Cell, Effort, Factors, Mode, Plan, PlannedExecution
from runfair.formats.program import Start
from runfair.formats.record import Scalar
from runfair.formats.variant import Artefact, Variant

CREATED_NS = 1_800_000_000 * SECOND
OPERATIONS = {"tries": 400_000_000, "placements": 300_000_000, "reads": 1_700_000_000}
LARGE_TO_SMALL = 8
ITERATIONS = 60
WARM_UP_ITERATIONS = 12


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
    effective={
        "optimisation": "default",
        "pgo": False,
        "build_flags": "-compiler=gc",
        "gomaxprocs": 1,
    },
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


def cell_named(name: str) -> CellEvidence:
    """A cell of the honest run, and what was seen of it, under another name."""
    one = honest_run().evidence().cells[0]
    return replace(one, cell=one.cell.model_copy(update={"id": name}))


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
            uncounted_ns=0,
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
