"""Independent tasks, each on its own thread: concurrency/parallel-efficiency/contract.md."""

from __future__ import annotations

from threading import Thread

from harness.python.harness import FNV_OFFSET, MASK_64, Options, SplitMix64, fnv1a, main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List


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
    """The exclusive or of this many numbers of the generator."""
    counts.tasks += 1  # tick
    x = 0
    for _ in range(rounds):
        counts.rounds += 1  # tick
        x ^= random.next()
    return x


class Task:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"])
        self.tasks = int(options["tasks"])
        self.rounds = int(options["rounds"])


def prepare(task: Task) -> Task:
    return task


def run(task: Task) -> List[int]:
    answer = [0] * task.tasks
    counted = [Counts() for _ in answer]

    def perform(i: int) -> None:
        random = SplitMix64((task.seed + i) & MASK_64)
        answer[i] = compute(random, task.rounds, counted[i])

    # Daemons, so that the process can end if one of them cannot be started.
    threads = [Thread(target=perform, args=(i,), daemon=True) for i in range(task.tasks)]
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
    main("parallel-efficiency", Task, prepare, run, digest, counts=counts, max_threads=2**31 - 1)
