"""The control group of a process tree, where it has one to itself."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from runfair.machine.kernel_files import ROOT, read_number, read_text

# Where version 2 is mounted: alone, or beside version 1 (systemd's hybrid).
_MOUNTS = ("sys/fs/cgroup", "sys/fs/cgroup/unified")
_OWN_PATH = re.compile(r"^0::(/.*)$", re.MULTILINE)


@dataclass(frozen=True)
class GroupTime:
    """cpu.stat: CPU time of all that ever ran in the group, to the microsecond."""

    cpu_ns: int
    user_ns: int
    system_ns: int


@dataclass(frozen=True)
class ControlGroup:
    """A version 2 control group; version 1 has no file that tells both times of one group well."""

    folder: Path

    def time(self) -> GroupTime | None:
        """None once the group is gone."""
        told = dict(
            line.split() for line in (read_text(self.folder, "cpu.stat") or "").splitlines()
        )
        if "usage_usec" not in told:
            return None
        usage, user, system = (int(told[f"{name}_usec"]) for name in ("usage", "user", "system"))
        return GroupTime(usage * 1000, user * 1000, system * 1000)

    def peak_bytes(self) -> int | None:
        """memory.peak (Linux 5.19); None without the memory controller."""
        return read_number(self.folder, "memory.peak")


def group_alone(members: Collection[int], root: Path = ROOT) -> ControlGroup | None:
    """The group that holds these processes and no other; None where there is none."""
    texts = [read_text(root, f"proc/{pid}/cgroup") or "" for pid in members]
    paths = {match[1] for text in texts if (match := _OWN_PATH.search(text))}
    if len(paths) != 1 or "/" in paths:  # the root group is everybody's
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
