"""Compares a replay with its recording: do the requests have the same distributions?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from runfair.formats.traffic import Distance, Quantity
from runfair.statistics.distance import (
    Statistic,
    aligned,
    by_chance,
    kolmogorov_smirnov,
    rank_total_variation,
    total_variation,
)
from runfair.traffic.request import CapturedRequest
from runfair.traffic.summary import route_of


class _Counts:
    """The counts to be compared. Every key is kept, so memory grows with the number of keys."""

    def __init__(self, requests: Iterable[CapturedRequest]) -> None:
        self.request_sizes: Counter[int] = Counter()
        self.answer_sizes: Counter[int] = Counter()
        self.routes: Counter[str] = Counter()
        self.keys: Counter[str] = Counter()
        for request in requests:
            if request.size_bytes is not None:
                self.request_sizes[request.size_bytes] += 1
            if request.answer_bytes is not None:
                self.answer_sizes[request.answer_bytes] += 1
            route, key = route_of(request.method, request.path)
            self.routes[route] += 1
            if key:
                self.keys[key] += 1


def compare(
    recorded: Iterable[CapturedRequest], replayed: Iterable[CapturedRequest]
) -> list[Distance]:
    """The distance between the two sides, for each quantity that both have.

    Sizes have an order, so their cumulative distributions are compared (Kolmogorov-Smirnov). Routes
    and keys are names without an order, so their distance is half the sum of the absolute
    differences of shares (total variation). `key` compares which keys were requested. `key
    popularity` compares the shares by rank, because a replay may use other keys and Zipf's law
    concerns only ranks.
    """
    before, after = _Counts(recorded), _Counts(replayed)
    found = [
        _distance("request size", kolmogorov_smirnov, before.request_sizes, after.request_sizes),
        _distance("answer size", kolmogorov_smirnov, before.answer_sizes, after.answer_sizes),
        _distance("route", total_variation, before.routes, after.routes),
        _distance("key", total_variation, before.keys, after.keys),
        _distance("key popularity", rank_total_variation, before.keys, after.keys),
    ]
    return [distance for distance in found if distance is not None]


def _distance(
    quantity: Quantity,
    statistic: Statistic,
    before: Counter[int] | Counter[str],
    after: Counter[int] | Counter[str],
) -> Distance | None:
    if not before or not after:
        return None
    first, second = aligned(before, after)
    return Distance(
        quantity=quantity,
        measure="Kolmogorov-Smirnov" if statistic is kolmogorov_smirnov else "total variation",
        distance=statistic(first, second),
        by_chance=by_chance(first, second, statistic),
        recorded=before.total(),
        replayed=after.total(),
    )
