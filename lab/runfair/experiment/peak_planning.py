"""The cells of a `[[peak]]`: frameworks of a benchmark at each number of connections."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from runfair.building.failure import BuildHindered
from runfair.catalogue.amount import parse_bytes
from runfair.catalogue.experiment import Serve
from runfair.catalogue.peak import PeakText
from runfair.catalogue.service import Framework
from runfair.experiment.plan_draft import PlanDraft, factor_names, wanted
from runfair.experiment.served_work import ServedWork
from runfair.experiment.service_planning import lacking_tools, prepared, service_variants
from runfair.experiment.work import Crossing, Prepared
from runfair.formats.peak import REQUESTS, Peak
from runfair.formats.plan import Cell, Factors
from runfair.formats.variant import Variant


def add_peak_cells(draft: PlanDraft, peak: PeakText) -> None:
    """Add the cells of a `[[peak]]`. If a framework cannot run here, its cells have the reason.
    Raises UserMistake if something that the `[[peak]]` names does not exist."""
    if draft.request.only and peak.benchmark not in wanted(draft):
        return
    work = ServedWork.of(draft, _served(peak))
    assert work.benchmark is not None
    draft.scores[work.name] = work.benchmark.scores()
    lacking = hindered = ""
    try:
        lacking = lacking_tools(draft, work.database, relayed=False)
    except BuildHindered as failure:
        hindered = failure.line
    workload = work.benchmark.workload(work.workload)
    patterns = draft.request.runtimes or peak.variants
    for framework in map(work.benchmark.framework, peak.services):
        unpipelined = framework.text.unpipelined(workload) if peak.pipeline > 1 else ""
        reason = unpipelined or lacking
        for variant in service_variants(framework, patterns, draft.all_variants):
            for crossing in _crossings(peak):
                found = prepared(
                    draft, work, framework, variant, crossing.factors, reason, hindered
                )
                draft.used[variant.name] = variant
                cell = _cell(peak, work, framework, variant, crossing, found)
                draft.cells.setdefault(cell.id, cell)


def _served(peak: PeakText) -> Serve:
    """The work of the services, as a `[[serve]]` states it. Its rate is not used."""
    return Serve(
        benchmark=peak.benchmark,
        workload=peak.workload,
        size=peak.size,
        services=peak.services,
        rate=1,
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
    peak: PeakText,
    work: ServedWork,
    framework: Framework,
    variant: Variant,
    crossing: Crossing,
    found: Prepared,
) -> Cell:
    assert work.benchmark is not None
    assert crossing.connections is not None
    point = work.point
    loop = Peak(
        connections=crossing.connections,
        pipeline=peak.pipeline,
        traffic=point.traffic,
        traffic_sha256=point.traffic_sha256,
        timeout_ns=point.timeout_ns,
        database=work.database,
    )
    depth = [f"pipeline={peak.pipeline}"] if peak.pipeline > 1 else []
    seed = [f"seed={peak.seed}"] if peak.seed != 1 else []
    parts = [work.name, work.workload, work.size, "peak", f"{crossing.threads}t"]
    parts += [f"{loop.connections}c", *depth, framework.name, variant.name]
    parts += [*factor_names(crossing.factors, crossing.threads), *seed]
    return Cell(
        id="/".join(parts),
        suite=framework.source.suite,
        benchmark=work.name,
        workload=work.workload,
        size=work.size,
        tier=framework.name,
        mode=crossing.mode,
        threads=crossing.threads,
        variant=variant.name,
        language=variant.language,
        factors=crossing.factors,
        parameters=dict(work.benchmark.text.parameters),
        inputs=list(found.inputs),
        seed=peak.seed,
        digest=loop.digest,
        operations={"requests": REQUESTS},
        artefact=found.artefact,
        unsupported=found.unsupported,
        failed_to_build=found.failed_to_build,
        peak=loop,
        classification=framework.text.classification,
    )
