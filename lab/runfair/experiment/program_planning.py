"""Cells of programs: benchmarks, workloads, variants and factors, crossed."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from runfair.building.artefact import recipe_of
from runfair.building.failure import BuildFailed, InputBroken, Unsupported
from runfair.building.input_file import input_file
from runfair.catalogue.amount import parse_bytes
from runfair.catalogue.benchmark import Benchmark, select_benchmarks
from runfair.catalogue.experiment import Measure
from runfair.catalogue.program import ProgramSource
from runfair.catalogue.runtime import select
from runfair.driving.drive import drive_of
from runfair.errors import UserMistake
from runfair.experiment.conversation import TIMEOUT_S, converse
from runfair.experiment.driven_verification import driven_cell, pass_over
from runfair.experiment.heap_search import LEAST_BYTES, ladder, smallest_heap_bytes
from runfair.experiment.resolution import (
    Resolution,
    built,
    factor_names,
    nothing_built,
    wanted,
)
from runfair.formats.plan import Cell, Factors, Mode
from runfair.formats.record import Scalar
from runfair.formats.transcript import ContractBroken
from runfair.formats.variant import Artefact, Variant
from runfair.loading.generator import generator
from runfair.machine.launching import Launcher
from runfair.machine.native import LAUNCHER, build_native
from runfair.machine.page_cache import cannot_empty
from runfair.machine.processors import assign, read_topology

# A program that collects all the time comes to no end: its heap is too small for it if it takes so
# many times as long as in a heap of the runtime's own choice.
SEARCH_TIMES = 10.0
SEARCH_LEAST_S = 10.0


@dataclass(frozen=True)
class _Work:
    """One program under one variant on one input: what is crossed with factors."""

    benchmark: Benchmark
    workload: str
    size: str
    seed: int
    variant: Variant
    source: ProgramSource
    own_input: Path | None = None
    own_parameters: Mapping[str, Scalar] = field(default_factory=dict)

    @property
    def own(self) -> str:
        """What of the user's own is in it, for the cell's name."""
        named = [f"input={self.own_input}"] if self.own_input is not None else []
        return " ".join([*named, *(f"{key}={value}" for key, value in self.own_parameters.items())])

    @property
    def parameters(self) -> dict[str, Scalar]:
        return {**self.benchmark.parameters(self.size), **self.own_parameters}

    def input(self) -> Path | None:
        """Raises InputBroken."""
        if self.own_input is not None:
            if not self.own_input.exists():
                raise InputBroken(f"{self.own_input}: no such input of {self.benchmark.name}")
            return self.own_input
        return input_file(self.benchmark, self.workload, self.size, self.seed)


def add_program_cells(resolution: Resolution, measure: Measure) -> None:
    """The cells of one `[[measure]]`; what cannot run here is a cell with its reason."""
    chosen = select_benchmarks(measure.benchmarks, resolution.known)
    for benchmark in chosen:
        if resolution.request.only and benchmark.name not in wanted(resolution):
            continue
        for workload in benchmark.resolve_workloads(measure.workloads):
            for size in measure.sizes or [resolution.profile.size]:
                benchmark.size(size)
                for variant in _variants(resolution, measure):
                    for tier in measure.tiers:
                        source = benchmark.program(variant.language, tier)
                        if source is not None:
                            work = _Work(
                                *(benchmark, workload, size, measure.seed, variant, source),
                                own_input=_own_input(measure, benchmark),
                                own_parameters=measure.params,
                            )
                            _cross(resolution, measure, work)


def _own_input(measure: Measure, benchmark: Benchmark) -> Path | None:
    if not measure.input:
        return None
    if benchmark.text.drive is not None:
        raise UserMistake(
            f"{benchmark.name} is driven by requests whose answers are known: its input is made, "
            f"leave {measure.input} out"
        )
    if benchmark.text.input is None:
        raise UserMistake(f"{benchmark.name} reads no input: leave {measure.input} out")
    return Path(measure.input).expanduser().resolve()


def _variants(resolution: Resolution, measure: Measure) -> list[Variant]:
    asked = resolution.request.runtimes
    if asked:
        return select(asked, resolution.all_variants)
    return select(measure.variants, resolution.all_variants, some=True)


def _cross(resolution: Resolution, measure: Measure, work: _Work) -> None:
    benchmark, variant = work.benchmark, work.variant
    answer = None if work.own else benchmark.answer(work.workload, work.size, work.seed)
    usual = benchmark.connections(work.workload, work.size)
    if measure.connections and usual is None:
        raise UserMistake(f"{benchmark.name} is no server: leave `connections` out")
    several = [] if usual == 1 else measure.connections
    for (mode, threads, factors), connections in itertools.product(
        _factors(resolution, measure, work), several if usual and several else [usual]
    ):
        name = "/".join(
            [benchmark.name, work.workload, work.size, mode, f"{threads}t"]
            + ([f"{connections}c"] if connections else [])
            + [work.source.tier, variant.name]
            + factor_names(factors, threads)
            + ([f"seed={work.seed}"] if work.seed != 1 else [])
            + ([work.own.replace("/", "_")] if work.own else [])
        )
        if name in resolution.cells:
            continue
        prepared = _prepare(resolution, work, factors)
        resolution.used[variant.name] = variant
        resolution.cells[name] = Cell(
            id=name,
            suite=work.source.suite,
            benchmark=benchmark.name,
            workload=work.workload,
            size=work.size,
            tier=work.source.tier,
            mode=mode,
            threads=threads,
            variant=variant.name,
            language=variant.language,
            factors=factors,
            parameters=work.parameters,
            inputs=prepared.inputs,
            own=work.own,
            form=benchmark.form,
            seed=work.seed,
            digest=answer.digest if answer else None,
            operations=answer.operations if answer else None,
            artefact=prepared.artefact,
            unsupported=prepared.unsupported,
            broken_input=prepared.broken_input,
            drive=drive_of(benchmark, work.size, prepared.inputs, connections)
            if connections
            else None,
            lines=measure.lines and _tells_lines(work),
        )


def _tells_lines(work: _Work) -> bool:
    """Whether the program takes `--lines` (benchmarks/contract.md)."""
    return recipe_of(work.variant)[0].lines and work.benchmark.text.drive is None


def _factors(
    resolution: Resolution, measure: Measure, work: _Work
) -> Iterator[tuple[Mode, int, Factors]]:
    for mode, threads in itertools.product(measure.modes, measure.threads):
        quotas: list[float | None] = [*measure.cpu_quota] or [None]
        memories: list[str | None] = [*measure.memory_limit] or [None]
        for processors, heap_bytes, quota, memory, page_cache in itertools.product(
            measure.processors or [threads],
            _heaps(resolution, measure, work),
            quotas,
            memories,
            measure.page_cache,
        ):
            yield (
                mode,
                threads,
                Factors(
                    processors=processors,
                    heap_bytes=heap_bytes,
                    cpu_quota=quota,
                    memory_limit_bytes=parse_bytes(memory) if memory else None,
                    page_cache=page_cache,
                ),
            )


def _heaps(resolution: Resolution, measure: Measure, work: _Work) -> Sequence[int | None]:
    """Those named; those found, of a runtime whose heap can be limited; or the runtime's own."""
    if measure.heap:
        return [parse_bytes(heap) for heap in measure.heap]
    if not measure.heap_search:
        return [None]
    limited = Factors(heap_bytes=LEAST_BYTES)
    own = _prepare(resolution, work, Factors())
    if own.nothing_runs or _prepare(resolution, work, limited).nothing_runs:
        return [None]
    resolution.on_step(f"smallest heap of {work.source.name} for {work.variant.name}")
    attempt = _Attempt(work, own.inputs, measure)
    began_s = time.monotonic()
    if not attempt.works(own.artefact, TIMEOUT_S):
        return [None]  # where measuring it says why
    limit_s = SEARCH_LEAST_S + SEARCH_TIMES * (time.monotonic() - began_s)

    def works(heap_bytes: int) -> bool:
        tried = _prepare(resolution, work, Factors(heap_bytes=heap_bytes))
        return attempt.works(tried.artefact, limit_s)

    smallest_bytes = smallest_heap_bytes(works)
    return [None] if smallest_bytes is None else [*ladder(smallest_bytes), None]


