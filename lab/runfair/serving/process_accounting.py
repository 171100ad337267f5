"""The resources that a living process tree has used so far. The difference of two readings is the
use between them.

Exact values and lower bounds:

- CPU time covers every thread and reaped children. The CPU clock of a living process counts
  nanoseconds and includes its ended threads. For reaped children, and without such a clock, the
  kernel reports whole ticks (10 ms). `cpu_ns`, the greatest of these lower bounds, is at most two
  ticks per process too low. `user_ns` and `system_ns` are in ticks.
- Context switches and run-queue time belong to a thread and are lost when the thread ends. For an
  ended thread, the values of its last sample are counted. A thread that lived only between two
  samples is missing. The sums are therefore lower bounds. `unseen_cpu_ns` is the CPU time of the
  tree that belongs to no sampled thread; it shows how much may be missing.
- An orphan that leaves the tree is no longer counted. This does not happen below the launcher: as
  the subreaper the launcher adopts all orphans, and the CPU time of reaped orphans is counted.
- A version 2 cgroup that contains only this tree reports CPU time exactly, and the peak of
  memory if it has the memory controller.

The usual library, psutil, is not used. The library psutil reports CPU time in ticks of 10 ms, and
neither run-queue time nor the use of ended threads.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from runfair.machine.kernel_files import ROOT
from runfair.machine.perf_counters import SystemCallCounters
from runfair.serving.call_counting import CallCounters, JointCallCounters
from runfair.serving.process_files import (
    ProcessStat,
    ThreadFigures,
    group_alone,
    read_children,
    read_cpu_clock_ns,
    read_peak_resident_bytes,
    read_proportional_bytes,
    read_resident_bytes,
    read_stat,
    read_storage,
    read_threads,
)

CpuMethod = Literal["cgroup", "proc"]
PeakMethod = Literal["cgroup", "resident", "sampled_pss", "sampled_rss"]


@dataclass(frozen=True)
class TreeUsage:
    """The use of a process tree: one reading, or the difference of two readings.

    In a difference `monotonic_ns` is the time between the readings, and the last four fields are
    the later reading's. `run_queue_ns` is the time in which threads could run but had no processor.
    A figure is None if the kernel does not report it, or does not report it to this user. If
    `peak_method` is `resident`, the peak is exact, because the tree never had more than one
    process. If `peak_method` is `sampled_…`, the peak is the greatest sum over the processes in any
    sample: a sum of proportional sizes (a lower bound) or, if this user may not read those, of
    resident sizes (which count shared pages several times).
    """

    monotonic_ns: int
    cpu_ns: int
    user_ns: int
    system_ns: int
    voluntary_switches: int
    involuntary_switches: int
    run_queue_ns: int | None
    read_bytes: int | None
    written_bytes: int | None
    vanished_threads: int
    unseen_cpu_ns: int
    processes: int
    cpu_method: CpuMethod
    peak_bytes: int
    peak_method: PeakMethod

    def __sub__(self, earlier: TreeUsage) -> TreeUsage:
        """The use between two readings. Raises ValueError if the readings were taken by different
        methods, because their difference would be meaningless.
        """
        if self.cpu_method != earlier.cpu_method:
            raise ValueError(
                f"CPU times that were read by different methods ({self.cpu_method} and "
                f"{earlier.cpu_method}) cannot be subtracted from each other"
            )
        return TreeUsage(
            monotonic_ns=self.monotonic_ns - earlier.monotonic_ns,
            cpu_ns=self.cpu_ns - earlier.cpu_ns,
            user_ns=self.user_ns - earlier.user_ns,
            system_ns=self.system_ns - earlier.system_ns,
            voluntary_switches=self.voluntary_switches - earlier.voluntary_switches,
            involuntary_switches=self.involuntary_switches - earlier.involuntary_switches,
            run_queue_ns=_difference(self.run_queue_ns, earlier.run_queue_ns),
            read_bytes=_difference(self.read_bytes, earlier.read_bytes),
            written_bytes=_difference(self.written_bytes, earlier.written_bytes),
            vanished_threads=self.vanished_threads - earlier.vanished_threads,
            # The unseen CPU time can decrease: when a thread is first sampled, CPU time that was
            # unseen before is assigned to it.
            unseen_cpu_ns=max(0, self.unseen_cpu_ns - earlier.unseen_cpu_ns),
            processes=self.processes,
            cpu_method=self.cpu_method,
            peak_bytes=self.peak_bytes,
            peak_method=self.peak_method,
        )


class Tree(Protocol):
    """A process tree whose use can be read, on this host or on another."""

    def threads(self) -> list[int]: ...

    def look(self, *, memory: bool = True) -> TreeUsage: ...

    def count_calls(self) -> CallCounters: ...


class TreeAccounting:
    """Accounts for the process `pid` and its descendants. The caller decides when to take a sample.

    A sample reads three small files per thread. If there are several processes and `memory` is
    requested, the kernel also walks their page tables. Raises ProcessLookupError if there is no
    such process.
    """

    def __init__(self, pid: int, *, counts_itself: bool = True, root: Path = ROOT) -> None:
        stat = read_stat(pid, root)
        if stat is None:
            raise ProcessLookupError(f"there is no process {pid}")
        self._pid = pid
        self._started_ticks = stat.started_ticks
        self._counts_itself = counts_itself
        self._root = root
        self._threads: dict[tuple[int, int], ThreadFigures] = {}
        self._ended = _ThreadSums()
        self._vanished_threads = 0
        self._greatest: dict[str, int] = {}
        self._peak_resident_bytes = 0
        self._peak_sampled_bytes = 0
        self._saw_several = False
        self._all_proportional = True
        self._group = group_alone([*filter(self._counted, self._members())], root)

    @classmethod
    def below(cls, launcher_pid: int, *, root: Path = ROOT) -> TreeAccounting:
        """The accounting of the processes that the launcher started. The launcher's own work is not
        counted; the CPU time of orphans that it reaped is counted.
        """
        return cls(launcher_pid, counts_itself=False, root=root)

    def threads(self) -> list[int]:
        """The living threads of the tree."""
        members = filter(self._counted, self._members())
        return [number for pid in members for number in read_threads(pid, self._root)]

    def count_calls(self) -> CallCounters:
        """Counts the tree's system calls from now on. Raises OSError if the kernel does not permit
        it."""
        return SystemCallCounters(self.threads())

    def look(self, *, memory: bool = True) -> TreeUsage:
        """The tree's use until now. If the tree has ended, it is the use in the last sample."""
        members = self._members()
        self._look_at_threads(filter(self._counted, members))
        self._look_at_time(members)
        self._look_at_storage(filter(self._counted, members))
        living = [
            pid for pid, stat in members.items() if self._counted(pid) and stat.state not in "ZX"
        ]
        if memory:
            self._look_at_memory(living)
        sums = self._ended.plus(self._threads.values())
        peak_bytes, peak_method = self._peak()
        return TreeUsage(
            monotonic_ns=time.monotonic_ns(),
            cpu_ns=self._greatest["cpu_ns"],
            user_ns=self._greatest["user_ns"],
            system_ns=self._greatest["system_ns"],
            voluntary_switches=sums.voluntary_switches,
            involuntary_switches=sums.involuntary_switches,
            run_queue_ns=sums.waited_ns if sums.counted else None,
            read_bytes=self._greatest.get("read_bytes"),
            written_bytes=self._greatest.get("written_bytes"),
            vanished_threads=self._vanished_threads,
            unseen_cpu_ns=max(0, self._greatest["cpu_ns"] - sums.ran_ns),
            processes=len(living),
            cpu_method="cgroup" if self._group else "proc",
            peak_bytes=peak_bytes,
            peak_method=peak_method,
        )

    def _counted(self, pid: int) -> bool:
        return self._counts_itself or pid != self._pid

    def _members(self) -> dict[int, ProcessStat]:
        """The processes of the tree, with parents before their children. If a child is reaped
        during the walk, it is then missed once (which the next sample corrects) but never counted
        twice.
        """
        top = read_stat(self._pid, self._root)
        if top is None or top.started_ticks != self._started_ticks:
            return {}
        found, waiting = {self._pid: top}, [self._pid]
        while waiting:
            for child in read_children(waiting.pop(0), self._root):
                stat = None if child in found else read_stat(child, self._root)
                if stat is not None:
                    found[child] = stat
                    waiting.append(child)
        return found

    def _look_at_threads(self, members: Iterable[int]) -> None:
        now = {
            (pid, number): figures
            for pid in members
            for number, figures in read_threads(pid, self._root).items()
        }
        for key, last in self._threads.items():
            again = now.get(key)
            # If a thread has run less than before, its number now belongs to another thread.
            if again is None or (again.ran_ns or 0) < (last.ran_ns or 0):
                self._ended = self._ended.plus([last])
                self._vanished_threads += 1
        self._threads = now

    def _look_at_time(self, members: Mapping[int, ProcessStat]) -> None:
        ran_ns = dict.fromkeys(members, 0)
        for (pid, _), figures in self._threads.items():
            ran_ns[pid] += figures.ran_ns or 0
        user_ns = system_ns = cpu_ns = 0
        for pid, stat in members.items():
            user_ns += stat.reaped_user_ns
            system_ns += stat.reaped_system_ns
            cpu_ns += stat.reaped_user_ns + stat.reaped_system_ns
            if self._counted(pid):
                user_ns += stat.user_ns
                system_ns += stat.system_ns
                clock_ns = read_cpu_clock_ns(pid, self._root) or 0
                cpu_ns += max(stat.user_ns + stat.system_ns, ran_ns[pid], clock_ns)
        if self._group is not None:
            told = self._group.time()
            user_ns, system_ns, cpu_ns = (
                (told.user_ns, told.system_ns, told.cpu_ns) if told is not None else (0, 0, 0)
            )
        self._keep_greatest(cpu_ns=cpu_ns, user_ns=user_ns, system_ns=system_ns)

    def _look_at_storage(self, members: Iterable[int]) -> None:
        told = [storage for pid in members if (storage := read_storage(pid, self._root))]
        if told:
            self._keep_greatest(
                read_bytes=sum(each.read_bytes for each in told),
                written_bytes=sum(each.written_bytes for each in told),
            )

    def _look_at_memory(self, living: Collection[int]) -> None:
        for pid in living:
            resident_bytes = read_peak_resident_bytes(pid, self._root)
            self._peak_resident_bytes = max(self._peak_resident_bytes, resident_bytes or 0)
        if len(living) < 2:
            return
        self._saw_several = True
        sampled_bytes = 0
        for pid in living:
            size_bytes = read_proportional_bytes(pid, self._root)
            if size_bytes is None and (size_bytes := read_resident_bytes(pid, self._root)):
                self._all_proportional = False
            sampled_bytes += size_bytes or 0
        self._peak_sampled_bytes = max(self._peak_sampled_bytes, sampled_bytes)

    def _peak(self) -> tuple[int, PeakMethod]:
        group_bytes = self._group.peak_bytes() if self._group is not None else None
        if group_bytes is not None:
            return group_bytes, "cgroup"
        if not self._saw_several:
            return self._peak_resident_bytes, "resident"
        greatest_bytes = max(self._peak_resident_bytes, self._peak_sampled_bytes)
        return greatest_bytes, "sampled_pss" if self._all_proportional else "sampled_rss"

    def _keep_greatest(self, **figures: int) -> None:
        """Keeps the greatest reading of each value. All values are lower bounds and can only grow,
        so the greatest reading is the best.
        """
        for name, figure in figures.items():
            self._greatest[name] = max(self._greatest.get(name, 0), figure)


