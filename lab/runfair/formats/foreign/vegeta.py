"""The reports of vegeta: text, JSON and histogram. (Its `hdrplot` is a percentile spectrum.)

No report contains the pacer or `-max-workers`, so it is unknown whether the loop stayed open.
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
from runfair.formats.foreign.result import ForeignResult, Latencies, Percentile
from runfair.formats.foreign.source import Block, Source

TOOL = "vegeta"
SEEN = True

_TEXT = re.compile(
    r"^[ \t>]*Requests\s+\[total, rate(?:, throughput)?\]\s+(\d+), ([\d.]+)", re.MULTILINE
)
_TIMES = re.compile(r"^[ \t>]*Duration\s+\[total, attack, wait\]\s+(\S+), (\S+),", re.MULTILINE)
_LATENCIES = re.compile(r"^[ \t>]*Latencies\s+\[([^\]\n]+)\]\s+(\S[^\n]*)", re.MULTILINE)
_CODES = re.compile(r"^[ \t>]*Status Codes\s+\[code:count\]\s+([\d: ]+)", re.MULTILINE)
_HISTOGRAM = re.compile(r"^[ \t>]*Bucket\s+#\s+%\s+Histogram[ \t]*$", re.MULTILINE)
_BUCKET = re.compile(r"^[ \t>]*\[([^,\s]+),\s*([^\]\s]+)\]\s+(\d+)\s", re.MULTILINE)
_JSON_SHARES = {"50th": 0.5, "90th": 0.9, "95th": 0.95, "99th": 0.99}
_BASIS = {
    "timed_from": "vegeta starts a request's clock when it sends the request, not when the "
    "request is due",
    "warmup": "vegeta does not exclude the warmup",
    "loop": "vegeta's report states neither the option -max-workers nor the pacer (which sets the "
    "rate), so the load may be an open or a closed loop",
}


def read(source: Source) -> Iterator[ForeignResult]:
    for block in source.blocks(_TEXT):
        yield _printed(block)
    for block in source.blocks(_HISTOGRAM):
        if found := _histogram(block):
            yield found
    for each in source.documents:
        if found := _report(each.value, source.line_of(each.offset)):
            yield found


def _result(line: int, latencies: Latencies) -> ForeignResult:
    return ForeignResult(
        tool=TOOL,
        seen=SEEN,
        kind="load",
        line=line,
        timed_from="sending",
        latencies=latencies,
        errors_timed=True,
        warmup_left_out=False,
        executions=1,
        basis=_BASIS,
    )


def _printed(block: Block) -> ForeignResult:
    names = [name.strip() for name in block.group(_LATENCIES).split(",")]
    values = [duration(value) for value in block.group(_LATENCIES, 2).split(",")]
    named = {name: value for name, value in zip(names, values, strict=False) if value}
    shares: list[tuple[float, Printed]] = [
        (float(name) / 100, value) for name, value in named.items() if name.isdecimal()
    ]
    codes = [pair.partition(":") for pair in block.group(_CODES).split()]
    errors = sum(count(number_) or 0 for code, _, number_ in codes if not _good(code))
    requests = count(block.start[1])
    rate = number(block.start[2])
    return _result(
        block.line,
        Latencies(
            counted=requests,
            min_ns=named["min"].value if "min" in named else None,
            mean_ns=named["mean"].value if "mean" in named else None,
            max_ns=named["max"].value if "max" in named else None,
            percentiles=tuple(
                Percentile(share=share, value_ns=value.value)
                for share, value in shares
                if share <= 1
            ),
            step_ns=step_at_median(shares),
        ),
    ).model_copy(
        update={
            "requests": requests,
            "rate_per_s": rate.value if rate else None,
            "duration_ns": duration_ns(block.group(_TIMES, 2)),
            "errors": errors if codes else None,
            "conditions": {"duration": block.group(_TIMES, 1)},
        }
    )


def _good(code: str) -> bool:
    return code.isdecimal() and 200 <= int(code) < 400


def _histogram(block: Block) -> ForeignResult | None:
    """The percentiles of a histogram's cells: for each cell with an upper end, the share of values
    at or below that end."""
    cells = [
        (duration(found[1]), duration_ns(found[2]), count(found[3]) or 0)
        for found in _BUCKET.finditer(block.text)
    ]
    total = sum(cell for _, _, cell in cells)
    if not total:
        return None
    below = 0
    percentiles, step = [], None
    for lower, upper_ns, cell in cells:
        below += cell
        if step is None and 2 * below >= total and lower and upper_ns:
            step = upper_ns - lower.value
        if upper_ns is not None and below:
            percentiles.append(Percentile(share=below / total, value_ns=upper_ns))
    return _result(
        block.line,
        Latencies(
            counted=total,
            percentiles=tuple(each for each in percentiles if each.share < 1),
            step_ns=step,
        ),
    ).model_copy(update={"requests": total})


def _report(value: object, line: int) -> ForeignResult | None:
    if document.number(value, "latencies", "99th") is None or document.at(value, "rate") is None:
        return None
    requests = document.count(value, "requests")
    codes = document.members(value, "status_codes")
    attack_ns = document.time_ns(1, value, "duration")
    return _result(
        line,
        Latencies(
            counted=requests,
            min_ns=document.time_ns(1, value, "latencies", "min"),
            mean_ns=document.time_ns(1, value, "latencies", "mean"),
            max_ns=document.time_ns(1, value, "latencies", "max"),
            percentiles=tuple(
                Percentile(share=share, value_ns=found)
                for name, share in _JSON_SHARES.items()
                if (found := document.time_ns(1, value, "latencies", name)) is not None
            ),
            step_ns=1.0,
        ),
    ).model_copy(
        update={
            "requests": requests,
            "rate_per_s": document.number(value, "rate"),
            "duration_ns": attack_ns,
            "errors": sum(document.count(found) or 0 for code, found in codes if not _good(code))
            if codes
            else None,
            "conditions": {"duration": f"{attack_ns / 1e9:.1f} s"} if attack_ns else {},
        }
    )
