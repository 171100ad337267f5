"""Independent tasks, each in its own process: concurrency/parallel-efficiency/contract.md."""

from __future__ import annotations

from concurrency.python.processes import MOST_PROCESSES, Process, limit, results
from harness.python.harness import FNV_OFFSET, MASK_64, Options, SplitMix64, fnv1a, main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from multiprocessing.connection import Connection


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
        limit(f"tasks={self.tasks}", self.tasks)

    def perform(self, i: int, program: Connection) -> None:
        own = Counts()
        random = SplitMix64((self.seed + i) & MASK_64)
        x = compute(random, self.rounds, own)
        program.send((x, own))


def prepare(task: Task) -> Task:
    return task


def run(task: Task) -> list[int]:
    answer = []
    for x, own in results([Process(task.perform, i) for i in range(task.tasks)]):
        answer.append(x)
        counts.add(own)
    return answer


def digest(answer: list[int]) -> int:
    state = FNV_OFFSET
    for x in answer:
        state = fnv1a(b"%016x\n" % x, state)
    return state


if __name__ == "__main__":
    steps = (Task, prepare, run, digest)
    name = "parallel-efficiency"
    main(name, *steps, counts=counts, tier="multiprocessing", max_threads=MOST_PROCESSES)
