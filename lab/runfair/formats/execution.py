"""The record of an execution (the life of one process): a line of `executions.jsonl`."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal

from runfair.formats.distribution import Counted
from runfair.formats.host import Host
from runfair.formats.launch import LaunchReport
from runfair.formats.peak import PeakLoad
from runfair.formats.place import HERE, Clock, Location
from runfair.formats.plan import WATCHED, Cell, DrivenLoad, Plan, PlannedExecution, Role
from runfair.formats.program import Start
from runfair.formats.record import FileName, Row, row
from runfair.formats.service import Served


@row
class Outcome(Row):
    """How an execution ended. A failed execution is stored and shown, but never averaged. `reason`
    is one line."""

    state: Literal["completed", "failed"]
    reason: str = ""

    @classmethod
    def of(cls, reason: str) -> Outcome:
        """The outcome `failed` for this reason, or `completed` if the reason is empty."""
        return cls(state="failed" if reason else "completed", reason=reason)


@row
class Execution(Row):
    """Everything recorded of an execution except its iterations, which are stored in a separate
    file.

    `planned` is the execution's id in the plan. `id` adds the number of the attempt: an interrupted
    block is repeated as a whole, and its first attempt is kept. `stopped` says why a steady
    execution ended: the stopping rule's reason, or the limit that it reached. `driven` are the
    loads on a driven server, and `peak` the windows of the load on a service at its peak.
    `first_iteration_monotonic_ns` is the start of the first iteration. The start of the first
    iteration is None if there were no iterations, and in runs of version 1 of the contract. If the
    program was killed, `samples` holds the samples of its unfinished iteration, by distribution.
    `repeat` counts the earlier attempts at the execution's block that were repeated because of a
    disturbance. `lab_processors` are the processors of the lab and of its load generator during the
    execution. They are None for services, which use the `lab_processors` of the plan, and in old
    records. If a service ran on several hosts, `launch` adds them up, and `host`, `boot_id`,
    `processors` and `start` are those of the first. `place` has the clock of the first, with the
    greatest uncertainty of all their clocks.
    """

    schema_version: Literal[1] = 1
    id: FileName
    planned: FileName
    attempt: int
    cell: str
    role: Role
    block: int
    position: int
    repeat: int = 0
    host: str
    place: Location = HERE
    boot_id: str = ""
    command: list[str]
    processors: list[int]
    lab_processors: list[int] | None = None
    artefact_sha256: str
    start: Start | None
    first_iteration_monotonic_ns: int | None = None
    iterations: int
    digest: str | None
    operations: dict[str, int] | None = None
    stopped: str = ""
    launch: LaunchReport
    served: Served | None = None
    driven: list[DrivenLoad] = field(default_factory=list)
    peak: PeakLoad | None = None
    samples: dict[str, Counted] = field(default_factory=dict)
    outcome: Outcome

    @property
    def cpu_resolution_ns(self) -> int | None:
        """The step of the CPU times of iterations, as the lab measured it or as the program
        reported it; None if it is unknown."""
        if self.peak is not None and self.peak.cpu_resolution_ns is not None:
            return self.peak.cpu_resolution_ns
        return None if self.start is None else self.start.cpu_clock_resolution_ns

    @property
    def by_host(self) -> list[Execution]:
        """The execution as each host of its service accounted for it; itself if it ran on a single
        host."""
        hosts = self.served.hosts if self.served is not None else []
        return [
            self.model_copy(
                update={
                    "host": one.host,
                    "boot_id": one.boot_id,
                    "place": one.place,
                    "processors": one.launch.processors,
                    "start": one.start,
                    "launch": one.launch,
                }
            )
            for one in hosts
        ] or [self]

    def clock_of(self, instance: int | None) -> Clock:
        """The clock of the host on which an instance of the service ran. Instances are counted
        from 1, and given to the hosts in turn."""
        hosts = self.served.hosts if self.served is not None else []
        if instance is None or not hosts:
            return self.place.clock
        return hosts[(instance - 1) % len(hosts)].place.clock

    @property
    def started_ns(self) -> int:
        """The start of the execution's process, on the lab's clock."""
        return self.place.clock.to_lab(self.launch.started_monotonic_ns)

    @property
    def shows_too_long(self) -> bool:
        """Whether the execution reached its time limit, and no tool slowed it down."""
        return self.launch.outcome.state == "timed_out" and self.role not in WATCHED

    def shares_processors(self, plan: Plan) -> bool:
        """Whether the lab ran on the execution's processors."""
        lab = plan.lab_processors if self.lab_processors is None else self.lab_processors
        return not set(lab).isdisjoint(self.processors)

    @classmethod
    def of(
        cls, planned: PlannedExecution, cell: Cell, attempt: int, host: Host, **found: Any
    ) -> Execution:
        """The record of a planned execution on a host; `found` has the record's other fields."""
        return cls(
            id=execution_id(planned, attempt),
            planned=planned.id,
            attempt=attempt,
            cell=cell.id,
            role=planned.role,
            block=planned.block,
            position=planned.position,
            repeat=planned.repeat,
            host=host.name,
            boot_id=host.boot_id,
            artefact_sha256=cell.artefact.sha256,
            **found,
        )


def execution_id(planned: PlannedExecution, attempt: int) -> str:
    return f"{planned.id}.{attempt}"
