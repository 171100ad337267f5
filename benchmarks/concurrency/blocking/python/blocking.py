"""Threads that sleep: concurrency/blocking/contract.md."""

from __future__ import annotations

import time
from threading import Lock, Thread

from harness.python.harness import FNV_OFFSET, MASK_64, Options, SplitMix64, fnv1a, main


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
        self.adding = Lock()
        self.sum = 0

    def task(self, i: int, end_ns: int) -> None:
        time.sleep(self.pause_ms / 1000)
        self.lateness.record(time.monotonic_ns() - end_ns)
        x = SplitMix64((self.seed + i) & MASK_64).next()
        with self.adding:
            self.sum += x
            counts.calls += 1  # tick


def prepare(work: Work) -> Work:
    work.sum = 0
    return work


def run(work: Work) -> int:
    end_ns = time.monotonic_ns() + work.pause_ms * 1_000_000
    running = []
    for i in range(work.tasks):
        # Daemons, so that the process can end if one of them cannot be started.
        thread = Thread(target=work.task, args=(i, end_ns), daemon=True)
        thread.start()
        running.append(thread)
    for thread in running:
        thread.join()
    return work.sum & MASK_64


def digest(total: int) -> int:
    return fnv1a(b"%016x\n" % total, FNV_OFFSET)


if __name__ == "__main__":
    main("blocking", Work, prepare, run, digest, counts=counts, max_threads=10_000)
