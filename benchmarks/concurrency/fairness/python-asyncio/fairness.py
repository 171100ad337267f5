"""asyncio tasks that take turns from one supply: concurrency/fairness/contract.md."""

from __future__ import annotations

import asyncio
import itertools
import time

from harness.python.harness import FNV_OFFSET, MASK_64, Options, fnv1a, main

from ..python.shares import Counts, Share, first, jain

counts = Counts()


class Work:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"])
        self.tasks = int(options["tasks"])
        self.turns = int(options["turns"])
        self.turn_ns = int(options["turn_us"]) * 1000
        self.index = options.recorder("index")
        self.loop = asyncio.new_event_loop()

    async def take_turns(self) -> list[Share]:
        self.supply = itertools.count()
        self.shares = [Share() for _ in range(self.tasks)]
        self.gate = asyncio.Event()
        running = [asyncio.create_task(self.spin(i, own)) for i, own in enumerate(self.shares)]
        await asyncio.sleep(0)  # all tasks run as far as the gate
        self.gate.set()
        for task in running:
            await task
        self.index.record(jain(self.shares))
        for share in self.shares:
            counts.add(share.counts)
        return self.shares

    async def spin(self, i: int, own: Share) -> None:
        await self.gate.wait()
        own.sum = first(self.seed, i)
        own.counts.tasks += 1  # tick
        k = next(self.supply)
        while k < self.turns:
            end_ns = time.monotonic_ns() + self.turn_ns
            y = first(self.seed, self.tasks + k)
            own.counts.turns += 1  # tick
            while time.monotonic_ns() < end_ns:
                pass
            own.sum += y
            own.turns += 1
            k = next(self.supply)


def prepare(work: Work) -> Work:
    return work


def run(work: Work) -> list[Share]:
    return work.loop.run_until_complete(work.take_turns())


def digest(shares: list[Share]) -> int:
    return fnv1a(b"%016x\n" % (sum(share.sum for share in shares) & MASK_64), FNV_OFFSET)


if __name__ == "__main__":
    main("fairness", Work, prepare, run, digest, counts=counts, tier="asyncio")
