"""What /proc tells of processes: which there are, and whose."""

from __future__ import annotations

import os
from pathlib import Path


def processes_with(argument: str) -> list[int]:
    """Those with this text in a word of their command line, but for the tests themselves."""
    return [pid for pid in _all() if pid != os.getpid() and argument in command_line(pid)]


def alive(pids: set[int]) -> list[int]:
    """Those that have not ended; a zombie has."""
    return [pid for pid in pids if command_line(pid)]


def descendants(pid: int) -> set[int]:
    """Of a process, by the parents of all."""
    parents = {child: _parent(child) for child in _all()}
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def program_name(pid: int) -> str:
    return _told(pid, "comm").strip()


def command_line(pid: int) -> str:
    """Its words with blanks between; empty where it has ended."""
    return _told(pid, "cmdline").replace("\0", " ")


def _all() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _parent(pid: int) -> int:
    stat = _told(pid, "stat")
    return int(stat.rpartition(")")[2].split()[1]) if stat else 0


def _told(pid: int, name: str) -> str:
    try:
        return Path(f"/proc/{pid}/{name}").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""
