"""Readings of the reference loop between executions, within a limited share of the run."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Protocol

from runfair.errors import InvalidResult
from runfair.formats.execution import Execution
from runfair.formats.host import KINDS, ReferenceKind, ReferenceReading
from runfair.formats.run_folder import RunFolder

# Readings get less than 2% of the run. A reading that takes longer shortens the following ones.
SHARE = 0.015
# Limits of a reading's length: below, starting the process costs more than the loop; above, a
# reading gains no precision.
LEAST_NS = 5_000_000
MOST_NS = 100_000_000
# The first estimate of a reading's cost beside its loop: 5 to 10 ms on two shared cores; later
# measured.
FIRST_OVERHEAD_NS = 10_000_000


class Loop(Protocol):
    """A reference loop that can take a reading."""

    def read(
        self, kind: ReferenceKind, processor: int, length_ns: int, after: str
    ) -> ReferenceReading: ...


@dataclass
class Readings:
    """The readings of a run, as many as its share allows: both kinds after long executions, a
    single one now and then after short ones. Kinds and processors take turns. If the lab has no
    processor of its own, nothing is read, because readings would include the lab's own work.
    """

    loop: Loop
    folder: RunFolder
    lab: Callable[[], Collection[int]] = lambda: os.sched_getaffinity(0)
    _left_ns: float = 0.0
    _overhead_ns: int = FIRST_OVERHEAD_NS
    _taken: int = field(default=0, init=False)

    def after(self, execution: Execution, took_ns: int) -> None:
        """Take readings after this execution, which took `took_ns` from its start to its record."""
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
        except InvalidResult:  # a failed reading leaves a gap, and the run goes on
            self._left_ns -= length_ns + self._overhead_ns
            return
        self._left_ns -= reading.took_ns
        self._overhead_ns = max(0, reading.took_ns - length_ns)
        self.folder.append_reading(reading)
