"""The memory of threads that wait: concurrency/memory-per-task/contract.md."""

from __future__ import annotations

from threading import Lock, Semaphore, Thread

from harness.python.harness import FNV_OFFSET, MASK_64, Options, SplitMix64, fnv1a, main

from .resident import resident_bytes


class Counts:
    """The benchmark's counters."""

    def __init__(self) -> None:
        self.tasks = 0


counts = Counts()


class Work:
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        self.seed = int(options["seed"])
        self.tasks = int(options["tasks"])
        self.bytes = options.recorder("bytes")
        self.adding = Lock()

    def begin(self) -> None:
        self.sum = 0
        self.begun = Semaphore(0)
        self.gate = Semaphore(0)
        self.ended = Semaphore(0)

    def task(self, i: int) -> None:
        x = SplitMix64((self.seed + i) & MASK_64).next()
        self.begun.release()
        self.gate.acquire()
        with self.adding:
            self.sum += x
            counts.tasks += 1  # tick
        self.ended.release()


def prepare(work: Work) -> Work:
    work.begin()
    return work


def run(work: Work) -> int:
    before = resident_bytes()
    running = []
    for i in range(work.tasks):
        # Daemons, so that the process can end if one of them cannot be started.
        thread = Thread(target=work.task, args=(i,), daemon=True)
        thread.start()
        running.append(thread)
    for _ in running:
        work.begun.acquire()
    after = resident_bytes()
    # One after another: thousands of threads that want the interpreter lock at once take minutes.
    for _ in running:
        work.gate.release()
        work.ended.acquire()
    for thread in running:
        thread.join()
    work.bytes.record((after - before) // work.tasks)
    return work.sum & MASK_64


def digest(total: int) -> int:
    return fnv1a(b"%016x\n" % total, FNV_OFFSET)


if __name__ == "__main__":
    main("memory-per-task", Work, prepare, run, digest, counts=counts, max_threads=1_000_000)
