"""The results of JMeter as CSV (JTL) and as XML: a line or an element for each request.

JMeter's threads wait for their answers. A timer or an open-model thread group may pace the threads,
but the results do not say so. Times are whole milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runfair.formats.foreign.printed import count
from runfair.formats.foreign.result import ForeignResult, latencies_of
from runfair.formats.foreign.source import Source, tables

TOOL = "JMeter"
SEEN = True

_NEEDED = ("timeStamp", "elapsed", "label", "success")
_SAMPLE = re.compile(r"<(?:httpSample|sample)\b([^<>]*)>")
_ATTRIBUTE = re.compile(r'\b(\w+)="([^"]*)"')
_STEP_NS = 1e6


@dataclass(frozen=True)
class _Sample:
    """A request: its start and duration (ms), and the number of threads."""

    sent_ms: int
    took_ms: int
    good: bool
    threads: int | None


def read(source: Source) -> Iterator[ForeignResult]:
    for table in tables(source, _NEEDED):
        yield from _result(
            table.line,
            [
                sample
                for row in table.rows
                if (
                    sample := _sample(
                        row["timeStamp"], row["elapsed"], row["success"], row.get("allThreads", "")
                    )
                )
            ],
        )
    for document in re.finditer(r"<testResults\b", source.text):
        end = source.text.find("</testResults>", document.start())
        body = source.text[document.start() : end if end >= 0 else None]
        samples = []
        for element in _SAMPLE.finditer(body):
            told = dict(_ATTRIBUTE.findall(element[1]))
            sample = _sample(
                *(told.get(name, "") for name in ("ts", "t", "s", "na")),
            )
            if sample:
                samples.append(sample)
        yield from _result(source.line_of(document.start()), samples)


def _sample(sent: str, took: str, good: str, threads: str) -> _Sample | None:
    sent_ms, took_ms = count(sent), count(took)
    if sent_ms is None or took_ms is None:
        return None
    return _Sample(sent_ms, took_ms, good.strip().lower() == "true", count(threads))


def _result(line: int, samples: Sequence[_Sample]) -> Iterator[ForeignResult]:
    if not samples:
        return
    ordered = sorted(samples, key=lambda sample: sample.sent_ms)
    ended = max(sample.sent_ms + sample.took_ms for sample in ordered)
    length_ns = (ended - ordered[0].sent_ms) * 1e6
    threads = [sample.threads for sample in ordered if sample.threads is not None]
    connections = max(threads) if threads else None
    took_ns = tuple(sample.took_ms * 1e6 for sample in ordered)
    yield ForeignResult(
        tool=TOOL,
        seen=SEEN,
        kind="load",
        line=line,
        loop="closed or paced",
        timed_from="sending",
        connections=connections,
        duration_ns=length_ns or None,
        rate_per_s=len(ordered) / length_ns * 1e9 if length_ns else None,
        requests=len(ordered),
        errors=sum(not sample.good for sample in ordered),
        errors_timed=True,
        latencies=latencies_of(took_ns, _STEP_NS),
        warmup_left_out=False,
        executions=1,
        conditions={"connections": str(connections)},
        basis={
            "loop": "each thread waits for an answer before it sends the next request; the file "
            "does not say whether the test plan had timers or open-model thread groups",
            "timed_from": "JMeter starts its clock when it sends the request",
            "warmup": "JMeter does not exclude the warmup",
            "step": "JMeter writes whole milliseconds",
        },
        series_ns=(took_ns,),
    )
