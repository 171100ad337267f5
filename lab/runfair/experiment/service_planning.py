"""`[[serve]]` resolved into cells: services built, requests made, commands looked up."""

from __future__ import annotations

import hashlib
import itertools
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from runfair.building.failure import BuildFailed, Unsupported
from runfair.building.input_checksum import sha256_of
from runfair.building.service_input import service_files
from runfair.catalogue.amount import parse_bytes, parse_length
from runfair.catalogue.benchmark import unknown
from runfair.catalogue.experiment import Experiment
from runfair.catalogue.runtime import discovered, select
from runfair.catalogue.service import Framework, ServiceBenchmark
from runfair.catalogue.serving import OwnService, Serve, parse_objective
from runfair.errors import UserMistake
from runfair.experiment.resolution import (
    Resolution,
    built,
    factor_names,
    no_generator,
    nothing_built,
    wanted,
)
from runfair.formats.plan import Cell, Factors
from runfair.formats.service import (
    DatabaseTable,
    DatabaseUse,
    OperatingPoint,
    Readiness,
    ServicePoint,
)
from runfair.formats.variant import Artefact, Variant
from runfair.formats.version import at_least, version_key
from runfair.serving.postgresql_binaries import find_binaries
from runfair.serving.relay import relay
from runfair.serving.request import Question

OWN = "own"
# What a cell's name says by itself, and what is not of its operating point.
_NAMED = {
    *("benchmark", "workload", "size", "services", "variants", "threads", "processors"),
    "instances",
    *("cpu_quota", "memory_limit", "heap", "profiles"),
}


def add_service_cells(
    resolution: Resolution, experiment: Experiment, serve: Serve, *, measured: bool = True
) -> None:
    """The cells of one `[[serve]]`; what cannot run here is a cell with its reason. What only a
    measurement needs is looked for unless they are not `measured`."""
    if resolution.request.only and serve.benchmark not in wanted(resolution):
        return
    work = _Work.of(resolution, serve)
    lacking = _lacking(resolution, work.database(serve)) if measured else ""
    for name in serve.services:
        for threads, factors in _factors(serve):
            if name in experiment.services:
                own = experiment.services[name]
                _add_own(resolution, serve, work, name, own, threads, factors, lacking)
            elif work.benchmark is not None:
                framework = work.benchmark.framework(name)
                for variant in _variants(resolution, serve, framework):
                    _add_program(
                        resolution, serve, work, framework, variant, threads, factors, lacking
                    )
            else:
                raise unknown("service", name, experiment.services)


def _lacking(resolution: Resolution, database: DatabaseUse | None) -> str:
    """Why no service can be measured here: its load, or its database, cannot be had. Looked for
    before anything is measured."""
    if (lacking := no_generator(resolution)) or database is None:
        return lacking
    try:
        resolution.on_step("build of the relay")
        relay()
        if not database.url:
            find_binaries()
    except (UserMistake, BuildFailed) as missing:
        return str(missing)
    return ""


@dataclass(frozen=True)
class _Work:
    """What the services of one `[[serve]]` are asked to do. `name` and `workload` are the
    benchmark's, or those of the user's traffic."""

    name: str
    workload: str
    size: str
    benchmark: ServiceBenchmark | None
    files: Path | None
    traffic: Path

    @classmethod
    def of(cls, resolution: Resolution, serve: Serve) -> _Work:
        if not serve.benchmark:
            traffic = _traffic(serve)
            return cls(traffic.stem, "traffic", serve.size or "as-given", None, None, traffic)
        known = resolution.known_services
        if serve.benchmark not in known:
            raise unknown("service benchmark", serve.benchmark, known)
        benchmark = known[serve.benchmark]
        default = benchmark.text.default_workload
        workload = default if serve.workload == "default" else serve.workload
        text = benchmark.workload(workload)
        size = serve.size or resolution.profile.size
        resolution.on_step(f"requests of {benchmark.name} {workload} {size}")
        files = service_files(benchmark, size, serve.seed)
        traffic = _traffic(serve) if serve.traffic else files / text.traffic
        return cls(benchmark.name, workload, size, benchmark, files, traffic)

    def inputs(self) -> list[str]:
        if self.benchmark is None or self.files is None:
            return []
        return [str(self.files / name) for name in self.benchmark.text.inputs]

    def database(self, serve: Serve) -> DatabaseUse | None:
        round_trip_ns = parse_length(serve.round_trip)
        if serve.database:
            return DatabaseUse(round_trip_ns=round_trip_ns, url=serve.database)
        if self.benchmark is None or self.files is None:
            return None
        if not self.benchmark.workload(self.workload).database:
            return None
        tables = [
            DatabaseTable(
                name=one.name,
                columns=one.columns,
                primary_key=one.primary_key,
                rows=str(self.files / one.rows),
            )
            for one in self.benchmark.text.tables
        ]
        return DatabaseUse(round_trip_ns=round_trip_ns, tables=tables)


