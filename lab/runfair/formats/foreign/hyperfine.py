"""The output of hyperfine: JSON, and printed. Each measured time comes from a separate process."""

from __future__ import annotations

import re
from collections.abc import Iterator

from runfair.formats.foreign import document
from runfair.formats.foreign.printed import count, duration, duration_ns
from runfair.formats.foreign.result import ForeignResult, Latencies
from runfair.formats.foreign.source import Block, Source

TOOL = "hyperfine"
SEEN = True

_START = re.compile(r"^[ \t>]*Benchmark #?\d+: ([^\n]*)$", re.MULTILINE)
_TIME = re.compile(
    r"^[ \t>]*Time \(mean ± \u03c3\):\s+(\S+ \w+) ±\s+(\S+ \w+)\s*(?:\[User|$)", re.MULTILINE
)
_ABSOLUTE = re.compile(r"^[ \t>]*Time \(abs ≡\):\s+(\S+ \w+)", re.MULTILINE)
_RANGE = re.compile(
    r"^[ \t>]*Range \(min … max\):\s+(\S+ \w+) …\s+(\S+ \w+)\s+(\d+) runs", re.MULTILINE
)
_WARNING = re.compile(r"^[ \t>]*Warning: ([^.\n]+)", re.MULTILINE)


def read(source: Source) -> Iterator[ForeignResult]:
    for each in source.documents:
        for result in document.elements(each.value, "results"):
            command = document.string(result, "command")
            if command is not None and document.number(result, "mean") is not None:
                yield _exported(result, command, source.line_of(each.offset))
    for block in source.blocks(_START):
        if block.find(_TIME) or block.find(_ABSOLUTE):
            yield _printed(block)


def _result(line: int, name: str, runs: int | None, latencies: Latencies) -> ForeignResult:
    return ForeignResult(
        tool=TOOL,
        seen=SEEN,
        kind="benchmark",
        line=line,
        name=name,
        named="command",
        latencies=latencies,
        executions=runs,
        iterations=1,
        interval="computable" if runs is not None and runs > 1 else "none",
        pooled=False,
        conditions={"runs": str(runs)} if runs is not None else {},
        basis={
            "warmup": "hyperfine does not report the value of the option --warmup",
            "executions": f"{runs} runs (a separate process for each run)",
        },
    )


def _exported(value: object, command: str, line: int) -> ForeignResult:
    times = [each for each in document.numbers(value, "times") or [] if each >= 0]
    codes = document.numbers(value, "exit_codes")
    plain = _result(
        line,
        command,
        len(times) or None,
        Latencies(
            of="iterations",
            counted=len(times) or None,
            min_ns=document.time_ns(1e9, value, "min"),
            mean_ns=document.time_ns(1e9, value, "mean"),
            max_ns=document.time_ns(1e9, value, "max"),
        ),
    )
    return plain.model_copy(
        update={
            "errors": sum(code != 0 for code in codes) if codes is not None else None,
            "errors_timed": True,
            "series_ns": tuple((each * 1e9,) for each in times),
        }
    )


def _printed(block: Block) -> ForeignResult:
    time, spread = block.find(_TIME), block.find(_RANGE)
    runs = count(spread[3]) if spread else 1 if block.find(_ABSOLUTE) else None
    mean = duration(time[1] if time else block.group(_ABSOLUTE))
    warnings = tuple(f"hyperfine warns: “{found[1]}”" for found in _WARNING.finditer(block.text))
    return _result(
        block.line,
        block.start[1].strip(),
        runs,
        Latencies(
            of="iterations",
            counted=runs,
            min_ns=duration_ns(spread[1]) if spread else None,
            mean_ns=mean.value if mean else None,
            max_ns=duration_ns(spread[2]) if spread else None,
            step_ns=mean.step if mean else None,
        ),
        # Warnings of hyperfine go to standard error, so their absence from a file proves nothing.
    ).model_copy(update={"disturbed": warnings or None})
