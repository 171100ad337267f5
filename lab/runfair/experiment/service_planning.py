"""The cells of a `[[serve]]`: all combinations of services with variants and factors. The services
are the lab's or the user's (`[services.NAME]`)."""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from runfair.building.checksum import fingerprint, sha256_of
from runfair.building.failure import BuildFailed, BuildHindered, Unsupported
from runfair.catalogue.amount import parse_bytes, parse_length
from runfair.catalogue.benchmark import unknown
from runfair.catalogue.experiment import Experiment, Serve
from runfair.catalogue.own_service import OwnService
from runfair.catalogue.runtime import recently_discovered, select
from runfair.catalogue.service import Framework
from runfair.errors import UserMistake
from runfair.experiment.plan_draft import (
    PlanDraft,
    built,
    no_generator,
    nothing_built,
    wanted,
)
from runfair.experiment.served_work import ServedWork
from runfair.experiment.work import Crossing, Prepared
from runfair.formats.place import LOCAL, LOOPBACK, DeclaredPlace
from runfair.formats.plan import Cell, Factors
from runfair.formats.service import (
    OWN,
    PROTOCOL_NAMES,
    DatabaseUse,
    Hosting,
    Readiness,
    ServicePoint,
)
from runfair.formats.variant import Artefact, Variant, at_least, version_key
from runfair.serving.databases import require_relayed
from runfair.serving.postgresql_server import find_binaries
from runfair.serving.relay import relay


def add_service_cells(
    draft: PlanDraft, experiment: Experiment, serve: Serve, *, measured: bool = True
) -> None:
    """Add the cells of a `[[serve]]`. If a service cannot run here, its cell has the reason. If
    `measured` is false, tools that only a measurement needs are not required."""
    if draft.request.only and serve.benchmark not in wanted(draft):
        return
    work = ServedWork.of(draft, serve)
    _require_way_back(experiment, serve, work.database)
    lacking = hindered = ""
    try:
        lacking = lacking_tools(draft, work.database) if measured else ""
    except BuildHindered as failure:
        hindered = failure.line
    planner = _Planner(draft, work, lacking, hindered)
    patterns = draft.request.runtimes or serve.variants
    for name in work.services:
        for crossing in _crossings(serve, draft.request.service_hosts):
            if name in experiment.services:
                planner.add_own(name, experiment.services[name], crossing)
            elif work.benchmark is not None:
                framework = work.benchmark.framework(name, experiment.services)
                for variant in service_variants(framework, patterns, draft.all_variants):
                    planner.add_program(framework, variant, crossing)
            else:
                raise unknown("service", name, experiment.services)


def _require_way_back(experiment: Experiment, serve: Serve, database: DatabaseUse | None) -> None:
    """Raise UserMistake if a service in another place could not reach the relay of its database."""
    own = experiment.places.get(LOCAL, DeclaredPlace())
    if database is not None and serve.place != LOCAL and own.address == LOOPBACK:
        raise UserMistake(
            f"a service in [places.{serve.place}] cannot reach the relay of its database (a proxy "
            f"on this machine) at {LOOPBACK}; in [places.{LOCAL}], set `address` to the address at "
            "which the service reaches this machine"
        )


def _has_password(database: DatabaseUse) -> bool:
    """Whether the environment contains a password for the user's own database. A private database
    has no password."""
    return bool(database.url) and require_relayed(database.url).password is not None


def lacking_tools(draft: PlanDraft, database: DatabaseUse | None, *, relayed: bool = True) -> str:
    """The reason why no service can be measured here: the load generator, the database or, if the
    database is `relayed`, the relay is missing. Empty if nothing is missing. All of them are looked
    for before anything is measured. Raises BuildHindered."""
    if (lacking := no_generator(draft)) or database is None:
        return lacking
    try:
        if relayed:
            draft.on_step("build of the relay")
            relay()
        if not database.url:
            find_binaries()
    except BuildHindered:
        raise
    except UserMistake as missing:
        return str(missing)
    return ""


