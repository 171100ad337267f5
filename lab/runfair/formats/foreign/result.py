"""A result of another tool, in a form common to all tools, and the audit of such results."""

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
    """A distribution of times. `of` says whether they are times of single requests or of whole
    iterations.

    `counted` is the number of values. `step_ns` is the resolution at the median, which is limited
    by the last printed digit, the tool's clock, or the histogram's cell. Values are not integers,
    because some tools report fractions of a nanosecond (0.587 ns/op).
    """

    of: Literal["requests", "iterations"] = "requests"
    counted: int | None = None
    min_ns: float | None = None
    mean_ns: float | None = None
    max_ns: float | None = None
    percentiles: tuple[Percentile, ...] = ()
    step_ns: float | None = None


class ForeignResult(Record):
    """A result of another tool. A field is None if the file does not contain it.

    `seen`: the format is known from real output, not only from documentation. `line` is the line of
    the file at which the result begins. `named` says what the name of a result that is no load
    names. `broken_off`: a line of the result could not be read.
    `loop` is `closed` if a request waits for the previous answer, `paced` if it also waits for its
    turn, `closed or paced` if the file does not say which, and `open` if requests follow a
    schedule. `unanswered` counts the errors that got no answer, and of which the tool recorded no
    time. `timed_from` is the instant at which a latency begins. `connections` is the greatest
    number of simultaneous requests. `executions` is the number of processes, `iterations` the
    number of iterations in each process. `pooled`: the stated spread was computed from the
    iterations of all executions together. Two results may be compared only if their `conditions`
    are equal. `build` describes how the measured program was built; `disturbed` lists doubts about
    the machine or the build; it is None if the file does not contain enough to exclude doubts.
    `basis` quotes, for each field, the words of the file from which the value was read. `series_ns`
    are the single values of each execution in order, if the file has them.
    """

    tool: str
    seen: bool
    kind: Kind
    line: int = 1
    name: str = ""
    named: Literal["benchmark", "command"] = "benchmark"
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
    unanswered: int = 0
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

    @property
    def at_once(self) -> str:
        """The greatest number of simultaneous requests as text: `8 connections`, or `80 requests at
        a time` if a connection has several streams."""
        kind = "connection{}" if self.stream == "connection" else "request{} at a time"
        return f"{self.connections:,} {kind.format('' if self.connections == 1 else 's')}"

    @property
    def stream(self) -> str:
        """What waits for an answer before it sends the next request: `connection`, or `stream` if a
        connection may have several requests under way."""
        return "connection" if self.conditions.get("pipelining", "1") == "1" else "stream"

    def because(self, field: str) -> str:
        """The words of the file from which `field` was read, worded to follow a statement."""
        said = self.basis.get(field, "")
        return f" ({said})" if said else ""


SHARES = (0.5, 0.9, 0.99, 0.999, 0.9999)


def latencies_of(values_ns: Sequence[float], step_ns: float) -> Latencies:
    """The nearest-rank percentiles that have at least ten values beyond them; empty if there are no
    values."""
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


Status = Literal["established", "excluded", "cannot be established"]


class Judgement(Record):
    """The judgement about a mistake: the mistake's name, its status, and a sentence with the values
    that led to the status."""

    mistake: str
    title: str
    status: Status
    evidence: str


class AuditedResult(Record):
    """An audited result: the judgement about each possible mistake, and the conclusions that the
    result allows and forbids.

    `command` is the command line that supplied facts missing from the result.
    """

    file: str
    command: str | None
    result: ForeignResult
    judgements: tuple[Judgement, ...]
    can_be_said: tuple[str, ...]
    cannot_be_said: tuple[str, ...]


class Comparison(Record):
    """A comparison of the results of one tool: it says whether they were made under the same
    conditions."""

    tool: str
    results: tuple[str, ...]
    judgements: tuple[Judgement, ...]


class Audit(Record):
    """The output of `./runfair audit --json`."""

    schema_version: Literal[1] = 1
    results: tuple[AuditedResult, ...]
    comparisons: tuple[Comparison, ...]
