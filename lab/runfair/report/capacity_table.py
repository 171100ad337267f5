"""A table of capacities with the assumptions behind their confidence, and sentences about knees."""

from __future__ import annotations

from collections.abc import Sequence

from runfair.formats.service_result import CapacityResult, Knee
from runfair.wording import quantity
from runfair.wording.table import Row, Table
from runfair.wording.text import plain

COLUMNS = (
    *(
        "service",
        "objective met up to",
        "objective missed from",
        "confidence",
        "probes",
    ),
    *("remark", "verdict"),
)


def capacity_table(title: str, found: Sequence[tuple[str, CapacityResult]]) -> Table:
    """The capacity table, with a row for each service by name.

    The search for a capacity leaves unclear probes out. If the operating point was disturbed, the
    capacity is flagged too.
    """
    assumed = dict.fromkeys(f"the confidence assumes that {one.assumes}" for _, one in found)
    return Table(
        plain(f"{title} · capacity"),
        COLUMNS,
        tuple(_row(name, one) for name, one in found),
        notes=tuple(assumed),
    )


def _row(name: str, found: CapacityResult) -> Row:
    met, missed = found.highest_met_per_s, found.lowest_missed_per_s
    cells = (
        name,
        "no rate" if met is None else f"{met:,.0f}/s",
        "no rate" if missed is None else f"{missed:,.0f}/s",
        quantity.percent(found.confidence),
        str(found.observations),
        f"in {found.executions} executions",
        found.verdict,
    )
    return Row(cells, found.verdict)


def knee_words(knee: Knee) -> str:
    """The knee in words, for example `the knee (the rate above which latency grows faster than
    throughput) is at 600/s (found from 5 rates); the service is saturated at rates from 1,200/s
    on`."""
    if knee.rate_per_s is None:
        said = (
            "no knee (rate above which latency grows faster than throughput) is shown, because "
            f"{knee.reason}"
        )
    else:
        said = (
            "the knee (the rate above which latency grows faster than throughput) is at "
            f"{knee.rate_per_s:,g}/s (found from {knee.rates} rates)"
        )
    if knee.saturated_from_per_s is not None:
        said += f"; the service is saturated at rates from {knee.saturated_from_per_s:,g}/s on"
    return said
