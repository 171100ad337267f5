"""The output of hey. The output contains neither the number of workers (`-c`) nor the rate of each
worker (`-q`)."""

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

TOOL = "hey"
SEEN = True

# hey keeps this number of times, but divides the sum of all times by the number of kept times.
# Newer releases count only the status codes of the kept times.
_MOST_KEPT = 1_000_000
_ROUNDED = 1e-3  # the greatest error, as a share, of a number from the printed rate and length

_START = re.compile(r"^[ \t>]*Summary:[ \t]*\n[ \t>]*Total:\s+(\S+ secs)", re.MULTILINE)
_SLOWEST, _FASTEST, _AVERAGE = (
    re.compile(rf"^[ \t>]*{name}:\s+(\S+ secs)", re.MULTILINE)
    for name in ("Slowest", "Fastest", "Average")
)
_RATE = re.compile(r"^[ \t>]*Requests/sec:\s+([\d.]+)", re.MULTILINE)
_PERCENTILE = re.compile(r"^[ \t>]*(\d{1,2})%{1,2} in (\S+ secs)", re.MULTILINE)
_CODE = re.compile(r"^[ \t>]*\[(\d{3})\]\s+(\d+) responses", re.MULTILINE)
_ERROR = re.compile(r"^[ \t>]*\[(\d+)\]\s+(?!\d+ responses)\S", re.MULTILINE)


def read(source: Source) -> Iterator[ForeignResult]:
    for block in source.blocks(_START):
        yield _printed(block)


def _printed(block: Block) -> ForeignResult:
    shares: list[tuple[float, Printed]] = [
        (int(found[1]) / 100, value)
        for found in _PERCENTILE.finditer(block.text)
        if (value := duration(found[2]))
    ]
    codes = [(found[1], count(found[2]) or 0) for found in _CODE.finditer(block.text)]
    _, _, after = block.text.partition("Error distribution:")
    failed = sum(count(found[1]) or 0 for found in _ERROR.finditer(after))
    answered = sum(number_ for _, number_ in codes)
    bad = sum(number_ for code, number_ in codes if not code.startswith(("2", "3")))
    rate, length_ns = number(block.group(_RATE)), duration_ns(block.start[1])
    sent = rate.value * length_ns / 1e9 if rate and length_ns else 0.0
    uncounted = answered == _MOST_KEPT and sent - failed > _MOST_KEPT * (1 + _ROUNDED)
    return ForeignResult(
        tool=TOOL,
        seen=SEEN,
        kind="load",
        line=block.line,
        loop="closed or paced",
        timed_from="sending",
        duration_ns=length_ns,
        rate_per_s=rate.value if rate else None,
        requests=None if uncounted else answered or None,
        errors=bad + failed if (codes and not uncounted) or bad or failed else None,
        errors_timed=True,
        unanswered=failed,
        latencies=Latencies(
            counted=min(answered, _MOST_KEPT) or None,
            min_ns=duration_ns(block.group(_FASTEST)),
            mean_ns=None
            if uncounted or answered > _MOST_KEPT
            else duration_ns(block.group(_AVERAGE)),
            max_ns=duration_ns(block.group(_SLOWEST)),
            percentiles=tuple(
                Percentile(share=share, value_ns=value.value) for share, value in shares
            ),
            step_ns=step_at_median(shares),
        ),
        warmup_left_out=False,
        executions=1,
        basis={
            "loop": (
                "each of hey's workers waits for an answer before it sends the next request, and "
                "hey's output does not say whether the option -q limited the rate"
            ),
            "timed_from": "hey starts its clock when it sends the request",
            "warmup": "hey does not exclude the warmup",
        },
    )
