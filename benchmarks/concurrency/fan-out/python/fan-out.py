"""A tree of threads: concurrency/fan-out/contract.md."""

from __future__ import annotations

import time
from threading import Thread

from harness.python.harness import FNV_OFFSET, MASK_64, Options, SplitMix64, fnv1a, main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List


class Counts:
    """The benchmark's counters."""

    def __init__(self) -> None:
        self.tasks = 0


counts = Counts()


class Subtree:
    """The result of a task: the sum over its subtree, and the counts of its subtree. A task that
    failed has no sum, so the tasks above it and the program fail, too."""

    sum: int

    def __init__(self) -> None:
        self.counts = Counts()


class Work:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"])
        self.degree = int(options["degree"])
        self.depth = int(options["depth"])
        self.tasks = sum(self.degree**level for level in range(self.depth + 1))
        self.recorder = options.recorder("tasks")

    def start(self, i: int, levels: int, tree: Subtree) -> Thread:
        # Daemons, so that the process can end if one of them cannot be started.
        thread = Thread(target=self.grow, args=(i, levels, tree), daemon=True)
        thread.start()
        return thread

    def grow(self, i: int, levels: int, tree: Subtree) -> None:
        """Runs task i, which starts the tasks below it."""
        total = SplitMix64((self.seed + i) & MASK_64).next()
        tree.counts.tasks += 1  # tick
        if levels > 0:
            children: List[Subtree] = [Subtree() for _ in range(self.degree)]
            running = [
                self.start(i * self.degree + n, levels - 1, child)
                for n, child in enumerate(children, 1)
            ]
            for thread in running:
                thread.join()
            for child in children:
                total += child.sum
                tree.counts.tasks += child.counts.tasks
        tree.sum = total & MASK_64


def prepare(work: Work) -> Work:
    return work


def run(work: Work) -> int:
    started_ns = time.monotonic_ns()
    tree = Subtree()
    work.start(0, work.depth, tree).join()
    work.recorder.record((time.monotonic_ns() - started_ns) * 1000 // work.tasks)
    counts.tasks += tree.counts.tasks
    return tree.sum


def digest(total: int) -> int:
    return fnv1a(b"%016x\n" % total, FNV_OFFSET)


if __name__ == "__main__":
    main("fan-out", Work, prepare, run, digest, counts=counts, max_threads=1_000_000)
