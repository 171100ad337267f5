"""The offset between two clocks, from stamps that were exchanged.

An exchange has four stamps, as in NTP (RFC 5905, section 8): the asking side sends at `sent_ns` and
gets the answer at `returned_ns`, both on its own clock; the answering side receives at
`received_ns` and answers at `answered_ns`, both on the other clock. No message arrives before it
was sent, so the other clock is ahead by

    at least  answered - returned      (the answer took no time)
    at most   received - sent          (the question took no time)

These limits hold for every exchange, however long a message takes in each direction. Nothing else
is known: if all of the delay is in one direction, the offset lies at one of the limits. With many
exchanges, the quickest question and the quickest answer set the limits. The error is half of the
sum of their two times, and thus half of the shortest possible round trip. An estimate from means
would state a smaller error, but would be wrong by half of the difference between the times of the
two directions.

Clocks that are adjusted (by NTP) may run at different speeds. The speeds differ by at most twice
`MOST_SLEW`. Within a burst of exchanges (several exchanges in quick succession), the limits are
widened by this difference. Between bursts, this would widen the limits far too much, because each
minute would add 60 ms. Between bursts, the offset is therefore assumed to lie between the offsets
of the bursts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# The kernel slews CLOCK_MONOTONIC by at most 500 ppm (adjtimex(2), time constant MAXFREQ).
MOST_SLEW = 500e-6


class NoCommonOffset(ValueError):
    """No single offset agrees with all exchanges, because one of the clocks was set."""


@dataclass(frozen=True)
class Exchange:
    """The four stamps of a question and its answer."""

    sent_ns: int
    received_ns: int
    answered_ns: int
    returned_ns: int

    @property
    def round_trip_ns(self) -> int:
        """The time of both messages, without the time at the other side."""
        return (self.returned_ns - self.sent_ns) - (self.answered_ns - self.received_ns)


@dataclass(frozen=True)
class Offset:
    """An offset: the other clock is ahead by at least `low_ns` and at most `high_ns`."""

    low_ns: int
    high_ns: int

    @property
    def value_ns(self) -> int:
        return (self.low_ns + self.high_ns) // 2

    @property
    def error_ns(self) -> int:
        """The greatest distance of the true offset from `value_ns`."""
        return max(self.high_ns - self.value_ns, self.value_ns - self.low_ns)


def burst_offset(exchanges: Sequence[Exchange]) -> Offset:
    """The offset in the middle of a burst of exchanges.

    Raises ValueError if there are no exchanges, and NoCommonOffset if they contradict each other.
    """
    if not exchanges:
        raise ValueError("no exchanges")
    middle_ns = (exchanges[0].sent_ns + exchanges[-1].returned_ns) / 2
    low_ns, high_ns = None, None
    for one in exchanges:
        away_ns = max(abs(one.sent_ns - middle_ns), abs(one.returned_ns - middle_ns))
        slewed_ns = round(2 * MOST_SLEW * away_ns) + 1
        least, most = (
            one.answered_ns - one.returned_ns - slewed_ns,
            one.received_ns - one.sent_ns + slewed_ns,
        )
        low_ns = least if low_ns is None else max(low_ns, least)
        high_ns = most if high_ns is None else min(high_ns, most)
    assert low_ns is not None
    assert high_ns is not None
    if low_ns > high_ns:
        raise NoCommonOffset(
            f"the difference between the two clocks changed by {low_ns - high_ns} ns while "
            "runfair measured it"
        )
    return Offset(low_ns, high_ns)


def offset_over(bursts: Sequence[Offset]) -> Offset:
    """One offset for the whole time from the first burst to the last. Its error includes the drift
    of the clocks in this time. Raises ValueError if there are no bursts."""
    if not bursts:
        raise ValueError("no bursts")
    return Offset(min(one.low_ns for one in bursts), max(one.high_ns for one in bursts))


def aged(offset: Offset, age_ns: int) -> Offset:
    """An offset that was measured `age_ns` ago and could not be measured again. Its limits are
    widened by the drift that the clocks may have had since then."""
    slewed_ns = round(2 * MOST_SLEW * age_ns)
    return Offset(offset.low_ns - slewed_ns, offset.high_ns + slewed_ns)
