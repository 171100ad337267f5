"""The result of each host of a service that runs on several."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from runfair.evidence.cell import ExecutionEvidence
from runfair.formats.finding import VerdictState
from runfair.formats.launch import LaunchReport
from runfair.formats.service_result import ServiceHostResult


def service_hosts(
    completed: Sequence[ExecutionEvidence], state: VerdictState
) -> list[ServiceHostResult]:
    """The hosts by name. Empty if the service runs on a single host, or if its cost is void."""
    if state == "void":
        return []
    launches: dict[str, list[LaunchReport]] = {}
    shares: dict[str, list[float]] = {}
    for one in completed:
        hosts = one.record.served.hosts if one.record.served is not None else []
        whole_ns = sum(each.launch.cpu_ns for each in hosts)
        for each in hosts:
            launches.setdefault(each.host, []).append(each.launch)
            if whole_ns:
                shares.setdefault(each.host, []).append(each.launch.cpu_ns / whole_ns)
    return [
        ServiceHostResult(
            host=host,
            executions=len(mine),
            verdict=state,
            cpu_share=median(shares[host]) if host in shares else None,
            memory_bytes=median(launch.peak_tree_bytes for launch in mine),
        )
        for host, mine in sorted(launches.items())
    ]
