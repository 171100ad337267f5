"""The record of an execution (the life of one process): a line of `executions.jsonl`."""

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
    """How an execution ended. A failed execution is kept and shown, never averaged; `reason` is one
    line."""

    state: Literal["completed", "failed"]
    reason: str = ""

    @classmethod
    def of(cls, reason: str) -> Outcome:
        """The outcome `failed` for this reason, or `completed` if it is empty."""
        return cls(state="failed" if reason else "completed", reason=reason)


class Execution(Record):
    """Everything recorded of an execution except its iterations, which have a file of their own.

    `planned` is the id in the plan; `id` adds the attempt, because an interrupted block is repeated
    as a whole and its first attempt is kept. `stopped` says why a steady execution ended: the
    stopping rule's reason, or the limit that it reached. `driven` are the loads on a driven server.
    `first_iteration_monotonic_ns` is the start of the first iteration; None without iterations, and
    in runs of contract 1. If the program was killed, `samples` are those of its unfinished
    iteration, by distribution. `repeat` is the number of earlier, disturbed attempts at its block.
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
        """The start of its process, on the lab's clock."""
        return self.place.clock.to_lab(self.launch.started_monotonic_ns)

    @classmethod
    def of(
        cls, planned: PlannedExecution, cell: Cell, attempt: int, host: Host, **found: Any
    ) -> Execution:
        """The record of a planned execution on a host; `found` are the other fields."""
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
