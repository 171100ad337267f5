"""Changes of a tail are found, and an unchanged one is left alone, against constructed truths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from runfair.statistics.tail_change import BLOCKS, TailChange, differs, exceedances, tail_change
from simulated.tails import Course, falls_early, halves, loads, unchanged

INDEPENDENT: dict[str, Any] = {}
CORRELATED: dict[str, Any] = {"memory": 100.0}
BURSTS: dict[str, Any] = {"burst": 10.0}
KINDS = pytest.mark.parametrize(
    "kind", [INDEPENDENT, CORRELATED, BURSTS], ids=["independent", "correlated", "bursts"]
)


def seen_in(latencies: np.ndarray, share: float = 0.99) -> TailChange | None:
    count = latencies.shape[1]
    block = np.arange(count) * BLOCKS // count
    tables = [exceedances(block, one, np.ones(count), share) for one in latencies]
    above, requests = zip(*tables, strict=True)
    change = tail_change(np.array(above), np.array(requests))
    if change is None:
        return None
    parts = np.split(latencies, [change.block * count // BLOCKS], axis=1)
    before, after = (np.quantile(part, share, axis=1) for part in parts)
    return change if differs(before.tolist(), after.tolist()) else None


def found(repetitions: int, course: Course, **kind: Any) -> float:
    """In how many of so many simulated runs of six executions."""
    random = np.random.default_rng(21)
    seen = [seen_in(loads(random, course, **kind)) for _ in range(repetitions)]
    return sum(one is not None for one in seen) / repetitions


# The bounds of the short versions leave three standard errors to what the long ones ask for.


@KINDS
def test_an_unchanged_tail_is_left_alone(kind: dict[str, Any]) -> None:
    assert found(150, unchanged, **kind) <= 0.10


@pytest.mark.parametrize("kind", [INDEPENDENT, CORRELATED], ids=["independent", "correlated"])
def test_a_tail_that_halves_is_found(kind: dict[str, Any]) -> None:
    assert found(60, halves, **kind) >= 0.78


@KINDS
@pytest.mark.long
def test_an_unchanged_tail_is_left_alone_in_95_of_100(kind: dict[str, Any]) -> None:
    assert found(10_000, unchanged, **kind) <= 0.05


@pytest.mark.long
@pytest.mark.parametrize("kind", [INDEPENDENT, CORRELATED], ids=["independent", "correlated"])
def test_a_tail_that_halves_is_found_in_90_of_100(kind: dict[str, Any]) -> None:
    assert found(10_000, halves, **kind) >= 0.90


@pytest.mark.long
def test_a_tail_of_bursts_that_halves_needs_more_requests() -> None:
    """Requests of a burst are as slow as each other, so that only bursts count."""
    assert found(1_000, halves, burst=10.0) < 0.5
    assert found(1_000, halves, requests=80_000, burst=10.0) >= 0.90


def test_where_it_changes_and_how_is_told() -> None:
    random = np.random.default_rng(22)
    change = seen_in(loads(random, falls_early, requests=10_000))
    assert change == TailChange(8, falls=True)
    rising = seen_in(loads(random, falls_early, requests=10_000)[:, ::-1])
    assert rising == TailChange(12, falls=False)


def test_one_execution_that_changes_alone_is_found() -> None:
    random = np.random.default_rng(23)
    assert seen_in(loads(random, falls_early, executions=1, requests=20_000)) is not None


def test_a_small_change_is_left_alone_however_clear() -> None:
    """By 15%, which so many requests show beyond doubt."""
    random = np.random.default_rng(25)

    def slightly(instants: np.ndarray) -> np.ndarray:
        return np.where(instants < 0.5, 1.15, 1.0)

    assert seen_in(loads(random, slightly, requests=50_000)) is None
    assert differs([115.0, 126.0, 100.0], [100.0, 100.0, 100.0]) is False
    assert differs([126.0, 126.0, 100.0], [100.0, 100.0, 100.0]) is True
    assert differs([], []) is False


def test_an_interruption_is_no_change() -> None:
    """One block of a stall: no order of the blocks is clearer than another."""
    above = np.full((6, BLOCKS), 2.0)
    above[:, 9] = 40
    assert tail_change(above, np.full((6, BLOCKS), 200.0)) is None


def test_a_rate_that_changes_is_no_change_of_the_tail() -> None:
    requests = np.repeat([[100.0] * 10 + [300.0] * 10], 6, axis=0)
    random = np.random.default_rng(24)
    above = random.binomial(requests.astype(np.int64), 0.02)
    assert tail_change(above, requests) is None


def test_exceedances_are_counted_above_three_latencies() -> None:
    """Of p90 of a hundred values: above the 90th, the 95th and the 98th."""
    block = np.arange(100) // 50
    above, requests = exceedances(block, np.arange(1, 101), np.ones(100), 0.9)
    assert above.tolist() == [0, 10 + 5 + 2] and requests.tolist() == [50, 50]


def test_equal_values_are_not_above_each_other() -> None:
    above, _ = exceedances(np.arange(100) // 50, np.ones(100), np.ones(100), 0.9)
    assert above.tolist() == [0, 0]
    assert tail_change(above[None, :], np.full((1, 2), 50.0)) is None


@pytest.mark.parametrize(
    "call",
    [
        lambda: tail_change(np.ones(5), np.ones(5)),
        lambda: tail_change(np.ones((2, 20)), np.ones((2, 19))),
        lambda: exceedances([], [], [], 0.99),
    ],
)
def test_what_is_no_table_of_counts_is_refused(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"counts|counted"):
        call()
