"""Processes that take turns from one supply: concurrency/fairness/contract.md."""

from __future__ import annotations

import time
from multiprocessing import get_context
from multiprocessing.connection import wait

from harness.python.harness import FNV_OFFSET, MASK_64, Options, UsageError, fnv1a, main

from ..python.shares import Counts, Share, first, jain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from multiprocessing.connection import Connection

MOST_TASKS = 64
CONTEXT = get_context("fork")

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
        self.turns = int(options["turns"])
        self.turn_ns = int(options["turn_us"]) * 1000
        self.index = options.recorder("index")

    def begin(self) -> None:
        self.supply = CONTEXT.Value("q", 0)
        # Nothing is sent through this pipe: the gate is open when the writing end is closed, which
        # is also the case when this process is killed.
        self.gate, self.bolt = CONTEXT.Pipe(duplex=False)

    def take(self) -> int:
        """The next number of the supply."""
        with self.supply.get_lock():
            number = self.supply.get_obj()  # without the lock, which is held
            k: int = number.value
            number.value = k + 1
        return k

    def spin(self, i: int, program: Connection) -> None:
        self.bolt.close()  # the copy of this process
        own = Share()
        program.send("begun")
        self.gate.poll(None)
        own.sum = first(self.seed, i)
        own.counts.tasks += 1  # tick
        k = self.take()
        while k < self.turns:
            end_ns = time.monotonic_ns() + self.turn_ns
            y = first(self.seed, self.tasks + k)
            own.counts.turns += 1  # tick
            while time.monotonic_ns() < end_ns:
                pass
            own.sum += y
            own.turns += 1
            k = self.take()
        program.send(own)


class Task:
    """A process, and the end of the pipe through which it sends."""

    def __init__(self, work: Work, i: int) -> None:
        # No other process has the sending end, so the end of the process ends the pipe.
        self.receiver, sender = CONTEXT.Pipe(duplex=False)
        # Daemons, so that the program can end if one of them cannot be started.
        self.process = CONTEXT.Process(target=work.spin, args=(i, sender), daemon=True)
        self.process.start()
        sender.close()

    def join(self) -> None:
        self.process.join()
        self.receiver.close()


def shares_of(running: list[Task]) -> list[Share]:
    """The shares of the tasks, which are taken as the tasks end: if one is killed with the lock of
    the supply, the others never end. Raises EOFError if a task ends without its share."""
    shares = []
    spinning = list(running)
    while spinning:
        ready = wait([task.receiver for task in spinning])
        for task in [one for one in spinning if one.receiver in ready]:
            shares.append(task.receiver.recv())
            spinning.remove(task)
    return shares


def prepare(work: Work) -> Work:
    work.begin()
    return work


def run(work: Work) -> list[Share]:
    running = [Task(work, i) for i in range(work.tasks)]
    for task in running:
        task.receiver.recv()
    work.bolt.close()
    shares = shares_of(running)
    for task in running:
        task.join()
    work.gate.close()
    work.index.record(jain(shares))
    for share in shares:
        counts.add(share.counts)
    return shares


def digest(shares: list[Share]) -> int:
    return fnv1a(b"%016x\n" % (sum(share.sum for share in shares) & MASK_64), FNV_OFFSET)


if __name__ == "__main__":
    main(
        "fairness",
        Work,
        prepare,
        run,
        digest,
        counts=counts,
        tier="multiprocessing",
        max_threads=MOST_TASKS,
    )
