"""The output of wrk. wrk has no option for a rate: each connection sends its next request after the
previous answer.

Release 4.1 adds latencies to its distribution that no request had (`stats_correct`, called in wrk's
src/wrk.c). The printed mean and percentiles therefore do not describe the requests that were sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from runfair.formats.foreign.printed import (
    Printed,
    count,
    duration,
    duration_ns,
    number,
    step_at_median,
)
from runfair.formats.foreign.result import ForeignResult, Latencies, Percentile
from runfair.formats.foreign.source import Block, Source

TOOL = "wrk"
SEEN = True

START = re.compile(
    r"^[ \t>]*Running (\S+) test @ (\S+)[ \t]*\n[ \t>]*(\d+) threads? and (\d+) connections?\b",
    re.MULTILINE,
)
_LATENCY = re.compile(r"^[ \t]*Latency[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)", re.MULTILINE)
_PERCENTILE = re.compile(r"^[ \t]*(\d{1,3}(?:\.\d+)?)%[ \t]+(\S+)[ \t]*$", re.MULTILINE)
_REQUESTS = re.compile(r"(\d+) requests in ([\w.]+),")
_RATE = re.compile(r"^[ \t]*Requests/sec:[ \t]+(\S+)", re.MULTILINE)
_REFUSED = re.compile(r"Non-2xx or 3xx responses: (\d+)")
_SOCKET = re.compile(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)")
_CLOCK_STEP_NS = 1e3  # gettimeofday
_WRK2 = re.compile(r"Thread calibration: mean lat|Detailed Percentile spectrum|Recorded Latency")


def read(source: Source) -> Iterator[ForeignResult]:
    for block in source.blocks(START):
        if not is_wrk2(block):
            yield result(block).model_copy(
                update={
                    "loop": "closed",
                    "timed_from": "sending",
                    "warmup_left_out": False,
                    "basis": {
                        "loop": (
                            f"“{block.start[4]} connections”; wrk does not send at a fixed rate"
                        ),
                        "timed_from": "wrk starts its clock when it writes the request",
                        "added": (
                            "wrk 4.1 adds computed values, which it did not measure, to its "
                            "latency distribution"
                        ),
                        "warmup": "wrk does not exclude the warmup",
                    },
                }
            )


def is_wrk2(block: Block) -> bool:
    return block.find(_WRK2) is not None


def result(block: Block) -> ForeignResult:
    """The part of the result that wrk and wrk2 print in the same form."""
    requests, elapsed = (block.group(_REQUESTS), block.group(_REQUESTS, 2))
    refused = count(block.group(_REFUSED)) or 0
    failed = block.find(_SOCKET)
    lost = [count(each) or 0 for each in failed.groups()] if failed else []
    errors = refused + sum(lost)
    complete = block.find(_RATE) is not None
    rate = number(block.group(_RATE))
    return ForeignResult(
        tool=TOOL,
        seen=SEEN,
        kind="load",
        line=block.line,
        name=block.start[2],
        connections=count(block.start[4]),
        duration_ns=duration_ns(elapsed) or duration_ns(block.start[1]),
        rate_per_s=rate.value if rate else None,
        requests=count(requests),
        # wrk prints its error counts only if errors occurred. If the line is missing, only a
        # complete output proves that no error occurred.
        errors=errors if complete else errors or None,
        errors_timed=True,
        # wrk2 also times an answer that comes after the time-out, the last of these numbers.
        unanswered=sum(lost[:-1] if is_wrk2(block) else lost),
        latencies=_latencies(block, count(requests)),
        executions=1,
        conditions={
            "connections": block.start[4],
            "threads": block.start[3],
            "duration": block.start[1],
        },
    )


def _latencies(block: Block, counted: int | None) -> Latencies:
    line = block.find(_LATENCY)
    mean = duration(line[1]) if line else None
    greatest = duration_ns(line[3]) if line else None
    percentiles: list[tuple[float, Printed]] = [
        (float(found[1]) / 100, value)
        for found in _PERCENTILE.finditer(block.text)
        if float(found[1]) <= 100 and (value := duration(found[2]))
    ]
    step = step_at_median(percentiles) or (mean.step if mean else None)
    return Latencies(
        counted=counted,
        mean_ns=mean.value if mean else None,
        max_ns=greatest,
        percentiles=tuple(
            Percentile(share=share, value_ns=each.value) for share, each in percentiles
        ),
        step_ns=max(_CLOCK_STEP_NS, step) if step is not None else None,
    )
