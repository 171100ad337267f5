"""No pause of the runtime is missing from the latencies (coordinated omission).

**Looks for** pauses of the whole program (for example for a garbage collection) that the runtime
reported but that no latency shows. The check examines only pauses that are longer than five times
the median latency. If no request was slow during such a pause, the measurement left the pause out.
Closed loops make this mistake, because they send no requests during a pause.

**Threshold** If a request was due during a pause, but no latency shows the pause, the measured
percentiles and the measured maximum are only lower limits of the true values. Even one pause that
no latency shows is enough. If no request was due during a pause, the check computes from the
offered rate how many requests to expect. If the check expects ten or more requests during the
pause, the measurement left these requests out, and the measured percentiles and the measured
maximum are again only lower limits. If the check expects fewer than ten requests during the pause,
their absence may be chance, so the check only notes the pause. The instant of a pause is uncertain,
because the times in the runtime's events and the clocks are not exact. The check considers all
instants at which the pause may have happened. The check reports the pause only if the latencies
show the pause at none of these instants. The check cannot decide, and this is noted, in three
cases: the runtime reports no events, some lines of the runtime's events could not be read, or
several processes of the service report events.

**Source** The section "Fairness" of docs/statistics.md describes pauses that a measurement left
out. A request that is due during a pause must wait until the pause ends, so the first such request
waits longest. A latency shows the pause if it is at least 80% of the wait of this first request.

**What to do** Measure with runfair's own load generator, and keep the records of single requests.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.cell import CellEvidence
from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import LATENCIES
from runfair.formats.finding import Finding, Severity

NAME = "omitted_pauses"
DOUBT = "omitted pauses"
VERSION = 2
ADVICE = "measure again with runfair's own load generator, which records every request"


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.services:
        loaded = [each for each in one.completed if each.load is not None]
        if not loaded:
            continue
        silent = sum(each.pauses is None for each in loaded)
        if silent:
            yield _finding(
                one,
                "limitation",
                "the runtime reported no pauses or other events, so it is unknown whether the "
                "latencies include its pauses",
            )
        unread = sum(each.record.served.unread for each in loaded if each.record.served is not None)
        if unread:
            yield _finding(
                one,
                "limitation",
                f"{unread} of the runtime's lines about its events could not be read, so the "
                "latencies may lack pauses that these lines reported",
            )
        if any(each.pauses is not None and each.pauses.processes > 1 for each in loaded):
            yield _finding(
                one,
                "limitation",
                "the service has several processes, and each pause of the runtime stops only one "
                "of them, so it is unknown whether the latencies include these pauses",
            )
        yield from _missing(one)


def _missing(one: CellEvidence) -> Iterator[Finding]:
    known = [each.pauses.missing for each in one.completed if each.pauses is not None]
    found = [missing for missing in known if missing is not None]
    missing_pauses = sum(len(each.missing) for each in found)
    long = sum(each.long for each in found)
    swallowed = sum(each.pauses.swallowed for each in one.completed if each.pauses is not None)
    if swallowed:
        yield _finding(
            one,
            "fault",
            (
                f"the latencies leave out {swallowed} pauses of the runtime (coordinated "
                "omission): at the offered rate, ten or more requests should have been due in "
                "each of these pauses, but the load generator recorded no request that was due then"
            ),
        )
        return
    if missing_pauses:
        longest_ns = max(
            int((each.missing[:, 1] - each.missing[:, 0]).max())
            for each in found
            if len(each.missing)
        )
        yield _finding(
            one,
            "fault",
            (
                f"the latencies leave out {missing_pauses} of {long} long pauses of the "
                "runtime, because these pauses delayed no request (coordinated omission); the "
                f"longest of them lasted {longest_ns / 1e6:.1f} ms"
            ),
        )
    elif unmet := sum(each.unmet for each in found):
        yield _finding(
            one,
            "limitation",
            f"no request was due during {unmet} of the {long} long pauses of the runtime, so "
            "the latencies do not show these pauses",
        )


def _finding(one: CellEvidence, severity: Severity, text: str) -> Finding:
    return Finding(
        check=NAME,
        severity=severity,
        cell=one.cell.id,
        figures=[*LATENCIES],
        text=text,
        advice=ADVICE if severity == "fault" else "",
        effect="shorter" if severity == "fault" else None,
    )
