"""Processes that wake each other: concurrency/wake-up/contract.md."""

from __future__ import annotations

import time

from concurrency.python.processes import FORK, MOST_PROCESSES, Process, limit, results
from harness.python.harness import FNV_OFFSET, Options, fnv1a, main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from multiprocessing.connection import Connection

MASK_32 = 2**32 - 1


class Counts:
    """The benchmark's counters."""

    def __init__(self) -> None:
        self.wakes = 0


counts = Counts()


class Work:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"]) & MASK_32
        self.tasks = int(options["tasks"])
        self.rounds = int(options["rounds"])
        self.latency = options.recorder("latency")
        limit(f"tasks={self.tasks}", self.tasks)
        self.bells = [FORK.Semaphore(0) for _ in range(self.tasks)]
        # In shared memory. They belong to the task that was woken last.
        self.x, self.since_ns = FORK.RawValue("Q"), FORK.RawValue("Q")

    def begin(self) -> None:
        self.x.value = self.seed

    def task(self, i: int, program: Connection) -> None:
        """Sends that it has begun, and then its latencies and its counts."""
        own = Counts()
        latencies = []
        program.send("begun")
        for turn in range(self.rounds):
            self.bells[i].acquire()
            latencies.append(time.monotonic_ns() - self.since_ns.value)
            own.wakes += 1  # tick
            self.x.value = (self.x.value * 1664525 + i) & MASK_32
            if i + 1 < self.tasks or turn + 1 < self.rounds:
                self.wake((i + 1) % self.tasks)
        program.send((latencies, own))

    def wake(self, task: int) -> None:
        self.since_ns.value = time.monotonic_ns()
        self.bells[task].release()


def prepare(work: Work) -> Work:
    work.begin()
    return work


def run(work: Work) -> int:
    running = [Process(work.task, i) for i in range(work.tasks)]
    for process in running:
        process.receive()  # it has begun
    work.wake(0)
    for latencies, own in results(running):
        for latency_ns in latencies:
            work.latency.record(latency_ns)
        counts.wakes += own.wakes
    return int(work.x.value)


def digest(x: int) -> int:
    return fnv1a(b"%08x\n" % x, FNV_OFFSET)


if __name__ == "__main__":
    steps = (Work, prepare, run, digest)
    main("wake-up", *steps, counts=counts, tier="multiprocessing", max_threads=MOST_PROCESSES)
