"""On simulated servers that stop at known times."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.statistics.pauses import (
    missing_pauses,
    overlap,
    pause_share,
    shrunk,
    united,
    widened,
)

IntArray = npt.NDArray[np.int64]
MS = 1_000_000


def served(intended_ns: IntArray, service_ns: IntArray, pauses: IntArray) -> IntArray:
    """When each is done by a server that has room for all at once, but stops in the pauses."""
    done = intended_ns + service_ns
    for start, end in pauses:
        waiting = (intended_ns < end) & (done > start)
        done = np.where(waiting, np.maximum(done, end) + service_ns, done)
    return done.astype(np.int64)


def simulated(seed: int) -> tuple[IntArray, IntArray, IntArray]:
    """60 s at 2,000/s, about 1 ms each, with a pause of 20 to 100 ms every 3 s."""
    generator = np.random.default_rng(seed)
    intended = np.arange(120_000, dtype=np.int64) * (MS // 2)
    service = generator.lognormal(np.log(MS), 0.2, len(intended)).astype(np.int64)
    starts = np.arange(1, 20, dtype=np.int64) * 3_000 * MS + generator.integers(0, MS, 19)
    pauses = np.stack((starts, starts + generator.integers(20 * MS, 100 * MS, 19)), axis=1)
    return pauses, intended, served(intended, service, pauses)


PAUSES = st.lists(
    st.tuples(st.integers(0, 60), st.integers(0, 12)).map(lambda one: (one[0], sum(one))),
    max_size=12,
).map(lambda pairs: np.array(pairs, dtype=np.int64).reshape(-1, 2))


@given(PAUSES)
def test_united_pauses_cover_the_same_instants(pauses: IntArray) -> None:
    joined = united(pauses)
    inside = {t for start, end in pauses.tolist() for t in range(start, end)}
    assert {t for start, end in joined.tolist() for t in range(start, end)} == inside
    assert np.all(joined[1:, 0] > joined[:-1, 1])


@given(PAUSES, st.lists(st.tuples(st.integers(0, 70), st.integers(1, 20)), max_size=20))
def test_overlap_is_what_comparing_each_with_each_gives(
    pauses: IntArray, requests: list[tuple[int, int]]
) -> None:
    intended = np.array([start for start, _ in requests], dtype=np.int64)
    done = intended + np.array([length for _, length in requests], dtype=np.int64)
    expected = [
        any(start < end and start < b and a < end for start, end in pauses.tolist())
        for a, b in zip(intended.tolist(), done.tolist(), strict=True)
    ]
    assert overlap(pauses, intended, done).tolist() == expected


def test_a_tail_of_pauses_and_one_that_has_nothing_to_do_with_them() -> None:
    pauses, intended, done = simulated(1)
    latencies = done - intended
    met = overlap(pauses, intended, done)
    share = pause_share(latencies, met, 99)
    assert share.tail is not None
    assert share.tail > 0.99
    in_pauses = float((pauses[:, 1] - pauses[:, 0]).sum()) / (60_000 * MS)
    assert share.chance == pytest.approx(in_pauses, rel=0.1)
    # The same pauses on a clock that is wrong by 1.5 s: the tail meets them as chance would.
    shifted = overlap(pauses + 1_500 * MS, intended, done)
    elsewhere = pause_share(latencies, shifted, 99)
    assert elsewhere.tail is not None
    assert elsewhere.tail < 0.02


def test_chance_when_latency_is_independent_of_pauses() -> None:
    generator = np.random.default_rng(2)
    latencies = generator.lognormal(np.log(MS), 1, 200_000).astype(np.int64)
    overlapped = generator.random(200_000) < 0.3
    share = pause_share(latencies, overlapped, 99)
    # 2,000 in the tail: four standard errors.
    assert share.tail == pytest.approx(0.3, abs=4 * (0.3 * 0.7 / 2000) ** 0.5)
    assert share.chance == pytest.approx(0.3, abs=0.005)


def test_a_share_that_cannot_be_told() -> None:
    same = np.full(100, MS, dtype=np.int64)
    share = pause_share(same, np.zeros(100, dtype=np.bool_), 99)
    assert share.tail is None
    with pytest.raises(ValueError, match="no requests"):
        pause_share(same[:0], np.zeros(0, dtype=np.bool_), 99)
    with pytest.raises(ValueError, match="percentile"):
        pause_share(same, np.zeros(100, dtype=np.bool_), 100)


def test_an_honest_load_shows_every_pause() -> None:
    pauses, intended, done = simulated(3)
    found = missing_pauses(pauses, intended, done, float(np.median(done - intended)))
    assert (found.long, found.unmet, len(found.missing)) == (19, 0, 0)


def test_pauses_left_out_are_found_each_by_itself() -> None:
    """The liar: latencies of a generator that waited for the server, timed from the real send."""
    pauses, intended, done = simulated(4)
    told = done.copy()
    left_out = pauses[[2, 7, 11]]
    stalled = overlap(left_out, intended, done)
    told[stalled] = intended[stalled] + MS
    found = missing_pauses(pauses, intended, told, float(MS))
    assert found.missing.tolist() == left_out.tolist()


def test_pauses_on_a_wrong_clock_are_all_missing() -> None:
    pauses, intended, done = simulated(5)
    found = missing_pauses(pauses + 1_500 * MS, intended, done, float(MS))
    assert len(found.missing) == found.long == 19


def test_the_part_that_a_request_could_meet() -> None:
    # A pause of 100 ms; the only request came 30 ms before its end and waited for it.
    pauses = np.array([[1_000 * MS, 1_100 * MS]])
    intended = np.array([0, 1_070 * MS], dtype=np.int64)
    done = np.array([MS, 1_100 * MS], dtype=np.int64)
    assert len(missing_pauses(pauses, intended, done, MS).missing) == 0
    # Had it been answered at once, the pause would be nowhere.
    at_once = np.array([MS, 1_071 * MS], dtype=np.int64)
    assert len(missing_pauses(pauses, intended, at_once, MS).missing) == 1


def test_short_and_unmet_pauses_are_not_missing() -> None:
    pauses = np.array([[10 * MS, 14 * MS], [100 * MS, 120 * MS]])
    intended = np.array([0, 11 * MS, 200 * MS], dtype=np.int64)
    found = missing_pauses(pauses, intended, intended + MS, float(MS))
    assert (found.long, found.unmet, len(found.missing)) == (1, 1, 0)


def test_no_pauses_and_no_requests() -> None:
    none = np.zeros((0, 2), dtype=np.int64)
    nobody = np.zeros(0, dtype=np.int64)
    assert missing_pauses(none, nobody, nobody, 1.0).long == 0
    assert missing_pauses(np.array([[0, 10]]), nobody, nobody, 1.0).unmet == 1
    assert overlap(none, np.array([1]), np.array([2])).tolist() == [False]


def test_pauses_of_a_wrong_shape() -> None:
    with pytest.raises(ValueError, match="shape"):
        united(np.zeros((3, 3), dtype=np.int64))
    with pytest.raises(ValueError, match="before it starts"):
        united(np.array([[5, 3]]))


@given(PAUSES, st.integers(0, 8), st.integers(-8, 8))
def test_widened_and_shrunk_pauses_hold_at_every_distance_of_the_clocks(
    pauses: IntArray, apart: int, shift: int
) -> None:
    shift = max(-apart, min(apart, shift))
    inside = {t for start, end in united(pauses) + shift for t in range(start, end)}
    least, most = (
        {t for start, end in held.tolist() for t in range(start, end)}
        for held in (shrunk(pauses, apart), widened(pauses, apart))
    )
    assert least <= inside <= most


@given(
    PAUSES,
    st.lists(st.tuples(st.integers(0, 70), st.integers(1, 20)), min_size=1, max_size=12),
    st.integers(0, 6),
)
def test_a_pause_is_missing_only_if_it_is_at_every_distance_of_the_clocks(
    pauses: IntArray, requests: list[tuple[int, int]], apart: int
) -> None:
    intended = np.array([start for start, _ in requests], dtype=np.int64)
    done = intended + np.array([length for _, length in requests], dtype=np.int64)
    missing, unmet = 0, 0
    for pause in united(pauses):
        seen = [
            missing_pauses(pause[None] + shift, intended, done, 0.5)
            for shift in range(-apart, apart + 1)
        ]
        shows = [one.long - one.unmet - len(one.missing) for one in seen]
        if any(shows) or not seen[0].long:
            continue
        if any(one.unmet for one in seen):
            unmet += 1
        else:
            missing += 1
    found = missing_pauses(pauses, intended, done, 0.5, apart)
    assert (len(found.missing), found.unmet) == (missing, unmet)
