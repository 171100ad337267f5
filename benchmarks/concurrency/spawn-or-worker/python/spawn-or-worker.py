"""A thread for each piece of work, or a fixed number of workers:
concurrency/spawn-or-worker/contract.md."""

from __future__ import annotations

import time
from queue import Queue
from threading import Thread

from harness.python.harness import FNV_OFFSET, MASK_64, Options, SplitMix64, fnv1a, main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List

END = -1  # of what is sent to a worker


class Counts:
    """The benchmark's counters."""

    def __init__(self) -> None:
        self.rounds = 0
        self.tasks = 0

    def add(self, other: Counts) -> None:
        self.rounds += other.rounds
        self.tasks += other.tasks


counts = Counts()


def compute(random: SplitMix64, rounds: int, counts: Counts) -> int:
    """The exclusive or of the generator's state and this many of its numbers."""
    counts.tasks += 1  # tick
    x = random.state
    for _ in range(rounds):
        counts.rounds += 1  # tick
        x ^= random.next()
    return x


class Work:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"])
        self.tasks = int(options["tasks"])
        self.rounds = int(options["rounds"])
        self.at_once = int(options["at_once"])  # threads, or pieces that the queue holds
        self.workers = int(options["threads"])
        self.way = self.spawn if options["workload"] == "spawn" else self.send
        self.recorder = options.recorder("tasks")

    def begin(self) -> None:
        self.answer = [0] * self.tasks
        self.counted = [Counts() for _ in self.answer]

    def perform(self, i: int) -> None:
        random = SplitMix64((self.seed + i) & MASK_64)
        self.answer[i] = compute(random, self.rounds, self.counted[i])

    def spawn(self) -> None:
        for first in range(0, self.tasks, self.at_once):
            running = []
            for i in range(first, min(first + self.at_once, self.tasks)):
                # Daemons, so that the process can end if one of them cannot be started.
                thread = Thread(target=self.perform, args=(i,), daemon=True)
                thread.start()
                running.append(thread)
            for thread in running:
                thread.join()

    def send(self) -> None:
        pieces: Queue[int] = Queue(self.at_once)
        workers = [
            Thread(target=self.work, args=(pieces,), daemon=True) for _ in range(self.workers)
        ]
        for worker in workers:
            worker.start()
        for i in range(self.tasks):
            pieces.put(i)
        for _ in workers:
            pieces.put(END)
        for worker in workers:
            worker.join()

    def work(self, pieces: Queue[int]) -> None:
        i = pieces.get()
        while i != END:
            self.perform(i)
            i = pieces.get()


def prepare(work: Work) -> Work:
    work.begin()
    return work


def run(work: Work) -> List[int]:
    started_ns = time.monotonic_ns()
    work.way()
    work.recorder.record((time.monotonic_ns() - started_ns) * 1000 // work.tasks)
    for own in work.counted:
        counts.add(own)
    return work.answer


def digest(answer: List[int]) -> int:
    state = FNV_OFFSET
    for x in answer:
        state = fnv1a(b"%016x\n" % x, state)
    return state


if __name__ == "__main__":
    main("spawn-or-worker", Work, prepare, run, digest, counts=counts, max_threads=16_000)
