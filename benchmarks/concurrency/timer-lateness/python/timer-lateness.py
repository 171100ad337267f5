"""The lateness of a ticker while other tasks compute: concurrency/timer-lateness/contract.md."""

from __future__ import annotations

from threading import Thread

from harness.python.harness import FNV_OFFSET, MASK_64, Options, SplitMix64, fnv1a, main

from .ticker import Ticker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List


class Counts:
    """The benchmark's counters."""

    def __init__(self) -> None:
        self.rounds = 0
        self.burners = 0

    def add(self, other: Counts) -> None:
        self.rounds += other.rounds
        self.burners += other.burners


counts = Counts()


def burn(random: SplitMix64, rounds: int, counts: Counts) -> int:
    """The exclusive or of this many numbers of the generator."""
    counts.burners += 1  # tick
    x = 0
    for _ in range(rounds):
        x ^= random.next()
        counts.rounds += 1  # tick
    return x


class Task:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"])
        self.burners = int(options["burners"])
        self.rounds = int(options["rounds"])
        self.period_ns = int(options["period_us"]) * 1000
        self.lateness = options.recorder("lateness")


def prepare(task: Task) -> Task:
    return task


def run(task: Task) -> List[int]:
    answer = [0] * task.burners
    counted = [Counts() for _ in answer]
    ended: List[int] = []

    def perform(burner: int) -> None:
        random = SplitMix64((task.seed + burner) & MASK_64)
        answer[burner] = burn(random, task.rounds, counted[burner])
        ended.append(burner)  # several threads may do this at once, unlike an addition

    ticker = Ticker(task.period_ns, task.lateness, lambda: task.burners - len(ended))
    # Daemons, so that the process can end if one of them cannot be started.
    threads = [Thread(target=ticker.run, daemon=True)]
    threads += [Thread(target=perform, args=(n,), daemon=True) for n in range(task.burners)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for own in counted:
        counts.add(own)
    return answer


def digest(answer: List[int]) -> int:
    state = FNV_OFFSET
    for x in answer:
        state = fnv1a(b"%016x\n" % x, state)
    return state


if __name__ == "__main__":
    main("timer-lateness", Task, prepare, run, digest, counts=counts, max_threads=2**31 - 1)
