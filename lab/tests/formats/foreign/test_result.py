from __future__ import annotations

from runfair.formats.foreign import recognise
from runfair.formats.foreign.result import latencies_of

FORTIO = """Starting at 500 qps with 4 thread(s) [gomax 2] for 2s : 250 calls each (total 1000)
Aggregated Function Time : count 1000 avg 0.0024 +/- 0.0001157 min 0.002 max 0.0061 sum 2.4
# range, mid point, percentile, count
>= 0.002 <= 0.0025 , 0.00225 , 40.00, 400
> 0.0025 <= 0.0045 , 0.0035 , 90.00, 500
> 0.0045 <= 0.0061 , 0.0053 , 100.00, 100
# target 50% 0.0029
"""


def test_percentiles_end_where_fewer_than_ten_values_lie_beyond() -> None:
    found = latencies_of([float(value) for value in range(1, 1_001)], step_ns=1.0)
    assert [(each.share, each.value_ns) for each in found.percentiles] == [
        (0.5, 500),
        (0.9, 900),
        (0.99, 990),
    ]
    assert (found.counted, found.min_ns, found.mean_ns, found.max_ns) == (1_000, 1, 500.5, 1_000)
    assert len(latencies_of([3.0, 1.0], step_ns=1.0).percentiles) == 1
    assert latencies_of([], step_ns=1.0).counted is None


def test_the_step_of_a_histogram_is_the_cell_with_the_median() -> None:
    (found,) = recognise(FORTIO)
    assert found.latencies.step_ns is not None
    assert round(found.latencies.step_ns) == 2_000_000
