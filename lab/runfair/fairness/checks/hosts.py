"""The hosts of a run are alike.

**Looks for** a host that differs from most hosts of the run in its processor model, number of
processors, architecture, firmware (with the processors' microcode), kernel, governor, frequency
scaling, turbo, huge pages, clock source or virtualisation. The check also looks for a host without
a calibration, and for a host on which the reference loop (a loop of constant work) was faster or
slower than on the other hosts during calibration. Finally, the check looks for a host on which a
runtime reported other settings in force than on most hosts.

**Threshold** If a host differs, the times (wall time, CPU time, latencies and start-up times) of
all programs that were measured on this host are flagged (marked as doubtful). A host's reference
loop differs if the loop's speed is more than `FLAGGED_SPEED` above or below the median speed of all
hosts. For every other property, the check compares each host with the most frequent value. If
several values of the property are equally frequent, the check compares each host with the first
host.

**Source** runfair's authors chose the limit `FLAGGED_SPEED`. Each block (a group of executions of
all compared programs) runs on a single host, so the speed of the host cancels out in a comparison
of two programs. But hosts whose speeds differ by more than 5% are not the same kind of machine.

**What to do** In the file `machines.toml`, use the key `features` to request only hosts that are
alike, or run again without the host that differs.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.cell import CellEvidence
from runfair.evidence.hosts import differing, usual_of
from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import TIMED
from runfair.formats.finding import Finding

NAME = "hosts"
DOUBT = "unlike hosts"
VERSION = 2
FLAGGED_SPEED = 0.05
ADVICE = "in `machines.toml`, use `features` to request only hosts that have the same hardware"


def check(run: RunEvidence) -> Iterator[Finding]:
    if len(run.hosts) < 2:
        return
    odd = differing(run.hosts, FLAGGED_SPEED)
    for one in run.cells:
        measured_on = sorted(
            {record.host for each in one.completed for record in each.record.by_host}
        )
        for host in measured_on:
            if host in odd:
                yield _finding(
                    one,
                    (
                        f"the host {host} differs from most hosts ({odd[host]}), so the times on "
                        "it may differ too"
                    ),
                    host,
                )
        yield from _other_flags(one)


def _other_flags(one: CellEvidence) -> Iterator[Finding]:
    """Hosts on which the runtime reported another value of a flag than on most hosts. A flag is
    ignored if its values vary on a single host, because such a value is no property of the host."""
    found: dict[str, dict[str, set[str]]] = {}
    for record in (record for each in one.completed for record in each.record.by_host):
        for flag, value in record.start.effective.items() if record.start else ():
            found.setdefault(flag, {}).setdefault(record.host, set()).add(str(value))
    for flag, by_host in sorted(found.items()):
        if any(len(values) > 1 for values in by_host.values()):
            continue
        single = {host: next(iter(values)) for host, values in by_host.items()}
        usual = usual_of(single)
        for host, value in single.items():
            if value != usual:
                text = (
                    f"on the host {host}, {flag} is {value}, but on most hosts it is {usual}, so "
                    f"the times on {host} may differ too"
                )
                yield _finding(one, text, host)


def _finding(one: CellEvidence, text: str, host: str) -> Finding:
    return Finding(
        check=NAME,
        severity="warning",
        cell=one.cell.id,
        figures=[*TIMED],
        text=text,
        advice=ADVICE,
        values={"host": host},
    )
