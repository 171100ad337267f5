"""The time in the database of single requests, from queries that do not say whose they are: the
truth lies within what is said, and little is left open where the load is low."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runfair.decision.database_time import (
    NEVER,
    Asked,
    DatabaseTimes,
    Sent,
    database_times,
)
from simulated.asking import MILLISECOND, Asking, IntArray, asking

REQUESTS = 600


def told(one: Asking, chosen: IntArray | None = None) -> DatabaseTimes:
    return database_times(
        Sent(one.sent_ns, one.done_ns),
        Asked(one.arrived_ns, one.due_ns, one.delivered_ns),
        np.arange(len(one.sent_ns)) if chosen is None else chosen,
    )


def missed(one: Asking, found: DatabaseTimes) -> IntArray:
    """The requests whose truth lies outside what is said of them."""
    assert found.limits is not None
    below = one.waited_ns < found.limits.least_ns
    return np.flatnonzero(below | (one.waited_ns > found.limits.most_ns))


def width_ms(found: DatabaseTimes) -> float:
    assert found.limits is not None
    return float(np.mean(found.limits.most_ns - found.limits.least_ns)) / 1e6


def fixed(each: int) -> IntArray:
    return np.full(REQUESTS, each, dtype=np.int64)


@pytest.mark.parametrize("each", [1, 2, 3])
@pytest.mark.parametrize("at_once", [False, True])
def test_little_is_left_open_where_the_load_is_low(each: int, at_once: bool) -> None:
    # A request in fifteen meets another one.
    one = asking(np.random.default_rng(each), fixed(each), 40 / each, at_once=at_once)
    found = told(one)
    assert found.queries_each == each
    assert len(missed(one, found)) == 0
    assert width_ms(found) < 0.1 * float(one.waited_ns.mean()) / 1e6


def test_more_is_left_open_the_higher_the_load() -> None:
    widths = []
    for rate_per_s in (20, 200, 2_000):
        one = asking(np.random.default_rng(1), fixed(1), rate_per_s)
        found = told(one)
        assert len(missed(one, found)) == 0
        widths.append(width_ms(found))
    assert widths[0] < widths[1] < widths[2]
    assert widths[0] < 0.1


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    rate_per_s=st.sampled_from([30, 100, 300, 1_000, 4_000]),
    counts=st.sampled_from(["one", "three", "none", "any", "slow ones more"]),
    at_once=st.booleans(),
    unanswered=st.booleans(),
)
def test_the_truth_is_within_what_is_said(
    seed: int, rate_per_s: float, counts: str, at_once: bool, unanswered: bool
) -> None:
    random = np.random.default_rng(seed)
    each = {
        "one": fixed(1),
        "three": fixed(3),
        "none": fixed(0),
        "any": random.integers(0, 4, REQUESTS),
        "slow ones more": np.where(random.random(REQUESTS) < 0.02, 8, 1),
    }[counts]
    one = asking(random, each, rate_per_s, at_once=at_once)
    answered = np.arange(REQUESTS)
    sent = Sent(one.sent_ns, one.done_ns)
    if unanswered:
        # Their queries are made all the same, and may end after the client gave up.
        lost = random.random(REQUESTS) < 0.01
        answered = np.flatnonzero(~lost)
        sent = Sent(one.sent_ns, np.where(lost, NEVER, one.done_ns))
    asked = Asked(one.arrived_ns, one.due_ns, one.delivered_ns)
    found = database_times(sent, asked, answered)
    assert found.nobodys == 0
    assert found.limits is not None
    truth = one.waited_ns[answered]
    assert (found.limits.least_ns <= truth).all()
    assert (truth <= found.limits.most_ns).all()


def after_loners(
    windows_ms: list[tuple[float, float]], queries_ms: list[tuple[float, float]]
) -> tuple[Asking, int]:
    """Requests and queries that meet, after a load of requests that are alone and make one query
    each; and the instant that theirs count from."""
    lonely = asking(np.random.default_rng(3), fixed(1), 1, slow_share=0)
    start_ns = int(lonely.done_ns[-1]) + 10 * MILLISECOND
    windows = (np.array(windows_ms) * MILLISECOND).astype(np.int64) + start_ns
    queries = (np.array(queries_ms) * MILLISECOND).astype(np.int64) + start_ns
    return Asking(
        np.concatenate((lonely.sent_ns, windows[:, 0])),
        np.concatenate((lonely.done_ns, windows[:, 1])),
        lonely.waited_ns,
        np.concatenate((lonely.arrived_ns, queries[:, 0])),
        np.concatenate((lonely.due_ns, queries[:, 1])),
        np.concatenate((lonely.delivered_ns, queries[:, 1])),
    ), len(windows)


def limits_ms(one: Asking, count: int) -> list[tuple[float, float]]:
    """Of the last requests."""
    found = told(one, np.arange(REQUESTS, REQUESTS + count)).limits
    assert found is not None
    return [
        (least / 1e6, most / 1e6) for least, most in zip(found.least_ns, found.most_ns, strict=True)
    ]


def test_two_at_once_share_two_queries() -> None:
    """Each has one: of 3 or 5 ms, which cannot be told."""
    met = after_loners([(0, 7), (0, 7)], [(1, 4), (1, 6)])
    assert limits_ms(*met) == [(3, 5), (3, 5)]


def test_who_has_no_other_choice_takes_what_it_has() -> None:
    """The second can only have the first query: the first request has one of the other two."""
    met = after_loners([(0, 10), (0, 3), (3.2, 10)], [(0.5, 2.9), (4, 5), (6, 8)])
    assert limits_ms(*met) == [(1, 2), (2.4, 2.4), (1, 2)]


def test_a_request_that_asks_more_than_those_alone_is_not_held_to_their_number() -> None:
    """Three queries of 1 ms are the first request's, and one is the second's."""
    met = after_loners([(0, 7), (0, 7)], [(1, 2), (2.5, 3.5), (4, 5), (5.5, 6.5)])
    assert limits_ms(*met) == [(0, 4), (0, 4)]


@pytest.mark.parametrize("offset_ms", [-50.0, -2.0, -1.0, 0.7, 1.0, 3.0, 500.0])
@pytest.mark.parametrize("rate_per_s", [20, 100, 300])
def test_a_mistaken_clock_is_noticed(offset_ms: float, rate_per_s: float) -> None:
    one = asking(np.random.default_rng(4), fixed(1), rate_per_s)
    assert told(one).nobodys == 0
    found = told(one.apart(round(offset_ms * MILLISECOND)))
    assert found.limits is None
    assert found.nobodys > 0.01 * found.queries


def test_a_clock_that_is_mistaken_for_slow_queries_alone_is_noticed() -> None:
    """Somebody is always under way, so that every usual query finds a request; but none is long
    enough for the slow ones of another."""
    sent = np.arange(5_000, dtype=np.int64) * MILLISECOND
    lasts = np.where(np.arange(5_000) % 200 == 199, 40, 2) * MILLISECOND
    arrived = sent + MILLISECOND // 5
    one = Asking(sent, sent + lasts + MILLISECOND, lasts, arrived, arrived + lasts, arrived + lasts)
    assert told(one, np.arange(10)).nobodys == 0
    found = told(one.apart(2 * MILLISECOND), np.arange(10))
    assert found.nobodys < 0.01 * found.queries
    assert found.limits is None


def test_a_service_that_asks_for_itself_makes_nothing_certain() -> None:
    one = asking(np.random.default_rng(5), fixed(1), 40)
    now_and_then = np.linspace(0, int(one.sent_ns[-1]), 5).astype(np.int64)[1:]
    found = told(one.with_queries(now_and_then, MILLISECOND // 10))
    assert 0 < found.nobodys <= 4
    assert found.limits is not None
    assert (found.limits.least_ns == 0).all()
    assert (one.waited_ns <= found.limits.most_ns).all()
    often = np.linspace(0, int(one.sent_ns[-1]), 500).astype(np.int64)
    assert told(one.with_queries(often, MILLISECOND)).limits is None


def test_what_counts_of_a_query_is_measured_by_who_asks() -> None:
    one = asking(np.random.default_rng(6), fixed(1), 20)

    def nothing(starts_ns: IntArray, ends_ns: IntArray) -> IntArray:
        return (ends_ns - starts_ns) * 0

    found = database_times(
        Sent(one.sent_ns, one.done_ns),
        Asked(one.arrived_ns, one.due_ns, one.delivered_ns),
        np.arange(5),
        (nothing, nothing),
    )
    assert found.limits is not None
    assert found.limits.most_ns.tolist() == [0] * 5


def test_refuses_rows_of_unequal_length() -> None:
    one = asking(np.random.default_rng(7), fixed(1), 20)
    with pytest.raises(ValueError, match="must have equal lengths"):
        database_times(
            Sent(one.sent_ns[1:], one.done_ns),
            Asked(one.arrived_ns, one.due_ns, one.delivered_ns),
            np.arange(3),
        )


def test_no_queries_and_no_requests() -> None:
    one = asking(np.random.default_rng(8), fixed(0), 20)
    found = told(one)
    assert found.limits is not None
    assert not found.limits.most_ns.any()
    none = np.zeros(0, dtype=np.int64)
    empty = database_times(Sent(none, none), Asked(none, none, none), none)
    assert empty.limits is not None and len(empty.limits.least_ns) == 0


@pytest.mark.parametrize("offset_ms", [-3.0, -0.7, 0.0, 0.7, 3.0])
@pytest.mark.parametrize("each", [1, 2])
@pytest.mark.parametrize("rate_per_s", [20, 200])
def test_limits_hold_at_every_distance_that_the_clocks_leave(
    offset_ms: float, each: int, rate_per_s: float
) -> None:
    one = asking(np.random.default_rng(9), fixed(each), rate_per_s)
    moved = one.apart(round(offset_ms * MILLISECOND))
    found = database_times(
        Sent(moved.sent_ns, moved.done_ns),
        Asked(moved.arrived_ns, moved.due_ns, moved.delivered_ns, 3 * MILLISECOND),
        np.arange(REQUESTS),
    )
    assert not found.nobodys
    assert not len(missed(one, found))
    assert width_ms(found) >= width_ms(told(one))
