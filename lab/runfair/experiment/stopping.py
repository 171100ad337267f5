"""The stopping rule of steady executions. The rule is applied while their output arrives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from runfair.formats.execution import Execution
from runfair.formats.transcript import Transcript
from runfair.statistics.steady_state import detect
from runfair.statistics.stopping import Enough, enough, floor_ns, next_look_ns

PILOTS_NEEDED = 2


@dataclass
class PilotFloors:
    """The floors that pilots set: for each cell, the time before which no execution may stop."""

    _starts_ns: dict[str, list[int | None]] = field(default_factory=dict)

    def learn(self, execution: Execution, wall_ns: Sequence[int], _cpu_ns: Sequence[int]) -> None:
        """Take an execution into account. Only completed pilots change a floor."""
        if execution.role != "pilot" or execution.outcome.state != "completed":
            return
        start = detect(wall_ns).start
        reached_ns = None if start is None else int(np.sum(wall_ns[:start], dtype=np.int64))
        self._starts_ns.setdefault(execution.cell, []).append(reached_ns)

    def floor_ns(self, cell: str) -> int | None:
        """The floor of a cell. None (never stop early) if there are no two pilots, or if one of
        them did not become steady."""
        starts = self._starts_ns.get(cell, [])
        return floor_ns(starts) if len(starts) >= PILOTS_NEEDED else None


@dataclass
class SteadyRule:
    """The stopping rule for one execution. The rule is evaluated less and less often, so that it
    costs little."""

    floor_ns: int | None
    tolerance: float
    _next_look_ns: int = field(default_factory=lambda: next_look_ns(0))

    def __call__(self, transcript: Transcript, elapsed_ns: int) -> str | None:
        if self.floor_ns is None or elapsed_ns < max(self._next_look_ns, self.floor_ns):
            return None
        self._next_look_ns = next_look_ns(elapsed_ns)
        if not transcript.iterations:
            return None
        first_ns, last_ns = transcript.started_ns[0], transcript.started_ns[-1]
        seen = enough(
            np.asarray(transcript.wall_ns, dtype=np.int64),
            elapsed_ns=last_ns - first_ns + transcript.wall_ns[-1],
            floor_ns=self.floor_ns,
            tolerance=self.tolerance,
        )
        if isinstance(seen, Enough):
            return (
                f"the execution was steady from iteration {seen.start} on, and its median is "
                f"known to ±{seen.half_width:.2%}"
            )
        return None
