"""The output of bombardier: printed, and JSON (`-o json`).

The format is known only from bombardier's documentation and templates, not from real output
(README.md and templates.go of codesenberg/bombardier). The JSON contains the rate if one was set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from runfair.formats.foreign import document
from runfair.formats.foreign.printed import (
    Printed,
    count,
    duration,
    duration_ns,
    number,
    step_at_median,
)
from runfair.formats.foreign.result import ForeignResult, Latencies, Loop, Percentile
from runfair.formats.foreign.source import Block, Source

TOOL = "bombardier"
SEEN = False

_START = re.compile(
    r"^[ \t>]*Bombarding (\S+)[^\n]*? (?:for (\S+)|with (\d+) requests?) using (\d+) connection",
    re.MULTILINE,
)
_RATE = re.compile(r"^[ \t>]*Reqs/sec\s+([\d.]+)", re.MULTILINE)
_LATENCY = re.compile(r"^[ \t>]*Latency\s+(\S+)\s+(\S+)\s+(\S+)[ \t]*$", re.MULTILINE)
_PERCENTILE = re.compile(r"^[ \t>]*(\d{1,3})%\s+(\S+)[ \t]*$", re.MULTILINE)
_CODES = re.compile(
    r"1xx - (\d+), 2xx - (\d+), 3xx - (\d+), 4xx - (\d+), 5xx - (\d+)\s+others - (\d+)"
)
_CLASSES = ("req1xx", "req2xx", "req3xx", "req4xx", "req5xx", "others")


def read(source: Source) -> Iterator[ForeignResult]:
    for block in source.blocks(_START):
        if block.find(_RATE):
            yield _printed(block)
    for each in source.documents:
        if found := _exported(each.value, source.line_of(each.offset)):
            yield found


def _result(
    line: int,
    loop: Loop,
    connections: int | None,
    codes: list[int],
    latencies: Latencies,
) -> ForeignResult:
    answers = sum(codes) if codes else None
    told = (
        ""
        if loop != "closed or paced"
        else ("; the result does not state whether a rate was requested")
    )
    return ForeignResult(
        tool=TOOL,
        seen=SEEN,
        kind="load",
        line=line,
        loop=loop,
        timed_from="sending",
        connections=connections,
        requests=answers,
        errors=codes[0] + sum(codes[3:]) if codes else None,
        errors_timed=True,
        latencies=latencies.model_copy(update={"counted": answers}),
        warmup_left_out=False,
        executions=1,
        conditions={"connections": str(connections)} if connections is not None else {},
        basis={
            "loop": (
                f"each of the {connections} connections waits for an answer before it sends the "
                f"next request{told}"
            ),
            "timed_from": "bombardier starts its clock when it sends the request",
            "warmup": "bombardier does not exclude the warmup",
        },
    )


def _printed(block: Block) -> ForeignResult:
    line, codes = block.find(_LATENCY), block.find(_CODES)
    shares: list[tuple[float, Printed]] = [
        (int(found[1]) / 100, value)
        for found in _PERCENTILE.finditer(block.text)
        if int(found[1]) <= 100 and (value := duration(found[2]))
    ]
    mean = duration(line[1]) if line else None
    rate = number(block.group(_RATE))
    plain = _result(
        block.line,
        "closed or paced",
        count(block.start[4]),
        [count(each) or 0 for each in codes.groups()] if codes else [],
        Latencies(
            mean_ns=mean.value if mean else None,
            max_ns=duration_ns(line[3]) if line else None,
            percentiles=tuple(
                Percentile(share=share, value_ns=value.value) for share, value in shares
            ),
            step_ns=step_at_median(shares) or (mean.step if mean else None),
        ),
    )
    return plain.model_copy(
        update={
            "name": block.start[1],
            "duration_ns": duration_ns(block.start[2] or ""),
            "rate_per_s": rate.value if rate else None,
            "conditions": plain.conditions
            | {"duration": block.start[2] or "", "requests": block.start[3] or ""},
        }
    )


def _exported(value: object, line: int) -> ForeignResult | None:
    connections = document.count(value, "spec", "numberOfConnections")
    if connections is None or document.at(value, "result") is None:
        return None
    offered = document.number(value, "spec", "rate")
    codes = [document.count(value, "result", name) for name in _CLASSES]
    known = [code for code in codes if code is not None]
    percentiles = [
        Percentile(share=percent.value / 100, value_ns=found)
        for name, each in document.members(value, "result", "latency", "percentiles")
        if (percent := number(name)) and percent.value <= 100
        if (found := document.time_ns(1e3, each)) is not None
    ]
    return _result(
        line,
        "closed" if offered is None else "paced",
        connections,
        known if len(known) == len(codes) else [],
        Latencies(
            mean_ns=document.time_ns(1e3, value, "result", "latency", "mean"),
            max_ns=document.time_ns(1e3, value, "result", "latency", "max"),
            percentiles=tuple(percentiles),
            step_ns=1e3,
        ),
    ).model_copy(
        update={
            "name": document.string(value, "spec", "url") or "",
            "offered_rate_per_s": offered,
            "duration_ns": document.time_ns(1e9, value, "result", "timeTakenSeconds"),
            "rate_per_s": document.number(value, "result", "rps", "mean"),
        }
    )
