"""A summary of a capture: the number of requests, their time span, their routes and their sizes. A
comparison of two captures shows whether routes, keys and sizes have the same distributions in a
replay and in its recording."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from runfair.formats.traffic import Distance, Quantity, RouteCount, Sizes, Summary
from runfair.statistics.distance import (
    Statistic,
    aligned,
    by_chance,
    kolmogorov_smirnov,
    rank_total_variation,
    total_variation,
)
from runfair.traffic.request import NS_PER_S, CapturedRequest

PLACEHOLDER = "*"

_UUID = r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"
# Segments that are keys: numbers, UUIDs, and sequences of at least eight hexadecimal digits that
# include a decimal digit. Shorter sequences may be words ("feed", "cafe").
_HEXADECIMAL = r"(?=[a-fA-F]*[0-9])(?:[0-9a-f]{8,}|[0-9A-F]{8,})"
_KEY = re.compile(rf"-?[0-9]+(?:[.,:-][0-9]+)*|{_UUID}|{_HEXADECIMAL}")


class Route(NamedTuple):
    """A route and its key, such as `GET /orders/*` and `42`. In a query, the values belong to the
    key and the names to the route.
    """

    route: str
    key: str


def route_of(method: str, path: str) -> Route:
    """The route of a request: the keys in its path are replaced by placeholders.

    A key is a segment of the path that is a number, a UUID or hexadecimal digits. In the name of a
    file, it is the part before the extension. The names in a query are sorted, so that their order
    does not matter.
    """
    before, _, query = path.partition("?")
    keys: list[str] = []
    segments = [_folded(segment, keys) for segment in before.split("/")]
    names: list[str] = []
    for parameter in sorted(part for part in query.split("&") if part):
        name, equals, value = parameter.partition("=")
        names.append(_folded(name, keys) if not equals else f"{name}={PLACEHOLDER}")
        if equals:
            keys.append(value)
    route = "/".join(segments)
    return Route(f"{method} {route}" + (f"?{'&'.join(names)}" if names else ""), "/".join(keys))


def _folded(segment: str, keys: list[str]) -> str:
    stem, dot, extension = segment.partition(".")
    if _KEY.fullmatch(segment):
        keys.append(segment)
        return PLACEHOLDER
    if dot and _KEY.fullmatch(stem):
        keys.append(stem)
        return f"{PLACEHOLDER}.{extension}"
    return segment


SHOWN_ROUTES = 20
# If the keys in paths are words, each word makes a separate route. Counting all of these routes
# could use all memory.
MOST_ROUTES = 50_000
OTHER_ROUTES = "(others)"


class Tally:
    """Counts requests one by one, in bounded memory."""

    def __init__(self) -> None:
        self._requests = 0
        self._first_ns: int | None = None
        self._last_ns: int | None = None
        self._routes: Counter[str] = Counter()
        self._bodies: Counter[int] = Counter()
        self._answers: Counter[int] = Counter()

    def add(self, request: CapturedRequest) -> None:
        self._requests += 1
        at_ns = request.at_ns
        if at_ns is not None:
            self._first_ns = at_ns if self._first_ns is None else min(self._first_ns, at_ns)
            self._last_ns = at_ns if self._last_ns is None else max(self._last_ns, at_ns)
        route = route_of(request.method, request.path).route
        known = route in self._routes or len(self._routes) < MOST_ROUTES
        self._routes[route if known else OTHER_ROUTES] += 1
        if request.body is not None:
            self._bodies[_rounded(len(request.body))] += 1
        if request.answer_bytes is not None:
            self._answers[_rounded(request.answer_bytes)] += 1

    def summary(self) -> Summary:
        span_ns = rate_per_s = None
        if self._first_ns is not None and self._last_ns is not None:
            span_ns = self._last_ns - self._first_ns
            # n requests have n − 1 intervals between them.
            rate_per_s = (self._requests - 1) * NS_PER_S / span_ns if span_ns else None
        return Summary(
            requests=self._requests,
            span_ns=span_ns,
            rate_per_s=rate_per_s,
            distinct_routes=len(self._routes),
            routes=[
                RouteCount(route=route, requests=number)
                for route, number in self._routes.most_common(SHOWN_ROUTES)
            ],
            request_body_bytes=_sizes(self._bodies),
            answer_bytes=_sizes(self._answers),
        )


def _rounded(size: int) -> int:
    """The size rounded to three significant digits, so that few different sizes remain."""
    scale = int(10 ** max(0, len(str(size)) - 3))
    return (size + scale // 2) // scale * scale


def _sizes(counts: Mapping[int, int]) -> Sizes | None:
    known = sum(counts.values())
    if not known:
        return None
    return Sizes(
        known=known,
        median_bytes=_quantile(counts, known, 0.5),
        p99_bytes=_quantile(counts, known, 0.99),
        largest_bytes=max(counts),
    )


def _quantile(counts: Mapping[int, int], known: int, share: float) -> int:
    """The smallest size that at least this share does not exceed."""
    passed = 0
    for size in sorted(counts):
        passed += counts[size]
        if passed >= share * known:
            return size
    raise ValueError("no sizes")


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
