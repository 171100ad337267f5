"""Whether a run shows what its experiment requires of a service (`require`)."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from runfair.evidence.run import CellEvidence
from runfair.fairness.figures import cell_values
from runfair.fairness.objective import limits, meets, why_unserved
from runfair.formats.finding import FigureName, Verdict
from runfair.formats.result import RequirementOutcome
from runfair.formats.service import FailureLimit, Objective, Requirement
from runfair.statistics.headline import headline
from runfair.statistics.objective import Meets
from runfair.statistics.proportion import score_interval

UNJUDGED = Verdict(state="void")


def outcome(
    required: Requirement, evidence: CellEvidence | None, verdicts: Mapping[FigureName, Verdict]
) -> RequirementOutcome:
    """Whether the figure's whole 95% interval over all executions lies below its limit."""
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


def _of_latency(
    required: Objective, evidence: CellEvidence, verdict: Verdict
) -> RequirementOutcome:
    """By the limits of the percentile, as an objective is decided."""
    low: float | None = None
    high: float | None = None
    reason = why_unserved(evidence, verdict)
    values = cell_values(evidence, required.percentile)
    if values and verdict.state != "void":
        measured = headline(values)
        known = limits(measured, verdict.bounds)
        low, high = _finite(known.low), _finite(known.high)
        reason = reason or (measured.reason if low is None and high is None else "")
    return RequirementOutcome(
        requirement=required,
        meets=meets(required, evidence, verdict),
        interval=None if low is None and high is None else (low, high),
        reason=reason or ("void" if verdict.state == "void" else "" if values else "no value"),
    )


def _of_failures(required: FailureLimit, evidence: CellEvidence) -> RequirementOutcome:
    """By the interval of the share of failed requests, over the loads at the operating point. The
    loads of failed executions count too, because a service that dies answers nothing."""
    asked = [one.load.result.requests for one in evidence.blocks if one.load is not None]
    scheduled = sum(one.scheduled for one in asked)
    if not scheduled:
        return RequirementOutcome(requirement=required, meets="unclear", reason="no load")
    low, high = score_interval(sum(one.failed for one in asked), scheduled)
    limit = required.failed_share
    met: Meets = "yes" if high < limit else "no" if low >= limit else "unclear"
    return RequirementOutcome(requirement=required, meets=met, interval=(low, high))


def _finite(limit: float | None) -> float | None:
    return limit if limit is not None and isfinite(limit) else None
