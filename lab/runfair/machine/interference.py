"""Interference by other programs on this machine, as seen from their processor time and the load
average."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from runfair.machine.kernel_files import ROOT, read_text

# The limit is a share of one processor. Process times are counted in ticks of 10 ms, so an
# observation of half a second has a resolution of 2%. A process that uses less than 5% of another
# processor has no noticeable effect.
BUSY_SHARE = 0.05
OBSERVATION_S = 0.5

_ANCESTORS_FIELD = 1
_TIMES_FIELDS = slice(11, 13)


@dataclass(frozen=True)
class BusyProcess:
    """A foreign program that was busy. `share` is its share of one processor."""

    pid: int
    name: str
    share: float


@dataclass(frozen=True)
class ProcessTimes:
    """A reading of a process: its name, its parent, and its user and system time so far."""

    name: str
    parent: int
    ticks: int


def read_processes(root: Path = ROOT) -> dict[int, ProcessTimes]:
    """The readings of all processes that this user can see, by process number."""
    found: dict[int, ProcessTimes] = {}
    for folder in (root / "proc").iterdir():
        if folder.name.isdigit():
            text = read_text(root, f"proc/{folder.name}/stat")
            # The name is in parentheses and may itself contain spaces and parentheses: proc(5).
            match = re.fullmatch(r"\d+ \((.*)\) (.*)", text or "", re.DOTALL)
            if match is not None:
                fields = match[2].split()
                ticks = sum(map(int, fields[_TIMES_FIELDS]))
                found[int(folder.name)] = ProcessTimes(
                    match[1], int(fields[_ANCESTORS_FIELD]), ticks
                )
    return found


def busy_between(
    before: Mapping[int, ProcessTimes],
    after: Mapping[int, ProcessTimes],
    elapsed_s: float,
    own_pid: int,
) -> tuple[BusyProcess, ...]:
    """The foreign processes that used more than BUSY_SHARE between two readings, the busiest
    first."""
    ticks_per_s = os.sysconf("SC_CLK_TCK")
    busy = [
        BusyProcess(pid, now.name, (now.ticks - before[pid].ticks) / ticks_per_s / elapsed_s)
        for pid, now in after.items()
        if pid in before and not _descends(pid, own_pid, after)
    ]
    return tuple(sorted((b for b in busy if b.share > BUSY_SHARE), key=lambda b: -b.share))


def busy_since(
    before: Mapping[int, ProcessTimes], after: Mapping[int, ProcessTimes], elapsed_s: float
) -> tuple[BusyProcess, ...]:
    """The processes that used more than BUSY_SHARE since `before`. Processes that started later are
    included. A process is left out if a single kernel tick would exceed the limit."""
    newcomers = {pid: replace(one, ticks=0) for pid, one in after.items() if pid not in before}
    busy = busy_between({**before, **newcomers}, after, elapsed_s, os.getpid())
    tick_share = 1 / os.sysconf("SC_CLK_TCK") / elapsed_s
    return tuple(one for one in busy if one.share - tick_share > BUSY_SHARE)


def busy_processes() -> tuple[BusyProcess, ...]:
    """The processes that were busy during the next OBSERVATION_S seconds."""
    before, started_s = read_processes(), time.monotonic()
    time.sleep(OBSERVATION_S)
    return busy_between(before, read_processes(), time.monotonic() - started_s, os.getpid())


def load(root: Path = ROOT) -> float | None:
    """The load average of the last minute; None if it is unknown."""
    match = re.match(r"[\d.]+", read_text(root, "proc/loadavg") or "")
    return float(match[0]) if match else None


def _descends(pid: int, ancestor: int, processes: Mapping[int, ProcessTimes]) -> bool:
    seen: set[int] = set()  # process numbers are reused, so parents may form a loop
    while pid in processes and pid not in seen:
        if pid == ancestor:
            return True
        seen.add(pid)
        pid = processes[pid].parent
    return False
