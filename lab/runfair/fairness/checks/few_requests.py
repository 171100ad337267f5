"""A percentile needs enough requests, or enough samples.

**Looks for** executions with too few good answers after the warm-up: so few that a percentile
cannot have both a lower and an upper limit at 95% confidence. Some programs record samples of a
quantity, such as the lateness of a timer (a distribution). For the percentiles of a distribution,
the check counts the samples.

**Threshold** A percentile has both limits only if there are enough requests: 3,688 for p99.9, and
36,887 for p99.99. If any execution has too few requests for a percentile, the percentile has no
upper limit, and order statistics give its lower limit. If there are too few requests even for a
lower limit, the percentile is void (invalid).

Requests that wait for the end of the same pause are not independent of each other. The effective
sample size is the number of independent requests that would give the same precision
(`statistics/dependence.py`). If only the effective sample size is too small for a percentile, but
not the number of requests, the percentile is flagged (marked as doubtful).

If an execution has too few samples for a percentile of a distribution, the percentile is flagged.
If an execution has no sample of a distribution, all percentiles of the distribution are void. A
benchmark can declare that the program records only one sample of a distribution for each iteration
(`single = true`). In mode `cold`, an execution has one iteration, so it has only one sample of such
a distribution. The single sample is then the measured value, and the check flags nothing.

**Source** The section "Latency" of docs/statistics.md derives the numbers of requests that a
percentile needs. For p99.99, an upper limit alone needs at least 29,956 requests, and both limits
together need at least 36,887. `statistics/percentile.py` computes these numbers from order
statistics.

**What to do** Choose a higher rate, a longer profile (which has a longer load), or a lower
percentile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from runfair.evidence.cell import CellEvidence
from runfair.evidence.load import LoadEvidence
from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import PERCENTILES
from runfair.formats.distribution import SHARES as SAMPLE_SHARES
from runfair.formats.finding import Finding, Severity
from runfair.formats.service import SHARES, Percentile
from runfair.statistics.percentile import label, least_count

NAME = "few_requests"
DOUBT = "few requests"
VERSION = 4


def check(run: RunEvidence) -> Iterator[Finding]:
    yield from _samples(run)
    for one in run.services:
        loads = [each.load for each in one.completed if each.load is not None]
        if not loads:
            continue
        fewest = min(load.latency.total for load in loads)
        lacking = [name for name in PERCENTILES if fewest < _needed(name)]
        if lacking:
            yield _finding(one, "fault", lacking, f"an execution has only {fewest:,} requests")
        worth = {
            name: count
            for name in PERCENTILES
            if name not in lacking and (count := _worth(loads, name)) < _needed(name)
        }
        if worth:
            counts = sorted({round(count) for count in worth.values()})
            said = " to ".join(f"{count:,}" for count in counts)
            text = (
                f"the {fewest:,} requests are autocorrelated, so their effective sample size is "
                f"only {said}"
            )
            yield _finding(one, "warning", [*worth], text)


def _samples(run: RunEvidence) -> Iterator[Finding]:
    for one in run.programs:
        for name, distribution in one.cell.distributions.items():
            counts = [
                each.samples[name].total if name in each.samples else 0 for each in one.completed
            ]
            if not counts:
                continue
            fewest = min(counts)
            if not fewest:
                yield _unsampled(one, name)
                continue
            if distribution.single and one.cell.mode == "cold":
                continue
            needs = {
                share: least_count(SAMPLE_SHARES[share])
                for share in distribution.percentiles
                if share != "max" and fewest < least_count(SAMPLE_SHARES[share])
            }
            if not needs:
                continue
            said = [
                f"{label(SAMPLE_SHARES[share])} needs {least:,}" for share, least in needs.items()
            ]
            yield Finding(
                check=NAME,
                severity="warning",
                cell=one.cell.id,
                figures=[f"{name}.{share}" for share in needs],
                text=(
                    f"an execution recorded only {fewest:,} samples of {name}, but "
                    f"{', '.join(said)}"
                ),
                advice="choose a larger size, or a longer profile (`--profile`)",
                values={f"{name}_samples": fewest},
            )


def _unsampled(one: CellEvidence, name: str) -> Finding:
    return Finding(
        check=NAME,
        severity="fault",
        cell=one.cell.id,
        figures=[f"{name}.{share}" for share in one.cell.distributions[name].percentiles],
        text=f"an execution recorded no sample of {name}",
        advice=f"correct the program, so that each execution records samples of {name}",
    )


def _finding(
    one: CellEvidence, severity: Severity, lacking: Sequence[Percentile], text: str
) -> Finding:
    needs = [f"{label(SHARES[name])} needs {_needed(name):,}" for name in lacking]
    return Finding(
        check=NAME,
        severity=severity,
        cell=one.cell.id,
        figures=[*lacking],
        text=f"{text}, but {', '.join(needs)}",
        advice="choose a longer profile (`--profile`), so that more requests are measured",
        values={f"{name}_needed": _needed(name) for name in lacking},
        effect="either" if severity == "fault" else None,
    )


def _worth(loads: Sequence[LoadEvidence], name: Percentile) -> float:
    return min(load.independent.get(name, float("inf")) for load in loads)


def _needed(name: Percentile) -> int:
    return least_count(SHARES[name])
