"""The run-queue delay of a process with one thread. Only other programs can have caused this
delay. The run-queue delay of a program that a CPU quota throttled also contains the throttled
time."""

from __future__ import annotations

from runfair.formats.launch import LaunchReport
from runfair.formats.plan import Cell

# The runtimes of other languages have compiler and collector threads. Waits of these threads do not
# delay the program.
SINGLE_THREADED_LANGUAGES = frozenset({"c", "c++", "rust", "python"})


def waits_for_others_only(cell: Cell) -> bool:
    """Whether only other programs can make the program wait for a processor."""
    loop = cell.drive or cell.peak
    one_client = cell.service is None and (loop is None or loop.connections == 1)
    alone = cell.threads == 1 and not cell.starts_tasks and one_client
    limited = cell.factors.cpu_quota is not None
    return alone and not limited and cell.language in SINGLE_THREADED_LANGUAGES


def delay_ns(cell: Cell, launch: LaunchReport) -> int | None:
    """The time in ns for which other programs kept the program from its processor. None if the
    kernel does not report it, or if the program's own threads or children, or a CPU quota, may be
    the cause."""
    alone = max(launch.processes, launch.processes_started or 1) == 1
    if not waits_for_others_only(cell) or not alone or launch.throttled:
        return None
    return launch.run_queue_ns
