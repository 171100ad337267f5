"""Services whose threads are processes that share a listening socket."""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from functools import partial
from typing import Callable, Mapping, Optional, TextIO

SIGNALS = (signal.SIGTERM, signal.SIGCHLD)
Counters = Optional[Mapping[str, int]]
# The work of a worker, which runs until SIGTERM. Its arguments are a function to call when it is
# ready, and its number.
Work = Callable[[Callable[[], None], int], Counters]


def in_processes(work: Work, workers: int, ready: Callable[[], None]) -> Counters:
    """Runs the workers, and returns the sum of their counts."""
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    started = [forked(work, number) for number in range(workers)]
    if "" not in [said.readline() for _, said in started]:
        ready()
        # Wait until SIGTERM arrives, or a worker ends by itself.
        signal.sigwait(SIGNALS)
    for process, _ in started:
        os.kill(process, signal.SIGTERM)
    together: Counter[str] = Counter()
    for _, said in started:
        together.update({name: int(value) for name, value in map(str.split, said)})
    if max(os.waitpid(process, 0)[1] for process, _ in started) != 0:
        sys.exit(1)  # the worker itself has reported the reason
    return together


def forked(work: Callable[[Callable[[], None], int], Counters], number: int) -> tuple[int, TextIO]:
    """Starts a worker process. Returns the process and a pipe: the worker writes a line when it is
    ready, and its counts at its end."""
    reading, writing = os.pipe()
    process = os.fork()
    if process != 0:
        os.close(writing)
        return process, open(reading)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    with open(writing, "w") as said:
        counters = work(partial(print, "ready", file=said, flush=True), number) or {}
        said.writelines(f"{name} {value}\n" for name, value in counters.items())
    sys.exit(0)
