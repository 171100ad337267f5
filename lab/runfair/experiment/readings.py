"""Readings of the reference loop between neighbouring executions, within a share of the run."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Protocol

from runfair.errors import InvalidResult
from runfair.formats.execution import Execution
from runfair.formats.host import KINDS, ReferenceKind, ReferenceReading
from runfair.formats.run_folder import RunFolder

# Under 2% of the run is granted. What a reading overruns is taken from those that follow.
SHARE = 0.015
# Below it, the start of the process would cost more than the loop itself; above it, a reading
# tells no more.
LEAST_NS = 5_000_000
MOST_NS = 100_000_000
# What a reading costs beside its loop: 5 to 10 ms on two shared cores; measured from then on.
FIRST_OVERHEAD_NS = 10_000_000


class Loop(Protocol):
    """What can take a reading."""

    def read(
        self, kind: ReferenceKind, processor: int, length_ns: int, after: str
    ) -> ReferenceReading: ...


@dataclass
class Readings:
    """Between executions both kinds are read, as long as those that came before allow for: after
    long executions both, after short ones a single one now and then. Kinds and processors take
    turns. Where the lab has no processor of its own, its own work would be read: then nothing is.
    """

    loop: Loop
    folder: RunFolder
    lab: Callable[[], Collection[int]] = lambda: os.sched_getaffinity(0)
    _left_ns: float = 0.0
    _overhead_ns: int = FIRST_OVERHEAD_NS
    _taken: int = field(default=0, init=False)

    def after(self, execution: Execution, took_ns: int) -> None:
        """Between this execution, which took so long from start to record, and the next one."""
        most_ns = len(KINDS) * (MOST_NS + self._overhead_ns)
        self._left_ns = min(self._left_ns + SHARE * took_ns, float(most_ns))
        measured = sorted(set(execution.processors) - set(self.lab()))
        if not measured:
            return
        for wanted in range(len(KINDS), 0, -1):
            length_ns = min(MOST_NS, round(self._left_ns / wanted) - self._overhead_ns)
            if length_ns >= LEAST_NS:
                self._read(measured, length_ns, execution.id)

    def _read(self, measured: list[int], length_ns: int, after: str) -> None:
        turn, kind = divmod(self._taken, len(KINDS))
        self._taken += 1
        try:
            reading = self.loop.read(KINDS[kind], measured[turn % len(measured)], length_ns, after)
        except InvalidResult:  # a gap among the readings; the run goes on
            self._left_ns -= length_ns + self._overhead_ns
            return
        self._left_ns -= reading.took_ns
        self._overhead_ns = max(0, reading.took_ns - length_ns)
        self.folder.append_reading(reading)
