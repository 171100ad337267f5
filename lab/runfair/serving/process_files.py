"""Readers of the kernel's files about one process and its threads (/proc, proc(5)), and about the
cgroup of a process tree.

Every reader returns None if the process is gone, or if this user may not read its files.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from runfair.machine.kernel_files import ROOT, read_number, read_text

TICK_NS = 10**9 // os.sysconf("SC_CLK_TCK")

_CPUCLOCK_SCHED = 2


@dataclass(frozen=True)
class ProcessStat:
    """The content of /proc/PID/stat. The kernel rounds times down to whole ticks (10 ms).
    `reaped_…` are the times of children that were waited for, including the times of their own
    reaped children.
    """

    state: str
    parent: int
    user_ns: int
    system_ns: int
    reaped_user_ns: int
    reaped_system_ns: int
    started_ticks: int


@dataclass(frozen=True)
class ThreadFigures:
    """The use of one thread so far. If the kernel has no scheduler statistics, `ran_ns` and
    `waited_ns` (the time in the run queue) are None.
    """

    ran_ns: int | None
    waited_ns: int | None
    voluntary_switches: int
    involuntary_switches: int


@dataclass(frozen=True)
class StorageBytes:
    """The bytes that a process read from and wrote to storage. Reads from the page cache are not
    counted; children that were waited for are included.
    """

    read_bytes: int
    written_bytes: int


def read_stat(pid: int, root: Path = ROOT) -> ProcessStat | None:
    # The name stands in parentheses and may itself contain spaces and parentheses.
    match = re.fullmatch(r"\d+ \(.*\) (.*)", read_text(root, f"proc/{pid}/stat") or "", re.DOTALL)
    if match is None:
        return None
    fields = match[1].split()  # the first is field 3 of proc_pid_stat(5)
    user, system, reaped_user, reaped_system = (int(ticks) * TICK_NS for ticks in fields[11:15])
    return ProcessStat(
        state=fields[0],
        parent=int(fields[1]),
        user_ns=user,
        system_ns=system,
        reaped_user_ns=reaped_user,
        reaped_system_ns=reaped_system,
        started_ticks=int(fields[19]),
    )


def read_cpu_clock_ns(pid: int, root: Path = ROOT) -> int | None:
    """The CPU time of all threads of a process in nanoseconds, including ended threads (POSIX,
    clock_getcpuclockid). None if the process has ended, or if the tree is a recording.
    """
    if root != ROOT:
        return None
    # the clock's number, computed as in the kernel's posix-timers.h
    clock = (~pid << 3) | _CPUCLOCK_SCHED
    try:
        return time.clock_gettime_ns(clock)
    except OSError:
        return None


def read_threads(pid: int, root: Path = ROOT) -> dict[int, ThreadFigures]:
    """The use of each living thread of a process, by thread number."""
    found: dict[int, ThreadFigures] = {}
    for thread in _numbered(root / f"proc/{pid}/task"):
        folder = f"proc/{pid}/task/{thread}"
        status = read_text(root, f"{folder}/status")
        if status is None:
            continue
        # The file has three numbers: nanoseconds run, nanoseconds waited, and time slices. A kernel
        # without these statistics writes zeros; a thread that ran has had at least one time slice.
        figures = (read_text(root, f"{folder}/schedstat") or "0 0 0").split()
        counted = len(figures) == 3 and figures[2] != "0"
        found[thread] = ThreadFigures(
            ran_ns=int(figures[0]) if counted else None,
            waited_ns=int(figures[1]) if counted else None,
            voluntary_switches=_number_after("voluntary_ctxt_switches:", status) or 0,
            involuntary_switches=_number_after("nonvoluntary_ctxt_switches:", status) or 0,
        )
    return found


def read_children(pid: int, root: Path = ROOT) -> list[int]:
    """The children of all threads of a process, including those that wait to be reaped."""
    children: list[int] = []
    for thread in _numbered(root / f"proc/{pid}/task"):
        listed = read_text(root, f"proc/{pid}/task/{thread}/children")
        if listed is None and (root / f"proc/{pid}/task/{thread}").is_dir():
            return _children_by_scan(pid, root)  # a kernel without CONFIG_PROC_CHILDREN
        children += map(int, (listed or "").split())
    return children


def read_storage(pid: int, root: Path = ROOT) -> StorageBytes | None:
    text = read_text(root, f"proc/{pid}/io")
    if text is None:
        return None
    read, written = _number_after("read_bytes:", text), _number_after("write_bytes:", text)
    return None if read is None or written is None else StorageBytes(read, written)


def read_peak_resident_bytes(pid: int, root: Path = ROOT) -> int | None:
    """The exact greatest resident size of the process so far (VmHWM). None for a zombie."""
    kilobytes = _number_after("VmHWM:", read_text(root, f"proc/{pid}/status") or "")
    return None if kilobytes is None else kilobytes * 1024


def read_resident_bytes(pid: int, root: Path = ROOT) -> int | None:
    kilobytes = _number_after("VmRSS:", read_text(root, f"proc/{pid}/status") or "")
    return None if kilobytes is None else kilobytes * 1024


def read_proportional_bytes(pid: int, root: Path = ROOT) -> int | None:
    """The proportional size (PSS): a page that n processes share is counted as 1/n in each. The
    kernel walks the page tables under the process's memory lock, so PSS is read only if a tree has
    several processes.
    """
    kilobytes = _number_after("Pss:", read_text(root, f"proc/{pid}/smaps_rollup") or "")
    return None if kilobytes is None else kilobytes * 1024


def _number_after(key: str, text: str) -> int | None:
    match = re.search(rf"^{re.escape(key)}\s*(\d+)", text, re.MULTILINE)
    return int(match[1]) if match else None


def _numbered(folder: Path) -> list[int]:
    try:
        return sorted(int(entry.name) for entry in folder.iterdir() if entry.name.isdigit())
    except OSError:  # the process is gone
        return []


def _children_by_scan(pid: int, root: Path) -> list[int]:
    stats = ((other, read_stat(other, root)) for other in _numbered(root / "proc"))
    return [other for other, stat in stats if stat is not None and stat.parent == pid]


# Mount points of version 2: alone, or beside version 1 (systemd's hybrid).
_MOUNTS = ("sys/fs/cgroup", "sys/fs/cgroup/unified")
_OWN_PATH = re.compile(r"^0::(/.*)$", re.MULTILINE)


@dataclass(frozen=True)
class GroupTime:
    """CPU time of all processes that ever ran in the group, in microseconds (cpu.stat)."""

    cpu_ns: int
    user_ns: int
    system_ns: int


@dataclass(frozen=True)
class ControlGroup:
    """A version 2 cgroup. Version 1 has no file with both user and system time
    of a group.
    """

    folder: Path

    def time(self) -> GroupTime | None:
        """The group's CPU time; None if the group no longer exists."""
        told = dict(
            line.split() for line in (read_text(self.folder, "cpu.stat") or "").splitlines()
        )
        if "usage_usec" not in told:
            return None
        usage, user, system = (int(told[f"{name}_usec"]) for name in ("usage", "user", "system"))
        return GroupTime(usage * 1000, user * 1000, system * 1000)

    def peak_bytes(self) -> int | None:
        """The peak of the group's memory (memory.peak, Linux 5.19); None if the group has no memory
        controller.
        """
        return read_number(self.folder, "memory.peak")


def group_alone(members: Collection[int], root: Path = ROOT) -> ControlGroup | None:
    """The cgroup that contains these processes and no others; None if there is no such
    group."""
    texts = [read_text(root, f"proc/{pid}/cgroup") or "" for pid in members]
    paths = {match[1] for text in texts if (match := _OWN_PATH.search(text))}
    if len(paths) != 1 or "/" in paths:  # all processes belong to the root group
        return None
    path = paths.pop().strip("/")
    for mount in _MOUNTS:
        folder = root / mount / path
        if ControlGroup(folder).time() is not None:
            inside = {
                int(pid)
                for file in folder.rglob("cgroup.procs")
                for pid in (read_text(file.parent, file.name) or "").split()
            }
            return ControlGroup(folder) if inside and inside <= set(members) else None
    return None
