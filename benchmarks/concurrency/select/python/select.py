"""Values from many pipes, read from any pipe that is ready: concurrency/select/contract.md."""

from __future__ import annotations

import os
import selectors
import time
from threading import Barrier, Thread

from harness.python.harness import FNV_OFFSET, Options, fnv1a, main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List

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

    def begin(self) -> None:
        self.beginning = Barrier(self.channels + 1, self.start_clock)

    def start_clock(self) -> None:
        """Called by the last that begins, of the senders and the selector."""
        self.started_ns = time.monotonic_ns()

    def send(self, c: int, to: int) -> None:
        self.beginning.wait()
        x = (self.seed + c) & MASK_32
        for _ in range(self.values):
            x = (x * 1664525 + c) & MASK_32
            os.write(to, x.to_bytes(VALUE_BYTES, "little"))

    def received(self, selector: selectors.BaseSelector) -> int:
        self.beginning.wait()
        total = 0
        left = self.channels * self.values
        while left > 0:
            for key, _ in selector.select():
                total += int.from_bytes(os.read(key.fd, VALUE_BYTES), "little")
                counts.selects += 1  # tick
                left -= 1
        return total & MASK_32


def prepare(work: Work) -> Work:
    work.begin()
    return work


def run(work: Work) -> int:
    ends: List[int] = []
    running = []
    with selectors.DefaultSelector() as selector:
        for c in range(work.channels):
            from_, to = os.pipe()
            ends += (from_, to)
            selector.register(from_, selectors.EVENT_READ)
            # Daemons, so that the process can end if one of them cannot be started.
            thread = Thread(target=work.send, args=(c, to), daemon=True)
            thread.start()
            running.append(thread)
        total = work.received(selector)
        for thread in running:
            thread.join()
        elapsed_ns = time.monotonic_ns() - work.started_ns
    for end in ends:
        os.close(end)
    work.selects.record(elapsed_ns * 1000 // (work.channels * work.values))
    return total


def digest(total: int) -> int:
    return fnv1a(b"%08x\n" % total, FNV_OFFSET)


if __name__ == "__main__":
    main("select", Work, prepare, run, digest, counts=counts, max_threads=1_001)
