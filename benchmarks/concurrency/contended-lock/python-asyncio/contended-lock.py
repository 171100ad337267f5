"""asyncio tasks that compete for the same lock: concurrency/contended-lock/contract.md."""

from __future__ import annotations

import asyncio
import time

from harness.python.harness import FNV_OFFSET, MASK_64, Options, SplitMix64, fnv1a, main


class Counts:
    """The benchmark's counters."""

    def __init__(self) -> None:
        self.locks = 0


counts = Counts()


class Work:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"])
        self.tasks = int(options["tasks"])
        self.rounds = int(options["rounds"])
        self.wait = options.recorder("wait")
        self.locks = options.recorder("locks")
        self.loop = asyncio.new_event_loop()

    async def contend(self) -> int:
        self.shared = SplitMix64(self.seed)  # protected by the lock, as the sum is
        self.sum = 0
        self.lock = asyncio.Lock()
        self.begun = asyncio.Semaphore(0)  # released by each task
        self.gate = asyncio.Event()
        running = [asyncio.create_task(self.task(i)) for i in range(self.tasks)]
        for _ in running:
            await self.begun.acquire()
        started_ns = time.monotonic_ns()
        self.gate.set()
        for task in running:
            await task
        elapsed_ns = time.monotonic_ns() - started_ns
        self.locks.record(elapsed_ns * 1000 // (self.tasks * self.rounds))
        return self.sum & MASK_64

    async def task(self, i: int) -> None:
        own = SplitMix64((self.seed + 1 + i) & MASK_64)
        self.begun.release()
        await self.gate.wait()
        for _ in range(self.rounds):
            asked_ns = time.monotonic_ns()
            async with self.lock:
                now_ns = time.monotonic_ns()
                self.sum += self.shared.next() + own.next()
                counts.locks += 1  # tick
                await asyncio.sleep(0)
            self.wait.record(now_ns - asked_ns)


def prepare(work: Work) -> Work:
    return work


def run(work: Work) -> int:
    return work.loop.run_until_complete(work.contend())


def digest(total: int) -> int:
    return fnv1a(b"%016x\n" % total, FNV_OFFSET)


if __name__ == "__main__":
    main("contended-lock", Work, prepare, run, digest, counts=counts, tier="asyncio")
