"""The machine's noise is known, small and stable.

**Looks for** a valid calibration: made since the machine started, at most a day ago, and only on
processors that the run measured on. A calibration measures the noise floors (by comparing a program
with itself) and the drift of the reference loop. On any machine, this drift shows changes of the
processor's frequency.

**Threshold** Wall time and CPU time are flagged if there is no calibration since the machine
started, if the calibration is older than `OLDEST_NS`, or if the calibration used other processors.
A noise floor above `FLAGGED_FLOOR` flags its figure. A drift above `FLAGGED_DRIFT` flags wall time.
With a drift above `VOID_DRIFT`, wall time gets bounds of ± the drift. Latencies and start-up times
count as wall time. If a run has several hosts, the check judges each host's calibration by itself.
A host's calibration then flags only the figures that were measured on this host.

**Source** By the section "A noisy machine" of docs/statistics.md, a drift of 1% flags a figure, and
a drift of 2% requires another run. The limit of the noise floor is ours. With a noise floor above
5%, a comparison cannot show the differences that matter in practice.

**What to do** Run `./runfair calibrate`, then run the commands that it prints.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import ELAPSED, TIMED
from runfair.fairness.findings import grade
from runfair.formats.finding import FigureName, Finding, Severity
from runfair.formats.host import Host
from runfair.formats.plan import Plan

NAME = "calibration"
DOUBT = "noisy machine"
VERSION = 5
FLAGGED_FLOOR = 0.05
FLAGGED_DRIFT = 0.01
VOID_DRIFT = 0.02
MOST = 0.999999
OLDEST_NS = 24 * 3600 * 10**9


def check(run: RunEvidence) -> Iterator[Finding]:
    if len(run.hosts) == 1:
        yield from _of_host(run.host, run.plan, set(run.plan.measured_processors))
        return
    cells: dict[str, list[str]] = {}
    used: dict[str, set[int]] = {}
    for one in run.cells:
        for name in {run.host_of(each.record).name for each in one.completed}:
            cells.setdefault(name, []).append(one.cell.id)
        for each in one.completed:
            used.setdefault(run.host_of(each.record).name, set()).update(each.record.processors)
    for host in run.hosts:
        measured = cells.get(host.name, [])
        for finding in _of_host(host, run.plan, used[host.name]) if measured else ():
            own = {"text": f"{host.name}: {finding.text}", "values": {"host": host.name}}
            for cell in measured:
                yield finding.model_copy(update={"cell": cell, **own})


def _of_host(host: Host, plan: Plan, measured: Collection[int]) -> Iterator[Finding]:
    calibration = host.calibration
    if calibration is None or calibration.boot_id != host.boot_id:
        yield _finding(
            "warning", [*TIMED], ("this machine has not been calibrated since it was started")
        )
        return
    if plan.created_realtime_ns - calibration.realtime_ns > OLDEST_NS:
        yield _finding("warning", [*TIMED], "the machine's calibration is older than a day")
    calibrated = set(calibration.processors)
    # The calibration need not use all of the cell's processors: noise that it finds on one
    # processor also affects a cell that uses this processor and another.
    if not calibrated or not calibrated <= set(measured):
        yield _finding(
            "warning",
            [*TIMED],
            f"the calibration used processors {calibration.processors}, but the run measured on "
            f"processors {sorted(measured)}",
        )
    floors: tuple[tuple[str, list[FigureName], float], ...] = (
        ("wall", [*ELAPSED], calibration.noise_floor_wall),
        ("CPU", ["cpu"], calibration.noise_floor_cpu),
    )
    for name, figures, floor in floors:
        if not floor <= FLAGGED_FLOOR:
            yield _finding(
                "warning",
                figures,
                f"the machine's noise floor of {name} time is {floor:.1%}, which is above the "
                f"limit of {FLAGGED_FLOOR:.0%}",
            )
    drift = abs(calibration.reference_drift)
    severity = grade(drift, warning=FLAGGED_DRIFT, fault=VOID_DRIFT)
    if severity is not None:
        text = f"the machine's speed drifted by {drift:.1%} during its calibration"
        found = _finding(severity, [*ELAPSED], text)
        yield found.model_copy(update={"effect": "either", "size": min(drift, MOST)})


def _finding(severity: Severity, figures: list[FigureName], text: str) -> Finding:
    return Finding(
        check=NAME,
        severity=severity,
        cell=None,
        figures=figures,
        text=text,
        advice="run `./runfair calibrate`, then run the commands that it prints",
    )
