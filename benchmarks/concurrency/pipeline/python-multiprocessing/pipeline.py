"""Values through a chain of processes: concurrency/pipeline/contract.md."""

from __future__ import annotations

import time

from concurrency.python.processes import FORK, MOST_PROCESSES, Process, limit, results
from harness.python.harness import FNV_OFFSET, Options, fnv1a, main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.queues import Queue

    Channel = Queue[int]

MOST_STAGES = MOST_PROCESSES - 2  # the source and the sink are processes too
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
        self.begun = FORK.Semaphore(0)  # released by each stage and by the sink
        limit(f"stages={self.stages}", self.stages, MOST_STAGES)

    def source(self, to: Channel, program: Connection) -> None:
        for _ in range(self.stages + 1):
            self.begun.acquire()
        started_ns = time.monotonic_ns()
        for k in range(self.values):
            to.put((self.seed + k) & MASK_32)
        sent(to)
        program.send(started_ns)

    def stage(self, number: int, from_: Channel, to: Channel, program: Connection) -> None:
        own = Counts()
        self.begun.release()
        for _ in range(self.values):
            x = from_.get()
            own.hops += 1  # tick
            to.put((x * 1664525 + number) & MASK_32)
        sent(to)
        program.send(own)

    def sink(self, from_: Channel, program: Connection) -> None:
        own = Counts()
        self.begun.release()
        total = 0
        for _ in range(self.values):
            total = (total * 31 + from_.get()) & MASK_32
            own.hops += 1  # tick
        program.send((total, time.monotonic_ns(), own))


def sent(to: Channel) -> None:
    """Waits until the queue's own thread has sent all values."""
    to.close()
    to.join_thread()


def prepare(pipeline: Pipeline) -> Pipeline:
    return pipeline


def run(pipeline: Pipeline) -> int:
    numbers = range(1, pipeline.stages + 1)
    channels = [FORK.Queue(pipeline.capacity) for _ in (0, *numbers)]
    source = Process(pipeline.source, channels[0])
    stages = [Process(pipeline.stage, s, channels[s - 1], channels[s]) for s in numbers]
    sink = Process(pipeline.sink, channels[-1])
    started_ns, *counted, (total, ended_ns, own) = results([source, *stages, sink])
    for channel in channels:
        channel.close()
    hops = pipeline.values * (pipeline.stages + 1)
    pipeline.hops.record((ended_ns - started_ns) * 1000 // hops)
    for each in (*counted, own):
        counts.hops += each.hops
    return int(total)


def digest(total: int) -> int:
    return fnv1a(b"%08x\n" % total, FNV_OFFSET)


if __name__ == "__main__":
    steps = (Pipeline, prepare, run, digest)
    main("pipeline", *steps, counts=counts, tier="multiprocessing", max_threads=MOST_PROCESSES)
