"""Tails whose cause is known by construction."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.decision.tail import Cause, tail

REQUESTS = 10_000
Row = npt.NDArray[np.float64]


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
    found = tail(*constructed(cause))
    assert found.dominant == cause
    assert found.slowed[cause] > 0.98
    assert found.count == 100
    assert found.time_shares[cause] > 0.5 > found.usual_shares[cause] or cause == "database"


def test_what_is_always_there_does_not_dominate_a_tail() -> None:
    """The database is most of every request's time, and the pauses are what makes the tail."""
    latency, parts = constructed("pause")
    parts["database"] += 30e6
    found = tail(latency + 30e6, parts)
    assert found.usual_shares["database"] > 0.9
    assert found.dominant == "pause"


def test_a_mixed_tail_has_no_dominant_cause() -> None:
    latency, parts = constructed("pause", slow=34)
    rng = np.random.default_rng(94)
    more: tuple[Cause, Cause] = ("queue", "database")
    for cause in more:
        extra = np.zeros(REQUESTS)
        extra[rng.choice(REQUESTS, 34, replace=False)] = 2e7
        latency, parts[cause] = latency + extra, parts[cause] + extra
    found = tail(latency, parts)
    assert found.dominant is None and not found.reason
    assert max(found.slowed.values()) < 0.5


def test_causes_that_were_not_measured_are_other_waits() -> None:
    latency, parts = constructed("pause")
    del parts["pause"]
    assert tail(latency, parts).dominant == "other waits"
    assert tail(latency, {}).time_shares == {"other waits": 1}


def test_says_when_a_tail_tells_nothing() -> None:
    latency, parts = constructed("pause")
    few = tail(latency[:2_000], {cause: part[:2_000] for cause, part in parts.items()})
    assert few.dominant is None
    assert few.reason == "too few requests in the tail: 20, 30 are needed"
    same = tail(np.ones(10_000), {})
    assert (same.count, same.dominant) == (0, None)
    assert same.reason.startswith("too few")


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
    found = tail(latency, {"database": database, "pause": pause, "other waits": waits}, share)
    for shares in (found.time_shares, found.usual_shares, found.slowed):
        assert min(shares.values()) >= 0
    assert sum(found.usual_shares.values()) == pytest.approx(1)
    for shares in (found.time_shares, found.slowed):
        assert sum(shares.values()) == pytest.approx(1 if found.count else 0)
    assert found.count <= len(rows) * (1 - share) + 1e-6


def test_refuses_rows_that_are_no_requests() -> None:
    with pytest.raises(ValueError, match="latencies"):
        tail([], {})
    with pytest.raises(ValueError, match="latencies"):
        tail([0.0], {})
    with pytest.raises(ValueError, match="one value a request"):
        tail([1.0, 2.0], {"pause": [1.0]})
    with pytest.raises(ValueError, match="negative"):
        tail([1.0], {"pause": [-1.0]})
