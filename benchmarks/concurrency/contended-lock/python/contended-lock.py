"""Threads that compete for the same lock: concurrency/contended-lock/contract.md."""

from __future__ import annotations

import time
from threading import Barrier, Lock, Thread

from harness.python.harness import FNV_OFFSET, MASK_64, Options, SplitMix64, fnv1a, main


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
        self.lock = Lock()

    def begin(self) -> None:
        self.shared = SplitMix64(self.seed)  # protected by the lock, as the sum is
        self.sum = 0
        self.beginning = Barrier(self.tasks, self.start_clock)

    def start_clock(self) -> None:
        """Called by the last task that begins."""
        self.started_ns = time.monotonic_ns()

    def task(self, i: int) -> None:
        own = SplitMix64((self.seed + 1 + i) & MASK_64)
        self.beginning.wait()
        for _ in range(self.rounds):
            asked_ns = time.monotonic_ns()
            with self.lock:
                now_ns = time.monotonic_ns()
                self.sum += self.shared.next() + own.next()
                counts.locks += 1  # tick
                if self.held:
                    time.sleep(0)
            self.wait.record(now_ns - asked_ns)


def prepare(work: Work) -> Work:
    work.begin()
    return work


def run(work: Work) -> int:
    # Daemons, so that the process can end if one of them cannot be started.
    running = [Thread(target=work.task, args=(i,), daemon=True) for i in range(work.tasks)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    elapsed_ns = time.monotonic_ns() - work.started_ns
    work.locks.record(elapsed_ns * 1000 // (work.tasks * work.rounds))
    return work.sum & MASK_64


def digest(total: int) -> int:
    return fnv1a(b"%016x\n" % total, FNV_OFFSET)


if __name__ == "__main__":
    main("contended-lock", Work, prepare, run, digest, counts=counts, max_threads=10_000)
