"""No quota held a cell back that did not ask for one.

**Looks for** throttled periods or time of the cell's own control group where the cell states no
CPU quota, and of the surrounding one (a container's) always.

**Threshold** any: wall time is void; CPU time stands. Where the surrounding group cannot be
read, it is said.

**Source** docs/statistics.md, "A noisy machine" (cgroup `nr_throttled` rising where no quota was
asked: void).

**What to do** lift the container's quota, or state `cpu_quota` in the experiment.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.fairness.evidence import RunEvidence
from runfair.fairness.figures import ELAPSED, those_of
from runfair.formats.finding import Finding

NAME = "throttling"
VERSION = 1


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.launched:
        if not one.completed:
            continue
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
                text=f"a quota not asked for throttled {held} of {len(launches)} executions",
                advice="lift the surrounding CPU quota, or state `cpu_quota` in the experiment",
                values={"throttled": held},
            )
        elif all(launch.ambient_throttled_ns is None for launch in launches):
            yield Finding(
                check=NAME,
                severity="limitation",
                cell=one.cell.id,
                figures=those_of(one.cell, ELAPSED),
                text="whether a surrounding quota throttled it cannot be established",
            )
