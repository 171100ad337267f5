"""An honest run of two services at their operating point, and the ways to change one thing in it.

Both answer 2,000 requests a second for 24 s, in six processes each. One is an interpreter that is
steady at once and stops for 3 ms now and then; the other is compiled while it runs: three times as
slow at first, its collector stops it for 15 ms. Latencies are lognormal around 2 ms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np

from evidence.honest_run import CREATED_NS, honest_run
from evidence.records import EXECUTIONS, SECOND, reading
from evidence.records import Records as Run
from runfair.evidence.cell import ServiceEvidence
from runfair.evidence.load import LoadEvidence, Probe, examine
from runfair.evidence.pauses import PauseEvidence, examine_pauses
from runfair.evidence.reading import Traces
from runfair.evidence.run import RunEvidence, gather
from runfair.formats.execution import Execution
from runfair.formats.launch import LaunchOutcome, LaunchReport
from runfair.formats.plan import Cell, Factors, Plan, PlannedExecution
from runfair.formats.service import (
    ColdStart,
    DatabaseUse,
    Kind,
    Objective,
    OperatingPoint,
    Served,
    ServicePoint,
)
from runfair.formats.variant import Artefact, Variant
from simulated.requests import MILLISECOND, IntArray, arrivals, frozen
from simulated.service_load import Load

RATE_PER_S = 2000.0
SECONDS = 24
OBJECTIVE = Objective(percentile="p99", limit_ns=25 * MILLISECOND)


@dataclass(frozen=True)
class Service:
    """What the honest run holds of one service."""

    name: str
    variant: str
    family: str
    language: str
    median_ns: int
    cpu_ns: int
    peak_bytes: int
    pauses: int
    pause_ns: int
    first_answer_ns: int
    warm_up: float = 1.0
    warm_up_seconds: float = 0.0
    spread: float = 0.3


FASTIFY = Service(
    "fastify",
    "node-20.20.2",
    "node",
    "javascript",
    median_ns=2_000_000,
    cpu_ns=300_000,
    peak_bytes=90 * 2**20,
    pauses=20,
    pause_ns=3_000_000,
    first_answer_ns=400 * MILLISECOND,
)
VERTX = Service(
    "vertx",
    "temurin-25+g1-gc",
    "temurin",
    "java",
    median_ns=1_500_000,
    cpu_ns=200_000,
    peak_bytes=300 * 2**20,
    pauses=8,
    pause_ns=15_000_000,
    first_answer_ns=900 * MILLISECOND,
    warm_up=3.0,
    warm_up_seconds=1.6,
)
SERVICES = (FASTIFY, VERTX)


def service_cell(service: Service) -> str:
    return f"pay/cards/small/service/2000-per-s/1t/{service.name}/{service.variant}"


@dataclass(frozen=True, eq=False)
class ServiceRun(Run):
    """What a run of services leaves on disk; `loads` and `probes` by execution."""

    loads: Mapping[str, Load]
    probes: Mapping[str, tuple[Probe, ...]]

    def evidence(self) -> RunEvidence:
        return gather(
            self.plan,
            self.host,
            self.executions,
            self.series.__getitem__,
            self._measured,
            readings=[reading("computing", one) for one in self.executions],
            hosts=self.hosts,
        )

    def _measured(self, record: Execution, tolerance: float, settled_ns: int) -> ServiceEvidence:
        load = self.loads.get(record.id)
        if load is None:
            return ServiceEvidence()
        evidence, pauses = examined(load, tolerance, settled_ns)
        return ServiceEvidence(evidence, self.probes.get(record.id, ()), pauses)

    def traces(self, record: Execution) -> Traces:
        """What was kept of single requests, and of the looks at its processes."""
        load = self.loads[record.id]
        return Traces(load.records, load.queries, load.usage)

    def with_loads(
        self, service: Service, change: Callable[[Load], Load], count: int = EXECUTIONS
    ) -> ServiceRun:
        """The loads of the first `count` executions of a service changed."""
        chosen = self.ids(service)[:count]
        assert len(chosen) == count
        loads = {name: change(one) if name in chosen else one for name, one in self.loads.items()}
        return replace(self, loads=loads)

    def with_probes(self, service: Service, *probes: Probe) -> ServiceRun:
        return replace(self, probes={**self.probes, **dict.fromkeys(self.ids(service), probes)})

    def with_served(self, service: Service, **changes: Any) -> ServiceRun:
        def change(record: Execution) -> Execution:
            assert record.served is not None
            return record.model_copy(update={"served": record.served.model_copy(update=changes)})

        return services_of(self.with_executions(service_cell(service), change))

    def with_point(self, **changes: Any) -> ServiceRun:
        """The operating point that every service is asked for."""

        def change(cell: Cell) -> Cell:
            assert cell.service is not None
            point = cell.service.point.model_copy(update=changes)
            return cell.model_copy(
                update={"service": cell.service.model_copy(update={"point": point})}
            )

        return services_of(self.with_plan(cells=[change(cell) for cell in self.plan.cells]))

    def hosted(self, service: Service, kind: Kind) -> ServiceRun:
        """A service that is no program of ours; of one that ran already nobody took account, and
        what its record says of processes is nobody's."""
        name = service_cell(service)
        (cell,) = (one for one in self.plan.cells if one.id == name)
        assert cell.service is not None
        run = self.with_cell(name, service=cell.service.model_copy(update={"kind": kind}))
        if kind != "url":
            return services_of(run)
        outcome = LaunchOutcome(state="found_running")
        launch = LaunchReport.placeholder(outcome, []).model_copy(
            # As the launcher tells of a process that others disturb, throttle and pin elsewhere.
            update={"left_behind": 1, "throttled_ns": 1, "peak_tree_method": "sampled_pss"}
        )

        def found(record: Execution) -> Execution:
            started = {"started_realtime_ns": record.launch.started_realtime_ns}
            return record.model_copy(
                update={"start": None, "launch": launch.model_copy(update=started)}
            )

        return services_of(run.with_executions(name, found))

    def with_database(self, *services: Service, of_network: bool = False) -> ServiceRun:
        """A millisecond away, or as far as the network; what was asked of it is the loads' own."""
        run: Run = self
        for name in map(service_cell, services):
            (cell,) = (one for one in self.plan.cells if one.id == name)
            assert cell.service is not None
            away_ns = 0 if of_network else MILLISECOND
            database = DatabaseUse(round_trip_ns=away_ns, of_network=of_network)
            run = run.with_cell(
                name, service=cell.service.model_copy(update={"database": database})
            )
        return services_of(run)

    def ids(self, service: Service) -> list[str]:
        cell = service_cell(service)
        return [record.id for record in self.executions if record.cell == cell]


