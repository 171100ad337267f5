"""What is read from a load's files, against the requests that they were made from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence.honest_services import lognormal
from runfair.evidence.load import LoadEvidence, Queries, examine, probe
from runfair.evidence.windows import LEAST_REQUESTS
from runfair.formats.histogram import Histogram
from runfair.formats.records_file import Records
from runfair.formats.service import SHARES
from runfair.statistics.percentile import ranks
from simulated.requests import (
    INTERVAL_NS,
    KINDS,
    MILLISECOND,
    NO_PAUSES,
    SECOND,
    IntArray,
    arrivals,
    frozen,
    histogram,
    true_percentile,
)
from simulated.service_load import Load

# Three significant digits: a cell is at most a 1,024th of its values wide.
PRECISION = 1 / 1024
RATE_PER_S = 2000.0
WARM_UP_NS = 2 * SECOND


def load_of(work_ns: IntArray, pauses_ns: IntArray = NO_PAUSES, **changes: Any) -> Load:
    intended = arrivals(RATE_PER_S, len(work_ns) / RATE_PER_S)
    return replace(
        Load(frozen(intended, work_ns, pauses_ns), RATE_PER_S, pauses_ns=pauses_ns), **changes
    )


def seen(load: Load, queries: Queries | None = None) -> LoadEvidence:
    return examine(load.result, load.intervals, load.usage, 0.0, queries)


def constant(random: np.random.Generator, count: int) -> IntArray:
    del random
    return np.full(count, 2 * MILLISECOND, dtype=np.int64)


def spread(random: np.random.Generator, count: int) -> IntArray:
    return lognormal(random, 2 * MILLISECOND, 0.4, count)


def bimodal(random: np.random.Generator, count: int) -> IntArray:
    """One in ten is looked up elsewhere."""
    slow = random.random(count) < 0.1
    work: IntArray = np.where(
        slow,
        lognormal(random, 9 * MILLISECOND, 0.05, count),
        lognormal(random, 1 * MILLISECOND, 0.05, count),
    )
    return work


def stops(random: np.random.Generator, seconds: int) -> IntArray:
    """One of 80 ms in every two seconds."""
    starts = np.arange(0, seconds * SECOND, 2 * SECOND) + random.integers(
        0, SECOND, (seconds + 1) // 2
    )
    return np.stack((starts, starts + 80 * MILLISECOND), axis=1)


def enclosing(held: Histogram, share: float) -> tuple[int | None, int | None]:
    """The outer ends of the cells that enclose a percentile with 95% confidence."""
    found, until = ranks(share, held.total), np.cumsum(held.counts)
    return (
        None if found.low is None else int(held.least[np.searchsorted(until, found.low)]),
        None if found.high is None else int(held.greatest[np.searchsorted(until, found.high)]),
    )


@pytest.mark.parametrize("stopped", [False, True], ids=["no pauses", "80 ms pauses"])
@pytest.mark.parametrize("work", [constant, spread, bimodal], ids=lambda work: work.__name__)
@pytest.mark.parametrize("seed", [1, 2])
def test_percentiles_are_those_of_the_steady_requests(
    work: Callable[[np.random.Generator, int], IntArray], stopped: bool, seed: int
) -> None:
    """A server whose service time is known, three times as slow for its first two seconds."""
    random = np.random.default_rng(seed)
    seconds = 20
    work_ns = work(random, round(seconds * RATE_PER_S))
    work_ns[: round(RATE_PER_S * WARM_UP_NS / SECOND)] *= 3
    load = load_of(work_ns, stops(random, seconds) if stopped else NO_PAUSES)
    evidence = seen(load)
    assert evidence.steady.classification == "warmup"
    # A window that the detector gives to the other side costs no more than its requests.
    assert evidence.steady_from_ns == pytest.approx(WARM_UP_NS, abs=2 * INTERVAL_NS)
    truth = load.requests.after(WARM_UP_NS).latency_ns
    held = evidence.latency
    for share in SHARES.values():
        value = held.value_at(share)
        assert value is not None
        low, high = enclosing(held, share)
        true_ns = true_percentile(truth, share)
        within = low is not None and low <= true_ns and (high is None or true_ns <= high)
        assert value == pytest.approx(true_ns, rel=0.03) or within
    # Nearer still where the very same requests are looked at.
    same = load.requests.after(evidence.steady_from_ns).latency_ns
    assert held.total == len(same)
    for share in SHARES.values():
        assert held.value_at(share) == pytest.approx(true_percentile(same, share), rel=PRECISION)
    assert held.max == pytest.approx(int(same.max()), rel=PRECISION)
    assert evidence.mean_ns == pytest.approx(float(same.mean()), rel=PRECISION)


def test_a_stop_that_everybody_waits_for_is_in_the_tail() -> None:
    """At a constant rate the requests of one stop of 80 ms in two seconds are 4% of them."""
    random = np.random.default_rng(1)
    evidence = seen(load_of(constant(random, 40_000), stops(random, 20)))
    p90, p99 = evidence.latency.value_at(0.9), evidence.latency.value_at(0.99)
    assert p90 == pytest.approx(2 * MILLISECOND, rel=PRECISION)
    # Of 4,000 requests the slowest 40 are the 4 that were under way, and 36 of the 160 that came
    # during it, whose waits are even from 2 to 82 ms.
    assert p99 == pytest.approx((82 - 80 * 36 / 160) * MILLISECOND, rel=0.02)
    assert evidence.latency.max == pytest.approx(82 * MILLISECOND, rel=0.01)


def test_failed_requests_are_in_no_latency() -> None:
    load = load_of(constant(np.random.default_rng(1), 8000)).failing(0.25)
    failing = load.with_requests(
        done_ns=load.requests.done_ns - np.where(load.requests.kind == 0, 0, MILLISECOND)
    )
    evidence = seen(failing)
    assert evidence.latency.total == 6000
    assert evidence.latency.value_at(0.01) == pytest.approx(2 * MILLISECOND, rel=PRECISION)


def test_windows_stand_side_by_side_with_requests_enough() -> None:
    load = load_of(spread(np.random.default_rng(1), 8000))
    windows = seen(load).windows
    assert windows.count.sum() == 8000
    assert windows.count.min() >= LEAST_REQUESTS
    assert windows.start_ns[0] == 0
    assert (windows.start_ns[1:] == windows.end_ns[:-1]).all()
    requests = load.requests
    for start_ns, end_ns, p50_ns, p99_ns in zip(
        windows.start_ns, windows.end_ns, windows.p50_ns, windows.p99_ns, strict=True
    ):
        mine = requests.latency_ns[
            (requests.intended_ns >= start_ns) & (requests.intended_ns < end_ns)
        ]
        assert p50_ns == pytest.approx(true_percentile(mine, 0.5), rel=PRECISION)
        assert p99_ns == pytest.approx(true_percentile(mine, 0.99), rel=PRECISION)


def test_sparse_intervals_are_put_together() -> None:
    """Ten requests an interval make one window of ten intervals."""
    requests = frozen(arrivals(50, 60), np.full(3000, MILLISECOND, dtype=np.int64))
    windows = seen(Load(requests, 50.0)).windows
    assert set(windows.count) == {LEAST_REQUESTS}
    assert set(windows.end_ns - windows.start_ns) == {10 * INTERVAL_NS}


def test_nothing_good_at_all_is_evidence_too() -> None:
    load = load_of(constant(np.random.default_rng(1), 4000))
    evidence = examine(load.result, [], load.usage, 0.0)
    assert (evidence.steady.classification, evidence.steady_from_ns) == ("too short", 0)
    assert (evidence.latency.total, evidence.mean_ns, evidence.latency.max) == (0, None, None)
    assert evidence.own.cpu_ns is None
    assert len(evidence.windows.start_ns) == 0


def test_where_nothing_was_steady_the_last_half_stands_in() -> None:
    count = 40_000
    growing = np.linspace(1, 3, count) * MILLISECOND
    evidence = seen(load_of(growing.astype(np.int64)))
    assert evidence.steady.classification == "no steady state"
    assert evidence.steady_from_ns == pytest.approx(10 * SECOND, abs=INTERVAL_NS)
    assert evidence.latency.total == pytest.approx(count / 2, rel=0.02)


def test_a_noisy_machine_tells_fewer_levels_apart() -> None:
    work = constant(np.random.default_rng(1), 40_000)
    work[:20_000] = work[:20_000] * 112 // 100
    load = load_of(work)
    strict, lenient = (
        examine(load.result, load.intervals, load.usage, tolerance) for tolerance in (0.0, 0.15)
    )
    assert strict.steady.classification == "warmup"
    assert lenient.steady.classification == "flat"


def test_what_a_request_cost() -> None:
    load = load_of(
        spread(np.random.default_rng(1), 20_000), cpu_ns=400_000, database_cpu_ns=150_000
    )
    evidence = seen(load)
    # Of what is under way at the first and the last look, a little falls on the other side.
    assert evidence.own.cpu_ns == pytest.approx(400_000, rel=0.005)
    assert evidence.database.cpu_ns == pytest.approx(150_000, rel=0.005)
    assert evidence.own.run_queue_ns == pytest.approx(20_000, rel=0.005)
    assert evidence.own.switches == pytest.approx(2.5, rel=0.005)
    assert evidence.peak_bytes == load.peak_bytes


def test_each_half_of_a_load_too_short_to_classify_has_its_own_cost() -> None:
    """Requests of the last quarter cost twice as much CPU time."""
    requests = frozen(arrivals(125, 24), spread(np.random.default_rng(1), 3_000))
    load = Load(requests, 125.0, cpu_ns=400_000)
    doubled_from = load.began_ns + load.elapsed_ns * 3 // 4
    (before,) = [look.cpu_ns for look in load.usage if look.monotonic_ns <= doubled_from][-1:]
    usage = [
        look.model_copy(update={"cpu_ns": look.cpu_ns + max(0, look.cpu_ns - before)})
        for look in load.usage
    ]
    evidence = examine(load.result, load.intervals, usage, 0.0)
    assert evidence.steady.classification == "too short"
    first, second = evidence.levels
    assert first.cpu_ns == pytest.approx(400_000, rel=0.1)
    assert second.cpu_ns == pytest.approx(800_000, rel=0.1)


def test_the_cost_is_of_the_steady_part_alone() -> None:
    """What a compiler used up before is in no request's figure."""
    load = load_of(constant(np.random.default_rng(1), 40_000))
    burning = [
        look.model_copy(
            update={"cpu_ns": look.cpu_ns + min(look.monotonic_ns - load.began_ns, WARM_UP_NS)}
        )
        for look in load.usage
    ]
    slow = load.requests.intended_ns < WARM_UP_NS
    warming = load.with_requests(done_ns=load.requests.done_ns + np.where(slow, 4 * MILLISECOND, 0))
    evidence = examine(warming.result, warming.intervals, burning, 0.0)
    assert evidence.steady_from_ns == WARM_UP_NS
    assert evidence.own.cpu_ns == pytest.approx(load.cpu_ns, rel=0.005)


