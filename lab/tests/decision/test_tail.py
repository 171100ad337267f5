"""Tails whose cause is known by construction."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.decision.limits import Limits
from runfair.decision.tail import Tail, tail
from runfair.formats.decision import Cause
from runfair.statistics.percentile import rank

REQUESTS = 10_000
Row = npt.NDArray[np.float64]


def above(
    latency: npt.ArrayLike, parts: Mapping[Cause, npt.ArrayLike | Limits], share: float = 0.99
) -> Tail:
    """The tail above a percentile."""
    values = np.sort(np.asarray(latency, dtype=np.float64))
    threshold = float(values[rank(share, len(values)) - 1]) if len(values) else 0.0
    return tail(latency, parts, threshold)


def constructed(cause: Cause, slow: int = 100) -> tuple[Row, dict[Cause, Row]]:
    """Requests of 0.4 ms CPU, 1.7 ms database and 0.2 ms unknown; `slow` of them have 20 ms more
    of the cause."""
    rng = np.random.default_rng(93)
    parts: dict[Cause, Row] = {
        "own CPU": 4e5 * rng.lognormal(0, 0.1, REQUESTS),
        "database": 1.7e6 * rng.lognormal(0, 0.1, REQUESTS),
        "pause": np.zeros(REQUESTS),
        "queue": np.zeros(REQUESTS),
        "run queue": np.zeros(REQUESTS),
    }
    unknown = np.full(REQUESTS, 2e5)
    parts.get(cause, unknown)[rng.choice(REQUESTS, slow, replace=False)] += 2e7
    return np.sum(list(parts.values()), axis=0) + unknown, parts


@pytest.mark.parametrize(
    "cause", ["own CPU", "run queue", "database", "pause", "queue", "other waits"]
)
def test_what_made_the_slow_ones_slow_is_found(cause: Cause) -> None:
    found = above(*constructed(cause))
    assert found.dominant == cause
    assert found.slowed[cause] > 0.98
    assert found.count == 100
    least, most = found.time_shares[cause]
    assert least == pytest.approx(most)
    assert least > 0.5 > found.usual_shares[cause][0] or cause == "database"


def test_what_is_always_there_does_not_dominate_a_tail() -> None:
    """The database is most of every request's time, and the pauses are what makes the tail."""
    latency, parts = constructed("pause")
    parts["database"] += 30e6
    found = above(latency + 30e6, parts)
    assert found.usual_shares["database"][0] > 0.9
    assert found.dominant == "pause"


def test_a_mixed_tail_has_no_dominant_cause() -> None:
    latency, parts = constructed("pause", slow=34)
    rng = np.random.default_rng(94)
    more: tuple[Cause, Cause] = ("queue", "database")
    for cause in more:
        extra = np.zeros(REQUESTS)
        extra[rng.choice(REQUESTS, 34, replace=False)] = 2e7
        latency, parts[cause] = latency + extra, parts[cause] + extra
    found = above(latency, parts)
    assert found.dominant is None and not found.reason
    assert max(found.slowed.values()) < 0.5


def test_causes_that_were_not_measured_are_other_waits() -> None:
    latency, parts = constructed("pause")
    del parts["pause"]
    assert above(latency, parts).dominant == "other waits"
    assert above(latency, {}).time_shares == {"other waits": (1, 1)}


def test_says_when_a_tail_tells_nothing() -> None:
    latency, parts = constructed("pause")
    few = above(latency[:2_000], {cause: part[:2_000] for cause, part in parts.items()})
    assert few.dominant is None
    assert few.reason == (
        "the causes of slow requests are unknown, because only 20 requests are slower than the "
        "objective's percentile, and 30 are needed"
    )
    same = above(np.ones(10_000), {})
    assert (same.count, same.dominant) == (0, None)
    assert same.reason.startswith("the causes of slow requests are unknown")


@given(
    st.lists(
        st.tuples(st.floats(1, 1e9), st.floats(0, 1e9), st.floats(0, 1e9), st.floats(0, 1e9)),
        min_size=1,
        max_size=60,
    ),
    st.sampled_from([0.5, 0.9, 0.99]),
)
def test_shares_are_shares(rows: list[tuple[float, ...]], share: float) -> None:
    latency, database, pause, waits = np.array(rows).T
    found = above(latency, {"database": database, "pause": pause, "other waits": waits}, share)
    whole = 1 if found.count else 0
    for between, sum_ in ((found.time_shares, whole), (found.usual_shares, 1)):
        assert min(low for low, _ in between.values()) >= 0
        assert sum(low for low, _ in between.values()) == pytest.approx(sum_)
        assert sum(high for _, high in between.values()) == pytest.approx(sum_)
    assert found.undecided == {}
    assert sum(found.slowed.values()) == pytest.approx(whole)
    assert found.count <= len(rows) * (1 - share) + 1e-6


