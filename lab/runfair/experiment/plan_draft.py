"""What is collected while an experiment is resolved into cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from runfair.building.artefact import build
from runfair.building.checksum import fingerprint
from runfair.building.failure import BuildHindered
from runfair.building.launch import launch_options, with_options
from runfair.catalogue.benchmark import Benchmark, benchmarks
from runfair.catalogue.profile import Profile
from runfair.catalogue.program import ProgramSource
from runfair.catalogue.runtime import select, variants
from runfair.catalogue.service import (
    ServiceBenchmark,
    select_benchmarks_and_services,
    service_benchmarks,
)
from runfair.errors import UserMistake
from runfair.formats.place import LOCAL
from runfair.formats.plan import Cell, Factors, ProfileName
from runfair.formats.variant import Artefact, Variant
from runfair.loading.generator import generator

OnStep = Callable[[str], None]


@dataclass(frozen=True)
class Request:
    """What the command line asks of an experiment."""

    profile: ProfileName
    only: Sequence[str] = ()
    runtimes: Sequence[str] = ()
    order_seed: int | None = None

    def require_known(self) -> None:
        """UserMistake if no benchmark, or no variant, is named so."""
        select_benchmarks_and_services(self.only, benchmarks(), service_benchmarks())
        if self.runtimes:
            select(self.runtimes, variants())


@dataclass
class PlanDraft:
    """The cells so far, by id, and what they are made from. With `builds_must_work` a service that
    cannot be built is a failure, not a cell that cannot run here."""

    profile: Profile
    known: dict[str, Benchmark]
    known_services: dict[str, ServiceBenchmark]
    all_variants: list[Variant]
    request: Request
    on_step: OnStep
    builds_must_work: bool = False
    used: dict[str, Variant] = field(default_factory=dict)
    cells: dict[str, Cell] = field(default_factory=dict)


def wanted(draft: PlanDraft) -> set[str]:
    """The names of the benchmarks, of services too, that `--only` asks for: names, or `suite/*`.
    An unknown one is a UserMistake."""
    programs, services = select_benchmarks_and_services(
        draft.request.only, draft.known, draft.known_services
    )
    return {one.name for one in programs} | {one.name for one in services}


def built(
    variant: Variant,
    source: ProgramSource,
    factors: Factors,
    inputs: Sequence[str],
    training: Sequence[str] = (),
) -> Artefact:
    """The program, built, with its factors and its fingerprint. Raises what `build` raises."""
    artefact = build(variant, source, training=training)
    arguments, environment = launch_options(
        variant, heap_bytes=factors.heap_bytes, processors=factors.processors
    )
    artefact = with_options(artefact, arguments, environment)
    return artefact.model_copy(update={"fingerprint": fingerprint(artefact, inputs)})


def no_generator(draft: PlanDraft) -> str:
    """Why no load can be put on a server here, empty if one can; built before anything is
    measured: no server waits for its load. Raises BuildHindered."""
    try:
        draft.on_step("build of the load generator")
        generator()
    except BuildHindered:
        raise
    except UserMistake as missing:
        return str(missing)
    return ""


def nothing_built(variant: str, program: str) -> Artefact:
    """What stands in a cell that cannot run here."""
    return Artefact(variant=variant, program=program, command=[], directory=".", sha256="")


def factor_names(factors: Factors, threads: int) -> list[str]:
    """The factors that are not as usual, for the cell's name."""
    names = []
    if factors.instances > 1:
        names.append(f"instances={factors.instances}")
    if factors.processors != threads * factors.instances:
        names.append(f"processors={factors.processors}")
    if factors.heap_bytes is not None:
        names.append(f"heap={factors.heap_bytes}")
    if factors.cpu_quota is not None:
        names.append(f"quota={factors.cpu_quota:g}")
    if factors.memory_limit_bytes is not None:
        names.append(f"memory={factors.memory_limit_bytes}")
    if factors.page_cache != "warm":
        names.append(f"page-cache-{factors.page_cache}")
    if factors.place != LOCAL:
        names.append(f"place={factors.place}")
    return names
