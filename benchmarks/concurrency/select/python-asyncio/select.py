"""Values from many queues, taken from any queue that has one: concurrency/select/contract.md."""

from __future__ import annotations

import asyncio
import time

from harness.python.harness import FNV_OFFSET, Options, fnv1a, main

TYPE_CHECKING = False
if TYPE_CHECKING:
    Channel = asyncio.Queue[int]

MASK_32 = 2**32 - 1


class Counts:
    """The benchmark's counters."""

    def __init__(self) -> None:
        self.selects = 0


counts = Counts()


class Work:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"])
        self.channels = int(options["channels"])
        self.values = int(options["values"])
        self.selects = options.recorder("selects")
        self.loop = asyncio.new_event_loop()

    async def send(self, c: int, to: Channel) -> None:
        self.begun.release()
        await self.gate.wait()
        x = (self.seed + c) & MASK_32
        for _ in range(self.values):
            x = (x * 1664525 + c) & MASK_32
            await to.put(x)

    async def flow(self) -> int:
        channels: list[Channel] = [asyncio.Queue(1) for _ in range(self.channels)]
        self.begun = asyncio.Semaphore(0)  # released by each sender
        self.gate = asyncio.Event()
        running = [asyncio.create_task(self.send(c, to)) for c, to in enumerate(channels)]
        for _ in running:
            await self.begun.acquire()
        started_ns = time.monotonic_ns()
        self.gate.set()
        total = await self.received(channels)
        for task in running:
            await task
        elapsed_ns = time.monotonic_ns() - started_ns
        self.selects.record(elapsed_ns * 1000 // (self.channels * self.values))
        return total

    async def received(self, channels: list[Channel]) -> int:
        left = [self.values] * len(channels)
        waiting: dict[asyncio.Task[int], int] = {
            asyncio.create_task(channel.get()): c for c, channel in enumerate(channels)
        }
        total = 0
        while waiting:
            ready, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in ready:
                c = waiting.pop(task)
                total += task.result()
                counts.selects += 1  # tick
                left[c] -= 1
                if left[c] > 0:
                    waiting[asyncio.create_task(channels[c].get())] = c
        return total & MASK_32


def prepare(work: Work) -> Work:
    return work


def run(work: Work) -> int:
    return work.loop.run_until_complete(work.flow())


def digest(total: int) -> int:
    return fnv1a(b"%08x\n" % total, FNV_OFFSET)


if __name__ == "__main__":
    main("select", Work, prepare, run, digest, counts=counts, tier="asyncio")
