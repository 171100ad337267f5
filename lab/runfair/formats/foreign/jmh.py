"""The output of JMH: JSON (`-rf json`), and the table that it prints last.

JMH's stated error is the half-width of a 99.9% interval. The interval covers all iterations of all
forks, treated as independent (JMH prints “assumes normal distribution”). Percentiles are computed
over iterations, except in the mode `sample`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from runfair.formats.foreign import document
from runfair.formats.foreign.printed import UNITS_NS, Printed, count, number
from runfair.formats.foreign.result import ForeignResult, Latencies, Percentile
from runfair.formats.foreign.source import Block, Source

TOOL = "JMH"
SEEN = True

_TABLE = re.compile(r"^[ \t>]*Benchmark\s+(?:\([^\n]*\)\s+)?Mode\s+Cnt\s+Score\s[^\n]*$", re.M)
_ROW = re.compile(
    r"^[ \t>]*(\S+)[ \t]+(?:\S+[ \t]+){0,9}?(thrpt|avgt|sample|ss)[ \t]+(?:(\d+)[ \t]+)?"
    r"(?:≈ )?([\d.,]+)(?: ± +([\d.,]+))? +(\S+)[ \t]*$",
    re.MULTILINE,
)
_FORKS = re.compile(r"^# Fork: \d+ of (\d+)", re.MULTILINE)
_WARMUP = re.compile(r"^# Warmup: (?:(\d+) iterations?|<none>)", re.MULTILINE)
_VM = re.compile(r"^# VM version: ([^\n]+)", re.MULTILINE)
_OPTIONS = re.compile(r"^# VM options: ([^\n]+)", re.MULTILINE)
_VERSION = re.compile(r"^# JMH version: (\S+)", re.MULTILINE)
_SLOWING = re.compile(r"^(?:-Xint|-Xdebug|-agentlib:jdwp.*|-Xrunjdwp.*|-XX:TieredStopAtLevel=.*)$")
"""Options that make the JVM interpret or debug, or that disable its optimising compiler. JMH does
not report the processor's frequency, so the absence of these options does not prove an undisturbed
run."""


def read(source: Source) -> Iterator[ForeignResult]:
    for each in source.documents:
        line = source.line_of(each.offset)
        for element in document.elements(each.value):
            if document.string(element, "jmhVersion") is not None and (
                found := _exported(element, line)
            ):
                yield found
    for block in source.blocks(_TABLE):
        before = source.text[: block.start.start()]
        yield from _printed(block, before)


def _unit_ns(unit: str) -> float | None:
    """The factor that converts a score to nanoseconds per operation, from `ns/op` or `ops/ns`."""
    left, _, right = unit.partition("/")
    named = right if left == "ops" else left
    return UNITS_NS.get(named)


def _time_ns(score: float, unit: str) -> float | None:
    scale = _unit_ns(unit)
    if scale is None or score <= 0:
        return None
    return scale / score if unit.startswith("ops/") else score * scale


def _slowing(arguments: list[str]) -> tuple[str, ...]:
    return tuple(f"the JVM ran with {each}" for each in arguments if _SLOWING.match(each))


def _exported(value: object, line: int) -> ForeignResult | None:
    name = document.string(value, "benchmark")
    score = document.number(value, "primaryMetric", "score")
    unit = document.string(value, "primaryMetric", "scoreUnit")
    if name is None or score is None or unit is None:
        return None
    mode = document.string(value, "mode") or ""
    forks = document.count(value, "forks")
    iterations = document.count(value, "measurementIterations")
    warmups = document.count(value, "warmupIterations")
    arguments = [each for each in document.elements(value, "jvmArgs") if isinstance(each, str)]
    raw = [
        tuple(time for score_ in row if (time := _time_ns(score_, unit)) is not None)
        for fork in document.elements(value, "primaryMetric", "rawData")
        if (row := document.numbers(fork))
    ]
    executions = max(1, forks) if forks is not None else None
    warmup_time = document.string(value, "warmupTime") or "?"
    return ForeignResult(
        tool=TOOL,
        seen=SEEN,
        kind="benchmark",
        line=line,
        name=name,
        version=document.string(value, "jmhVersion"),
        latencies=_latencies(value, mode, score, unit, raw),
        warmup_left_out=bool(warmups) if warmups is not None else None,
        executions=executions,
        iterations=iterations,
        interval="stated"
        if document.number(value, "primaryMetric", "scoreError") is not None
        else "computable"
        if raw
        else "none",
        pooled=iterations > 1 if iterations is not None else None,
        conditions={
            "mode": mode,
            "threads": str(document.count(value, "threads")),
            "forks": str(forks),
            "iterations": str(iterations),
            "warm-up": f"{warmups} × {warmup_time}",
        },
        build={
            "vm": document.string(value, "vmVersion") or "",
            "options": " ".join(arguments),
        },
        disturbed=_slowing(arguments) or None,
        basis={
            "warmup": f"“warmupIterations”: {warmups} of {warmup_time} each",
            "executions": f"{forks} JVMs (“forks”)"
            if forks != 0
            else "a single JVM, in which JMH itself also runs (“forks” 0)",
            "pooled": (
                f"“scoreError” treats the {forks} × {iterations} iterations of all forks as one "
                "sample"
            ),
        },
        series_ns=tuple(raw),
    )


def _latencies(
    value: object, mode: str, score: float, unit: str, raw: list[tuple[float, ...]]
) -> Latencies:
    cells = [
        pair[1]
        for fork in document.elements(value, "primaryMetric", "rawDataHistogram")
        for iteration in document.elements(fork)
        for cell in document.elements(iteration)
        if (pair := document.numbers(cell)) and len(pair) == 2
    ]
    counted = int(sum(cells)) if cells else sum(len(fork) for fork in raw) or None
    percentiles = [
        Percentile(share=percent.value / 100, value_ns=time)
        for name, each in document.members(value, "primaryMetric", "scorePercentiles")
        if (percent := number(name)) and 0 < percent.value < 100
        if (found := document.number(each)) is not None
        if (time := _time_ns(found, unit)) is not None
    ]
    return Latencies(
        of="requests" if mode == "sample" else "iterations",
        counted=counted,
        mean_ns=_time_ns(score, unit),
        percentiles=tuple(percentiles),
    )


def _score(text: str) -> Printed | None:
    """A printed score. JMH prints no thousands separator, so a comma is the decimal separator of
    the machine's language."""
    return number(text.replace(",", "."))


