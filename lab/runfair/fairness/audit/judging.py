"""The class of a mistake, its judgements, and the tests that several mistakes share."""

from __future__ import annotations

from dataclasses import dataclass

from runfair.formats.foreign.result import ForeignResult, Judgement, Status
from runfair.statistics.closed_loop import StallTest, saturation, stall_test


@dataclass(frozen=True)
class Mistake:
    """A mistake. Records contain the mistake's `name`, and people see its `title`."""

    name: str
    title: str

    def established(self, evidence: str) -> Judgement:
        return self._judged("established", evidence)

    def excluded(self, evidence: str) -> Judgement:
        return self._judged("excluded", evidence)

    def not_told(self, evidence: str) -> Judgement:
        """The judgement that the mistake can neither be established nor excluded. The evidence of
        the judgement names the missing values."""
        return self._judged("cannot be established", evidence)

    def _judged(self, status: Status, evidence: str) -> Judgement:
        return Judgement(mistake=self.name, title=self.title, status=status, evidence=evidence)


WAITING = ("closed", "paced", "closed or paced")
"""Loops in which a request waits for earlier answers."""


BEYOND_ONE = (
    "so either several requests at once used the same connection (pipelining), or the result "
    "contains latencies that the tool did not measure"
)


def little(result: ForeignResult) -> float | None:
    """The mean number of requests under way on a connection, by Little's law; None if the file does
    not contain the values."""
    mean_ns = result.latencies.mean_ns
    if result.rate_per_s is None or mean_ns is None or not result.connections:
        return None
    return saturation(result.rate_per_s, mean_ns, result.connections)


def little_said(result: ForeignResult) -> str:
    """Little's law with the file's values, as text; "" if the file does not contain the values."""
    ratio, mean_ns = little(result), result.latencies.mean_ns
    if ratio is None or mean_ns is None:
        return ""
    return (
        f"by Little's law, each {result.stream} had {ratio:.2f} requests under way on average "
        f"({result.rate_per_s:,.0f} requests/s × {time(mean_ns)} mean latency / "
        f"{result.at_once})"
    )


def stall(result: ForeignResult) -> StallTest | None:
    """The stall test of a result; None if the greatest latency, the length, the count or all
    percentiles are missing."""
    latencies = result.latencies
    if not latencies.max_ns or not latencies.counted or not result.duration_ns:
        return None
    if not latencies.percentiles:
        return None
    return stall_test(
        latencies.max_ns,
        result.duration_ns,
        [(each.share, each.value_ns) for each in latencies.percentiles],
        latencies.counted,
    )


def stall_said(test: StallTest) -> str:
    return (
        f"{_share(test.least)} to {_share(test.most)} of the requests took at least half of the "
        "maximum latency; in an open loop, a stall of the server would delay at least "
        f"{_share(test.required)} of the requests so much"
    )


def time(ns: float) -> str:
    """A duration in nanoseconds as text: three digits and a unit."""
    for scale, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if ns >= scale:
            return f"{ns / scale:.3g} {unit}"
    return f"{ns:.3g} ns"


def _share(share: float) -> str:
    return f"{100 * share:.3g}%"
