"""How often each line of a program's own source ran (`--lines` of benchmarks/contract.md).

Only imported under --lines: no timed code knows of it.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import Counter

from harness.python.harness import UsageError, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any, Callable, Dict, List, Optional, Tuple, TypeVar

    from harness.python.harness import Json

    Work = TypeVar("Work")
    Result = TypeVar("Result")
    Trace = Callable[[FrameType, str, Any], Any]


class LineCounter:
    """Counts while a function runs how often the interpreter begins each line of the files below
    `folder`: what it tells a debugger. Threads that are started meanwhile count as well; other
    processes cannot, so that a fork is a UsageError rather than a part of the truth."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        # By path and thread, as additions by several to one number would get lost; None for what is
        # not the program's.
        self.counts: Dict[Tuple[str, int], Counter[int]] = {}
        self.traces: Dict[Tuple[str, int], Optional[Trace]] = {}
        self.forked = False
        os.register_at_fork(before=self._forks)

    def counted(self, run: Callable[[Work], Result], work: Work) -> Result:
        threading.settrace(self._call)
        sys.settrace(self._call)
        try:
            return run(work)
        finally:
            sys.settrace(None)
            threading.settrace(None)

    def events(self) -> List[Dict[str, Json]]:
        """The members of a `lines` line for each file. Raises UsageError."""
        if self.forked:
            raise UsageError("its other processes' lines are not counted; leave --lines out")
        files: Dict[str, Counter[int]] = {}
        for (path, _), counts in self.counts.items():
            files.setdefault(os.path.relpath(path, self.folder), Counter()).update(counts)
        return [
            {
                "path": path,
                "name": "executions",
                "unit": "",
                "values": {str(line): count for line, count in sorted(counts.items())},
            }
            for path, counts in sorted(files.items())
            if counts
        ]

    def _call(self, frame: FrameType, _event: str, _argument: Any) -> Optional[Trace]:
        path = frame.f_code.co_filename
        key = path, threading.get_ident()
        if key not in self.traces:
            self.traces[key] = self._trace(key) if self._own(path) else None
        return self.traces[key]

    def _own(self, path: str) -> bool:
        return os.path.abspath(path).startswith(os.path.join(self.folder, ""))

    def _trace(self, key: Tuple[str, int]) -> Trace:
        counts = self.counts.setdefault(key, Counter())

        def trace(frame: FrameType, event: str, _argument: Any) -> Trace:
            if event == "line":
                counts[frame.f_lineno] += 1
            return trace

        return trace

    def _forks(self) -> None:
        self.forked = True


def program_folder() -> str:
    """Where the program's source is. Raises UsageError where it came from no file."""
    path: Optional[str] = getattr(sys.modules["__main__"], "__file__", None)
    if path is None:
        raise UsageError(f"{quoted(sys.argv[0])} is no file whose lines could be counted")
    return os.path.dirname(os.path.abspath(path))
