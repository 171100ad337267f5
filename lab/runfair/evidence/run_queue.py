"""Run-queue delay that only other programs can have caused: of a process of one thread."""

from __future__ import annotations

from runfair.formats.launch import LaunchReport
from runfair.formats.plan import Cell

# Runtimes of other languages have compiler and collector threads, which queue without harm.
SINGLE_THREADED_LANGUAGES = frozenset({"c", "c++", "rust", "python"})


def waits_for_others_only(cell: Cell) -> bool:
    """Whether no thread of the program's own can make it wait for a processor."""
    alone = cell.threads == 1 and (cell.drive is None or cell.drive.connections == 1)
    return alone and cell.language in SINGLE_THREADED_LANGUAGES


def delay_ns(cell: Cell, launch: LaunchReport) -> int | None:
    """How long others kept the program from its processor. None if the kernel does not report
    it, or where the program's own threads or children may have."""
    if not waits_for_others_only(cell) or launch.processes != 1:
        return None
    return launch.run_queue_ns
