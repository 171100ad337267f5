"""The capacity over executions, each of which searched by itself in a process of its own."""

from __future__ import annotations

from collections.abc import Sequence

from runfair.evidence.run import ExecutionEvidence
from runfair.statistics.capacity import CapacityInterval


def capacity_of(executions: Sequence[ExecutionEvidence]) -> CapacityInterval | None:
    """What all of them agree on: the least of the highest rates met and the greatest of the lowest
    missed; an end that any execution left open is open. The confidence is the least, and holds for
    rates that are observed independently, which those of one warm process are not quite."""
    found = [
        one.record.served.capacity
        for one in executions
        if one.record.served is not None and one.record.served.capacity is not None
    ]
    if not found:
        return None
    met = [one.highest_met_per_s for one in found]
    missed = [one.lowest_missed_per_s for one in found]
    known_met = [rate for rate in met if rate is not None]
    known_missed = [rate for rate in missed if rate is not None]
    return CapacityInterval(
        highest_met_per_s=min(known_met) if len(known_met) == len(met) else None,
        lowest_missed_per_s=max(known_missed) if len(known_missed) == len(missed) else None,
        confidence=min(one.confidence for one in found),
        observations=sum(one.observations for one in found),
        contradictions=tuple(pair for one in found for pair in one.contradictions),
    )
