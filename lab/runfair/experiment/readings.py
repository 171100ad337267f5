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

# Readings take less than 2% of the run's time. If a reading takes longer, the following readings
# are shortened.
SHARE = 0.015
# The limits of a reading's length. A shorter reading costs less than the start of its process; a
# longer reading is no more precise.
LEAST_NS = 5_000_000
MOST_NS = 100_000_000
# The first estimate of a reading's cost in addition to its loop: 5 to 10 ms on two shared cores.
# The cost is measured during the run.
FIRST_OVERHEAD_NS = 10_000_000


class Loop(Protocol):
    """A reference loop that can take a reading."""

    def read(
        self, kind: ReferenceKind, processor: int, length_ns: int, after: str
    ) -> ReferenceReading: ...


@dataclass
class Readings:
    """The readings of a run, as many as their share of the run's time allows. After a long
    execution both kinds are read; after short executions, a single reading is taken occasionally.
    Kinds and processors take turns. If the lab has no processor of its own, no readings are taken,
    because they would include the lab's own work.
    """

    loop: Loop
    folder: RunFolder
    lab: Callable[[], Collection[int]] = lambda: os.sched_getaffinity(0)
    _left_ns: float = 0.0
    _overhead_ns: int = FIRST_OVERHEAD_NS
    _taken: int = field(default=0, init=False)

    def after(self, execution: Execution, took_ns: int) -> None:
        """Take readings after this execution. `took_ns` is the time from the execution's start
        until it was recorded."""
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
        except InvalidResult:  # a failed reading leaves a gap, and the run continues
            self._left_ns -= length_ns + self._overhead_ns
            return
        self._left_ns -= reading.took_ns
        self._overhead_ns = max(0, reading.took_ns - length_ns)
        self.folder.append_reading(reading)
