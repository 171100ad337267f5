"""Processes that sleep: concurrency/blocking/contract.md."""

from __future__ import annotations

import multiprocessing
import time
from multiprocessing.connection import wait

from harness.python.harness import FNV_OFFSET, MASK_64, Options, SplitMix64, UsageError, fnv1a, main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

FORK = multiprocessing.get_context("fork")
MOST_TASKS = 64


class Counts:
    """The benchmark's counters."""

    def __init__(self) -> None:
        self.calls = 0


counts = Counts()


class Child:
    """A process, and the pipe through which it returns its result."""

    def __init__(self, function: Callable[..., Any], *arguments: object) -> None:
        self.told, self.tell = FORK.Pipe(duplex=False)
        # A daemon, so that the program can end if another process cannot be started or fails.
        self.process = FORK.Process(target=self.call, args=(function, *arguments), daemon=True)
        self.process.start()
        self.tell.close()  # the pipe now ends when the process ends

    def call(self, function: Callable[..., Any], *arguments: object) -> None:
        self.tell.send(function(*arguments))

    def end(self) -> None:
        self.process.join()
        self.process.close()
        self.told.close()


def results(children: list[Child]) -> list[Any]:
    """What each process returned, in the order of the children. Raises EOFError if a process ended
    without a result."""
    returned = {}
    missing: list[Any] = [child.told for child in children]
    while missing:
        ready: list[Any] = wait(missing)
        for told in ready:
            returned[told] = told.recv()
            missing.remove(told)
    for child in children:
        child.end()
    return [returned[child.told] for child in children]


class Work:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"])
        self.tasks = int(options["tasks"])
        self.pause_ms = int(options["pause_ms"])
        self.lateness = options.recorder("lateness")
        if self.tasks > MOST_TASKS:
            raise UsageError(
                f"tasks={self.tasks} are too many processes; ask for {MOST_TASKS} at most"
            )
        self.sum = FORK.Value("Q")  # in shared memory, with a lock

    def task(self, i: int, end_ns: int) -> tuple[int, Counts]:
        """How late the task was, and its counts."""
        own = Counts()
        time.sleep(self.pause_ms / 1000)
        late_ns = time.monotonic_ns() - end_ns
        x = SplitMix64((self.seed + i) & MASK_64).next()
        with self.sum.get_lock():
            self.sum.value = (self.sum.value + x) & MASK_64
            own.calls += 1  # tick
        return late_ns, own


def prepare(work: Work) -> Work:
    work.sum.value = 0
    return work


def run(work: Work) -> int:
    end_ns = time.monotonic_ns() + work.pause_ms * 1_000_000
    for late_ns, own in results([Child(work.task, i, end_ns) for i in range(work.tasks)]):
        work.lateness.record(late_ns)
        counts.calls += own.calls
    return int(work.sum.value)


def digest(total: int) -> int:
    return fnv1a(b"%016x\n" % total, FNV_OFFSET)


if __name__ == "__main__":
    steps = (Work, prepare, run, digest)
    main("blocking", *steps, counts=counts, tier="multiprocessing", max_threads=MOST_TASKS)
