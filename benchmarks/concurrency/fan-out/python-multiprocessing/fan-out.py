"""A tree of processes: concurrency/fan-out/contract.md."""

from __future__ import annotations

import time
from multiprocessing import get_context

from harness.python.harness import (
    FNV_OFFSET,
    MASK_64,
    Options,
    SplitMix64,
    UsageError,
    fnv1a,
    main,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from multiprocessing.connection import Connection

MOST_TASKS = 64
CONTEXT = get_context("fork")


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
        if self.tasks > MOST_TASKS:
            tree = f"degree={self.degree} depth={self.depth}"
            raise UsageError(
                f"{tree} are {self.tasks} processes, which are too many; "
                f"ask for {MOST_TASKS} at most"
            )
        self.recorder = options.recorder("tasks")

    def grow(self, i: int, levels: int, parent: Connection) -> None:
        """Runs task i, which starts the tasks below it."""
        own = Counts()
        total = SplitMix64((self.seed + i) & MASK_64).next()
        own.tasks += 1  # tick
        if levels > 0:
            first = i * self.degree + 1
            children = [
                Task(self, child, levels - 1) for child in range(first, first + self.degree)
            ]
            for child in children:
                subtotal, tasks = child.result()
                total += subtotal
                own.tasks += tasks
        parent.send((total & MASK_64, own.tasks))


class Task:
    """A process, and the end of the pipe through which it sends the sum over its subtree and the
    counts of its subtree."""

    def __init__(self, work: Work, i: int, levels: int) -> None:
        self.receiver, sender = CONTEXT.Pipe(duplex=False)
        # Daemons can have no children. All tasks end by themselves, even if one of them fails.
        daemon = levels == 0
        self.process = CONTEXT.Process(target=work.grow, args=(i, levels, sender), daemon=daemon)
        self.process.start()
        sender.close()

    def result(self) -> tuple[int, int]:
        """Wait until the process has ended. Raises EOFError if it has no result."""
        total, tasks = self.receiver.recv()
        self.process.join()
        self.receiver.close()
        return total, tasks


def prepare(work: Work) -> Work:
    return work


def run(work: Work) -> int:
    started_ns = time.monotonic_ns()
    total, tasks = Task(work, 0, work.depth).result()
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
        max_threads=MOST_TASKS,
    )
