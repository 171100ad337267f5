"""The output of `go test -bench`. All lines under a `goos:` header come from one process."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from runfair.formats.foreign.printed import count, number
from runfair.formats.foreign.result import ForeignResult, Latencies
from runfair.formats.foreign.source import Source

TOOL = "go test"
SEEN = True

_LINE = re.compile(r"^[ \t>]*(Benchmark\S*)\s+(\d+)\s+([\d.]+) ns/op", re.MULTILINE)
_HEADER = re.compile(r"^[ \t>]*goos: \S+[ \t]*$", re.MULTILINE)
_TOLD = re.compile(r"^[ \t>]*(goos|goarch|pkg|cpu): ([^\n]+?)[ \t]*$", re.MULTILINE)


def read(source: Source) -> Iterator[ForeignResult]:
    processes = [match.start() for match in _HEADER.finditer(source.text)]
    told = {name: value for name, value in _TOLD.findall(source.text) if name != "pkg"}
    packages = [(one.start(), one[2]) for one in _TOLD.finditer(source.text) if one[1] == "pkg"]
    several = len({name for _, name in packages}) > 1
    lines: dict[str, int] = {}
    named: dict[str, dict[int, list[float]]] = {}
    for found in _LINE.finditer(source.text):
        time = number(found[3])
        if time is None or not count(found[2]):
            continue
        process = sum(start < found.start() for start in processes)
        # Two packages may have benchmarks of the same name.
        package = next((name for start, name in reversed(packages) if start < found.start()), "")
        name = f"{package}.{found[1]}" if several else found[1]
        lines.setdefault(name, source.line_of(found.start()))
        named.setdefault(name, {}).setdefault(process, []).append(time.value)
    for name, by_process in named.items():
        single = [value for row in by_process.values() for value in row]
        most = max(len(row) for row in by_process.values())
        yield ForeignResult(
            tool=TOOL,
            seen=SEEN,
            kind="benchmark",
            line=lines[name],
            name=name,
            latencies=Latencies(
                of="iterations", counted=len(single), mean_ns=math.fsum(single) / len(single)
            ),
            executions=len(by_process),
            iterations=most,
            interval="computable" if len(single) > 1 else "none",
            pooled=most > 1 and len(by_process) > 1,
            conditions=told | {"result lines": str(len(single))},
            basis={
                "warmup": "go test has no warm-up phase; it raises the number of iterations (b.N) "
                "until they take as long as the option -benchtime says",
                "executions": f"{len(single)} result line{'s' * (len(single) != 1)} of "
                f"{len(by_process)} process{'es' * (len(by_process) != 1)}",
                "pooled": "the file's lines do not say which process wrote them, so the iterations "
                "cannot be assigned to executions",
            },
            series_ns=tuple(tuple(row) for row in by_process.values()),
        )
