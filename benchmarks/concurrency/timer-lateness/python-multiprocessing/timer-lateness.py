"""The lateness of timers while other processes compute: concurrency/timer-lateness/contract.md."""

from __future__ import annotations

import os

from concurrency.python.processes import FORK, MOST_PROCESSES, Process, limit, results
from harness.python.harness import MASK_64, Options, SplitMix64, main

from ..python.burners import Counts, Task, digest, draw
from ..python.ticker import Ticker, fire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.synchronize import Semaphore

counts = Counts()


class Work(Task):
    """The options of the program, if each task can have a process."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        limit(f"burners={self.burners}", self.burners, MOST_PROCESSES - 1)  # and a timer or ticker
        limit(f"burners={self.burners} and timers={self.timers}", self.burners + self.timers)


def perform(task: Task, burner: int, ended: Semaphore, program: Connection) -> None:
    own = Counts()
    x = burn(task, SplitMix64((task.seed + burner) & MASK_64), own)
    ended.release()
    program.send((x, own))


def burn(task: Task, random: SplitMix64, counts: Counts) -> int:
    """The exclusive or of a task's numbers."""
    counts.burners += 1  # tick
    x = 0
    left = task.rounds
    while left >= task.yield_rounds:
        x ^= draw(random, task.yield_rounds, counts)
        left -= task.yield_rounds
        counts.yields += 1  # tick
        os.sched_yield()
    return x ^ draw(random, left, counts)


def tick(ticker: Ticker, program: Connection) -> None:
    ticker.run()  # records all samples of the iteration, in the memory that the processes share
    program.send(None)


def time_out(due_ns: int, program: Connection) -> None:
    own = Counts()
    late_ns = fire(due_ns)
    own.timers += 1  # tick
    program.send((late_ns, own))


def prepare(work: Work) -> Work:
    return work


def run(work: Work) -> list[int]:
    ended = FORK.Semaphore(0)
    burning = work.burners

    def still_burning() -> int:
        nonlocal burning
        while ended.acquire(block=False):
            burning -= 1
        return burning

    tickers = []
    if not work.timers:
        tickers.append(Process(tick, Ticker(work.period_ns, work.lateness, still_burning)))
    burners = [Process(perform, work, n, ended) for n in range(work.burners)]
    timers = [Process(time_out, work.due_ns()) for _ in range(work.timers)]
    for late_ns, own in results(timers):
        work.lateness.record(late_ns)
        counts.add(own)
    answer = []
    for x, own in results([*burners, *tickers])[: work.burners]:
        answer.append(x)
        counts.add(own)
    return answer


if __name__ == "__main__":
    main(
        "timer-lateness",
        Work,
        prepare,
        run,
        digest,
        counts=counts,
        tier="multiprocessing",
        max_threads=MOST_PROCESSES,
    )
