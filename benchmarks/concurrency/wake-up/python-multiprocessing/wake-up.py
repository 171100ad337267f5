"""Processes that wake each other: concurrency/wake-up/contract.md."""

from __future__ import annotations

import multiprocessing
import time
from multiprocessing.connection import wait

from harness.python.harness import FNV_OFFSET, Options, UsageError, fnv1a, main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from typing import Any

FORK = multiprocessing.get_context("fork")
MOST_TASKS = 64
MASK_32 = 2**32 - 1


class Counts:
    """The benchmark's counters."""

    def __init__(self) -> None:
        self.wakes = 0


counts = Counts()


class Child:
    """A process, and the pipe through which it sends messages."""

    def __init__(self, function: Callable[..., None], *arguments: object) -> None:
        self.told, self.tell = FORK.Pipe(duplex=False)
        # A daemon, so that the program can end if another process cannot be started or fails.
        self.process = FORK.Process(target=self.call, args=(function, *arguments), daemon=True)
        self.process.start()
        self.tell.close()  # the pipe now ends when the process ends

    def call(self, function: Callable[..., None], *arguments: object) -> None:
        function(self.tell, *arguments)

    def end(self) -> None:
        self.process.join()
        self.process.close()
        self.told.close()


def heard(children: list[Child]) -> list[Any]:
    """The next message of each process, in the order of the children. Raises EOFError if a process
    ended without a message."""
    messages = {}
    missing: list[Any] = [child.told for child in children]
    while missing:
        ready: list[Any] = wait(missing)
        for told in ready:
            messages[told] = told.recv()
            missing.remove(told)
    return [messages[child.told] for child in children]


class Work:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"]) & MASK_32
        self.tasks = int(options["tasks"])
        self.rounds = int(options["rounds"])
        self.latency = options.recorder("latency")
        if self.tasks > MOST_TASKS:
            raise UsageError(
                f"tasks={self.tasks} are too many processes; ask for {MOST_TASKS} at most"
            )
        self.bells = [FORK.Semaphore(0) for _ in range(self.tasks)]
        # In shared memory. They belong to the task that was woken last.
        self.x, self.since_ns = FORK.RawValue("Q"), FORK.RawValue("Q")

    def begin(self) -> None:
        self.x.value = self.seed

    def task(self, tell: Connection, i: int) -> None:
        """Tells that it has begun, and then its latencies and its counts."""
        own = Counts()
        latencies = []
        tell.send("begun")
        for turn in range(self.rounds):
            self.bells[i].acquire()
            latencies.append(time.monotonic_ns() - self.since_ns.value)
            own.wakes += 1  # tick
            self.x.value = (self.x.value * 1664525 + i) & MASK_32
            if i + 1 < self.tasks or turn + 1 < self.rounds:
                self.wake((i + 1) % self.tasks)
        tell.send((latencies, own))

    def wake(self, task: int) -> None:
        self.since_ns.value = time.monotonic_ns()
        self.bells[task].release()


def prepare(work: Work) -> Work:
    work.begin()
    return work


def run(work: Work) -> int:
    children = [Child(work.task, i) for i in range(work.tasks)]
    heard(children)  # all have begun
    work.wake(0)
    for latencies, own in heard(children):
        for latency_ns in latencies:
            work.latency.record(latency_ns)
        counts.wakes += own.wakes
    for child in children:
        child.end()
    return int(work.x.value)


def digest(x: int) -> int:
    return fnv1a(b"%08x\n" % x, FNV_OFFSET)


if __name__ == "__main__":
    steps = (Work, prepare, run, digest)
    main("wake-up", *steps, counts=counts, tier="multiprocessing", max_threads=MOST_TASKS)
