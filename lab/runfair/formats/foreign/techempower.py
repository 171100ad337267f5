"""The `results.json` of the TechEmpower Framework Benchmarks, which is made from wrk's output.

The format is known from published results and from the harness (toolset/utils/results.py of
TechEmpower/FrameworkBenchmarks). The harness first runs wrk as a primer and as a warm-up, and drops
the output of these two runs. The n-th result of a test belongs to the n-th concurrency level.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.formats.foreign import document
from runfair.formats.foreign.printed import duration
from runfair.formats.foreign.result import ForeignResult, Latencies
from runfair.formats.foreign.source import Source

TOOL = "TechEmpower"
SEEN = False

_PIPELINED = "plaintext"
_QUERIES = {"query": "queryIntervals", "update": "queryIntervals"} | {
    "cached_query": "cachedQueryIntervals",
    "cached-query": "cachedQueryIntervals",
}
_UNANSWERED = ("connect", "read", "write", "timeout")


def read(source: Source) -> Iterator[ForeignResult]:
    for each in source.documents:
        if document.number(each.value, "duration") is None:
            continue
        if not document.elements(each.value, "concurrencyLevels"):
            continue
        line = source.line_of(each.offset)
        for test, frameworks in document.members(each.value, "rawData"):
            for framework, levels in document.members(frameworks):
                for place, measured in enumerate(document.elements(levels)):
                    if document.count(measured, "totalRequests") is not None:
                        yield _result(each.value, line, test, framework, place, measured)


def _result(
    whole: object, line: int, test: str, framework: str, place: int, measured: object
) -> ForeignResult:
    connections = _connections(whole, test, place)
    requests = document.count(measured, "totalRequests") or 0
    length_s = document.number(whole, "duration")
    mean = duration(document.string(measured, "latencyAvg") or "")
    greatest = duration(document.string(measured, "latencyMax") or "")
    intervals = _QUERIES.get(test)
    queries = document.count(whole, intervals, place) if intervals else None
    unanswered = sum(document.count(measured, name) or 0 for name in _UNANSWERED)
    return ForeignResult(
        tool=TOOL,
        seen=SEEN,
        kind="load",
        line=line,
        name=f"{framework} · {test}" + (f" · {queries} queries" if queries is not None else ""),
        loop="closed",
        timed_from="sending",
        connections=connections,
        duration_ns=length_s * 1e9 if length_s and length_s > 0 else None,
        rate_per_s=requests / length_s if length_s and length_s > 0 else None,
        requests=requests,
        errors=unanswered + (document.count(measured, "5xx") or 0),
        errors_timed=True,
        unanswered=unanswered,
        latencies=Latencies(
            counted=requests,
            mean_ns=mean.value if mean else None,
            max_ns=greatest.value if greatest else None,
            step_ns=mean.step if mean else None,
        ),
        warmup_left_out=None,
        executions=1,
        conditions={"connections": str(connections), "duration": f"{length_s:g} s"},
        basis={
            "loop": f"{connections} connections of wrk, which does not send at a fixed rate",
            "timed_from": "wrk starts its clock when it writes the request",
            "warmup": "TechEmpower's harness first runs a short primer load and a warm-up of "
            "fixed length, and it is unknown whether this warm-up was long enough",
        },
    )


def _connections(whole: object, test: str, place: int) -> int | None:
    """The number of connections of a result. Tests that vary the number of queries run at the
    greatest concurrency."""
    if test in _QUERIES:
        levels = document.numbers(whole, "concurrencyLevels") or []
        return int(max(levels)) if levels else None
    name = "pipelineConcurrencyLevels" if test == _PIPELINED else "concurrencyLevels"
    return document.count(whole, name, place)
