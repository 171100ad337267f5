"""A written interval log is read as it was meant."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from runfair.formats.histogram import Histogram, merged, ranges, read_intervals
from runfair.formats.interval_log import cell_of, encoded, write_intervals

VALUES = st.lists(st.integers(0, 2**61), min_size=1, max_size=50)


@given(VALUES)
def test_a_histogram_is_read_as_it_was_written(values: list[int]) -> None:
    whole = np.array(values, dtype=np.int64)
    read = Histogram.decoded(encoded(whole))
    assert read.total == len(values)
    assert np.repeat(read.least, read.counts).tolist() <= sorted(values)
    assert (np.repeat(read.greatest, read.counts) >= np.sort(whole)).all()


@given(VALUES)
def test_a_value_lies_in_its_cell(values: list[int]) -> None:
    whole = np.array(values, dtype=np.int64)
    least, width = ranges(cell_of(whole), 3, 1)
    assert ((least <= whole) & (whole < least + width)).all()
    assert (width <= np.maximum(1, whole // 1000)).all()


def test_values_are_in_the_interval_in_which_they_were_known(tmp_path: Path) -> None:
    path = tmp_path / "load.hlog"
    at = np.array([5, 1_050, 1_070, 3_000], dtype=np.int64) * 100_000
    values = np.array([10, 20, 30, 40], dtype=np.int64)
    write_intervals(path, 0, 100_000_000, {"latency": (at, values), "send_lag": (at, values + 1)})
    read = list(read_intervals(path))
    of_latency = [one for one in read if one.quantity == "latency"]
    assert [(one.start_ns, one.histogram.total) for one in of_latency] == [
        (0, 1),
        (100_000_000, 2),
        (300_000_000, 1),
    ]
    assert merged(read, "send_lag").value_at(1) == 41
    assert [one.start_ns for one in read] == sorted(one.start_ns for one in read)
