"""asyncio tasks that wake each other: concurrency/wake-up/contract.md."""

from __future__ import annotations

import asyncio
import time

from harness.python.harness import FNV_OFFSET, Options, fnv1a, main

MASK_32 = 2**32 - 1


class Counts:
    """The benchmark's counters."""

    def __init__(self) -> None:
        self.wakes = 0


counts = Counts()


class Work:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"]) & MASK_32
        self.tasks = int(options["tasks"])
        self.rounds = int(options["rounds"])
        self.latency = options.recorder("latency")
        self.loop = asyncio.new_event_loop()

    async def ring(self) -> int:
        self.bells = [asyncio.Semaphore(0) for _ in range(self.tasks)]
        self.begun = asyncio.Semaphore(0)  # released by each task
        self.x = self.seed
        running = [asyncio.create_task(self.task(i)) for i in range(self.tasks)]
        for _ in running:
            await self.begun.acquire()
        self.wake(0)
        for task in running:
            await task
        return self.x

    async def task(self, i: int) -> None:
        self.begun.release()
        for turn in range(self.rounds):
            await self.bells[i].acquire()
            self.latency.record(time.monotonic_ns() - self.since_ns)
            counts.wakes += 1  # tick
            self.x = (self.x * 1664525 + i) & MASK_32
            if i + 1 < self.tasks or turn + 1 < self.rounds:
                self.wake((i + 1) % self.tasks)

    def wake(self, task: int) -> None:
        self.since_ns = time.monotonic_ns()
        self.bells[task].release()


def prepare(work: Work) -> Work:
    return work


def run(work: Work) -> int:
    return work.loop.run_until_complete(work.ring())


def digest(x: int) -> int:
    return fnv1a(b"%08x\n" % x, FNV_OFFSET)


if __name__ == "__main__":
    main("wake-up", Work, prepare, run, digest, counts=counts, tier="asyncio")
