"""An asyncio task for each piece of work, or a fixed number of workers:
concurrency/spawn-or-worker/contract.md."""

from __future__ import annotations

import asyncio
import time

from harness.python.harness import FNV_OFFSET, MASK_64, Options, SplitMix64, fnv1a, main

END = -1  # of what is sent to a worker


class Counts:
    """The benchmark's counters."""

    def __init__(self) -> None:
        self.rounds = 0
        self.tasks = 0


counts = Counts()


def compute(random: SplitMix64, rounds: int) -> int:
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
        self.at_once = int(options["at_once"])  # tasks, or pieces that the queue holds
        self.workers = int(options["threads"])
        self.way = self.spawn if options["workload"] == "spawn" else self.send
        self.recorder = options.recorder("tasks")
        self.loop = asyncio.new_event_loop()

    def begin(self) -> None:
        self.answer = [0] * self.tasks

    async def perform(self, i: int) -> None:
        self.answer[i] = compute(SplitMix64((self.seed + i) & MASK_64), self.rounds)

    async def spawn(self) -> None:
        for first in range(0, self.tasks, self.at_once):
            last = min(first + self.at_once, self.tasks)
            running = [asyncio.create_task(self.perform(i)) for i in range(first, last)]
            for task in running:
                await task

    async def send(self) -> None:
        pieces: asyncio.Queue[int] = asyncio.Queue(self.at_once)
        workers = [asyncio.create_task(self.work(pieces)) for _ in range(self.workers)]
        for i in range(self.tasks):
            await pieces.put(i)
        for _ in workers:
            await pieces.put(END)
        for worker in workers:
            await worker

    async def work(self, pieces: asyncio.Queue[int]) -> None:
        i = await pieces.get()
        while i != END:
            await self.perform(i)
            i = await pieces.get()


def prepare(work: Work) -> Work:
    work.begin()
    return work


def run(work: Work) -> list[int]:
    started_ns = time.monotonic_ns()
    work.loop.run_until_complete(work.way())
    work.recorder.record((time.monotonic_ns() - started_ns) * 1000 // work.tasks)
    return work.answer


def digest(answer: list[int]) -> int:
    state = FNV_OFFSET
    for x in answer:
        state = fnv1a(b"%016x\n" % x, state)
    return state


if __name__ == "__main__":
    main("spawn-or-worker", Work, prepare, run, digest, counts=counts, tier="asyncio")
