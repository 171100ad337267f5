"""Whether a service met its objective at its operating point, over all its executions."""

from __future__ import annotations

from runfair.fairness.checks import foreign_time, generator_delay
from runfair.fairness.evidence import CellEvidence
from runfair.fairness.figures import cell_values
from runfair.fairness.load_evidence import LoadEvidence
from runfair.formats.finding import Verdict
from runfair.formats.service import SHARES, Percentile
from runfair.formats.service import Objective as Asked
from runfair.statistics.headline import headline
from runfair.statistics.objective import LEAST_ACHIEVED, Meets, Objective, serves

WORDS: dict[Meets, str] = {"yes": "meets it", "no": "misses it", "unclear": "cannot be told"}
"""The answer, wherever it is shown."""


def limit_of(asked: Asked) -> Objective:
    """The objective as statistics know it."""
    return Objective(SHARES[asked.percentile], asked.limit_ns)


def meets(asked: Asked, evidence: CellEvidence, verdict: Verdict) -> Meets:
    """`verdict` is of the percentile that is asked for. A void one misses the objective only where
    the service itself did not serve the rate, and meets it only where nothing but the generator's
    own lateness voids it: that made it longer, and even so it lies below the limit."""
    if why_unserved(evidence, verdict):
        return "no"
    values = cell_values(evidence, asked.percentile)
    if not values:
        return "unclear"
    met = limit_of(asked).met_by(headline(values))
    if verdict.state != "void":
        return met
    return (
        "yes"
        if met == "yes" and only_lengthened(asked.percentile, evidence, verdict)
        else "unclear"
    )


def only_lengthened(percentile: Percentile, evidence: CellEvidence, verdict: Verdict) -> bool:
    """Whether a void percentile bounds the service's from above. Latency counts from the intended
    instant, so that the generator's own delay is in it."""
    faults = {one.check for one in verdict.findings if one.severity == "fault"}
    loads = [one.load for one in evidence.completed if one.load is not None]
    return faults == {generator_delay.NAME} and all(
        load.result.verdict.state != "void"
        and (percentile not in load.result.latency_ns.withheld or _is_late(load, percentile))
        for load in loads
    )


def _is_late(load: LoadEvidence, percentile: Percentile) -> bool:
    """Whether the generator withheld it for its own lateness, and for nothing else."""
    named = {
        finding.check
        for finding in load.result.verdict.findings
        if f"latency_ns.{percentile}" in finding.figures
    }
    return "send_lag" in named and "failures" not in named


def why_unserved(evidence: CellEvidence, verdict: Verdict) -> str:
    """Why the service misses any objective, however fast its good answers were: no execution served
    the rate. Empty where one did, or where it cannot be told who failed: the generator may have
    fallen behind, or others taken the processors."""
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
    if not loads or disturbed or any(load.result.verdict.state == "void" for load in loads):
        return ""
    if min(ratios) < LEAST_ACHIEVED:
        return f"it is beyond its capacity, {min(ratios):.1%} of the rate was achieved"
    failed = max(load.failed_share for load in loads)
    return f"up to {failed:.1%} of its requests failed"
