"""The data file of ReBench: a line for each iteration, with the number of its invocation."""

from __future__ import annotations

import math
from collections.abc import Iterator

from runfair.formats.foreign.printed import UNITS_NS, count, number
from runfair.formats.foreign.result import ForeignResult, Latencies
from runfair.formats.foreign.source import Source, tables

TOOL = "ReBench"
SEEN = True

_NEEDED = ("invocation", "iteration", "value", "unit", "criterion", "benchmark", "executor")
_CELL = ("benchmark", "executor", "suite", "extraArgs", "cores", "inputSize", "varValue", "tag")


def read(source: Source) -> Iterator[ForeignResult]:
    for table in tables(source, _NEEDED, separator="\t"):
        named: dict[tuple[str, ...], dict[int, list[tuple[int, float]]]] = {}
        for row in table.rows:
            invocation, iteration = count(row["invocation"]), count(row["iteration"])
            value, scale = number(row["value"]), UNITS_NS.get(row["unit"])
            if row["criterion"] != "total" or scale is None or value is None or value.value < 0:
                continue
            if invocation is not None and iteration is not None:
                cell = tuple(row.get(name, "") for name in _CELL)
                named.setdefault(cell, {}).setdefault(invocation, []).append(
                    (iteration, value.value * scale)
                )
        for cell, invocations in named.items():
            yield _result(table.line, cell, invocations)


def _result(
    line: int, cell: tuple[str, ...], invocations: dict[int, list[tuple[int, float]]]
) -> ForeignResult:
    series = tuple(
        tuple(value for _, value in sorted(row)) for _, row in sorted(invocations.items())
    )
    single = [value for row in series for value in row]
    most = max(len(row) for row in series)
    named = dict(zip(_CELL, cell, strict=True))
    return ForeignResult(
        tool=TOOL,
        seen=SEEN,
        kind="benchmark",
        line=line,
        name=" ".join(part for part in (named["benchmark"], named["executor"]) if part),
        latencies=Latencies(
            of="iterations", counted=len(single), mean_ns=math.fsum(single) / len(single)
        ),
        warmup_left_out=False,
        executions=len(series),
        iterations=most,
        interval="computable",
        pooled=None,
        conditions={name: value for name, value in named.items() if value and name != "executor"},
        build={"runtime": named["executor"]},
        basis={
            "warmup": "the file contains every iteration, warmup included",
            "executions": f"{len(series)} invocations of {most} iterations",
        },
        series_ns=series,
    )
