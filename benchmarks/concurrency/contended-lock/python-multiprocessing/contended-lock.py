"""Processes that compete for the same lock: concurrency/contended-lock/contract.md."""

from __future__ import annotations

import os
import time

from concurrency.python.processes import FORK, MOST_PROCESSES, Process, limit, results
from harness.python.harness import FNV_OFFSET, MASK_64, Options, SplitMix64, fnv1a, main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from multiprocessing.connection import Connection


class Counts:
    """The benchmark's counters."""

    def __init__(self) -> None:
        self.locks = 0


counts = Counts()


class Work:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"])
        self.tasks = int(options["tasks"])
        self.rounds = int(options["rounds"])
        self.held = options["workload"] == "held"
        self.wait = options.recorder("wait")
        self.locks = options.recorder("locks")
        limit(f"tasks={self.tasks}", self.tasks)
        self.lock = FORK.Lock()
        self.beginning = FORK.Barrier(self.tasks, self.start_clock)
        # In shared memory; the lock protects the state of the shared generator, and the sum.
        self.state, self.sum, self.started_ns = (FORK.RawValue("Q") for _ in range(3))

    def begin(self) -> None:
        self.state.value = self.seed
        self.sum.value = 0

    def start_clock(self) -> None:
        """Called by the last task that begins."""
        self.started_ns.value = time.monotonic_ns()

    def task(self, i: int, program: Connection) -> None:
        """Sends the time at which the task ended, its waiting times and its counts."""
        counted = Counts()
        waits = []
        own = SplitMix64((self.seed + 1 + i) & MASK_64)
        shared = SplitMix64(self.seed)
        self.beginning.wait()
        for _ in range(self.rounds):
            asked_ns = time.monotonic_ns()
            with self.lock:
                now_ns = time.monotonic_ns()
                shared.state = self.state.value
                self.sum.value = (self.sum.value + shared.next() + own.next()) & MASK_64
                self.state.value = shared.state
                counted.locks += 1  # tick
                if self.held:
                    os.sched_yield()
            waits.append(now_ns - asked_ns)
        program.send((time.monotonic_ns(), waits, counted))


def prepare(work: Work) -> Work:
    work.begin()
    return work


def run(work: Work) -> int:
    ended = results([Process(work.task, i) for i in range(work.tasks)])
    elapsed_ns = max(ended_ns for ended_ns, _, _ in ended) - work.started_ns.value
    work.locks.record(elapsed_ns * 1000 // (work.tasks * work.rounds))
    for _, waits, counted in ended:
        for wait_ns in waits:
            work.wait.record(wait_ns)
        counts.locks += counted.locks
    return int(work.sum.value)


def digest(total: int) -> int:
    return fnv1a(b"%016x\n" % total, FNV_OFFSET)


if __name__ == "__main__":
    steps = (Work, prepare, run, digest)
    main(
        "contended-lock", *steps, counts=counts, tier="multiprocessing", max_threads=MOST_PROCESSES
    )
