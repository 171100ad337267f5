"""Values through a chain of processes: concurrency/pipeline/contract.md."""

from __future__ import annotations

import multiprocessing
import time
from multiprocessing.connection import wait

from harness.python.harness import FNV_OFFSET, Options, UsageError, fnv1a, main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.queues import Queue
    from typing import Any

    Channel = Queue[int]

FORK = multiprocessing.get_context("fork")
MOST_STAGES = 62  # with the source and the sink, 64 processes
CAPACITY = 64
MASK_32 = 2**32 - 1


class Counts:
    """The benchmark's counters."""

    def __init__(self) -> None:
        self.hops = 0


counts = Counts()


class Child:
    """A process, and the pipe through which it returns its result."""

    def __init__(self, function: Callable[..., Any], *arguments: object) -> None:
        self.told, self.tell = FORK.Pipe(duplex=False)
        # A daemon, so that the program can end if another process cannot be started or fails.
        self.process = FORK.Process(target=self.call, args=(function, *arguments), daemon=True)
        self.process.start()
        self.tell.close()  # the pipe now ends when the process ends

    def call(self, function: Callable[..., Any], *arguments: object) -> None:
        self.tell.send(function(*arguments))

    def end(self) -> None:
        self.process.join()
        self.process.close()
        self.told.close()


def results(children: list[Child]) -> list[Any]:
    """What each process returned, in the order of the children. Raises EOFError if a process ended
    without a result."""
    returned = {}
    missing: list[Any] = [child.told for child in children]
    while missing:
        ready: list[Any] = wait(missing)
        for told in ready:
            returned[told] = told.recv()
            missing.remove(told)
    for child in children:
        child.end()
    return [returned[child.told] for child in children]


class Pipeline:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"])
        self.stages = int(options["stages"])
        self.values = int(options["values"])
        self.capacity = CAPACITY if options["workload"] == "bounded" else 0  # 0: any number
        self.hops = options.recorder("hops")
        self.begun = FORK.Semaphore(0)  # released by each stage and by the sink
        if self.stages > MOST_STAGES:
            raise UsageError(
                f"stages={self.stages} are too many processes; ask for {MOST_STAGES} at most"
            )

    def source(self, to: Channel) -> int:
        for _ in range(self.stages + 1):
            self.begun.acquire()
        started_ns = time.monotonic_ns()
        for k in range(self.values):
            to.put((self.seed + k) & MASK_32)
        sent(to)
        return started_ns

    def stage(self, number: int, from_: Channel, to: Channel) -> Counts:
        own = Counts()
        self.begun.release()
        for _ in range(self.values):
            x = from_.get()
            own.hops += 1  # tick
            to.put((x * 1664525 + number) & MASK_32)
        sent(to)
        return own

    def sink(self, from_: Channel) -> tuple[int, int, Counts]:
        own = Counts()
        self.begun.release()
        total = 0
        for _ in range(self.values):
            total = (total * 31 + from_.get()) & MASK_32
            own.hops += 1  # tick
        return total, time.monotonic_ns(), own


def sent(to: Channel) -> None:
    """Waits until the queue's own thread has sent all values."""
    to.close()
    to.join_thread()


def prepare(pipeline: Pipeline) -> Pipeline:
    return pipeline


def run(pipeline: Pipeline) -> int:
    numbers = range(1, pipeline.stages + 1)
    channels = [FORK.Queue(pipeline.capacity) for _ in (0, *numbers)]
    source = Child(pipeline.source, channels[0])
    stages = [Child(pipeline.stage, s, channels[s - 1], channels[s]) for s in numbers]
    sink = Child(pipeline.sink, channels[-1])
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
    main("pipeline", *steps, counts=counts, tier="multiprocessing", max_threads=MOST_STAGES + 2)