@dataclass(frozen=True)
class _Attempt:
    """One iteration of a cell's own work, to see whether it comes to its end; with the least
    threads and connections that are measured."""

    work: _Work
    inputs: Sequence[str]
    measure: Measure

    def works(self, artefact: Artefact, limit_s: float) -> bool:
        work, threads = self.work, min(self.measure.threads)
        launcher, processors = Launcher(build_native(LAUNCHER)), assign(1).measured
        try:
            if work.benchmark.text.drive is not None:
                cell = driven_cell(
                    *(work.benchmark, artefact, work.variant, work.source.tier, work.workload),
                    *(work.size, work.seed, self.inputs, threads),
                ).model_copy(update={"parameters": work.parameters})
                if self.measure.connections and cell.drive is not None:
                    fewest = {"connections": min(self.measure.connections)}
                    cell = cell.model_copy(update={"drive": cell.drive.model_copy(update=fewest)})
                pass_over(cell, launcher, processors, count=False, limit_s=limit_s)
            else:
                options = ["--workload", work.workload, "--size", work.size]
                options += ["--seed", str(work.seed), "--threads", str(threads)]
                for path in self.inputs:
                    options += ["--input", path]
                for key, value in work.parameters.items():
                    options += ["--param", f"{key}={value}"]
                options += ["--iterations", "1"]
                converse(artefact, options, launcher, processors, limit_s)
        except ContractBroken:
            return False
        return True