@dataclass(frozen=True)
class _ThreadSums:
    ran_ns: int = 0
    waited_ns: int = 0
    voluntary_switches: int = 0
    involuntary_switches: int = 0
    counted: bool = False

    def plus(self, threads: Iterable[ThreadFigures]) -> _ThreadSums:
        several = list(threads)
        return _ThreadSums(
            ran_ns=self.ran_ns + sum(each.ran_ns or 0 for each in several),
            waited_ns=self.waited_ns + sum(each.waited_ns or 0 for each in several),
            voluntary_switches=self.voluntary_switches
            + sum(each.voluntary_switches for each in several),
            involuntary_switches=self.involuntary_switches
            + sum(each.involuntary_switches for each in several),
            counted=self.counted or any(each.waited_ns is not None for each in several),
        )


def _difference(later: int | None, earlier: int | None) -> int | None:
    return None if later is None or earlier is None else later - earlier


_WORST_FIRST: tuple[PeakMethod, ...] = ("sampled_rss", "sampled_pss", "resident", "cgroup")


@dataclass(frozen=True)
class JointAccounting:
    """The sum of one or several trees, read like a single one."""

    trees: Sequence[Tree]

    def threads(self) -> list[int]:
        return [number for tree in self.trees for number in tree.threads()]

    def count_calls(self) -> JointCallCounters:
        """As `TreeAccounting.count_calls`, of all trees."""
        return JointCallCounters(self.trees)

    def look(self, *, memory: bool = True) -> TreeUsage:
        """The sum of the use of all trees.

        The trees are read one after another; `monotonic_ns` is the last reading's. Peaks are added
        although they may have occurred at different times, so the sum of exact peaks is an upper
        bound.
        """
        seen = [tree.look(memory=memory) for tree in self.trees]
        return seen[0] if len(seen) == 1 else _sum_of(seen)


