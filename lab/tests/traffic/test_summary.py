"""Routes and keys, and how far a replay is from its recording."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.formats.traffic import Distance
from runfair.traffic.capture import read_capture
from runfair.traffic.conversion import write_traffic
from runfair.traffic.request import CapturedRequest
from runfair.traffic.summary import Tally, compare, route_of
from traffic.captures import FIXTURES


@pytest.mark.parametrize(
    ("path", "route", "key"),
    [
        ("/", "/", ""),
        ("/orders/42/items/7", "/orders/*/items/*", "42/7"),
        ("/v1/feed/cafe", "/v1/feed/cafe", ""),
        ("/u/123e4567-e89b-12d3-a456-426614174000", "/u/*", "123e4567-e89b-12d3-a456-426614174000"),
        ("/blob/deadbeef01.json", "/blob/*.json", "deadbeef01"),
        ("/blob/DEADBEEF", "/blob/DEADBEEF", ""),
        ("/day/2026-11-21", "/day/*", "2026-11-21"),
        ("/find?b=x&a=1&debug", "/find?a=*&b=*&debug", "1/x"),
        ("/find?a=1&debug&b=x", "/find?a=*&b=*&debug", "1/x"),
    ],
)
def test_routes_and_keys(path: str, route: str, key: str) -> None:
    assert route_of("GET", path) == (f"GET {route}", key)


@given(st.text(max_size=30).map(lambda text: f"/{text}"))
def test_any_path_has_a_route(path: str) -> None:
    assert route_of("GET", path).route.startswith("GET /")


def orders(
    number: int, keys: int, *, seed: int, exponent: float = 1.0, offset: int = 0, size: int = 100
) -> list[CapturedRequest]:
    """Keys by Zipf's law, sizes and routes of a mixture."""
    draw = random.Random(seed)
    weights = [1 / rank**exponent for rank in range(1, keys + 1)]
    chosen = draw.choices(range(keys), weights, k=number)
    return [
        CapturedRequest(
            None, "POST", f"/{draw.choice(['orders', 'orders', 'pay'])}/{key + offset}",
            body=b"x" * draw.randrange(size), answer_bytes=draw.randrange(1000),
        )
        for key in chosen
    ]  # fmt: skip


def by_name(distances: list[Distance]) -> dict[str, Distance]:
    return {distance.quantity: distance for distance in distances}


def test_the_same_requests_have_no_distance() -> None:
    requests = orders(500, 50, seed=1)
    distances = compare(requests, reversed(requests))
    assert [d.quantity for d in distances] == [
        *("request size", "answer size", "route", "key", "key popularity"),
    ]
    assert all(d.distance == 0 and not d.differs for d in distances)
    assert all((d.recorded, d.replayed) == (500, 500) for d in distances)


def test_two_samples_of_one_traffic_seldom_differ() -> None:
    """Each of five distances exceeds what chance gives in 5% of cases: of 100, 5 are expected; 16
    or more have a probability below 0.0001 if they were independent."""
    differing = sum(
        distance.differs
        for seed in range(20)
        for distance in compare(orders(200, 40, seed=seed), orders(300, 40, seed=seed + 1000))
    )
    assert differing < 16


def test_each_difference_is_seen_where_it_is() -> None:
    recorded = orders(3000, 100, seed=1)
    other_keys = by_name(compare(recorded, orders(3000, 100, seed=2, offset=10_000)))
    assert other_keys["key"].distance == 1
    # One digit more a path; the popularity by rank is the same.
    assert not other_keys["key popularity"].differs
    uniform = by_name(compare(recorded, orders(3000, 100, seed=3, exponent=0)))
    assert uniform["key popularity"].differs and uniform["key popularity"].distance > 0.3
    assert not uniform["route"].differs
    larger = by_name(compare(recorded, orders(3000, 100, seed=4, size=200)))
    assert larger["request size"].differs and larger["request size"].distance > 0.35
    assert not larger["answer size"].differs
    one_route = [CapturedRequest(None, "POST", "/orders/1", body=None) for _ in range(300)]
    alone = by_name(compare(recorded, one_route))
    assert set(alone) == {"route", "key", "key popularity"}
    assert alone["route"].distance == pytest.approx(1 / 3, abs=0.05)


def test_a_conversion_is_near_its_capture(tmp_path: Path) -> None:
    """Pseudonyms change neither sizes nor routes nor the popularity of keys."""
    out = tmp_path / "out.jsonl"
    write_traffic(read_capture(FIXTURES / "loopback.pcap"), out, timing="recorded")
    distances = by_name(
        compare(read_capture(FIXTURES / "loopback.pcap").requests, read_capture(out).requests)
    )
    assert {name: d.distance for name, d in distances.items() if name != "key"} == {
        "request size": 0,
        "route": 0,
        "key popularity": 0,
    }
    assert distances["key"].distance > 0  # the token's values are others


def test_nothing_has_no_distance() -> None:
    assert compare([], orders(3, 3, seed=1)) == []


def test_a_summary_of_many_requests() -> None:
    tally = Tally()
    for number in range(1000):
        body = b"x" * number
        tally.add(CapturedRequest(number * 10**6, "GET", f"/a/{number}", body=body))
    summary = tally.summary()
    assert (summary.requests, summary.span_ns, summary.rate_per_s) == (1000, 999 * 10**6, 1000)
    assert [(r.route, r.requests) for r in summary.routes] == [("GET /a/*", 1000)]
    sizes = summary.request_body_bytes
    assert sizes is not None
    assert (sizes.known, sizes.median_bytes, sizes.p99_bytes) == (1000, 499, 989)
    assert (sizes.largest_bytes, summary.answer_bytes) == (999, None)
