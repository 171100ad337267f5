"""The latencies of services in HdrHistogram's formats, a file an execution: the interval log as it
was recorded (`.hlog`), and the percentile spectrum of the steady part (`.hgrm`)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from runfair.evidence.run import ExecutionEvidence
from runfair.export.percentile_spectrum import percentile_spectrum
from runfair.fairness.figures import LATENCIES
from runfair.formats.result import CellResult
from runfair.formats.run_folder import RunFolder, write_whole
from runfair.result.judged_run import JudgedRun, worst_findings
from runfair.wording.text import plain

Format = Literal["hlog", "hgrm"]


def write_latencies(
    run: JudgedRun, folder: RunFolder, to: Path, wanted: Format
) -> tuple[list[Path], list[str]]:
    """What was written below `to`, and a line for each execution that was left out, with the
    reason: it failed, or all latencies of its cell are void."""
    written, left_out = [], []
    for cell, one in _served(run):
        reason = _unfit(cell, one)
        if reason:
            left_out.append(f"{plain(cell.id)} {one.record.id}: {reason}")
            continue
        assert one.load is not None  # else it were unfit
        path = to / f"{one.record.id}.{wanted}"
        if wanted == "hlog":
            shutil.copyfile(folder.latency_file(one.record.id), path)
        else:
            write_whole(path, percentile_spectrum(one.load.latency))
        written.append(path)
    return written, left_out


def _served(run: JudgedRun) -> Iterator[tuple[CellResult, ExecutionEvidence]]:
    for cell, seen in run.cells():
        if cell.service is not None:
            for one in seen.blocks:
                yield cell, one


def _unfit(cell: CellResult, one: ExecutionEvidence) -> str:
    if not one.completed:
        return plain(f"failed: {one.record.outcome.reason}")
    if one.load is None:
        return "its operating point was never reached"
    latencies = [cell.figures[name] for name in LATENCIES if name in cell.figures]
    if all(figure.verdict == "void" for figure in latencies):
        found = worst_findings(latencies[0])[0]
        return plain(f"void [{found.check}]: {found.text}")
    return ""
