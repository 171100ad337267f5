"""Threads that wake each other: concurrency/wake-up/contract.md."""

from __future__ import annotations

import time
from threading import Semaphore, Thread

from harness.python.harness import FNV_OFFSET, Options, fnv1a, main

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

    def begin(self) -> None:
        self.bells = [Semaphore(0) for _ in range(self.tasks)]
        self.begun = Semaphore(0)  # released by each task
        self.x = self.seed
        self.since_ns = 0  # like x, it belongs to the task that was woken last

    def task(self, i: int) -> None:
        self.begun.release()
        for turn in range(self.rounds):
            self.bells[i].acquire()
            self.latency.record(time.monotonic_ns() - self.since_ns)
            counts.wakes += 1  # tick
            self.x = (self.x * 1664525 + i) & MASK_32
            if i + 1 < self.tasks or turn + 1 < self.rounds:
                self.wake((i + 1) % self.tasks)

    def wake(self, task: int) -> None:
        self.since_ns = time.monotonic_ns()
        self.bells[task].release()


def prepare(work: Work) -> Work:
    work.begin()
    return work


def run(work: Work) -> int:
    # Daemons, so that the process can end if one of them cannot be started.
    running = [Thread(target=work.task, args=(i,), daemon=True) for i in range(work.tasks)]
    for thread in running:
        thread.start()
    for _ in running:
        work.begun.acquire()
    work.wake(0)
    for thread in running:
        thread.join()
    return work.x


def digest(x: int) -> int:
    return fnv1a(b"%08x\n" % x, FNV_OFFSET)


if __name__ == "__main__":
    main("wake-up", Work, prepare, run, digest, counts=counts, max_threads=10_000)
