"""The cells of a `[[peak]]`: services at each number of connections. The services are frameworks
of a benchmark, or the user's (`[services.NAME]`)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from runfair.building.failure import BuildHindered
from runfair.catalogue.amount import parse_bytes
from runfair.catalogue.benchmark import unknown
from runfair.catalogue.experiment import Experiment, Serve
from runfair.catalogue.own_service import OwnService
from runfair.catalogue.peak import PeakText
from runfair.catalogue.service import Framework, ServiceBenchmark
from runfair.errors import UserMistake
from runfair.experiment.plan_draft import PlanDraft, factor_names, wanted
from runfair.experiment.served_work import ServedWork
from runfair.experiment.service_planning import (
    lacking_tools,
    own_artefact,
    own_hosting,
    own_variant,
    prepared,
    service_variants,
)
from runfair.experiment.work import Crossing, Prepared
from runfair.formats.peak import REQUESTS, Classification, Peak
from runfair.formats.plan import Cell, Factors
from runfair.formats.service import OWN, Hosting
from runfair.formats.variant import Variant
from runfair.loading.traffic import takes_values


def add_peak_cells(draft: PlanDraft, experiment: Experiment, peak: PeakText) -> None:
    """Add the cells of a `[[peak]]`. If a framework cannot run here, its cells have the reason.
    Raises UserMistake if something that the `[[peak]]` names does not exist."""
    if draft.request.only and peak.benchmark not in wanted(draft):
        return
    traffic = Path(peak.traffic)
    if peak.traffic and traffic.is_file() and takes_values(traffic):
        raise UserMistake(
            f"{peak.traffic} contains ${{feed:NAME}}, but a [[peak]] has no `feed`; write the "
            "values into the requests"
        )
    work = ServedWork.of(draft, _served(peak))
    if work.benchmark is not None:
        draft.scores[work.name] = work.benchmark.scores()
    lacking = hindered = ""
    try:
        lacking = lacking_tools(draft, work.database, relayed=False)
    except BuildHindered as failure:
        hindered = failure.line
    planner = _Planner(draft, peak, work, lacking, hindered)
    for name in work.services:
        if name in experiment.services:
            planner.add_own(name, experiment.services[name])
        elif work.benchmark is not None:
            framework = work.benchmark.framework(name, experiment.services)
            planner.add_framework(work.benchmark, framework)
        else:
            raise unknown("service", name, experiment.services)


@dataclass(frozen=True)
class _Planner:
    """Adds the cells of a `[[peak]]`. `lacking` is the reason why none of these cells can be
    measured here. `hindered` says why a build failed that all of them need."""

    draft: PlanDraft
    peak: PeakText
    work: ServedWork
    lacking: str
    hindered: str

    def add_framework(self, benchmark: ServiceBenchmark, framework: Framework) -> None:
        workload = benchmark.workload(self.work.workload)
        unpipelined = framework.text.unpipelined(workload) if self.peak.pipeline > 1 else ""
        patterns = self.draft.request.runtimes or self.peak.variants
        for variant in service_variants(framework, patterns, self.draft.all_variants):
            for crossing in _crossings(self.peak):
                found = prepared(
                    *(self.draft, self.work, framework, variant, crossing.factors),
                    *(unpipelined or self.lacking, self.hindered),
                )
                contender = _Contender(
                    framework.source.suite,
                    framework.name,
                    variant,
                    framework.text.classification,
                    Hosting(kind="program"),
                )
                self._add(contender, crossing, found)

    def add_own(self, name: str, own: OwnService) -> None:
        """Add the cells of a service of the user. The service is not changed."""
        if own.found:
            raise UserMistake(
                f"[services.{name}]: a [[peak]] starts a service anew for each execution, but this "
                "service already runs at a URL; state the `command` that starts it"
            )
        if (own.own_instances or 1) > 1:
            raise UserMistake(
                f"[services.{name}]: a [[peak]] measures one instance of a service; leave "
                "`instances` out"
            )
        if own.takes_database and self.work.database is None:
            raise UserMistake(
                f"[services.{name}]: the service uses the placeholder {{database}}, but "
                "the requests of its [[peak]] table have no database; state a `benchmark` and a "
                "`workload` with a database, or remove the placeholder"
            )
        contender = _Contender(
            OWN, OWN, own_variant(name, own), own.classification, own_hosting(own)
        )
        found = Prepared(
            own_artefact(name, own), unsupported=self.lacking, failed_to_build=self.hindered
        )
        for crossing in _crossings(self.peak):
            self._add(contender, crossing, found)

    def _add(self, contender: _Contender, crossing: Crossing, found: Prepared) -> None:
        self.draft.used[contender.variant.name] = contender.variant
        cell = _cell(self.peak, self.work, contender, crossing, found)
        known = self.draft.cells.setdefault(cell.id, cell)
        if known.peak != cell.peak:
            raise UserMistake(
                f"two [[peak]] tables measure {cell.variant} in {cell.benchmark} {cell.workload}, "
                "but with different requests or another `timeout`; write each of these tables in "
                "an experiment of its own"
            )


@dataclass(frozen=True)
class _Contender:
    """A service of a `[[peak]]`, on a variant."""

    suite: str
    tier: str
    variant: Variant
    classification: Classification | None
    hosting: Hosting


def _served(peak: PeakText) -> Serve:
    """The work of the services, as a `[[serve]]` states it. Its rate is not used."""
    return Serve(
        benchmark=peak.benchmark,
        workload=peak.workload,
        size=peak.size,
        services=peak.services,
        rate=1,
        traffic=peak.traffic,
        timeout=peak.timeout,
        round_trip="0 ms",
        seed=peak.seed,
    )


def _crossings(peak: PeakText) -> Iterator[Crossing]:
    numbers: list[int | None] = [*peak.processors] or [None]
    heaps: list[str | None] = [*peak.heap] or [None]
    memories: list[str | None] = [*peak.memory_limit] or [None]
    for connections, threads, processors, heap, memory in itertools.product(
        peak.connections, peak.threads, numbers, heaps, memories
    ):
        factors = Factors(
            processors=threads if processors is None else processors,
            heap_bytes=parse_bytes(heap) if heap else None,
            memory_limit_bytes=parse_bytes(memory) if memory else None,
        )
        yield Crossing("steady", threads, factors, connections)


def _cell(
    peak: PeakText, work: ServedWork, contender: _Contender, crossing: Crossing, found: Prepared
) -> Cell:
    assert crossing.connections is not None
    point, variant = work.point, contender.variant
    loop = Peak(
        connections=crossing.connections,
        pipeline=peak.pipeline,
        traffic=point.traffic,
        traffic_sha256=point.traffic_sha256,
        traffic_order="random" if peak.traffic else "file",
        timeout_ns=point.timeout_ns,
        database=work.database,
        hosting=contender.hosting,
    )
    depth = [f"pipeline={peak.pipeline}"] if peak.pipeline > 1 else []
    seed = [f"seed={peak.seed}"] if peak.seed != 1 else []
    parts = [work.name, work.workload, work.size, "peak", f"{crossing.threads}t"]
    parts += [f"{loop.connections}c", *depth, contender.tier, variant.name]
    parts += [*factor_names(crossing.factors, crossing.threads), *seed]
    return Cell(
        id="/".join(parts),
        suite=contender.suite,
        benchmark=work.name,
        workload=work.workload,
        size=work.size,
        tier=contender.tier,
        mode=crossing.mode,
        threads=crossing.threads,
        variant=variant.name,
        language=variant.language,
        factors=crossing.factors,
        parameters={} if work.benchmark is None else dict(work.benchmark.text.parameters),
        inputs=list(found.inputs),
        seed=peak.seed,
        digest=loop.digest,
        operations={"requests": REQUESTS},
        artefact=found.artefact,
        unsupported=found.unsupported,
        failed_to_build=found.failed_to_build,
        declared_absent=found.declared_absent,
        peak=loop,
        classification=contender.classification,
    )
