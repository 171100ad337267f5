"""How many independent values a row of dependent ones is worth, against constructed truths."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from runfair.statistics.dependence import LEAST_CLUSTERS, effective_count

STRETCHES = 100
EACH = 100

Slow = npt.NDArray[np.bool_]


def worth(slow: Slow, share: float = 0.9) -> float:
    """Of values of two cells, fast and slow, one row a stretch."""
    stretch = np.repeat(np.arange(len(slow)), 2)
    cell = np.tile([0, 1], len(slow))
    above = slow.sum(axis=1)
    counts = np.column_stack([slow.shape[1] - above, above]).ravel()
    return effective_count(stretch, cell, counts, share)


def slow_stretches(which: npt.ArrayLike) -> Slow:
    """All values of these stretches are slow, and no others."""
    slow = np.zeros((STRETCHES, EACH), dtype=np.bool_)
    slow[np.asarray(which)] = True
    return slow


def test_independent_values_are_worth_nearly_all() -> None:
    """The widening for an uncertain estimate takes a little."""
    random = np.random.default_rng(1)
    shares = [worth(random.random((STRETCHES, EACH)) < 0.1) / (STRETCHES * EACH) for _ in range(40)]
    assert 0.8 < np.mean(shares) <= 1


def test_stretches_slow_as_a_whole_are_worth_a_value_each() -> None:
    """The ratio of the variances is the size of a stretch; few events widen it further."""
    assert 20 < worth(slow_stretches(np.arange(7, STRETCHES, 10))) <= STRETCHES


def test_dependence_over_several_stretches_is_found() -> None:
    together = worth(slow_stretches(np.arange(40, 50)))
    assert together < worth(slow_stretches(np.arange(7, STRETCHES, 10))) / 2


def test_stretches_of_unequal_size_are_not_taken_for_dependence() -> None:
    random = np.random.default_rng(2)
    sizes = np.where(np.arange(400) % 2, 50, 100)
    above = random.binomial(sizes, 0.5)
    stretch = np.repeat(np.arange(400), 2)
    counts = np.column_stack([sizes - above, above]).ravel()
    assert effective_count(stretch, np.tile([0, 1], 400), counts, 0.5) > 0.6 * sizes.sum()


def test_it_is_the_estimate_of_the_load_generator() -> None:
    """The same construction as in its own tests (`dependence.rs`): ten of a hundred blocks slow
    altogether have a variance ratio of 100 within 2, and fewer than 30 degrees of freedom."""
    requests_each = STRETCHES * EACH / worth(slow_stretches(np.arange(7, STRETCHES, 10)))
    widening = requests_each / 100
    assert (2.04 / 1.96) ** 2 * 0.98 < widening < (2.31 / 1.96) ** 2 * 1.02


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
def test_the_cell_of_the_percentile_counts_in_part(share: float) -> None:
    """A server so regular that all values but a few share a cell does not count on one side."""
    random = np.random.default_rng(3)
    slow = random.random((STRETCHES, EACH)) < 0.002
    assert worth(slow, share) > 0.5 * slow.size


def test_where_nothing_can_be_compared_all_count() -> None:
    assert worth(np.zeros((STRETCHES, EACH), dtype=np.bool_)) == STRETCHES * EACH
    few = slow_stretches([3])[: LEAST_CLUSTERS - 1]
    assert worth(few) == few.size


def test_nothing_counted_is_no_sample() -> None:
    with pytest.raises(ValueError, match="at least one value"):
        effective_count([0], [0], [0], 0.9)
