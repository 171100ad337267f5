"""The machine's noise is known, small and stable.

**Looks for** a run without a valid calibration, and for a noisy machine. A calibration is valid if
it was made since the machine started, is at most a day old, and used only processors on which the
run measured. By comparing a program with itself, a calibration measures the noise floors of wall
time and of CPU time. A noise floor is the smallest difference that can be detected on the machine.
A calibration also measures by how much the time of a loop of constant work (the reference loop)
changes. The drift of the reference loop reveals changes of the processor's frequency, even on
machines that do not report the frequency.

**Threshold** Wall time and CPU time are flagged (marked as doubtful) if there is no valid
calibration. A calibration is not valid if the machine restarted after it, if it is older than
`OLDEST_NS`, or if it used a processor on which the run measured nothing. If the noise floor of wall
time or of CPU time is above `FLAGGED_FLOOR`, this time is flagged. A drift of more than
`FLAGGED_DRIFT` causes a finding of severity `warning` about wall time. A drift of more than
`VOID_DRIFT` causes a finding of severity `fault`. In both cases, the bounds of wall time are the
measured time ± the drift. In this check, latencies and start-up times count as wall times. The
noise floor and the drift do not affect the figures `idle` and `queued`. These two figures are
shares of a total time. A slower machine lengthens the part and the total alike, so the share stays
the same. If a run has several hosts, the check judges the calibration of each host. A finding about
a host then concerns only the programs that were measured on this host.

**Source** According to the section "A noisy machine" of docs/statistics.md, wall time is flagged if
the drift is above 1%. If the drift during a calibration was above 2%, the calibration is valid for
ten minutes only: a later run calibrates again. runfair's authors chose the limit of 5% for the
noise floor, because with a greater noise floor, a comparison cannot show differences that matter in
practice.

**What to do** Run `./runfair calibrate`, then run the commands that it prints.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import CLOCKED, TIMED
from runfair.fairness.findings import grade
from runfair.formats.finding import FigureName, Finding, Severity
from runfair.formats.host import Host
from runfair.formats.plan import Plan

NAME = "calibration"
DOUBT = "noisy machine"
VERSION = 6
FLAGGED_FLOOR = 0.05
FLAGGED_DRIFT = 0.01
VOID_DRIFT = 0.02
_MOST = 0.999999
OLDEST_NS = 24 * 3600 * 10**9


def check(run: RunEvidence) -> Iterator[Finding]:
    if len(run.hosts) == 1:
        yield from _of_host(run.host, run.plan, set(run.plan.measured_processors))
        return
    cells: dict[str, list[str]] = {}
    used: dict[str, set[int]] = {}
    for one in run.cells:
        records = [record for each in one.completed for record in each.record.by_host]
        for name in {run.host_of(record).name for record in records}:
            cells.setdefault(name, []).append(one.cell.id)
        for record in records:
            used.setdefault(run.host_of(record).name, set()).update(record.processors)
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
            "warning",
            [*TIMED],
            (
                "the machine's noise is unknown, because the machine has not been calibrated "
                "since it was started"
            ),
        )
        return
    if plan.created_realtime_ns - calibration.realtime_ns > OLDEST_NS:
        yield _finding(
            "warning",
            [*TIMED],
            (
                "the machine's calibration is older than a day, so the noise that it measured may "
                "have changed"
            ),
        )
    calibrated = set(calibration.processors)
    # The calibration need not use all of the cell's processors: noise that it finds on one
    # processor also affects a cell that uses this processor and another.
    if not calibrated or not calibrated <= set(measured):
        yield _finding(
            "warning",
            [*TIMED],
            f"the calibration used processors {calibration.processors}, but the run measured on "
            f"processors {sorted(measured)}, so the calibration is not valid for this run",
        )
    floors: tuple[tuple[str, list[FigureName], float], ...] = (
        ("wall", [*CLOCKED], calibration.noise_floor_wall),
        ("CPU", ["cpu"], calibration.noise_floor_cpu),
    )
    for name, figures, floor in floors:
        if not floor <= FLAGGED_FLOOR:
            yield _finding(
                "warning",
                figures,
                f"the machine's noise floor of {name} time (the smallest detectable difference) is "
                f"{floor:.1%}, which is above the limit of {FLAGGED_FLOOR:.0%}",
            )
    drift = abs(calibration.reference_drift)
    severity = grade(drift, warning=FLAGGED_DRIFT, fault=VOID_DRIFT)
    if severity is not None:
        text = (
            f"the machine's speed drifted by {drift:.1%} during its calibration, so a "
            "measured time may be wrong by as much"
        )
        found = _finding(severity, [*CLOCKED], text)
        yield found.model_copy(update={"effect": "either", "size": min(drift, _MOST)})


def _finding(severity: Severity, figures: list[FigureName], text: str) -> Finding:
    return Finding(
        check=NAME,
        severity=severity,
        cell=None,
        figures=figures,
        text=text,
        advice="run `./runfair calibrate`, run the commands that it prints, and measure again",
    )
