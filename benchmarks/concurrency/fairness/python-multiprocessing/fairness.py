"""Processes that take turns from one supply: concurrency/fairness/contract.md."""

from __future__ import annotations

import time

from concurrency.python.processes import FORK, MOST_PROCESSES, Process, limit, results
from harness.python.harness import FNV_OFFSET, MASK_64, Options, fnv1a, main

from ..python.shares import Counts, Share, first, jain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from multiprocessing.connection import Connection

counts = Counts()


class Work:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"])
        self.tasks = int(options["tasks"])
        limit(f"tasks={self.tasks}", self.tasks)
        self.turns = int(options["turns"])
        self.turn_ns = int(options["turn_us"]) * 1000
        self.index = options.recorder("index")

    def begin(self) -> None:
        self.supply = FORK.Value("q", 0)
        # Nothing is sent through this pipe: the gate is open when the writing end is closed, which
        # is also the case when this process is killed.
        self.gate, self.bolt = FORK.Pipe(duplex=False)

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


def prepare(work: Work) -> Work:
    work.begin()
    return work


def run(work: Work) -> list[Share]:
    running = [Process(work.spin, i) for i in range(work.tasks)]
    for process in running:
        process.receive()  # it has begun
    work.bolt.close()
    shares: list[Share] = results(running)
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
        max_threads=MOST_PROCESSES,
    )
