"""The memory of asyncio's tasks that wait: concurrency/memory-per-task/contract.md."""

from __future__ import annotations

import asyncio

from harness.python.harness import FNV_OFFSET, MASK_64, Options, SplitMix64, fnv1a, main

from ..python.resident import resident_bytes


class Counts:
    """The benchmark's counters."""

    def __init__(self) -> None:
        self.tasks = 0


counts = Counts()


class Work:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"])
        self.tasks = int(options["tasks"])
        self.bytes = options.recorder("bytes")
        self.loop = asyncio.new_event_loop()

    async def wait(self) -> int:
        self.sum = 0
        self.begun = 0
        self.gate = asyncio.Event()
        self.all_begun = asyncio.Event()
        before = resident_bytes()
        running = [asyncio.create_task(self.task(i)) for i in range(self.tasks)]
        await self.all_begun.wait()
        after = resident_bytes()
        self.gate.set()
        for task in running:
            await task
        self.bytes.record((after - before) // self.tasks)
        return self.sum & MASK_64

    async def task(self, i: int) -> None:
        x = SplitMix64((self.seed + i) & MASK_64).next()
        self.begun += 1
        if self.begun == self.tasks:
            self.all_begun.set()
        await self.gate.wait()
        self.sum += x
        counts.tasks += 1  # tick


def prepare(work: Work) -> Work:
    return work


def run(work: Work) -> int:
    return work.loop.run_until_complete(work.wait())


def digest(total: int) -> int:
    return fnv1a(b"%016x\n" % total, FNV_OFFSET)


if __name__ == "__main__":
    main("memory-per-task", Work, prepare, run, digest, counts=counts, tier="asyncio")
