"""Processes that sleep: concurrency/blocking/contract.md."""

from __future__ import annotations

import time

from concurrency.python.processes import FORK, MOST_PROCESSES, Process, limit, results
from harness.python.harness import FNV_OFFSET, MASK_64, Options, SplitMix64, fnv1a, main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from multiprocessing.connection import Connection


class Counts:
    """The benchmark's counters."""

    def __init__(self) -> None:
        self.calls = 0


counts = Counts()


class Work:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"])
        self.tasks = int(options["tasks"])
        self.pause_ms = int(options["pause_ms"])
        self.lateness = options.recorder("lateness")
        limit(f"tasks={self.tasks}", self.tasks)
        self.sum = FORK.Value("Q")  # in shared memory, with a lock

    def task(self, i: int, end_ns: int, program: Connection) -> None:
        """Sends how late the task was, and its counts."""
        own = Counts()
        time.sleep(self.pause_ms / 1000)
        late_ns = time.monotonic_ns() - end_ns
        x = SplitMix64((self.seed + i) & MASK_64).next()
        with self.sum.get_lock():
            self.sum.value = (self.sum.value + x) & MASK_64
            own.calls += 1  # tick
        program.send((late_ns, own))


def prepare(work: Work) -> Work:
    work.sum.value = 0
    return work


def run(work: Work) -> int:
    end_ns = time.monotonic_ns() + work.pause_ms * 1_000_000
    for late_ns, own in results([Process(work.task, i, end_ns) for i in range(work.tasks)]):
        work.lateness.record(late_ns)
        counts.calls += own.calls
    return int(work.sum.value)


def digest(total: int) -> int:
    return fnv1a(b"%016x\n" % total, FNV_OFFSET)


if __name__ == "__main__":
    steps = (Work, prepare, run, digest)
    main("blocking", *steps, counts=counts, tier="multiprocessing", max_threads=MOST_PROCESSES)
