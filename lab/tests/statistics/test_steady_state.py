"""The detector's error rates on curves of known truth, and its behaviour at the edges.

The seeds are not those the detector was developed with.
"""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runfair.statistics.steady_state import (
    MINIMUM_ITERATIONS,
    Agreement,
    Classification,
    Segment,
    SteadyState,
    agreement,
    detect,
)
from simulated.curves import (
    HARD_NOISES,
    LEVEL_NS,
    ORDINARY_NOISES,
    SHAPES,
    curve,
    noise_factors,
    ticked,
)

SEED = 20_251_130


def rng_of(*parts: int) -> np.random.Generator:
    return np.random.default_rng([SEED, *parts])


def verdicts(count: int, shapes: tuple[str, ...], noises: tuple[str, ...], repetitions: int):  # type: ignore[no-untyped-def]
    for noise_index, noise in enumerate(noises):
        for shape_index, shape in enumerate(shapes):
            for repetition in range(repetitions):
                truth = curve(rng_of(noise_index, shape_index, repetition), count, shape, noise)
                yield f"{shape}/{noise}/{repetition}", truth, detect(truth.durations_ns)


def assert_sound(seen: SteadyState, count: int) -> None:
    edges = [segment.start for segment in seen.segments] + [seen.segments[-1].end]
    assert edges[0] == 0
    assert edges[-1] == count
    assert edges == sorted(set(edges))
    if seen.classification in ("too short", "no steady state"):
        assert seen.start is None
    else:
        assert seen.start is not None
        assert seen.start in edges[:-1]
        assert seen.start <= 0.75 * count
        assert (seen.classification == "flat") == (seen.start == 0)


def test_ordinary_noise_at_2000_iterations_is_always_right() -> None:
    wrong = [
        (name, seen.classification)
        for name, truth, seen in verdicts(2_000, SHAPES, ORDINARY_NOISES, 10)
        if seen.classification != truth.classification
    ]
    assert wrong == []


def test_hard_noise_at_2000_iterations_is_right_in_85_percent() -> None:
    """Over all four; of 10% noise alone a third is wrong, since it hides small changes."""
    rates = {
        noise: np.mean(
            [
                seen.classification == truth.classification
                for _, truth, seen in verdicts(2_000, SHAPES, (noise,), 15)
            ]
        )
        for noise in HARD_NOISES
    }
    assert np.mean(list(rates.values())) >= 0.85
    assert rates["bimodal"] == 1
    assert rates["drift"] >= 0.88
    assert rates["burst"] >= 0.80
    assert rates["noisy10"] >= 0.55


def test_60000_iterations_are_always_right() -> None:
    wrong = [
        (name, seen.classification)
        for name, truth, seen in verdicts(60_000, SHAPES, ORDINARY_NOISES, 3)
        if seen.classification != truth.classification
    ]
    assert wrong == []


def test_a_step_is_placed_to_the_iteration_and_a_decay_nearby() -> None:
    for name, truth, seen in verdicts(60_000, ("warm3", "warm_small", "slow"), ("gauss1",), 5):
        assert truth.start is not None
        assert seen.start is not None
        limit = 5 if name.startswith("warm3") else 300
        assert abs(seen.start - truth.start) <= limit, name
    for name, truth, seen in verdicts(60_000, ("exp",), ORDINARY_NOISES, 3):
        assert truth.start is not None
        assert seen.start is not None
        assert abs(seen.start - truth.start) <= 0.06 * 60_000, name


@pytest.mark.parametrize("count", [30, 100, 500])
def test_few_quiet_iterations_are_told_right(count: int) -> None:
    shapes = ("flat", "warm3", "exp", "slow")
    right = [
        seen.classification == truth.classification
        for _, truth, seen in verdicts(count, shapes, ("gauss1",), 50)
    ]
    assert np.mean(right) >= 0.95


@pytest.mark.parametrize("count", [10, 20, 30])
def test_few_noisy_iterations_are_not_called_steady(count: int) -> None:
    """Noise of 3% hides changes from a series this short: a lie would be `flat`."""
    seen = Counter(
        seen.classification for _, _, seen in verdicts(count, ("slow", "late"), ("logn3",), 50)
    )
    assert seen["flat"] <= 0.05 * seen.total()


