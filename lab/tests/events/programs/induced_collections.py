"""Induces collections, each between two monotonic readings that it prints; with `killed` as its
argument it ends by SIGKILL, with `forked` a child induces some more."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time

COLLECTIONS = 5
OBJECTS = 200_000


def induce() -> None:
    for _ in range(COLLECTIONS):
        time.sleep(0.03)
        before_ns = time.monotonic_ns()
        gc.collect()
        after_ns = time.monotonic_ns()
        print(f'{{"before_ns":{before_ns},"after_ns":{after_ns}}}', flush=True)


def main() -> None:
    how = sys.argv[1] if len(sys.argv) > 1 else ""
    kept: list[list[int]] = [[i] for i in range(OBJECTS)]
    gc.disable()
    if how == "forked":
        child = os.fork()
        if child == 0:
            induce()
            os._exit(0)
        os.waitpid(child, 0)
    induce()
    assert len(kept) == OBJECTS
    if how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