@dataclass(frozen=True)
class _Prepared:
    """What is started, and its inputs; or why it cannot run here, or has no input to run on."""

    artefact: Artefact
    inputs: list[str] = field(default_factory=list)
    unsupported: str = ""
    broken_input: str = ""

    @property
    def nothing_runs(self) -> bool:
        return bool(self.unsupported or self.broken_input)


def _prepare(resolution: Resolution, work: _Work, factors: Factors) -> _Prepared:
    benchmark, variant, source = work.benchmark, work.variant, work.source
    nothing = nothing_built(variant.name, source.name)
    if variant.state != "ready":
        return _Prepared(nothing, unsupported=variant.reason or variant.state)
    try:
        resolution.on_step(f"input of {benchmark.name} {work.workload} {work.size}")
        path = work.input()
        inputs = [str(path)] if path else []
        resolution.on_step(f"build of {source.name} for {variant.name}")
        artefact = built(variant, source, factors, inputs, training(benchmark))
    except InputBroken as error:
        return _Prepared(nothing, broken_input=str(error))
    except Unsupported as error:
        return _Prepared(nothing, unsupported=str(error))
    lacking = _lacking(resolution, work, factors, inputs)
    return _Prepared(nothing if lacking else artefact, inputs, unsupported=lacking)


def _lacking(resolution: Resolution, work: _Work, factors: Factors, inputs: Sequence[str]) -> str:
    """What this machine has not that the factors ask for; empty where it has all."""
    here = len(read_topology().allowed)
    if factors.processors > here:
        return f"it needs {factors.processors} processors, here are {here}"
    if factors.page_cache == "empty" and (reason := cannot_empty()):
        return reason
    if factors.page_cache == "cold" and not inputs:
        return "it reads no input whose pages could be cold"
    return _no_generator(resolution) if work.benchmark.text.drive is not None else ""


def _no_generator(resolution: Resolution) -> str:
    """Why no server can be driven here; built before anything is measured."""
    try:
        resolution.on_step("build of the load generator")
        generator()
    except (UserMistake, BuildFailed) as missing:
        return str(missing)
    return ""


def training(benchmark: Benchmark) -> list[str]:
    """The options under which a profile-guided build learns: the default workload, `small`."""
    workload, size = benchmark.text.default_workload, "small"
    options = ["--workload", workload, "--size", size, "--iterations", "5"]
    for key, value in benchmark.parameters(size).items():
        options += ["--param", f"{key}={value}"]
    if (path := input_file(benchmark, workload, size, 1)) is not None:
        options += ["--input", str(path)]
    return options
