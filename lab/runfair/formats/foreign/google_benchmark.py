"""The output of Google Benchmark: JSON, and printed on the console.

All repetitions come from one process.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from runfair.formats.foreign import document
from runfair.formats.foreign.printed import Printed, duration
from runfair.formats.foreign.result import ForeignResult, Latencies
from runfair.formats.foreign.source import Source

TOOL = "Google Benchmark"
SEEN = True

_TABLE = re.compile(r"^[ \t>]*Benchmark\s+Time\s+CPU\s+Iterations\b[^\n]*$", re.MULTILINE)
_ROW = re.compile(
    r"^[ \t>]*(\S+)\s+([\d.]+ (?:ns|us|ms|s))\s+([\d.]+ (?:ns|us|ms|s))\s+(\d+)\b", re.MULTILINE
)
_AGGREGATE = re.compile(r"_(?:mean|median|stddev|cv|BigO|RMS)$")
_WARNING = re.compile(r"\*\*\*WARNING\*\*\* ([^\n]+)")
_UNITS_NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


def read(source: Source) -> Iterator[ForeignResult]:
    for each in source.documents:
        if document.at(each.value, "context", "library_build_type") is not None:
            yield from _exported(each.value, source.line_of(each.offset))
    before = 0
    for block in source.blocks(_TABLE):
        # The warnings are printed above the table, after the previous result.
        above = source.text[before : block.start.start()]
        before = block.start.end()
        named: dict[str, list[Printed]] = {}
        for row in _ROW.finditer(block.text):
            if not _AGGREGATE.search(row[1]) and (time := duration(row[2])):
                named.setdefault(row[1], []).append(time)
        warnings = tuple(
            f"Google Benchmark warns: “{said}”" for said in _WARNING.findall(above)[-2:]
        )
        for name, times in named.items():
            # Warnings go to standard error, so their absence from a file proves nothing.
            yield _result(
                block.line,
                name,
                [time.value for time in times],
                {},
                tuple(said.strip() for said in warnings) or None,
            )


def _exported(value: object, line: int) -> Iterator[ForeignResult]:
    disturbed = []
    kind = document.string(value, "context", "library_build_type")
    if kind == "debug":
        disturbed.append("Google Benchmark's library is a debug build (“library_build_type”)")
    if document.at(value, "context", "cpu_scaling_enabled") is True:
        disturbed.append("the CPU frequency can change (“cpu_scaling_enabled” is true)")
    told = isinstance(document.at(value, "context", "cpu_scaling_enabled"), bool)
    context = {
        name: str(found)
        for name in ("host_name", "num_cpus", "mhz_per_cpu")
        if (found := document.at(value, "context", name)) is not None
    }
    named: dict[str, list[float]] = {}
    for benchmark in document.elements(value, "benchmarks"):
        name = document.string(benchmark, "run_name") or document.string(benchmark, "name")
        if name is None or document.string(benchmark, "run_type") == "aggregate":
            continue
        scale = _UNITS_NS.get(document.string(benchmark, "time_unit") or "")
        if scale and (time := document.time_ns(scale, benchmark, "real_time")) is not None:
            named.setdefault(name, []).append(time)
    for name, times in named.items():
        yield _result(
            line, name, times, context, tuple(disturbed) if disturbed or (told and kind) else None
        ).model_copy(update={"build": {"library": kind or ""}})


def _result(
    line: int,
    name: str,
    times_ns: list[float],
    conditions: dict[str, str],
    disturbed: tuple[str, ...] | None,
) -> ForeignResult:
    repetitions = len(times_ns)
    return ForeignResult(
        tool=TOOL,
        seen=SEEN,
        kind="benchmark",
        line=line,
        name=name,
        latencies=Latencies(
            of="iterations",
            counted=repetitions,
            mean_ns=math.fsum(times_ns) / repetitions,
        ),
        executions=1,
        iterations=repetitions,
        interval="computable" if repetitions > 1 else "none",
        pooled=False,
        conditions=conditions | {"repetitions": str(repetitions)},
        disturbed=disturbed,
        basis={
            "warmup": (
                "Google Benchmark does not report the value of the option "
                "--benchmark_min_warmup_time"
            ),
            "executions": f"{repetitions} repetition{'s' * (repetitions != 1)} in one process",
        },
        series_ns=(tuple(times_ns),),
    )
