"""An experiment's file, a profile and this machine, resolved into a plan."""

from __future__ import annotations

import itertools
import secrets
import time
from collections.abc import Iterator, Sequence

import runfair
from runfair.building.failure import BuildFailed, Unsupported
from runfair.building.input_file import input_file
from runfair.catalogue.amount import parse_bytes
from runfair.catalogue.benchmark import Benchmark, benchmarks, select_benchmarks
from runfair.catalogue.experiment import Experiment, Measure
from runfair.catalogue.profile import profile
from runfair.catalogue.program import ProgramSource
from runfair.catalogue.runtime import select, variants
from runfair.catalogue.service import service_benchmarks
from runfair.driving.drive import drive_of
from runfair.errors import UserMistake
from runfair.experiment.order import planned_executions
from runfair.experiment.resolution import (
    OnStep,
    Request,
    Resolution,
    built,
    factor_names,
    nothing_built,
    wanted,
)
from runfair.experiment.service_planning import add_service_cells
from runfair.formats.plan import Cell, Factors, Mode, Plan
from runfair.formats.variant import Artefact, Variant
from runfair.loading.generator import generator
from runfair.machine.processors import Assignment, assign


def resolve(experiment: Experiment, request: Request, on_step: OnStep) -> Plan:
    """The plan, with everything built and every input made.

    `on_step` hears one line before each thing that may take a while. What cannot run is a cell
    with its reason; what the user named wrongly is a UserMistake.
    """
    changes = experiment.profiles.get(request.profile)
    chosen = profile(request.profile, changes)
    resolution = Resolution(
        chosen, benchmarks(), service_benchmarks(), variants(), request, on_step
    )
    overriding = changes.variants if changes is not None and changes.variants else None
    for measure in experiment.measure:
        if measure.profiles and request.profile not in measure.profiles:
            continue
        widened = overriding is not None and measure.variants == ["default"]
        update = {"variants": overriding} if widened else {}
        _add_cells(resolution, measure.model_copy(update=update))
    for serve in experiment.serve:
        if not serve.profiles or request.profile in serve.profiles:
            add_service_cells(resolution, experiment, serve)
    if not resolution.cells:
        raise UserMistake(
            f"{experiment.name}: nothing to measure with this selection; "
            "look at ./runfair list benchmarks"
        )
    cells = list(resolution.cells.values())
    if all(cell.unsupported for cell in cells):
        reasons = sorted({f"{cell.variant}: {cell.unsupported}" for cell in cells})
        raise UserMistake(f"nothing that was asked for can run here: {'; '.join(reasons)}")
    assignment = _processors(cells)
    return Plan(
        runfair=runfair.__version__,
        experiment=experiment.name,
        about=experiment.about,
        profile=request.profile,
        created_realtime_ns=time.time_ns(),
        order_seed=(seed := _seed(request)),
        baseline=_baseline(experiment.baseline, resolution),
        effort=chosen.effort,
        measured_processors=list(assignment.measured),
        lab_processors=list(assignment.lab),
        variants=list(resolution.used.values()),
        cells=cells,
        executions=planned_executions(
            cells,
            chosen.effort.executions,
            chosen.effort.pilots,
            seed,
            chosen.effort.service_executions,
        ),
        limitations=[assignment.limitation] if assignment.limitation else [],
    )


def _seed(request: Request) -> int:
    return secrets.randbits(63) if request.order_seed is None else request.order_seed


def _add_cells(resolution: Resolution, measure: Measure) -> None:
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
                            _cross(resolution, measure, benchmark, workload, size, variant, source)


def _variants(resolution: Resolution, measure: Measure) -> list[Variant]:
    patterns = resolution.request.runtimes or measure.variants
    return select(patterns, resolution.all_variants)


