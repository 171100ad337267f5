"""What tasks that compute have to do, with threads and with asyncio."""

from __future__ import annotations

import time

from harness.python.harness import FNV_OFFSET, Options, SplitMix64, fnv1a

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List


class Counts:
    """The benchmark's counters."""

    def __init__(self) -> None:
        self.rounds = 0
        self.burners = 0
        self.yields = 0
        self.timers = 0

    def add(self, other: Counts) -> None:
        self.rounds += other.rounds
        self.burners += other.burners
        self.yields += other.yields
        self.timers += other.timers


def draw(random: SplitMix64, rounds: int, counts: Counts) -> int:
    """The exclusive or of the next numbers of the generator."""
    x = 0
    for _ in range(rounds):
        x ^= random.next()
        counts.rounds += 1  # tick
    return x


class Task:
    """The options of the program."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"])
        self.burners = int(options["burners"])
        self.rounds = int(options["rounds"])
        workload = options["workload"]
        # Of a task that never yields: all.
        self.yield_rounds = int(options["yield_rounds"]) if workload == "yielding" else 2**63
        # Those that fire once; 0 if there is a ticker.
        self.timers = int(options["timers"]) if workload == "one-shot" else 0
        self.period_ns = int(options["period_us"]) * 1000
        self.lateness = options.recorder("lateness")

    def due_ns(self) -> int:
        """When a timer is due that is set now."""
        return time.monotonic_ns() + self.period_ns


def digest(answer: List[int]) -> int:
    state = FNV_OFFSET
    for x in answer:
        state = fnv1a(b"%016x\n" % x, state)
    return state
