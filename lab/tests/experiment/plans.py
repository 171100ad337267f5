"""Cells, plans and executions made by hand for the tests of this room."""

from __future__ import annotations

from typing import Any

from runfair.formats.execution import Execution, Outcome
from runfair.formats.host import Host
from runfair.formats.launch import LaunchOutcome, LaunchReport
from runfair.formats.plan import Cell, Effort, Factors, Plan, PlannedExecution
from runfair.formats.variant import Artefact, Variant

COUNTS = (
    *("started_monotonic_ns", "started_realtime_ns", "wall_ns", "user_ns", "system_ns", "cpu_ns"),
    *("peak_rss_bytes", "peak_tree_bytes", "processes", "voluntary_switches"),
    *("involuntary_switches", "minor_faults", "major_faults", "launcher_cpu_ns"),
)


def artefact(command: list[str] | None = None, directory: str = "/") -> Artefact:
    return Artefact(
        variant="a",
        program="suite-sort-standard",
        command=command or ["true"],
        directory=directory,
        sha256="0" * 64,
    )


def cell(**changes: Any) -> Cell:
    values: dict[str, Any] = {
        "suite": "suite",
        "benchmark": "sort",
        "workload": "classic",
        "size": "tiny",
        "tier": "standard",
        "mode": "steady",
        "threads": 1,
        "variant": "a",
        "language": "c++",
        "factors": Factors(),
        "artefact": artefact(),
        **changes,
    }
    parts = ("benchmark", "workload", "size", "mode", "variant")
    values.setdefault("id", "/".join(values[part] for part in parts))
    return Cell.model_validate(values)


def variant(name: str = "a", language: str = "c++") -> Variant:
    return Variant(
        name=name,
        runtime=name,
        family=name,
        version="1",
        language=language,
        origin="test",
        state="ready",
        executable="/bin/true",
    )


def plan(cells: list[Cell], executions: list[PlannedExecution], **changes: Any) -> Plan:
    values: dict[str, Any] = {
        "runfair": "0",
        "experiment": "test",
        "about": "",
        "profile": "quick",
        "created_realtime_ns": 1_700_000_000_000_000_000,
        "order_seed": 1,
        "baseline": "a",
        "effort": Effort(executions=2, max_seconds=1, timeout_seconds=20),
        "measured_processors": [0],
        "lab_processors": [0],
        "variants": [variant(name) for name in dict.fromkeys(one.variant for one in cells)],
        "cells": cells,
        "executions": executions,
        **changes,
    }
    return Plan.model_validate(values)


def report(**changes: Any) -> LaunchReport:
    values: dict[str, Any] = {
        "schema_version": 1,
        "outcome": LaunchOutcome(state="exited", exit_status=0),
        **dict.fromkeys(COUNTS, 1),
        "peak_tree_method": "wait4",
        "read_bytes": None,
        "written_bytes": None,
        "run_queue_ns": None,
        "left_behind": 0,
        "foreign_ns": None,
        "foreign_source": None,
        "steal_ns": None,
        "processors": [0],
        **changes,
    }
    return LaunchReport.model_validate(values)


def execution(planned: PlannedExecution, attempt: int = 1, **changes: Any) -> Execution:
    values: dict[str, Any] = {
        "id": f"{planned.id}.{attempt}",
        "planned": planned.id,
        "attempt": attempt,
        "cell": planned.cell,
        "role": planned.role,
        "block": planned.block,
        "position": planned.position,
        "repeat": planned.repeat,
        "host": "host",
        "command": ["true"],
        "processors": [0],
        "artefact_sha256": "0" * 64,
        "start": None,
        "iterations": 1,
        "digest": "0" * 16,
        "launch": report(),
        "outcome": Outcome(state="completed"),
        **changes,
    }
    return Execution.model_validate(values)


def host(**changes: Any) -> Host:
    values: dict[str, Any] = {
        "name": "host",
        "boot_id": "boot",
        "system": "Debian",
        "kernel": "6",
        "architecture": "x86_64",
        "processor_model": "P",
        "processors": [],
        "memory_bytes": 1,
        "virtualised": "no",
        "clock_source": "tsc",
        "frequency_scaling": "",
        "turbo": "",
        "address_randomisation": "2",
        "transparent_huge_pages": "madvise",
        "hardware_counters": False,
        "cgroup": "v2",
        **changes,
    }
    return Host.model_validate(values)
