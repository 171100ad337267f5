"""The output of oha: printed, and JSON.

Neither form contains the number of connections, the rate, or whether `--latency-correction` was
given.
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

TOOL = "oha"
SEEN = True

_START = re.compile(r"^[ \t>]*Summary:[ \t]*\n[ \t>]*Success rate:", re.MULTILINE)
_FIELD = r"^[ \t>]*{}:[ \t]+([^\n]+?)[ \t]*$"
_TOTAL, _SLOWEST, _FASTEST, _AVERAGE, _RATE = (
    re.compile(_FIELD.format(name), re.MULTILINE)
    for name in ("Total", "Slowest", "Fastest", "Average", "Requests/sec")
)
_PERCENTILE = re.compile(r"^[ \t>]*(\d{1,3}(?:\.\d+)?)% in ([^\n]+?)[ \t]*$", re.MULTILINE)
_CODE = re.compile(r"^[ \t>]*\[(\d{3})\] (\d+) responses", re.MULTILINE)
# With -z, oha ends the requests that are under way when the load ends. This is no failure.
_ENDED = "aborted due to deadline"
_BASIS = {
    "loop": (
        "each of oha's connections waits for an answer before it sends the next request; it is "
        "unknown whether a rate was requested"
    ),
    "timed_from": (
        "oha does not report whether the option --latency-correction was used, which can change "
        "the time at which the clock of a request starts"
    ),
    "warmup": "oha does not exclude the warmup",
}


def read(source: Source) -> Iterator[ForeignResult]:
    for block in source.blocks(_START):
        yield _printed(block)
    for each in source.documents:
        if found := _exported(each.value, source.line_of(each.offset)):
            yield found


def _result(
    line: int, codes: list[tuple[str, int]], failed: int, latencies: Latencies
) -> ForeignResult:
    answered = sum(number_ for _, number_ in codes)
    bad = sum(number_ for code, number_ in codes if not code.startswith(("2", "3")))
    return ForeignResult(
        tool=TOOL,
        seen=SEEN,
        kind="load",
        line=line,
        loop="closed or paced",
        requests=answered or None,
        errors=bad + failed if codes or failed else None,
        errors_timed=True,
        unanswered=failed,
        latencies=latencies.model_copy(update={"counted": answered or None}),
        warmup_left_out=False,
        executions=1,
        basis=_BASIS,
    )


def _printed(block: Block) -> ForeignResult:
    shares: list[tuple[float, Printed]] = [
        (float(found[1]) / 100, value)
        for found in _PERCENTILE.finditer(block.text)
        if float(found[1]) <= 100 and (value := duration(found[2]))
    ]
    codes = [(found[1], count(found[2]) or 0) for found in _CODE.finditer(block.text)]
    rate = number(block.group(_RATE))
    return _result(
        block.line,
        codes,
        _printed_failures(block),
        Latencies(
            min_ns=duration_ns(block.group(_FASTEST)),
            mean_ns=duration_ns(block.group(_AVERAGE)),
            max_ns=duration_ns(block.group(_SLOWEST)),
            percentiles=tuple(
                Percentile(share=share, value_ns=value.value) for share, value in shares
            ),
            step_ns=step_at_median(shares),
        ),
    ).model_copy(
        update={
            "duration_ns": duration_ns(block.group(_TOTAL)),
            "rate_per_s": rate.value if rate else None,
        }
    )


def _printed_failures(block: Block) -> int:
    _, _, after = block.text.partition("Error distribution:")
    failures = re.finditer(rf"^[ \t>]*\[(\d+)\] (?!{_ENDED})", after, re.MULTILINE)
    return sum(count(found[1]) or 0 for found in failures)


def _exported(value: object, line: int) -> ForeignResult | None:
    if document.at(value, "latencyPercentiles") is None:
        return None
    if document.at(value, "summary", "requestsPerSec") is None:
        return None
    codes = [
        (code, document.count(found) or 0)
        for code, found in document.members(value, "statusCodeDistribution")
    ]
    failed = sum(
        document.count(found) or 0
        for reason, found in document.members(value, "errorDistribution")
        if reason != _ENDED
    )
    shares = [
        (percent.value / 100, found)
        for name, each in document.members(value, "latencyPercentiles")
        if (percent := number(name.removeprefix("p"))) and percent.value <= 100
        if (found := document.time_ns(1e9, each)) is not None
    ]
    return _result(
        line,
        codes,
        failed,
        Latencies(
            min_ns=document.time_ns(1e9, value, "summary", "fastest"),
            mean_ns=document.time_ns(1e9, value, "summary", "average"),
            max_ns=document.time_ns(1e9, value, "summary", "slowest"),
            percentiles=tuple(Percentile(share=share, value_ns=found) for share, found in shares),
            step_ns=1.0,
        ),
    ).model_copy(
        update={
            "duration_ns": document.time_ns(1e9, value, "summary", "total"),
            "rate_per_s": document.number(value, "summary", "requestsPerSec"),
        }
    )
