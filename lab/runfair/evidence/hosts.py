"""The hosts of a run: how they differ from each other, and their noise floors."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from runfair.evidence.machine_level import Clock
from runfair.formats.host import Host


def noise_floor(hosts: Iterable[Host], clock: Clock) -> float:
    """The greatest noise floor of the calibrated hosts. A difference that is smaller may be noise
    on one of the hosts. The result is 0 if no host is calibrated."""
    found = [one.calibration for one in hosts if one.calibration is not None]
    if clock == "cpu":
        return max((one.noise_floor_cpu for one in found), default=0.0)
    return max((one.noise_floor_wall for one in found), default=0.0)


def differing(hosts: Sequence[Host], most: float) -> dict[str, str]:
    """For each host that differs from most hosts, a text with the differences. Hosts that are alike
    are left out. The speed of the reference loop differs if it is further from the median than the
    share `most`."""
    told: dict[str, list[str]] = {}
    described = {host.name: _properties(host) for host in hosts}
    for name in next(iter(described.values())):
        values = {host: properties[name] for host, properties in described.items()}
        usual = usual_of(values)
        for host, value in values.items():
            if value != usual:
                told.setdefault(host, []).append(f"{name} {value}, not {usual}")
    speeds = {one.name: one.calibration.reference_ns for one in hosts if one.calibration}
    for host in [one.name for one in hosts if one.name not in speeds] if speeds else ():
        told.setdefault(host, []).append("not calibrated")
    median = statistics.median(speeds.values()) if speeds else 0
    for host, reference_ns in speeds.items():
        difference = reference_ns / median - 1
        if abs(difference) > most:
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
        "firmware": host.firmware or "unknown",
        "kernel": host.kernel,
        "governor": ", ".join(governors) or "unknown",
        "frequency scaling": host.frequency_scaling or "unknown",
        "turbo": host.turbo or "unknown",
        "huge pages": host.transparent_huge_pages,
        "clock source": host.clock_source,
        "virtualisation": host.virtualised or "none",
    }


def usual_of(values: Mapping[str, str]) -> str:
    """The most frequent value. Of several equally frequent values, the result is the first host's
    value."""
    return Counter(values.values()).most_common(1)[0][0]