def _cross(
    resolution: Resolution,
    measure: Measure,
    benchmark: Benchmark,
    workload: str,
    size: str,
    variant: Variant,
    source: ProgramSource,
) -> None:
    answer = benchmark.answer(workload, size, measure.seed)
    usual = benchmark.connections(workload, size)
    several = [] if usual == 1 else measure.connections
    crossed = itertools.product(_factors(measure), several if usual and several else [usual])
    for (mode, threads, factors), connections in crossed:
        name = "/".join(
            [benchmark.name, workload, size, mode, f"{threads}t"]
            + ([f"{connections}c"] if connections else [])
            + [source.tier, variant.name]
            + factor_names(factors, threads)
            + ([f"seed={measure.seed}"] if measure.seed != 1 else [])
        )
        if name in resolution.cells:
            continue
        artefact, inputs, unsupported = _prepare(
            resolution, benchmark, workload, size, measure.seed, variant, source, factors
        )
        resolution.used[variant.name] = variant
        resolution.cells[name] = Cell(
            id=name,
            suite=source.suite,
            benchmark=benchmark.name,
            workload=workload,
            size=size,
            tier=source.tier,
            mode=mode,
            threads=threads,
            variant=variant.name,
            language=variant.language,
            factors=factors,
            parameters=benchmark.parameters(size),
            inputs=inputs,
            seed=measure.seed,
            digest=answer.digest if answer else None,
            operations=answer.operations if answer else None,
            artefact=artefact,
            unsupported=unsupported,
            drive=drive_of(benchmark, size, inputs, connections) if connections else None,
        )


def _factors(measure: Measure) -> Iterator[tuple[Mode, int, Factors]]:
    for mode, threads in itertools.product(measure.modes, measure.threads):
        heaps: list[str | None] = [*measure.heap] or [None]
        quotas: list[float | None] = [*measure.cpu_quota] or [None]
        memories: list[str | None] = [*measure.memory_limit] or [None]
        for processors, heap, quota, memory, page_cache in itertools.product(
            measure.processors or [threads], heaps, quotas, memories, measure.page_cache
        ):
            yield (
                mode,
                threads,
                Factors(
                    processors=processors,
                    heap_bytes=parse_bytes(heap) if heap else None,
                    cpu_quota=quota,
                    memory_limit_bytes=parse_bytes(memory) if memory else None,
                    page_cache=page_cache,
                ),
            )


def _prepare(
    resolution: Resolution,
    benchmark: Benchmark,
    workload: str,
    size: str,
    seed: int,
    variant: Variant,
    source: ProgramSource,
    factors: Factors,
) -> tuple[Artefact, list[str], str]:
    """(what is started, its inputs, why it cannot run here or "")."""
    nothing = nothing_built(variant.name, source.name)
    if variant.state != "ready":
        return nothing, [], variant.reason or variant.state
    resolution.on_step(f"input of {benchmark.name} {workload} {size}")
    path = input_file(benchmark, workload, size, seed)
    inputs = [str(path)] if path else []
    resolution.on_step(f"build of {source.name} for {variant.name}")
    try:
        artefact = built(variant, source, factors, inputs, training(benchmark))
    except Unsupported as error:
        return nothing, [], str(error)
    if benchmark.text.drive is not None and (lacking := _no_generator(resolution)):
        return nothing, inputs, lacking
    if factors.page_cache == "cold" and not inputs:
        return nothing, [], "it reads no input whose pages could be cold"
    return artefact, inputs, ""


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


def _processors(cells: Sequence[Cell]) -> Assignment:
    return assign(max(cell.factors.processors for cell in cells if not cell.unsupported))


def _baseline(asked: str, resolution: Resolution) -> str:
    """The name of the variant that ratios are taken against: of those measured."""
    used = list(resolution.used.values())
    if any(variant.name == asked for variant in used):
        return asked
    of_language = [variant for variant in used if variant.language == asked]
    for variant in of_language:
        if variant.default:
            return variant.name
    if of_language:
        return of_language[0].name
    if any(asked in (variant.name, variant.language) for variant in resolution.all_variants):
        runnable = {cell.variant for cell in resolution.cells.values() if not cell.unsupported}
        return next(variant.name for variant in used if variant.name in runnable)
    raise UserMistake(f"baseline {asked!r} is neither a language nor a variant known here")
