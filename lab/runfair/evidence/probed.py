"""Executions under the bytecode probe. The times of these executions are not used for figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runfair.evidence.slow_requests import SlowRequests
from runfair.formats.execution import Execution
from runfair.formats.probed_execution import ProbedExecution


@dataclass(frozen=True, eq=False)
class ProbedEvidence:
    """The evidence of an execution under the bytecode probe. `slow` has the slowest requests of a
    service's load under the probe."""

    record: Execution
    probed: ProbedExecution
    slow: SlowRequests | None = None


Probes = Callable[[Execution], ProbedEvidence | None]


def probed_of(
    records: Sequence[Execution], probes: Probes
) -> tuple[tuple[ProbedEvidence, ...], str]:
    """The probed executions of a cell, and the reason of failure if an execution under the probe
    failed."""
    watched = [one for one in records if one.role == "probe"]
    completed = [one for one in watched if one.outcome.state == "completed"]
    failed = [one for one in watched if one not in completed]
    found = tuple(left for one in completed if (left := probes(one)) is not None)
    return found, failed[0].outcome.reason if failed else ""
