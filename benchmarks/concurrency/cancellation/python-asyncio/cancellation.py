"""A tree of asyncio tasks that is cancelled: concurrency/cancellation/contract.md."""

from __future__ import annotations

import asyncio
import time

from harness.python.harness import FNV_OFFSET, MASK_64, Options, SplitMix64, fnv1a, main


class Counts:
    """The benchmark's counters."""

    def __init__(self) -> None:
        self.tasks = 0


counts = Counts()


class Work:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"])
        self.degree = int(options["degree"])
        self.depth = int(options["depth"])
        self.tasks = sum(self.degree**level for level in range(self.depth + 1))
        self.latency = options.recorder("latency")
        self.loop = asyncio.new_event_loop()

    async def cancel(self) -> int:
        self.sum = 0
        self.begun = 0
        self.all_begun = asyncio.Event()
        root = asyncio.create_task(self.task(0, self.depth))
        await self.all_begun.wait()
        self.cancelled_ns = time.monotonic_ns()
        root.cancel()
        await root
        return self.sum & MASK_64

    async def task(self, i: int, levels: int) -> None:
        children: list[asyncio.Task[None]] = []
        if levels > 0:
            first = i * self.degree + 1
            children += [
                asyncio.create_task(self.task(child, levels - 1))
                for child in range(first, first + self.degree)
            ]
        self.begun += 1
        if self.begun == self.tasks:
            self.all_begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.latency.record(time.monotonic_ns() - self.cancelled_ns)
            self.sum += SplitMix64((self.seed + i) & MASK_64).next()
            counts.tasks += 1  # tick
            for child in children:
                child.cancel()
        for child in children:
            await child


def prepare(work: Work) -> Work:
    return work


def run(work: Work) -> int:
    return work.loop.run_until_complete(work.cancel())


def digest(total: int) -> int:
    return fnv1a(b"%016x\n" % total, FNV_OFFSET)


if __name__ == "__main__":
    main("cancellation", Work, prepare, run, digest, counts=counts, tier="asyncio")