@dataclass(frozen=True)
class _Planner:
    """Adds the cells of a work. `lacking` is the reason why none of these cells can be measured
    here. `hindered` says why a build failed that all of them need."""

    draft: PlanDraft
    work: ServedWork
    lacking: str
    hindered: str

    def add_program(self, framework: Framework, variant: Variant, crossing: Crossing) -> None:
        """Build a service of the lab and add its cells."""
        service = ServicePoint(
            kind="program",
            instances=crossing.factors.instances * crossing.factors.hosts,
            point=self.work.point,
            database=self.work.database,
        )
        found = prepared(
            *(self.draft, self.work, framework, variant, crossing.factors),
            *(self.lacking, self.hindered),
        )
        cell = self.work.cell(
            *(crossing, variant, found, service),
            suite=framework.source.suite,
            tier=framework.name,
        )
        classification = framework.text.classification
        self._add(variant, cell.model_copy(update={"classification": classification}))

    def add_own(self, name: str, own: OwnService, crossing: Crossing) -> None:
        """Add the cells of a service of the user. The service is not changed."""
        variant, database = own_variant(name, own), self.work.database
        if own.takes_database and database is None:
            raise UserMistake(
                f"[services.{name}]: the service uses {{database}}, but its [[serve]] table names "
                'no database; write `database = "postgresql://…"` in the table'
            )
        if own.shows_database and database is not None and _has_password(database):
            raise UserMistake(
                f"[services.{name}]: {{database}} in the command would show the database's "
                "password to all users of the machine; let the service read the environment "
                "variable DATABASE_URL instead"
            )
        instances = own_instances(name, own, self.work.serve, crossing.factors)
        if own.ready and self.work.point.protocol == "grpc":
            raise UserMistake(
                f"[services.{name}]: `ready` is an HTTP path, but this service uses gRPC; leave "
                "`ready` out, and runfair waits until the service answers a call"
            )
        service = ServicePoint.model_validate(
            {
                **dict(own_hosting(own, instances)),
                "point": self.work.point,
                "database": database,
            }
        )
        found = Prepared(
            own_artefact(name, own), unsupported=self.lacking, failed_to_build=self.hindered
        )
        cell = self.work.cell(crossing, variant, found, service, suite=OWN, tier=OWN)
        self._add(variant, cell.model_copy(update={"classification": own.classification}))

    def _add(self, variant: Variant, cell: Cell) -> None:
        self.draft.used[variant.name] = variant
        known = self.draft.cells.setdefault(cell.id, cell)
        if cell.probe:
            self.draft.cells[cell.id] = known.model_copy(update={"probe": cell.probe})
        if known.service != cell.service:
            raise UserMistake(
                f"two [[serve]] tables measure {variant.name} in the same way, but their values of "
                "`require` differ; write the same `require` in both tables"
            )


def prepared(
    draft: PlanDraft,
    work: ServedWork,
    framework: Framework,
    variant: Variant,
    factors: Factors,
    lacking: str,
    hindered: str,
) -> Prepared:
    """A framework that is built for a variant, or the reason why it cannot run here. `lacking` and
    `hindered` are those of all services of the work."""
    nothing = nothing_built(variant.name, framework.source.name)
    reason = framework.text.without.get(work.workload, "")
    protocol = work.point.protocol
    if not reason and protocol not in framework.text.protocols:
        reason = f"{framework.name} does not speak {PROTOCOL_NAMES[protocol]}"
    declared = bool(reason)
    if reason := reason or variant.hindrance:
        return Prepared(nothing, work.inputs, reason, declared_absent=declared)
    if lacking or hindered:
        return Prepared(nothing, work.inputs, lacking, failed_to_build=hindered)
    draft.on_step(f"build of {framework.name} for {variant.name}")
    try:
        return Prepared(built(variant, framework.source, factors, work.inputs), work.inputs)
    except BuildFailed as failure:
        # A framework comes from a package registry, which may be unreachable. The other services
        # are then still measured.
        if draft.builds_must_work:
            raise
        if isinstance(failure, BuildHindered):
            return Prepared(nothing, work.inputs, failed_to_build=failure.line)
        return Prepared(nothing, work.inputs, str(failure))
    except (Unsupported, UserMistake) as unsupported:
        return Prepared(nothing, work.inputs, str(unsupported))


def _crossings(serve: Serve, hosts: int) -> Iterator[Crossing]:
    heaps: list[str | None] = [*serve.heap] or [None]
    quotas: list[float | None] = [*serve.cpu_quota] or [None]
    memories: list[str | None] = [*serve.memory_limit] or [None]
    for threads, instances in itertools.product(serve.threads, serve.instances):
        for processors, heap, quota, memory in itertools.product(
            serve.processors or [threads * instances], heaps, quotas, memories
        ):
            factors = Factors(
                processors=processors,
                instances=instances,
                hosts=hosts,
                heap_bytes=parse_bytes(heap) if heap else None,
                cpu_quota=quota,
                memory_limit_bytes=parse_bytes(memory) if memory else None,
                place=serve.place,
            )
            yield Crossing("service", threads, factors)


