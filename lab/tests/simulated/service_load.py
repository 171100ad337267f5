"""A load on a service whose truth is known: its requests, and what is written of them.

Latencies come from work that is given and from stops of the whole program, in which nothing is
done; so every figure that the lab reports can be held against the requests themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from runfair.evidence.load import Queries
from runfair.formats.event import Event, HeapChange, Kind
from runfair.formats.finding import LoadFinding
from runfair.formats.histogram import Interval
from runfair.formats.load_requests import Failures
from runfair.formats.load_result import Figures, LoadResult
from runfair.formats.place import HERE, Location
from runfair.formats.records_file import Records, RecordsHeader
from runfair.formats.relay_report import Connections, Quantiles, RelayReport
from runfair.formats.relay_report import Queries as QueryCounts
from runfair.formats.service import SHARES, Usage
from simulated.requests import (
    INTERVAL_NS,
    KINDS,
    MILLISECOND,
    SECOND,
    FloatArray,
    IntArray,
    Requests,
    histogram,
    quantities,
)

LOOK_NS = 250 * MILLISECOND
TICK_NS = 10 * MILLISECOND
HEAD_BYTES = 120
LIVE_BYTES = 10 * 2**20


@dataclass(frozen=True, eq=False)
class Relayed:
    """Queries of each request, one after another, which took `took_ns` and a round trip of a
    millisecond, and with which the relay was late by so much more each; `unparsed` are connections
    that it could not read."""

    late_ns: IntArray
    took_ns: int = 0
    per_request: int = 1
    unparsed: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Load:
    """Requests, and what the generator, the runtime and the kernel tell of them.

    `pauses_ns`, shape (k, 2), are those that the runtime tells of; None: it tells nothing. Where it
    is known what is `allocated_per_s`, each tells of the heap as well. A closed loop has no
    `rate_per_s`. `withheld` and `findings` are the generator's own. `cycles` a request are counted
    for `counted_share` of the time, twice as many as instructions. The generator ran in `place`.
    `told` are fields of the generator's result that it states otherwise. Every wrong body was found
    by a comparison; if `told` has a `check_share`, the comparisons were a sample.
    """

    requests: Requests
    rate_per_s: float | None
    began_ns: int = 5 * SECOND
    connections: int = 200
    cpu_ns: int = 300_000
    database_cpu_ns: int | None = None
    run_queue: bool = True
    peak_bytes: int = 80 * 2**20
    pauses_ns: IntArray | None = None
    compilations_ns: tuple[int, ...] = ()
    allocated_per_s: float | None = None
    answer_bytes: int = 400
    templates: tuple[str, ...] = ("POST /pay/${amount}",)
    complaint: str | None = None
    withheld: tuple[tuple[str, str], ...] = ()
    findings: tuple[LoadFinding, ...] = ()
    effective_share: float = 1.0
    cycles: int | None = None
    counted_share: float = 1.0
    relayed: Relayed | None = None
    place: Location = HERE
    told: tuple[tuple[str, Any], ...] = ()

    @property
    def elapsed_ns(self) -> int:
        return int(self.requests.done_ns.max())

    @property
    def intervals(self) -> list[Interval]:
        return self.requests.intervals

    @cached_property
    def usage(self) -> list[Usage]:
        """A look at each process tree every so often: CPU time goes with the answers."""
        done = np.sort(self.requests.done_ns)
        looks = []
        for at_ns in range(0, self.elapsed_ns + 1, LOOK_NS):
            answered = int(np.searchsorted(done, at_ns, side="right"))
            looks.append(self._look("service", self.cpu_ns, at_ns, answered))
            if self.database_cpu_ns is not None:
                looks.append(self._look("database", self.database_cpu_ns, at_ns, answered))
        return looks

    @cached_property
    def events(self) -> list[Event] | None:
        if self.pauses_ns is None:
            return None
        stops = []
        last_ns = 0
        for start, end in self.pauses_ns:
            stop = self._event("gc_pause", int(start), int(end - start))
            stops.append(stop.model_copy(update={"heap": self._heap(int(start) - last_ns)}))
            last_ns = int(start)
        compiled = [self._event("compilation", at_ns, 0) for at_ns in self.compilations_ns]
        return sorted([*stops, *compiled], key=lambda one: one.started_ns)

    @cached_property
    def queries(self) -> Queries | None:
        if self.relayed is None:
            return None
        count = self.relayed.per_request
        late_ns = np.repeat(self.relayed.late_ns, count)
        whole_ns = MILLISECOND + self.relayed.took_ns + late_ns
        before_ns = np.tile(np.arange(count), len(self.requests.kind)) * whole_ns
        sent_ns = np.repeat(self.requests.sent_ns, count)
        arrived = self.began_ns + sent_ns + MILLISECOND // 10 + before_ns
        delivered = arrived + whole_ns
        return Queries(arrived, delivered, delivered, late_ns.astype(np.float64))

    @cached_property
    def relay_report(self) -> RelayReport | None:
        if self.relayed is None:
            return None
        answered = len(self.requests.kind) * self.relayed.per_request
        unknown: dict[str, int | None] = {**dict.fromkeys(Quantiles.model_fields), "count": 0}
        return RelayReport.model_validate(
            {
                "format": "runfair-relay report",
                "version": 1,
                "tool_version": "0",
                "started": {"realtime_ns": 0, "monotonic_ns": self.began_ns},
                "elapsed_ns": self.elapsed_ns,
                "listen": "127.0.0.1:1",
                "to": "127.0.0.1:2",
                "protocol": "postgresql",
                "delay_ns": MILLISECOND,
                "connections": dict.fromkeys(Connections.model_fields, 0),
                "queries": {**dict.fromkeys(QueryCounts.model_fields, 0), "answered": answered},
                "unparsed_streams": dict(self.relayed.unparsed),
                "server_time_ns": unknown,
                "whole_time_ns": unknown,
                "punctuality": {"delay_error_ns": unknown, "held_back": 0},
                "bytes": {"to_target": 0, "to_clients": 0},
                "cost": {
                    "cpu_user_ns": 10_000 * answered,
                    "cpu_system_ns": 20_000 * answered,
                    "peak_rss_bytes": MILLISECOND,
                },
                "records": None,
            }
        )

    @cached_property
    def records(self) -> Records:
        names = ("intended_ns", "free_ns", "sent_ns", "done_ns", "answer_bytes")
        fields = [("kind", "u8"), *((name, "u64") for name in names)]
        header = RecordsHeader.model_validate(
            {
                "format": "runfair-load records",
                "version": 1,
                "loop": "open" if self.rate_per_s is not None else "closed",
                "record_bytes": 41,
                "fields": [
                    {"name": name, "type": kind, "offset": max(0, 8 * place - 7)}
                    for place, (name, kind) in enumerate(fields)
                ],
                "kinds": list(KINDS),
                "start_monotonic_ns": self.began_ns,
                "start_realtime_ns": self.began_ns,
            }
        )
        rows = np.zeros(len(self.requests.kind), header.dtype())
        for name in ("kind", "intended_ns", "sent_ns", "done_ns"):
            rows[name] = getattr(self.requests, name)
        rows["free_ns"] = self.requests.intended_ns
        rows["answer_bytes"] = self.answer_bytes - HEAD_BYTES
        return Records(header, rows[np.argsort(rows["done_ns"], kind="stable")])

    @cached_property
    def result(self) -> LoadResult:
        requests, good = self.requests, self.requests.good
        count = len(requests.kind)
        told = {**_CONSTANTS, **dict(self.told)}
        failures = {
            name: int((requests.kind == KINDS.index(name)).sum()) for name in Failures.model_fields
        }
        checkable = len(good.kind) + failures["wrong_body"]
        achieved_per_s = count / (self.elapsed_ns / SECOND)
        open_loop = self.rate_per_s is not None
        arrivals = {
            "process": "constant",
            "rate": f"{self.rate_per_s}/s",
            "rate_per_s": self.rate_per_s,
            "seed": 1,
            "speed": 1.0,
        }
        figures = {
            f"{quantity}_ns": self._figures(values).model_dump()
            for quantity, values in quantities(good)
        }
        return LoadResult.model_validate(
            {
                **_CONSTANTS,
                **figures,
                "queue_wait_ns": self._figures(np.zeros(1, dtype=np.int64)).model_dump(),
                "started": {"realtime_ns": self.began_ns, "monotonic_ns": self.began_ns},
                "loop": "open" if open_loop else "closed",
                "arrivals": arrivals if open_loop else None,
                "mode": "default" if open_loop else None,
                "resolution_ns": 1000 if open_loop else None,
                "connections": self.connections,
                "traffic": {**_NO_FILE, "templates": list(self.templates)},
                "elapsed_ns": self.elapsed_ns,
                "requests": {
                    "scheduled": count,
                    "sent": count,
                    "completed": count,
                    "good": len(good.kind),
                    "failed": count - len(good.kind),
                    "misses": 0,
                    "checkable": checkable,
                    "checked": round(told["check_share"] * checkable),
                    "wrong_of_checked": failures["wrong_body"],
                    "failures": failures,
                    "unasked": 0,
                    "complaint": self.complaint,
                    "statuses": {"200": len(good.kind)},
                },
                "rate": {
                    "offered_per_s": self.rate_per_s,
                    "achieved_per_s": achieved_per_s,
                    # The last answers come a latency after the last arrival.
                    "ratio": min(1.0, achieved_per_s / self.rate_per_s)
                    if self.rate_per_s is not None
                    else None,
                    "late_by_generator": 0,
                },
                "bytes": {"sent": 100 * count, "received": self.answer_bytes * count},
                "connections_opened": self.connections,
                "verdict": {
                    "state": self._state,
                    "findings": [one.model_dump() for one in self.findings],
                },
                **dict(self.told),
            }
        )

    def telling(self, **told: Any) -> Load:
        return replace(self, told=tuple(told.items()))

    @property
    def _state(self) -> str:
        severities = {one.severity for one in self.findings}
        if "fault" in severities:
            return "void"
        return "flagged" if "warning" in severities else "fair"

    def with_requests(self, **changes: Any) -> Load:
        return replace(self, requests=replace(self.requests, **changes))

    def failing(self, share: float, kind: str = "wrong_status") -> Load:
        """Every so many requests end otherwise, from the first on."""
        kinds = self.requests.kind.copy()
        kinds[:: round(1 / share)] = KINDS.index(kind)
        return self.with_requests(kind=kinds)

    def sent_late(self, lag_ns: int) -> Load:
        """The generator is late, and whoever is answered is answered so much later."""
        requests = self.requests
        return self.with_requests(
            sent_ns=requests.sent_ns + lag_ns, done_ns=requests.done_ns + lag_ns
        )

    def with_tail(self, course: Callable[[FloatArray], FloatArray]) -> Load:
        """What of a latency lies above the 95th percentile is so many times as long at an instant
        of the load, which lasts from 0 to 1; all that lies below stays."""
        latency = self.requests.latency_ns
        edge_ns = np.quantile(latency, 0.95)
        factor = course(self.requests.intended_ns / self.elapsed_ns)
        longer = np.where(latency > edge_ns, edge_ns + (latency - edge_ns) * factor, latency)
        return self.with_requests(done_ns=self.requests.intended_ns + longer.astype(np.int64))

    def first(self, count: int) -> Load:
        which = np.arange(len(self.requests.kind)) < count
        return replace(self, requests=self.requests.chosen(which))

    def thinned(self, count: int) -> Load:
        """So many requests, all along the load."""
        all_of_them = len(self.requests.kind)
        which = np.zeros(all_of_them, dtype=np.bool_)
        which[np.arange(count) * all_of_them // count] = True
        return replace(self, requests=self.requests.chosen(which))

    def _figures(self, values: IntArray) -> Figures:
        held = histogram(values)
        withheld = dict(self.withheld)
        percentiles = {
            name: None if name in withheld else held.value_at(share)
            for name, share in SHARES.items()
        }
        return Figures.model_validate(
            {
                "count": len(values),
                "min": int(values.min()),
                "mean": float(values.mean()),
                **percentiles,
                "max": int(values.max()),
                "intervals": {},
                "withheld": withheld,
                "effective_count": {name: self.effective_share * len(values) for name in SHARES},
            }
        )

    def _look(self, of: str, cpu_ns: int, at_ns: int, answered: int) -> Usage:
        used_ns = answered * cpu_ns
        ticked_ns = used_ns // TICK_NS * TICK_NS
        return Usage.model_validate(
            {
                "of": of,
                "monotonic_ns": self.began_ns + at_ns,
                "cpu_ns": used_ns,
                "user_ns": ticked_ns,
                "system_ns": 0,
                "run_queue_ns": answered * 20_000 if self.run_queue else None,
                "voluntary_switches": 2 * answered,
                "involuntary_switches": answered // 2,
                "peak_bytes": self.peak_bytes - (1000 if at_ns == 0 else 0),
                "processor": self._counted(answered, used_ns) if of == "service" else None,
            }
        )

    def _counted(self, answered: int, used_ns: int) -> dict[str, Any] | None:
        if self.cycles is None:
            return None

        def reading(each: int) -> dict[str, int]:
            seen = self.counted_share * answered * each
            running_ns = round(self.counted_share * used_ns)
            return {"value": round(seen), "enabled_ns": used_ns, "running_ns": running_ns}

        return {
            "cycles": reading(self.cycles),
            "instructions": reading(self.cycles // 2),
            "user_only": False,
        }

    def _heap(self, since_last_ns: int) -> HeapChange | None:
        """Each collection frees all that was allocated since the one before."""
        if self.allocated_per_s is None:
            return None
        allocated_bytes = round(self.allocated_per_s * since_last_ns / SECOND)
        return HeapChange(
            before_bytes=LIVE_BYTES + allocated_bytes, after_bytes=LIVE_BYTES, step_bytes=1
        )

    def _event(self, kind: Kind, at_ns: int, duration_ns: int) -> Event:
        return Event(
            source="jvm",
            kind=kind,
            started_ns=self.began_ns + at_ns,
            duration_ns=duration_ns,
            stops_the_world=kind == "gc_pause",
            text="simulated",
            uncertainty_ns=0,
        )


_NO_FILE = dict.fromkeys(
    ("file", "file_sha256", "order", "operations", "keys", "value_bytes"),
)
_CONSTANTS: dict[str, Any] = {
    "format": "runfair-load result",
    "version": 1,
    "tool_version": "0.1.0",
    "host": "host",
    "kernel": "6.1",
    "target": "127.0.0.1:8080",
    "protocol": "http",
    "tls": False,
    "threads": 1,
    "pipeline": 1,
    "warmup_ns": 0,
    "horizon_ns": None,
    "interval_ns": INTERVAL_NS,
    "timeout_ns": 10 * SECOND,
    "check_share": 1.0,
    "ended": "schedule",
    "reconnects": 0,
    "phases": [],
    "generator": {
        "cpu_us_per_request": 10.0,
        "cpu_user_ns": SECOND,
        "cpu_system_ns": SECOND,
        "peak_rss_bytes": 10 * 2**20,
        "voluntary_switches": 1,
        "involuntary_switches": 1,
        "threads": [],
        "clock_steps": 0,
        "unstamped": 0,
        "reads_at_once": False,
    },
    "tests": {
        "arrivals": {"grid": None},
        "lag1_autocorrelation": None,
        "design_effect": {},
        "stationarity": None,
    },
    "files": {"hlog": None, "hgrm": None, "records": None},
}
