"""What one result of another tool says, whichever tool wrote it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from runfair.formats.record import Record

Kind = Literal["load", "benchmark"]
Loop = Literal["closed", "paced", "closed or paced", "open"]
TimedFrom = Literal["sending", "schedule"]
Interval = Literal["none", "computable", "stated"]


class Percentile(Record):
    """The value that `share` (0 to 1) of the values do not exceed."""

    share: float
    value_ns: float


class Latencies(Record):
    """Times of single requests, or, where `of` says so, of whole iterations.

    `counted` is how many values the distribution holds, `step_ns` the distance between
    neighbouring values that can be told apart at the median: the last digit printed, the tool's
    clock, or a histogram's cell. Foreign values are fractions of a nanosecond where the tool's are
    (0.587 ns/op), so they are not integers as our own are.
    """

    of: Literal["requests", "iterations"] = "requests"
    counted: int | None = None
    min_ns: float | None = None
    mean_ns: float | None = None
    max_ns: float | None = None
    percentiles: tuple[Percentile, ...] = ()
    step_ns: float | None = None


class ForeignResult(Record):
    """One result, with None for what its file does not say.

    `seen`: the format is known from real output, not from documentation alone. `line` is where the
    result begins in the file, `broken_off` that a line in it could not be read. `loop`: whether a
    request waits for the answer before it (`closed`; `paced`: it waits, and for its turn; `closed
    or paced`: it waits, the rest is not told) or goes by a schedule (`open`). `timed_from` is where
    a latency begins. `connections` is how many requests can be under way. `executions` are
    processes, `iterations` those of each. `pooled`: the spread given is of the iterations of all
    executions together. `conditions` are what must be the same in two results that are compared,
    `build` what is told of how the thing measured was built, `disturbed` what the context tells
    against the machine or the build (None: not enough is told to say that nothing does). `basis`
    holds, by field, the words in the file that a value rests on. `series_ns` are the single values
    of each execution in their order, where the file has them.
    """

    tool: str
    seen: bool
    kind: Kind
    line: int = 1
    name: str = ""
    version: str | None = None
    broken_off: bool = False

    loop: Loop | None = None
    timed_from: TimedFrom | None = None
    connections: int | None = None
    duration_ns: float | None = None
    offered_rate_per_s: float | None = None
    rate_per_s: float | None = None
    requests: int | None = None
    errors: int | None = None
    errors_timed: bool | None = None
    dropped: int | None = None
    latencies: Latencies = Latencies()

    warmup_left_out: bool | None = None
    executions: int | None = None
    iterations: int | None = None
    interval: Interval = "none"
    pooled: bool | None = None
    conditions: dict[str, str] = {}
    build: dict[str, str] = {}
    disturbed: tuple[str, ...] | None = None
    basis: dict[str, str] = {}
    series_ns: tuple[tuple[float, ...], ...] = Field(default=(), exclude=True, repr=False)

    def because(self, field: str) -> str:
        """The words that the value of `field` rests on, ready to follow a statement."""
        said = self.basis.get(field, "")
        return f" ({said})" if said else ""


SHARES = (0.5, 0.9, 0.99, 0.999, 0.9999)


def latencies_of(values_ns: Sequence[float], step_ns: float) -> Latencies:
    """Nearest-rank percentiles, as far as ten values lie beyond each; empty for no values."""
    if not values_ns:
        return Latencies()
    ordered = sorted(values_ns)
    count = len(ordered)
    return Latencies(
        counted=count,
        min_ns=ordered[0],
        mean_ns=math.fsum(ordered) / count,
        max_ns=ordered[-1],
        percentiles=tuple(
            Percentile(share=share, value_ns=ordered[max(0, math.ceil(share * count) - 1)])
            for share in SHARES
            if share == SHARES[0] or count * (1 - share) >= 10
        ),
        step_ns=step_ns,
    )
