"""Interval logs: every line read, or the file refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from runfair.formats.histogram import QUANTITIES, Interval, merged, read_intervals
from runfair.formats.load_result import read_result
from runfair.formats.record import BrokenLoadFile
from runfair.formats.records_file import read_records

SAMPLES = Path(__file__).with_name("samples")
LOG = SAMPLES / "load.hlog"


def test_a_loads_log_holds_every_request_once() -> None:
    intervals = list(read_intervals(LOG))
    result = read_result(SAMPLES / "load.json")
    for quantity in QUANTITIES:
        assert merged(intervals, quantity).total == getattr(result, f"{quantity}_ns").count == 200
    warm, measured = result.phases
    assert merged(intervals, "latency", warmup=True).total == warm.good == 50
    assert merged(intervals, "latency", warmup=False).total == measured.good == 150


def test_the_log_holds_what_the_records_hold() -> None:
    rows = read_records(SAMPLES / "load.records").rows
    values = {
        "latency": rows["done_ns"] - rows["intended_ns"],
        "queue_wait": np.maximum(rows["free_ns"], rows["intended_ns"]) - rows["intended_ns"],
        "send_lag": rows["sent_ns"] - np.maximum(rows["free_ns"], rows["intended_ns"]),
        "service_time": rows["done_ns"] - rows["sent_ns"],
    }
    intervals = list(read_intervals(LOG))
    for quantity in QUANTITIES:
        histogram = merged(intervals, quantity)
        found = np.histogram(values[quantity], [*histogram.least, histogram.max])[0]
        assert found.sum() == histogram.total
        cells = np.searchsorted(histogram.least, values[quantity].astype(np.int64), "right") - 1
        assert np.bincount(cells).tolist() == histogram.counts.tolist(), quantity


def test_intervals_follow_one_another() -> None:
    latencies = [each for each in read_intervals(LOG) if each.quantity == "latency"]
    starts = [each.start_ns for each in latencies]
    assert starts == sorted(starts)
    assert len({*starts}) >= 9
    assert all(0 < each.length_ns <= 1_000_000_000 for each in latencies)


def test_the_official_log_reader_agrees() -> None:
    log = pytest.importorskip("hdrh.log")
    histogram = pytest.importorskip("hdrh.histogram").HdrHistogram(1, 3_600_000_000_000, 3)
    official = log.HistogramLogReader(str(LOG), histogram)
    for interval in read_intervals(LOG):
        other = official.get_next_interval_histogram()
        tag = f"warmup.{interval.quantity}" if interval.warmup else interval.quantity
        assert (other.get_tag(), other.get_total_count()) == (tag, interval.histogram.total)
        assert other.get_value_at_percentile(100) == interval.histogram.max
    assert official.get_next_interval_histogram() is None
    official.close()


def changed(path: Path, old: str, new: str) -> Path:
    text = LOG.read_text()
    assert old in text
    file = path / "load.hlog"
    file.write_text(text.replace(old, new, 1))
    return file


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("version 1.3", "version 1.2", "line 1: the file is not an interval log of format 1.3"),
        ("Tag=send_lag", "Tag=send_log", "the quantity send_log is unknown"),
        ("Tag=latency,", "", "describes no interval"),
        ("Tag=latency,0.", "Tag=latency,x.", "describes no interval"),
        (
            "HISTFAAAA",
            "HISTFAAAB",
            "the histogram is damaged (the histogram is incomplete, or is followed by other "
            "bytes); restore the file",
        ),
        (
            "HISTF",
            "HISTE",
            ("the histogram is damaged (the histogram is not in the compressed V2 format)"),
        ),
    ],
)
def test_a_line_that_cannot_be_read_is_named(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    with pytest.raises(BrokenLoadFile, match=r"load\.hlog: line \d+: ") as caught:
        list(read_intervals(changed(tmp_path, old, new)))
    assert message in str(caught.value)


def test_a_torn_last_line_is_not_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "load.hlog"
    file.write_bytes(LOG.read_bytes()[:-1])
    read: list[Interval] = []
    with pytest.raises(BrokenLoadFile, match="this line is incomplete"):
        for interval in read_intervals(file):
            read.append(interval)
    assert len(read) == len(list(read_intervals(LOG))) - 1
    with pytest.raises(BrokenLoadFile, match=r"cannot be read \(No such file"):
        list(read_intervals(tmp_path / "nothing"))
    file.write_bytes(b"#[Histogram log format version 1.3]\n\xff\n")
    with pytest.raises(BrokenLoadFile, match=r"cannot be read \('ascii'"):
        list(read_intervals(file))
