"""The side files that the processes of one command wrote."""

from __future__ import annotations

from pathlib import Path

from runfair.formats.probe import ProbedProcess
from runfair.formats.record import BrokenFile
from runfair.formats.records_file import read_record


class BrokenSideFile(BrokenFile):
    """A probe's side file is malformed."""


def read_side_files(folder: Path) -> list[ProbedProcess]:
    """The records of the processes that ran to their end, in the order of their process numbers."""
    found = [
        read_record(path, ProbedProcess, BrokenSideFile, "side file of a probe")
        for path in folder.glob("*.json")
    ]
    return sorted(found, key=lambda process: process.pid)
