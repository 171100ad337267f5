"""What a run leaves on disk, and the ways to change one thing in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from runfair.evidence.run import RunEvidence, gather
from runfair.formats.distribution import Distribution
from runfair.formats.execution import Execution, Outcome
from runfair.formats.host import Host, ReferenceKind, ReferenceReading
from runfair.formats.launch import LaunchOutcome
from runfair.formats.plan import Cell, Plan, PlannedExecution, Role
from runfair.formats.record import Scalar
from runfair.formats.source_lines import SourceLines
from runfair.formats.variant import Artefact
from runfair.statistics.array import IntArray

MILLISECOND = 10**6
SECOND = 10**9
DIGEST = "0123456789abcdef"
EXECUTIONS = 6
LATENESS = Distribution(about="", unit="ns", percentiles=["p50", "p99", "max"])
Series = tuple[IntArray, IntArray]


@dataclass(frozen=True, eq=False)
class Records:
    """What a run leaves on disk. Every method gives a copy in which one thing is different."""

    plan: Plan
    host: Host
    executions: tuple[Execution, ...]
    series: Mapping[str, Series]
    told: Mapping[str, tuple[SourceLines, ...]] = field(default_factory=dict, kw_only=True)
    samples: Mapping[str, list[dict[str, list[int]]]] = field(default_factory=dict, kw_only=True)
    readings: tuple[ReferenceReading, ...] = field(default=(), kw_only=True)
    hosts: tuple[Host, ...] = field(default=(), kw_only=True)

    def evidence(self) -> RunEvidence:
        return gather(
            self.plan,
            self.host,
            self.executions,
            self.series.__getitem__,
            lines=lambda execution: self.told.get(execution, ()),
            samples=lambda execution: self.samples.get(execution, []),
            readings=self.readings,
            hosts=self.hosts,
        )

    def sampling(
        self, cell: str, draw: Callable[[int, int], Sequence[int]], **changes: Any
    ) -> Records:
        """A cell that declares LATENESS, `changes` made in it: `draw(execution, iteration)` gives
        the values that each of its iterations recorded."""
        declared = {"lateness": LATENESS.model_copy(update=changes)}
        mine = [record for record in self.executions if record.cell == cell]
        drawn = {
            record.id: [
                {"lateness": counted(draw(number, iteration))}
                for iteration in range(record.iterations)
            ]
            for number, record in enumerate(mine)
        }
        run = self.with_cell(cell, distributions=declared)
        return replace(run, samples={**self.samples, **drawn})

    def cut_short(self, cell: str, count: int, values: Sequence[int]) -> Records:
        """The first executions of a cell were ended by their watchdog; in the iteration that was
        under way they had recorded these values."""
        timed_out = LaunchOutcome(state="timed_out")
        left = {"lateness": counted(values)}
        run = self.failing(
            cell,
            count,
            "the program did not exit within 20 s, so the program and its child processes were "
            "ended",
        )
        return run.with_launches(cell, count, outcome=timed_out).with_records(
            cell, count, samples=left
        )

    def telling(
        self,
        cell: str,
        *lines: SourceLines,
        digest: str = DIGEST,
        role: Role = "lines",
        reason: str = "",
    ) -> Records:
        """With one execution more, which told these lines of source, or failed for this reason."""
        like = next(record for record in self.executions if record.cell == cell)
        name = f"{len(self.executions) + 1:05d}"
        own = like.model_copy(
            update={
                "id": f"{name}.1",
                "planned": name,
                "role": role,
                "block": 0,
                "digest": digest,
                "outcome": Outcome.of(reason),
            }
        )
        planned = PlannedExecution(id=name, cell=cell, role=role, block=0, position=0)
        return replace(
            self,
            plan=self.plan.model_copy(update={"executions": [*self.plan.executions, planned]}),
            executions=(*self.executions, own),
            series={**self.series, own.id: self.series[like.id]},
            told={**self.told, own.id: lines},
        )

    def with_plan(self, **changes: Any) -> Records:
        return replace(self, plan=self.plan.model_copy(update=changes))

    def with_host(self, **changes: Any) -> Records:
        return replace(self, host=self.host.model_copy(update=changes))

    def with_calibration(self, **changes: Any) -> Records:
        assert self.host.calibration is not None
        return self.with_host(calibration=self.host.calibration.model_copy(update=changes))

    def on_hosts(self, *names: str, **last: Any) -> Records:
        """The blocks ran on these hosts in turn. The last host is described otherwise."""
        hosts = [self.host.model_copy(update={"name": name}) for name in names]
        hosts[-1] = hosts[-1].model_copy(update=last)
        executions = tuple(
            one.model_copy(update={"host": names[one.block % len(names)]})
            for one in self.executions
        )
        return replace(self, host=hosts[0], hosts=tuple(hosts), executions=executions)

    def with_cells(self, changed: Callable[[Cell], bool], **changes: Any) -> Records:
        cells = [
            cell.model_copy(update=changes) if changed(cell) else cell for cell in self.plan.cells
        ]
        return self.with_plan(cells=cells)

    def with_cell(self, cell: str, **changes: Any) -> Records:
        return self.with_cells(lambda one: one.id == cell, **changes)

    def with_flags(self, variant: str, flags: str) -> Records:
        """In all of a variant's artefacts."""
        artefact = Artefact(
            variant=variant,
            program="sudoku",
            command=[],
            directory="",
            sha256="0" * 64,
            flags=flags,
        )
        return self.with_cells(lambda one: one.variant == variant, artefact=artefact)

    def with_variant(self, name: str, **changes: Any) -> Records:
        variants = [
            variant.model_copy(update=changes) if variant.name == name else variant
            for variant in self.plan.variants
        ]
        return self.with_plan(variants=variants)

    def with_executions(
        self, cell: str, change: Callable[[Execution], Execution], count: int = EXECUTIONS
    ) -> Records:
        """The first `count` executions of a cell changed."""
        chosen = [record.id for record in self.executions if record.cell == cell][:count]
        assert len(chosen) == count
        return replace(
            self,
            executions=tuple(
                change(record) if record.id in chosen else record for record in self.executions
            ),
        )

    def with_records(self, cell: str, count: int = EXECUTIONS, **changes: Any) -> Records:
        return self.with_executions(cell, lambda one: one.model_copy(update=changes), count)

    def with_launches(self, cell: str, count: int = EXECUTIONS, **changes: Any) -> Records:
        def change(record: Execution) -> Execution:
            launch = record.launch.model_copy(update=changes)
            return record.model_copy(update={"launch": launch})

        return self.with_executions(cell, change, count)

    def with_launch_share(self, cell: str, name: str, share: float) -> Records:
        """A time of the launcher's report as a share of the execution's wall time."""

        def change(record: Execution) -> Execution:
            part_ns = round(record.launch.wall_ns * share)
            launch = record.launch.model_copy(update={name: part_ns})
            return record.model_copy(update={"launch": launch})

        return self.with_executions(cell, change)

    def with_first_iteration(self, cell: str, share: float) -> Records:
        """Its iteration begins when so much of the process's wall time has passed."""

        def change(record: Execution) -> Execution:
            launch = record.launch
            began_ns = launch.started_monotonic_ns + round(launch.wall_ns * share)
            return record.model_copy(update={"first_iteration_monotonic_ns": began_ns})

        return self.with_executions(cell, change)

    def with_starts(self, cell: str, count: int = EXECUTIONS, **changes: Any) -> Records:
        def change(record: Execution) -> Execution:
            assert record.start is not None
            start = record.start.model_copy(update=changes)
            return record.model_copy(update={"start": start})

        return self.with_executions(cell, change, count)

    def with_effective(self, cell: str, effective: dict[str, Scalar]) -> Records:
        return self.with_starts(cell, effective=effective)

    def with_series(
        self, cell: str, change: Callable[[Series], Series], count: int = EXECUTIONS
    ) -> Records:
        """The first `count` executions of a cell with other iterations, which they counted."""
        chosen = [record.id for record in self.executions if record.cell == cell][:count]
        series = {name: change(one) if name in chosen else one for name, one in self.series.items()}

        def count_again(record: Execution) -> Execution:
            return record.model_copy(update={"iterations": len(series[record.id][0])})

        return replace(self.with_executions(cell, count_again, count), series=series)

    def idling(self, cell: str, share: float) -> Records:
        """A cell whose iterations computed for this much less than their wall time, so that its CPU
        time does not show how long it can have waited."""
        return self.with_series(cell, lambda one: (one[0], (one[1] * (1 - share)).astype(np.int64)))

    def failing(self, cell: str, count: int, reason: str = "exit status 1") -> Records:
        return self.with_records(cell, count, outcome=Outcome(state="failed", reason=reason))

    def with_pilot(self, cell: str, *, failed: bool) -> Records:
        """A pilot before all else, which wrote no iterations."""
        first = next(record for record in self.executions if record.cell == cell)
        state: Literal["failed", "completed"] = "failed" if failed else "completed"
        pilot = first.model_copy(
            update={"id": "p.1", "planned": "p", "role": "pilot", "outcome": Outcome(state=state)}
        )
        empty = np.empty(0, dtype=np.int64)
        return replace(
            self,
            executions=(pilot, *self.executions),
            series={**self.series, pilot.id: (empty, empty)},
        )

    def without(self, cell: str, count: int) -> Records:
        """The last `count` executions of a cell were never carried out, nor planned."""
        mine = [record.planned for record in self.executions if record.cell == cell]
        gone = set(mine[-count:])
        planned = [one for one in self.plan.executions if one.id not in gone]
        kept = tuple(record for record in self.executions if record.planned not in gone)
        return replace(self.with_plan(executions=planned), executions=kept)


def counted(values: Sequence[int]) -> list[int]:
    """Values in a recorder's cells."""
    cells = Counter(cell_of(value) for value in values)
    return [number for cell in sorted(cells) for number in (cell, cells[cell])]


def cell_of(value: int) -> int:
    """The recorder's cell, by the formula of benchmarks/contract.md."""
    shift = value.bit_length() - 11
    return value if value < 2048 else shift * 1024 + (value >> shift)


def reading(kind: ReferenceKind, after: Execution, level: float = 1.0) -> ReferenceReading:
    """Half a second after an execution; the machine is `level` times as slow as usual."""
    steps, step_ns = (60_000_000, 1.7) if kind == "computing" else (1_000_000, 100)
    length_ns = round(steps * step_ns * level)
    return ReferenceReading(
        boot_id=after.boot_id,
        started_monotonic_ns=after.launch.started_monotonic_ns
        + after.launch.wall_ns
        + 500 * MILLISECOND,
        kind=kind,
        processor=1,
        steps=steps,
        wall_ns=length_ns,
        cpu_ns=length_ns,
        process_ns=length_ns + 2 * MILLISECOND,
        foreign_ns=0,
        steal_ns=0,
        took_ns=length_ns + 8 * MILLISECOND,
        after=after.id,
    )
