"""The accounting of a server whose processes nobody took account of."""

from __future__ import annotations

import time
from collections.abc import Sequence

from runfair.formats.launch import LaunchOutcome, LaunchReport
from runfair.formats.plan import Cell


def unaccounted(cell: Cell, failure: str, processors: Sequence[int]) -> LaunchReport:
    """What stands in the place of an accounting that nobody took: of a service that was found
    running, or of one that there was no starting."""
    found = cell.service is not None and cell.service.kind == "url"
    outcome = LaunchOutcome(state="found_running")
    if not found:
        outcome = LaunchOutcome(state="not_started", error=failure)
    return LaunchReport(
        schema_version=1,
        outcome=outcome,
        started_monotonic_ns=time.monotonic_ns(),
        started_realtime_ns=time.time_ns(),
        wall_ns=0,
        user_ns=0,
        system_ns=0,
        cpu_ns=0,
        peak_rss_bytes=0,
        peak_tree_bytes=0,
        peak_tree_method="wait4",
        processes=0,
        voluntary_switches=0,
        involuntary_switches=0,
        minor_faults=0,
        major_faults=0,
        read_bytes=None,
        written_bytes=None,
        run_queue_ns=None,
        left_behind=0,
        foreign_ns=None,
        foreign_source=None,
        steal_ns=None,
        processors=list(processors),
        launcher_cpu_ns=0,
    )
