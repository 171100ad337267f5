"""The spectrum says what HdrHistogram's own does, and ends at the greatest value."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest

from runfair.export.latencies import percentile_spectrum
from runfair.formats.foreign import percentile_spectrum as audited
from runfair.formats.foreign.source import Source
from runfair.formats.histogram import Histogram
from runfair.paths import REPOSITORY

SAMPLES = REPOSITORY / "lab" / "tests" / "formats" / "foreign" / "samples"
ROW = re.compile(r"^ *([\d.]+) +([\d.]+) +(\d+)(?: +([\d.]+))?$", re.MULTILINE)


def histogram(values: dict[int, int]) -> Histogram:
    """Cells of one value each, so that nothing is rounded."""
    known = np.array(sorted(values), dtype=np.int64)
    counts = np.array([values[one] for one in known.tolist()], dtype=np.int64)
    return Histogram(known, known, counts)


EVEN = histogram({1_000_000 + n: 1 for n in range(200_000)})


def rows(text: str) -> list[tuple[float, float, int]]:
    return [(float(v), float(share), int(n)) for v, share, n, _ in ROW.findall(text)]


@pytest.mark.parametrize("count", [1, 10, 20_000])
def test_each_value_is_the_least_that_so_many_do_not_exceed(count: int) -> None:
    hdrh = pytest.importorskip("hdrh.histogram", reason="its wheels are for x86-64 alone")
    random = np.random.default_rng(count)
    official = hdrh.HdrHistogram(1, 3_600_000_000_000, 3)
    recorded = (2e9 * np.exp(random.normal(0, 0.8, count))).astype(int).tolist()
    for value in recorded:
        official.record_value(value)
    seen = rows(percentile_spectrum(Histogram.decoded(official.encode().decode())))
    assert seen[-1][1:] == (1.0, count)
    ends_ms = np.sort([official.get_highest_equivalent_value(one) / 1e6 for one in recorded])
    for value_ms, share, reached in seen:
        assert reached == np.count_nonzero(ends_ms <= value_ms + 0.0006)
        assert reached / count >= share
        assert np.count_nonzero(ends_ms < value_ms - 0.0006) / count < max(share, 1e-9)


def test_steps_are_five_in_each_half_of_what_is_left() -> None:
    shares = [share for _, share, _ in rows(percentile_spectrum(EVEN))]
    expected = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.775, 0.8]
    assert shares[: len(expected)] == pytest.approx(expected)


def test_the_steps_are_those_of_the_load_generators_own_spectrum() -> None:
    sample = SAMPLES / "spectrum.hgrm"
    theirs = {share for _, share, _ in rows(sample.read_text())}
    ours = {share for _, share, _ in rows(percentile_spectrum(EVEN))}
    assert len(theirs) > 40
    assert {share for share in theirs if share < 0.999} <= ours


def test_values_rise_and_the_last_is_the_greatest() -> None:
    seen = rows(percentile_spectrum(histogram({n * 1_000_000: 1000 - n for n in range(1, 1000)})))
    assert seen[0][1] == 0.0
    assert seen[-1] == (999.0, 1.0, sum(range(1, 1000)))
    for before, after in pairwise(seen):
        assert before[0] <= after[0]
        assert before[1] < after[1]
        assert before[2] <= after[2]
    assert len(seen) > 50


def test_one_stall_in_a_million_is_in_it() -> None:
    seen = rows(percentile_spectrum(histogram({2_000_000: 999_999, 900_000_000: 1})))
    assert seen[-1] == (900.0, 1.0, 1_000_000)
    assert {value for value, _, _ in seen} == {2.0, 900.0}


def test_the_foot_counts_and_averages() -> None:
    text = percentile_spectrum(histogram({1_000_000: 3, 5_000_000: 1}))
    assert "#[Mean    =        2.000, StdDeviation   =        1.732]" in text
    assert re.search(r"#\[Max     =        5\.000, Total count    = +4\]", text)


def test_nothing_counted_is_a_spectrum_without_rows() -> None:
    text = percentile_spectrum(histogram({}))
    assert rows(text) == []
    assert "Total count    =            0]" in text


def test_our_own_audit_reads_it() -> None:
    text = percentile_spectrum(histogram({1_000_000: 99, 5_000_000: 1}))
    found = next(audited.read(Source.of(text)))
    assert (found.tool, found.requests) == ("percentile spectrum", 100)
