"""The windows of a service's latency, and the runtime's events in them."""

from __future__ import annotations

import csv
import io

from evidence.honest_services import honest_services
from runfair.formats.event import Event, Kind
from runfair.report.warm_up_csv import warm_up_csv
from simulated.requests import MILLISECOND


def stop(kind: Kind, started_ns: int, duration_ns: int) -> Event:
    return Event(
        source="jvm",
        kind=kind,
        started_ns=started_ns,
        duration_ns=duration_ns,
        stops_the_world=True,
        text="simulated",
        uncertainty_ns=0,
    )


def test_a_pause_counts_once_and_its_time_in_the_windows_where_it_is_spent() -> None:
    """A collection's pause lies in a safepoint, of which the last 2 ms lie in the next window."""
    run = honest_services().evidence()
    one = run.services[0].executions[0]
    assert one.load is not None
    edge_ns = one.load.result.started.monotonic_ns + int(one.load.windows.end_ns[3])
    events = [
        stop("safepoint", edge_ns - 5 * MILLISECOND, 7 * MILLISECOND),
        stop("gc_pause", edge_ns - 4 * MILLISECOND, 5 * MILLISECOND),
    ]
    table = csv.DictReader(io.StringIO(warm_up_csv(run, {one.record.id: events})))
    lines = list(table)
    mine = [line for line in lines if line["execution"] == one.record.id]
    paused = [(line["pauses"], line["paused_ns"]) for line in mine[2:6]]
    assert paused == [("0", "0"), ("1", "5000000"), ("0", "2000000"), ("0", "0")]
    other = next(line for line in lines if line["execution"] != one.record.id)
    assert (other["pauses"], other["paused_ns"], other["compilations"]) == ("", "", "")
