"""The output of autocannon: JSON, and printed tables.

The tool records whole milliseconds. Neither the JSON nor the tables contain a rate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from runfair.formats.foreign import document
from runfair.formats.foreign.printed import count, duration_ns, metric, number
from runfair.formats.foreign.result import ForeignResult, Latencies, Percentile
from runfair.formats.foreign.source import Block, Source

TOOL = "autocannon"
SEEN = True

_START = re.compile(
    r"^[ \t>]*Running (\S+) test @ (\S+)[ \t]*\n[ \t>]*(\d+) connections?"
    r"(?: with (\d+) pipelining factor)?",
    re.MULTILINE,
)
_HEADER = re.compile(r"^[ \t>]*│ Stat\s+│([^\n]*)│[ \t]*$", re.MULTILINE)
_LATENCY = re.compile(r"^[ \t>]*│ Latency\s+│([^\n]*)│[ \t]*$", re.MULTILINE)
_RATE = re.compile(r"^[ \t>]*│ Req/Sec\s+│([^\n]*)│[ \t]*$", re.MULTILINE)
_SPECTRUM = re.compile(r"^[ \t>]*│ (\d+(?:\.\d+)?)\s+│ (\d+)\s+│[ \t]*$", re.MULTILINE)
_TOTAL = re.compile(r"^[ \t>]*([\d.]+[kM]?) requests in ([\w.]+),", re.MULTILINE)
_REFUSED = re.compile(r"(\d+) 2xx responses, (\d+) non 2xx responses")
_LOST = re.compile(r"([\d.]+k?) errors \(([\d.]+k?) timeouts\)")
_MISMATCHED = re.compile(r"^[ \t>]*([\d.]+[kM]?) requests with mismatched body", re.MULTILINE)
_STEP_NS = 1e6
ADDED = (
    "autocannon adds values that it did not measure to its latencies, if a rate is requested and "
    "the option --ignoreCoordinatedOmission is not given"
)
_BASIS = {
    "loop": (
        "each of autocannon's connections waits for an answer before it sends the next "
        "request; the result does not state whether a rate was requested"
    ),
    "timed_from": "autocannon starts its clock when it sends the request",
    "warmup": "autocannon includes the warmup in its result, unless an option excludes it",
    "step": "autocannon records whole milliseconds",
}


def read(source: Source) -> Iterator[ForeignResult]:
    for block in source.blocks(_START):
        if block.find(_LATENCY):
            yield _printed(block)
    for each in source.documents:
        if found := _exported(each.value, source.line_of(each.offset)):
            yield found


def _result(
    line: int, name: str, connections: int | None, pipelining: int, latencies: Latencies
) -> ForeignResult:
    under_way = connections * pipelining if connections is not None else None
    return ForeignResult(
        tool=TOOL,
        seen=SEEN,
        kind="load",
        line=line,
        name=name,
        loop="closed or paced",
        timed_from="sending",
        connections=under_way,
        errors_timed=True,
        latencies=latencies,
        warmup_left_out=False,
        executions=1,
        conditions={"connections": str(connections), "pipelining": str(pipelining)},
        basis=_BASIS,
    )


def _cells(block: Block, pattern: re.Pattern[str]) -> list[str]:
    return [cell.strip() for cell in block.group(pattern).split("│")]


def _printed(block: Block) -> ForeignResult:
    latency = dict(zip(_cells(block, _HEADER), _cells(block, _LATENCY), strict=False))
    rates = _cells(block, _RATE)
    rate = number(rates[4]) if len(rates) > 4 else None
    shares = {
        percent.value / 100: value
        for name, text in latency.items()
        if name.endswith("%") and (percent := number(name[:-1])) and 0 <= percent.value <= 100
        if (value := duration_ns(text)) is not None
    }
    for found in _SPECTRUM.finditer(block.text):
        if float(found[1]) <= 100:
            shares[float(found[1]) / 100] = float(count(found[2]) or 0) * 1e6
    refused, lost = block.find(_REFUSED), block.find(_LOST)
    elapsed_ns = duration_ns(block.group(_TOTAL, 2))
    total = metric(block.group(_TOTAL))
    plain = _result(
        block.line,
        block.start[2],
        count(block.start[3]),
        count(block.start[4] or "1") or 1,
        Latencies(
            mean_ns=duration_ns(latency.get("Avg", "")),
            max_ns=duration_ns(latency.get("Max", "")),
            percentiles=tuple(
                Percentile(share=share, value_ns=value) for share, value in sorted(shares.items())
            ),
            step_ns=_STEP_NS,
        ),
    )
    unanswered = int(metric(lost[1]) or 0) if lost else 0
    mismatched = int(metric(block.group(_MISMATCHED)) or 0)
    errors = max(count(refused[2]) or 0 if refused else 0, mismatched) + unanswered
    return plain.model_copy(
        update={
            "duration_ns": elapsed_ns,
            "rate_per_s": rate.value if rate else None,
            # Printed as “6k requests”: the exact count is known only from the counts by status
            # code.
            "requests": _answered(block),
            "errors": errors if total is not None else errors or None,
            "unanswered": unanswered,
            "latencies": plain.latencies.model_copy(update={"counted": _answered(block)}),
            "conditions": plain.conditions | {"duration": block.start[1]},
        }
    )


def _answered(block: Block) -> int | None:
    """The exact number of answers. The exact number is known if it is small, or if the counts by
    status code are present."""
    refused = block.find(_REFUSED)
    if refused:
        return (count(refused[1]) or 0) + (count(refused[2]) or 0)
    return count(block.group(_TOTAL))


def _exported(value: object, line: int) -> ForeignResult | None:
    connections = document.count(value, "connections")
    if connections is None or document.at(value, "latency", "p97_5") is None:
        return None
    counted = document.count(value, "latency", "totalCount")
    shares = sorted(
        (percent.value / 100, found)
        for name, each in document.members(value, "latency")
        if name.startswith("p") and (percent := number(name[1:].replace("_", ".")))
        if 0 <= percent.value <= 100 and (found := document.time_ns(1e6, each)) is not None
    )
    pipelining = document.count(value, "pipelining") or 1
    plain = _result(
        line,
        document.string(value, "url") or "",
        connections,
        pipelining,
        Latencies(
            counted=counted,
            min_ns=document.time_ns(1e6, value, "latency", "min"),
            mean_ns=document.time_ns(1e6, value, "latency", "mean"),
            max_ns=document.time_ns(1e6, value, "latency", "max"),
            percentiles=tuple(Percentile(share=share, value_ns=found) for share, found in shares),
            step_ns=_STEP_NS,
        ),
    )
    requests = document.count(value, "requests", "total")
    added = counted is not None and requests is not None and counted > requests
    refused, mismatched, lost = (
        document.count(value, name) for name in ("non2xx", "mismatches", "errors")
    )
    known = any(each is not None for each in (refused, mismatched, lost))
    duration_s = document.number(value, "duration")
    return plain.model_copy(
        update={
            "duration_ns": document.time_ns(1e9, value, "duration"),
            "rate_per_s": document.number(value, "requests", "average"),
            "requests": requests,
            "timed_from": None if added else plain.timed_from,
            "basis": plain.basis | (dict.fromkeys(("added", "timed_from"), ADDED) if added else {}),
            # An answer of another status may be among those with a wrong body.
            "errors": max(refused or 0, mismatched or 0) + (lost or 0) if known else None,
            "unanswered": lost or 0,
            "conditions": plain.conditions | {"duration": f"{duration_s:g} s"}
            if duration_s is not None
            else plain.conditions,
        }
    )
