"""Percentile spectra of HdrHistogram (`.hgrm`), including vegeta's `hdrplot`.

The format does not name the unit of its values; only vegeta's header does (“Value(ms)”). The module
`wrk2` reads the spectrum in wrk2's output.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from runfair.formats.foreign.printed import Printed, count, number, step_at_median
from runfair.formats.foreign.result import ForeignResult, Latencies, Percentile
from runfair.formats.foreign.source import Block, Source

TOOL = "percentile spectrum"
SEEN = True

_START = re.compile(
    r"^(Detailed Percentile spectrum:[^\n]*\n)?[ \t>]*Value(\(ms\))?\s+Percentile\s+TotalCount\b"
    r"[^\n]*$",
    re.MULTILINE,
)
_WRK2 = re.compile(r"^[ \t]*Detailed Percentile spectrum:[ \t]*\n\s*\Z", re.MULTILINE)
_ROW = re.compile(r"^[ \t>]*([\d.]+)[ \t]+([01]\.\d+)[ \t]+(\d+)(?:[ \t]+\S+)?[ \t]*$", re.M)
_GREATEST = re.compile(r"#\[Max\s+=\s+([\d.]+), Total count\s+=\s+(\d+)\]")
_MEAN = re.compile(r"#\[Mean\s+=\s+([\d.]+),")
_MS = 1e6


def read(source: Source) -> Iterator[ForeignResult]:
    for block in source.blocks(_START, most_lines=20_000):
        above = source.text[max(0, block.start.start() - 200) : block.start.start()]
        if not block.start[1] and not _WRK2.search(above) and (found := _result(block)):
            yield found


def _result(block: Block) -> ForeignResult | None:
    rows = [
        (share.value, value, count(found[3]) or 0)
        for found in _ROW.finditer(block.text)
        if (value := number(found[1], _MS)) and (share := number(found[2])) and share.value <= 1
    ]
    if not rows:
        return None
    told = block.start[2] is not None
    greatest, mean = block.find(_GREATEST), number(block.group(_MEAN), _MS)
    counted = count(greatest[2]) if greatest else max(total for _, _, total in rows)
    most = number(greatest[1], _MS) if greatest else None
    shares: list[tuple[float, Printed]] = [(share, value) for share, value, _ in rows]
    return ForeignResult(
        tool="vegeta" if told else TOOL,
        seen=SEEN,
        kind="load",
        line=block.line,
        requests=counted,
        timed_from="sending" if told else None,
        warmup_left_out=False if told else None,
        executions=1,
        latencies=Latencies(
            counted=counted,
            mean_ns=mean.value if mean else None,
            max_ns=most.value if most else max(value.value for _, value, _ in rows),
            percentiles=tuple(
                Percentile(share=share, value_ns=value.value)
                for share, value in shares
                if 0 < share < 1
            ),
            step_ns=step_at_median(shares),
        )
        if told
        else Latencies(counted=counted),
        basis={
            "unit": "" if told else "the file does not name the unit of its values",
            "loop": "vegeta's report states neither the option -max-workers nor the pacer (which "
            "sets the rate), so the load may be an open or a closed loop"
            if told
            else "an .hgrm file does not report whether the loop was open or closed",
            "timed_from": "vegeta starts a request's clock when it sends the request, not when the "
            "request is due"
            if told
            else "an .hgrm file does not report whether the clock of a request starts when the "
            "request is due or when it is sent",
            "warmup": "vegeta does not exclude the warmup"
            if told
            else "an .hgrm file does not say when each request was sent, so it is unknown whether "
            "the first requests are included",
        },
    )
