"""Values from many pipes, read from any pipe that is ready: concurrency/select/contract.md."""

from __future__ import annotations

import time
from multiprocessing.connection import wait

from concurrency.python.processes import FORK, MOST_PROCESSES, Process, limit
from harness.python.harness import FNV_OFFSET, Options, fnv1a, main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from typing import Any

MASK_32 = 2**32 - 1
VALUE_BYTES = 4


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
        limit(f"channels={self.channels}", self.channels)
        self.beginning = FORK.Barrier(self.channels, self.start_clock)
        self.started_ns = FORK.RawValue("Q")  # in shared memory

    def start_clock(self) -> None:
        """Called by the last sender that begins. The selector already waits for a value."""
        self.started_ns.value = time.monotonic_ns()

    def send(self, c: int, to: Connection) -> None:
        self.beginning.wait()
        x = (self.seed + c) & MASK_32
        for _ in range(self.values):
            x = (x * 1664525 + c) & MASK_32
            to.send_bytes(x.to_bytes(VALUE_BYTES, "little"))

    def received(self, channels: list[Connection]) -> int:
        """The sum of all values. Raises EOFError if a process ended before its last value."""
        total = 0
        left: dict[Any, int] = dict.fromkeys(channels, self.values)
        while left:
            ready: list[Any] = wait(left)
            for channel in ready:
                total += int.from_bytes(channel.recv_bytes(), "little")
                counts.selects += 1  # tick
                left[channel] -= 1
                if not left[channel]:
                    del left[channel]
        return total & MASK_32


def prepare(work: Work) -> Work:
    return work


def run(work: Work) -> int:
    senders = [Process(work.send, c) for c in range(work.channels)]
    total = work.received([sender.receiver for sender in senders])
    for sender in senders:
        sender.join()
    elapsed_ns = time.monotonic_ns() - work.started_ns.value
    work.selects.record(elapsed_ns * 1000 // (work.channels * work.values))
    return total


def digest(total: int) -> int:
    return fnv1a(b"%08x\n" % total, FNV_OFFSET)


if __name__ == "__main__":
    steps = (Work, prepare, run, digest)
    main("select", *steps, counts=counts, tier="multiprocessing", max_threads=MOST_PROCESSES + 1)
