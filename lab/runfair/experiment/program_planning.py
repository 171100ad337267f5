"""The cells of programs: all combinations of benchmarks, workloads, variants and factors."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from runfair.building.artefact import recipe_of
from runfair.building.failure import BuildFailed, BuildHindered, InputBroken, Unsupported
from runfair.building.inputs import input_file
from runfair.building.launch import program_options
from runfair.catalogue.amount import parse_bytes
from runfair.catalogue.benchmark import Benchmark, select_benchmarks
from runfair.catalogue.experiment import Measure
from runfair.catalogue.runtime import select
from runfair.errors import UserMistake
from runfair.experiment.plan_draft import (
    PlanDraft,
    built,
    no_generator,
    nothing_built,
    wanted,
)
from runfair.experiment.untimed_run import TIMEOUT_S, run_untimed
from runfair.experiment.work import Crossing, Prepared, Work
from runfair.formats.distribution import samples_option
from runfair.formats.plan import Effort, Factors, Mode
from runfair.formats.record import Scalar
from runfair.formats.transcript import ContractBroken
from runfair.formats.variant import Variant
from runfair.installing.named_version import not_installed
from runfair.machine.launching import Launcher
from runfair.machine.native import LAUNCHER, build_native
from runfair.machine.page_cache import cannot_empty
from runfair.machine.processors import assign
from runfair.paths import private_folder, stated_path

MIB = 1 << 20
LEAST_BYTES = MIB
# Collectors reserve whole regions, so a difference of less than a tenth is not caused by the
# program.
PRECISION = 1.1
MOST_BYTES = 64 << 30
# A collector's time changes most if the heap is less than four times the smallest heap (Blackburn
# et al., OOPSLA 2004, vary it from one to six times the smallest).
LADDER = (1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
# If a heap is too small, the program may spend all its time in collections and never end. A heap
# therefore counts as too small if the program takes this many times as long as in the heap that the
# runtime itself chooses.
SEARCH_TIMES = 10.0
# A long steady execution must also start and end before its time-out.
MOST_OF_TIMEOUT = 0.75
SEARCH_LEAST_S = 3.0


def add_program_cells(draft: PlanDraft, measure: Measure) -> None:
    """Add the cells of a `[[measure]]`. If a program cannot run here, its cell has the reason."""
    chosen = select_benchmarks(measure.benchmarks, draft.known)
    for benchmark in chosen:
        if draft.request.only and benchmark.name not in wanted(draft):
            continue
        if benchmark.text.crossovers:
            draft.crossovers[benchmark.name] = benchmark.text.crossovers
        for mode, workload in itertools.product(
            measure.modes, benchmark.resolve_workloads(measure.workloads)
        ):
            for size in measure.sizes or [_usual_size(draft, benchmark, mode)]:
                benchmark.size(size)
                for variant in _variants(draft, measure):
                    for tier in measure.tiers:
                        source = benchmark.program(variant.language, tier)
                        if source is not None:
                            work = Work(
                                *(benchmark, workload, size, measure.seed, variant, source),
                                own_input=_own_input(measure, benchmark),
                                own_parameters=_own_parameters(measure, benchmark),
                                limit_seconds=measure.limit_seconds,
                                max_seconds=steady_seconds(variant, draft.profile.effort),
                            )
                            _cross(draft, measure, work, mode)


def steady_seconds(variant: Variant, effort: Effort) -> float:
    """The length of a steady execution. A variant that needs more than the profile's seconds gets
    them only as far as the time-out allows."""
    if variant.steady_share <= 1:
        return variant.steady_share * effort.max_seconds
    longest = MOST_OF_TIMEOUT * effort.timeout_seconds
    return max(effort.max_seconds, min(variant.steady_share * effort.max_seconds, longest))


def _usual_size(draft: PlanDraft, benchmark: Benchmark, mode: Mode) -> str:
    profile = draft.profile
    return profile.size if profile.size_stated else benchmark.usual_size(profile.size, mode)


def _own_input(measure: Measure, benchmark: Benchmark) -> Path | None:
    if not measure.input:
        return None
    if benchmark.text.drive is not None:
        raise UserMistake(
            f"{benchmark.name} is a server, and runfair itself generates its requests, so "
            f"leave `input` ({measure.input}) out"
        )
    if benchmark.text.input is None:
        raise UserMistake(
            f"{benchmark.name} reads no input, so leave `input` ({measure.input}) out"
        )
    return stated_path(measure.input)


def _own_parameters(measure: Measure, benchmark: Benchmark) -> dict[str, Scalar]:
    """The user's parameters with absolute paths, because programs run in folders of their own."""
    known = benchmark.text.parameters
    return {
        name: str(stated_path(str(value)))
        if value and name in known and known[name].path
        else value
        for name, value in measure.params.items()
    }