def _traffic(serve: Serve) -> Path:
    if not serve.traffic:
        raise UserMistake(
            "a [[serve]] without a `benchmark` needs `traffic`: a file of requests (JSON Lines), "
            "which `./runfair traffic CAPTURE --to FILE` makes"
        )
    path = Path(serve.traffic)
    if not path.is_file():
        raise UserMistake(f"{path}: no such traffic file")
    Question.first_of(path)  # its first line is read now, so that a mistake is told at once
    return path.absolute()


def _add_program(
    resolution: Resolution,
    serve: Serve,
    work: _Work,
    framework: Framework,
    variant: Variant,
    threads: int,
    factors: Factors,
    lacking: str,
) -> None:
    inputs = work.inputs()
    artefact, unsupported = nothing_built(variant.name, framework.source.name), ""
    minimum = framework.text.minimum
    if variant.state != "ready" or lacking:
        unsupported = lacking if variant.state == "ready" else variant.reason or variant.state
    elif minimum and not at_least(variant.version, minimum):
        unsupported = f"{framework.name} needs version {minimum} or newer"
    else:
        resolution.on_step(f"build of {framework.name} for {variant.name}")
        try:
            artefact = built(variant, framework.source, factors, inputs)
        except (Unsupported, UserMistake) as error:
            unsupported = str(error)
        except BuildFailed as failure:
            # A framework comes from registries, which may be out of reach: the others go on.
            if resolution.builds_must_work:
                raise
            unsupported = str(failure)
    _add(
        resolution,
        Cell(
            id=_name(serve, work, framework.name, variant.name, threads, factors),
            suite=framework.source.suite,
            benchmark=work.name,
            workload=work.workload,
            size=work.size,
            tier=framework.name,
            mode="service",
            threads=threads,
            variant=variant.name,
            language=variant.language,
            factors=factors,
            inputs=inputs,
            seed=serve.seed,
            artefact=artefact,
            unsupported=unsupported,
            service=ServicePoint(
                kind="program",
                instances=factors.instances,
                point=_point(serve, work),
                database=work.database(serve),
            ),
        ),
        variant,
    )


def _add_own(
    resolution: Resolution,
    serve: Serve,
    work: _Work,
    name: str,
    own: OwnService,
    threads: int,
    factors: Factors,
    lacking: str,
) -> None:
    variant = _own_variant(name, own)
    instances = _own_instances(serve, name, own, factors)
    ready = Readiness(
        path=own.ready, status=own.ready_status, timeout_ns=parse_length(own.ready_within)
    )
    _add(
        resolution,
        Cell(
            id=_name(serve, work, OWN, name, threads, factors),
            suite=OWN,
            benchmark=work.name,
            workload=work.workload,
            size=work.size,
            tier=OWN,
            mode="service",
            threads=threads,
            variant=name,
            language=variant.language,
            factors=factors,
            seed=serve.seed,
            artefact=_own_artefact(name, own),
            unsupported=lacking,
            service=ServicePoint(
                kind="url" if own.found else "command",
                instances=instances,
                point=_point(serve, work),
                database=work.database(serve),
                url=next(iter(own.found), ""),
                urls=own.found if instances > 1 else [],
                port=own.port,
                ready=ready,
                stop_signal=own.stop,
            ),
        ),
        variant,
    )


def _own_instances(serve: Serve, name: str, own: OwnService, factors: Factors) -> int:
    """What the service itself says comes before what is said of all."""
    said = own.own_instances
    instances = factors.instances if said is None else said
    if said is not None and serve.instances not in ([1], [said]):
        raise UserMistake(
            f"[services.{name}]: it has {said} by itself, and its [[serve]] says "
            f"{serve.instances}: leave `instances` out of one of them"
        )
    if instances > 1 and not own.found and not own.takes_ports:
        raise UserMistake(
            f"[services.{name}]: each of {instances} instances needs a port of its own: write "
            "{port} in its command or environment, and leave `port` out"
        )
    if instances > serve.connections:
        raise UserMistake(
            f"[services.{name}]: {instances} instances cannot share {serve.connections} "
            "connections: raise `connections` in its [[serve]]"
        )
    return instances


