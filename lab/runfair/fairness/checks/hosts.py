"""The hosts of a run are alike.

**Looks for** a host that differs from most hosts of the run in its processor, number of processors,
architecture, kernel, governors, turbo, huge pages, clock source or virtualisation. The check also
looks for a host on which calibration found another speed of the reference loop, or on which a
runtime reported other effective flags. Firmware is not recorded.

**Threshold** Any difference flags wall time and CPU time of the cells that were measured on the
host. These times are also flagged if the speed of the reference loop differs from the hosts' median
by more than `FLAGGED_SPEED`. If no value of a property is the most frequent, the first host's value
is taken as the usual value.

**Source** The limit is ours. Blocks are never split over hosts, so a host's speed cancels in every
ratio. If the speeds differ by more than 5%, the hosts are no longer the same kind of machine.

**What to do** Name hosts that are alike in `machines.toml` (`features`), or run again without the
host.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Mapping

from runfair.evidence.run import CellEvidence, RunEvidence
from runfair.fairness.figures import TIMED
from runfair.formats.finding import Finding
from runfair.formats.host import Host

NAME = "hosts"
VERSION = 1
FLAGGED_SPEED = 0.05
ADVICE = "name only hosts that are alike in `machines.toml` (`features`)"


def check(run: RunEvidence) -> Iterator[Finding]:
    if len(run.hosts) < 2:
        return
    odd = _differing(run.hosts)
    for one in run.cells:
        measured_on = sorted({each.record.host for each in one.completed})
        for host in measured_on:
            if host in odd:
                yield _finding(one, f"{host} differs from most hosts: {odd[host]}", host)
        yield from _other_flags(one)


def _differing(hosts: tuple[Host, ...]) -> dict[str, str]:
    """What is unlike most hosts, by the name of the host."""
    told: dict[str, list[str]] = {}
    described = {host.name: _properties(host) for host in hosts}
    for name in next(iter(described.values())):
        values = {host: properties[name] for host, properties in described.items()}
        usual = _usual(values)
        for host, value in values.items():
            if value != usual:
                told.setdefault(host, []).append(f"{name} {value}, not {usual}")
    speeds = {one.name: one.calibration.reference_ns for one in hosts if one.calibration}
    for host in [one.name for one in hosts if one.name not in speeds] if speeds else ():
        told.setdefault(host, []).append("not calibrated")
    median = statistics.median(speeds.values()) if speeds else 0
    for host, reference_ns in speeds.items():
        difference = reference_ns / median - 1
        if abs(difference) > FLAGGED_SPEED:
            slower = "slower" if difference > 0 else "faster"
            told.setdefault(host, []).append(
                f"the reference loop is {abs(difference):.0%} {slower}"
            )
    return {host: "; ".join(parts) for host, parts in told.items()}


def _properties(host: Host) -> dict[str, str]:
    governors = sorted({one.governor or "unknown" for one in host.processors})
    return {
        "processor": host.processor_model,
        "processors": str(len(host.processors)),
        "architecture": host.architecture,
        "kernel": host.kernel,
        "governor": ", ".join(governors) or "unknown",
        "frequency scaling": host.frequency_scaling or "unknown",
        "turbo": host.turbo or "unknown",
        "huge pages": host.transparent_huge_pages,
        "clock source": host.clock_source,
        "virtualisation": host.virtualised or "none",
    }


def _usual(values: Mapping[str, str]) -> str:
    """The most frequent value; among equals the first host's."""
    return Counter(values.values()).most_common(1)[0][0]


def _other_flags(one: CellEvidence) -> Iterator[Finding]:
    """Hosts on which the runtime reported another value of a flag. Values that vary on a single
    host are no property of it."""
    found: dict[str, dict[str, set[str]]] = {}
    for each in one.completed:
        start = each.record.start
        for flag, value in start.effective.items() if start else ():
            found.setdefault(flag, {}).setdefault(each.record.host, set()).add(str(value))
    for flag, by_host in sorted(found.items()):
        if any(len(values) > 1 for values in by_host.values()):
            continue
        single = {host: next(iter(values)) for host, values in by_host.items()}
        usual = _usual(single)
        for host, value in single.items():
            if value != usual:
                text = f"{host} differs from most hosts: {flag} {value} is in force, not {usual}"
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
