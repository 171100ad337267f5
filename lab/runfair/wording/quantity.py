"""Quantities as text, with three significant digits and a unit."""

from __future__ import annotations

from runfair.formats.distribution import FigureUnit
from runfair.formats.result import (
    Bounds,
    Figure,
    Interval,
    Relative,
)

NOT_BOUNDED = "not bounded"
_TIMES = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))
_COUNTS = ((1e9, "billion"), (1e6, "million"), (1.0, ""))
_SIZES = ((2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B"))


def three_digits(value: float) -> str:
    """A number as text with three significant digits: `1.61`, `93.1`, `137`, `12,300`. Only numbers
    below 0.001 have an exponent."""
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


def in_unit(value: float, unit: FigureUnit) -> str:
    """A value as text with its unit. A negative value is not scaled; only figures of other tools
    can be negative."""
    if unit == "ns":
        return duration(value)
    if unit == "share":
        return percent(value)
    return size(value) if unit == "bytes" else counted(value)


def bounded(value: float, bounds: Bounds | None, unit: FigureUnit) -> str:
    """The bounds of a value as text: `≤ 0.48 ms`, `≥ 1.90 ms`, `1.10 ms to 2.90 ms`."""
    if bounds is None:
        return in_unit(value, unit)
    low, high = bounds
    if low is None:
        return in_unit(value, unit) if high is None else f"≤ {in_unit(high, unit)}"
    if high is None:
        return f"≥ {in_unit(low, unit)}"
    least, _, of_least = in_unit(low, unit).partition(" ")
    most = in_unit(high, unit)
    shared = not of_least or most.endswith(f" {of_least}")
    return f"{least if shared else in_unit(low, unit)} to {most}"


def shown(figure: Figure | None) -> str:
    """The value of a figure as text. The text of a void figure has no number."""
    if figure is not None and figure.verdict == "void":
        return "void"
    if figure is None or figure.value is None:
        return "—"
    return bounded(figure.value, figure.bounds, figure.unit)


def percent(share: float) -> str:
    return f"{three_digits(100 * share)}%"


def counted(value: float) -> str:
    """A count as text: `12,300`, `1.61 million`."""
    return _scaled(value, _COUNTS).rstrip()


def _scaled(value: float, units: tuple[tuple[float, str], ...]) -> str:
    for scale, unit in units:
        # A value that would round up to 1,000 is shown in the next larger unit.
        if float(f"{value / scale:.3g}") >= 1:
            return f"{three_digits(value / scale)} {unit}"
    return f"{three_digits(value / units[-1][0])} {units[-1][1]}"


def rough_time(seconds: float) -> str:
    """A rough duration as text: `40 s`, `12 min`, `3.5 h`."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"


def ratio(relative: Relative | None) -> str:
    """The ratio and its 95% interval as text. The text has `=` if the difference is within the
    noise floor. If several hosts measured the ratio, the interval on these hosts is added."""
    if relative is None:
        return ""
    if relative.bounds is not None:
        return bounded_ratio(relative.bounds)
    same = "= " if relative.within_noise_floor else ""
    hosts = relative.on_these_hosts
    on_them = f", on these hosts{interval(hosts)}" if hosts is not None else ""
    return f"{same}{three_digits(relative.value)}{interval(relative.interval)}{on_them}"


def bounded_ratio(bounds: Bounds) -> str:
    """The bounds of a ratio as text: `≤ 1.20`, `≥ 0.80`, `0.80 to 1.20`. Empty if the ratio has no
    bounds."""
    low, high = bounds
    if low is None:
        return "" if high is None else f"≤ {three_digits(high)}"
    if high is None:
        return f"≥ {three_digits(low)}"
    return f"{three_digits(low)} to {three_digits(high)}"


def interval(limits: Interval | None) -> str:
    """A 95% interval as text, to be appended to its centre: ` [1.58, 1.63]`."""
    if limits is None:
        return ""
    low, high = limits
    return f" [{three_digits(low)}, {three_digits(high)}]"
