"""Mistakes of percentiles: too few values, values that are not times of requests, too coarse a
clock."""

from __future__ import annotations

from runfair.fairness.audit.judging import BEYOND_ONE, Mistake, little, little_said, time
from runfair.formats.foreign.result import ForeignResult, Judgement, Latencies
from runfair.statistics.closed_loop import IMPOSSIBLE
from runfair.statistics.percentile import label, least_count

TOO_FEW = Mistake("too_few", "too few values for a percentile")

ANYONES = ("percentile spectrum", "interval log")
"""File formats that any program can write. These formats contain all percentiles, whatever the
number of values."""

USUAL = (0.5, 0.9, 0.99, 0.999, 0.9999)


EXTREME = 1e-9
"""A share this near to 0 or 1 stands for the least or the greatest value, even if a spectrum prints
another share."""


def given(latencies: Latencies) -> list[float]:
    """The shares of the given percentiles, in rising order. The least and the greatest value are
    left out."""
    shares = {each.share for each in latencies.percentiles}
    return sorted(share for share in shares if EXTREME < share < 1 - EXTREME)


def highest_supported(latencies: Latencies) -> float | None:
    """The highest given percentile, as a share, for which there are enough values to bound its 95%
    interval on both sides."""
    counted = latencies.counted or 0
    enough = [share for share in given(latencies) if least_count(share) <= counted]
    return max(enough, default=None)


def _enough_for(latencies: Latencies) -> str:
    counted = latencies.counted or 0
    enough = [share for share in USUAL if least_count(share) <= counted]
    most = f"enough for {label(enough[-1])}" if enough else "too few for the median"
    return (
        "the file contains the whole distribution of the values instead of a few percentiles; its "
        f"{counted:,} values are {most}"
    )


def too_few(result: ForeignResult) -> Judgement | None:
    """Too few: a printed percentile was computed from too few values."""
    shares = given(result.latencies)
    if not shares and result.tool in ANYONES:
        return TOO_FEW.not_told(_enough_for(result.latencies))
    if not shares:
        return TOO_FEW.excluded("the file gives no percentile") if result.kind == "load" else None
    highest, counted = shares[-1], result.latencies.counted
    if counted is None:
        return TOO_FEW.not_told(
            f"the file contains {label(highest)}, but does not say from how many values it "
            "was computed"
        )
    needed = f"a 95% confidence interval of {label(highest)} needs {least_count(highest):,} values"
    if counted >= least_count(highest):
        return TOO_FEW.excluded(f"{needed}, and the file has {counted:,}")
    last = highest_supported(result.latencies)
    enough = f"; they are enough for {label(last)}" if last is not None else ""
    return TOO_FEW.established(f"{needed}, but the file has only {counted:,}{enough}")


NOT_OF_REQUESTS = Mistake("not_of_requests", "percentiles not computed from single requests")


def not_of_requests(result: ForeignResult) -> Judgement | None:
    """Not of requests: the percentiles were computed from summaries (means of iterations,
    percentiles of parts), or from values that were added afterwards."""
    shares, counted = given(result.latencies), result.latencies.counted
    if not shares and result.tool not in ANYONES:
        return (
            NOT_OF_REQUESTS.excluded("the file gives no percentile")
            if result.kind == "load"
            else None
        )
    if result.latencies.of == "iterations":
        return NOT_OF_REQUESTS.established(
            f"the percentiles {label(shares[0])} to {label(shares[-1])} were computed from the "
            f"times of {counted or 'some'} iterations; the time of an iteration is the mean time "
            "of many calls, so these percentiles are not percentiles of single calls"
        )
    if result.tool in ANYONES and result.version is None:
        # Published harnesses recorded each row of a printed spectrum once into a new histogram.
        return NOT_OF_REQUESTS.not_told(
            "the file does not say whether each of its values is the latency of a single request, "
            "so its percentiles may not be percentiles of single requests"
        )
    ratio = little(result)
    beyond_one = ratio is not None and ratio > IMPOSSIBLE
    shown = f"{little_said(result)}, {BEYOND_ONE}"
    if "added" in result.basis:
        return NOT_OF_REQUESTS.not_told(
            f"{result.basis['added']}; {shown}" if beyond_one else result.basis["added"]
        )
    if result.timed_from == "sending" and beyond_one:
        return NOT_OF_REQUESTS.not_told(shown)
    single = (
        "latencies of the individual requests"
        if result.kind == "load"
        else "times of the individual calls"
    )
    return NOT_OF_REQUESTS.excluded(
        f"{result.tool} computes percentiles from the {single}, not from mean values"
    )


COARSE_CLOCK = Mistake("resolution", "resolution too coarse")

COARSEST = 0.05
"""The greatest step of the clock that passes, as a share of the median. The limit is the same as
for a generator's own delay (docs/statistics.md, “Latency”)."""


def coarse_clock(result: ForeignResult) -> Judgement | None:
    """Coarse clock: the step of the clock is large compared with the measured times."""
    step, named = result.latencies.step_ns, _typical(result.latencies)
    if step is None or named is None:
        unit = result.basis.get("unit")
        return COARSE_CLOCK.not_told(
            unit
            or (
                "the resolution of the measured times is unknown: the file does not state the "
                "smallest difference that the tool's clock can measure, and the digits of the "
                "times do not show this difference"
            )
        )
    name, typical = named
    said = (
        f"the measured times have a resolution of {time(step)}, and their {name} is "
        f"{time(typical)}{result.because('step')}"
    )
    if step <= COARSEST * typical:
        return COARSE_CLOCK.excluded(said)
    return COARSE_CLOCK.established(
        f"{said}; a resolution of more than {COARSEST:.0%} of the {name} is too coarse"
    )


def _typical(latencies: Latencies) -> tuple[str, float] | None:
    for each in latencies.percentiles:
        if each.share == 0.5:
            return "median", each.value_ns
    return None if latencies.mean_ns is None else ("mean", latencies.mean_ns)
