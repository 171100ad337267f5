"""What is read from each tool's own output."""

from __future__ import annotations

import re

import pytest

from formats.foreign.sample import INTERVAL_LOG, NAMES, result, results, text
from runfair.formats.foreign import IMPORTERS, recognise
from runfair.formats.foreign.result import ForeignResult

MS = 1e6
LOADS = {
    # sample: (tool, loop, connections, requests, errors, dropped, length in s, rate)
    "wrk.txt": ("wrk", "closed", 8, 152_330, 0, None, 2.10, 72_530.95),
    "wrk-errors.txt": ("wrk", "closed", 4, 3_872, 387, None, 1.10, 3_519.04),
    "documented-wrk2.txt": ("wrk2", "open", 100, 60_018, 0, None, 30.0, 2_000.28),
    "vegeta.txt": ("vegeta", None, None, 1_000, 0, None, 1.998, 500.57),
    "vegeta.json": ("vegeta", None, None, 1_000, 0, None, 1.9977, 500.57),
    "vegeta-errors.txt": ("vegeta", None, None, 300, 30, None, 0.9959, 301.23),
    "vegeta-hist.txt": ("vegeta", None, None, 1_000, None, None, None, None),
    "vegeta-hdrplot.txt": ("vegeta", None, None, 1_000, None, None, None, None),
    "k6-starved.txt": ("k6", "open", 1, 494, 0, 107, 2.0, 246.95),
    "k6-starved.json": ("k6", None, 1, 494, 0, 107, 2.0, 246.95),
    "k6-legacy.txt": ("k6", "open", 1, 523, 0, 77, 2.0, 261.41),
    "k6-closed.txt": ("k6", "closed", 4, 5_783, 578, 0, 2.0, 2_889.76),
    "k6-closed.json": ("k6", None, 4, 5_783, 578, None, 2.0, 2_889.76),
    "oha.txt": ("oha", "closed or paced", None, 2_000, 0, None, 0.637, 3_137.6),
    "oha.json": ("oha", "closed or paced", None, 500, 50, None, 1.003, 498.5),
    "autocannon.txt": ("autocannon", "closed or paced", 8, None, 0, None, 2.01, 3_019),
    "autocannon.json": ("autocannon", "closed or paced", 4, 6_431, 643, None, 2.01, 3_216),
    "autocannon-latency.txt": ("autocannon", "closed or paced", 4, 6_431, 644, None, 2.01, 3_216),
    "fortio.txt": ("fortio", "paced", 4, 1_000, 0, None, 2.003, 499.17),
    "fortio.json": ("fortio", "paced", 4, 1_000, 0, None, 2.003, 499.17),
    "h2load.txt": ("h2load", "closed or paced", 8, 2_000, 0, None, 0.6068, 3_295.92),
    "h2load-errors.txt": ("h2load", "closed or paced", 4, 3_527, 353, None, 1.0, 3_527),
    "hey.txt": ("hey", "closed or paced", None, 2_000, 0, None, 0.7109, 2_813.4),
    "hey-errors.txt": ("hey", "closed or paced", None, 200, 20, None, 0.502, 398.37),
    "ab.txt": ("ab", "closed", 8, 2_000, 0, None, 0.621, 3_222.81),
    "ab-errors.txt": ("ab", "closed", 4, 300, 30, None, 0.111, 2_702.39),
    "documented-bombardier.txt": (
        *("bombardier", "closed or paced", 200, 66_065, 65, None, 10.0, 6_607),
    ),
    "documented-bombardier.json": ("bombardier", "paced", 125, 20_000, 10, None, 10.0, 1_999.1),
    "jmeter.csv": ("JMeter", "closed or paced", 2, 80, 8, None, 0.126, 634.9),
    "jmeter.xml": ("JMeter", "closed or paced", 2, 20, 2, None, 0.081, 246.9),
    "locust.csv": ("Locust", "closed or paced", None, 848, 41, None, 2.999, 282.76),
    "locust-history.csv": ("Locust", "closed or paced", 4, 848, 41, None, 3.0, 282.67),
    "gatling-3.9.txt": ("Gatling", None, None, 100, 10, None, None, 50),
    "gatling-3.13.txt": ("Gatling", None, None, 100, 10, None, None, 50),
    "gatling-3.9.json": ("Gatling", None, None, 100, 10, None, 2.0, 50),
    "gatling-3.9-stats.json": ("Gatling", None, None, 100, 10, None, 2.0, 50),
    "gatling-3.9.log": ("Gatling", None, None, 100, 10, None, 1.954, 51.2),
    "spectrum.hgrm": ("percentile spectrum", None, None, 15_000, None, None, None, None),
}
LATENCIES = {
    # sample: (mean, greatest, a share and its value, step; in ms)
    "wrk.txt": (0.49737, 15.57, (0.99, 5.31), 0.001),
    "wrk-errors.txt": (1.17, 12.57, None, 0.01),
    "documented-wrk2.txt": (6.60, 12.50, (0.999, 12.30), 1.0),
    "vegeta.txt": (2.58, 4.509, (0.99, 3.521), 0.001),
    "vegeta.json": (2.580069, 4.50879, (0.99, 3.520901), 1e-6),
    "vegeta-hist.txt": (None, None, (0.953, 3.0), 1.0),
    "vegeta-hdrplot.txt": (None, 4.508790, (0.5, 2.532883), 1e-6),
    "k6-starved.txt": (2.37, 3.89, (0.95, 2.49), 0.01),
    "k6-starved.json": (2.376271666, 3.896716, (0.9, 2.4559328), 1e-6),
    "k6-closed.txt": (1.34, 6.48, (0.95, 1.8), 0.1),
    "oha.txt": (2.5397, 3.6632, (0.999, 3.4734), 1e-4),
    "oha.json": (1.19414046, 5.823603, (0.99, 2.2547), 1e-6),
    "autocannon.txt": (2.12, 15, (0.975, 3), 1),
    "autocannon.json": (0.93, 11, (0.9999, 11), 1),
    "autocannon-latency.txt": (0.94, 11, (0.999, 5), 1),
    "fortio.txt": (2.4327413, 3.618604, (0.999, 3.46395), 0.77403),
    "fortio.json": (2.43274131, 3.618604, (0.999, 3.463953), 0.774028),
    "h2load.txt": (2.42, 4.08, None, 0.01),
    "hey.txt": (2.8, 7.7, (0.99, 4.8), 0.1),
    "ab.txt": (2.482, 8, (0.9, 3), 1),
    "documented-bombardier.txt": (29.86, 305.02, (0.99, 48.0), 0.01),
    "documented-bombardier.json": (0.4715, 51.0, (0.99, 2.1), 0.001),
    "jmeter.csv": (2.65, 27, (0.5, 2), 1),
    "locust.csv": (3.47375, 38.3458, (0.99, 6), 1),
    "locust-history.csv": (3.47375, 38.3458, None, 1),
    "gatling-3.13.txt": (8, 92, (0.95, 35), 1),
    "gatling-3.9.json": (8, 94, (0.99, 92), 1),
    "gatling-3.9.log": (8.15, 94, (0.5, 3), 1),
}
BENCHMARKS = {
    # sample: (tool, names, mean of the first in ns, executions, iterations, interval, pooled)
    "jmh.json": ("JMH", ["x.B.concat", "x.B.hash"], 121.599, 2, 3, "stated", True),
    "jmh.txt": ("JMH", ["B.concat", "B.hash"], 121.599, 2, 3, "stated", True),
    "jmh-nofork.txt": ("JMH", ["B.concat"], 2_375.792, None, None, "stated", True),
    "pyperf.json": ("pyperf", ["timeit"], 765.33, 10, 2, "computable", True),
    "hyperfine.json": ("hyperfine", ["true", "sleep 0.01"], 2.3803e6, 10, 1, "computable", False),
    "hyperfine.txt": ("hyperfine", ["true", "sleep 0.01"], 2.4e6, 10, 1, "computable", False),
    "google.json": ("Google Benchmark", ["Copy/64", "Copy/4096"], 11.567, 1, 1, "none", False),
    "google.txt": ("Google Benchmark", ["Copy/64", "Copy/4096"], 11.6, 1, 1, "none", False),
    "google-repeated.json": (
        *("Google Benchmark", ["Copy/64", "Copy/4096"], 11.174, 1, 3, "computable", False),
    ),
    "go-bench.txt": (
        *("go test", ["BenchmarkRepeat-2", "BenchmarkJoin-2"], 98.66, 1, 1, "none", False),
    ),
    "go-bench-count.txt": (
        *("go test", ["BenchmarkRepeat-2", "BenchmarkJoin-2"], 62.935, 1, 6, "computable", False),
    ),
    "criterion.txt": ("criterion", ["join"], 18.778, 1, 10, "stated", False),
    "criterion-estimates.json": ("criterion", [""], 18.845, 1, None, "stated", False),
    "criterion-sample.json": ("criterion", [""], 18.845, 1, 10, "computable", False),
    "rebench.data": ("ReBench", ["Bounce Sh", "Fannkuch Sh"], 1.002e6, 2, 3, "computable", None),
}
BINARY = "gatling-3.13.log"


