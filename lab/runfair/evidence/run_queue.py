"""The run-queue delay of a process of one thread, which only other programs can have caused."""

from __future__ import annotations

from runfair.formats.launch import LaunchReport
from runfair.formats.plan import Cell

# The runtimes of other languages have compiler and collector threads, whose waits are harmless.
SINGLE_THREADED_LANGUAGES = frozenset({"c", "c++", "rust", "python"})


def waits_for_others_only(cell: Cell) -> bool:
    """Whether only other programs can make the program wait for a processor."""
    alone = cell.threads == 1 and (cell.drive is None or cell.drive.connections == 1)
    return alone and cell.language in SINGLE_THREADED_LANGUAGES


def delay_ns(cell: Cell, launch: LaunchReport) -> int | None:
    """How long other programs kept the program from its processor. None if the kernel does not
    report it, or if the program's own threads or children may be the cause."""
    if not waits_for_others_only(cell) or launch.processes != 1:
        return None
    return launch.run_queue_ns
