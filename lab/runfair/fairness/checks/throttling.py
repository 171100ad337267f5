"""No undeclared CPU quota throttled a program.

**Looks for** CPU quotas that stopped a program for a part of its time (throttling), although the
experiment declares no CPU quota for the program. If runfair itself runs in a container with a CPU
quota (a surrounding cgroup), the check also looks for throttling by the container's quota, even if
the experiment declares another quota.

**Threshold** If an undeclared CPU quota throttled a program, the measured wall time is only an
upper limit of the true wall time. Latencies and start-up times count as wall times. CPU time stays
valid. If a declared CPU quota throttled a service, this is noted. If runfair cannot read the
cgroups in which it runs, the report notes this gap.

**Source** According to the section "A noisy machine" of docs/statistics.md, the measured wall time
is an upper limit if the kernel throttled the program although the experiment states no quota.

**What to do** Remove the container's CPU quota, or state `cpu_quota` in the experiment.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.cell import CellEvidence
from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import ELAPSED, those_of
from runfair.fairness.findings import on_each_host
from runfair.formats.finding import Finding

NAME = "throttling"
DOUBT = "throttled"
VERSION = 2


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.launched:
        yield from on_each_host(one, _throttled)


def _throttled(one: CellEvidence) -> Iterator[Finding]:
    launches = [execution.record.launch for execution in one.completed]
    asked = one.cell.factors.cpu_quota is not None
    held = sum(
        1
        for launch in launches
        if launch.ambient_throttled_ns
        or (not asked and (launch.throttled_ns or launch.throttled_periods))
    )
    if held:
        yield Finding(
            check=NAME,
            severity="fault",
            cell=one.cell.id,
            figures=those_of(one.cell, ELAPSED),
            text=(
                f"in {held} of {len(launches)} executions, the kernel stopped the program "
                "for a time because of a CPU quota that the experiment does not state"
            ),
            advice=(
                "remove the CPU quota of the container in which runfair runs, or state "
                "`cpu_quota` in the experiment"
            ),
            values={"throttled": held},
            effect="longer",
        )
    if asked and one.cell.mode == "service":
        yield from _held_up(one)
    if not held and all(launch.ambient_throttled_ns is None for launch in launches):
        yield Finding(
            check=NAME,
            severity="limitation",
            cell=one.cell.id,
            figures=those_of(one.cell, ELAPSED),
            text=(
                "it is unknown whether a CPU quota of a surrounding container slowed the "
                "program, because runfair cannot read the cgroups in which it runs"
            ),
        )


def _held_up(one: CellEvidence) -> Iterator[Finding]:
    """The note that a declared quota throttled the cell: the quota itself then lengthens the
    tail."""
    launches = [execution.record.launch for execution in one.completed]
    periods = sum(launch.nr_periods or 0 for launch in launches)
    held = sum(launch.throttled_periods or 0 for launch in launches)
    held_ns = sum(launch.throttled_ns or 0 for launch in launches)
    if held:
        yield Finding(
            check=NAME,
            severity="limitation",
            cell=one.cell.id,
            figures=those_of(one.cell, ELAPSED),
            text=(
                f"the declared CPU quota throttled the program in {held / max(1, periods):.1%} of "
                f"the quota's periods, for {held_ns / 1e6:,.0f} ms in total"
            ),
            values={"throttled_periods": held, "throttled_ns": held_ns},
        )
