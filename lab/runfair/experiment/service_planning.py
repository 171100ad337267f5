"""`[[serve]]` resolved into cells: services crossed with variants and factors."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from runfair.building.failure import BuildFailed, BuildHindered, Unsupported
from runfair.catalogue.amount import parse_bytes, parse_length
from runfair.catalogue.benchmark import unknown
from runfair.catalogue.experiment import Experiment, OwnService, Serve
from runfair.catalogue.service import Framework
from runfair.errors import UserMistake
from runfair.experiment.own_service import OWN, own_artefact, own_instances, own_variant
from runfair.experiment.resolution import (
    Resolution,
    built,
    no_generator,
    nothing_built,
    wanted,
)
from runfair.experiment.served_work import ServedWork
from runfair.experiment.service_variants import service_variants
from runfair.experiment.work import Crossing, Prepared
from runfair.formats.plan import Cell, Factors
from runfair.formats.service import DatabaseUse, Readiness, ServicePoint
from runfair.formats.variant import Variant
from runfair.serving.postgresql_binaries import find_binaries
from runfair.serving.relay import relay


def add_service_cells(
    resolution: Resolution, experiment: Experiment, serve: Serve, *, measured: bool = True
) -> None:
    """The cells of one `[[serve]]`; what cannot run here is a cell with its reason. What only a
    measurement needs is looked for unless they are not `measured`."""
    if resolution.request.only and serve.benchmark not in wanted(resolution):
        return
    work = ServedWork.of(resolution, serve)
    lacking = hindered = ""
    try:
        lacking = _lacking(resolution, work.database) if measured else ""
    except BuildHindered as failure:
        hindered = failure.line
    planner = _Planner(resolution, work, lacking, hindered)
    patterns = resolution.request.runtimes or serve.variants
    for name in serve.services:
        for crossing in _crossings(serve):
            if name in experiment.services:
                planner.add_own(name, experiment.services[name], crossing)
            elif work.benchmark is not None:
                framework = work.benchmark.framework(name)
                for variant in service_variants(framework, patterns, resolution.all_variants):
                    planner.add_program(framework, variant, crossing)
            else:
                raise unknown("service", name, experiment.services)


def _lacking(resolution: Resolution, database: DatabaseUse | None) -> str:
    """Why no service can be measured here: its load, or its database, cannot be had. Looked for
    before anything is measured. Raises BuildHindered."""
    if (lacking := no_generator(resolution)) or database is None:
        return lacking
    try:
        resolution.on_step("build of the relay")
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
    """Adds the cells of one work; `lacking` says why none of them can be measured here, `hindered`
    why what all of them need failed to build."""

    resolution: Resolution
    work: ServedWork
    lacking: str
    hindered: str

    def add_program(self, framework: Framework, variant: Variant, crossing: Crossing) -> None:
        """One of ours, built."""
        service = ServicePoint(
            kind="program",
            instances=crossing.factors.instances,
            point=self.work.point,
            database=self.work.database,
        )
        source = framework.source
        prepared = self._prepared(framework, variant, crossing.factors)
        self._add(
            variant,
            self.work.cell(
                *(crossing, variant, prepared, service), suite=source.suite, tier=framework.name
            ),
        )

    def add_own(self, name: str, own: OwnService, crossing: Crossing) -> None:
        """One of the user's, as it is."""
        variant, database = own_variant(name, own), self.work.database
        if own.takes_database and database is None:
            raise UserMistake(
                f"[services.{name}]: it asks for {{database}}, and its [[serve]] names none: write "
                '`database = "postgresql://…"` there'
            )
        instances = own_instances(name, own, self.work.serve, crossing.factors)
        service = ServicePoint(
            kind="url" if own.found else "command",
            instances=instances,
            point=self.work.point,
            database=database,
            url=next(iter(own.found), ""),
            urls=own.found if instances > 1 else [],
            port=own.port,
            ready=Readiness(
                path=own.ready, status=own.ready_status, timeout_ns=parse_length(own.ready_within)
            ),
            stop_signal=own.stop,
        )
        prepared = Prepared(
            own_artefact(name, own), unsupported=self.lacking, failed_to_build=self.hindered
        )
        self._add(
            variant, self.work.cell(crossing, variant, prepared, service, suite=OWN, tier=OWN)
        )

    def _prepared(self, framework: Framework, variant: Variant, factors: Factors) -> Prepared:
        inputs = self.work.inputs
        nothing = nothing_built(variant.name, framework.source.name)
        if variant.state != "ready":
            return Prepared(nothing, inputs, variant.reason or variant.state)
        if self.lacking or self.hindered:
            return Prepared(nothing, inputs, self.lacking, failed_to_build=self.hindered)
        self.resolution.on_step(f"build of {framework.name} for {variant.name}")
        try:
            return Prepared(built(variant, framework.source, factors, inputs), inputs)
        except BuildFailed as failure:
            # A framework comes from registries, which may be out of reach: the others go on.
            if self.resolution.builds_must_work:
                raise
            if isinstance(failure, BuildHindered):
                return Prepared(nothing, inputs, failed_to_build=failure.line)
            return Prepared(nothing, inputs, str(failure))
        except (Unsupported, UserMistake) as reason:
            return Prepared(nothing, inputs, str(reason))

    def _add(self, variant: Variant, cell: Cell) -> None:
        self.resolution.used[variant.name] = variant
        self.resolution.cells.setdefault(cell.id, cell)


def _crossings(serve: Serve) -> Iterator[Crossing]:
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
                heap_bytes=parse_bytes(heap) if heap else None,
                cpu_quota=quota,
                memory_limit_bytes=parse_bytes(memory) if memory else None,
            )
            yield Crossing("service", threads, factors)
