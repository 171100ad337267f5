"""The hosts of a run are machines of their own.

**Looks for** hosts that `./runfair cluster start` simulates. Simulated hosts share the memory, the
caches and often the processors of one machine.

**Threshold** If a program was measured on even one simulated host, all measured values of the run
are flagged (marked as doubtful), unless they are void (invalid) for another reason. The run shows
whether the experiment works, but not how fast a program is.

**Source** `./runfair cluster start` makes hosts of Linux namespaces. All namespaces of a machine
use the same kernel and the same hardware.

**What to do** Measure on the hosts of a real cluster (docs/machines.md).
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import FIGURES
from runfair.formats.finding import Finding

NAME = "simulated_hosts"
DOUBT = "simulated hosts"
VERSION = 1


def check(run: RunEvidence) -> Iterator[Finding]:
    names = sorted(one.name for one in run.hosts_of(*run.cells) if one.simulated)
    if names:
        yield Finding(
            check=NAME,
            severity="warning",
            cell=None,
            figures=[*FIGURES],
            text=(
                f"`./runfair cluster start` simulates the hosts of this run ({', '.join(names)}) "
                "on one machine, so the run shows whether the experiment works, not how fast a "
                "program is"
            ),
            advice="measure on hosts that are separate machines",
            values={"hosts": len(names)},
        )
