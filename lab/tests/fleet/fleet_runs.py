"""A small run over hosts: two cells in blocks, a pilot for each, and hosts without a cluster."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import TimeoutExpired
from typing import cast

import pytest

from evidence.honest_services import honest_services
from experiment.plans import cell, execution, host, plan
from runfair.errors import UserMistake
from runfair.experiment.order import planned_executions
from runfair.fleet.allocation import Allocation
from runfair.fleet.load_progress import LoadProgress
from runfair.fleet.matrix import Matrix
from runfair.fleet.slurm_answer import Node
from runfair.formats.execution import Execution
from runfair.formats.plan import Plan, PlannedExecution
from runfair.formats.run_folder import RunFolder

Work = Callable[[str, RunFolder], tuple[int, str]]


def small_plan(executions: int = 4, pilots: int = 1) -> Plan:
    cells = [cell(variant="a"), cell(variant="b")]
    return plan(cells, planned_executions(cells, executions=executions, pilots=pilots, seed=1))


def service_plan() -> Plan:
    """One block of two services."""
    whole = honest_services().plan
    cells = [cell for cell in whole.cells if cell.kind == "service"]
    names = {cell.id for cell in cells}
    block = [one for one in whole.executions if one.cell in names and one.block == 1]
    assert block
    return whole.model_copy(update={"cells": cells, "executions": block})


def new_run(results: Path, of: Plan) -> RunFolder:
    return RunFolder.create(results, of, host(name="host1"))


def write(folder: RunFolder, planned: PlannedExecution, name: str = "host1") -> Execution:
    """Records an execution with its files, as the engine does."""
    attempt = folder.next_attempt(planned.id)
    record = execution(planned, attempt, host=name)
    (folder.make_raw_folder(record.id) / "stdout").write_text(name)
    folder.iterations_file(record.id).write_text('{"wall_ns": 5, "cpu_ns": 4}\n')
    folder.append(record)
    return record


def carried_out(name: str, folder: RunFolder, most: int | None = None) -> tuple[int, str]:
    """A host that carries out its portion, or only its first executions."""
    for planned in folder.plan().executions[:most]:
        write(folder, planned, name)
    return 0, ""


class FakeStep:
    """A step whose work is a function. It ends when the function ends, or when it is stopped."""

    def __init__(self, work: Callable[[], tuple[int, str]], printed: Sequence[str] = ()) -> None:
        self.returncode: int | None = None
        self.stopped = threading.Event()
        self._printed = printed
        self._work = work
        self._said = ""
        self._over = threading.Event()

    @property
    def stdout(self) -> Iterator[str]:
        """The output, which ends with the work."""
        yield from self._printed
        self.returncode, self._said = self._work()
        self._over.set()

    @property
    def stderr(self) -> Iterator[str]:
        self._over.wait()
        yield from self._said.splitlines(keepends=True)

    def wait(self, timeout: float | None = None) -> int:
        if not self._over.wait(timeout):
            raise TimeoutExpired("srun", timeout or 0)
        assert self.returncode is not None
        return self.returncode

    def terminate(self) -> None:
        self.stopped.set()

    kill = terminate


class FakeHosts:
    """An allocation whose hosts do their work in threads of this process, without Slurm. `lost` are
    hosts whose nodes are down, `end` says why the job has ended.
    """

    number = 7

    def __init__(self, work: Work, *hosts: str) -> None:
        self.hosts = hosts
        self.work = work
        self.lost: set[str] = set()
        self.printed: list[str] = []
        self.end = ""
        self.steps: list[FakeStep] = []

    @property
    def allocation(self) -> Allocation:
        return cast(Allocation, self)

    @property
    def roles(self) -> dict[str, tuple[str, ...]]:
        return {"service": self.hosts}

    def host_words(self, host: str) -> list[str]:
        return ["srun", host]

    @property
    def slurm(self) -> FakeHosts:
        return self

    def nodes(self) -> list[Node]:
        states = {name: "DOWN" if name in self.lost else "IDLE" for name in self.hosts}
        return [Node(name, state, (), "", 2, 1, (), ()) for name, state in states.items()]

    def step(self, host: str, *words: str) -> FakeStep:
        made = FakeStep(lambda: self.work(host, RunFolder(Path(words[-1]))), self.printed)
        self.steps.append(made)
        return made

    def ended(self) -> str:
        return self.end


PLAN = small_plan(executions=8)
BLOCKS = {one.block for one in PLAN.executions if one.role == "block"}


@dataclass
class Fleet:
    """A run of the plan on hosts whose work is a function."""

    folder: RunFolder
    hosts: FakeHosts
    said: list[str] = field(default_factory=list)
    loads: list[LoadProgress] = field(default_factory=list)
    recorded: list[Execution] = field(default_factory=list)
    next_repeat: Callable[[Collection[str]], list[PlannedExecution]] = lambda _: []

    def carry_out(self) -> None:
        Matrix(
            folder=self.folder,
            plan=PLAN,
            allocation=self.hosts.allocation,
            hosts=self.hosts.hosts,
            on_record=self.recorded.append,
            on_line=self.said.append,
            on_load=self.loads.append,
            next_repeat=self.next_repeat,
        ).carry_out()

    def failure(self) -> str:
        with pytest.raises(UserMistake) as caught:
            self.carry_out()
        assert "\n" not in str(caught.value)
        return str(caught.value)

    def require_complete(self) -> None:
        records = self.folder.executions()
        assert {one.planned for one in records} == {one.id for one in PLAN.executions}
        for block in BLOCKS:
            assert len({one.host for one in records if one.block == block}) == 1
        assert list(self.folder.portions.iterdir()) == []
        attempts = [one.id for one in self.folder.attempts()]
        assert len(attempts) == len({*attempts})
        assert {*attempts} == {one.id for one in self.recorded}
