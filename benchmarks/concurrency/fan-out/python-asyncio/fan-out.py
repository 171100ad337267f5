"""A tree of asyncio tasks: concurrency/fan-out/contract.md."""

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
        self.recorder = options.recorder("tasks")
        self.loop = asyncio.new_event_loop()

    async def grow(self, i: int, levels: int) -> int:
        """Runs task i, which starts the tasks below it."""
        total = SplitMix64((self.seed + i) & MASK_64).next()
        counts.tasks += 1  # tick
        if levels > 0:
            children = [
                asyncio.create_task(self.grow(i * self.degree + n, levels - 1))
                for n in range(1, self.degree + 1)
            ]
            for child in children:
                total += await child
        return total & MASK_64


def prepare(work: Work) -> Work:
    return work


def run(work: Work) -> int:
    started_ns = time.monotonic_ns()
    total = work.loop.run_until_complete(work.grow(0, work.depth))
    work.recorder.record((time.monotonic_ns() - started_ns) * 1000 // work.tasks)
    return total


def digest(total: int) -> int:
    return fnv1a(b"%016x\n" % total, FNV_OFFSET)


if __name__ == "__main__":
    main("fan-out", Work, prepare, run, digest, counts=counts, tier="asyncio")
