"""An objective is met or missed only where the interval says so."""

import pytest

from runfair.statistics.headline import headline
from runfair.statistics.objective import Meets, Objective
from runfair.statistics.percentile import of_values

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
    too_few = of_values([1e6] * 100, 0.99)
    assert too_few.high is None
    assert OBJECTIVE.met_by(too_few) == "unclear"


def test_a_lower_limit_alone_suffices_to_miss() -> None:
    far_beyond = of_values([1e9] * 100, 0.99)
    assert far_beyond.high is None
    assert OBJECTIVE.met_by(far_beyond) == "no"


def test_reads_as_it_is_written() -> None:
    assert str(Objective(0.999, 2_500_000)) == "p99.9 < 2.5 ms"
    for share, limit_ns in ((99, 1), (0.99, 0)):
        with pytest.raises(ValueError, match="objective"):
            Objective(share, limit_ns)
