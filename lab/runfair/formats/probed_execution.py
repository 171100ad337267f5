"""One execution under the bytecode probe, as it is stored in a run (`probes/EXECUTION.json`)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from runfair.formats.probe import ProbedProcess
from runfair.formats.record import BrokenFile, Record
from runfair.formats.records_file import read_record
from runfair.formats.run_folder import write_whole


class BrokenProbeFile(BrokenFile):
    """A file of a probed execution that this version cannot read."""


class ProbedExecution(Record):
    """The files that the processes of one execution wrote. `sources` has the text of the source
    files with the most samples, by the path that the samples name. `unfinished` is the number of
    processes that were probed and left no file."""

    schema_version: Literal[1] = 1
    processes: list[ProbedProcess]
    sources: dict[str, str] = {}
    unfinished: int = 0


def write_probed(path: Path, probed: ProbedExecution) -> None:
    path.parent.mkdir(exist_ok=True)
    write_whole(path, probed.model_dump_json() + "\n")


def read_probed(path: Path) -> ProbedExecution | None:
    """The stored probed execution; None if there is no file."""
    if not path.exists():
        return None
    return read_record(path, ProbedExecution, BrokenProbeFile, "probed execution")
