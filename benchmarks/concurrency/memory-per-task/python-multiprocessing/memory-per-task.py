"""The memory of processes that wait: concurrency/memory-per-task/contract.md."""

from __future__ import annotations

import os
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

from ..python.resident import proportional_bytes

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
        self.tasks = int(options["tasks"])
        if self.tasks > MOST_TASKS:
            raise UsageError(
                f"tasks={self.tasks} are too many processes; ask for {MOST_TASKS} at most"
            )
        self.bytes = options.recorder("bytes")

    def begin(self) -> None:
        # Nothing is sent through this pipe: the gate is open when the writing end is closed, which
        # is also the case when this process is killed.
        self.gate, self.bolt = CONTEXT.Pipe(duplex=False)

    def task(self, i: int, program: Connection) -> None:
        self.bolt.close()  # the copy of this process
        own = Counts()
        x = SplitMix64((self.seed + i) & MASK_64).next()
        program.send("begun")
        self.gate.poll(None)
        own.tasks += 1  # tick
        program.send((x, own.tasks))


class Task:
    """A process, and the end of the pipe through which it sends. The end of the pipe is the end of
    the process, because no other process has the other end."""

    def __init__(self, work: Work, i: int) -> None:
        self.receiver, sender = CONTEXT.Pipe(duplex=False)
        # Daemons, so that the program can end if one of them cannot be started.
        self.process = CONTEXT.Process(target=work.task, args=(i, sender), daemon=True)
        self.process.start()
        sender.close()

    @property
    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid

    def join(self) -> None:
        self.process.join()
        self.receiver.close()


def prepare(work: Work) -> Work:
    work.begin()
    return work


def run(work: Work) -> int:
    program = os.getpid()
    before = proportional_bytes([program])
    running = [Task(work, i) for i in range(work.tasks)]
    for task in running:
        task.receiver.recv()
    after = proportional_bytes([program, *(task.pid for task in running)])
    work.bolt.close()
    total = 0
    for task in running:
        x, tasks = task.receiver.recv()
        total += x
        counts.tasks += tasks
    for task in running:
        task.join()
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
        max_threads=MOST_TASKS,
    )
