"""asyncio tasks that have threads sleep: concurrency/blocking/contract.md."""

from __future__ import annotations

import asyncio
import time

from harness.python.harness import FNV_OFFSET, MASK_64, Options, SplitMix64, fnv1a, main


class Counts:
    """The benchmark's counters."""

    def __init__(self) -> None:
        self.calls = 0


counts = Counts()


class Work:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"])
        self.tasks = int(options["tasks"])
        self.pause_ms = int(options["pause_ms"])
        self.lateness = options.recorder("lateness")
        self.loop = asyncio.new_event_loop()

    async def block(self) -> int:
        self.sum = 0
        end_ns = time.monotonic_ns() + self.pause_ms * 1_000_000
        running = [asyncio.create_task(self.task(i, end_ns)) for i in range(self.tasks)]
        for task in running:
            await task
        return self.sum & MASK_64

    async def task(self, i: int, end_ns: int) -> None:
        await self.loop.run_in_executor(None, time.sleep, self.pause_ms / 1000)
        self.lateness.record(time.monotonic_ns() - end_ns)
        self.sum += SplitMix64((self.seed + i) & MASK_64).next()
        counts.calls += 1  # tick


def prepare(work: Work) -> Work:
    return work


def run(work: Work) -> int:
    return work.loop.run_until_complete(work.block())


def digest(total: int) -> int:
    return fnv1a(b"%016x\n" % total, FNV_OFFSET)


if __name__ == "__main__":
    main("blocking", Work, prepare, run, digest, counts=counts, tier="asyncio", max_threads=10_000)