def test_refuses_rows_that_are_no_requests() -> None:
    with pytest.raises(ValueError, match="latencies"):
        tail([], {}, 0)
    with pytest.raises(ValueError, match="latencies"):
        tail([0.0], {}, 0)
    with pytest.raises(ValueError, match="one value for each request"):
        tail([1.0, 2.0], {"pause": [1.0]}, 1)
    with pytest.raises(ValueError, match="negative"):
        tail([1.0], {"pause": [-1.0]}, 1)


def widened(part: Row, by: float) -> Limits:
    return Limits(np.maximum(part - by, 0), part + by)


@pytest.mark.parametrize("cause", ["own CPU", "run queue", "database", "pause", "queue"])
def test_what_is_known_within_limits_is_found_where_they_are_narrow(cause: Cause) -> None:
    latency, parts = constructed(cause)
    found = above(latency, {one: widened(part, 1e6) for one, part in parts.items()})
    assert found.dominant == cause
    assert found.slowed[cause] > 0.98
    low, high = found.time_shares[cause]
    assert (
        low
        < float(parts[cause][latency > found.threshold_ns].sum())
        / (float(latency[latency > found.threshold_ns].sum()))
        < high
    )


def test_causes_that_cannot_be_told_apart_are_named_together() -> None:
    """20 ms of own CPU, of which no more is known than that they are no more than the latency."""
    latency, parts = constructed("own CPU")
    found = above(latency, {**parts, "own CPU": Limits.at_most(latency)})
    assert found.dominant is None
    assert not found.reason
    assert sum(found.slowed.values()) == pytest.approx(0)
    assert found.undecided == {("own CPU", "other waits"): pytest.approx(1)}
    # What is known of the database excludes it all the same.
    assert found.time_shares["database"][1] < 0.2


def test_the_requests_stand_one_by_one_the_slowest_first() -> None:
    latency, parts = constructed("database")
    intended = np.arange(REQUESTS) * 1000
    found = tail(
        latency, {**parts, "own CPU": widened(parts["own CPU"], 1e5)}, 15e6, 10**6, intended
    )
    assert found.requests == 10**6
    assert [one.latency_ns for one in found.slowest] == sorted(
        np.rint(latency[latency > 15e6]).astype(int), reverse=True
    )
    for one in found.slowest:
        place = one.intended_ns // 1000
        assert one.latency_ns == round(latency[place])
        assert one.parts_ns["database"] == pytest.approx((parts["database"][place],) * 2)
        low, high = one.parts_ns["own CPU"]
        assert low < parts["own CPU"][place] < high
        assert one.causes == ("database",)
        assert sum(least for least, _ in one.parts_ns.values()) <= one.latency_ns + 1
        assert sum(most for _, most in one.parts_ns.values()) >= one.latency_ns - 1


limits = st.tuples(st.floats(0, 1e9), st.floats(0, 1e9)).map(sorted)


@given(st.lists(st.tuples(st.floats(1, 1e9), limits, limits, limits), min_size=2, max_size=40))
def test_limits_hold_a_division_of_each_latency(
    rows: list[tuple[float, list[float], list[float], list[float]]],
) -> None:
    latency = np.array([row[0] for row in rows])
    names: tuple[Cause, ...] = ("own CPU", "database", "run queue")
    parts: dict[Cause, npt.ArrayLike | Limits] = {
        name: Limits(*np.array([row[place] for row in rows], dtype=np.float64).T)
        for place, name in enumerate(names, 1)
    }
    found = above(latency, parts, 0.5)
    for one in found.slowest:
        for least, most in one.parts_ns.values():
            assert 0 <= least <= most <= one.latency_ns * (1 + 1e-9) + 1
        assert sum(least for least, _ in one.parts_ns.values()) <= one.latency_ns + 1
        assert sum(most for _, most in one.parts_ns.values()) >= one.latency_ns - 1
        assert one.causes
    assert sum(found.slowed.values()) + sum(found.undecided.values()) == pytest.approx(
        1 if found.count else 0
    )


def test_refuses_limits_that_are_none() -> None:
    with pytest.raises(ValueError, match="nor above its upper limit"):
        Limits(np.array([2.0]), np.array([1.0]))
    with pytest.raises(ValueError, match="one value for each request"):
        Limits(np.array([2.0]), np.array([1.0, 3.0]))