def _variants(draft: PlanDraft, measure: Measure) -> list[Variant]:
    asked = draft.request.runtimes
    if asked:
        return select(asked, draft.all_variants)
    missing = not_installed(measure.variants, draft.all_variants)
    return select(measure.variants, [*draft.all_variants, *missing], some=True)


def _cross(draft: PlanDraft, measure: Measure, work: Work, mode: Mode) -> None:
    for (threads, factors), connections in itertools.product(
        _factors(draft, measure, work), _connections(measure, work)
    ):
        crossing = Crossing(mode, threads, factors, connections)
        name = work.cell_id(crossing)
        cell = draft.cells.get(name)
        if cell is None:
            draft.used[work.variant.name] = work.variant
            cell = work.cell(crossing, _prepare(draft, work, factors))
        draft.cells[name] = work.asked(
            cell,
            crossing,
            lines=measure.lines and _tells_lines(work),
            probe=measure.probe,
            checks=measure.checks,
        )
        if measure.checks and not draft.cells[name].checks:
            draft.unchecked.add(work.variant.name)


def _connections(measure: Measure, work: Work) -> Sequence[int | None]:
    """The numbers of connections to measure. None stands for the default of the size. None is used
    for programs that are not servers, and for servers that are measured with a single client."""
    usual = work.benchmark.connections(work.workload, work.size)
    if measure.connections and usual is None:
        raise UserMistake(
            f"`connections` applies to servers only, but {work.benchmark.name} is not a server; "
            "leave `connections` out"
        )
    return measure.connections if measure.connections and usual != 1 else [None]


def _tells_lines(work: Work) -> bool:
    """Whether the program's harness can observe lines (benchmarks/contract.md, "Options")."""
    return recipe_of(work.variant)[0].lines and not work.driven


def _factors(draft: PlanDraft, measure: Measure, work: Work) -> Iterator[tuple[int, Factors]]:
    heaps = _heaps(draft, measure, work)
    for threads in _threads(draft, measure):
        quotas: list[float | None] = [*measure.cpu_quota] or [None]
        memories: list[str | None] = [*measure.memory_limit] or [None]
        for processors, heap_bytes, quota, memory, page_cache in itertools.product(
            measure.processors or [threads],
            heaps,
            quotas,
            memories,
            measure.page_cache,
        ):
            yield (
                threads,
                Factors(
                    processors=processors,
                    heap_bytes=heap_bytes,
                    cpu_quota=quota,
                    memory_limit_bytes=parse_bytes(memory) if memory else None,
                    page_cache=page_cache,
                    place=measure.place,
                ),
            )


def _threads(draft: PlanDraft, measure: Measure) -> Sequence[int]:
    """The numbers of threads to measure on the machine that measures."""
    if measure.threads == "doubling":
        return doublings(len(draft.machine.allowed))
    return measure.threads


def doublings(most: int) -> list[int]:
    """The numbers 1, 2, 4 and so on that are less than `most`, and `most` itself."""
    powers = itertools.takewhile(lambda number: number < most, (1 << n for n in itertools.count()))
    return [*powers, most]