def _printed(block: Block, before: str) -> Iterator[ForeignResult]:
    """The rows of the table; the log above it applies to all of them."""
    forks = [count(each) or 0 for each in _FORKS.findall(before)]
    warmup = _WARMUP.search(before)
    machine, options = _VM.search(before), _OPTIONS.search(before)
    version = _VERSION.search(before)
    arguments = options[1].split() if options and options[1] != "<none>" else []
    rows = list(_ROW.finditer(block.text))
    for row in rows:
        if ":" in row[1]:  # a percentile of the previous row
            continue
        score, unit = _score(row[4]), row[6]
        if score is None:
            continue
        shares = [
            Percentile(share=share.value, value_ns=time)
            for other in rows
            if other[1].startswith(f"{row[1]}:p")
            if (share := number(other[1].rpartition(":p")[2])) and 0 < share.value < 1
            if (found := _score(other[4]))
            if (time := _time_ns(found.value, other[6])) is not None
        ]
        values = count(row[3] or "")
        executions = max(forks) if forks else None
        single = row[2] == "sample"
        iterations = values // executions if values and executions and not single else None
        yield ForeignResult(
            tool=TOOL,
            seen=SEEN,
            kind="benchmark",
            line=block.line,
            name=row[1],
            version=version[1] if version else None,
            latencies=Latencies(
                of="requests" if single else "iterations",
                counted=values,
                mean_ns=_time_ns(score.value, unit),
                percentiles=tuple(shares),
            ),
            warmup_left_out=bool(count(warmup[1] or "0")) if warmup else None,
            executions=executions,
            iterations=iterations,
            interval="stated" if row[5] else "none",
            pooled=iterations > 1 if iterations is not None else True if single else None,
            conditions={"mode": row[2], "count": row[3] or ""},
            build={
                "vm": machine[1] if machine else "",
                "options": " ".join(arguments),
            },
            disturbed=_slowing(arguments) or None,
            basis={
                "warmup": f"“{warmup[0].removeprefix('# ')}”" if warmup else "",
                "executions": f"{executions} JVMs (“Fork”)" if executions else "",
                "pooled": f"the {values} values (“Cnt”) are iterations or calls, not executions"
                if values
                else "",
            },
        )
