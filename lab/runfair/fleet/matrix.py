"""A run over several hosts: each host takes a block of the plan as soon as it is free."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from runfair.errors import UserMistake
from runfair.fleet.allocation import Allocation
from runfair.fleet.block_planner import (
    MOST_TRIES,
    BlockPlanner,
    Portion,
    Recorded,
    make_portion_folder,
    portions,
    take_over,
    take_over_all,
)
from runfair.fleet.load_progress import LoadProgress
from runfair.fleet.machines import keep
from runfair.fleet.slurm_answer import cause
from runfair.fleet.team import GENERATOR, Team, write_team
from runfair.formats.execution import Execution
from runfair.formats.host import Host, KnownHost
from runfair.formats.plan import Plan, PlannedExecution
from runfair.formats.run_folder import RunFolder
from runfair.machine.native import lab_builds
from runfair.paths import REPOSITORY, private_folder

MISTAKE = UserMistake.exit_status
END_LIMIT_S = 30.0
TRACEBACK = "Traceback (most recent call last):"

OnRecord = Callable[[Execution], None]
OnLine = Callable[[str], None]
OnLoad = Callable[[LoadProgress], None]


def worker_words(action: str, path: Path) -> list[str]:
    """The command of a step on a host. The host shares the lab's folders, or is made of namespaces
    on this machine.
    """
    settings = [
        *(f"PYTHONPATH={REPOSITORY / 'lab'}", f"RUNFAIR_PRIVATE={private_folder()}"),
        lab_builds(),
    ]
    program = [sys.executable, "-P", "-X", "utf8", "-m", "runfair.fleet.worker"]
    return ["env", *settings, *program, action, str(path)]


@dataclass
class _Step:
    """A running step of the Slurm job. When the step ends, it is put into the queue `ends`."""

    host: str
    process: subprocess.Popen[str]
    ends: queue.Queue[_Step]
    on_load: OnLoad = lambda _: None
    said: str = ""

    def __post_init__(self) -> None:
        threading.Thread(target=self._wait, daemon=True).start()

    def _wait(self) -> None:
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        errors: list[str] = []
        reader = threading.Thread(target=errors.extend, args=(self.process.stderr,), daemon=True)
        reader.start()
        out = []
        for line in self.process.stdout:
            if (progress := LoadProgress.of_line(line)) is not None:
                self.on_load(progress)
            else:
                out.append(line)
        reader.join()
        self.process.wait()
        self.said = "".join(errors or out)
        self.ends.put(self)

    @property
    def problem(self) -> str:
        """The message of the worker or, if the worker gave none, of Slurm."""
        lines = self.said.splitlines()
        own = [line for line in lines if line.startswith("runfair: ")]
        if own:
            return own[-1].removeprefix("runfair: ")
        if TRACEBACK in lines:  # a bug: the last line names the exception
            return [line for line in lines if not line.startswith((" ", "srun: "))][-1]
        return cause(self.said)


def describe_hosts(allocation: Allocation, scratch: Path, on_line: OnLine) -> dict[str, Host]:
    """Calibrates and describes all hosts at the same time, and keeps the descriptions for `list
    machines`. If a host fails, it is named and left out. Raises UserMistake if no host is left.
    """
    ends: queue.Queue[_Step] = queue.Queue()
    for host in allocation.hosts:
        words = worker_words("describe", scratch / f"{host}.json")
        _Step(host, allocation.step(host, *words), ends)
    found, problems = {}, []
    for _ in allocation.hosts:
        step = ends.get()
        path = scratch / f"{step.host}.json"
        if step.process.returncode == 0 and path.exists():
            known = KnownHost.model_validate_json(path.read_bytes())
            keep(step.host, known)
            found[step.host] = known.host
        else:
            silent = step.process.returncode == 0 and not step.said
            problem = (
                f"the file that it wrote is missing here; all hosts must share {scratch.parent}"
                if silent
                else step.problem
            )
            problems.append(f"{step.host} cannot measure: {problem}")
            on_line(problems[-1])
    if not found:
        raise UserMistake(f"none of the hosts that Slurm allocated can measure; {problems[0]}")
    return {host: found[host] for host in allocation.hosts if host in found}


@dataclass
class Matrix:
    """A run that is carried out on the hosts of an allocation. `next_repeat` gets the planned
    executions that are being repeated, and returns the next disturbed block that is to be repeated,
    or an empty block if there is none. `teams` has the team of each host that measures services.
    `on_load` is called with the progress of each load.
    """

    folder: RunFolder
    plan: Plan
    allocation: Allocation
    hosts: Sequence[str]
    on_record: OnRecord
    on_line: OnLine
    on_load: OnLoad = lambda _: None
    next_repeat: Callable[[Collection[str]], Sequence[PlannedExecution]] = lambda _: ()
    teams: Mapping[str, Team] = field(default_factory=dict)
    _ends: queue.Queue[_Step] = field(default_factory=queue.Queue)
    _under_way: dict[str, tuple[_Step, RunFolder]] = field(default_factory=dict)
    _problems: list[str] = field(default_factory=list)
    _failed: set[str] = field(default_factory=set)
    _recorded: Recorded = field(default_factory=Recorded)
    _all_planned: bool = False

    def carry_out(self) -> None:
        """Carries out every remaining block. Raises UserMistake if no host is left, or if the
        allocation ended. The data measured until then are in the run's folder.
        """
        self.folder.drop_torn_lines()
        self._recorded = Recorded.of(self.folder)
        for record in take_over_all(self.folder, self._recorded):
            self.on_record(record)
        planner = BlockPlanner.of(portions(self.plan, self.folder.attempts()))
        free = deque(self.hosts)
        try:
            while True:
                self._add_repeats(planner, len(free))
                if planner.finished:
                    return
                self._give(planner, free)
                if not self._under_way:
                    raise UserMistake(f"no host is left that can measure; {self._problems[-1]}")
                self._end(planner, free, self._ends.get())
        finally:
            self._stop_all()

    def _add_repeats(self, planner: BlockPlanner, free: int) -> None:
        """Adds a disturbed block for each free host, once all planned executions are recorded."""
        self._all_planned = self._all_planned or planner.finished
        while self._all_planned and (planner.finished or planner.ready < free):
            block = self.next_repeat(planner.left)
            if not block:
                return
            planner.add(Portion(tuple(block)))

    def _give(self, planner: BlockPlanner, free: deque[str]) -> None:
        while free and (portion := planner.next_for(free[0])) is not None:
            host = free.popleft()
            own = make_portion_folder(self.folder, self.plan, portion, host, self._recorded)
            process = self.allocation.step(
                self._starter(host, portion, own), *worker_words("portion", own.path)
            )
            self._under_way[host] = (_Step(host, process, self._ends, self.on_load), own)

    def _starter(self, host: str, portion: Portion, own: RunFolder) -> str:
        """The host on which the portion's step runs."""
        cells = [cell for cell in self.plan.cells if cell.id in portion.cells]
        if not any(cell.kind == "service" for cell in cells):
            return host
        team = self.teams[host]
        write_team(own, team, self.folder)
        return team.members[GENERATOR].host

    def _end(self, planner: BlockPlanner, free: deque[str], step: _Step) -> None:
        _, own = self._under_way.pop(step.host)
        records = take_over(self.folder, own, self._recorded)
        for record in records:
            self.on_record(record)
        # If a node is lost, Slurm reports status 0. Therefore only the records show which
        # executions were done.
        recorded = {record.planned for record in records}
        if all(one.id in recorded for one in planner.out[step.host].executions):
            planner.ended(step.host)
            self._failed.discard(step.host)
            free.append(step.host)
            return
        tries = planner.lost(step.host)
        problem = f"{step.host}: {step.problem}"
        self._problems.append(problem)
        if ended := self.allocation.ended():
            raise UserMistake(
                f"Slurm's job {self.allocation.number} ended before the run was complete ({ended})"
            )
        if tries >= MOST_TRIES:
            raise UserMistake(
                f"the same group of executions (block) failed {tries} times; {problem}"
            )
        # A host that fails twice in a row (its disk may be full) must not use up the tries of a
        # block that another host can measure.
        others = free or self._under_way
        broken = step.process.returncode == MISTAKE or (step.host in self._failed and others)
        if broken or not self._usable(step.host):
            self.on_line(
                f"{problem}; runfair no longer uses this host, and another host measures its "
                "executions"
            )
            return
        self._failed.add(step.host)
        free.append(step.host)

    def _usable(self, host: str) -> bool:
        needed = self.teams[host].hosts if host in self.teams else [host]
        usable = {node.name for node in self.allocation.slurm.nodes() if node.usable}
        return usable.issuperset(needed)

    def _stop_all(self) -> None:
        """Ends all running steps, and keeps their records."""
        for step, _ in self._under_way.values():
            step.process.terminate()
        for step, own in self._under_way.values():
            try:
                step.process.wait(END_LIMIT_S)
            except subprocess.TimeoutExpired:
                step.process.kill()
            take_over(self.folder, own, self._recorded)
        self._under_way.clear()
