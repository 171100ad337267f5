"""The honest run of services, each of which ran on two hosts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from evidence.honest_services import Service, ServiceRun, honest_services, service_cell
from runfair.formats.execution import Execution
from runfair.formats.place import Clock, Location
from runfair.formats.plan import Cell
from runfair.formats.service import ServiceHost

FIRST, SECOND_HOST = "first", "second"
SECOND_CLOCK = Clock(offset_ns=5_000_000, uncertainty_ns=30_000)
Change = Callable[[ServiceHost], ServiceHost]


def on_two_hosts(
    change: Change = lambda one: one, *, of: Service | None = None, **described: Any
) -> ServiceRun:
    """Each host has half of the CPU time and of the memory. `change` is made to what is kept of the
    second host of one service or of all. This host is described with these differences."""
    run = honest_services()

    def two(cell: Cell) -> Cell:
        assert cell.service is not None
        factors = cell.factors.model_copy(update={"hosts": 2})
        service = cell.service.model_copy(update={"instances": 2})
        return cell.model_copy(update={"factors": factors, "service": service})

    def moved(record: Execution) -> Execution:
        assert record.served is not None
        launch = record.launch
        half = launch.model_copy(
            update={
                "cpu_ns": launch.cpu_ns // 2,
                "peak_tree_bytes": launch.peak_tree_bytes // 2,
            }
        )
        assert record.start is not None
        start = record.start.model_copy(update={"effective": {"gc": "on"}})
        first, second = (
            ServiceHost(
                host=host,
                boot_id=record.boot_id,
                place=place,
                addresses=[f"http://{host}:80"],
                start=start,
                launch=half,
            )
            for host, place in (
                (FIRST, record.place),
                (SECOND_HOST, Location(name="service-2", clock=SECOND_CLOCK)),
            )
        )
        if of is None or record.cell == service_cell(of):
            second = change(second)
        served = record.served.model_copy(update={"hosts": [first, second]})
        return record.model_copy(update={"host": FIRST, "served": served})

    host = run.host.model_copy(update={"name": FIRST})
    beside = host.model_copy(update={"name": SECOND_HOST, **described})
    return replace(
        run,
        plan=run.plan.model_copy(update={"cells": [two(cell) for cell in run.plan.cells]}),
        host=host,
        hosts=(host, beside),
        executions=tuple(map(moved, run.executions)),
    )


def launched(**changes: Any) -> Change:
    """The accounting of the second host is different."""
    return lambda one: one.model_copy(update={"launch": one.launch.model_copy(update=changes)})


def started(**changes: Any) -> Change:
    """The start line on the second host is different."""

    def change(one: ServiceHost) -> ServiceHost:
        assert one.start is not None
        return one.model_copy(update={"start": one.start.model_copy(update=changes)})

    return change