@lru_cache(maxsize=4 * EXECUTIONS * len(SERVICES))
def examined(
    load: Load, tolerance: float, settled_ns: int
) -> tuple[LoadEvidence, PauseEvidence | None]:
    """As from the files of an execution; kept, as most stories change few of them."""
    evidence = examine(
        load.result,
        load.intervals,
        load.usage,
        tolerance,
        load.queries,
        load.records,
        load.relay_report,
        settled_ns,
        load.place,
    )
    if load.events is None:
        return evidence, None
    return evidence, examine_pauses(load.events, evidence, load.records)


def services_of(run: Run) -> ServiceRun:
    """What changes a run leaves it one of services."""
    assert isinstance(run, ServiceRun)
    return run


def on_services(change: Callable[[ServiceRun], Run]) -> Callable[[Run], Run]:
    """A story told of the run of services, in place of the run that it is given."""
    return lambda _: change(honest_services())


def on_loads(
    change: Callable[[Load], Load], service: Service = FASTIFY, count: int = EXECUTIONS
) -> Callable[[Run], Run]:
    return on_services(lambda run: run.with_loads(service, change, count))


@cache
def honest_services(seed: int = 1) -> ServiceRun:
    """The same run for the same seed."""
    random = np.random.default_rng(seed)
    programs = honest_run()
    plan = _plan(random, programs.plan)
    template = programs.executions[0]
    services = {service_cell(service): service for service in SERVICES}
    executions, loads = [], {}
    now_ns = 10 * SECOND
    for planned in plan.executions:
        service = services[planned.cell]
        began_ns = now_ns + service.first_answer_ns + SECOND // 2
        record = _record(template, planned, service, now_ns)
        executions.append(record)
        loads[record.id] = _load(random, service, began_ns)
        now_ns += (SECONDS + 5) * SECOND
    return ServiceRun(plan, programs.host, tuple(executions), {}, loads, {})


def lognormal(random: np.random.Generator, median_ns: int, spread: float, count: int) -> IntArray:
    values: IntArray = (median_ns * np.exp(random.normal(0, spread, count))).astype(np.int64)
    return values


