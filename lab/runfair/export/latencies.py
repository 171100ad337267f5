"""The latencies of services in HdrHistogram's formats, with a file for each execution.

The formats are the interval log as it was recorded (`.hlog`), and the percentile spectrum of the
steady part (`.hgrm`).
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import numpy as np

from runfair.evidence.cell import ExecutionEvidence
from runfair.fairness.figures import LATENCIES
from runfair.formats.histogram import Histogram
from runfair.formats.kept_file import write_whole
from runfair.formats.result import CellResult
from runfair.formats.run_folder import RunFolder
from runfair.result.judged_run import JudgedRun, worst_findings
from runfair.wording.text import plain

Format = Literal["hlog", "hgrm"]


def write_latencies(
    run: JudgedRun, folder: RunFolder, to: Path, wanted: Format
) -> tuple[list[Path], list[str]]:
    """Writes the latencies to files below `to`. Returns the written files, and a line for each
    execution that was left out. An execution is left out if it failed, if its load never reached
    the planned rate, or if all latencies of its cell are void.
    """
    written, left_out = [], []
    for cell, one in _served(run):
        reason = _unfit(cell, one)
        if reason:
            left_out.append(f"{plain(cell.id)} {one.record.id}: {reason}")
            continue
        assert one.load is not None  # an execution without a load has been left out above
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
        return "the load never reached its planned rate"
    latencies = [cell.figures[name] for name in LATENCIES if name in cell.figures]
    if all(figure.verdict == "void" for figure in latencies):
        found = worst_findings(latencies[0])[0]
        return plain(f"void [{found.check}]: {found.text}")
    return ""


STEPS_PER_HALF = 5
MILLISECOND = 1e6


def percentile_spectrum(histogram: Histogram) -> str:
    """A percentile spectrum in HdrHistogram's format, as plotters read it, with values in
    milliseconds.

    Source: github.com/HdrHistogram/HdrHistogram, AbstractHistogram.outputPercentileDistribution and
    PercentileIterator. Each time that the remaining share halves, there are five steps, so the
    steps become denser towards the tail.
    """
    lines = [f"{'Value':>12} {'Percentile':>14} {'TotalCount':>10} {'1/(1-Percentile)':>14}", ""]
    for value_ns, share, count in _steps(histogram):
        line = f"{value_ns / MILLISECOND:12.3f} {share:2.12f} {count:10d}"
        lines.append(line + (f" {1 / (1 - share):14.2f}" if share < 1 else ""))
    mean_ns, deviation_ns = _moments(histogram)
    lines += [
        f"#[Mean    = {mean_ns / MILLISECOND:12.3f}, "
        f"StdDeviation   = {deviation_ns / MILLISECOND:12.3f}]",
        f"#[Max     = {(histogram.max or 0) / MILLISECOND:12.3f}, "
        f"Total count    = {histogram.total:12d}]",
    ]
    return "\n".join(lines) + "\n"


def _steps(histogram: Histogram) -> Iterator[tuple[int, float, int]]:
    """The spectrum's lines: a value, its percentile as a share, and the number of
    samples up to it.
    """
    total = histogram.total
    if not total:
        return
    reached = np.cumsum(histogram.counts)
    # The share is computed in percent, as in HdrHistogram. Steps of 10% are exact then, while three
    # tenths would be 0.30000000000000004.
    level, place = 0.0, 0
    while place < len(reached):
        count = int(reached[place])
        if 100 * count / total < level:
            place += 1
            continue
        yield int(histogram.greatest[place]), level / 100, count
        if count == total:
            break
        # The density of the steps is determined by how often the remaining share was halved.
        halvings = int(math.log2(100 / (100 - level))) + 1
        level += 100 / (STEPS_PER_HALF * 2**halvings)
    if level < 100:
        yield int(histogram.greatest[-1]), 1.0, total


def _moments(histogram: Histogram) -> tuple[float, float]:
    total = histogram.total
    if not total:
        return 0.0, 0.0
    middles = (histogram.least + histogram.greatest) / 2
    mean = float(middles @ histogram.counts / total)
    return mean, math.sqrt(float((middles - mean) ** 2 @ histogram.counts / total))
