"""Each mistake is established of a result that commits it, excluded of one that shows it did not,
and neither of one that does not tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.foreign.sample import NAMES, results
from runfair.fairness.audit import JUDGES, Read, audit
from runfair.formats.foreign.command_line import completed, read
from runfair.formats.foreign.result import Audit, ForeignResult, Judgement, Latencies, Percentile

MS = 1e6


def latencies(**changes: Any) -> Latencies:
    """Of 60,000 requests, of which none was slow by itself: a stall of 100 ms shows in full."""
    told: dict[str, Any] = {
        "counted": 60_000,
        "mean_ns": 2 * MS,
        "max_ns": 100 * MS,
        "percentiles": (
            Percentile(share=0.5, value_ns=1.2 * MS),
            Percentile(share=0.99, value_ns=60 * MS),
        ),
        "step_ns": 1e3,
    }
    return Latencies(**(told | changes))


def load(**changes: Any) -> ForeignResult:
    """An open load at 2,000/s for 30 s that tells everything."""
    told: dict[str, Any] = {
        "tool": "load",
        "seen": True,
        "kind": "load",
        "loop": "open",
        "timed_from": "schedule",
        "connections": 100,
        "duration_ns": 30e9,
        "offered_rate_per_s": 2_000.0,
        "rate_per_s": 2_000.0,
        "requests": 60_000,
        "errors": 0,
        "errors_timed": True,
        "latencies": latencies(),
        "series_ns": (tuple(1.2 * MS + 1e3 * (place % 7) for place in range(600)),),
    }
    return ForeignResult(**(told | changes))


def benchmark(**changes: Any) -> ForeignResult:
    """Six processes of one value each, on a processor of one frequency."""
    told: dict[str, Any] = {
        "tool": "benchmark",
        "seen": True,
        "kind": "benchmark",
        "latencies": Latencies(of="iterations", counted=6, mean_ns=10 * MS, step_ns=1e3),
        "executions": 6,
        "iterations": 1,
        "interval": "computable",
        "pooled": False,
        "disturbed": (),
        "series_ns": tuple((10 * MS + place * 1e4,) for place in range(6)),
    }
    return ForeignResult(**(told | changes))


def judged(result: ForeignResult) -> dict[str, Judgement]:
    (one,) = audit([Read("file", result)]).results
    return {each.mistake: each for each in one.judgements}


CASES: list[tuple[str, ForeignResult, str]] = [
    ("closed_loop", load(), "excluded"),
    ("closed_loop", load(loop="closed"), "established"),
    ("closed_loop", load(loop="paced"), "established"),
    ("closed_loop", load(loop="closed or paced"), "established"),
    ("closed_loop", load(dropped=3), "established"),
    ("closed_loop", load(loop=None), "cannot be established"),
    ("closed_loop", load(loop=None, connections=4), "established"),  # 2,000/s × 2 ms / 4 = 1
    ("closed_loop", load(loop=None, connections=3), "cannot be established"),  # 1.33
    ("pauses_left_out", load(), "excluded"),
    ("pauses_left_out", load(timed_from="sending", loop="closed"), "established"),
    ("pauses_left_out", load(timed_from="sending", loop="paced"), "established"),
    ("pauses_left_out", load(timed_from="sending", loop="open"), "excluded"),
    ("pauses_left_out", load(timed_from="sending", dropped=1), "established"),
    ("pauses_left_out", load(timed_from="sending", loop=None), "cannot be established"),
    ("pauses_left_out", load(timed_from=None), "cannot be established"),
    (
        "pauses_left_out",
        load(latencies=latencies(max_ns=8_000 * MS)),
        "cannot be established",
    ),
    (
        "pauses_left_out",
        load(timed_from="sending", latencies=latencies(max_ns=8_000 * MS)),
        "cannot be established",
    ),
    ("warm_up", load(), "excluded"),
    ("warm_up", load(series_ns=((5 * MS,) * 200 + (1.2 * MS,) * 400,)), "established"),
    ("warm_up", load(series_ns=(), warmup_left_out=False), "established"),
    ("warm_up", load(series_ns=(), warmup_left_out=True), "cannot be established"),
    ("warm_up", load(series_ns=(), warmup_left_out=None), "cannot be established"),
    (
        "warm_up",
        benchmark(series_ns=((10 * MS,) * 50, (90 * MS,) * 20 + (10 * MS,) * 50)),
        "established",
    ),
    ("warm_up", benchmark(series_ns=((10 * MS,) * 3,)), "cannot be established"),
    ("peak", load(), "excluded"),
    ("peak", load(offered_rate_per_s=None, loop="closed"), "established"),
    ("peak", load(offered_rate_per_s=2_100.0), "established"),
    (
        "peak",
        load(offered_rate_per_s=None, loop="closed or paced", connections=4),
        "established",
    ),
    ("peak", load(offered_rate_per_s=None), "cannot be established"),
    ("peak", load(rate_per_s=None), "cannot be established"),
    ("starved_rate", load(), "excluded"),
    ("starved_rate", load(dropped=12), "established"),
    ("starved_rate", load(rate_per_s=1_950.0), "established"),
    ("starved_rate", load(offered_rate_per_s=None), "cannot be established"),
    ("starved_rate", load(offered_rate_per_s=None, loop="closed"), "excluded"),
    ("errors_counted", load(), "excluded"),
    ("errors_counted", load(errors=1), "established"),
    ("errors_counted", load(errors=1, errors_timed=None), "cannot be established"),
    ("errors_counted", load(errors=2, unanswered=1), "established"),
    ("errors_counted", load(errors=2, unanswered=2), "cannot be established"),
    ("errors_counted", load(errors=None), "cannot be established"),
    ("too_few", load(), "excluded"),
    ("too_few", load(latencies=latencies(counted=367)), "established"),
    ("too_few", load(latencies=latencies(counted=368)), "excluded"),
    ("too_few", load(latencies=latencies(counted=None)), "cannot be established"),
    (
        "too_few",
        load(tool="percentile spectrum", latencies=latencies(percentiles=())),
        "cannot be established",
    ),
    ("not_of_requests", load(), "excluded"),
    (
        "not_of_requests",
        benchmark(latencies=latencies(of="iterations", counted=6)),
        "established",
    ),
    (
        "not_of_requests",
        load(timed_from="sending", connections=1),
        "cannot be established",
    ),
    ("not_of_requests", load(tool="interval log"), "cannot be established"),
    ("unit_of_repetition", benchmark(), "excluded"),
    ("unit_of_repetition", benchmark(executions=4), "established"),
    ("unit_of_repetition", benchmark(pooled=True), "established"),
    ("unit_of_repetition", benchmark(executions=None), "cannot be established"),
    ("unit_of_repetition", load(executions=1), "established"),
    ("no_interval", benchmark(), "excluded"),
    ("no_interval", benchmark(interval="stated"), "excluded"),
    ("no_interval", load(), "established"),
    ("no_interval", benchmark(executions=1, series_ns=((1.0, 2.0),)), "established"),
    ("no_interval", benchmark(series_ns=()), "cannot be established"),
    ("resolution", load(), "excluded"),
    ("resolution", load(latencies=latencies(step_ns=0.07 * MS)), "established"),
    ("resolution", load(latencies=latencies(step_ns=None)), "cannot be established"),
    ("disturbed", benchmark(), "excluded"),
    ("disturbed", benchmark(disturbed=("a debug library",)), "established"),
    ("disturbed", benchmark(disturbed=None), "cannot be established"),
    ("unequal_builds", benchmark(), "cannot be established"),
    (
        "unequal_builds",
        benchmark(build={"python_implementation": "cpython", "python_config_args": "--with-lto"}),
        "established",
    ),
    (
        "unequal_builds",
        benchmark(
            build={
                "python_implementation": "cpython",
                "python_config_args": "'--enable-optimizations' '--with-lto'",
            }
        ),
        "cannot be established",
    ),
]


@pytest.mark.parametrize(
    ("mistake", "result", "status"),
    CASES,
    ids=[f"{mistake}-{status}-{place}" for place, (mistake, _, status) in enumerate(CASES)],
)
def test_a_mistake(mistake: str, result: ForeignResult, status: str) -> None:
    found = judged(result)[mistake]
    assert found.status == status, found.evidence
    assert found.evidence


def test_every_mistake_has_cases_that_turn_it() -> None:
    by_mistake: dict[str, set[str]] = {}
    for mistake, _, status in CASES:
        by_mistake.setdefault(mistake, set()).add(status)
    assert set(by_mistake) == {each.name for each in JUDGES}
    # Of one result alone, that its build was fair cannot be excluded: there is no other side.
    assert {mistake for mistake, seen in by_mistake.items() if len(seen) < 3} == {"unequal_builds"}


def test_evidence_quotes_the_values() -> None:
    found = judged(load(loop="closed", connections=4, dropped=None))
    assert (
        "each connection had 1.00 requests under way on average "
        "(2,000 requests/s × 2 ms mean latency / 4 connections)"
    ) in found["closed_loop"].evidence
    few = judged(load(latencies=latencies(counted=100)))["too_few"]
    assert (
        "a 95% confidence interval of p99 needs 368 values, but the file has only 100"
    ) in few.evidence
    assert "enough for p50" in few.evidence
    warm = judged(load(series_ns=((5 * MS,) * 200 + (1.2 * MS,) * 400,)))["warm_up"]
    assert "steady only at value 200 of 600" in warm.evidence
    restless = (10 * MS,) * 50 + (12 * MS,) * 30 + (15 * MS,) * 20
    forks = judged(benchmark(series_ns=(restless, *((10 * MS,) * 100,) * 4)))["warm_up"]
    assert "execution 1 of 5 did not become steady within its 100 values" in forks.evidence


def test_printed_means_without_values_give_no_interval() -> None:
    found = judged(results("hyperfine.txt")[0])["no_interval"]
    assert found.status == "cannot be established"
    assert "does not contain the values of the individual executions" in found.evidence


def test_values_that_autocannon_added_are_no_times_of_requests() -> None:
    command = read("autocannon -c 4 -R 100 http://h")
    assert command is not None
    found = judged(completed(results("autocannon.json")[0], command))
    for mistake in ("not_of_requests", "pauses_left_out"):
        assert found[mistake].status == "cannot be established"
        assert "autocannon adds values" in found[mistake].evidence


def test_what_tells_nothing_passes_nothing() -> None:
    """A result with nothing in it: no mistake is excluded but those that it has no figure for."""
    for kind in ("load", "benchmark"):
        found = judged(ForeignResult(tool="x", seen=True, kind=kind))
        excluded = {name for name, each in found.items() if each.status == "excluded"}
        assert excluded <= {"too_few", "not_of_requests"}


EXPECTED: Mapping[str, Mapping[str, str]] = {
    "wrk.txt": {
        "closed_loop": "established",
        "pauses_left_out": "established",
        "warm_up": "established",
        "peak": "established",
        "not_of_requests": "cannot be established",
        "unequal_builds": "cannot be established",
    },
    "wrk-errors.txt": {"errors_counted": "established", "too_few": "excluded"},
    "documented-wrk2.txt": {
        "closed_loop": "excluded",
        "pauses_left_out": "excluded",
        "warm_up": "cannot be established",
        "peak": "cannot be established",
        "resolution": "established",
    },
    "vegeta.json": {"closed_loop": "cannot be established", "resolution": "excluded"},
    "k6-starved.txt": {"starved_rate": "established", "pauses_left_out": "established"},
    "k6-closed.txt": {"peak": "established", "errors_counted": "established"},
    "autocannon.json": {"resolution": "established", "too_few": "established"},
    "fortio.json": {"peak": "excluded", "starved_rate": "excluded", "resolution": "established"},
    "h2load.txt": {"peak": "established", "too_few": "excluded"},
    "hey.txt": {"peak": "cannot be established"},
    "jmh.json": {
        "unit_of_repetition": "established",
        "not_of_requests": "established",
        "too_few": "established",
        "no_interval": "excluded",
        "disturbed": "cannot be established",
    },
    "pyperf.json": {"unit_of_repetition": "established", "unequal_builds": "established"},
    "hyperfine.json": {"unit_of_repetition": "excluded", "no_interval": "excluded"},
    "google.json": {"disturbed": "established", "no_interval": "established"},
    "go-bench-count.txt": {"unit_of_repetition": "established"},
    "criterion.txt": {"unit_of_repetition": "established", "no_interval": "excluded"},
}


@pytest.mark.parametrize("name", EXPECTED)
def test_what_real_outputs_give(name: str) -> None:
    found = judged(results(name)[0])
    assert {mistake: found[mistake].status for mistake in EXPECTED[name]} == EXPECTED[name]


@pytest.mark.parametrize("name", NAMES)
def test_every_sample_is_audited_and_its_record_read_again(name: str) -> None:
    found = results(name)
    done = audit([Read(name, each) for each in found])
    assert Audit.model_validate_json(done.model_dump_json()).results == tuple(
        each.model_copy(update={"result": each.result.model_copy(update={"series_ns": ()})})
        for each in done.results
    )
    for each in done.results:
        concerned = {one.mistake for one in each.judgements}
        assert len(concerned) == len(each.judgements) >= 6
        assert each.cannot_be_said


@given(
    st.builds(
        load,
        loop=st.sampled_from(["closed", "paced", "closed or paced", "open", None]),
        timed_from=st.sampled_from(["sending", "schedule", None]),
        connections=st.one_of(st.none(), st.integers(0, 1_000)),
        offered_rate_per_s=st.one_of(st.none(), st.floats(0, 1e6)),
        rate_per_s=st.one_of(st.none(), st.floats(0, 1e6)),
        duration_ns=st.one_of(st.none(), st.floats(0, 1e12)),
        requests=st.one_of(st.none(), st.integers(0, 10**9)),
        errors=st.one_of(st.none(), st.integers(0, 10**9)),
        dropped=st.one_of(st.none(), st.integers(0, 10**6)),
        series_ns=st.lists(st.lists(st.floats(0, 1e12), max_size=30).map(tuple), max_size=3).map(
            tuple
        ),
        latencies=st.builds(
            Latencies,
            counted=st.one_of(st.none(), st.integers(0, 10**9)),
            mean_ns=st.one_of(st.none(), st.floats(0, 1e12)),
            max_ns=st.one_of(st.none(), st.floats(0, 1e12)),
            step_ns=st.one_of(st.none(), st.floats(0, 1e9)),
            percentiles=st.lists(
                st.builds(Percentile, share=st.floats(0, 1), value_ns=st.floats(0, 1e12)),
                max_size=4,
            ).map(tuple),
        ),
    )
)
def test_no_values_break_a_judgement(result: ForeignResult) -> None:
    found = judged(result)
    assert len(found) == len(JUDGES)
    if result.loop in ("closed", "paced", "closed or paced"):
        assert found["closed_loop"].status == "established"
    if result.timed_from is None:
        assert found["pauses_left_out"].status != "excluded"