@pytest.mark.parametrize("count", [20, 40])
def test_what_noise_hides_is_told(count: int) -> None:
    """It grows with the noise, and a change of half of it is not seen."""
    noise = rng_of(count).standard_normal(count)
    less, more = (detect(LEVEL_NS * np.exp(s * noise)).hidden_change for s in (0.05, 0.1))
    assert less is not None
    assert more is not None
    assert more == pytest.approx(2 * less, rel=0.01)
    step = np.where(np.arange(count) < count // 2, less / 2, 0.0)
    assert detect(LEVEL_NS * np.exp(0.05 * noise + step)).classification == "too short"


@pytest.mark.parametrize("began", [0.4, 0.85])
@pytest.mark.parametrize(
    ("share", "after", "classification"),
    [(0.03, 1.0, "flat"), (0.08, 1.0, None), (0.03, 1.1, None), (0.03, 0.9, None)],
)
def test_an_interruption_ends_no_state_unless_it_is_long_or_the_level_moved(
    began: float, share: float, after: float, classification: str | None
) -> None:
    place = np.arange(2_000) / 2_000
    levels = np.where(place < began, 1.0, np.where(place < began + share, 1.5, after))
    seen = detect(LEVEL_NS * levels * noise_factors(rng_of(9), 2_000, "gauss1"))
    if classification is None:
        assert seen.start is None or seen.start >= 2_000 * (began + share) - 5
    else:
        assert (seen.classification, seen.start) == (classification, 0)


@pytest.mark.parametrize("count", range(1, MINIMUM_ITERATIONS))
def test_below_the_minimum_nothing_is_told(count: int) -> None:
    assert detect([LEVEL_NS] * count) == SteadyState(
        "too short", None, detect([LEVEL_NS] * count).segments, None
    )
    assert_sound(detect([LEVEL_NS] * count), count)


@pytest.mark.parametrize("count", [10, 11, 49, 50, 499, 500, 501, 999, 1_001, 60_001])
def test_constant_data_is_flat(count: int) -> None:
    seen = detect([LEVEL_NS] * count)
    assert (seen.classification, seen.start) == ("flat", 0)
    assert seen.segments[-1].median_ns == LEVEL_NS


def test_all_zero_readings_tell_nothing() -> None:
    assert detect([0] * 100, resolution_ns=10_000_000).classification == "too short"


@pytest.mark.parametrize("slow_iterations", [1, 2, 3, 7])
@pytest.mark.parametrize("count", [30, 500, 60_000])
def test_a_first_few_slow_iterations_are_a_warmup(slow_iterations: int, count: int) -> None:
    durations = LEVEL_NS * noise_factors(rng_of(slow_iterations, count), count, "gauss1")
    durations[:slow_iterations] *= 3
    seen = detect(durations)
    assert seen.classification == "warmup"
    assert seen.start is not None
    # Among 30 noisy iterations one segment more may be cut off, never less than the slow ones.
    assert slow_iterations <= seen.start <= slow_iterations + (5 if count == 30 else 0)


def test_a_first_iteration_slower_than_every_collection_is_a_warmup() -> None:
    durations = LEVEL_NS * noise_factors(rng_of(4), 2_000, "gauss1")
    durations[::37] *= 1.4
    assert detect(durations).classification == "flat"
    durations[0] *= 2
    assert (detect(durations).classification, detect(durations).start) == ("warmup", 1)


@pytest.mark.parametrize("period", [5, 7, 10, 37])
@pytest.mark.parametrize("count", [60, 500, 5_000, 60_000])
def test_heavy_collections_every_so_often_are_flat(period: int, count: int) -> None:
    durations = LEVEL_NS * noise_factors(rng_of(period, count), count, "gauss1")
    durations[::period] *= 5
    assert detect(durations).classification == "flat"


def test_a_steady_fall_over_few_iterations_is_not_steady() -> None:
    for count in (12, 20, 40):
        assert detect(np.linspace(2, 1, count) * LEVEL_NS).start is None


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize("level_ms", [15, 51, 55, 300])
def test_a_clock_of_10_ms_steps_is_seen_through(level_ms: int, declared: bool) -> None:
    tick_ns = 10_000_000
    resolution_ns = tick_ns if declared else 1
    for repetition in range(10):
        rng = rng_of(level_ms, repetition)
        work = level_ms * 1e6 * noise_factors(rng, 2_000, "gauss1")
        assert detect(ticked(work, tick_ns), resolution_ns=resolution_ns).classification == "flat"
        work[:200] *= 1.8
        seen = detect(ticked(work, tick_ns), resolution_ns=resolution_ns)
        assert seen.classification == "warmup"
        assert seen.start is not None
        assert abs(seen.start - 200) <= 25


@pytest.mark.parametrize("level_ms", [0.2, 2])
def test_readings_mostly_zero_still_show_a_warmup_when_there_are_many(level_ms: float) -> None:
    """On 10 ms steps their medians are all zero, their means are not."""
    work = level_ms * 1e6 * noise_factors(rng_of(5), 60_000, "gauss1")
    work[:12_000] *= 3
    seen = detect(ticked(work, 10_000_000), resolution_ns=10_000_000)
    assert seen.classification == "warmup"
    assert seen.start is not None
    assert abs(seen.start - 12_000) <= 600


@pytest.mark.parametrize("count", [20, 500, 2_000])
def test_iterations_far_below_the_clocks_step_tell_nothing(count: int) -> None:
    work = 200_000 * noise_factors(rng_of(count), count, "gauss1")
    work[: count // 5] *= 3
    assert detect(ticked(work, 10_000_000), resolution_ns=10_000_000).start is None


def test_a_noisy_machine_widens_the_tolerance() -> None:
    truth = curve(rng_of(1), 2_000, "warm_small", "gauss1")
    assert detect(truth.durations_ns).classification == "warmup"
    assert detect(truth.durations_ns, tolerance=0.05).classification == "flat"


def test_a_million_iterations() -> None:
    for shape in ("flat", "warm3", "late"):
        truth = curve(rng_of(2), 1_000_000, shape, "gc")
        seen = detect(truth.durations_ns)
        assert seen.classification == truth.classification
        assert_sound(seen, 1_000_000)


@pytest.mark.parametrize(
    ("durations", "options"),
    [
        ([], {}),
        ([[1.0]], {}),
        ([1.0, -1.0], {}),
        ([1.0, np.inf], {}),
        ([1.0], {"tolerance": -0.1}),
        ([1.0], {"resolution_ns": 0.0}),
    ],
)
def test_refuses_what_is_no_measurement(durations: list[float], options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must"):
        detect(durations, **options)


@settings(max_examples=150)
@given(
    st.lists(
        st.one_of(st.integers(0, 10**15), st.sampled_from([0, 10**7, 2 * 10**7])),
        min_size=1,
        max_size=120,
    ),
    st.integers(1, 20),
)
def test_any_durations_give_a_sound_answer(durations: list[int], repeat: int) -> None:
    assert_sound(detect(durations * repeat), len(durations) * repeat)


@settings(max_examples=60)
@given(
    st.sampled_from(SHAPES),
    st.sampled_from(ORDINARY_NOISES + HARD_NOISES),
    st.sampled_from([12, 40, 300, 1_700]),
    st.integers(0, 10**6),
    st.sampled_from([0.5, 2, 3, 7, 1_000]),
)
def test_the_unit_of_time_does_not_matter(
    shape: str, noise: str, count: int, seed: int, factor: float
) -> None:
    durations = curve(rng_of(seed), count, shape, noise).durations_ns * 2
    one = detect(durations, resolution_ns=2)
    other = detect(durations * factor, resolution_ns=2 * factor)
    assert (one.classification, one.start) == (other.classification, other.start)
    assert [segment.end for segment in one.segments] == [segment.end for segment in other.segments]


@pytest.mark.parametrize(
    ("classifications", "expected"),
    [
        (["flat", "flat"], "consistent"),
        (["no steady state"], "consistent"),
        (["flat", "warmup", "warmup"], "mixed"),
        (["warmup", "slowdown"], "inconsistent"),
        (["flat", "warmup", "no steady state"], "inconsistent"),
        (["too short", "too short"], "too short"),
        (["flat", "too short"], "too short"),
        (["flat", "too short", "slowdown"], "inconsistent"),
    ],
)
def test_agreement(classifications: list[Classification], expected: Agreement) -> None:
    for order in itertools.permutations(classifications):
        assert agreement(order) == expected


def test_no_executions_agree_on_nothing() -> None:
    with pytest.raises(ValueError, match="no executions"):
        agreement([])


# The medians in µs of 26 windows of a load on Node. They fall, but noise hides each step.
FALLING = [310, 276, 317, 327, 333, 334, 406, 475, 378, 270, 216, 280, 198, 243, 178, 167, 229, 150]
FALLING += [219, 146, 187, 170, 148, 191, 185, 212]


def test_a_trend_in_one_segment_has_the_halves_of_its_last_half_as_levels() -> None:
    seen = detect([1_000 * one for one in FALLING], tolerance=0.05)
    assert (seen.classification, len(seen.segments)) == ("no steady state", 1)
    assert seen.last_levels() == [(13, 19), (19, 26)]


@pytest.mark.parametrize(
    ("segments", "levels"),
    [
        ((), []),
        (((0, 1),), []),
        (((0, 3),), [(1, 2), (2, 3)]),
        (((0, 4), (4, 10)), [(5, 7), (7, 10)]),
        (((0, 6), (6, 10)), [(0, 6), (6, 10)]),
        (((0, 2), (2, 7), (7, 8), (8, 10)), [(2, 7), (7, 8), (8, 10)]),
    ],
)
def test_the_levels_of_the_last_half(
    segments: tuple[tuple[int, int], ...], levels: list[tuple[int, int]]
) -> None:
    found = tuple(Segment(start, end, 1.0) for start, end in segments)
    assert SteadyState("no steady state", None, found).last_levels() == levels
