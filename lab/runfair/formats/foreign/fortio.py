"""The output of fortio: JSON, and printed.

Fortio's percentiles are interpolated inside the cells of a histogram (1 ms wide unless `-r` is
given), so two values in the same cell cannot be distinguished.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from runfair.formats.foreign import document
from runfair.formats.foreign.printed import count, duration_ns, number
from runfair.formats.foreign.result import ForeignResult, Latencies, Loop, Percentile
from runfair.formats.foreign.source import Block, Source

TOOL = "fortio"
SEEN = True

_START = re.compile(
    r"^[ \t>]*Starting at (\S+) qps with (\d+) thread\(s\)[^\n]*? for ([^\s:]+)", re.MULTILINE
)
_TIMES = re.compile(
    r"^[ \t>]*Aggregated Function Time : count (\d+) avg (\S+) \+/- \S+ min (\S+) max (\S+)",
    re.MULTILINE,
)
_ENDED = re.compile(r"^[ \t>]*Ended after (\S+) : (\d+) calls\. qps=(\S+)", re.MULTILINE)
_CELL = re.compile(r"^[ \t>]*>=? ([-\d.e+]+) <=? ([-\d.e+]+) , \S+ , ([\d.]+), (\d+)", re.MULTILINE)
_TARGET = re.compile(r"^[ \t>]*# target ([\d.]+)% ([-\d.e+]+)", re.MULTILINE)
_CODE = re.compile(r"^[ \t>]*Code\s+(-?\d+) : (\d+) \(", re.MULTILINE)
_AGAIN = re.compile(r"\n[ \t>]*(?:Sockets used|Error cases|# Socket|Connection time)")
_UNLIMITED = ("max", "0", "-1.0")


def read(source: Source) -> Iterator[ForeignResult]:
    for block in source.blocks(_START):
        if block.find(_TIMES):
            yield _printed(block)
    for each in source.documents:
        if found := _exported(each.value, source.line_of(each.offset)):
            yield found


def _result(
    line: int, asked: str, threads: int | None, codes: list[tuple[str, int]], latencies: Latencies
) -> ForeignResult:
    loop: Loop = "closed" if asked in _UNLIMITED else "paced"
    rate = number(asked) if loop == "paced" else None
    return ForeignResult(
        tool=TOOL,
        seen=SEEN,
        kind="load",
        line=line,
        loop=loop,
        timed_from="sending",
        connections=threads,
        offered_rate_per_s=rate.value if rate else None,
        requests=latencies.counted,
        errors=sum(calls for code, calls in codes if not code.startswith(("2", "3")))
        if codes
        else None,
        errors_timed=True,
        latencies=latencies,
        warmup_left_out=False,
        executions=1,
        conditions={"connections": str(threads), "rate": asked},
        basis={
            "loop": (
                f"“{asked} qps” from {threads} threads, each of which waits for an answer "
                "before it sends the next request"
            ),
            "timed_from": "fortio starts its clock when it sends the request",
            "warmup": "fortio excludes only the first call of each thread from its result",
            "step": (
                "fortio reports a histogram, so the resolution is the width of the histogram cell "
                "that contains the median"
            ),
        },
    )


def _step_ns(cells: list[tuple[float, float, float]]) -> float | None:
    """The width, in ns, of the histogram cell with the median. A cell has a start and an end in
    seconds, and the percentage at its end."""
    for start, end, percent in cells:
        if percent >= 50:
            return max(0.0, end - start) * 1e9
    return None


def _printed(block: Block) -> ForeignResult:
    body = _AGAIN.split(block.text, maxsplit=1)[0]
    times, ended = block.find(_TIMES), block.find(_ENDED)
    cells = [
        (start.value, end.value, percent.value)
        for found in _CELL.finditer(body)
        if (start := number(found[1]))
        and (end := number(found[2]))
        and (percent := number(found[3]))
    ]
    rate = number(ended[3]) if ended else None
    plain = _result(
        block.line,
        block.start[1],
        count(block.start[2]),
        [(found[1], count(found[2]) or 0) for found in _CODE.finditer(block.text)],
        Latencies(
            counted=count(times[1]) if times else None,
            mean_ns=duration_ns(times[2], "s") if times else None,
            min_ns=duration_ns(times[3], "s") if times else None,
            max_ns=duration_ns(times[4], "s") if times else None,
            percentiles=tuple(
                Percentile(share=percent.value / 100, value_ns=value)
                for found in _TARGET.finditer(body)
                if (percent := number(found[1])) and percent.value <= 100
                if (value := duration_ns(found[2], "s")) is not None
            ),
            step_ns=_step_ns(cells),
        ),
    )
    return plain.model_copy(
        update={
            "duration_ns": duration_ns(ended[1]) if ended else None,
            "rate_per_s": rate.value if rate else None,
            "conditions": plain.conditions | {"duration": block.start[3]},
        }
    )


def _exported(value: object, line: int) -> ForeignResult | None:
    asked = document.string(value, "RequestedQPS")
    histogram = document.at(value, "DurationHistogram")
    if asked is None or document.number(histogram, "Avg") is None:
        return None
    cells = [
        (start, end, percent)
        for cell in document.elements(histogram, "Data")
        if (start := document.number(cell, "Start")) is not None
        if (end := document.number(cell, "End")) is not None
        if (percent := document.number(cell, "Percent")) is not None
    ]
    percentiles = [
        Percentile(share=percent / 100, value_ns=found)
        for each in document.elements(histogram, "Percentiles")
        if (percent := document.number(each, "Percentile")) is not None and 0 <= percent <= 100
        if (found := document.time_ns(1e9, each, "Value")) is not None
    ]
    plain = _result(
        line,
        asked,
        document.count(value, "NumThreads"),
        [(code, document.count(calls) or 0) for code, calls in document.members(value, "RetCodes")],
        Latencies(
            counted=document.count(histogram, "Count"),
            min_ns=document.time_ns(1e9, histogram, "Min"),
            mean_ns=document.time_ns(1e9, histogram, "Avg"),
            max_ns=document.time_ns(1e9, histogram, "Max"),
            percentiles=tuple(percentiles),
            step_ns=_step_ns(cells),
        ),
    )
    return plain.model_copy(
        update={
            "name": document.string(value, "URL") or "",
            "version": document.string(value, "Version"),
            "duration_ns": document.time_ns(1, value, "ActualDuration"),
            "rate_per_s": document.number(value, "ActualQPS"),
            "conditions": plain.conditions
            | {"duration": document.string(value, "RequestedDuration") or ""},
        }
    )
