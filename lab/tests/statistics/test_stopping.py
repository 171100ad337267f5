from collections.abc import Callable

import numpy as np
import pytest

from runfair.statistics.stopping import (
    FIRST_LOOK_NS,
    Enough,
    NotYet,
    batch_half_width,
    enough,
    floor_ns,
    next_look_ns,
)
from simulated.curves import LEVEL_NS, noise_factors

ITERATIONS = 20_000


def warming(rng: np.random.Generator, warmup: int, factor: float, noise: str) -> np.ndarray:
    levels = np.where(np.arange(ITERATIONS) < warmup, factor, 1.0)
    return LEVEL_NS * levels * noise_factors(rng, ITERATIONS, noise)


def stopped_at(durations: np.ndarray, decide: Callable[[np.ndarray, int], object]) -> int | None:
    """The iteration after which the rule says enough, asked only at its own looks."""
    instants = np.cumsum(durations)
    look = 0
    while (look := next_look_ns(look)) < instants[-1]:
        seen = int(np.searchsorted(instants, look, side="right"))
        if isinstance(decide(durations[:seen], look), Enough):
            return seen
    return None


@pytest.mark.parametrize("noise", ["gauss1", "ar", "gc"])
@pytest.mark.parametrize("warmup", [1_000, 5_000])
def test_a_late_tier_is_waited_for(warmup: int, noise: str) -> None:
    """Plateau curves: the figures hide the coming tier, the floor from the pilots does not."""
    rng = np.random.default_rng([91, warmup])
    pilots = [int(warmup * 1.15 * LEVEL_NS), int(warmup * 1.1 * LEVEL_NS)]
    floor = floor_ns(pilots)
    for _ in range(5):
        durations = warming(rng, warmup, 1.15, noise)
        end = stopped_at(
            durations, lambda seen, look: enough(seen, elapsed_ns=look, floor_ns=floor)
        )
        assert end is not None
        assert end > 1.8 * warmup
        assert end < ITERATIONS
        impatient = stopped_at(
            durations, lambda seen, look: enough(seen, elapsed_ns=look, floor_ns=0)
        )
        assert impatient is not None
        assert impatient < warmup


def test_enough_carries_the_start_and_the_half_width() -> None:
    durations = warming(np.random.default_rng(92), 2_000, 2.0, "gauss1")
    verdict = enough(durations, elapsed_ns=int(durations.sum()), floor_ns=0)
    assert isinstance(verdict, Enough)
    assert abs(verdict.start - 2_000) <= 5
    assert 0 < verdict.half_width <= 0.005


def flat(count: int = 2_000, deviation: float = 0.01) -> np.ndarray:
    rng = np.random.default_rng(93)
    return LEVEL_NS * np.exp(deviation * rng.standard_normal(count))


def test_every_reason_is_given() -> None:
    durations = flat()
    elapsed = int(durations.sum())

    def judge(**changes: int | None) -> Enough | NotYet:
        arguments: dict[str, int | None] = {"elapsed_ns": elapsed, "floor_ns": 0, **changes}
        return enough(durations, **arguments)  # type: ignore[arg-type]

    assert isinstance(judge(), Enough)
    assert judge(floor_ns=None) == NotYet("no floor")
    assert judge(floor_ns=elapsed + 1) == NotYet("below the floor")
    assert judge(elapsed_ns=3 * elapsed) == NotYet("steady too briefly")
    late = durations * np.where(np.arange(2_000) < 1_800, 1.2, 1.0)
    assert enough(late, elapsed_ns=elapsed, floor_ns=0) == NotYet("not steady")
    wide = flat(400, 0.03)
    assert enough(wide, elapsed_ns=int(wide.sum()), floor_ns=0, half_width=0.0005) == NotYet(
        "too wide"
    )


def test_the_floor_follows_the_later_pilot() -> None:
    assert floor_ns([1_000, 3_001]) == 4_502
    assert floor_ns([0, None]) is None
    with pytest.raises(ValueError, match="two or more pilots"):
        floor_ns([1_000])


def test_looks_grow_geometrically() -> None:
    assert next_look_ns(0) == FIRST_LOOK_NS
    looks = [FIRST_LOOK_NS]
    while looks[-1] < 600 * 10**9:
        looks.append(next_look_ns(looks[-1]))
    assert len(looks) < 35
    assert sum(looks) < 5.1 * looks[-1]


def test_the_half_width_covers_correlated_iterations() -> None:
    rng = np.random.default_rng(94)
    covered = []
    for _ in range(500):
        steady = LEVEL_NS * noise_factors(rng, 2_000, "ar")
        half = batch_half_width(steady)
        assert half is not None
        covered.append(abs(np.median(steady) / LEVEL_NS - 1) <= half)
    assert 0.90 <= np.mean(covered) <= 0.985


def test_the_half_width_needs_five_iterations() -> None:
    assert batch_half_width(np.ones(4)) is None
    assert batch_half_width(np.zeros(50)) is None
    assert batch_half_width(np.ones(5)) == 0
