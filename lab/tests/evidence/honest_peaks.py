"""An honest run of peaks, made from a seed: four frameworks of two classes in four tests.

A service uses 97% of its processor, and a request costs it what `Service.cpu_ns` and the test's
`factor` say, to 0.3% between windows and 0.5% between processes. A test with a database costs that
twice as much as it costs the fastest service, which stays below what would limit the service.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import numpy as np

from evidence.honest_run import CREATED_NS, GCC, GO, JAVA, PYTHON, Runtime, honest_run
from evidence.records import EXECUTIONS, SECOND, Records, Series, reading
from runfair.formats.execution import Execution
from runfair.formats.host import KINDS
from runfair.formats.peak import REQUESTS, Classification, Peak, PeakLoad, Score
from runfair.formats.plan import Cell, DrivenLoad, PlannedExecution
from runfair.formats.service import DatabaseUse, SystemCallCounts

WINDOW_NS = SECOND // 5
WINDOWS = 60
BUSY = 0.97
GENERATOR_SHARE = 0.3
CONNECTIONS = (32, 256)
PLATFORM = Classification(approach="platform", database="raw", implementation="realistic")
MICRO = Classification(approach="micro", database="raw", implementation="realistic")


@dataclass(frozen=True)
class Service:
    name: str
    runtime: Runtime
    classification: Classification
    cpu_ns: float


BEAST = Service("beast", GCC, PLATFORM, 6_000)
NET_HTTP = Service("net-http", GO, PLATFORM, 15_000)
VERTX = Service("vertx", JAVA, MICRO, 20_000)
FASTAPI = Service("fastapi", PYTHON, MICRO, 120_000)
SERVICES = (BEAST, NET_HTTP, VERTX, FASTAPI)


@dataclass(frozen=True)
class Workload:
    """A request costs `factor` times as much as in plaintext, and the database `database_ns`."""

    name: str
    factor: float
    database_ns: float = 0.0


JSON = Workload("json", 1.1)
DB = Workload("single-query", 5.0, 12_000)
TESTS = (Workload("plaintext", 1.0), JSON, DB, Workload("fortunes", 6.0, 14_000))
SCORES = [
    Score(
        name="sum",
        version=3,
        about="weights of somebody else",
        source="a page",
        verified=False,
        of="rate",
        weights={"plaintext": 0.2, "json": 1.0, "single-query": 2.0, "fortunes": 4.0},
    ),
    Score(
        name="shares",
        version=1,
        about="the geometric mean",
        verified=True,
        of="share",
        weights=dict.fromkeys((one.name for one in TESTS), 1.0),
    ),
]


def peak_id(service: Service, test: Workload, connections: int = CONNECTIONS[0]) -> str:
    return f"techempower/{test.name}/peak/{connections}c/{service.name}"


def true_cpu_ns(service: Service, test: Workload, connections: int = CONNECTIONS[0]) -> float:
    """Many connections cost 5% more."""
    return service.cpu_ns * test.factor * (1 if connections == CONNECTIONS[0] else 1.05)


@cache
def honest_peaks(seed: int = 1) -> Records:
    """The same records for the same seed."""
    random = np.random.default_rng(seed)
    like = honest_run()
    asked = list(product(TESTS, CONNECTIONS, SERVICES))
    cells = [_cell(like, service, test, count) for test, count, service in asked]
    planned: list[PlannedExecution] = []
    executions: list[Execution] = []
    series: dict[str, Series] = {}
    now_ns = CREATED_NS + SECOND
    for block in range(1, EXECUTIONS // 2 + 1):
        for test, count in product(TESTS, CONNECTIONS):
            order = [SERVICES[place] for place in random.permutation(len(SERVICES))]
            for position, service in enumerate([*order, *reversed(order)]):
                one = PlannedExecution(
                    id=f"{len(planned) + 1:05d}",
                    cell=peak_id(service, test, count),
                    role="block",
                    block=block,
                    position=position,
                )
                planned.append(one)
                record, windows = _execution(random, like, one, service, test, count, now_ns)
                executions.append(record)
                series[record.id] = windows
                now_ns += record.launch.wall_ns + SECOND
    readings = [
        reading(kind, one, 1 + float(random.normal(0, 0.003)))
        for one in executions
        for kind in KINDS
    ]
    plan = like.plan.model_copy(
        update={"cells": cells, "executions": planned, "scores": {"techempower": SCORES}}
    )
    return Records(plan, like.host, tuple(executions), series, readings=tuple(readings))


def only(run: Records, *services: Service, tests: Sequence[Workload] = TESTS) -> Records:
    """The run without all other services and tests."""
    kept = {peak_id(*one) for one in product(services, tests, CONNECTIONS)}
    plan = run.plan.model_copy(
        update={
            "cells": [one for one in run.plan.cells if one.id in kept],
            "executions": [one for one in run.plan.executions if one.cell in kept],
        }
    )
    return replace(
        run, plan=plan, executions=tuple(one for one in run.executions if one.cell in kept)
    )


def slowed(run: Records, cell: str, factor: float, database_ns: int | None = None) -> Records:
    """A cell whose windows have fewer answers for the same CPU time of a request: the service waits
    for something. `database_ns` is then the database's CPU time in each window."""

    def wait(one: Series) -> Series:
        return (one[0] * factor).astype(np.int64), one[1]

    def change(record: Execution) -> Execution:
        assert record.peak is not None
        update: dict[str, object] = {
            "answered": [max(1, round(count / factor)) for count in record.peak.answered]
        }
        if database_ns is not None:
            update["database_cpu_ns"] = [database_ns] * len(record.peak.answered)
        return record.model_copy(update={"peak": record.peak.model_copy(update=update)})

    return run.with_series(cell, wait).with_executions(cell, change)