def _sum_of(seen: Sequence[TreeUsage]) -> TreeUsage:
    methods = {one.peak_method for one in seen}
    return TreeUsage(
        monotonic_ns=seen[-1].monotonic_ns,
        cpu_ns=sum(one.cpu_ns for one in seen),
        user_ns=sum(one.user_ns for one in seen),
        system_ns=sum(one.system_ns for one in seen),
        voluntary_switches=sum(one.voluntary_switches for one in seen),
        involuntary_switches=sum(one.involuntary_switches for one in seen),
        run_queue_ns=_sum_if_known(one.run_queue_ns for one in seen),
        read_bytes=_sum_if_known(one.read_bytes for one in seen),
        written_bytes=_sum_if_known(one.written_bytes for one in seen),
        vanished_threads=sum(one.vanished_threads for one in seen),
        unseen_cpu_ns=sum(one.unseen_cpu_ns for one in seen),
        processes=sum(one.processes for one in seen),
        # The least exact of the trees' methods.
        cpu_method="cgroup" if all(one.cpu_method == "cgroup" for one in seen) else "proc",
        peak_bytes=sum(one.peak_bytes for one in seen),
        peak_method=next(one for one in _WORST_FIRST if one in methods),
    )


def _sum_if_known(values: Iterable[int | None]) -> int | None:
    """The sum of the values; None if one of them is unknown."""
    told = list(values)
    return None if None in told else sum(value for value in told if value is not None)
