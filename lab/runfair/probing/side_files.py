"""The side files that the processes of one command left."""

from __future__ import annotations

from pathlib import Path

from runfair.formats.probe import ProbedProcess
from runfair.formats.record import BrokenFile
from runfair.formats.records_file import read_record


class BrokenSideFile(BrokenFile):
    """A side file of a probe that is not what the probe writes."""


def read_side_files(folder: Path) -> list[ProbedProcess]:
    """One for each process that came to its end, in the order of their numbers."""
    found = [
        read_record(path, ProbedProcess, BrokenSideFile, "side file of a probe")
        for path in folder.glob("*.json")
    ]
    return sorted(found, key=lambda process: process.pid)