def test_what_nobody_accounted_for_has_no_cost() -> None:
    load = load_of(constant(np.random.default_rng(1), 4000), run_queue=False)
    evidence = seen(load)
    assert evidence.own.cpu_ns is not None
    assert evidence.own.run_queue_ns is None
    assert evidence.database.cpu_ns is None
    for looks in ([], load.usage[:1]):
        nothing = examine(load.result, load.intervals, looks, 0.0)
        assert nothing.own.cpu_ns is None
        assert nothing.own.switches is None
    assert examine(load.result, load.intervals, [], 0.0).peak_bytes is None


def test_looks_outside_the_load_are_not_counted() -> None:
    """What a service used before its load, and after it, no request cost."""
    load = load_of(constant(np.random.default_rng(1), 20_000))
    last = load.usage[-1]
    before = load.usage[0].model_copy(update={"monotonic_ns": load.began_ns - SECOND, "cpu_ns": 0})
    after = last.model_copy(
        update={"monotonic_ns": last.monotonic_ns + SECOND, "cpu_ns": last.cpu_ns + 60 * SECOND}
    )
    evidence = examine(load.result, load.intervals, [before, *load.usage, after], 0.0)
    assert evidence.own.cpu_ns == pytest.approx(load.cpu_ns, rel=0.01)


