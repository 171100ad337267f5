"""The JSON of pyperf. Each run is a process. The mean and the standard deviation cover all values
of all runs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from runfair.formats.foreign import document
from runfair.formats.foreign.result import ForeignResult, Latencies
from runfair.formats.foreign.source import Source

TOOL = "pyperf"
SEEN = True

_SLOWING = {
    "--with-pydebug": "python was configured with --with-pydebug",
    "-O0": "python was compiled with -O0",
}
_SCALING = re.compile(r"governor:(?!performance)\w+|turbo:? ?on", re.IGNORECASE)
_BUILD = (
    "python_version",
    "python_compiler",
    "python_cflags",
    "python_config_args",
    "python_implementation",
)
_CONDITIONS = ("cpu_model_name", "cpu_config", "platform", "loops")


def read(source: Source) -> Iterator[ForeignResult]:
    for each in source.documents:
        for benchmark in document.elements(each.value, "benchmarks"):
            if document.elements(benchmark, "runs"):
                found = _result(each.value, benchmark, source.line_of(each.offset))
                if found:
                    yield found


def _result(whole: object, benchmark: object, line: int) -> ForeignResult | None:
    def told(name: str) -> str:
        """A value of the benchmark's metadata, or of the metadata at the top of the file, which is
        common to all benchmarks."""
        for holder in (benchmark, whole):
            found = document.at(holder, "metadata", name)
            if isinstance(found, str | int | float):
                return str(found)
        return ""

    if (told("unit") or "second") != "second":
        return None
    runs = document.elements(benchmark, "runs")
    values = [row for run in runs if (row := document.numbers(run, "values"))]
    if not values:
        return None
    series = tuple(tuple(value * 1e9 for value in row if value >= 0) for row in values)
    single = [value for row in series for value in row]
    counted = [run for run in runs if document.numbers(run, "values")]
    warmups = [len(document.elements(run, "warmups")) for run in counted]
    flags = f"{told('python_cflags')} {told('python_config_args')}"
    disturbed = [said for flag, said in _SLOWING.items() if flag in flags]
    disturbed += [f"the processor: {each}" for each in _SCALING.findall(told("cpu_config"))]
    most = max(len(row) for row in values)
    return ForeignResult(
        tool=TOOL,
        seen=SEEN,
        kind="benchmark",
        line=line,
        name=told("name"),
        version=told("perf_version") or None,
        latencies=Latencies(
            of="iterations",
            counted=len(single),
            mean_ns=math.fsum(single) / len(single) if single else None,
        ),
        warmup_left_out=min(warmups) > 0,
        executions=len(values),
        iterations=most,
        interval="computable",
        pooled=most > 1,
        conditions={name: told(name) for name in _CONDITIONS if told(name)},
        build={name: told(name) for name in _BUILD if told(name)},
        disturbed=tuple(disturbed) if disturbed or "governor:" in told("cpu_config") else None,
        basis={
            "warmup": f"“warmups”: at least {min(warmups)} in each run",
            "executions": f"{len(values)} processes (“runs”) with up to {most} values each",
            "pooled": f"pyperf computes the mean and the standard deviation from all "
            f"{len(single)} values",
        },
        series_ns=series,
    )
