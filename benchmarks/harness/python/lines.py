"""Counts how often each line of a program's own source ran, and writes the file of the option
`lines`."""

from __future__ import annotations

import os
import sys
import threading
from collections import Counter, defaultdict
from typing import Any, Callable

from harness.python.harness import UsageError, json


def observed(run: Callable[[Any], Any], side_file: str) -> Callable[[Any], Any]:
    """Calls `run` and counts how often the interpreter begins each line, by the events that a
    debugger gets."""
    # Counts are kept by path and thread, because additions by several threads to one number could
    # be lost.
    counts: dict[tuple[str, int], Counter[int]] = defaultdict(Counter)
    forks: list[bool] = []
    os.register_at_fork(before=lambda: forks.append(True))

    def trace(frame: Any, event: str, _argument: object) -> Any:
        if event == "line":
            counts[frame.f_code.co_filename, threading.get_ident()][frame.f_lineno] += 1
        return trace

    def observing(work: Any) -> Any:
        threading.settrace(trace)
        sys.settrace(trace)
        result = run(work)
        sys.settrace(None)
        threading.settrace(None)
        if forks:
            raise UsageError("lines of other processes cannot be counted; leave lines=PATH out")
        folder = os.path.dirname(os.path.abspath(sys.modules["__main__"].__file__ or ""))
        files: dict[str, Counter[int]] = defaultdict(Counter)
        for (path, _), executed in counts.items():
            files[os.path.relpath(path, folder)].update(executed)
        with open(side_file, "w", encoding="ascii") as side:
            for path, executed in files.items():
                if not path.startswith(".."):
                    told = {"path": path, "name": "executions", "unit": "", "values": executed}
                    side.write(f"{json(told)}\n")
        return result

    return observing
