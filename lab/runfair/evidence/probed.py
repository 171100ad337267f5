"""Executions under the probe of their bytecodes. None of their times is a figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runfair.evidence.slow_requests import SlowRequests
from runfair.formats.execution import Execution
from runfair.formats.probed_execution import ProbedExecution


@dataclass(frozen=True, eq=False)
class ProbedEvidence:
    """`slow` are the slowest requests of a service's load under the probe."""

    record: Execution
    probed: ProbedExecution
    slow: SlowRequests | None = None


Probes = Callable[[Execution], ProbedEvidence | None]


def probed_of(
    records: Sequence[Execution], probes: Probes
) -> tuple[tuple[ProbedEvidence, ...], str]:
    """What was probed, and why nothing was where that was asked for."""
    watched = [one for one in records if one.role == "probe"]
    completed = [one for one in watched if one.outcome.state == "completed"]
    failed = [one for one in watched if one not in completed]
    found = tuple(left for one in completed if (left := probes(one)) is not None)
    return found, failed[0].outcome.reason if failed else ""
