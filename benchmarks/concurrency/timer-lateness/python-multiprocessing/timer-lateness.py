"""The lateness of timers while other processes compute: concurrency/timer-lateness/contract.md."""

from __future__ import annotations

import os
from multiprocessing import get_context

from harness.python.harness import MASK_64, Options, SplitMix64, UsageError, main

from ..python.burners import Counts, Task, digest, draw
from ..python.ticker import Ticker, fire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from multiprocessing.synchronize import Semaphore

MOST_PROCESSES = 64
CONTEXT = get_context("fork")

counts = Counts()


class Work(Task):
    """The options of the program, if each task can have a process."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        if self.timers and self.burners + self.timers > MOST_PROCESSES:
            raise UsageError(
                f"burners={self.burners} and timers={self.timers} are too many processes; "
                f"ask for {MOST_PROCESSES} at most"
            )
        most_burners = MOST_PROCESSES - 1  # the ticker is a process too
        if self.burners > most_burners:
            raise UsageError(
                f"burners={self.burners} are too many processes; ask for {most_burners} at most"
            )


class Process:
    """A process, and the end of the pipe through which it sends its result."""

    def __init__(self, perform: Callable[..., None], *arguments: object) -> None:
        # No other process has the sending end, so the end of the process ends the pipe.
        self.receiver, sender = CONTEXT.Pipe(duplex=False)
        # Daemons, so that the program can end if one of them cannot be started.
        self.process = CONTEXT.Process(target=perform, args=(*arguments, sender), daemon=True)
        self.process.start()
        sender.close()

    def result(self) -> tuple[int, Counts]:
        """Wait until the process has ended. Raises EOFError if it has no result."""
        value, own = self.receiver.recv()
        self.process.join()
        self.receiver.close()
        return value, own


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
    program.send((0, Counts()))


def time_out(due_ns: int, program: Connection) -> None:
    own = Counts()
    late_ns = fire(due_ns)
    own.timers += 1  # tick
    program.send((late_ns, own))


def prepare(work: Work) -> Work:
    return work


def run(work: Work) -> list[int]:
    ended = CONTEXT.Semaphore(0)
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
    for timer in timers:
        late_ns, own = timer.result()
        work.lateness.record(late_ns)
        counts.add(own)
    answer = []
    for burner in burners:
        x, own = burner.result()
        answer.append(x)
        counts.add(own)
    for ticker in tickers:
        ticker.result()
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
