"""The V2 compressed form of HdrHistogram, against vectors and its official reader."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.formats.histogram import Histogram, NotAHistogram

# Written by the official Python port from VALUES: 1 ns to an hour, three digits.
VECTOR = "HISTFAAAADF4nJNpmSzMwMAgyAABzFCaEch0M9ixgMH+A1SAabY8SyzT82Cm2fEsvduZmADBDwj+"
VALUES = (1, 2000, 2000, 2049, 81_234, 5_000_000, 5_000_001, 3_599_999_999_999)
HOUR_NS = 3_600_000_000_000


def packed(counts: bytes, digits: int = 3, lowest: int = 1, highest: int = HOUR_NS) -> str:
    header = struct.pack(">IiiiQQd", 0x1C849313, len(counts), 0, digits, lowest, highest, 1.0)
    body = zlib.compress(header + counts)
    return base64.b64encode(struct.pack(">Ii", 0x1C849314, len(body)) + body).decode()


def test_values_lie_in_their_cells_to_three_digits() -> None:
    histogram = Histogram.decoded(VECTOR)
    assert histogram.counts.tolist() == [1, 2, 1, 1, 2, 1]
    assert histogram.total == len(VALUES)
    for value in VALUES:
        (cell,) = np.flatnonzero((histogram.least <= value) & (value <= histogram.greatest))
        assert histogram.greatest[cell] - histogram.least[cell] < max(1, value / 1000)


def test_percentiles_are_ranks() -> None:
    histogram = Histogram.decoded(VECTOR)
    assert histogram.value_at(0) == histogram.value_at(1 / 8) == 1
    assert histogram.value_at(0.13) == histogram.value_at(3 / 8) == 2000
    assert histogram.value_at(0.5) == 2049
    assert histogram.value_at(1) == histogram.max
    with pytest.raises(ValueError, match="0 to 1"):
        histogram.value_at(50)


def test_an_empty_one_has_no_percentile() -> None:
    for empty in (Histogram.merged([]), Histogram.decoded(packed(b""))):
        assert (empty.total, empty.max, empty.value_at(0.5)) == (0, None, None)


def test_merging_adds_cell_by_cell() -> None:
    one = Histogram.decoded(VECTOR)
    other = Histogram.decoded(packed(b"\x01\x02\x06"))  # one empty cell, 1 of 1, 3 of 2
    both = Histogram.merged([one, other, one])
    assert both.total == 2 * one.total + 4
    assert both.least.tolist() == [1, 2, *one.least.tolist()[1:]]
    assert both.counts.tolist() == [3, 3, 4, 2, 2, 4, 2]
    assert both.greatest[-1] == one.greatest[-1]


def test_counts_may_take_nine_bytes() -> None:
    greatest = (1 << 63) - 1
    zigzag = greatest << 1
    numbers = bytes([(zigzag >> 7 * place) & 0x7F | 0x80 for place in range(8)])
    histogram = Histogram.decoded(packed(numbers + bytes([zigzag >> 56])))
    assert histogram.counts.tolist() == [greatest]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "too short"),
        ("a", "not Base64"),
        ("\xe9", "not Base64"),
        (base64.b64encode(bytes(8)).decode(), "the histogram is not in the compressed V2 format"),
        (VECTOR[:-4], "the histogram is incomplete"),
        (packed(b"\x80"), "middle of a number"),
        (packed(b"\x02", digits=6), "6 significant digits"),
        (packed(b"\x02", lowest=0), "a range from 0"),
        (packed(b"\x01" * 8 + b"\xff\xff\xff\xff\x0f\x02"), "more cells"),
        (packed(b"", highest=1), "a range from 1 to 1"),
        (packed(bytes(10 << 20)), "too large"),
    ],
)
def test_what_is_none_says_why(text: str, reason: str) -> None:
    with pytest.raises(NotAHistogram, match=reason):
        Histogram.decoded(text)


@given(st.binary(max_size=200), st.integers(0, 5), st.integers(0, (1 << 64) - 1))
def test_any_counts_are_read_or_refused(counts: bytes, digits: int, lowest: int) -> None:
    try:
        histogram = Histogram.decoded(packed(counts, digits, lowest, (1 << 64) - 1))
    except NotAHistogram:
        return
    assert (histogram.counts > 0).all()
    assert (histogram.least[1:] > histogram.greatest[:-1]).all()


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(content: bytes) -> None:
    with pytest.raises(NotAHistogram):
        Histogram.decoded(base64.b64encode(content).decode())


@given(st.lists(st.integers(1, HOUR_NS), min_size=1, max_size=50), st.integers(1, 5))
def test_the_official_reader_agrees(values: list[int], digits: int) -> None:
    official = pytest.importorskip("hdrh.histogram").HdrHistogram(1, HOUR_NS, digits)
    for value in values:
        official.record_value(value)
    ours = Histogram.decoded(official.encode().decode())
    assert ours.total == official.get_total_count()
    for least, greatest, count in zip(ours.least, ours.greatest, ours.counts, strict=True):
        assert official.get_count_at_value(int(least)) == count
        assert official.get_lowest_equivalent_value(int(greatest)) == least
        assert official.get_highest_equivalent_value(int(least)) == greatest


@given(st.lists(st.integers(1, 2000), min_size=1, max_size=50), st.sampled_from([1, 50, 90, 99]))
def test_percentiles_are_the_ranks_of_the_sorted_values(values: list[int], percent: int) -> None:
    counts = np.bincount(values)[:2001]
    # Up to 2,047 every value has a cell of its own, and up to 63 a count is one byte.
    numbers = b"".join(bytes([int(count) << 1]) for count in counts)
    rank = -(-percent * len(values) // 100)
    assert Histogram.decoded(packed(numbers)).value_at(percent / 100) == sorted(values)[rank - 1]
