"""The output of h2load. Release 1.52 prints no percentiles. No release prints the offered rate."""

from __future__ import annotations

import re
from collections.abc import Iterator

from runfair.formats.foreign.printed import count, duration, duration_ns, number
from runfair.formats.foreign.result import ForeignResult, Latencies, Percentile
from runfair.formats.foreign.source import Block, Source

TOOL = "h2load"
SEEN = True

_START = re.compile(r"^[ \t>]*(?:starting benchmark\.\.\.|finished in \S+, [\d.]+ req/s)", re.M)
_FINISHED = re.compile(r"^[ \t>]*finished in (\S+), ([\d.]+) req/s", re.MULTILINE)
_CLIENTS = re.compile(r"^[ \t>]*spawning thread #\d+: (\d+) total client", re.MULTILINE)
_WARMUP = re.compile(r"Timing-based test with (\S+) of warm-up time and (\S+) of main duration")
_REQUESTS = re.compile(
    r"^[ \t>]*requests: \d+ total, \d+ started, (\d+) done, \d+ succeeded, (\d+) failed"
    r"(?:, (\d+) errored)?",
    re.MULTILINE,
)
_HEADER = re.compile(r"^[ \t>]+(min\s+max\s[^\n]*)$", re.MULTILINE)
_TIMES = re.compile(r"^[ \t>]*(?:time for request|request\s*):\s+([^\n]+)$", re.MULTILINE)
_SHARES = {"median": 0.5, "p95": 0.95, "p99": 0.99}
"""Columns that releases after 1.52 add, according to the documentation."""


def read(source: Source) -> Iterator[ForeignResult]:
    pending = ""
    for block in source.blocks(_START):
        # The clients are printed at the start, the figures at the end.
        if block.find(_FINISHED) is None:
            pending = block.text
        elif block.find(_TIMES):
            yield _printed(block, pending + block.text)
            pending = ""


def _printed(block: Block, whole: str) -> ForeignResult:
    finished, requests = block.find(_FINISHED), block.find(_REQUESTS)
    columns = block.group(_HEADER).replace("+/- sd", "").split()
    values = [duration(text) for text in block.group(_TIMES).split()]
    named = {name: value for name, value in zip(columns, values, strict=False) if value}
    clients = [count(found[1]) or 0 for found in _CLIENTS.finditer(whole)]
    connections = sum(clients) if clients else None
    warmup = _WARMUP.search(whole)
    warmup_ns = duration_ns(warmup[1]) if warmup else None
    rate = number(finished[2]) if finished else None
    done = count(requests[1]) if requests else None
    mean = named.get("mean")
    return ForeignResult(
        tool=TOOL,
        seen=SEEN,
        kind="load",
        line=block.line,
        loop="closed or paced",
        timed_from="sending",
        connections=connections,
        duration_ns=duration_ns(finished[1]) if finished else None,
        rate_per_s=rate.value if rate else None,
        requests=done,
        errors=count(requests[2]) if requests else None,
        errors_timed=True,
        unanswered=count(requests[3] or "0") or 0 if requests else 0,
        latencies=Latencies(
            counted=done,
            min_ns=named["min"].value if "min" in named else None,
            mean_ns=mean.value if mean else None,
            max_ns=named["max"].value if "max" in named else None,
            percentiles=tuple(
                Percentile(share=share, value_ns=named[name].value)
                for name, share in _SHARES.items()
                if name in named
            ),
            step_ns=mean.step if mean else None,
        ),
        warmup_left_out=bool(warmup_ns) if warmup_ns is not None else False if clients else None,
        executions=1,
        conditions={"connections": str(connections)} if connections is not None else {},
        basis={
            "loop": (
                "each stream waits for an answer before it sends the next request; h2load does not "
                "print whether a fixed rate was requested by --rps"
            ),
            "timed_from": "h2load starts its clock when it sends the request",
            "warmup": f"“{warmup[1]} of warm-up time”" if warmup else "h2load prints no warm-up",
        },
    )
