"""What the native launcher reports of one process tree (lab/launcher)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Literal

from runfair.formats.record import Record


class LaunchOutcome(Record):
    """How the program ended. `found_running`: it is not ours, was not started and not ended, and
    nothing is known of its life as a whole."""

    state: Literal[
        "exited",
        "signalled",
        "timed_out",
        "memory_exceeded",
        "ended_by_lab",
        "not_started",
        "found_running",
    ]
    exit_status: int | None = None
    signal: int | None = None
    error: str | None = None


class PageCache(Record):
    """Bytes of the files asked to be cold, and how many were in memory before and after."""

    asked: int
    resident_before: int
    resident_after: int


class LaunchReport(Record):
    """Accounting of the tree; None where the kernel does not tell."""

    schema_version: Literal[1]
    outcome: LaunchOutcome
    started_monotonic_ns: int
    started_realtime_ns: int
    wall_ns: int
    user_ns: int
    system_ns: int
    cpu_ns: int
    peak_rss_bytes: int
    peak_tree_bytes: int
    peak_tree_method: Literal["wait4", "cgroup", "sampled_pss"]
    processes: int
    processes_started: int | None = None
    voluntary_switches: int
    involuntary_switches: int
    minor_faults: int
    major_faults: int
    read_bytes: int | None
    written_bytes: int | None
    run_queue_ns: int | None
    left_behind: int
    foreign_ns: int | None
    foreign_source: Literal["schedstat", "cpuacct", "stat"] | None
    steal_ns: int | None
    processors: list[int]
    launcher_cpu_ns: int
    nr_periods: int | None = None
    throttled_periods: int | None = None
    throttled_ns: int | None = None
    ambient_throttled_ns: int | None = None
    memory_limit_method: Literal["cgroup_v2", "cgroup_v1", "watched"] | None = None
    page_cache: PageCache | None = None

    @classmethod
    def unaccounted(cls, outcome: LaunchOutcome, processors: Sequence[int]) -> LaunchReport:
        """What stands in the place of an accounting that nobody took: nothing was used, as far as
        is known."""
        return cls(
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
