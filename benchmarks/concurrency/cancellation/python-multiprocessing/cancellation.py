"""A tree of processes that is cancelled: concurrency/cancellation/contract.md."""

from __future__ import annotations

import os
import signal
import time

from concurrency.python.processes import MOST_PROCESSES, Process, limit
from harness.python.harness import FNV_OFFSET, MASK_64, Options, SplitMix64, fnv1a, main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from multiprocessing.connection import Connection

PATIENCE_S = 1.0  # how long a task waits until it looks after the process that is to cancel it
AWAITED = [signal.SIGTERM, signal.SIGALRM]  # the cancellation, and the end of a task's patience


class Counts:
    """The benchmark's counters."""

    def __init__(self) -> None:
        self.tasks = 0


counts = Counts()


class Result:
    """The sum over a subtree, when its tasks noticed the cancellation, and their counts."""

    def __init__(self) -> None:
        self.sum = 0
        self.noticed_ns: list[int] = []
        self.counts = Counts()

    def add(self, other: Result) -> None:
        self.sum += other.sum
        self.noticed_ns += other.noticed_ns
        self.counts.tasks += other.counts.tasks


class Work:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"])
        self.degree = int(options["degree"])
        self.depth = int(options["depth"])
        tasks = sum(self.degree**level for level in range(self.depth + 1))
        limit(f"{tasks} tasks (degree={self.degree} depth={self.depth})", tasks)
        self.latency = options.recorder("latency")

    def start(self, i: int, levels: int) -> Process:
        # Daemons could have no children.
        return Process(self.task, i, levels, os.getpid(), daemon=False)

    def task(self, i: int, levels: int, parent_pid: int, parent: Connection) -> None:
        """Sends that all tasks of its subtree have begun, and then the result of the subtree."""
        # From now on these signals wait until this process waits for them, so none is missed.
        signal.pthread_sigmask(signal.SIG_BLOCK, AWAITED)
        # If the user interrupts the program, the process that it began with cancels the tree.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        own = Result()
        children: list[Process] = []
        try:
            if levels > 0:
                first = i * self.degree + 1
                for child in range(first, first + self.degree):
                    children.append(self.start(child, levels - 1))
            for started in children:
                started.receive()
            parent.send("begun")
            own.noticed_ns.append(cancelled_ns(parent_pid))
            own.sum = SplitMix64((self.seed + i) & MASK_64).next()
            own.counts.tasks += 1  # tick
        finally:
            for started in children:
                started.process.terminate()
        for started in children:
            own.add(started.result())
        parent.send(own)


def cancelled_ns(parent_pid: int) -> int:
    """Wait for SIGTERM, and return the time at which it came. Raises ProcessLookupError if the
    parent was killed, so that it sends none."""
    signal.setitimer(signal.ITIMER_REAL, PATIENCE_S, PATIENCE_S)
    while signal.sigwait(AWAITED) == signal.SIGALRM:
        if os.getppid() != parent_pid:
            raise ProcessLookupError(f"process {parent_pid} has ended, and cancels no child")
    noticed_ns = time.monotonic_ns()
    signal.setitimer(signal.ITIMER_REAL, 0)
    return noticed_ns


def prepare(work: Work) -> Work:
    return work


def run(work: Work) -> int:
    root = work.start(0, work.depth)
    try:
        root.receive()
    finally:
        cancelled_ns = time.monotonic_ns()
        root.process.terminate()
    tree: Result = root.result()
    for noticed_ns in tree.noticed_ns:
        work.latency.record(noticed_ns - cancelled_ns)
    counts.tasks += tree.counts.tasks
    return tree.sum & MASK_64


def digest(total: int) -> int:
    return fnv1a(b"%016x\n" % total, FNV_OFFSET)


if __name__ == "__main__":
    main(
        "cancellation",
        Work,
        prepare,
        run,
        digest,
        counts=counts,
        tier="multiprocessing",
        max_threads=MOST_PROCESSES,
    )
