"""Lengths of time and rates in the words of the generator's command line."""

from __future__ import annotations

_UNITS_NS = (
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
)


def length_text(length_ns: int) -> str:
    """The length in the largest unit of which it is a whole number: 90 s are `90s`, not `1.5m`."""
    for unit, unit_ns in _UNITS_NS:
        if length_ns and length_ns % unit_ns == 0:
            return f"{length_ns // unit_ns}{unit}"
    return f"{length_ns}ns"


def rate_text(rate_per_s: float) -> str:
    """The rate with the six decimals that the generator keeps exactly."""
    return f"{rate_per_s:.6f}".rstrip("0").rstrip(".")
