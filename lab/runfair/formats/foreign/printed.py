"""Numbers as tools print them: with units, thousands separators and any number of digits.

No function here raises: the result is None if the text is not a printed number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

UNITS_NS = {
    "ns": 1.0,
    "us": 1e3,
    "µs": 1e3,
    "μs": 1e3,
    "ms": 1e6,
    "s": 1e9,
    "sec": 1e9,
    "secs": 1e9,
    "seconds": 1e9,
    "m": 60e9,
    "min": 60e9,
    "h": 3600e9,
}
_METRIC = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}
_NUMBER = re.compile(r"([-+]?\d[\d,]{0,30}(?:\.\d{1,30})?(?:[eE][-+]?\d{1,3})?)", re.ASCII)
_METRIC_NUMBER = re.compile(r"(\d[\d,]{0,30}(?:\.\d{1,30})?)([kKMG]?)", re.ASCII)
_PART = re.compile(r"(\d{1,30}(?:\.\d{1,30})?)[ \t]?([a-zµμ]{1,7})")


@dataclass(frozen=True)
class Printed:
    """A value and the step of its last printed digit, in the same unit."""

    value: float
    step: float


def number(text: str, scale: float = 1.0) -> Printed | None:
    """A printed number such as `72530.95`, `1,234` or `1.5e-05`, multiplied by `scale`."""
    if not _NUMBER.fullmatch(text.strip()):
        return None
    digits = text.strip().replace(",", "")
    value = float(digits) * scale
    if not math.isfinite(value):
        return None
    mantissa, _, exponent = digits.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    return Printed(value, scale * 10.0 ** (int(exponent or 0) - decimals))


def count(text: str) -> int | None:
    """A printed integer such as `152330` or `1,234`."""
    found = number(text)
    return int(found.value) if found and 0 <= found.value < 2**63 else None


def metric(text: str) -> float | None:
    """A number with a metric suffix: `36.50k` is 36,500, as in wrk's rates and options."""
    found = _METRIC_NUMBER.fullmatch(text.strip())
    return float(found[1].replace(",", "")) * _METRIC[found[2]] if found else None


def duration(text: str, unit: str | None = None) -> Printed | None:
    """A printed duration such as `497.37us`, `0.7109 secs` or `1m2.5s`, in nanoseconds; a bare
    number is in `unit`."""
    text = text.strip()
    if unit is not None and (bare := number(text, UNITS_NS[unit])):
        return bare if bare.value >= 0 else None
    parts = list(_PART.finditer(text))
    if not parts or "".join(part[0] for part in parts) != text:
        return None
    value = step = 0.0
    for part in parts:
        digits, named = part.groups()
        if named not in UNITS_NS or (read := number(digits, UNITS_NS[named])) is None:
            return None
        value, step = value + read.value, read.step
    return Printed(value, step) if math.isfinite(value) else None


def duration_ns(text: str, unit: str | None = None) -> float | None:
    """The value of a printed duration, in nanoseconds."""
    found = duration(text, unit)
    return found.value if found else None


def step_at_median(printed: Sequence[tuple[float, Printed]]) -> float | None:
    """The step of the printed percentile that is nearest to the median; None if there are no
    percentiles."""
    if not printed:
        return None
    return min(printed, key=lambda item: abs(item[0] - 0.5))[1].step
