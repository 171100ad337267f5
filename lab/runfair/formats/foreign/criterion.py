"""The output of criterion (Rust): `estimates.json`, `sample.json`, and printed.

All samples come from one process; the printed interval is a bootstrap over these samples.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from runfair.formats.foreign import document
from runfair.formats.foreign.printed import duration
from runfair.formats.foreign.result import ForeignResult, Latencies
from runfair.formats.foreign.source import Source

TOOL = "criterion"
SEEN = True

_TIME = re.compile(
    r"^(?:[ \t>]*([^\s>][^\n]{0,200}?)\n?)?[ \t]{1,60}time:[ \t]{1,20}"
    r"\[(\S+ \S+) (\S+ \S+) (\S+ \S+)\][ \t]*$",
    re.MULTILINE,
)
_SAMPLES = re.compile(r"among (\d+) measurements")


def read(source: Source) -> Iterator[ForeignResult]:
    for each in source.documents:
        line = source.line_of(each.offset)
        if found := _estimates(each.value, line) or _sample(each.value, line):
            yield found
    for block in source.blocks(_TIME):
        middle = duration(block.start[3])
        samples = block.group(_SAMPLES)
        if middle:
            yield _result(
                block.line,
                (block.start[1] or "").strip(),
                int(samples) if samples and len(samples) < 10 else None,
                Latencies(of="iterations", mean_ns=middle.value, step_ns=middle.step),
            )


def _result(line: int, name: str, samples: int | None, latencies: Latencies) -> ForeignResult:
    return ForeignResult(
        tool=TOOL,
        seen=SEEN,
        kind="benchmark",
        line=line,
        name=name,
        latencies=latencies.model_copy(update={"counted": samples}),
        executions=1,
        iterations=samples,
        interval="stated",
        pooled=False,
        basis={
            "warmup": "criterion does not report how long the warm-up was",
            "executions": "a single process",
        },
    )


def _estimates(value: object, line: int) -> ForeignResult | None:
    mean_ns = document.time_ns(1, value, "mean", "point_estimate")
    if mean_ns is None or document.at(value, "median_abs_dev") is None:
        return None
    return _result(line, "", None, Latencies(of="iterations", mean_ns=mean_ns, step_ns=None))


def _sample(value: object, line: int) -> ForeignResult | None:
    iterations = document.numbers(value, "iters")
    times = document.numbers(value, "times")
    if not iterations or not times or document.string(value, "sampling_mode") is None:
        return None
    single = [
        time / number for number, time in zip(iterations, times, strict=False) if number > 0 <= time
    ]
    if not single:
        return None
    mean_ns = math.fsum(single) / len(single)
    return _result(line, "", len(single), Latencies(of="iterations", mean_ns=mean_ns)).model_copy(
        update={"interval": "computable", "series_ns": (tuple(single),)}
    )
