"""The results of a cell's executions under the bytecode probe, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from runfair.evidence.cell import CellEvidence
from runfair.evidence.probed import ProbedEvidence, SlowRequests
from runfair.formats.probe import ProbedProcess, SampledPlace
from runfair.formats.result import ProbedResult, SlowRequestLines
from runfair.probing.cost_table import cost_tables, line_shares, summary

NOT_COMPARED = (
    "it is unknown whether the probed execution did the same work as the timed executions, "
    "because it has no answer"
)


def probed_results(evidence: CellEvidence | None) -> list[ProbedResult]:
    if evidence is None:
        return []
    timed = {one.record.digest for one in evidence.completed}
    return [_result(one, timed) for one in evidence.probed]


def _result(one: ProbedEvidence, timed: set[str | None]) -> ProbedResult:
    if timed and one.record.digest not in timed:
        answers = ", ".join(sorted(map(str, timed)))
        reason = (
            f"the probed execution gave the answer {one.record.digest}, but the timed "
            f"executions gave {answers}"
        )
        return ProbedResult(execution=one.record.id, verdict="void", reason=reason)
    processes = one.probed.processes
    compared = timed and one.record.digest is not None
    return ProbedResult(
        execution=one.record.id,
        verdict="fair" if compared else "flagged",
        reason="" if compared else NOT_COMPARED,
        tables=cost_tables(processes),
        refused=[summary(process) for process in processes if process.refused],
        unfinished=one.probed.unfinished,
        slow=None if one.slow is None else _slow(one.slow, processes),
    )


def _slow(slow: SlowRequests, processes: Sequence[ProbedProcess]) -> SlowRequestLines:
    """The samples that were taken while the slowest requests were being answered."""
    places: list[SampledPlace] = [
        place.model_copy(update={"samples": within, "instants_ns": []})
        for process in processes
        if process.sampling is not None
        for place in process.sampling.places
        if (within := slow.count(place.instants_ns))
    ]
    samples = sum(place.samples for place in places)
    return SlowRequestLines(
        requests=slow.requests,
        from_ns=slow.from_ns,
        samples=samples,
        lines=line_shares(places, samples) if samples else [],
    )
