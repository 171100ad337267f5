"""A latency is the service's, not the load generator's.

**Looks for** what the generator says of itself in each execution: percentiles that it withheld
because it had added too much to them, and a verdict of `flagged` or `void` on its own run.

**Threshold** a percentile withheld in any execution is void; a void load voids all latencies. What
else the generator flagged flags the figures that it names. Once more for the steady part alone:
where the generator's own lateness (`send_lag`) at a percentile is more than `MOST_ADDED` of the
latency at it, the percentile is flagged.

**Source** docs/statistics.md, "Latency" (withhold where the generator's delay exceeds 5%);
docs/load-generation.md.

**What to do** another `pacing` (`precise`), a processor of its own for the generator, a quieter
machine.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.fairness.evidence import CellEvidence, ExecutionEvidence, RunEvidence
from runfair.fairness.figures import LATENCIES, PERCENTILES
from runfair.fairness.load_evidence import LoadEvidence
from runfair.formats.finding import FigureName, Finding, Severity
from runfair.formats.load_result import LoadFinding
from runfair.formats.service import SHARES

NAME = "generator_delay"
VERSION = 1
MOST_ADDED = 0.05
ADVICE = '`pacing = "precise"`, or a processor of its own for the generator'


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.services:
        loaded = [each for each in one.completed if each.load is not None]
        if loaded:
            yield from _void(one, loaded)
            yield from _withheld(one, loaded)
            yield from _added(one, loaded)


def _void(one: CellEvidence, loaded: list[ExecutionEvidence]) -> Iterator[Finding]:
    faults = [
        finding
        for each in loaded
        if each.load is not None
        for finding in each.load.result.verdict.findings
        if finding.severity == "fault"
    ]
    if faults:
        yield _finding(one, "fault", [*LATENCIES], _said(faults, len(loaded)))


def _withheld(one: CellEvidence, loaded: list[ExecutionEvidence]) -> Iterator[Finding]:
    """Percentiles that the generator itself does not tell, but for want of requests, which is
    judged over the steady part alone."""
    reasons: dict[FigureName, str] = {}
    for each in loaded:
        withheld = each.load.result.latency_ns.withheld if each.load is not None else {}
        for name in PERCENTILES:
            if name in withheld and "too few" not in withheld[name]:
                reasons.setdefault(name, withheld[name])
    if reasons:
        first = next(iter(reasons.values()))
        yield _finding(one, "fault", [*reasons], f"the generator withheld it: {first}")


def _added(one: CellEvidence, loaded: list[ExecutionEvidence]) -> Iterator[Finding]:
    worst: dict[FigureName, float] = {}
    for name in PERCENTILES:
        loads = [each.load for each in loaded if each.load is not None]
        told = [load for load in loads if name not in load.result.latency_ns.withheld]
        share = max((_share(load, SHARES[name]) for load in told), default=0.0)
        if share > MOST_ADDED:
            worst[name] = share
    if worst:
        text = f"the generator itself may have added up to {max(worst.values()):.0%}"
        yield _finding(one, "warning", [*worst], text)


def _share(load: LoadEvidence, share: float) -> float:
    latency_ns, lag_ns = load.latency.value_at(share), load.send_lag.value_at(share)
    return lag_ns / latency_ns if latency_ns and lag_ns is not None else 0.0


def _said(faults: list[LoadFinding], executions: int) -> str:
    more = f" (and {len(faults) - 1} more in {executions} executions)" if len(faults) > 1 else ""
    return f"the load generator: {faults[0].message}{more}"


def _finding(
    one: CellEvidence, severity: Severity, figures: list[FigureName], text: str
) -> Finding:
    return Finding(
        check=NAME, severity=severity, cell=one.cell.id, figures=figures, text=text, advice=ADVICE
    )