def _cell(like: Records, service: Service, test: Workload, connections: int) -> Cell:
    plain = next(cell for cell in like.plan.cells if cell.variant == service.runtime.name)
    database = DatabaseUse(round_trip_ns=0) if test.database_ns else None
    return plain.model_copy(
        update={
            "id": peak_id(service, test, connections),
            "suite": "web",
            "benchmark": "techempower",
            "workload": test.name,
            "size": "small",
            "tier": service.name,
            "mode": "steady",
            "inputs": [],
            "operations": {"requests": REQUESTS},
            "peak": Peak(
                connections=connections,
                traffic="/traffic.jsonl",
                traffic_sha256=f"{plain.digest}{'0' * 48}",
                database=database,
            ),
            "classification": service.classification,
        }
    )


def _execution(
    random: np.random.Generator,
    like: Records,
    planned: PlannedExecution,
    service: Service,
    test: Workload,
    connections: int,
    now_ns: int,
) -> tuple[Execution, Series]:
    level_ns = true_cpu_ns(service, test, connections) * np.exp(random.normal(0, 0.005))
    cpu_ns = level_ns * np.exp(random.normal(0, 0.003, WINDOWS))
    answered = np.maximum(1, np.rint(WINDOW_NS * BUSY / cpu_ns)).astype(np.int64)
    wall_ns = WINDOW_NS / answered
    life_ns = WINDOWS * WINDOW_NS + SECOND
    plain = next(
        one
        for one in like.executions
        if one.cell.endswith(service.runtime.name) and "/steady/" in one.cell
    )
    assert plain.start is not None
    start = plain.start.model_copy(
        update={
            "contract": 2,
            "benchmark": "techempower",
            "tier": service.name,
            "workload": None,
            "size": None,
            "seed": None,
            "monotonic_ns": now_ns - CREATED_NS,
            "realtime_ns": now_ns,
            "cpu_clock_resolution_ns": 1,
        }
    )
    launch = plain.launch.model_copy(
        update={
            "started_monotonic_ns": now_ns - CREATED_NS,
            "started_realtime_ns": now_ns,
            "wall_ns": life_ns,
            "cpu_ns": round(life_ns * BUSY),
            "run_queue_ns": life_ns // 1000,
            "foreign_ns": life_ns // 1000,
        }
    )
    of_database = np.rint(answered * test.database_ns).astype(np.int64)
    load = DrivenLoad(
        iteration=0,
        name="peak",
        elapsed_ns=WINDOWS * WINDOW_NS,
        requests=int(answered.sum()),
        misses=0,
        generator_share=GENERATOR_SHARE,
    )
    peak = PeakLoad(
        window_ns=[WINDOW_NS] * WINDOWS,
        answered=answered.tolist(),
        switches=(answered // 10).tolist(),
        database_cpu_ns=of_database.tolist() if test.database_ns else [],
        paused_ns=[WINDOW_NS // 100] * WINDOWS,
        collecting_ns=[WINDOW_NS // 50] * WINDOWS,
        database_processors=[0] if test.database_ns else [],
        generator_processors=[0],
        database="PostgreSQL 15" if test.database_ns else "",
        system_calls=SystemCallCounts(
            requests=1000, read=1000, write=1000, wait=100, lock=0, other=0
        ),
    )
    record = plain.model_copy(
        update={
            "id": f"{planned.id}.1",
            "planned": planned.id,
            "cell": planned.cell,
            "block": planned.block,
            "position": planned.position,
            "start": start,
            "iterations": WINDOWS,
            "launch": launch,
            "driven": [load],
            "peak": peak,
        }
    )
    windows = (
        np.rint(wall_ns * REQUESTS).astype(np.int64),
        np.rint(cpu_ns * REQUESTS).astype(np.int64),
    )
    return record, windows
