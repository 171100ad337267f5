"""The records of a large run over many hosts, on disk.

The honest run is repeated: a benchmark has 12 cells, a cell six executions of 20 iterations. The
hosts take the blocks in turn. Each host has a clock, a boot and a processor of its own, and the
reference loop runs after each execution.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evidence.records import SECOND, reading
from fairness.large_run import large_run
from runfair.formats.execution import Execution
from runfair.formats.host import KINDS, ReferenceReading
from runfair.formats.launch import ProcessorSpan
from runfair.formats.run_folder import RunFolder

EXECUTIONS_A_BENCHMARK = 72
ITERATIONS = 20
HOSTS = 100
NOISE = 0.003
BUSY_BESIDE_NS = 1_000  # what the kernel itself does on the processor while a program runs


def written(
    executions: int,
    results: Path,
    hosts: int = HOSTS,
    change: Callable[[Execution], Execution] = lambda one: one,
) -> RunFolder:
    """A run of at least so many executions, each of them changed. Records are not synced one by
    one, which a real run takes its time for."""
    run = large_run(-(-executions // EXECUTIONS_A_BENCHMARK))
    fleet = [FleetHost(f"host{number:04d}") for number in range(hosts)]
    first, *others = (run.host.model_copy(update={"name": one.name}) for one in fleet)
    folder = RunFolder.create(results, run.plan, first)
    for other in others:
        folder.host_file(other.name).write_text(other.model_dump_json())
    groups = {cell.id: cell.group for cell in run.plan.cells}
    taken: dict[object, FleetHost] = {}
    with folder.executions_file.open("w") as file, folder.reference_file.open("w") as reference:
        for planned in run.executions:
            block = (planned.block, groups[planned.cell])
            host = taken.setdefault(block, fleet[len(taken) % hosts])
            wall_ns, cpu_ns = (each[-ITERATIONS:].tolist() for each in run.series[planned.id])
            record = host.carried_out(change(planned), len(wall_ns))
            file.write(record.model_dump_json() + "\n")
            reference.writelines(f"{one.model_dump_json()}\n" for one in host.read_after(record))
            lines = iterations(record, wall_ns, cpu_ns)
            folder.iterations_file(record.id).write_text("".join(lines))
    return folder


def iterations(record: Execution, wall_ns: list[int], cpu_ns: list[int]) -> Iterator[str]:
    began_ns = record.started_ns
    for index, (wall, cpu) in enumerate(zip(wall_ns, cpu_ns, strict=True)):
        line = {"event": "iteration", "index": index, "started_monotonic_ns": began_ns}
        yield json.dumps({**line, "wall_ns": wall, "cpu_ns": cpu, "digest": record.digest}) + "\n"
        began_ns += wall


@dataclass
class FleetHost:
    """A host, its clock, and how long its measured processor was busy. `name` is also the name of
    its boot."""

    name: str
    now_ns: int = SECOND
    busy_ns: int = 0

    def carried_out(self, planned: Execution, count: int) -> Execution:
        """The record of this execution, now and here, with `count` iterations."""
        launch, start = planned.launch, planned.start
        assert start is not None
        later_ns = self.now_ns - launch.started_monotonic_ns
        before_ns, after_ns = self.busy_ns, self.busy_ns + launch.cpu_ns + BUSY_BESIDE_NS
        span = ProcessorSpan(
            busy_before_ns=before_ns,
            busy_after_ns=after_ns,
            own_ns=launch.cpu_ns,
            steal_before_ns=0,
            steal_after_ns=0,
        )
        instants = {
            "started_monotonic_ns": self.now_ns,
            "started_realtime_ns": launch.started_realtime_ns + later_ns,
        }
        printed = {
            "monotonic_ns": start.monotonic_ns + later_ns,
            "realtime_ns": start.realtime_ns + later_ns,
        }
        self.now_ns += launch.wall_ns + SECOND
        self.busy_ns = after_ns
        return planned.model_copy(
            update={
                "host": self.name,
                "boot_id": self.name,
                "iterations": count,
                "launch": launch.model_copy(update={**instants, "processor_span": span}),
                "start": start.model_copy(update=printed),
            }
        )

    def read_after(self, record: Execution) -> Iterator[ReferenceReading]:
        """The reference loop's readings after an execution."""
        random = np.random.default_rng(record.started_ns)
        for kind in KINDS:
            found = reading(kind, record, 1 + float(random.normal(0, NOISE)))
            self.busy_ns += found.process_ns
            yield found
