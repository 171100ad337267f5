"""Independent tasks, each in its own process: concurrency/parallel-efficiency/contract.md."""

from __future__ import annotations

import multiprocessing
from multiprocessing.connection import wait

from harness.python.harness import (
    FNV_OFFSET,
    MASK_64,
    Options,
    SplitMix64,
    UsageError,
    fnv1a,
    main,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

FORK = multiprocessing.get_context("fork")
MOST_TASKS = 64


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


class Child:
    """A process, and the pipe through which it returns its result."""

    def __init__(self, function: Callable[..., Any], *arguments: object) -> None:
        self.told, self.tell = FORK.Pipe(duplex=False)
        # A daemon, so that the program can end if another process cannot be started or fails.
        self.process = FORK.Process(target=self.call, args=(function, *arguments), daemon=True)
        self.process.start()
        self.tell.close()  # the pipe now ends when the process ends

    def call(self, function: Callable[..., Any], *arguments: object) -> None:
        self.tell.send(function(*arguments))

    def end(self) -> None:
        self.process.join()
        self.process.close()
        self.told.close()


def results(children: list[Child]) -> list[Any]:
    """What each process returned, in the order of the children. Raises EOFError if a process ended
    without a result."""
    returned = {}
    missing: list[Any] = [child.told for child in children]
    while missing:
        ready: list[Any] = wait(missing)
        for told in ready:
            returned[told] = told.recv()
            missing.remove(told)
    for child in children:
        child.end()
    return [returned[child.told] for child in children]


class Task:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"])
        self.tasks = int(options["tasks"])
        self.rounds = int(options["rounds"])
        if self.tasks > MOST_TASKS:
            raise UsageError(
                f"tasks={self.tasks} are too many processes; ask for {MOST_TASKS} at most"
            )

    def perform(self, i: int) -> tuple[int, Counts]:
        own = Counts()
        random = SplitMix64((self.seed + i) & MASK_64)
        return compute(random, self.rounds, own), own


def prepare(task: Task) -> Task:
    return task


def run(task: Task) -> list[int]:
    children = [Child(task.perform, i) for i in range(task.tasks)]
    answer = []
    for x, own in results(children):
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
    main(name, *steps, counts=counts, tier="multiprocessing", max_threads=MOST_TASKS)
