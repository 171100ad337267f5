"""Spans of the slowest requests, and which instants lie in them."""

from __future__ import annotations

import numpy as np

from runfair.evidence.probed import SlowRequests, slowest
from runfair.formats.records_file import Records, RecordsHeader

BASE_NS = 1_000_000_000
MS = 1_000_000
FIELDS = [("kind", "u1"), ("intended_ns", "<u8"), ("sent_ns", "<u8"), ("done_ns", "<u8")]


def records(*requests: tuple[str, int, int, int]) -> Records:
    """Kind, intended, sent and done, in milliseconds since the load's start."""
    header = RecordsHeader.model_validate(
        {
            "format": "runfair-load records",
            "version": 1,
            "loop": "open",
            "kinds": ["good", "timeout"],
            "start_monotonic_ns": BASE_NS,
            "start_realtime_ns": 0,
            "record_bytes": np.dtype(FIELDS).itemsize,
            "fields": [{"name": "kind", "type": "u8", "offset": 0}],
        }
    )
    rows = np.array(
        [(header.kinds.index(kind), *(time * MS for time in times)) for kind, *times in requests],
        dtype=FIELDS,
    )
    return Records(header, rows)


def test_the_slowest_percent_of_the_good_requests() -> None:
    quick = [("good", at, at, at + 1) for at in range(0, 990, 5)]
    slow = [("good", 300, 310, 400), ("good", 350, 390, 450)]
    failed = [("timeout", 0, 0, 9_000)]
    found = slowest(records(*quick, *slow, *failed))
    assert found is not None
    assert (found.requests, found.from_ns) == (2, 100 * MS)
    # They overlap, and the wait before sending is the generator's.
    assert found.spans.tolist() == [[BASE_NS + 310 * MS, BASE_NS + 450 * MS]]
    instants = [BASE_NS + at * MS for at in (0, 309, 310, 400, 449, 450, 9_000)]
    assert found.count(instants) == 3
    assert found.count([]) == 0


def test_too_few_requests_have_no_slowest_percent() -> None:
    assert slowest(records(*(("good", at, at, at + 1) for at in range(99)))) is None


def test_instants_between_spans_are_outside() -> None:
    spans = np.array([[10, 20], [30, 40]], dtype=np.int64)
    found = SlowRequests(2, 0, spans)
    assert [found.count([at]) for at in (9, 10, 19, 20, 29, 30, 39, 40)] == [0, 1, 1, 0, 0, 1, 1, 0]
