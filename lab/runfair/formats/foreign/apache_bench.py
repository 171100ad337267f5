"""The output of ab (ApacheBench). The tool has no option for a rate, and prints percentiles in
whole milliseconds."""

from __future__ import annotations

import re
from collections.abc import Iterator

from runfair.formats.foreign.printed import count, duration_ns, number
from runfair.formats.foreign.result import ForeignResult, Latencies, Percentile
from runfair.formats.foreign.source import Block, Source

TOOL = "ab"
SEEN = True

_START = re.compile(r"^[ \t>]*Concurrency Level:\s+(\d+)", re.MULTILINE)
_FIELD = r"^[ \t>]*{}:\s+([\d.]+)"
_TOOK, _COMPLETE, _FAILED, _REFUSED, _RATE = (
    re.compile(_FIELD.format(name), re.MULTILINE)
    for name in (
        "Time taken for tests",
        "Complete requests",
        "Failed requests",
        "Non-2xx responses",
        "Requests per second",
    )
)
_MEAN = re.compile(r"^[ \t>]*Time per request:\s+([\d.]+) \[ms\] \(mean\)[ \t]*$", re.MULTILINE)
_TOTAL = re.compile(r"^[ \t>]*Total:\s+(\d+)\s+\d+\s+[\d.]+\s+\d+\s+(\d+)[ \t]*$", re.MULTILINE)
_PERCENTILE = re.compile(r"^[ \t>]*(\d{1,3})%\s+(\d+)(?: \(longest request\))?[ \t]*$", re.M)
_STEP_NS = 1e6


def read(source: Source) -> Iterator[ForeignResult]:
    for block in source.blocks(_START):
        if block.find(_COMPLETE):
            yield _printed(block)


def _printed(block: Block) -> ForeignResult:
    total = block.find(_TOTAL)
    complete = count(block.group(_COMPLETE))
    failed, rate = count(block.group(_FAILED)), number(block.group(_RATE))
    # “Failed” requests are lost connections and answers of another length; answers with a bad
    # status are not counted.
    refused = count(block.group(_REFUSED)) or 0
    return ForeignResult(
        tool=TOOL,
        seen=SEEN,
        kind="load",
        line=block.line,
        loop="closed",
        timed_from="sending",
        connections=count(block.start[1]),
        duration_ns=duration_ns(block.group(_TOOK), "s"),
        rate_per_s=rate.value if rate else None,
        requests=complete,
        errors=failed + refused if failed is not None else None,
        errors_timed=True,
        latencies=Latencies(
            counted=complete,
            min_ns=duration_ns(total[1], "ms") if total else None,
            mean_ns=duration_ns(block.group(_MEAN), "ms"),
            max_ns=duration_ns(total[2], "ms") if total else None,
            percentiles=tuple(
                Percentile(share=int(found[1]) / 100, value_ns=(count(found[2]) or 0) * 1e6)
                for found in _PERCENTILE.finditer(block.text)
                if int(found[1]) <= 100
            ),
            step_ns=_STEP_NS,
        ),
        warmup_left_out=False,
        executions=1,
        conditions={"connections": block.start[1], "requests": str(complete)},
        basis={
            "loop": f"“Concurrency Level: {block.start[1]}”; ab does not send at a fixed rate",
            "timed_from": (
                "ab starts its clock when it opens the connection or, on an open connection, when "
                "it sends the request"
            ),
            "warmup": "ab does not exclude the warmup",
            "step": "ab prints whole milliseconds",
        },
    )
