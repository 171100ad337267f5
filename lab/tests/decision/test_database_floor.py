"""The least that the database's time can be, against requests whose every query is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from decision.test_slowest import Observed, observed
from runfair.decision.database_floor import least_mean_ns, least_percentile_ns
from runfair.evidence.load import examine
from runfair.evidence.reading import Traces
from simulated.asking import MILLISECOND, Asking, asking
from simulated.requests import GOOD, KINDS

REQUESTS = 4_000
CALM, CROWDED = 100.0, 5_000.0


def asked(count: int, rate_per_s: float = CALM, **more: bool) -> Asking:
    counts = np.full(REQUESTS, count, dtype=np.int64)
    return asking(np.random.default_rng(3), counts, rate_per_s, slow_share=0.05, **more)


def floor(seen: Observed, share: float = 0.99) -> float | None:
    load = seen.load
    evidence = examine(load.result, load.intervals, [], 0.0, seen.queries, load.records)
    return least_percentile_ns(evidence, Traces(load.records, seen.queries), share)


@pytest.mark.parametrize("rate_per_s", [CALM, CROWDED], ids=["alone", "never alone"])
@pytest.mark.parametrize("share", [0.5, 0.99])
def test_of_one_query_each_it_is_the_truth(rate_per_s: float, share: float) -> None:
    seen = observed(asked(1, rate_per_s))
    found, truth = floor(seen, share), float(np.quantile(seen.truth_ns, share))
    assert found is not None
    assert found == pytest.approx(truth, rel=0.05)


@pytest.mark.parametrize("at_once", [False, True])
def test_of_several_each_it_is_never_above_the_truth(at_once: bool) -> None:
    seen = observed(asked(3, at_once=at_once))
    for share in (0.5, 0.9, 0.99):
        found = floor(seen, share)
        assert found is not None
        assert found <= np.quantile(seen.truth_ns, share)
    assert (floor(seen) or 0) > 15 * MILLISECOND


@pytest.mark.parametrize("rate_per_s", [CALM, CROWDED], ids=["alone", "never alone"])
@pytest.mark.parametrize(("count", "at_once"), [(1, False), (3, False), (3, True), (8, True)])
def test_the_mean_is_never_above_the_truth(count: int, at_once: bool, rate_per_s: float) -> None:
    """The sum of eight queries at once would be far above it."""
    seen = observed(asked(count, rate_per_s, at_once=at_once))
    load = seen.load
    evidence = examine(load.result, load.intervals, [], 0.0, seen.queries, load.records)
    steady = load.requests.intended_ns >= evidence.steady_from_ns
    truth = float(seen.truth_ns[steady].mean())
    found = least_mean_ns(evidence, Traces(load.records, seen.queries))
    assert found is not None and evidence.database_ns_per_request is not None
    assert found <= truth
    # Most requests are alone at the low rate, so most of their queries are known to be theirs.
    least = 0.9 if count == 1 else 0.75 if rate_per_s == CALM else 0.9 / count
    assert found >= least * truth
    if at_once:
        assert evidence.database_ns_per_request > 1.2 * truth


def least_and_true(seen: Observed) -> tuple[float, float]:
    load = seen.load
    evidence = examine(load.result, load.intervals, [], 0.0, seen.queries, load.records)
    good = (load.requests.intended_ns >= evidence.steady_from_ns) & (load.requests.kind == GOOD)
    found = least_mean_ns(evidence, Traces(load.records, seen.queries))
    assert found is not None
    return found, float(seen.truth_ns[good].mean())


@pytest.mark.parametrize("first", range(0, 9, 3))
def test_the_mean_of_traffic_that_repeats_is_never_above_the_truth(first: int) -> None:
    """Of every eighteen requests from the file, one makes twelve queries."""
    counts = np.where(np.arange(REQUESTS) % 18 == first, 12, 1)
    found, truth = least_and_true(observed(asking(np.random.default_rng(3), counts, CALM)))
    assert 0.7 * truth < found <= truth


@pytest.mark.parametrize("count", [1, 3])
def test_the_queries_of_failed_requests_are_not_in_the_mean(count: int) -> None:
    """Twenty requests time out after 500 ms, in a query of 600 ms."""
    own = asked(count)
    lost = np.arange(100, REQUESTS, 200)
    queries = observed(own.with_queries(own.sent_ns[lost] + MILLISECOND // 10, 600 * MILLISECOND))
    done, kind = queries.load.requests.done_ns.copy(), queries.load.requests.kind.copy()
    done[lost], kind[lost] = own.sent_ns[lost] + 500 * MILLISECOND, KINDS.index("timed_out")
    load = queries.load.with_requests(done_ns=done, kind=kind)
    found, truth = least_and_true(replace(queries, load=load))
    assert 0.5 * truth / count < found <= truth


def test_the_mean_of_queries_that_nobody_made_is_unknown() -> None:
    own = asked(1)
    between = (own.done_ns[:-1] + own.sent_ns[1:])[own.done_ns[:-1] + MILLISECOND < own.sent_ns[1:]]
    seen = observed(own.with_queries(between[:400] // 2, 1_000))
    load = seen.load
    evidence = examine(load.result, load.intervals, [], 0.0, seen.queries, load.records)
    assert least_mean_ns(evidence, Traces(load.records, seen.queries)) == 0
    assert least_mean_ns(evidence, Traces(load.records, None)) is None


def test_where_requests_ask_different_numbers_nothing_is_known() -> None:
    """Though all together there are two queries for each: half of the requests may have all that
    were slow."""
    counts = np.where(np.arange(REQUESTS) % 2, 1, 3)
    mixed = asking(np.random.default_rng(3), counts, CALM)
    assert floor(observed(mixed)) is None


def test_queries_that_nobody_made_tell_nothing() -> None:
    own = asked(1)
    between = (own.done_ns[:-1] + own.sent_ns[1:])[own.done_ns[:-1] + MILLISECOND < own.sent_ns[1:]]
    alone = own.with_queries(between[:20] // 2, 1_000)
    assert floor(observed(alone)) is None
    assert floor(observed(own)) is not None


def test_without_a_relay_or_with_few_requests_nothing_is_known() -> None:
    seen = observed(asked(1))
    evidence = examine(seen.load.result, seen.load.intervals, [], 0.0)
    assert least_percentile_ns(evidence, Traces(seen.load.records), 0.99) is None
    assert floor(seen, 0.9999) is None
