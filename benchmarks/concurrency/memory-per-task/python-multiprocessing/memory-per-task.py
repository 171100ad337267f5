"""The memory of processes that wait: concurrency/memory-per-task/contract.md."""

from __future__ import annotations

import os

from concurrency.python.processes import FORK, MOST_PROCESSES, Process, limit, results
from harness.python.harness import FNV_OFFSET, MASK_64, Options, SplitMix64, fnv1a, main

from ..python.resident import proportional_bytes

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
        self.tasks = int(options["tasks"])
        limit(f"tasks={self.tasks}", self.tasks)
        self.bytes = options.recorder("bytes")

    def begin(self) -> None:
        # Nothing is sent through this pipe: the gate is open when the writing end is closed, which
        # is also the case when this process is killed.
        self.gate, self.bolt = FORK.Pipe(duplex=False)

    def task(self, i: int, program: Connection) -> None:
        self.bolt.close()  # the copy of this process
        own = Counts()
        x = SplitMix64((self.seed + i) & MASK_64).next()
        program.send("begun")
        self.gate.poll(None)
        own.tasks += 1  # tick
        program.send((x, own.tasks))


def prepare(work: Work) -> Work:
    work.begin()
    return work


def run(work: Work) -> int:
    program = os.getpid()
    before = proportional_bytes([program])
    running = [Process(work.task, i) for i in range(work.tasks)]
    for process in running:
        process.receive()  # it has begun
    after = proportional_bytes([program, *(process.pid for process in running)])
    work.bolt.close()
    total = 0
    for x, tasks in results(running):
        total += x
        counts.tasks += tasks
    work.gate.close()
    work.bytes.record((after - before) // work.tasks)
    return total & MASK_64


def digest(total: int) -> int:
    return fnv1a(b"%016x\n" % total, FNV_OFFSET)


if __name__ == "__main__":
    main(
        "memory-per-task",
        Work,
        prepare,
        run,
        digest,
        counts=counts,
        tier="multiprocessing",
        max_threads=MOST_PROCESSES,
    )