def test_time_in_queries_is_a_steady_requests_mean() -> None:
    load = load_of(constant(np.random.default_rng(1), 20_000))
    sent = load.requests.sent_ns + load.began_ns + 100_000
    # Two of three requests ask nothing, a third asks once, and waits for 1.2 ms.
    arrived = sent[::3]
    told = seen(
        load, Queries(arrived, arrived + 1_200_000, arrived + 1_200_000)
    ).database_ns_per_request
    assert told == pytest.approx(400_000, rel=0.001)
    earlier = Queries(arrived - 60 * SECOND, arrived - 59 * SECOND, arrived - 59 * SECOND)
    assert seen(load, earlier).database_ns_per_request == 0
    assert seen(load).database_ns_per_request is None


def test_a_probe_tells_what_was_not_withheld() -> None:
    load = load_of(
        constant(np.random.default_rng(1), 4000), withheld=(("p99_99", "too few requests"),)
    )
    found = probe(2500, load.result)
    assert (found.rate_per_s, found.verdict) == (2500, "fair")
    assert found.percentiles["p99_99"] is None
    assert found.percentiles["p50"] == pytest.approx(2 * MILLISECOND, rel=PRECISION)


@given(
    values=st.lists(st.integers(0, 10**12), min_size=1, max_size=200),
    share=st.sampled_from([0.001, 0.5, 0.9, 0.99, 0.999, 0.9999, 1.0]),
)
def test_a_histogram_is_within_its_precision_of_the_values(values: list[int], share: float) -> None:
    array = np.array(values, dtype=np.int64)
    held = histogram(array)
    value, truth = held.value_at(share), true_percentile(array, share)
    assert held.total == len(values)
    assert value is not None
    assert truth <= value <= truth * (1 + PRECISION)


