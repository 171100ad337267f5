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
# Called with what it calls when it is ready, and its number, until SIGTERM.
Work = Callable[[Callable[[], None], int], Counters]


def in_processes(work: Work, workers: int, ready: Callable[[], None]) -> Counters:
    """What all workers counted together."""
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    started = [forked(work, number) for number in range(workers)]
    if "" not in [said.readline() for _, said in started]:
        ready()
        # Until SIGTERM arrives, or a worker ends by itself.
        signal.sigwait(SIGNALS)
    for process, _ in started:
        os.kill(process, signal.SIGTERM)
    together: Counter[str] = Counter()
    for _, said in started:
        together.update({name: int(value) for name, value in map(str.split, said)})
    if max(os.waitpid(process, 0)[1] for process, _ in started) != 0:
        sys.exit(1)  # the worker has said why
    return together


def forked(work: Callable[[Callable[[], None], int], Counters], number: int) -> tuple[int, TextIO]:
    """The process, and what it says: a line when it is ready, and at its end what it counted."""
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
