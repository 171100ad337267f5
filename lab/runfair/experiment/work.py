"""A work: a program under a variant on an input. Together with factors it forms cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from runfair.building.failure import InputBroken
from runfair.building.inputs import input_file
from runfair.catalogue.benchmark import Benchmark
from runfair.catalogue.program import ProgramSource
from runfair.catalogue.size import DriveSizeText
from runfair.experiment.plan_draft import factor_names
from runfair.formats.plan import Cell, Drive, Factors, Mode, Probing
from runfair.formats.record import Scalar
from runfair.formats.variant import Artefact, Variant
from runfair.probing.adapter import can_be_probed, checks_can_be_removed
from runfair.probing.instruction_counts import can_be_counted
from runfair.serving.pass_client import TRAFFIC, requests_in


@dataclass(frozen=True)
class Crossing:
    """A combination of conditions for a work. `connections` is used only for servers; None stands
    for the default of the size."""

    mode: Mode
    threads: int
    factors: Factors
    connections: int | None = None


@dataclass(frozen=True)
class Prepared:
    """The artefact to start and its inputs, or the reason why the program cannot run here or has no
    input. `declared_absent`: the reason is that the program is declared to lack the workload."""

    artefact: Artefact
    inputs: Sequence[str] = ()
    unsupported: str = ""
    broken_input: str = ""
    failed_to_build: str = ""
    declared_absent: bool = False

    @property
    def nothing_runs(self) -> bool:
        return bool(self.unsupported or self.broken_input or self.failed_to_build)


@dataclass(frozen=True)
class Work:
    """A program under a variant on an input. The input is the benchmark's or the user's own."""

    benchmark: Benchmark
    workload: str
    size: str
    seed: int
    variant: Variant
    source: ProgramSource
    own_input: Path | None = None
    own_parameters: Mapping[str, Scalar] = field(default_factory=dict)
    limit_seconds: float | None = None
    max_seconds: float | None = None

    @property
    def own(self) -> str:
        """The parts of the work that the user supplied, for the cell's name."""
        named = [f"input={self.own_input}"] if self.own_input is not None else []
        return " ".join([*named, *(f"{key}={value}" for key, value in self.own_parameters.items())])

    @property
    def driven(self) -> bool:
        return self.benchmark.text.drive is not None

    def inputs(self) -> list[str]:
        """The paths of the program's inputs, generated if necessary. Raises InputBroken."""
        path = self.own_input
        if path is not None and not path.exists():
            raise InputBroken(
                f"{path}: the input file of {self.benchmark.name} does not exist; name an "
                "existing file"
            )
        if path is None:
            path = input_file(self.benchmark, self.workload, self.size, self.seed)
        return [] if path is None else [str(path)]

    def cell_id(self, crossing: Crossing) -> str:
        connections = self._connections(crossing)
        return "/".join(
            [self.benchmark.name, self.workload, self.size, crossing.mode, f"{crossing.threads}t"]
            + ([f"{connections}c"] if connections else [])
            + [self.source.tier, self.variant.name]
            + factor_names(crossing.factors, crossing.threads)
            + ([f"seed={self.seed}"] if self.seed != 1 else [])
            + ([self.own] if self.own else [])
        )

    def _can_be_probed(self, crossing: Crossing) -> bool:
        place = crossing.factors.place
        # A server under valgrind would be too slow for its load.
        program = not self._connections(crossing)
        return can_be_probed(place, self.variant) or (
            program and can_be_counted(place, self.variant)
        )

    def _checks_can_be_removed(self, crossing: Crossing) -> bool:
        # A server measures no iterations of its own.
        return not self._connections(crossing) and checks_can_be_removed(
            crossing.factors.place, self.variant
        )

    def cell(
        self,
        crossing: Crossing,
        prepared: Prepared,
    ) -> Cell:
        """The cell of this work."""
        benchmark, connections = self.benchmark, self._connections(crossing)
        answer = None
        if self.own_input is None:
            answer = benchmark.answer(self.workload, self.size, self.seed, self.own_parameters)
        return Cell(
            id=self.cell_id(crossing),
            suite=self.source.suite,
            benchmark=benchmark.name,
            workload=self.workload,
            size=self.size,
            tier=self.source.tier,
            mode=crossing.mode,
            threads=crossing.threads,
            variant=self.variant.name,
            language=self.variant.language,
            factors=crossing.factors,
            parameters=benchmark.parameters(self.size, self.own_parameters),
            inputs=list(prepared.inputs),
            own=self.own,
            form=benchmark.form,
            seed=self.seed,
            digest=answer.digest if answer else None,
            operations=answer.operations if answer else None,
            artefact=prepared.artefact,
            unsupported=prepared.unsupported,
            broken_input=prepared.broken_input,
            failed_to_build=prepared.failed_to_build,
            declared_absent=prepared.declared_absent,
            drive=_drive(benchmark, self.size, prepared.inputs, connections)
            if connections
            else None,
            limit_seconds=self.limit_seconds,
            max_seconds=self.max_seconds if crossing.mode == "steady" else None,
            distributions=benchmark.text.distributions,
            most_threads=self.source.most_threads,
            starts_tasks=benchmark.text.starts_tasks,
        )

    def asked(
        self,
        cell: Cell,
        crossing: Crossing,
        *,
        lines: bool,
        probe: Probing,
        checks: Sequence[str],
    ) -> Cell:
        """The cell with everything that another `[[measure]]` asks of it, and the smaller limit.

        `lines`: in a separate execution, the program reports figures for its lines of source.
        `probe`: in separate executions, its bytecodes are counted and timed, or its instructions
        are counted if it is native code. `checks`: in a separate execution, V8's checks in these
        functions are removed.
        """
        limits = [one for one in (cell.limit_seconds, self.limit_seconds) if one is not None]
        update: dict[str, object] = {
            "lines": cell.lines or lines,
            "limit_seconds": min(limits, default=None),
        }
        if self._can_be_probed(crossing):
            update["probe"] = "all" if "all" in (cell.probe, probe) else cell.probe or probe
        if self._checks_can_be_removed(crossing):
            update["checks"] = list(dict.fromkeys([*cell.checks, *checks]))
        return cell.model_copy(update=update)

    def _connections(self, crossing: Crossing) -> int | None:
        return crossing.connections or self.benchmark.connections(self.workload, self.size)


def _drive(benchmark: Benchmark, size: str, inputs: Sequence[str], connections: int) -> Drive:
    """The pass over a server of this benchmark. If a cell cannot run here, it has no inputs; for
    HTTP, a single request then replaces the requests of the missing file."""
    assert benchmark.text.drive is not None
    asked = benchmark.size(size).drive or DriveSizeText()
    protocol = benchmark.text.drive.protocol
    if protocol == "http":
        traffic = Path(inputs[0]) / TRAFFIC if inputs else None
        return Drive(
            protocol=protocol,
            connections=connections,
            requests=requests_in(traffic) * asked.rounds if traffic else 1,
            traffic=str(traffic or ""),
        )
    return Drive(
        protocol=protocol,
        connections=connections,
        requests=asked.requests,
        keys=asked.keys,
        value_bytes=asked.value_bytes,
    )
