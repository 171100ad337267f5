"""Real runs, measured honestly once and stored (`stored/`), and the ways to change one thing in
them: what the mistake would have left on disk in its place."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evidence.records import Records as Run
from evidence.records import Series
from fairness.stored.archive import HOST, REQUESTS, unpack, unpacked_requests
from fairness.stored.experiments import EXPERIMENTS
from runfair.evidence.cell import ServiceEvidence
from runfair.evidence.load import examine
from runfair.evidence.pauses import examine_pauses
from runfair.evidence.run import RunEvidence, gather
from runfair.formats.event import Event
from runfair.formats.execution import Execution
from runfair.formats.histogram import Interval, Quantity
from runfair.formats.host import Host
from runfair.formats.load_requests import Failures
from runfair.formats.load_result import LoadResult
from runfair.formats.plan import Plan
from runfair.formats.records_file import Records, RecordsHeader
from runfair.formats.service import MAIN_LOAD, Usage
from simulated.requests import histogram

IntArray = npt.NDArray[np.int64]
STORED = Path(__file__).with_name("stored")
KINDS = ("good", "miss", *Failures.model_fields)


@dataclass(frozen=True, eq=False)
class StoredLoad:
    """The load at a service's operating point: what the generator and the looks said of it, what
    its runtime told (None: nothing), and its requests, one entry each in `columns`."""

    result: LoadResult
    usage: tuple[Usage, ...]
    events: tuple[Event, ...] | None
    columns: Mapping[str, IntArray]

    @cached_property
    def records(self) -> Records:
        names = [name for name in self.columns if name != "kind"]
        fields = [("kind", "u8"), *((name, "u64") for name in names)]
        header = RecordsHeader.model_validate(
            {
                "format": "runfair-load records",
                "version": 1,
                "loop": self.result.loop,
                "record_bytes": 1 + 8 * len(names),
                "fields": [
                    {"name": name, "type": kind, "offset": max(0, 8 * place - 7)}
                    for place, (name, kind) in enumerate(fields)
                ],
                "kinds": list(KINDS),
                "start_monotonic_ns": self.result.started.monotonic_ns,
                "start_realtime_ns": self.result.started.realtime_ns,
            }
        )
        rows = np.zeros(len(self.columns["kind"]), header.dtype())
        for name, values in self.columns.items():
            rows[name] = values
        return Records(header, rows)

    @cached_property
    def intervals(self) -> list[Interval]:
        """The interval log, as the generator writes it of these requests."""
        good = {name: one[self.columns["kind"] <= 1] for name, one in self.columns.items()}
        intended, sent, done = (good[f"{name}_ns"] for name in ("intended", "sent", "done"))
        quantities: tuple[tuple[Quantity, IntArray], ...] = (
            ("latency", done - intended),
            ("send_lag", sent - np.maximum(intended, good["free_ns"])),
            ("service_time", done - sent),
        )
        length_ns = self.result.interval_ns
        place = intended // length_ns
        return [
            Interval(
                quantity, False, int(one) * length_ns, length_ns, histogram(values[place == one])
            )
            for one in np.unique(place)
            for quantity, values in quantities
        ]

    def with_result(self, **changes: Any) -> StoredLoad:
        """Values of its records changed; dotted names lie deeper."""
        content = self.result.model_dump()
        for name, value in changes.items():
            *path, last = name.split("__")
            place = content
            for step in path:
                place = place[step]
            place[last] = value
        return replace(self, result=LoadResult.model_validate(content))

    def with_columns(self, **columns: IntArray) -> StoredLoad:
        return replace(self, columns={**self.columns, **columns})

    def chosen(self, which: npt.NDArray[np.bool_]) -> StoredLoad:
        """Some of its requests alone are kept."""
        return replace(self, columns={name: one[which] for name, one in self.columns.items()})


@dataclass(frozen=True, eq=False)
class StoredRun(Run):
    """A run as the checks read it; `loads` by execution."""

    loads: Mapping[str, StoredLoad]

    def evidence(self) -> RunEvidence:
        return gather(
            self.plan, self.host, self.executions, self.series.__getitem__, self._measured
        )

    def _measured(self, record: Execution, tolerance: float, settled_ns: int) -> ServiceEvidence:
        load = self.loads.get(record.id)
        if load is None:
            return ServiceEvidence()
        seen = examine(
            load.result,
            load.intervals,
            load.usage,
            tolerance,
            records=load.records,
            settled_ns=settled_ns,
        )
        if load.events is None:
            return ServiceEvidence(seen)
        return ServiceEvidence(seen, pauses=examine_pauses(load.events, seen, load.records))

    def with_loads(self, change: Callable[[StoredLoad], StoredLoad]) -> StoredRun:
        return replace(self, loads={name: change(one) for name, one in self.loads.items()})

    @property
    def cell(self) -> str:
        """The first, which the others are compared with."""
        return self.plan.cells[0].id


def stored_names() -> list[str]:
    """Of the experiments, those of which a run is stored."""
    return [name for name in EXPERIMENTS if (STORED / f"{name}.tar.xz").exists()]


@cache
def stored_run(name: str) -> StoredRun:
    files = unpack(STORED / f"{name}.tar.xz")
    executions = tuple(
        {
            one.planned: one
            for one in map(Execution.model_validate_json, _lines(files["executions.jsonl"]))
        }.values()
    )
    return StoredRun(
        plan=Plan.model_validate_json(files["experiment.json"]),
        host=Host.model_validate_json(files[f"machines/{HOST}.json"]),
        executions=executions,
        series={one.id: _series(files, one.id) for one in executions},
        loads={one.id: load for one in executions if (load := _load(files, one)) is not None},
    )


def _lines(content: bytes) -> list[bytes]:
    return content.splitlines()


def _series(files: Mapping[str, bytes], execution: str) -> Series:
    lines = [json.loads(one) for one in _lines(files.get(f"iterations/{execution}.jsonl", b""))]
    wall, cpu = ([one[name] for one in lines] for name in ("wall_ns", "cpu_ns"))
    return np.array(wall, dtype=np.int64), np.array(cpu, dtype=np.int64)


def _load(files: Mapping[str, bytes], execution: Execution) -> StoredLoad | None:
    raw = f"raw/{execution.id}"
    if f"{raw}/{REQUESTS}" not in files:
        return None
    events = files.get(f"events/{execution.id}.jsonl")
    told = execution.served is not None and execution.served.events is not None
    return StoredLoad(
        result=LoadResult.model_validate_json(files[f"{raw}/{MAIN_LOAD}.json"]),
        usage=tuple(map(Usage.model_validate_json, _lines(files[f"{raw}/usage.jsonl"]))),
        events=tuple(map(Event.model_validate_json, _lines(events)))
        if events is not None and told
        else None,
        columns=unpacked_requests(files[f"{raw}/{REQUESTS}"]),
    )