def _add(resolution: Resolution, cell: Cell, variant: Variant) -> None:
    resolution.used[variant.name] = variant
    resolution.cells.setdefault(cell.id, cell)


def _point(serve: Serve, work: _Work) -> OperatingPoint:
    return OperatingPoint(
        rate_per_s=serve.rate,
        objective=parse_objective(serve.objective) if serve.objective else None,
        arrivals=serve.arrivals,
        connections=serve.connections,
        pacing=serve.pacing,
        traffic=str(work.traffic),
        traffic_sha256=sha256_of(work.traffic),
        traffic_order="file" if serve.arrivals == "trace" else serve.traffic_order,
        check_share=serve.check_share,
        timeout_ns=parse_length(serve.timeout),
        curve_per_s=serve.curve,
        capacity=serve.capacity,
    )


def _name(
    serve: Serve, work: _Work, tier: str, variant: str, threads: int, factors: Factors
) -> str:
    rate = f"{serve.rate:g}-per-s"
    parts = [work.name, work.workload, work.size, "service", rate, f"{threads}t", tier, variant]
    parts += factor_names(factors, threads)
    # What tells two operating points of one rate apart, where an experiment has such.
    rest = serve.model_dump_json(exclude=_NAMED)
    parts.append(hashlib.sha256(rest.encode()).hexdigest()[:6])
    return "/".join(parts)


def _variants(resolution: Resolution, serve: Serve, framework: Framework) -> list[Variant]:
    """Those asked for that the framework runs on; otherwise the usual one of its language, or else
    of its first family."""
    families = framework.text.families
    possible = [one for one in resolution.all_variants if one.family in families]
    patterns = resolution.request.runtimes or serve.variants
    if patterns:
        return [one for one in select(patterns, resolution.all_variants) if one in possible]
    minimum = framework.text.minimum
    recent = [one for one in possible if not minimum or at_least(one.version or "0", minimum)]
    usual = [one for one in recent if one.default and one.state == "ready"]
    if usual:
        return usual[:1]
    # Of those that are all too old the reason is told.
    for family in families:
        mine = [one for one in recent or possible if one.family == family]
        if mine:
            return [max(mine, key=_usualness)]
    described = discovered()[0].families[families[0]]
    return [
        Variant(
            name=families[0],
            runtime=families[0],
            family=families[0],
            version="",
            language=framework.text.language,
            origin="",
            state="missing",
            reason=f"{families[0]} is missing: {described.install}",
            install=described.install,
        )
    ]


def _usualness(variant: Variant) -> tuple[bool, bool, bool, tuple[object, ...]]:
    usual = discovered()[0].families[variant.family].default
    named = variant.name == (f"{variant.runtime}+{usual}" if usual else variant.runtime)
    return (variant.state == "ready", variant.default, named, tuple(version_key(variant.version)))


def _own_variant(name: str, own: OwnService) -> Variant:
    return Variant(
        name=name,
        runtime=name,
        family=OWN,
        version="",
        language=own.language or OWN,
        origin=" ".join(own.found or own.command),
        state="ready",
    )


def _own_artefact(name: str, own: OwnService) -> Artefact:
    """The user's command, as it is; its executable is looked up now, so that a misspelling is told
    before anything is measured."""
    if own.found:
        return nothing_built(name, name)
    directory = Path(own.directory).absolute()
    if not directory.is_dir():
        raise UserMistake(f"[services.{name}]: directory: {directory} is no folder")
    first = own.command[0]
    found = shutil.which(str(directory / first) if "/" in first else first)
    if found is None:
        raise UserMistake(
            f"[services.{name}]: command: {first!r} is no program that can be started"
        )
    return Artefact(
        variant=name,
        program=name,
        command=[found, *own.command[1:]],
        environment=own.environment,
        directory=str(directory),
        sha256=sha256_of(Path(found)),
    )


def _factors(serve: Serve) -> Iterator[tuple[int, Factors]]:
    heaps: list[str | None] = [*serve.heap] or [None]
    quotas: list[float | None] = [*serve.cpu_quota] or [None]
    memories: list[str | None] = [*serve.memory_limit] or [None]
    for threads, instances in itertools.product(serve.threads, serve.instances):
        for processors, heap, quota, memory in itertools.product(
            serve.processors or [threads * instances], heaps, quotas, memories
        ):
            yield (
                threads,
                Factors(
                    processors=processors,
                    instances=instances,
                    heap_bytes=parse_bytes(heap) if heap else None,
                    cpu_quota=quota,
                    memory_limit_bytes=parse_bytes(memory) if memory else None,
                ),
            )
