"""A tree of processes that is cancelled: concurrency/cancellation/contract.md."""

from __future__ import annotations

import os
import signal
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
PATIENCE_S = 1.0  # how long a task waits until it looks after the process that is to cancel it
CONTEXT = get_context("fork")
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
        if tasks > MOST_TASKS:
            tree = f"degree={self.degree} depth={self.depth}"
            raise UsageError(
                f"{tree} are {tasks} processes, which are too many; ask for {MOST_TASKS} at most"
            )
        self.latency = options.recorder("latency")

    def task(self, i: int, levels: int, parent_pid: int, parent: Connection) -> None:
        # From now on these signals wait until this process waits for them, so none is missed.
        signal.pthread_sigmask(signal.SIG_BLOCK, AWAITED)
        # If the user interrupts the program, the process that it began with cancels the tree.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        own = Result()
        children: list[Task] = []
        try:
            if levels > 0:
                first = i * self.degree + 1
                for child in range(first, first + self.degree):
                    children.append(Task(self, child, levels - 1))
            for started in children:
                started.receiver.recv()
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


class Task:
    """A process, and the end of the pipe through which it sends: first when all tasks of its
    subtree have begun, then the result of its subtree."""

    def __init__(self, work: Work, i: int, levels: int) -> None:
        self.receiver, sender = CONTEXT.Pipe(duplex=False)
        # Daemons could have no children.
        self.process = CONTEXT.Process(target=work.task, args=(i, levels, os.getpid(), sender))
        self.process.start()
        sender.close()

    def result(self) -> Result:
        """Wait until the process has ended. Raises EOFError if it has no result."""
        result: Result = self.receiver.recv()
        self.process.join()
        self.receiver.close()
        return result


def prepare(work: Work) -> Work:
    return work


def run(work: Work) -> int:
    root = Task(work, 0, work.depth)
    try:
        root.receiver.recv()
    finally:
        cancelled_ns = time.monotonic_ns()
        root.process.terminate()
    tree = root.result()
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
        max_threads=MOST_TASKS,
    )
