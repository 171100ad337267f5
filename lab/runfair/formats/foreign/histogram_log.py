"""Interval logs of HdrHistogram (`.hlog`), of any writer.

The format does not name the unit of its values. If no comment in the file names the unit, only
counts are read, not times. (`formats.histogram` reads the lab's own logs strictly.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from runfair.formats.foreign.printed import UNITS_NS
from runfair.formats.foreign.result import SHARES, ForeignResult, Latencies, Loop, Percentile
from runfair.formats.foreign.source import Source
from runfair.formats.histogram import Histogram, NotAHistogram

TOOL = "interval log"
SEEN = True

_FORMAT = "#[Histogram log format version "
_UNIT = re.compile(r"^#\[(?:[^\]\n]*\b)?values in (ns|us|µs|ms|s)\b", re.MULTILINE)
_OURS = re.compile(r"^#\[runfair-load (\S+)\]", re.MULTILINE)
_LOOP = re.compile(r"^#\[[^\n]*: (open|closed) loop\b([^\n\]]*)", re.MULTILINE)
_LINE = re.compile(
    r"^(?:Tag=([^,\s]*),)?(\d{1,12}(?:\.\d+)?),(\d{1,12}(?:\.\d+)?),\d+(?:\.\d+)?,(HIST[\w+/=]+)$",
    re.MULTILINE | re.ASCII,
)
_WARMUP = "warmup."


@dataclass(frozen=True)
class _Interval:
    start_s: float
    length_s: float
    cells: Histogram


def read(source: Source) -> Iterator[ForeignResult]:
    """A result for each tag. A malformed line ends the log, because the rest cannot be trusted."""
    start = source.text.find(_FORMAT)
    if start < 0:
        return
    text = source.text[start:]
    tagged: dict[str, list[_Interval]] = {}
    warmed = broken = False
    for found in _LINE.finditer(text):
        tag = found[1] or ""
        warmed |= tag.startswith(_WARMUP)
        try:
            cells = Histogram.decoded(found[4])
        except NotAHistogram:
            broken = True
            break
        interval = _Interval(float(found[2]), float(found[3]), cells)
        tagged.setdefault(tag, []).append(interval)
    unit, ours, loop = _UNIT.search(text), _OURS.search(text), _LOOP.search(text)
    for tag, intervals in tagged.items():
        if ours and tag != "latency":
            continue  # tags that name parts of a latency, or the warm-up
        plain = _result(intervals, UNITS_NS[unit[1]] if unit else None)
        known: Loop | None = None
        if loop:
            known = "open" if loop[1] == "open" else "closed"
        yield plain.model_copy(
            update={
                "line": source.line_of(start),
                "name": tag,
                "broken_off": broken,
                "version": f"runfair-load {ours[1]}" if ours else None,
                "loop": known if ours else None,
                "timed_from": "schedule" if ours and known == "open" else None,
                "warmup_left_out": warmed if ours else None,
                "basis": plain.basis
                | {
                    "loop": f"“{loop[1]} loop{loop[2]}”"
                    if loop
                    else "an .hlog file does not report whether the loop was open or closed",
                    "timed_from": "runfair-load starts its clock when a request is due"
                    if ours
                    else "an .hlog file does not report whether the clock of a request starts when "
                    "the request is due or when it is sent",
                    "warmup": "a tag in the file separates the warm-up from the rest of the load"
                    if warmed
                    else "",
                },
            }
        )


def _result(intervals: list[_Interval], unit_ns: float | None) -> ForeignResult:
    ends = np.concatenate([each.cells.greatest for each in intervals])
    counts = np.concatenate([each.cells.counts for each in intervals])
    widths = ends - np.concatenate([each.cells.least for each in intervals]) + 1
    order = np.argsort(ends, kind="stable")
    ends, widths, below = ends[order], widths[order], np.cumsum(counts[order])
    total = int(below[-1]) if len(below) else 0
    length_ns = (
        max(each.start_s + each.length_s for each in intervals)
        - min(each.start_s for each in intervals)
    ) * 1e9
    latencies = Latencies(counted=total)
    series: tuple[float, ...] = ()
    if unit_ns is not None and total:
        latencies = Latencies(
            counted=total,
            max_ns=float(ends[-1]) * unit_ns,
            percentiles=tuple(
                Percentile(
                    share=share,
                    value_ns=float(ends[np.searchsorted(below, share * total)]) * unit_ns,
                )
                for share in SHARES
                if share == SHARES[0] or total * (1 - share) >= 10
            ),
            step_ns=float(widths[np.searchsorted(below, total / 2)]) * unit_ns,
        )
        series = tuple(
            _median(each.cells) * unit_ns for each in intervals if len(each.cells.counts)
        )
    return ForeignResult(
        tool=TOOL,
        seen=SEEN,
        kind="load",
        requests=total,
        duration_ns=length_ns or None,
        rate_per_s=total / length_ns * 1e9 if length_ns else None,
        latencies=latencies,
        executions=1,
        basis={"unit": "" if unit_ns else "the file does not name the unit of its values"},
        series_ns=(series,) if series else (),
    )


def _median(cells: Histogram) -> float:
    below = np.cumsum(cells.counts)
    return float(cells.greatest[np.searchsorted(below, below[-1] / 2)])