@given(st.lists(st.lists(st.integers(0, 10**9), min_size=1, max_size=50), min_size=1, max_size=8))
def test_merged_histograms_are_those_of_all_values(rows: list[list[int]]) -> None:
    parts = [histogram(np.array(row, dtype=np.int64)) for row in rows]
    whole = histogram(np.array([one for row in rows for one in row], dtype=np.int64))
    merged = Histogram.merged(parts)
    for mine, its in zip(
        (merged.least, merged.greatest, merged.counts),
        (whole.least, whole.greatest, whole.counts),
        strict=True,
    ):
        assert np.array_equal(mine, its)


@settings(max_examples=25)
@given(
    gaps=st.lists(st.integers(1, 50 * MILLISECOND), min_size=2, max_size=400),
    work=st.integers(1, 500 * MILLISECOND),
    looks=st.integers(0, 5),
)
def test_no_load_breaks_the_reading(gaps: list[int], work: int, looks: int) -> None:
    intended = np.cumsum(np.array(gaps, dtype=np.int64))
    requests = frozen(intended, np.full(len(gaps), work, dtype=np.int64))
    load = Load(requests, 100.0)
    evidence = examine(load.result, load.intervals, load.usage[:looks], 0.0)
    assert 0 < evidence.latency.total <= len(gaps)
    assert evidence.windows.count.sum() <= len(gaps)
    assert evidence.latency.value_at(0.5) == pytest.approx(work, rel=PRECISION, abs=1)
    assert evidence.own.cpu_ns is None or evidence.own.cpu_ns >= 0


