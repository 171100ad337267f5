"""Timers whose lateness is recorded."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from harness.python.recorder import Recorder


def fire(due_ns: int) -> int:
    """A timer that fires once. Returns its lateness in nanoseconds."""
    late_ns = -1
    while late_ns < 0:
        time.sleep(max(0, due_ns - time.monotonic_ns()) / 1e9)
        late_ns = time.monotonic_ns() - due_ns
    return late_ns


class Ticker:
    """Records the lateness of each tick, until all computing tasks have ended."""

    def __init__(self, period_ns: int, lateness: Recorder, burning: Callable[[], int]) -> None:
        """Ticks are counted from now. `burning` returns the number of tasks that still compute."""
        self.period_ns = period_ns
        self.lateness = lateness
        self.burning = burning
        self.due_ns = time.monotonic_ns() + period_ns

    def run(self) -> None:
        ended = False
        while not ended:
            time.sleep(max(0, self.due_ns - time.monotonic_ns()) / 1e9)
            seen_ns = time.monotonic_ns()
            ended = self.burning() == 0
            while self.due_ns <= seen_ns:
                self.lateness.record(seen_ns - self.due_ns)
                self.due_ns += self.period_ns
