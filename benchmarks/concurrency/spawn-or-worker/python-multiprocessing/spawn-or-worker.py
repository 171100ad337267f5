"""A process for each piece of work, or a fixed number of workers:
concurrency/spawn-or-worker/contract.md."""

from __future__ import annotations

import time
from multiprocessing.connection import wait
from queue import Full

from concurrency.python.processes import FORK, MOST_PROCESSES, Process, results
from harness.python.harness import FNV_OFFSET, MASK_64, Options, SplitMix64, fnv1a, main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.queues import Queue

END = -1  # of what is sent to a worker
PATIENCE_S = 1.0  # how long a full queue may stay full until the workers are looked after


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
        self.at_once = int(options["at_once"])  # processes, or pieces that the queue holds
        self.workers = min(int(options["threads"]), MOST_PROCESSES)
        self.way = self.spawn if options["workload"] == "spawn" else self.send
        self.recorder = options.recorder("tasks")

    def begin(self) -> None:
        self.answer = [0] * self.tasks

    def spawn(self) -> None:
        at_once = min(self.at_once, MOST_PROCESSES)
        for first in range(0, self.tasks, at_once):
            last = min(first + at_once, self.tasks)
            running = [Process(self.perform, i) for i in range(first, last)]
            for done, own in results(running):
                self.take(done, own)

    def perform(self, i: int, program: Connection) -> None:
        own = Counts()
        x = self.computed(i, own)
        program.send(([(i, x)], own))

    def computed(self, i: int, own: Counts) -> int:
        return compute(SplitMix64((self.seed + i) & MASK_64), self.rounds, own)

    def send(self) -> None:
        pieces: Queue[int] = FORK.Queue(self.at_once)
        workers = [Process(self.work, pieces) for _ in range(self.workers)]
        for i in range(self.tasks):
            put(i, pieces, workers)
        for _ in workers:
            put(END, pieces, workers)
        for done, own in results(workers):
            self.take(done, own)
        pieces.close()
        pieces.join_thread()

    def work(self, pieces: Queue[int], program: Connection) -> None:
        own = Counts()
        done = []
        i = pieces.get()
        while i != END:
            done.append((i, self.computed(i, own)))
            i = pieces.get()
        program.send((done, own))

    def take(self, done: list[tuple[int, int]], own: Counts) -> None:
        for i, x in done:
            self.answer[i] = x
        counts.add(own)


def put(piece: int, pieces: Queue[int], workers: list[Process]) -> None:
    """Send a piece. Raises Full if the queue is full and a worker has ended."""
    sent = False
    while not sent:
        try:
            pieces.put(piece, timeout=PATIENCE_S)
            sent = True
        except Full:
            if wait([worker.process.sentinel for worker in workers], timeout=0):
                raise


def prepare(work: Work) -> Work:
    work.begin()
    return work


def run(work: Work) -> list[int]:
    started_ns = time.monotonic_ns()
    work.way()
    work.recorder.record((time.monotonic_ns() - started_ns) * 1000 // work.tasks)
    return work.answer


def digest(answer: list[int]) -> int:
    state = FNV_OFFSET
    for x in answer:
        state = fnv1a(b"%016x\n" % x, state)
    return state


if __name__ == "__main__":
    main(
        "spawn-or-worker",
        Work,
        prepare,
        run,
        digest,
        counts=counts,
        tier="multiprocessing",
        max_threads=MOST_PROCESSES,
    )
