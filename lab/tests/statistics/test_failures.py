"""The share of failed requests."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from runfair.loading.generator import LOADGEN
from runfair.statistics.failures import Outcomes, failed_interval

VECTORS: list[dict[str, Any]] = json.loads(
    (LOADGEN / "tests/vectors/failed_shares.json").read_text("utf-8")
)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_load_generators_own_vectors(vector: dict[str, Any]) -> None:
    told = {name: value for name, value in vector.items() if name not in ("name", "low", "high")}
    expected = (vector["low"], vector["high"])
    assert failed_interval([Outcomes(**told)]) == pytest.approx(expected, abs=1e-7)


def test_loads_are_taken_together() -> None:
    parts = [Outcomes(990, 10, 1000, 100, 1), Outcomes(2000, 0, 2000, 200, 0)]
    assert failed_interval(parts) == failed_interval([Outcomes(2990, 10, 3000, 300, 1)])
    # An outage in each of two loads is two events.
    outages = [Outcomes(9_900, 100, failures_each=100.0)] * 2
    assert failed_interval(outages) == pytest.approx(failed_interval([Outcomes(198, 2)]))


def test_a_load_with_an_outage_keeps_its_weight() -> None:
    """One of five loads had an outage, in which 240 requests failed."""
    loads = [Outcomes(23_760, 240, failures_each=240.0), *[Outcomes(24_000, 0)] * 4]
    low, high = failed_interval(loads)
    assert low < 240 / 120_000 < high
    # The outage is one event among the requests of all loads.
    assert (low, high) == pytest.approx(failed_interval([Outcomes(499, 1)]))


def test_the_interval_contains_the_true_share() -> None:
    """A tenth of the answers is wrong whatever the body is, and one in fifty of the other bodies.
    One in twenty of these bodies was compared."""
    random = np.random.default_rng(7)
    true = 0.1 + 0.9 * 0.02
    hits = 0
    for _ in range(500):
        missing = int(random.binomial(5_000, 0.1))
        checkable = 5_000 - missing
        checked = int(random.binomial(checkable, 0.05))
        wrong = int(random.binomial(checked, 0.02))
        failed = missing + wrong
        low, high = failed_interval([Outcomes(5_000 - failed, failed, checkable, checked, wrong)])
        hits += low <= true <= high
    assert hits / 500 >= 0.95


def test_no_request_has_no_share() -> None:
    with pytest.raises(ValueError, match="at least one request"):
        failed_interval([])
