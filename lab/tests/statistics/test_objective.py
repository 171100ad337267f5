"""An objective is met or missed only where the interval says so."""

import pytest

from runfair.statistics.headline import headline
from runfair.statistics.objective import Limits, Meets, Objective

OBJECTIVE = Objective(0.99, 25_000_000)


@pytest.mark.parametrize(
    ("least_ms", "greatest_ms", "meets"),
    [(20, 24.9, "yes"), (20, 25, "unclear"), (24, 26, "unclear"), (25, 27, "no")],
)
def test_the_whole_interval_must_lie_on_one_side(
    least_ms: float, greatest_ms: float, meets: Meets
) -> None:
    executions_ns = [least_ms * 1e6] * 3 + [greatest_ms * 1e6] * 3
    assert OBJECTIVE.met_by(headline(executions_ns)) == meets


def test_without_an_interval_nothing_is_clear() -> None:
    assert OBJECTIVE.met_by(headline([1e6])) == "unclear"
    assert OBJECTIVE.met_by(Limits(1e6, None)) == "unclear"
    assert OBJECTIVE.met_by(None) == "unclear"


def test_a_rate_that_is_not_served_is_a_miss_whatever_the_latencies() -> None:
    for percentile in (Limits(1e6, 2e6), None):
        assert OBJECTIVE.met_by(percentile, served=False) == "no"


def test_a_lower_limit_alone_suffices_to_miss() -> None:
    assert OBJECTIVE.met_by(Limits(1e9, None)) == "no"


def test_reads_as_it_is_written() -> None:
    assert str(Objective(0.999, 2_500_000)) == "p99.9 < 2.5 ms"
    for share, limit_ns in ((99, 1), (0.99, 0)):
        with pytest.raises(ValueError, match="objective"):
            Objective(share, limit_ns)
