"""The lateness of timers while other tasks compute: concurrency/timer-lateness/contract.md."""

from __future__ import annotations

import time
from threading import Thread

from harness.python.harness import MASK_64, SplitMix64, main

from .burners import Counts, Task, digest, draw
from .ticker import Ticker, fire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List

counts = Counts()


def burn(task: Task, random: SplitMix64, counts: Counts) -> int:
    """The exclusive or of a task's numbers."""
    counts.burners += 1  # tick
    x = 0
    left = task.rounds
    while left >= task.yield_rounds:
        x ^= draw(random, task.yield_rounds, counts)
        left -= task.yield_rounds
        counts.yields += 1  # tick
        time.sleep(0)
    return x ^ draw(random, left, counts)


def prepare(task: Task) -> Task:
    return task


def run(task: Task) -> List[int]:
    answer = [0] * task.burners
    counted = [Counts() for _ in range(task.burners + task.timers)]
    ended: List[int] = []

    def perform(burner: int) -> None:
        random = SplitMix64((task.seed + burner) & MASK_64)
        answer[burner] = burn(task, random, counted[burner])
        ended.append(burner)  # several threads may do this at once, unlike an addition

    def time_out(counts: Counts, due_ns: int) -> None:
        task.lateness.record(fire(due_ns))
        counts.timers += 1  # tick

    # Daemons, so that the process can end if one of them cannot be started.
    threads = [Thread(target=perform, args=(n,), daemon=True) for n in range(task.burners)]
    if not task.timers:
        ticker = Ticker(task.period_ns, task.lateness, lambda: task.burners - len(ended))
        threads.insert(0, Thread(target=ticker.run, daemon=True))
    for thread in threads:
        thread.start()
    for own in counted[task.burners :]:
        threads.append(Thread(target=time_out, args=(own, task.due_ns()), daemon=True))
        threads[-1].start()
    for thread in threads:
        thread.join()
    for own in counted:
        counts.add(own)
    return answer


if __name__ == "__main__":
    main("timer-lateness", Task, prepare, run, digest, counts=counts, max_threads=2**31 - 1)
