"""The offset between two clocks, from simulated exchanges whose truth is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from runfair.statistics.clock_offset import (
    MOST_SLEW,
    Exchange,
    NoCommonOffset,
    Offset,
    aged,
    burst_offset,
    offset_over,
)

MS = 1_000_000
COUNT = 40


@dataclass
class Simulated:
    """Two clocks and the messages between them. The other clock is ahead by `offset_ns` at time 0,
    and gains `drift` on the own clock."""

    offset_ns: int
    drift: float = 0.0

    def ahead_ns(self, at_ns: float) -> float:
        return self.offset_ns + self.drift * at_ns

    def there(self, at_ns: float) -> int:
        return round(at_ns + self.ahead_ns(at_ns))

    def burst(
        self, random: np.random.Generator, out_ns: float, back_ns: float, begin_ns: int = 0
    ) -> list[Exchange]:
        """Exchanges one after the other, with delays that are at least these and vary."""
        found, now_ns = [], float(begin_ns)
        for _ in range(COUNT):
            sent_ns = now_ns
            received_ns = sent_ns + out_ns * (1 + random.exponential(0.5))
            answered_ns = received_ns + 3_000
            returned_ns = answered_ns + back_ns * (1 + random.exponential(0.5))
            found.append(
                Exchange(
                    round(sent_ns),
                    self.there(received_ns),
                    self.there(answered_ns),
                    round(returned_ns),
                )
            )
            now_ns = returned_ns + 1_000
        return found


def contains(offset: Offset, truth_ns: float) -> bool:
    return offset.low_ns - 1 <= truth_ns <= offset.high_ns + 1


@pytest.mark.parametrize("drift", [0.0, 2 * MOST_SLEW, -2 * MOST_SLEW])
def test_the_truth_is_always_within_the_error(drift: float) -> None:
    random = np.random.default_rng(5)
    for _ in range(500):
        clocks = Simulated(int(random.integers(-(10**12), 10**12)), drift)
        out_ns, back_ns = (float(one) for one in random.uniform(5_000, 5 * MS, 2))
        exchanges = clocks.burst(random, out_ns, back_ns)
        middle_ns = (exchanges[0].sent_ns + exchanges[-1].returned_ns) / 2
        found = burst_offset(exchanges)
        assert contains(found, clocks.ahead_ns(middle_ns))
        assert abs(found.value_ns - clocks.ahead_ns(middle_ns)) <= found.error_ns + 1


def test_ten_milliseconds_are_found_within_two_tenths_on_a_local_network() -> None:
    clocks = Simulated(10 * MS)
    found = burst_offset(clocks.burst(np.random.default_rng(1), 60_000, 60_000))
    assert abs(found.value_ns - 10 * MS) <= 0.2 * MS
    assert found.error_ns <= 0.2 * MS


def test_a_delay_in_one_direction_widens_the_error_to_half_of_it() -> None:
    """The estimate is off by half of the delay, and says that it may be. The usual estimate, half
    of the mean difference, has the same value but would state the scatter as its error."""
    clocks = Simulated(10 * MS)
    random = np.random.default_rng(2)
    even = burst_offset(clocks.burst(random, 60_000, 60_000))
    exchanges = clocks.burst(random, 40 * MS, 60_000)
    uneven = burst_offset(exchanges)
    assert contains(uneven, 10 * MS)
    half_ns = min(one.round_trip_ns for one in exchanges) / 2
    assert uneven.error_ns == pytest.approx(half_ns, rel=0.1)
    assert uneven.error_ns > 100 * even.error_ns
    middles = [
        (one.received_ns - one.sent_ns + one.answered_ns - one.returned_ns) / 2 for one in exchanges
    ]
    liar_error_ns = 1.96 * float(np.std(middles)) / COUNT**0.5
    assert abs(float(np.mean(middles)) - 10 * MS) > liar_error_ns


def test_a_clock_that_is_set_during_a_burst_is_noticed() -> None:
    random = np.random.default_rng(3)
    before = Simulated(0).burst(random, 60_000, 60_000)
    after = Simulated(5 * MS).burst(random, 60_000, 60_000, before[-1].returned_ns)
    with pytest.raises(NoCommonOffset, match="the difference between the two clocks changed by"):
        burst_offset([*before, *after])


def test_the_error_over_a_time_contains_the_drift() -> None:
    clocks = Simulated(10 * MS, drift=20e-6)
    random = np.random.default_rng(4)
    minute_ns = 60 * 10**9
    bursts = [
        burst_offset(clocks.burst(random, 60_000, 60_000, begin_ns))
        for begin_ns in (0, minute_ns // 2, minute_ns)
    ]
    whole = offset_over(bursts)
    for at_ns in range(0, minute_ns, minute_ns // 10):
        assert contains(whole, clocks.ahead_ns(at_ns))
    assert whole.error_ns >= 20e-6 * minute_ns / 2


def test_an_offset_that_cannot_be_measured_again_grows_uncertain() -> None:
    old = Offset(-10, 10)
    assert aged(old, 0) == old
    later = aged(old, 10**9)
    assert later.value_ns == old.value_ns
    assert later.error_ns == 10 + round(2 * MOST_SLEW * 10**9)


def test_nothing_was_exchanged() -> None:
    with pytest.raises(ValueError, match="no exchanges"):
        burst_offset([])
    with pytest.raises(ValueError, match="no bursts"):
        offset_over([])
