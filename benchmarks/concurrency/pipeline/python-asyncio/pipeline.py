"""Values through a chain of asyncio tasks: concurrency/pipeline/contract.md."""

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
        self.hops = 0


counts = Counts()


class Pipeline:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"])
        self.stages = int(options["stages"])
        self.values = int(options["values"])
        bounded = options["workload"] == "bounded"
        self.capacity = int(options["capacity"]) if bounded else 0  # 0: any number
        self.hops = options.recorder("hops")
        self.loop = asyncio.new_event_loop()

    async def source(self, to: Channel) -> None:
        await asyncio.sleep(0)  # until all stages have begun: the sink began before them
        self.started_ns = time.monotonic_ns()
        for k in range(self.values):
            await to.put((self.seed + k) & MASK_32)

    async def stage(self, number: int, from_: Channel, to: Channel) -> None:
        for _ in range(self.values):
            x = await from_.get()
            counts.hops += 1  # tick
            await to.put((x * 1664525 + number) & MASK_32)

    async def sink(self, from_: Channel) -> int:
        total = 0
        for _ in range(self.values):
            total = (total * 31 + await from_.get()) & MASK_32
            counts.hops += 1  # tick
        return total

    async def flow(self) -> int:
        channel: Channel = asyncio.Queue(self.capacity)
        running = [asyncio.create_task(self.source(channel))]
        for number in range(1, self.stages + 1):
            to: Channel = asyncio.Queue(self.capacity)
            running.append(asyncio.create_task(self.stage(number, channel, to)))
            channel = to
        total = await self.sink(channel)
        self.ended_ns = time.monotonic_ns()
        for task in running:
            await task
        return total


def prepare(pipeline: Pipeline) -> Pipeline:
    return pipeline


def run(pipeline: Pipeline) -> int:
    total = pipeline.loop.run_until_complete(pipeline.flow())
    hops = pipeline.values * (pipeline.stages + 1)
    pipeline.hops.record((pipeline.ended_ns - pipeline.started_ns) * 1000 // hops)
    return total


def digest(total: int) -> int:
    return fnv1a(b"%08x\n" % total, FNV_OFFSET)


if __name__ == "__main__":
    main("pipeline", Pipeline, prepare, run, digest, counts=counts, tier="asyncio")
