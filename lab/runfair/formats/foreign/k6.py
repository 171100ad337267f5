"""The summary of k6: printed, or written by `--summary-export` or `handleSummary`.

The executor is set in the script, and the printed output names it above the summary. k6 prints
`dropped_iterations` only if iterations were dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from runfair.formats.foreign import document
from runfair.formats.foreign.printed import Printed, count, duration, number, step_at_median
from runfair.formats.foreign.result import ForeignResult, Latencies, Loop, Percentile
from runfair.formats.foreign.source import Block, Source

TOOL = "k6"
SEEN = True

# Releases before 1.0 mark each metric that has a threshold.
_LINE = r"^[ \t]*(?:[✓✗] )?"
_START = re.compile(
    rf"^[ \t]*scenarios: \(|{_LINE}http_req_duration\.*:(?=[^\n]*avg=)", re.MULTILINE
)
_DURATION = re.compile(rf"{_LINE}http_req_duration\.*:[ \t]*([^\n]*)", re.MULTILINE)
_STATISTIC = re.compile(r"(avg|min|med|max|p\(\d+(?:\.\d+)?\))=(\S+)")
_REQUESTS = re.compile(rf"{_LINE}http_reqs\.*: (\d+)\s+([\d.]+)/s", re.MULTILINE)
_FAILED = re.compile(
    rf"{_LINE}http_req_failed\.*: [\d.]+%\s+(?:(\d+) out of (\d+)|✓ (\d+)\s+✗ (\d+))", re.MULTILINE
)
_DROPPED = re.compile(rf"{_LINE}dropped_iterations\.*: (\d+)", re.MULTILINE)
_MOST_USERS = re.compile(rf"{_LINE}vus_max\.*: (\d+)", re.MULTILINE)
_LOOPING = re.compile(r"^[ \t]*\* \S+: ([^\n]*looping VUs[^\n]*)", re.MULTILINE)
_ARRIVALS = re.compile(r"^[ \t]*\* \S+: (([\d.]+) iterations/s for (\S+)[^\n]*)", re.MULTILINE)
_STEP_NS = 1.0  # a Go duration


def read(source: Source) -> Iterator[ForeignResult]:
    seen_until = -1
    for block in source.blocks(_START, most_lines=2_000):
        # A result is a list of scenarios with the summary that follows, or a summary alone.
        if block.line <= seen_until:
            continue
        following = block.text
        if block.find(_DURATION) is None:
            rest = source.text[block.start.start() :]
            following = rest[: _whole(rest)]
            seen_until = block.line + following.count("\n")
        whole = Block(block.line, block.start, following)
        if whole.find(_DURATION):
            yield _printed(whole)
    for each in source.documents:
        if found := _exported(each.value, source.line_of(each.offset)):
            yield found


def _whole(rest: str) -> int:
    """The end of the result that begins with a list of scenarios; it lies before the next such
    list."""
    following = re.compile(r"^[ \t]*scenarios: \(", re.MULTILINE).search(rest, 1)
    return following.start() if following else len(rest)


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
        basis={
            "timed_from": "k6 starts its clock when it sends the request",
            "warmup": "k6 does not exclude the warmup",
            "loop": "the result does not state k6's executor (a part of the script), so the load "
            "may be an open or a closed loop",
        },
    )


def _printed(block: Block) -> ForeignResult:
    statistics: dict[str, Printed] = {
        name: value
        for name, text in _STATISTIC.findall(block.group(_DURATION))
        if (value := duration(text))
    }
    loop: Loop | None = None
    basis: dict[str, str] = {}
    arrivals = block.find(_ARRIVALS)
    looping = block.find(_LOOPING)
    if arrivals and not looping:
        loop, basis = "open", {"loop": f"“{arrivals[1].strip()}”"}
    elif looping and not arrivals:
        loop, basis = "closed", {"loop": f"“{looping[1].strip()}”"}
    offered = number(arrivals[2]) if loop == "open" and arrivals else None
    failed = block.find(_FAILED)
    requests = count(block.group(_REQUESTS))
    rate = number(block.group(_REQUESTS, 2))
    dropped = count(block.group(_DROPPED))
    plain = _result(
        block.line, _latencies(requests, {name: one.value for name, one in statistics.items()})
    )
    median = [(0.5, statistics["med"])] if "med" in statistics else []
    return plain.model_copy(
        update={
            "loop": loop,
            "basis": plain.basis | basis,
            "connections": count(block.group(_MOST_USERS)),
            "requests": requests,
            "rate_per_s": rate.value if rate else None,
            "offered_rate_per_s": offered.value if offered else None,
            "duration_ns": _duration_ns(requests, rate.value if rate else None),
            "errors": count(failed[1] or failed[3]) if failed else None,
            "dropped": dropped if dropped is not None else 0 if loop else None,
            "latencies": plain.latencies.model_copy(update={"step_ns": step_at_median(median)}),
            "conditions": {"connections": block.group(_MOST_USERS)} | _scenario(basis),
        }
    )


def _scenario(basis: dict[str, str]) -> dict[str, str]:
    return {"scenario": basis["loop"]} if basis else {}


def _duration_ns(requests: int | None, rate_per_s: float | None) -> float | None:
    return requests / rate_per_s * 1e9 if requests and rate_per_s else None


def _exported(value: object, line: int) -> ForeignResult | None:
    def metric(name: str) -> object:
        found = document.at(value, "metrics", name)
        inner = document.at(found, "values")  # handleSummary's form
        return found if inner is None else inner

    times = metric("http_req_duration")
    statistics = {
        name: found
        for name, _ in document.members(times)
        if (found := document.time_ns(1e6, times, name)) is not None
    }
    if "avg" not in statistics:
        return None
    requests = document.count(metric("http_reqs"), "count")
    rate = document.number(metric("http_reqs"), "rate")
    users = document.count(metric("vus_max"), "value")
    failed = metric("http_req_failed")
    share = document.number(failed, "value")
    if share is None:
        share = document.number(failed, "rate")
    plain = _result(line, _latencies(requests, statistics))
    return plain.model_copy(
        update={
            "connections": users,
            "requests": requests,
            "rate_per_s": rate,
            "duration_ns": _duration_ns(requests, rate),
            "errors": round(share * requests) if share is not None and requests else None,
            "dropped": document.count(metric("dropped_iterations"), "count"),
            "conditions": {"connections": str(users)} if users is not None else {},
        }
    )


def _latencies(requests: int | None, statistics: dict[str, float]) -> Latencies:
    shares = [(0.5, statistics["med"])] if "med" in statistics else []
    for name, value in statistics.items():
        if name.startswith("p(") and (percent := number(name[2:-1])) and percent.value <= 100:
            shares.append((percent.value / 100, value))
    return Latencies(
        counted=requests,
        min_ns=statistics.get("min"),
        mean_ns=statistics.get("avg"),
        max_ns=statistics.get("max"),
        percentiles=tuple(Percentile(share=share, value_ns=value) for share, value in shares),
        step_ns=_STEP_NS,
    )
