"""The machine's level over a run, by its reference loop: as a result, and in one line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from runfair.evidence.machine_level import MachineLevel
from runfair.evidence.run import RunEvidence
from runfair.formats.host import KINDS, ReferenceKind, ReferenceReading
from runfair.formats.result import LevelRange, MachineLevelResult
from runfair.statistics.noise_floor import drift_along

RANGE = (2.5, 97.5)  # percentiles: 95% of the readings lie between
MOST_DRIFTING = 500  # readings that a drift is taken from; its cost grows with their square


def machine_level(evidence: RunEvidence) -> MachineLevelResult | None:
    """None where there are no readings."""
    level = evidence.level
    if not level.readings:
        return None
    return MachineLevelResult(
        share=_share(evidence),
        levels={kind: found for kind in KINDS if (found := _range(level, kind)) is not None},
    )


def _range(level: MachineLevel, kind: ReferenceKind) -> LevelRange | None:
    lanes = [members for (_, other, _), members in level.lanes.items() if other == kind]
    readings = [one for members in lanes for one in members]
    if not readings:
        return None
    low, high = np.percentile([level.relative(one) for one in readings], RANGE)
    drifts = [drift for members in lanes if (drift := _drift(level, members)) is not None]
    return LevelRange(
        readings=len(readings),
        low=float(low),
        high=float(high),
        drift=max(drifts, key=abs, default=0.0),
    )


def _drift(level: MachineLevel, members: Sequence[ReferenceReading]) -> float | None:
    some = members[:: -(-len(members) // MOST_DRIFTING)]
    if len(some) < 2:
        return None
    return drift_along(
        [one.started_monotonic_ns for one in some], [level.relative(one) for one in some]
    )


def _share(evidence: RunEvidence) -> float | None:
    """Of the time from the first execution's start to the last end of either, over all boots."""
    spans: dict[str, list[int]] = {}
    records = [one.record for cell in evidence.cells for one in cell.executions]
    for one in records:
        if one.launch.wall_ns:
            began_ns = one.launch.started_monotonic_ns
            spans.setdefault(one.boot_id, []).extend((began_ns, began_ns + one.launch.wall_ns))
    for reading in evidence.level.readings:
        spans.setdefault(reading.boot_id, []).append(reading.ended_monotonic_ns)
    whole_ns = sum(max(instants) - min(instants) for instants in spans.values())
    taken_ns = sum(one.took_ns for one in evidence.level.readings)
    return taken_ns / whole_ns if whole_ns else None
