"""A latency contains the service's time, not the load generator's delay.

**Looks for** problems that the load generator reported about itself. For example, the load
generator withholds (does not report) a percentile if too large a part of this percentile is the
load generator's own delay. The load generator may also give its whole load the verdict `flagged`
(doubtful) or `void` (invalid).

**Threshold** If the load generator withheld a percentile only because of its own lateness, the
measured percentile can be too high, but not too low. The measured percentile is then an upper limit
of the true percentile, and runfair computes a lower limit. A request that is sent late can delay
all later requests until the server is idle again. A time in which the server is never idle is
called a busy period (docs/statistics.md, "Bounds"). From each latency in a busy period, runfair
therefore subtracts the greatest send lag (the time by which a request was sent late) in this busy
period. The lower limit of a percentile is the same percentile of these shorter latencies.

The pacing mode is the way in which the load generator waits until a request is due. If requests
were sent later than the pacing mode allows, the load generator's own check `arrivals` warns. After
this warning, runfair computes an upper and a lower limit for every percentile, in the same way as
for a withheld percentile.

If the load generator withheld a percentile for another reason, the percentile is void. If the load
generator's verdict about its load is `void`, all latencies are void. The load generator may also
warn about its processors or its clock. Such a warning flags the percentiles that it names. A
warning that names no percentile flags all latencies. If the load generator could not use the
kernel's time stamps (for HTTP/2 and gRPC), this is noted. The load generator also reports problems
of the service, such as failed requests. The checks `offered_rate` and `errors` examine these
problems, so the check `generator_delay` ignores them.

The load generator judges its load as a whole, including the warm-up. The check `generator_delay`
also examines the part of the load after the warm-up by itself. A percentile of the latencies in
this part (such as p99) is flagged if the same percentile of the load generator's own lateness
(`send_lag`) is more than `MOST_ADDED` of the latency. For example, a p99 of 10 ms is flagged if the
p99 of the lateness is more than 0.5 ms.

**Source** According to the section "Latency" of docs/statistics.md, the load generator does not
report a percentile if more than 5% of it is the delay of the load generator itself.
docs/load-generation.md describes the load generator.

**What to do** Set `pacing = "precise"`, give the load generator a processor of its own, or use a
quieter machine.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.cell import CellEvidence, ExecutionEvidence
from runfair.evidence.load import LoadEvidence
from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import LATENCIES, PERCENTILES
from runfair.formats.finding import Effect, FigureName, Finding, LoadFinding, Severity
from runfair.formats.load_result import WRONG_BODIES
from runfair.formats.service import SHARES, Percentile

NAME = "generator_delay"
DOUBT = "late generator"
VERSION = 5
LONGER: Effect = "longer"
MOST_ADDED = 0.05
# The checks `offered_rate` and `errors`, and the withheld percentiles in this module, cover these
# findings.
UNSTAMPED = "unstamped"
JUDGED_ELSEWHERE = frozenset({"closed_loop", "rate", "failures", "send_lag", WRONG_BODIES})
# This check of the generator reports late sends. A late send can only make a latency longer.
LATE_SENDS = "arrivals"
ALIKE = (
    "compare the latencies of this service only with latencies that were measured with the same "
    "`protocol`"
)
ADVICE = "give the load generator a processor of its own, or use a quieter machine"


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.services:
        loaded = [each for each in one.completed if each.load is not None]
        if loaded:
            yield from _void(one, loaded)
            yield from _flagged(one, loaded)
            yield from _noted(one, loaded)
            yield from _withheld(one, loaded)
            yield from _added(one, loaded)


def _void(one: CellEvidence, loaded: list[ExecutionEvidence]) -> Iterator[Finding]:
    faults = [
        finding
        for finding in _of_itself(loaded)
        if finding.severity == "fault" and finding.check != WRONG_BODIES
    ]
    if faults:
        yield _finding(one, "fault", [*LATENCIES], _said(faults, len(loaded)))


def _flagged(one: CellEvidence, loaded: list[ExecutionEvidence]) -> Iterator[Finding]:
    """The warnings of the generator about itself, as a finding for each of the generator's
    checks."""
    warnings: dict[str, list[LoadFinding]] = {}
    for finding in _of_itself(loaded):
        if finding.severity == "warning" and finding.check not in JUDGED_ELSEWHERE:
            warnings.setdefault(finding.check, []).append(finding)
    for check_name, found in warnings.items():
        named = {name for finding in found for name in _latencies(finding)}
        figures = [name for name in LATENCIES if name in named]
        if figures:
            effect = LONGER if check_name == LATE_SENDS else None
            yield _finding(one, "warning", figures, _said(found, len(loaded)), effect)


def _noted(one: CellEvidence, loaded: list[ExecutionEvidence]) -> Iterator[Finding]:
    """The generator's remark that it read all answers without the kernel's time stamps, so several
    answers may have the same instant."""
    unstamped = [
        finding
        for each in loaded
        if each.load is not None and each.load.result.generator.reads_at_once
        for finding in each.load.result.verdict.findings
        if finding.check == UNSTAMPED
    ]
    if unstamped:
        yield _finding(one, "limitation", [*LATENCIES], _said(unstamped, len(loaded)))


def _of_itself(loaded: list[ExecutionEvidence]) -> Iterator[LoadFinding]:
    for each in loaded:
        if each.load is not None:
            yield from each.load.result.verdict.findings


def _latencies(finding: LoadFinding) -> list[FigureName]:
    """The percentiles that a finding concerns. If the finding concerns the whole load, all
    percentiles are returned."""
    if not finding.figures:
        return [*LATENCIES]
    return [name for name in LATENCIES if f"latency_ns.{name}" in finding.figures]


def _withheld(one: CellEvidence, loaded: list[ExecutionEvidence]) -> Iterator[Finding]:
    """The percentiles that the generator withheld. Percentiles withheld because of too few requests
    are left out: the check `few_requests` judges them over the steady part."""
    late: dict[FigureName, str] = {}
    other: dict[FigureName, str] = {}
    for load in (each.load for each in loaded if each.load is not None):
        withheld = load.result.latency_ns.withheld
        for name in PERCENTILES:
            if name in withheld and "too few" not in withheld[name]:
                of_one = late if _is_late(load, name) else other
                of_one.setdefault(name, withheld[name])
    for reasons, effect in ((late, LONGER), (other, None)):
        if reasons:
            figure, reason = next(iter(reasons.items()))
            doubt = "includes the load generator's own delay" if effect else "is not exact"
            text = f"{figure.replace('_', '.')} {doubt} ({reason})"
            yield _finding(one, "fault", [*reasons], text, effect)


def _added(one: CellEvidence, loaded: list[ExecutionEvidence]) -> Iterator[Finding]:
    worst: dict[FigureName, float] = {}
    for name in PERCENTILES:
        loads = [each.load for each in loaded if each.load is not None]
        told = [load for load in loads if name not in load.result.latency_ns.withheld]
        share = max((_share(load, SHARES[name]) for load in told), default=0.0)
        if share > MOST_ADDED:
            worst[name] = share
    if worst:
        text = (
            f"up to {max(worst.values()):.0%} of the latency may come from delays in the load "
            "generator itself"
        )
        yield _finding(one, "warning", [*worst], text, LONGER)


def _is_late(load: LoadEvidence, percentile: Percentile) -> bool:
    """Whether the generator's own lateness was the only reason to withhold the percentile."""
    named = {
        finding.check
        for finding in load.result.verdict.findings
        if f"latency_ns.{percentile}" in finding.figures
    }
    return "send_lag" in named and "failures" not in named


def _share(load: LoadEvidence, share: float) -> float:
    latency_ns, lag_ns = load.latency.value_at(share), load.send_lag.value_at(share)
    return lag_ns / latency_ns if latency_ns and lag_ns is not None else 0.0


def _said(found: list[LoadFinding], executions: int) -> str:
    more = (
        f" (in {executions} executions, the load generator reports {len(found) - 1} more findings "
        "of this kind)"
        if len(found) > 1
        else ""
    )
    return f"the load generator reports: {found[0].message}{more}"


def _finding(
    one: CellEvidence,
    severity: Severity,
    figures: list[FigureName],
    text: str,
    effect: Effect | None = None,
) -> Finding:
    return Finding(
        check=NAME,
        severity=severity,
        cell=one.cell.id,
        figures=figures,
        text=text,
        advice=ALIKE if severity == "limitation" else _advice(one),
        effect=effect,
    )


def _advice(one: CellEvidence) -> str:
    precise = one.cell.service is not None and one.cell.service.point.pacing == "precise"
    return ADVICE if precise else f'set `pacing = "precise"`, {ADVICE}'
