"""A process for each piece of work, or a fixed number of workers:
concurrency/spawn-or-worker/contract.md."""

from __future__ import annotations

import time
from multiprocessing import get_context
from multiprocessing.connection import wait
from queue import Full

from harness.python.harness import FNV_OFFSET, MASK_64, Options, SplitMix64, fnv1a, main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from multiprocessing.queues import Queue

MOST_PROCESSES = 64
CAPACITY = 128  # of the queue
END = -1  # of what is sent to a worker
PATIENCE_S = 1.0  # how long a full queue may stay full until the workers are looked after
CONTEXT = get_context("fork")


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


class Task:
    """A process, and the end of the pipe through which it sends its results."""

    def __init__(self, perform: Callable[..., None], argument: object) -> None:
        # No other process has the sending end, so the end of the process ends the pipe.
        self.receiver, sender = CONTEXT.Pipe(duplex=False)
        # Daemons, so that the program can end if one of them cannot be started.
        self.process = CONTEXT.Process(target=perform, args=(argument, sender), daemon=True)
        self.process.start()
        sender.close()

    def join(self) -> None:
        self.process.join()
        self.receiver.close()


class Work:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"])
        self.tasks = int(options["tasks"])
        self.rounds = int(options["rounds"])
        self.workers = min(int(options["threads"]), MOST_PROCESSES)
        self.way = self.spawn if options["workload"] == "spawn" else self.send
        self.recorder = options.recorder("tasks")

    def begin(self) -> None:
        self.answer = [0] * self.tasks

    def spawn(self) -> None:
        for first in range(0, self.tasks, MOST_PROCESSES):
            last = min(first + MOST_PROCESSES, self.tasks)
            running = [Task(self.perform, i) for i in range(first, last)]
            for task in running:
                self.take(task)
            for task in running:
                task.join()

    def perform(self, i: int, program: Connection) -> None:
        own = Counts()
        x = self.computed(i, own)
        program.send(([(i, x)], own))

    def computed(self, i: int, own: Counts) -> int:
        return compute(SplitMix64((self.seed + i) & MASK_64), self.rounds, own)

    def send(self) -> None:
        pieces: Queue[int] = CONTEXT.Queue(CAPACITY)
        workers = [Task(self.work, pieces) for _ in range(self.workers)]
        for i in range(self.tasks):
            put(i, pieces, workers)
        for _ in workers:
            put(END, pieces, workers)
        # In the order in which they end: if one is killed, others may wait for it for ever.
        working = list(workers)
        while working:
            ready = wait([worker.receiver for worker in working])
            for worker in [one for one in working if one.receiver in ready]:
                self.take(worker)
                working.remove(worker)
        for worker in workers:
            worker.join()
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

    def take(self, task: Task) -> None:
        """Take the results of a process. Raises EOFError if it ends without results."""
        done, own = task.receiver.recv()
        for i, x in done:
            self.answer[i] = x
        counts.add(own)


def put(piece: int, pieces: Queue[int], workers: list[Task]) -> None:
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
