"""Quantities as people read them: three significant digits and a unit."""

from __future__ import annotations

_TIMES = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))
_COUNTS = ((1e9, "billion"), (1e6, "million"), (1.0, ""))
_SIZES = ((2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B"))


def three_digits(value: float) -> str:
    """`1.61`, `93.1`, `137`, `12,300`: three significant digits, never an exponent above 0.001."""
    if value == 0:
        return "0"
    rounded = float(f"{value:.3g}")
    magnitude = abs(rounded)
    if magnitude >= 100:
        return f"{rounded:,.0f}"
    if magnitude >= 10:
        return f"{rounded:.1f}"
    if magnitude >= 1:
        return f"{rounded:.2f}"
    return f"{rounded:#.3g}"


def duration(ns: float) -> str:
    return _scaled(ns, _TIMES)


def size(in_bytes: float) -> str:
    return _scaled(in_bytes, _SIZES)


def percent(share: float) -> str:
    return f"{three_digits(100 * share)}%"


def counted(value: float) -> str:
    """`12,300`, `1.61 million`: of what there are many."""
    return _scaled(value, _COUNTS).rstrip()


def _scaled(value: float, units: tuple[tuple[float, str], ...]) -> str:
    for scale, unit in units:
        # What would round up to 1,000 of this unit belongs to the next greater one.
        if float(f"{value / scale:.3g}") >= 1:
            return f"{three_digits(value / scale)} {unit}"
    return f"{three_digits(value / units[-1][0])} {units[-1][1]}"


def rough_time(seconds: float) -> str:
    """A time to wait: `40 s`, `12 min`, `3.5 h`."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"
