"""The output of Gatling: the summary on its console, `stats.json` and `global_stats.json` (until
3.10), and `simulation.log` as text (until 3.11; later logs are binary).

No format says whether a schedule injected the users (open loop) or their number was fixed (closed
loop).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from runfair.formats.foreign import document
from runfair.formats.foreign.printed import count, duration_ns, number
from runfair.formats.foreign.result import ForeignResult, Latencies, Percentile, latencies_of
from runfair.formats.foreign.source import Block, Source

TOOL = "Gatling"
SEEN = True

_CONSOLE = re.compile(r"^[ \t]*(?:-{4,}|={4,}) ?Global Information -", re.MULTILINE)
_NUMBER = r"[ \t|]+([\d.,]+)"
# Releases from 3.13 on print a dash for no failed request.
_COUNT = re.compile(
    rf"^> request count{_NUMBER}[ |]+(?:\(OK=)?(?:[\d,]+|-)[ |]+(?:KO=)?([\d,]+|-)", re.MULTILINE
)
_FIELD = r"^> {}(?: \(\w+\))?" + _NUMBER
_LEAST, _GREATEST, _MEAN, _RATE = (
    re.compile(_FIELD.format(name), re.MULTILINE)
    for name in (
        "min response time",
        "max response time",
        "mean response time",
        r"mean (?:requests/sec|throughput)",
    )
)
_PERCENTILE = re.compile(
    rf"^> response time ([\d.]+)th percentile(?: \(\w+\))?{_NUMBER}", re.MULTILINE
)
_RUN = re.compile(r"^RUN\t(\S+)\t[^\t\n]*\t(\d+)\t[^\t\n]*\t(\S+)[ \t]*$", re.MULTILINE)
_REQUEST = re.compile(r"^REQUEST\t[^\t\n]*\t[^\t\n]*\t(\d+)\t(\d+)\t(OK|KO)", re.MULTILINE)
_DEFAULT_SHARES = (0.5, 0.75, 0.95, 0.99)
"""The meaning of `percentiles1` to `percentiles4` by default in gatling.conf (documentation)."""
_STEP_NS = 1e6


def read(source: Source) -> Iterator[ForeignResult]:
    for block in source.blocks(_CONSOLE):
        if block.find(_COUNT):
            yield _printed(block)
    for each in source.documents:
        whole = document.at(each.value, "stats")
        if found := _exported(each.value if whole is None else whole, source.line_of(each.offset)):
            yield found
    for block in source.blocks(_RUN, most_lines=5_000_000):
        if found := _logged(block):
            yield found


def _result(line: int, requests: int | None, errors: int | None) -> ForeignResult:
    return ForeignResult(
        tool=TOOL,
        seen=SEEN,
        kind="load",
        line=line,
        timed_from="sending",
        requests=requests,
        errors=errors,
        errors_timed=True,
        warmup_left_out=False,
        executions=1,
        basis={
            "loop": "the result does not state Gatling's injection profile (a part of the "
            "simulation), so the load may be an open or a closed loop",
            "timed_from": "Gatling starts its clock when it sends the request",
            "warmup": "Gatling does not exclude the warmup",
            "step": "Gatling counts whole milliseconds",
        },
    )


def _printed(block: Block) -> ForeignResult:
    requests, failed = count(block.group(_COUNT)), block.group(_COUNT, 2)
    rate = number(block.group(_RATE))
    return _result(block.line, requests, 0 if failed == "-" else count(failed)).model_copy(
        update={
            # Printed as whole requests per second: too coarse to compute a length from it.
            "rate_per_s": rate.value if rate else None,
            "latencies": Latencies(
                counted=requests,
                min_ns=duration_ns(block.group(_LEAST), "ms"),
                mean_ns=duration_ns(block.group(_MEAN), "ms"),
                max_ns=duration_ns(block.group(_GREATEST), "ms"),
                percentiles=tuple(
                    Percentile(share=percent.value / 100, value_ns=value)
                    for found in _PERCENTILE.finditer(block.text)
                    if (percent := number(found[1])) and percent.value <= 100
                    if (value := duration_ns(found[2], "ms")) is not None
                ),
                step_ns=_STEP_NS,
            ),
        }
    )


def _exported(value: object, line: int) -> ForeignResult | None:
    requests = document.count(value, "numberOfRequests", "total")
    mean_ns = document.time_ns(1e6, value, "meanResponseTime", "total")
    if requests is None or mean_ns is None:
        return None
    rate = document.number(value, "meanNumberOfRequestsPerSecond", "total")
    errors = document.count(value, "numberOfRequests", "ko")
    return _result(line, requests, errors).model_copy(
        update={
            "rate_per_s": rate,
            "duration_ns": requests / rate * 1e9 if rate else None,
            "latencies": Latencies(
                counted=requests,
                min_ns=document.time_ns(1e6, value, "minResponseTime", "total"),
                mean_ns=mean_ns,
                max_ns=document.time_ns(1e6, value, "maxResponseTime", "total"),
                percentiles=tuple(
                    Percentile(share=share, value_ns=found)
                    for place, share in enumerate(_DEFAULT_SHARES, 1)
                    if (found := document.time_ns(1e6, value, f"percentiles{place}", "total"))
                    is not None
                ),
                step_ns=_STEP_NS,
            ),
        }
    )


def _logged(block: Block) -> ForeignResult | None:
    requests = sorted(
        (int(sent), int(done), answer)
        for sent, done, answer in _REQUEST.findall(block.text)
        if len(sent) <= 15 and len(done) <= 15
    )
    took_ns = tuple(max(0, done - sent) * 1e6 for sent, done, _ in requests)
    if not took_ns:
        return None
    length_ns = (max(done for _, done, _ in requests) - requests[0][0]) * 1e6
    errors = sum(answer == "KO" for _, _, answer in requests)
    return _result(block.line, len(requests), errors).model_copy(
        update={
            "name": block.start[1],
            "version": block.start[3],
            "duration_ns": length_ns if length_ns > 0 else None,
            "rate_per_s": len(requests) / length_ns * 1e9 if length_ns > 0 else None,
            "latencies": latencies_of(took_ns, _STEP_NS),
            "series_ns": (took_ns,),
        }
    )
