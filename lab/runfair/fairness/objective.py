"""Whether a service met its objective over all its executions, and the service's capacity. Whether
a service meets the requirements of an experiment (`require`) is decided in the same way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

from runfair.evidence.cell import CellEvidence, ExecutionEvidence
from runfair.fairness.bounds import CLOSED, Sides, open_sides
from runfair.fairness.checks import foreign_time
from runfair.fairness.checks.network import slow_loads
from runfair.fairness.figures import cell_values
from runfair.formats.finding import FigureName, Verdict
from runfair.formats.load_requests import Bodies
from runfair.formats.load_result import LoadResult
from runfair.formats.result import Bounds
from runfair.formats.service import SHARES, FailureLimit, Purpose, Requirement
from runfair.formats.service import Objective as Asked
from runfair.formats.service_result import RequirementOutcome
from runfair.statistics.capacity import CapacityInterval
from runfair.statistics.failures import Outcomes, failed_interval
from runfair.statistics.headline import Headline, headline
from runfair.statistics.objective import LEAST_ACHIEVED, Limits, Meets, Objective, serves

WORDS: dict[Meets, str] = {"yes": "meets it", "no": "misses it", "unclear": "unclear"}
"""The displayed text of each answer."""


def limit_of(asked: Asked) -> Objective:
    """The objective in the form that the room `statistics` uses."""
    return Objective(SHARES[asked.percentile], asked.limit_ns)


def meets(asked: Asked, evidence: CellEvidence, verdict: Verdict) -> Meets:
    """Whether a cell's service meets the objective. `verdict` is the verdict of the objective's
    percentile. A doubt counts only if it could change the answer. A void percentile misses the
    objective only if the service itself did not serve the rate."""
    values = cell_values(evidence, asked.percentile)
    known = values and verdict.state != "void"
    return limit_of(asked).met_by(
        _limits(asked, evidence, verdict, headline(values)) if known else None,
        served=not why_unserved(evidence, verdict),
    )


def limits(measured: Headline, bounds: Bounds | None, unlimited: Sides = CLOSED) -> Limits:
    """The limits that decide: the bounds of the percentile if it has any, otherwise its confidence
    interval over the executions. A side has no limit if a doubt may have moved it by an unknown
    amount. Without a confidence interval there are no limits, because the bounds then show only the
    doubts, and not how much executions differ."""
    if measured.low is None or measured.high is None:
        return Limits(None, None)
    low, high = (measured.low, measured.high) if bounds is None else bounds
    below, above = unlimited
    return Limits(None if below else low, None if above else high)


def _limits(asked: Asked, evidence: CellEvidence, verdict: Verdict, measured: Headline) -> Limits:
    unlimited = open_sides(evidence, asked.percentile, verdict.findings)
    return limits(measured, verdict.bounds, unlimited)


def deciding_doubt(asked: Asked, evidence: CellEvidence, verdict: Verdict) -> str:
    """The text of the first warning that makes the answer unclear. Without the warning, the limits
    of the percentile lie on one side of the objective's limit. The warning may have moved the
    percentile to the other side. The text is empty if there is no such warning."""
    values = cell_values(evidence, asked.percentile)
    if not values or verdict.state == "void":
        return ""
    known = limits(headline(values), verdict.bounds)
    missed = known.low is not None and known.low >= asked.limit_ns
    met = known.high is not None and known.high < asked.limit_ns
    for finding in verdict.findings:
        below, above = open_sides(evidence, asked.percentile, [finding])
        if (missed and below) or (met and above):
            return finding.text
    return ""


def why_unserved(evidence: CellEvidence, verdict: Verdict) -> str:
    """The reason why the service misses every objective, however fast its good answers were: no
    execution served the rate. The text is empty if an execution served the rate, or if the cause is
    unknown. (The generator may have fallen behind, or other processes may have taken the
    processors.)"""
    loads = [one.load for one in evidence.completed if one.load is not None]
    ratios = [load.result.rate.ratio for load in loads if load.result.rate.ratio is not None]
    if len(ratios) < len(loads) or any(
        serves(load.result.rate.ratio, load.failed_share) for load in loads
    ):
        return ""
    disturbed = any(
        finding.check == foreign_time.NAME and finding.severity == "fault"
        for finding in verdict.findings
    )
    if not loads or disturbed or any(load.result.is_unknown for load in loads):
        return ""
    if min(ratios) < LEAST_ACHIEVED:
        return (
            "the service is beyond its capacity, because the achieved rate was only "
            f"{min(ratios):.1%} of the offered rate"
        )
    failed = max(load.failed_share for load in loads)
    return f"up to {failed:.1%} of the requests failed"


def capacity_of(executions: Sequence[ExecutionEvidence]) -> CapacityInterval | None:
    """The capacity over executions. Each execution is a separate process, which searched for the
    capacity independently of the other executions.

    Each execution gives the highest rate that met the objective and the lowest rate that missed it.
    The interval reaches from the least of these highest rates to the greatest of these lowest
    rates. An end of the interval is open if it is open in any execution. The confidence is the
    smallest confidence of the executions. The confidence assumes independent observations; the
    observations of one warm process are not quite independent."""
    found = [
        one.record.served.capacity
        for one in executions
        if one.record.served is not None and one.record.served.capacity is not None
    ]
    if not found:
        return None
    met = [one.highest_met_per_s for one in found]
    missed = [one.lowest_missed_per_s for one in found]
    known_met = [rate for rate in met if rate is not None]
    known_missed = [rate for rate in missed if rate is not None]
    return CapacityInterval(
        highest_met_per_s=min(known_met) if len(known_met) == len(met) else None,
        lowest_missed_per_s=max(known_missed) if len(known_missed) == len(missed) else None,
        confidence=min(one.confidence for one in found),
        observations=sum(one.observations for one in found),
        contradictions=tuple(pair for one in found for pair in one.contradictions),
    )


def slow_rates(executions: Sequence[ExecutionEvidence], purpose: Purpose) -> set[float]:
    """The rates of the loads with this purpose during which the network was full or lossy."""
    return {
        load.rate_per_s
        for served in (one.record.served for one in executions)
        if served is not None and served.network is not None
        for load in slow_loads(served.network, served)
        if load.purpose == purpose
    }


def slowed(found: CapacityInterval, executions: Sequence[ExecutionEvidence]) -> bool:
    """Whether the network may have limited a capacity. The search ended at the lowest missed rate;
    a higher rate decided nothing."""
    missed = found.lowest_missed_per_s
    return any(
        missed is None or rate_per_s <= round(missed, 3)
        for rate_per_s in slow_rates(executions, "capacity")
    )


UNJUDGED = Verdict(state="void")


def requirement_outcome(
    required: Requirement, evidence: CellEvidence | None, verdicts: Mapping[FigureName, Verdict]
) -> RequirementOutcome:
    """Whether a run shows what is required: the figure's whole 95% interval over all executions
    lies below its limit."""
    if evidence is None or not evidence.blocks:
        return RequirementOutcome(requirement=required, meets="unclear", reason="not measured")
    if isinstance(required, FailureLimit):
        found = _of_failures(required, evidence)
    else:
        found = _of_latency(required, evidence, verdicts.get(required.percentile, UNJUDGED))
    if found.meets == "yes" and evidence.failed:
        # The executions that completed may be the good ones.
        said = f"{len(evidence.failed)} of {len(evidence.blocks)} executions failed"
        return found.model_copy(update={"meets": "unclear", "reason": said})
    return found


def _of_latency(required: Asked, evidence: CellEvidence, verdict: Verdict) -> RequirementOutcome:
    """Whether a requirement on a percentile is met, from the limits of the percentile. An objective
    is decided in the same way."""
    low: float | None = None
    high: float | None = None
    reason = why_unserved(evidence, verdict)
    values = cell_values(evidence, required.percentile)
    if values and verdict.state != "void":
        measured = headline(values)
        known = _limits(required, evidence, verdict, measured)
        low, high = _finite(known.low), _finite(known.high)
        if low is None and high is None:
            reason = reason or measured.reason or "the doubts leave no limit"
    return RequirementOutcome(
        requirement=required,
        meets=meets(required, evidence, verdict),
        interval=None if low is None and high is None else (low, high),
        reason=reason or ("void" if verdict.state == "void" else "" if values else "no value"),
    )


def _of_failures(required: FailureLimit, evidence: CellEvidence) -> RequirementOutcome:
    """Whether a limit of failed requests is kept, from the confidence interval of the share of
    failed requests over the loads at the operating point. The loads of failed executions count too,
    because a service that dies answers nothing."""
    results = [one.load.result for one in evidence.blocks if one.load is not None]
    if not any(one.requests.scheduled for one in results):
        return RequirementOutcome(requirement=required, meets="unclear", reason="no load")
    least = failed_interval([_outcomes(one, one.bodies[0]) for one in results])
    most = failed_interval([_outcomes(one, one.bodies[1]) for one in results])
    low, high = min(least[0], most[0]), max(least[1], most[1])
    limit = required.failed_share
    met: Meets = "yes" if high < limit else "no" if low >= limit else "unclear"
    return RequirementOutcome(requirement=required, meets=met, interval=(low, high))


def _outcomes(result: LoadResult, bodies: Bodies) -> Outcomes:
    """The outcomes of a load's requests, as the room `statistics` counts them."""
    return Outcomes(
        good=result.requests.good,
        failed=result.requests.failed,
        checkable=bodies.checkable,
        checked=bodies.checked,
        wrong_of_checked=bodies.wrong,
        failures_each=result.tests.failures_each,
    )


def _finite(limit: float | None) -> float | None:
    return limit if limit is not None and isfinite(limit) else None
