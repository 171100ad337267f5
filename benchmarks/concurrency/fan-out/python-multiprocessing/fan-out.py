"""A tree of processes: concurrency/fan-out/contract.md."""

from __future__ import annotations

import time

from concurrency.python.processes import MOST_PROCESSES, Process, limit
from harness.python.harness import FNV_OFFSET, MASK_64, Options, SplitMix64, fnv1a, main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from multiprocessing.connection import Connection


class Counts:
    """The benchmark's counters."""

    def __init__(self) -> None:
        self.tasks = 0


counts = Counts()


class Work:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"])
        self.degree = int(options["degree"])
        self.depth = int(options["depth"])
        self.tasks = sum(self.degree**level for level in range(self.depth + 1))
        limit(f"{self.tasks} tasks (degree={self.degree} depth={self.depth})", self.tasks)
        self.recorder = options.recorder("tasks")

    def start(self, i: int, levels: int) -> Process:
        # All tasks end by themselves, even if one of them fails.
        return Process(self.grow, i, levels, daemon=levels == 0)

    def grow(self, i: int, levels: int, parent: Connection) -> None:
        """Runs task i, which starts the tasks below it, and sends the sum over its subtree and the
        number of its tasks."""
        own = Counts()
        total = SplitMix64((self.seed + i) & MASK_64).next()
        own.tasks += 1  # tick
        if levels > 0:
            first = i * self.degree + 1
            children = [
                self.start(child, levels - 1) for child in range(first, first + self.degree)
            ]
            for child in children:
                subtotal, tasks = child.result()
                total += subtotal
                own.tasks += tasks
        parent.send((total & MASK_64, own.tasks))


def prepare(work: Work) -> Work:
    return work


def run(work: Work) -> int:
    started_ns = time.monotonic_ns()
    result: tuple[int, int] = work.start(0, work.depth).result()
    total, tasks = result
    work.recorder.record((time.monotonic_ns() - started_ns) * 1000 // work.tasks)
    counts.tasks += tasks
    return total


def digest(total: int) -> int:
    return fnv1a(b"%016x\n" % total, FNV_OFFSET)


if __name__ == "__main__":
    main(
        "fan-out",
        Work,
        prepare,
        run,
        digest,
        counts=counts,
        tier="multiprocessing",
        max_threads=MOST_PROCESSES,
    )
