"""The output of wrk2: like wrk's, with a thread calibration and a percentile spectrum.

The format is known only from wrk2's documentation (README.md of giltene/wrk2). The offered rate is
not printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from runfair.formats.foreign import wrk
from runfair.formats.foreign.printed import count
from runfair.formats.foreign.result import ForeignResult
from runfair.formats.foreign.source import Source

TOOL = "wrk2"
SEEN = False

_COUNTED = re.compile(r"Total count\s+=\s+(\d+)")
_STEP_NS = 1e6
"""“Measured latencies are [only] accurate to a +/- ~1 msec granularity” (its README)."""


def read(source: Source) -> Iterator[ForeignResult]:
    for block in source.blocks(wrk.START):
        if not wrk.is_wrk2(block):
            continue
        plain = wrk.result(block)
        counted = count(block.group(_COUNTED))
        kept = (
            f", and counts {counted:,} of {plain.requests:,} requests"
            if counted and plain.requests
            else ""
        )
        yield plain.model_copy(
            update={
                "tool": TOOL,
                "seen": SEEN,
                "loop": "open",
                "timed_from": "schedule",
                "warmup_left_out": None,
                "latencies": plain.latencies.model_copy(
                    update={"counted": counted, "step_ns": _STEP_NS}
                ),
                "basis": {
                    "loop": "wrk2 sends at a constant rate, but does not print this rate",
                    "timed_from": (
                        "wrk2 starts its clock when a request is due, not when it sends the request"
                    ),
                    "warmup": (
                        f"wrk2 excludes about the first 10 s of its load from the result{kept}"
                    ),
                    "step": "wrk2's timers have a resolution of 1 ms",
                },
            }
        )
