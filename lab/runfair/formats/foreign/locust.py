"""The statistics of Locust (`--csv`) and their history.

Each simulated user waits for its answer, and then for its wait time. Percentiles are rounded to
whole milliseconds and two digits ("approximated").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from runfair.formats.foreign.printed import count, duration_ns, number
from runfair.formats.foreign.result import ForeignResult, Latencies, Percentile
from runfair.formats.foreign.source import Source, tables

TOOL = "Locust"
SEEN = True

_STATISTICS = ("Type", "Name", "Request Count", "Failure Count", "Average Response Time")
_HISTORY = ("Timestamp", "User Count", "Name", "Total Request Count", "Total Failure Count")
_STEP_NS = 1e6


def read(source: Source) -> Iterator[ForeignResult]:
    for table in tables(source, _STATISTICS):
        whole = [row for row in table.rows if row["Name"] == "Aggregated"]
        for row in whole or table.rows:
            yield _result(table.line, row, "", None)
    for table in tables(source, _HISTORY):
        whole = [row for row in table.rows if row["Name"] == "Aggregated"]
        if whole:
            users = [count(row["User Count"]) or 0 for row in whole]
            stamps = [each for row in whole if (each := count(row["Timestamp"])) is not None]
            plain = _result(table.line, whole[-1], "Total ", max(users))
            # In the history, the percentile columns cover the last seconds; the totals cover the
            # whole run.
            latencies = plain.latencies.model_copy(update={"percentiles": ()})
            length_s = stamps[-1] - stamps[0] if stamps else 0
            yield plain.model_copy(
                update={
                    "latencies": latencies,
                    "duration_ns": length_s * 1e9 if length_s > 0 else None,
                    "rate_per_s": plain.requests / length_s
                    if plain.requests and length_s > 0
                    else None,
                }
            )


def _result(line: int, row: Mapping[str, str], prefix: str, users: int | None) -> ForeignResult:
    requests = count(row.get(f"{prefix}Request Count", ""))
    rate = number(row.get("Requests/s", ""))
    length_ns = requests / rate.value * 1e9 if requests and rate and rate.value > 0 else None
    return ForeignResult(
        tool=TOOL,
        seen=SEEN,
        kind="load",
        line=line,
        name=row["Name"],
        loop="closed or paced",
        timed_from="sending",
        connections=users or None,
        duration_ns=length_ns,
        rate_per_s=rate.value if rate else None,
        requests=requests,
        errors=count(row.get(f"{prefix}Failure Count", "")),
        errors_timed=True,
        latencies=Latencies(
            counted=requests,
            min_ns=duration_ns(row.get(f"{prefix}Min Response Time", ""), "ms"),
            mean_ns=duration_ns(row.get(f"{prefix}Average Response Time", ""), "ms"),
            max_ns=duration_ns(row.get(f"{prefix}Max Response Time", ""), "ms"),
            percentiles=tuple(
                Percentile(share=percent.value / 100, value_ns=value)
                for name, text in row.items()
                if name.endswith("%") and (percent := number(name[:-1])) and percent.value <= 100
                if (value := duration_ns(text, "ms")) is not None
            ),
            step_ns=_STEP_NS,
        ),
        warmup_left_out=False,
        executions=1,
        conditions={"connections": str(users)} if users else {},
        basis={
            "loop": (
                "each user waits for an answer, and then waits for a set time before the next "
                "request"
            ),
            "timed_from": "Locust starts its clock when it sends the request",
            "warmup": "Locust does not exclude the warmup unless --reset-stats is given",
            "step": "Locust rounds to whole milliseconds",
        },
    )