def _load(random: np.random.Generator, service: Service, began_ns: int) -> Load:
    intended = arrivals(RATE_PER_S, SECONDS)
    median_ns = round(service.median_ns * np.exp(random.normal(0, 0.005)))
    work = lognormal(random, median_ns, service.spread, len(intended))
    work[intended < service.warm_up_seconds * SECOND] *= round(service.warm_up)
    # One in each equal part of the load, so that no two meet.
    part_ns = SECONDS * SECOND // service.pauses
    starts = np.arange(service.pauses) * part_ns + random.integers(
        0, part_ns - 10 * service.pause_ns, service.pauses
    )
    pauses = np.stack((starts, starts + service.pause_ns), axis=1)
    return Load(
        requests=frozen(intended, work, pauses),
        rate_per_s=RATE_PER_S,
        began_ns=began_ns,
        cpu_ns=service.cpu_ns,
        peak_bytes=service.peak_bytes,
        pauses_ns=pauses,
    )


def _plan(random: np.random.Generator, programs: Plan) -> Plan:
    executions: list[PlannedExecution] = []
    for block in range(1, EXECUTIONS // 2 + 1):
        order = [service_cell(SERVICES[index]) for index in random.permutation(len(SERVICES))]
        for position, cell in enumerate([*order, *reversed(order)]):
            executions.append(
                PlannedExecution(
                    id=f"{len(executions) + 1:05d}",
                    cell=cell,
                    role="block",
                    block=block,
                    position=position,
                )
            )
    changes: dict[str, Any] = {
        "experiment": "services",
        "baseline": FASTIFY.variant,
        "variants": [_variant(service) for service in SERVICES],
        "cells": [_cell(service) for service in SERVICES],
        "executions": executions,
    }
    return programs.model_copy(update=changes)


def _variant(service: Service) -> Variant:
    return Variant(
        name=service.variant,
        runtime=service.variant.split("+")[0],
        family=service.family,
        version="1",
        language=service.language,
        origin="system",
        state="ready",
    )


def _cell(service: Service) -> Cell:
    return Cell(
        id=service_cell(service),
        suite="services",
        benchmark="pay",
        workload="cards",
        size="small",
        tier=service.name,
        mode="service",
        threads=1,
        variant=service.variant,
        language=service.language,
        factors=Factors(),
        artefact=Artefact(
            variant=service.variant,
            program=service.name,
            command=[],
            directory="",
            sha256="0" * 64,
        ),
        service=ServicePoint(
            kind="program",
            point=OperatingPoint(
                rate_per_s=RATE_PER_S,
                objective=OBJECTIVE,
                connections=200,
                traffic="pay.jsonl",
                traffic_sha256="0" * 64,
            ),
        ),
    )


def _record(
    template: Execution, planned: PlannedExecution, service: Service, now_ns: int
) -> Execution:
    wall_ns = (SECONDS + 2) * SECOND
    cpu_ns = round(SECONDS * RATE_PER_S) * service.cpu_ns
    assert template.start is not None
    start = template.start.model_copy(
        update={
            "benchmark": "pay",
            "tier": service.name,
            "workload": "cards",
            "language": service.language,
            "runtime": service.variant,
        }
    )
    launch = template.launch.model_copy(
        update={
            "started_monotonic_ns": now_ns,
            "started_realtime_ns": CREATED_NS + now_ns,
            "wall_ns": wall_ns,
            "user_ns": cpu_ns - cpu_ns // 4,
            "system_ns": cpu_ns // 4,
            "cpu_ns": cpu_ns,
            "peak_rss_bytes": service.peak_bytes,
            "peak_tree_bytes": service.peak_bytes,
            "run_queue_ns": wall_ns // 1000,
            "foreign_ns": wall_ns // 1000,
        }
    )
    cold = ColdStart(
        process_ns=now_ns,
        ready_ns=now_ns + service.first_answer_ns - 10 * MILLISECOND,
        first_answer_ns=now_ns + service.first_answer_ns,
    )
    changes: dict[str, Any] = {
        "id": f"{planned.id}.1",
        "planned": planned.id,
        "cell": planned.cell,
        "block": planned.block,
        "position": planned.position,
        "command": [service.name],
        "start": start,
        "iterations": 0,
        "digest": None,
        "launch": launch,
        "served": Served(start=cold, events=service.pauses),
    }
    return template.model_copy(update=changes)
