"""Values through a chain of threads: concurrency/pipeline/contract.md."""

from __future__ import annotations

import time
from queue import Queue, SimpleQueue
from threading import Semaphore, Thread

from harness.python.harness import FNV_OFFSET, Options, fnv1a, main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Union

    Channel = Union[Queue[int], SimpleQueue[int]]

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
        self.bounded = options["workload"] == "bounded"
        self.capacity = int(options["capacity"])
        self.hops = options.recorder("hops")
        self.begun = Semaphore(0)  # released by each stage and by the sink

    def channel(self) -> Channel:
        return Queue(self.capacity) if self.bounded else SimpleQueue()

    def source(self, to: Channel) -> None:
        for _ in range(self.stages + 1):
            self.begun.acquire()
        self.started_ns = time.monotonic_ns()
        for k in range(self.values):
            to.put((self.seed + k) & MASK_32)

    def stage(self, number: int, from_: Channel, to: Channel, counts: Counts) -> None:
        self.begun.release()
        for _ in range(self.values):
            x = from_.get()
            counts.hops += 1  # tick
            to.put((x * 1664525 + number) & MASK_32)

    def sink(self, from_: Channel, counts: Counts) -> int:
        self.begun.release()
        total = 0
        for _ in range(self.values):
            total = (total * 31 + from_.get()) & MASK_32
            counts.hops += 1  # tick
        return total


def prepare(pipeline: Pipeline) -> Pipeline:
    return pipeline


def run(pipeline: Pipeline) -> int:
    counted = [Counts() for _ in range(pipeline.stages + 1)]
    channel = pipeline.channel()
    # Daemons, so that the process can end if one of them cannot be started.
    running = [Thread(target=pipeline.source, args=(channel,), daemon=True)]
    running[0].start()
    for number in range(1, pipeline.stages + 1):
        to = pipeline.channel()
        work = (number, channel, to, counted[number])
        stage = Thread(target=pipeline.stage, args=work, daemon=True)
        stage.start()
        running.append(stage)
        channel = to
    total = pipeline.sink(channel, counted[0])
    ended_ns = time.monotonic_ns()
    for thread in running:
        thread.join()
    hops = pipeline.values * (pipeline.stages + 1)
    pipeline.hops.record((ended_ns - pipeline.started_ns) * 1000 // hops)
    counts.hops += sum(own.hops for own in counted)
    return total


def digest(total: int) -> int:
    return fnv1a(b"%08x\n" % total, FNV_OFFSET)


if __name__ == "__main__":
    main("pipeline", Pipeline, prepare, run, digest, counts=counts, max_threads=10_002)
