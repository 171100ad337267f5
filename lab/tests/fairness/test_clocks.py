import numpy as np
import pytest

from runfair.fairness.clocks import relative_error
from simulated.curves import ticked

STEP_NS = 10_000_000


@pytest.mark.parametrize("interval_ns", [3e6, 55e6, 123e6, 1e9])
def test_bounds_what_a_stepping_clock_reads(interval_ns: float) -> None:
    readings = ticked(np.full(5_000, interval_ns * 1.0001), STEP_NS)
    worst = np.abs(readings / (interval_ns * 1.0001) - 1).max()
    assert worst <= relative_error(interval_ns, STEP_NS)
    assert worst > relative_error(interval_ns, STEP_NS) / 4


def test_an_interval_of_zero_is_all_error() -> None:
    assert relative_error(0, STEP_NS) == float("inf")


def test_refuses_what_is_no_interval() -> None:
    with pytest.raises(ValueError, match="interval"):
        relative_error(-1, 1)
    with pytest.raises(ValueError, match="resolution"):
        relative_error(1, 0)
