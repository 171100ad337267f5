"""Writes the garbage collections of this process to RUNFAIR_EVENTS_FOLDER. This module is run
before the program, and itself runs the sitecustomize module that it replaces.

The module runs in every Python from 3.7 on and in PyPy, if its folder is on PYTHONPATH. Records are
stored in a mapped file. In a mapped file no record is lost, however the process ends, and no write
call is made while the program runs. The file grows piece by piece and only the current piece is
mapped, so it adds little to the program's memory.
"""

# ruff: noqa: PTH100, PTH118, PTH120 (pathlib would be imported into every program)

from __future__ import annotations

import gc
import mmap
import os
import struct
import sys
import time

# the form that type checkers understand; importing typing would slow every start
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PIECE_BYTES = 1 << 20
RECORD = struct.Struct("<QQIIQ")  # started_ns, duration_ns, code, count, number
STEP, COMPILED, ENDED = 17, 18, 19
LARGEST_COUNT = (1 << 32) - 1


class Records:
    """The event file of this process."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.open()

    def open(self) -> None:
        """Opens a new file. A new file is opened at the start, and in a child after a fork, because
        the child must not write to the parent's file.
        """
        name = f"{sys.implementation.name}-{os.getpid()}-{time.monotonic_ns()}.gc"
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        self.fd = os.open(os.path.join(self.folder, name), flags, 0o666)
        self.size = 0
        self.grow()

    def grow(self) -> None:
        os.ftruncate(self.fd, self.size + PIECE_BYTES)
        self.piece = mmap.mmap(self.fd, PIECE_BYTES, offset=self.size)
        self.size += PIECE_BYTES
        self.free = 0

    def reopen(self) -> None:
        os.close(self.fd)
        self.open()

    def add(self, started_ns: int, duration_ns: int, code: int, count: int, number: int) -> None:
        at = self.free
        if at == PIECE_BYTES:
            self.grow()
            at = 0
        self.free = at + RECORD.size
        RECORD.pack_into(self.piece, at, started_ns, duration_ns, code, count, number)


def watch_cpython(records: Records) -> None:
    now = time.monotonic_ns
    add = records.add
    started_ns = now()

    def collected(phase: str, info: dict[str, int]) -> None:
        nonlocal started_ns
        if phase == "start":
            started_ns = now()
        else:
            taken_ns = now() - started_ns
            add(started_ns, taken_ns, info["generation"], 1, info["collected"])

    gc.callbacks.append(collected)


def watch_pypy(records: Records) -> None:
    now = time.monotonic_ns

    def add(code: int, seconds: float, count: int, number: int) -> None:
        taken_ns = round(seconds * 1e9)
        records.add(now() - taken_ns, taken_ns, code, min(count, LARGEST_COUNT), number)

    hooks: Any = vars(gc)["hooks"]
    # Minor collections are not requested. They occur thousands of times a second, and most take a
    # few µs. Calling a hook for each of them took 7% of the program's CPU time.
    hooks.on_gc_collect_step = lambda stats: add(STEP, stats.duration, stats.count, 0)

    # If a call into C contains the end of a collection and the start of the next, the steps are
    # reported together, with the state of the last one. The ends are counted in any case.
    def ended(stats: Any) -> None:
        for _ in range(stats.count):
            add(ENDED, 0, 1, 0)

    hooks.on_gc_collect = ended
    try:
        pypyjit: Any = __import__("pypyjit")
    except ImportError:  # a PyPy without a JIT compiler
        return
    pypyjit.set_compile_hook(lambda info: add(COMPILED, 0, 1, info.asmlen), operations=False)


def watch() -> None:
    folder = os.environ.get("RUNFAIR_EVENTS_FOLDER")
    if not folder:
        return
    try:
        records = Records(folder)
    except OSError as error:
        # The program is more important than its events. That events are missing is noticed
        # afterwards.
        sys.stderr.write(f"runfair: the events of this process cannot be recorded ({error})\n")
        return
    os.register_at_fork(after_in_child=records.reopen)
    if sys.implementation.name == "pypy":
        watch_pypy(records)
    else:
        watch_cpython(records)


def run_the_others() -> None:
    """Imports the sitecustomize module that would have been imported if this folder were not first
    on the path.
    """
    own = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder or ".") != own]
    this = sys.modules.pop("sitecustomize", None)
    try:
        __import__("sitecustomize")
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
    finally:
        if this is not None:
            sys.modules.setdefault("sitecustomize", this)


watch()
run_the_others()
