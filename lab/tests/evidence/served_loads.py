"""Records of loads on a service."""

from __future__ import annotations

from collections.abc import Sequence

from runfair.formats.place import Traffic
from runfair.formats.service import Purpose, ServedLoad


def served_load(purpose: Purpose, rate_per_s: float, traffic: Sequence[Traffic]) -> ServedLoad:
    """A load with this traffic."""
    return ServedLoad(
        name=f"{purpose}-{rate_per_s:g}",
        purpose=purpose,
        rate_per_s=rate_per_s,
        started_monotonic_ns=0,
        elapsed_ns=1,
        scheduled=1,
        good=1,
        failed=0,
        verdict="fair",
        traffic=[*traffic],
    )
