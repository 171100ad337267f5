"""A real load on a real server, from its building to its files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from loading.server import Server
from runfair.errors import UserMistake
from runfair.formats.histogram import merged, read_intervals
from runfair.formats.records_file import read_records
from runfair.loading.generator import LoadFiles, start
from runfair.loading.load import NS_PER_S, Load
from runfair.loading.traffic import Expectation, HttpRequest


def test_a_second_at_200_requests_a_second(
    load_generator: Path, server: Server, tmp_path: Path
) -> None:
    load = Load(
        server.url,
        rate=200,
        duration_ns=NS_PER_S,
        warmup_ns=NS_PER_S // 4,
        connections=4,
        traffic=HttpRequest(headers=(("X-Number", "${sequence}"),)),
        expectation=Expectation("200", body_contains="hello"),
    )
    files = LoadFiles.below(tmp_path, records=True)
    with start(load_generator, load, files) as session:
        followed = list(session)
        result = session.result()

    assert server.requests == 200
    requests = result.requests
    counts = (requests.scheduled, requests.sent, requests.completed, requests.good)
    assert counts == (200, 200, 200, 200)
    assert (requests.failed, requests.checked) == (0, 200)
    assert (result.ended, result.loop, result.target) == ("schedule", "open", server.url)
    assert [phase.good for phase in result.phases] == [50, 150]

    assert len(followed) >= 2
    elapsed = [progress.elapsed_ns for progress in followed]
    assert elapsed == sorted(elapsed)
    assert all(progress.sent <= progress.scheduled <= 200 for progress in followed)

    assert files.hlog is not None
    intervals = list(read_intervals(files.hlog))
    assert merged(intervals, "latency").total == 200
    assert merged(intervals, "latency", warmup=True).total == 50

    assert files.records is not None
    rows = read_records(files.records).rows
    assert sorted(rows["index"]) == list(range(200))
    by_index = rows[np.argsort(rows["index"])]
    # Request k of a constant rate is intended instant k/rate, without drift.
    assert by_index["intended_ns"].tolist() == [k * NS_PER_S // 200 for k in range(200)]
    assert (rows["intended_ns"] <= rows["sent_ns"]).all()
    assert (rows["sent_ns"] <= rows["done_ns"]).all()
    assert "200 scheduled" in files.table.read_text()


def test_an_interrupted_load_keeps_its_files(
    load_generator: Path, server: Server, tmp_path: Path
) -> None:
    load = Load(server.url, rate=200, duration_ns=60 * NS_PER_S, connections=4)
    files = LoadFiles.below(tmp_path)
    with start(load_generator, load, files) as session:
        for progress in session:
            if progress.completed >= 20:
                session.interrupt()
        result = session.result()
    assert result.ended == "interrupted"
    requests = result.requests
    assert 20 <= requests.good < 6000
    assert requests.good + requests.failed == requests.scheduled
    assert files.hlog is not None
    assert merged(read_intervals(files.hlog), "latency").total == requests.good


def test_a_wrong_answer_is_a_result(load_generator: Path, server: Server, tmp_path: Path) -> None:
    load = Load(
        server.url,
        closed=True,
        requests=20,
        connections=2,
        expectation=Expectation(body_contains="goodbye"),
    )
    with start(load_generator, load, LoadFiles.below(tmp_path)) as session:
        result = session.result()
    assert (result.loop, result.mode, result.arrivals) == ("closed", None, None)
    assert (result.requests.good, result.requests.failures.wrong_body) == (0, 20)
    assert result.latency_ns.count == 0


@pytest.mark.parametrize(
    ("url", "message"),
    [("http://127.0.0.1:1/", "127.0.0.1:1"), ("ftp://127.0.0.1/", "ftp")],
)
def test_a_load_that_cannot_begin_is_one_line(
    load_generator: Path, tmp_path: Path, url: str, message: str
) -> None:
    load = Load(url, rate=10, duration_ns=NS_PER_S)
    with (
        start(load_generator, load, LoadFiles.below(tmp_path)) as session,
        pytest.raises(UserMistake, match=message) as caught,
    ):
        session.result()
    assert "\n" not in str(caught.value)


EVERY_LOAD = [
    Load("http://127.0.0.1:1/", rate="1000:10s,2000..5000:30s", seed=3, timeout_ns=NS_PER_S),
    Load("http://127.0.0.1:1/", rate=2.5, requests=7, arrivals="poisson", mode="precise"),
    Load("redis://127.0.0.1:1", closed=True, duration_ns=NS_PER_S, pipeline=16),
    Load(
        "http://127.0.0.1:1/",
        rate=1,
        duration_ns=NS_PER_S,
        threads=2,
        processors=(0, 1),
        traffic=HttpRequest("POST", (("A", "b"),), body="${key}", keys=9),
        expectation=Expectation("2xx", "0" * 64, "a", {"/a/0": {"b": None}}, 0.5),
    ),
]


@pytest.mark.parametrize("load", EVERY_LOAD)
def test_every_option_is_understood(load_generator: Path, tmp_path: Path, load: Load) -> None:
    """Nobody listens, so a command line that is understood comes as far as that."""
    with (
        start(load_generator, load, LoadFiles.below(tmp_path)) as session,
        pytest.raises(UserMistake, match=r"127\.0\.0\.1:1"),
    ):
        session.result()
