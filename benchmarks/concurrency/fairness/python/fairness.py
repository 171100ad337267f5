"""Threads that take turns from one supply: concurrency/fairness/contract.md."""

from __future__ import annotations

import itertools
import time
from threading import Event, Semaphore, Thread

from harness.python.harness import FNV_OFFSET, MASK_64, Options, fnv1a, main

from .shares import Counts, Share, first, jain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List

counts = Counts()


class Work:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"])
        self.tasks = int(options["tasks"])
        self.turns = int(options["turns"])
        self.turn_ns = int(options["turn_us"]) * 1000
        self.index = options.recorder("index")

    def begin(self) -> None:
        self.supply = itertools.count()  # `next` is atomic: it is one call into C
        self.shares = [Share() for _ in range(self.tasks)]
        self.gate = Event()
        self.begun = Semaphore(0)

    def spin(self, i: int, own: Share) -> None:
        self.begun.release()
        self.gate.wait()
        own.sum = first(self.seed, i)
        own.counts.tasks += 1  # tick
        k = next(self.supply)
        while k < self.turns:
            end_ns = time.monotonic_ns() + self.turn_ns
            y = first(self.seed, self.tasks + k)
            own.counts.turns += 1  # tick
            while time.monotonic_ns() < end_ns:
                pass
            own.sum += y
            own.turns += 1
            k = next(self.supply)


def prepare(work: Work) -> Work:
    work.begin()
    return work


def run(work: Work) -> List[Share]:
    running = []
    for i, share in enumerate(work.shares):
        # Daemons, so that the process can end if one of them cannot be started.
        thread = Thread(target=work.spin, args=(i, share), daemon=True)
        thread.start()
        running.append(thread)
    for _ in running:
        work.begun.acquire()
    work.gate.set()
    for thread in running:
        thread.join()
    work.index.record(jain(work.shares))
    for share in work.shares:
        counts.add(share.counts)
    return work.shares


def digest(shares: List[Share]) -> int:
    return fnv1a(b"%016x\n" % (sum(share.sum for share in shares) & MASK_64), FNV_OFFSET)


if __name__ == "__main__":
    main("fairness", Work, prepare, run, digest, counts=counts, max_threads=10_000)
