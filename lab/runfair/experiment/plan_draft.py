"""The draft of a plan. The draft is filled while an experiment is resolved into cells."""

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
from runfair.formats.crossover import DeclaredCrossover
from runfair.formats.peak import Score
from runfair.formats.place import LOCAL
from runfair.formats.plan import Cell, Factors, ProfileName
from runfair.formats.variant import Artefact, Variant
from runfair.loading.generator import generator
from runfair.machine.processors import Topology, plain_topology, read_topology

OnStep = Callable[[str], None]


@dataclass(frozen=True)
class Request:
    """The options that the command line gives for an experiment. `service_hosts` is the number of
    hosts on which each service runs, as the machines state it. `host_processors` is the number of
    processors that each measuring host has; None if this machine measures. `source` is the name of
    the experiment, or the absolute path of its file."""

    profile: ProfileName
    only: Sequence[str] = ()
    runtimes: Sequence[str] = ()
    order_seed: int | None = None
    service_hosts: int = 1
    host_processors: int | None = None
    source: str = ""

    def require_known(self) -> None:
        """Raise UserMistake for an unknown benchmark or variant."""
        select_benchmarks_and_services(self.only, benchmarks(), service_benchmarks())
        if self.runtimes:
            select(self.runtimes, variants())


@dataclass
class PlanDraft:
    """The cells that are planned so far, by id, and their sources. If a service cannot be built,
    this is an error if `builds_must_work` is set; otherwise the service becomes a cell that cannot
    run here. `scores` has the composite scores of each benchmark whose peaks are measured.
    `crossovers` has those that each benchmark declares, by parameter. `unchecked` has the variants
    whose checks an experiment wants to remove, and which have none that can be removed."""

    profile: Profile
    known: dict[str, Benchmark]
    known_services: dict[str, ServiceBenchmark]
    all_variants: list[Variant]
    request: Request
    on_step: OnStep
    builds_must_work: bool = False
    used: dict[str, Variant] = field(default_factory=dict)
    cells: dict[str, Cell] = field(default_factory=dict)
    scores: dict[str, list[Score]] = field(default_factory=dict)
    crossovers: dict[str, dict[str, DeclaredCrossover]] = field(default_factory=dict)
    unchecked: set[str] = field(default_factory=set)

    @property
    def machine(self) -> Topology:
        """The machine that measures. Of hosts with more or fewer processors than this machine,
        only the number of processors is known."""
        here, stated = read_topology(), self.request.host_processors
        if stated is None or stated == len(here.allowed):
            return here
        return plain_topology(stated)


def wanted(draft: PlanDraft) -> set[str]:
    """The names of the benchmarks and services that `--only` selects, by name or as `suite/*`.
    Raises UserMistake if a name is unknown."""
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
    """The built artefact of a program, with its factors and its fingerprint. Raises the errors of
    `build`."""
    artefact = build(variant, source, training=training)
    arguments, environment = launch_options(
        variant, heap_bytes=factors.heap_bytes, processors=factors.processors
    )
    artefact = with_options(artefact, arguments, environment)
    return artefact.model_copy(update={"fingerprint": fingerprint(artefact, inputs)})


def no_generator(draft: PlanDraft) -> str:
    """The reason why no load generator is available here; empty if there is one. The generator is
    built before anything is measured, so that no server waits for the build. Raises BuildHindered.
    """
    try:
        draft.on_step("build of the load generator")
        generator()
    except BuildHindered:
        raise
    except UserMistake as missing:
        return str(missing)
    return ""


def nothing_built(variant: str, program: str) -> Artefact:
    """The placeholder artefact of a cell that cannot run here."""
    return Artefact(variant=variant, program=program, command=[], directory=".", sha256="")


def factor_names(factors: Factors, threads: int) -> list[str]:
    """The factors that differ from their defaults, as parts of the cell's name."""
    names = []
    if factors.instances > 1:
        names.append(f"instances={factors.instances}")
    if factors.hosts > 1:
        names.append(f"hosts={factors.hosts}")
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