def test_an_answers_bytes_are_those_of_the_part_that_its_cpu_time_is_of() -> None:
    """Answers of 5,000 bytes while it warms up, of 280 afterwards; 120 of a head with each."""
    intended = arrivals(RATE_PER_S, 12)
    warming_up = intended < WARM_UP_NS
    work = np.where(warming_up, 20 * MILLISECOND, 2 * MILLISECOND)
    load = Load(frozen(intended, work), RATE_PER_S)
    rows = load.records.rows.copy()
    rows["answer_bytes"] = np.where(rows["intended_ns"] < WARM_UP_NS, 5_000, 280)
    received = int(rows["answer_bytes"].sum()) + 120 * len(rows)
    whole = load.result.bytes.model_copy(update={"received": received})
    result = load.result.model_copy(update={"bytes": whole})
    records = Records(load.records.header, rows)
    evidence = examine(result, load.intervals, load.usage, 0.0, records=records)
    assert evidence.steady_from_ns == WARM_UP_NS
    assert evidence.answer_bytes == pytest.approx(280 + 120)
    assert received / len(rows) > 1_100
    assert examine(result, load.intervals, load.usage, 0.0).answer_bytes is None


def warming(load: Load) -> LoadEvidence:
    """The evidence of the load if its answers take three times as long during the warm-up."""
    factor = np.where(load.requests.intended_ns < WARM_UP_NS, 3, 1)
    slow = load.with_requests(done_ns=load.requests.intended_ns + load.requests.latency_ns * factor)
    return examine(slow.result, slow.intervals, slow.usage, 0.0, records=slow.records)


@pytest.mark.parametrize("check_share", [0.05, 0.2, 1.0])
def test_a_compared_body_stands_for_those_that_were_not_compared(check_share: float) -> None:
    """A hundredth of the answers after the warm-up have a wrong body, and none before. Of the
    answers that were not compared, the generator calls the wrong ones good."""
    random = np.random.default_rng(5)
    load = load_of(constant(random, 40_000))
    wrong = (random.random(40_000) < 0.01) & (load.requests.intended_ns >= WARM_UP_NS)
    seen_wrong = wrong & (random.random(40_000) < check_share)
    kinds = np.where(seen_wrong, KINDS.index("wrong_body"), load.requests.kind)
    sampled = load.with_requests(kind=kinds).telling(check_share=check_share)
    evidence = warming(sampled)
    assert evidence.steady.start
    steady = sampled.requests.intended_ns >= evidence.steady_from_ns
    # Of a binomial number, three standard deviations.
    off = 3 / np.sqrt(np.count_nonzero(seen_wrong[steady])) if check_share < 1 else 1e-9
    assert evidence.steady_failed_share == pytest.approx(np.mean(wrong[steady]), rel=off)
    assert evidence.steady_failures == np.count_nonzero(seen_wrong[steady])
    unseen = np.count_nonzero(wrong[steady] & ~seen_wrong[steady])
    assert evidence.steady_unseen == pytest.approx(unseen, rel=off)


def test_a_wrong_body_found_without_a_comparison_does_not_say_when_others_were_wrong() -> None:
    load = load_of(constant(np.random.default_rng(5), 40_000)).failing(0.01, "wrong_body")
    update = {"checkable": 39_700, "checked": 3_970, "wrong_of_checked": 100}
    told = load.result.requests.model_copy(update=update).model_dump()
    evidence = warming(load.telling(check_share=0.1, protocol="resp", requests=told))
    assert evidence.steady.start and evidence.steady_unseen == 900


def test_failures_of_the_steady_part_are_counted_from_the_records() -> None:
    intended = arrivals(RATE_PER_S, 12)
    load = Load(frozen(intended, np.full(len(intended), 2 * MILLISECOND)), RATE_PER_S).failing(0.01)
    evidence = examine(load.result, load.intervals, load.usage, 0.0, records=load.records)
    from_ns = evidence.steady_from_ns
    every_hundredth = intended[::100]
    assert evidence.steady_failed == np.count_nonzero(every_hundredth >= from_ns) > 0
    assert examine(load.result, load.intervals, load.usage, 0.0).steady_failed is None


def test_a_missing_key_is_an_answer_without_the_generators_lag_too() -> None:
    """Half of the answers say that a key has no value; their latencies are measured as well."""
    intended = arrivals(RATE_PER_S, 12)
    load = Load(frozen(intended, np.full(len(intended), 2 * MILLISECOND)), RATE_PER_S)
    missing = load.failing(0.5, "miss").records
    evidence = examine(load.result, load.intervals, load.usage, 0.0, records=missing)
    assert evidence.least is not None and evidence.least.total == evidence.latency.total
