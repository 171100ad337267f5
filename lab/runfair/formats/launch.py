"""The native launcher's report on a process tree (lab/launcher), with hardware counters."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

from pydantic import Field

from runfair.formats.record import Row, row

# If more events are requested than the processor has counters, the events take turns. If an event
# was counted for less than half of the time, its count depends too much on its turns.
LEAST_COUNTED_SHARE = 0.5


@row
class CounterReading(Row):
    """The count of an event so far. `enabled_ns` is how long the event's threads ran while it was
    enabled. `running_ns` is the part of that time in which the event had a hardware counter
    (perf_event_open(2), read_format)."""

    value: Annotated[int, Field(ge=0)]
    enabled_ns: Annotated[int, Field(ge=0)]
    running_ns: Annotated[int, Field(ge=0)]

    def since(self, earlier: CounterReading) -> CounterReading:
        return CounterReading(
            value=self.value - earlier.value,
            enabled_ns=self.enabled_ns - earlier.enabled_ns,
            running_ns=self.running_ns - earlier.running_ns,
        )

    @property
    def estimate(self) -> float | None:
        """The count, scaled to the whole running time. None if the event was counted for too small
        a part of that time."""
        if not self.running_ns or self.running_ns < LEAST_COUNTED_SHARE * self.enabled_ns:
            return None
        return self.value * self.enabled_ns / self.running_ns


@row
class ProcessorCounts(Row):
    """The hardware counts of a program. `user_only`: the counts exclude the kernel's work for the
    program, because the kernel does not permit counting it."""

    cycles: CounterReading
    instructions: CounterReading
    user_only: bool

    def since(self, earlier: ProcessorCounts) -> ProcessorCounts:
        return ProcessorCounts(
            cycles=self.cycles.since(earlier.cycles),
            instructions=self.instructions.since(earlier.instructions),
            user_only=self.user_only,
        )


_ADDED = (
    *("user_ns", "system_ns", "cpu_ns", "peak_tree_bytes", "processes", "launcher_cpu_ns"),
    *("voluntary_switches", "involuntary_switches", "minor_faults", "major_faults", "left_behind"),
)
_ADDED_IF_TOLD = (
    *("processes_started", "read_bytes", "written_bytes", "run_queue_ns", "uncounted_ns"),
    *("nr_periods", "throttled_periods", "throttled_ns"),
)


@row
class LaunchOutcome(Row):
    """How the program ended. `found_running`: the program is an external service, which the lab
    neither started nor ended. The accounting of its whole life is therefore unknown."""

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


@row
class PageCache(Row):
    """The size of the files that should be cold, and how many of their bytes were in memory before
    and after the program."""

    asked: int
    resident_before: int
    resident_after: int


@row
class ProcessorSpan(Row):
    """The processors' times since boot, and the process tree's share of them, read when the tree
    starts and when it ends. Differences over a whole block span many kernel ticks; differences over
    one execution may not."""

    busy_before_ns: int
    busy_after_ns: int
    own_ns: int
    steal_before_ns: int
    steal_after_ns: int


@row
class LaunchReport(Row):
    """The accounting of a process tree. A value is None if the kernel does not report it.
    `processor` has the hardware counts of a program that ran to its end. The counts of a service
    are stored with its loads. `processor_span` is None for several parallel trees, and in old
    reports. `uncounted_ns` is CPU time of the tree that `cpu_ns` lacks: the last microseconds of
    each thread that ended, which a cgroup counts and wait4(2) does not. `uid` is the id of the user
    that the program ran as."""

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
    uncounted_ns: int | None = None
    steal_ns: int | None
    processors: list[int]
    uid: int | None = None
    launcher_cpu_ns: int
    nr_periods: int | None = None
    throttled_periods: int | None = None
    throttled_ns: int | None = None
    ambient_throttled_ns: int | None = None
    memory_limit_method: Literal["cgroup_v2", "cgroup_v1", "watched"] | None = None
    page_cache: PageCache | None = None
    processor: ProcessorCounts | None = None
    processor_span: ProcessorSpan | None = None

    @property
    def throttled(self) -> bool:
        """Whether a CPU quota stopped the tree for a part of its time: its own quota, or a quota of
        the surrounding cgroup."""
        return bool(self.throttled_ns or self.throttled_periods or self.ambient_throttled_ns)

    @property
    def ending(self) -> str:
        """How the program ended, in a few words."""
        end = self.outcome
        if end.state == "not_started":
            return f"not started: {end.error}"
        if end.state == "memory_exceeded":
            return "it exceeded its memory limit"
        if end.state == "timed_out":
            return f"time-out after {self.wall_ns / 1e9:.0f} s"
        if end.state == "signalled":
            return f"signal {end.signal}"
        return f"exit status {end.exit_status}"

    @classmethod
    def together(cls, reports: Sequence[LaunchReport], *, on_hosts: bool = False) -> LaunchReport:
        """The combined report of one or several trees. Several trees ran in parallel on the same
        processors or, if `on_hosts`, on the same processors of different hosts. Usage is added up.
        Peaks are added up too, although the trees may have reached them at different times. The
        outcome is that of the first tree that did not end as requested. What other processes and
        the hypervisor took is that of the host that lost most. All instants are on one clock."""
        first = reports[0]
        if len(reports) == 1:
            return first
        started_ns = min(one.started_monotonic_ns for one in reports)
        ended_ns = max(one.started_monotonic_ns + one.wall_ns for one in reports)
        by_itself = (one for one in reports if one.outcome.state != "ended_by_lab")
        sums = {name: sum(getattr(one, name) for one in reports) for name in _ADDED}
        sums |= {name: _known(getattr(one, name) for one in reports) for name in _ADDED_IF_TOLD}
        methods = {one.peak_tree_method for one in reports}
        limits = {one.memory_limit_method for one in reports}
        return first.model_copy(
            update={
                **sums,
                "outcome": next(by_itself, first).outcome,
                "started_monotonic_ns": started_ns,
                "started_realtime_ns": min(one.started_realtime_ns for one in reports),
                "wall_ns": ended_ns - started_ns,
                "peak_rss_bytes": max(one.peak_rss_bytes for one in reports),
                "peak_tree_method": methods.pop() if len(methods) == 1 else "sampled_pss",
                "memory_limit_method": limits.pop() if len(limits) == 1 else None,
                "foreign_ns": _greatest(one.foreign_ns for one in reports)
                if on_hosts
                else _foreign_ns(reports),
                "processor_span": None,
                "steal_ns": _greatest(one.steal_ns for one in reports),
                "ambient_throttled_ns": _greatest(one.ambient_throttled_ns for one in reports),
            }
        )

    @classmethod
    def placeholder(cls, outcome: LaunchOutcome, processors: Sequence[int]) -> LaunchReport:
        """A report without any usage, for processes that were not accounted for."""
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


def _foreign_ns(reports: Sequence[LaunchReport]) -> int | None:
    """The foreign time of parallel trees. Each launcher counts the other trees as foreign, so their
    time is subtracted from the foreign time of the launcher that ran longest."""
    own_ns = [one.cpu_ns + (one.uncounted_ns or 0) for one in reports]
    return _greatest(
        None if one.foreign_ns is None else max(0, one.foreign_ns - (sum(own_ns) - own))
        for one, own in zip(reports, own_ns, strict=True)
    )


def _known(values: Iterable[int | None]) -> int | None:
    """The sum of the values; None if any is unknown."""
    told = list(values)
    return None if None in told else sum(value for value in told if value is not None)


def _greatest(values: Iterable[int | None]) -> int | None:
    """The greatest of the values; None if any is unknown."""
    told = list(values)
    return None if None in told else max(value for value in told if value is not None)