def near(value: float | None) -> object:
    return None if value is None else pytest.approx(value, rel=1e-3)


def test_every_sample_is_looked_at() -> None:
    assert {*LOADS, *BENCHMARKS, BINARY, "documented-techempower.json"} == set(NAMES)


def test_every_importer_has_a_sample_and_says_whether_it_was_seen() -> None:
    read = {each.tool: each.seen for name in NAMES for each in results(name)}
    read |= {each.tool: each.seen for each in recognise(INTERVAL_LOG.read_text(encoding="utf-8"))}
    assert read == {each.TOOL: each.SEEN for each in IMPORTERS}
    unseen = {tool for tool, seen in read.items() if not seen}
    assert unseen == {"wrk2", "bombardier", "TechEmpower"}


@pytest.mark.parametrize("name", LOADS)
def test_a_load(name: str) -> None:
    tool, loop, connections, requests, errors, dropped, length_s, rate = LOADS[name]
    found = result(name)
    assert (found.tool, found.kind, found.loop) == (tool, "load", loop)
    assert (found.connections, found.requests) == (connections, requests)
    assert (found.errors, found.dropped) == (errors, dropped)
    assert found.duration_ns == near(None if length_s is None else length_s * 1e9)
    assert found.rate_per_s == near(rate)


ERRORS_OF_A_LIST = """
Error distribution:
  [4] aborted due to deadline
  [3] connection closed before message completed
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "errors", "unanswered"),
    [
        (
            "wrk.txt",
            "Requests/sec",
            "  Socket errors: connect 0, read 5, write 0, timeout 2\n",
            7,
            7,
        ),
        ("hey-errors.txt", "", '\nError distribution:\n  [5]\tGet "http://x": EOF\n', 25, 5),
        ("h2load-errors.txt", " 0 errored", " 3 errored", 353, 3),
        ("autocannon.json", '"errors":0', '"errors":7', 650, 7),
        # The 4 requests were under way when the load ended.
        ("oha.txt", "", ERRORS_OF_A_LIST, 3, 3),
        (
            "oha.json",
            '"errorDistribution": {}',
            '"errorDistribution": {"aborted due to deadline": 4, "connection closed": 3}',
            *(53, 3),
        ),
    ],
)
def test_errors_without_an_answer(
    name: str, old: str, new: str, errors: int, unanswered: int
) -> None:
    """These tools count a refused or broken connection, but record no time of it."""
    whole = text(name)
    changed = whole.replace(old, f"{new}{old}" if old == "Requests/sec" else new, 1)
    (found,) = recognise(changed if old else whole + new)
    assert (found.errors, found.unanswered) == (errors, unanswered)


def test_older_releases_of_oha_print_whole_percents() -> None:
    whole = text("oha.txt")
    (found,) = recognise(whole.replace(".00% in", "% in"))
    assert found.latencies == result("oha.txt").latencies


def test_gatling_separates_thousands_and_prints_a_dash_for_no_failure() -> None:
    whole = text("gatling-3.13.txt").replace("   100 |        90 |        10", " 2,050 | 2,050 | -")
    whole = whole.replace("|        92 |", "|    37,644 |")
    (found,) = recognise(whole.replace("|        50 |", "|  8,275.68 |"))
    assert (found.requests, found.errors, found.rate_per_s) == (2_050, 0, 8_275.68)
    assert found.latencies.max_ns == near(37_644 * MS)


def test_a_metric_of_k6_may_have_a_mark_for_its_threshold() -> None:
    whole = text("k6-legacy.txt")
    names = ("http_req_duration", "http_req_failed", "http_reqs", "dropped_iterations", "vus_max")
    for name in names:
        whole = whole.replace(f"     {name}.", f"   ✗ {name}.")
    assert recognise(whole) == results("k6-legacy.txt")


def test_jmh_prints_the_decimal_separator_of_the_machines_language() -> None:
    found = recognise(text("jmh.txt").replace("121.599", "121,599").replace("178.833", "178,833"))
    assert found[0].latencies.mean_ns == near(121.599)


def test_autocannon_counts_and_times_answers_with_a_wrong_body() -> None:
    """An answer of another status, of which there are 643, may be one of them."""
    whole = text("autocannon.json")
    for mismatches, errors in ((600, 643), (700, 700)):
        (found,) = recognise(whole.replace('"mismatches":0', f'"mismatches":{mismatches}'))
        assert (found.errors, found.unanswered) == (errors, 0)
    (found,) = recognise(text("autocannon.txt") + "\n2k requests with mismatched body\n")
    assert (found.errors, found.unanswered) == (2_000, 0)


def test_autocannon_has_more_latencies_than_requests_if_it_added_some() -> None:
    whole = text("autocannon.json")
    (plain,) = recognise(whole)
    (added,) = recognise(whole.replace('"totalCount":6431', '"totalCount":9000'))
    assert "added" not in plain.basis and "added" in added.basis
    assert (plain.timed_from, added.timed_from) == ("sending", None)


@pytest.mark.parametrize(
    ("answers", "rate", "requests", "mean"),
    [
        (2_000_000, "2813347.3", 2_000_000, None),
        # Newer releases count only the status codes of the kept times.
        (1_000_000, "2813347.3", None, None),
        (1_000_000, "1406673.6", 1_000_000, 2.8 * MS),
    ],
)
def test_of_more_requests_than_hey_keeps_its_mean_is_wrong(
    answers: int, rate: str, requests: int | None, mean: float | None
) -> None:
    """hey divides the sum of all times by a million."""
    whole = text("hey.txt").replace("2000 responses", f"{answers} responses")
    (found,) = recognise(whole.replace("2813.4479", rate))
    assert (found.requests, found.latencies.counted) == (requests, 1_000_000)
    assert found.latencies.mean_ns == near(mean)
    assert found.errors == (None if requests is None else 0)


@pytest.mark.parametrize("name", LATENCIES)
def test_latencies(name: str) -> None:
    mean, greatest, percentile, step = LATENCIES[name]
    found = result(name).latencies
    assert found.mean_ns == near(None if mean is None else mean * MS)
    assert found.max_ns == near(None if greatest is None else greatest * MS)
    assert found.step_ns == near(step * MS)
    shares = {round(each.share, 6): each.value_ns for each in found.percentiles}
    if percentile is None:
        assert not shares
    else:
        assert shares[percentile[0]] == near(percentile[1] * MS)


@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_benchmark(name: str) -> None:
    tool, names, mean_ns, executions, iterations, interval, pooled = BENCHMARKS[name]
    found = results(name)
    assert [each.name for each in found] == names
    for each in found:
        assert (each.tool, each.kind) == (tool, "benchmark")
        assert (each.executions, each.iterations) == (executions, iterations)
        assert (each.interval, each.pooled) == (interval, pooled)
    assert found[0].latencies.mean_ns == near(mean_ns)


def test_techempower() -> None:
    found = results("documented-techempower.json")
    assert [(each.name, each.connections) for each in found] == [
        ("express · json", 16),
        ("express · json", 32),
        ("axum · query · 1 queries", 32),
        ("axum · query · 5 queries", 32),
    ]
    assert [each.errors for each in found] == [0, 12, 0, 0]
    assert found[0].rate_per_s == near(234_567 / 15)


def test_an_interval_log_of_our_own() -> None:
    (found,) = recognise(INTERVAL_LOG.read_text(encoding="utf-8"))
    assert (found.loop, found.timed_from, found.warmup_left_out) == ("open", "schedule", True)
    assert found.requests == found.latencies.counted == 150
    assert not found.broken_off
    assert len(found.series_ns[0]) == 8


def test_an_interval_log_of_another_writer_names_no_unit() -> None:
    ours = INTERVAL_LOG.read_text(encoding="utf-8").splitlines()
    lines = [line for line in ours if not line.startswith("#[") or "version" in line]
    found = recognise("\n".join(lines).replace("Tag=latency,", "Tag=reads,"))
    by_tag = {each.name: each for each in found}
    assert {"reads", "service_time", "warmup.latency"} <= set(by_tag)
    assert by_tag["reads"].latencies.counted == 150
    assert by_tag["reads"].latencies.max_ns is None
    assert by_tag["reads"].loop is None
    assert "unit" in by_tag["reads"].basis["unit"]


def test_an_interval_log_ends_where_a_line_cannot_be_read() -> None:
    log = INTERVAL_LOG.read_text(encoding="utf-8")
    lines = log.splitlines()
    places = [place for place, line in enumerate(lines) if line.startswith("Tag=latency")]
    lines[places[4]] = lines[places[4]][:-20] + "A" * 20
    (found,) = recognise("\n".join(lines))
    assert found.broken_off
    assert len(found.series_ns[0]) == 4


def test_a_binary_log_is_none() -> None:
    assert results(BINARY) == ()


def test_errors_of_k6_are_those_its_metric_holds() -> None:
    """Its export counts a failed request as a pass of the metric `http_req_failed`."""
    assert '"passes": 578' in text("k6-closed.json")
    assert result("k6-closed.json").errors == 578


def test_a_debug_library_is_told() -> None:
    for name in ("google.json", "google.txt", "google-repeated.json"):
        assert all(re.search("debug", str(each.disturbed), re.I) for each in results(name))


def test_single_values_are_kept_apart_by_execution() -> None:
    lengths = {
        name: [len(row) for row in results(name)[0].series_ns]
        for name in ("jmh.json", "pyperf.json", "rebench.data", "go-bench-count.txt", "jmeter.csv")
    }
    assert lengths == {
        "jmh.json": [3, 3],
        "pyperf.json": [2] * 10,
        "rebench.data": [3, 3],
        "go-bench-count.txt": [6],
        "jmeter.csv": [80],
    }


def test_go_test_started_twice_is_two_processes() -> None:
    (twice, _) = recognise(text("go-bench-count.txt") * 2)
    assert (twice.executions, twice.iterations, twice.pooled) == (2, 6, True)


def test_series_are_not_written_into_records() -> None:
    found = result("jmeter.csv")
    read = ForeignResult.model_validate_json(found.model_dump_json())
    assert read.series_ns == ()
    assert read.latencies == found.latencies


def test_a_failure_message_of_several_lines_ends_no_table() -> None:
    rows = [
        "timeStamp,elapsed,label,responseCode,success,failureMessage,allThreads",
        "1795317553000,12,pay,200,true,,4",
        '1795317553010,14,pay,200,false,"Test failed: text expected to equal /',
        "",
        '****** received  : [[[""no""]]]',
        '/",4',
        "1795317553020,13,pay,200,true,,4",
    ]
    (found,) = recognise("\n".join(rows) + "\n")
    assert (found.requests, found.errors) == (3, 1)


def test_benchmarks_of_two_packages_are_kept_apart() -> None:
    of_one = "goos: linux\ngoarch: amd64\npkg: example.org/{}\nBenchmarkNew-2 100 {} ns/op\nPASS\n"
    found = recognise(of_one.format("a", 10.0) + of_one.format("b", 30.0))
    assert [(one.name, one.latencies.mean_ns) for one in found] == [
        ("example.org/a.BenchmarkNew-2", 10.0),
        ("example.org/b.BenchmarkNew-2", 30.0),
    ]
