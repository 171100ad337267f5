"""Requests to a service whose truth is known. Their latencies come from work that is given, and
from stops of the whole program, in which nothing is done.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from runfair.formats.histogram import Histogram, Interval, Quantity
from runfair.formats.load_requests import Failures

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
MILLISECOND = 10**6
SECOND = 10**9
INTERVAL_NS = 200 * MILLISECOND
KINDS = ("good", "miss", *Failures.model_fields)
GOOD = KINDS.index("good")
NO_PAUSES: IntArray = np.empty((0, 2), dtype=np.int64)
# HdrHistogram with three digits: cells of width 1 below 2,048, then 1,024 to each power of two.
HALF_MAGNITUDE = 10


@dataclass(frozen=True, eq=False)
class Requests:
    """One entry a request, in the order of the schedule; instants count from the load's start."""

    intended_ns: IntArray
    sent_ns: IntArray
    done_ns: IntArray
    kind: IntArray

    @property
    def good(self) -> Requests:
        return self.chosen(self.kind == GOOD)

    @cached_property
    def intervals(self) -> list[Interval]:
        """The interval log: a request stands in the interval that it was meant to go in."""
        good = self.good
        edges = np.arange(0, int(good.intended_ns[-1]) + INTERVAL_NS, INTERVAL_NS)
        bounds = np.searchsorted(good.intended_ns, edges)
        found = []
        for quantity, values in quantities(good):
            for edge, first, last in zip(edges, bounds, bounds[1:], strict=False):
                if last > first:
                    held = histogram(values[first:last])
                    found.append(Interval(quantity, False, int(edge), INTERVAL_NS, held))
        return sorted(found, key=lambda one: one.start_ns)

    @property
    def latency_ns(self) -> IntArray:
        return self.done_ns - self.intended_ns

    def chosen(self, which: npt.NDArray[np.bool_]) -> Requests:
        return Requests(
            self.intended_ns[which], self.sent_ns[which], self.done_ns[which], self.kind[which]
        )

    def after(self, instant_ns: int) -> Requests:
        """Those that were intended at the instant or later."""
        return self.chosen(self.intended_ns >= instant_ns)


def arrivals(rate_per_s: float, seconds: float) -> IntArray:
    """A constant rate from the start on."""
    spacing_ns = SECOND / rate_per_s
    instants: IntArray = (np.arange(round(rate_per_s * seconds)) * spacing_ns).astype(np.int64)
    return instants


def frozen(intended_ns: IntArray, work_ns: IntArray, pauses_ns: IntArray = NO_PAUSES) -> Requests:
    """Good answers of a service with room for everybody that works on each request for `work_ns`,
    but in no pause (sorted, apart from each other)."""
    lost = np.concatenate(([0], np.cumsum(pauses_ns[:, 1] - pauses_ns[:, 0])))
    # On a clock that stands still in pauses: where each begins, and where each request does.
    stops = pauses_ns[:, 0] - lost[:-1]
    begun = np.searchsorted(pauses_ns[:, 0], intended_ns, side="right")
    started = np.maximum(intended_ns - lost[begun], np.concatenate(([0], stops))[begun])
    finished = started + work_ns
    done = finished + lost[np.searchsorted(stops, finished, side="left")]
    kind = np.full(len(intended_ns), GOOD, dtype=np.int64)
    return Requests(intended_ns, intended_ns, done, kind)


def histogram(values: IntArray) -> Histogram:
    """The values as HdrHistogram keeps them with three digits."""
    least, counts = np.unique((values >> _shift(values)) << _shift(values), return_counts=True)
    width = np.int64(1) << _shift(least)
    return Histogram(least, least + width - 1, counts.astype(np.int64))


def _shift(values: IntArray) -> IntArray:
    """How many of its last bits a cell passes over."""
    bits = np.frexp(values.astype(np.float64))[1].astype(np.int64)
    return np.maximum(bits - (HALF_MAGNITUDE + 1), 0)


def true_percentile(values: IntArray, share: float) -> int:
    """The order statistic of rank ⌈n·share⌉."""
    rank = int(np.ceil(round(share * len(values), 6)))
    return int(np.sort(values)[rank - 1])


def quantities(good: Requests) -> Iterator[tuple[Quantity, IntArray]]:
    """What the generator measures of each good answer."""
    yield "latency", good.latency_ns
    yield "service_time", good.done_ns - good.sent_ns
    yield "send_lag", good.sent_ns - good.intended_ns