def service_variants(
    framework: Framework, patterns: Sequence[str], among: Sequence[Variant]
) -> list[Variant]:
    """The variants that match the patterns and run the framework. If there are no patterns, the
    result is the language's default variant, if this variant is ready and runs the framework.
    Otherwise the result is a variant of the framework's first possible family. This variant may be
    missing here."""
    families = framework.text.families
    possible = [one for one in among if one.implementation in families]
    if patterns:
        return [one for one in select(patterns, among) if one in possible]
    minimum = framework.text.minimum
    recent = [one for one in possible if not minimum or at_least(one.version or "0", minimum)]
    usual = [one for one in recent if one.default and one.state == "ready"]
    if usual:
        return usual[:1]
    # If all variants are too old, the reason is reported.
    for family in families:
        mine = [one for one in recent or possible if one.implementation == family]
        if mine:
            return [max(mine, key=_usualness)]
    described = recently_discovered()[0].families[families[0]]
    return [
        Variant(
            name=families[0],
            runtime=families[0],
            family=families[0],
            version="",
            language=framework.text.language,
            origin="",
            state="missing",
            reason="not installed",
            install=described.install,
        )
    ]


def _usualness(variant: Variant) -> tuple[bool, bool, bool, tuple[object, ...]]:
    usual = recently_discovered()[0].families[variant.family].default
    named = variant.name == (f"{variant.runtime}+{usual}" if usual else variant.runtime)
    return (variant.state == "ready", variant.default, named, tuple(version_key(variant.version)))


def own_variant(name: str, own: OwnService) -> Variant:
    return Variant(
        name=name,
        runtime=name,
        family=OWN,
        version="",
        language=own.language or OWN,
        origin=" ".join(own.found or own.command),
        state="ready",
    )


def own_hosting(own: OwnService, instances: int = 1) -> Hosting:
    return Hosting(
        kind="url" if own.found else "command",
        instances=instances,
        url=next(iter(own.found), ""),
        urls=own.found if instances > 1 else [],
        port=own.port,
        ready=Readiness(
            path=own.ready, status=own.ready_status, timeout_ns=parse_length(own.ready_within)
        ),
        stop_signal=own.stop,
    )


def own_artefact(name: str, own: OwnService) -> Artefact:
    """The artefact of the user's command, which is not changed. The executable is looked up now, so
    that a misspelt name is reported before anything is measured. The artefact's file is the script
    or archive that an interpreter in the command runs."""
    if own.found:
        return nothing_built(name, name)
    directory = Path(own.directory).absolute()
    if not directory.is_dir():
        raise UserMistake(
            f"[services.{name}]: `directory` is {directory}, which is not a folder; name an "
            "existing folder"
        )
    first = own.command[0]
    found = shutil.which(str(directory / first) if "/" in first else first)
    if found is None:
        raise UserMistake(
            f"[services.{name}]: the program {first!r} in `command` was not found; correct the "
            "name of the program, or give its path"
        )
    artefact = Artefact(
        variant=name,
        program=name,
        command=[found, *own.command[1:]],
        environment=own.environment,
        directory=str(directory),
        sha256=sha256_of(Path(found)),
        files=_interpreted(Path(found), own.command[1:], directory),
    )
    return artefact.model_copy(update={"fingerprint": fingerprint(artefact, [])})


def _interpreted(executable: Path, arguments: Sequence[str], directory: Path) -> list[str]:
    """The first argument that is a file: `server.py` in `python3 server.py --database data.db`. A
    later file, or a file that is given to an executable of the service's own folder, may be one
    that the service itself writes."""
    if executable.resolve().is_relative_to(directory.resolve()):
        return []
    paths = (str(directory / argument) for argument in arguments)
    # Path.is_file raises OSError if an argument, such as a line of code, is too long for a name.
    return list(itertools.islice(filter(os.path.isfile, paths), 1))


def own_instances(name: str, own: OwnService, serve: Serve, factors: Factors) -> int:
    """The number of instances of a service on all its hosts together. The number on each host is
    its own setting, or the setting for all services.
    Raises UserMistake if the two settings contradict each other, if the instances have no ports of
    their own, or if there are too few connections for them."""
    said = own.own_instances
    instances = factors.instances if said is None else said
    if said is not None and serve.instances not in ([1], [said]):
        raise UserMistake(
            f"[services.{name}]: this table states {said} for the number of instances, but the "
            f"[[serve]] table of the service states {serve.instances}; state the number in only "
            "one of the two tables"
        )
    if not own.found:
        instances *= factors.hosts
    if instances > 1 and not own.found and not own.takes_ports:
        raise UserMistake(
            f"[services.{name}]: each of {instances} instances needs its own port; write "
            "{port} in the command or the environment, and leave `port` out"
        )
    if instances > serve.connections:
        raise UserMistake(
            f"[services.{name}]: {instances} instances cannot share {serve.connections} "
            "connections, because each instance needs at least one; raise `connections` in the "
            "[[serve]] table of the service"
        )
    return instances
