"""The side files that the processes of one command wrote."""

from __future__ import annotations

import time
from pathlib import Path

from runfair.formats.probe import ProbedProcess
from runfair.formats.record import BrokenFile
from runfair.formats.records_file import read_record

BEGUN = ".begun"  # the announcement of a process, which its side file replaces
PATIENCE_S = 5.0
POLL_S = 0.02


class BrokenSideFile(BrokenFile):
    """A probe's side file is malformed."""


def read_side_files(folder: Path) -> list[ProbedProcess]:
    """The records of the processes that ran to their end, in the order of their process numbers."""
    found = [
        read_record(path, ProbedProcess, BrokenSideFile, "result file of a probed process")
        for path in folder.glob("*.json")
    ]
    return sorted(found, key=lambda process: process.pid)


def unfinished(folder: Path) -> int:
    """The number of processes that were probed and left no results."""
    return len(list(folder.glob(f"*{BEGUN}")))


def await_stragglers(folder: Path) -> None:
    """Waits some seconds for probed processes that still run after the program has ended."""
    deadline = time.monotonic() + PATIENCE_S
    while _any_runs(folder) and time.monotonic() < deadline:
        time.sleep(POLL_S)


def _any_runs(folder: Path) -> bool:
    return any(runs(int(announced.stem)) for announced in folder.glob(f"*{BEGUN}"))


def runs(pid: int) -> bool:
    """Whether the process has not ended."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"
