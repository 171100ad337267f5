"""One line of `executions.jsonl`: the life of one process, as it was."""

from __future__ import annotations

from typing import Any, Literal

from runfair.formats.distribution import Counted
from runfair.formats.host import Host
from runfair.formats.launch import LaunchReport
from runfair.formats.place import HERE, Location
from runfair.formats.plan import Cell, DrivenLoad, PlannedExecution, Role
from runfair.formats.program import Start
from runfair.formats.record import FileName, Record
from runfair.formats.service import Served


class Outcome(Record):
    """`failed` is kept and shown, never averaged; `reason` is one line."""

    state: Literal["completed", "failed"]
    reason: str = ""

    @classmethod
    def of(cls, reason: str) -> Outcome:
        """Failed for this reason; completed where there is none."""
        return cls(state="failed" if reason else "completed", reason=reason)


class Execution(Record):
    """Everything known of one execution but its iterations, which have a file of their own.

    `planned` is the id in the plan; `id` adds the attempt, as an interrupted block is repeated
    whole and its first attempt is kept. `stopped` says why a steady execution ended: the stopping
    rule's reason, or the limit it met. `driven` are the loads on a server that was driven.
    `first_iteration_monotonic_ns`: when the first iteration began; None if none did, and in
    runs of contract 1. `samples` are those of the iteration that was under way when the program was
    killed, by distribution. `repeat`: its block had been carried out so often before, and was
    disturbed.
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
    artefact_sha256: str
    start: Start | None
    first_iteration_monotonic_ns: int | None = None
    iterations: int
    digest: str | None
    operations: dict[str, int] | None = None
    stopped: str = ""
    launch: LaunchReport
    served: Served | None = None
    driven: list[DrivenLoad] = []
    samples: dict[str, Counted] = {}
    outcome: Outcome

    @property
    def started_ns(self) -> int:
        """When its process started, on the lab's clock."""
        return self.place.clock.to_lab(self.launch.started_monotonic_ns)

    @classmethod
    def of(
        cls, planned: PlannedExecution, cell: Cell, attempt: int, host: Host, **found: Any
    ) -> Execution:
        """What was planned, carried out on a host, with what was `found`: the other fields."""
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
