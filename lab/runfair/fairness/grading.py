"""From a measured excess to a severity."""

from __future__ import annotations

from runfair.formats.finding import Severity


def grade(value: float, *, warning: float, fault: float) -> Severity | None:
    """`warning` and `fault` are the greatest values that still pass each.

    A value that is not a number passes neither.
    """
    if not value <= fault:
        return "fault"
    if not value <= warning:
        return "warning"
    return None