def _heaps(draft: PlanDraft, measure: Measure, work: Work) -> Sequence[int | None]:
    """The sizes of heaps to measure. The sizes are the sizes that the experiment names, or a ladder
    that begins at the smallest heap (if the runtime's heap can be limited), or the runtime's own
    choice.
    """
    if measure.heap:
        return [parse_bytes(heap) for heap in measure.heap]
    if not measure.heap_search:
        return [None]
    limited = Factors(heap_bytes=LEAST_BYTES)
    own = _prepare(draft, work, Factors())
    if own.nothing_runs or _prepare(draft, work, limited).nothing_runs:
        return [None]
    draft.on_step(f"smallest heap of {work.source.name} for {work.variant.name}")
    fewest = min(_connections(measure, work), key=lambda connections: connections or 0)
    crossing = Crossing("cold", min(_threads(draft, measure)), Factors(), fewest)
    launcher, processors = Launcher(build_native(LAUNCHER)), assign(1).measured

    def ends(prepared: Prepared, timeout_s: float) -> bool:
        cell = work.cell(crossing, prepared)
        try:
            run_untimed(cell, launcher, processors, timeout_s=timeout_s)
        except ContractBroken:
            return False
        return True

    began_s = time.monotonic()
    if not ends(own, TIMEOUT_S):
        return [None]  # the measurement itself will report the reason
    limit_s = SEARCH_LEAST_S + SEARCH_TIMES * (time.monotonic() - began_s)

    def works(heap_bytes: int) -> bool:
        return ends(_prepare(draft, work, Factors(heap_bytes=heap_bytes)), limit_s)

    smallest_bytes = smallest_heap_bytes(works)
    return [None] if smallest_bytes is None else [*ladder(smallest_bytes), None]


def smallest_heap_bytes(works: Callable[[int], bool]) -> int | None:
    """The smallest heap for which `works(bytes)` is true, in whole MiB and to within a tenth; None
    if no heap up to 64 GiB works. The search assumes that every larger heap works too.

    The 2022 study (section 4) took as the smallest memory the first configuration that did not
    crash. The study then raised the memory until the time no longer improved.
    """
    high = LEAST_BYTES
    while not works(high):
        high *= 2
        if high > MOST_BYTES:
            return None
    low = high // 2
    while high > low * PRECISION and high - low > MIB:
        middle = (low + high) // 2 // MIB * MIB
        if works(middle):
            high = middle
        else:
            low = middle
    return high


def ladder(smallest_bytes: int) -> list[int]:
    """The sizes of heaps in a sweep, rising from the smallest, in whole MiB and without
    duplicates."""
    steps = (-(-round(smallest_bytes * step) // MIB) * MIB for step in LADDER)
    return list(dict.fromkeys(steps))


def _prepare(draft: PlanDraft, work: Work, factors: Factors) -> Prepared:
    benchmark, variant, source = work.benchmark, work.variant, work.source
    nothing = nothing_built(variant.name, source.name)
    if not source.has(work.workload):
        reason = source.absent[work.workload]
        return Prepared(nothing, unsupported=reason, declared_absent=True)
    if variant.state != "ready":
        return Prepared(nothing, unsupported=variant.hindrance)
    try:
        draft.on_step(f"input of {benchmark.name} {work.workload} {work.size}")
        inputs = work.inputs()
        draft.on_step(f"build of {source.name} for {variant.name}")
        artefact = built(variant, source, factors, inputs, training(benchmark))
        lacking = _lacking(draft, work, factors, inputs)
    except InputBroken as error:
        return Prepared(nothing, broken_input=str(error))
    except BuildHindered as error:
        return Prepared(nothing, failed_to_build=error.line)
    except (Unsupported, BuildFailed) as error:
        return Prepared(nothing, unsupported=str(error))
    return Prepared(nothing if lacking else artefact, inputs, unsupported=lacking)


def _lacking(draft: PlanDraft, work: Work, factors: Factors, inputs: Sequence[str]) -> str:
    """The reason why the machine cannot provide the factors; empty if it can. Raises
    BuildHindered."""
    most = len(draft.machine.allowed)
    if factors.processors > most:
        where = "this machine has" if draft.request.host_processors is None else "the hosts have"
        return f"the program needs {factors.processors} processors, but {where} only {most}"
    if factors.page_cache == "empty" and (reason := cannot_empty()):
        return reason
    if factors.page_cache == "cold" and not inputs:
        return (
            "the benchmark reads no input file, so a cold page cache would change nothing; "
            "leave `page_cache` out"
        )
    return no_generator(draft) if work.driven else ""


def training(benchmark: Benchmark) -> list[str]:
    """The options of the training run for a profile-guided build: the default workload at size
    `small`. Empty for a server."""
    if benchmark.text.drive is not None:
        return []
    workload, size = benchmark.text.default_workload, "small"
    path = input_file(benchmark, workload, size, 1)
    inputs = [] if path is None else [str(path)]
    options = program_options(benchmark.parameters(size), workload=workload, inputs=inputs)
    samples = samples_option(benchmark.text.distributions, private_folder() / "samples")
    return [*options, *samples, "iterations=5"]
