"""What is stored of a run is what the checks read of it."""

from __future__ import annotations

import numpy as np

from fairness.stored.archive import COLUMNS, packed_requests, unpacked_requests
from simulated.requests import MILLISECOND, arrivals, frozen
from simulated.service_load import Load


def test_requests_are_kept_to_the_microsecond() -> None:
    intended = arrivals(700, 3)
    random = np.random.default_rng(1)
    work = random.integers(1, 50 * MILLISECOND, len(intended))
    load = Load(frozen(intended, work), 700.0).failing(0.1, "wrong_body")
    rows = np.sort(load.records.rows, order="intended_ns")
    told = unpacked_requests(packed_requests(load.records))
    assert tuple(told) == COLUMNS
    for name in COLUMNS:
        expected = rows[name].astype(np.int64)
        if name.endswith("_ns"):
            expected = expected // 1000 * 1000
        assert np.array_equal(told[name], expected), name
