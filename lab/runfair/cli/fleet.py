"""The parts of `run`, `resume` and `list` that concern several machines."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.markup import escape

from runfair.cli.measuring import shown_path
from runfair.cli.progress import load_text
from runfair.cli.terminal import errors, output
from runfair.errors import UserMistake
from runfair.evidence.blocks import RecordedRepeats
from runfair.experiment.seal import seal
from runfair.fleet.allocation import Allocation, JobRequest, allocated
from runfair.fleet.block_planner import portions
from runfair.fleet.load_progress import LoadProgress
from runfair.fleet.machines import read_machines, require_hosts
from runfair.fleet.matrix import Matrix, describe_hosts, worker_words
from runfair.fleet.slurm import Slurm, require_installed
from runfair.fleet.team import (
    Team,
    require_runtimes,
    role_of,
    roles_for,
    teams_of,
    unkept_clocks,
)
from runfair.formats.execution import Execution
from runfair.formats.host import Host
from runfair.formats.kept_file import write_whole
from runfair.formats.machines import PROGRAM_ROLE, HostRole, Machines, RunMachines
from runfair.formats.plan import Plan
from runfair.formats.run_folder import RunFolder
from runfair.machine.native import LAUNCHER, REFERENCE, build_native
from runfair.paths import private_folder


def reached(machines: Machines, roles: tuple[HostRole, ...] = (PROGRAM_ROLE,)) -> Slurm:
    """Slurm as `machines.toml` describes it. Raises UserMistake if Slurm is not installed, or if
    the partition can never meet the needs of these roles.
    """
    if not machines.enter:
        require_installed()
    slurm = Slurm(tuple(machines.enter))
    require_hosts(machines, slurm.nodes(machines.partition), roles)
    return slurm


def refuse_peaks(plan: Plan) -> None:
    """Raises UserMistake if the plan has services at their peak, which run on one machine."""
    peaks = sorted({one.benchmark for one in plan.cells if one.kind == "peak"})
    if peaks:
        raise UserMistake(
            f"--machines: runfair measures a [[peak]] of {', '.join(peaks)} on a single machine "
            "only; use --machines local, or remove [[peak]] from the experiment"
        )


def print_jobs(plan: Plan, machines: Machines) -> None:
    """Prints the jobs that would be requested from Slurm, without requesting them."""
    refuse_peaks(plan)
    roles = roles_for(plan, machines)
    left = portions(plan, [])
    request = JobRequest("runfair-RUN", machines, roles)
    hosts = machines.roles[PROGRAM_ROLE].hosts
    output.print(
        (
            f"the run has {len(plan.executions)} executions in {len(left)} portions (groups of "
            f"executions); each portion runs on one of {hosts} hosts"
        ),
        highlight=False,
    )
    for words in (
        request.words,
        [*Allocation.step_words("JOB", "HOST"), *worker_words("portion", Path("RUN/portions/N"))],
    ):
        command = Slurm(tuple(machines.enter)).command(*words)
        output.print(escape(shlex.join(command)), soft_wrap=True)
    for role in machines.requested:
        if role not in roles:
            output.print(
                f"no program of this run needs a host of the role {role}, so runfair requests none"
            )


@contextmanager
def hosts_of(
    machines: Machines, name: str, roles: tuple[HostRole, ...] = (PROGRAM_ROLE,)
) -> Iterator[tuple[Allocation, dict[str, Host]]]:
    """The allocation of a run, and the hosts of the allocation that can measure."""
    slurm = reached(machines, roles)
    for program in (LAUNCHER, REFERENCE):
        build_native(program)

    def waits(reason: str) -> None:
        errors.print(
            f"the job waits in Slurm's queue; Slurm gives this reason: {escape(reason)}",
            soft_wrap=True,
        )

    with (
        allocated(slurm, JobRequest(name, machines, roles), waits) as allocation,
        TemporaryDirectory(prefix="hosts-", dir=private_folder()) as scratch,
    ):
        with errors.status(f"calibrating {len(allocation.hosts)} hosts"):
            hosts = describe_hosts(allocation, Path(scratch), _say)
        yield allocation, hosts


def calibrate_over(machines: Machines) -> None:
    """Calibrates the hosts, and stores their descriptions for `list machines`."""
    name = f"runfair-calibrate-{time.time_ns()}"
    with hosts_of(machines, name, tuple(machines.requested)):
        pass


def measure_over(plan: Plan, machines: Machines, results: Path) -> RunFolder:
    """Starts a new run of the plan over the hosts."""
    refuse_peaks(plan)
    roles = roles_for(plan, machines)
    name = f"runfair-{plan.created_realtime_ns}"
    with hosts_of(machines, name, roles) as (allocation, hosts):
        teams = _teams(plan, allocation, hosts, machines)
        folder = RunFolder.create(results, plan, hosts[teams[0].name])
        began = RunMachines(machines=machines)
        write_whole(folder.fleet_file, began.model_dump_json(indent=1) + "\n")
        seal(folder)
        try:
            _carry_out(folder, plan, allocation, hosts, teams)
        except (KeyboardInterrupt, UserMistake):
            done = len(folder.executions())
            _say(
                f"{done} of {len(plan.executions)} executions are measured and stored; "
                f"to complete the run, use ./runfair resume {shown_path(folder.path)}"
            )
            raise
    return folder


def complete_over(folder: RunFolder, plan: Plan, machines_file: Path | None) -> None:
    """Completes a run over hosts. The hosts are the hosts that the file states, otherwise the hosts
    on which the run began."""
    machines = folder.machines() if machines_file is None else read_machines(machines_file)
    if machines.engine == "local":
        raise UserMistake(
            f"{folder.path}: this run began on several hosts; name these hosts with --machines FILE"
        )
    name, roles = f"runfair-{plan.created_realtime_ns}", roles_for(plan, machines)
    with hosts_of(machines, name, roles) as (allocation, hosts):
        teams = _teams(plan, allocation, hosts, machines)
        _carry_out(folder, plan, allocation, hosts, teams)


def _teams(
    plan: Plan, allocation: Allocation, hosts: dict[str, Host], machines: Machines
) -> list[Team]:
    teams = teams_of(allocation, hosts, machines)
    require_runtimes(plan, teams)
    if unkept := unkept_clocks(teams):
        _say(
            "limitation  no time service (NTP or PTP) adjusts the clocks of "
            f"{', '.join(unkept)}: runfair measures the offsets of these clocks, but an "
            "offset may change between two measurements"
        )
    return teams


def _carry_out(
    folder: RunFolder,
    plan: Plan,
    allocation: Allocation,
    hosts: dict[str, Host],
    teams: Sequence[Team],
) -> None:
    for name, host in hosts.items():
        role, path = role_of(name, allocation.roles), folder.host_file(host.name)
        # A host that measured before the run was interrupted may have another role now.
        if role == PROGRAM_ROLE or not path.exists():
            described = host.model_copy(update={"role": role})
            write_whole(path, described.model_dump_json(indent=1) + "\n")
    total = len(plan.executions)
    done = {one.planned for one in folder.attempts()}
    ended = "measuring"
    with errors.status(ended) as status:

        def recorded(execution: Execution) -> None:
            nonlocal ended
            done.add(execution.planned)
            ended = f"{len(done)} of {total} executions ended, the last on {execution.host}"
            status.update(escape(ended))

        def loaded(progress: LoadProgress) -> None:
            status.update(escape(f"{ended} · {progress.service} · {load_text(progress.load)}"))

        Matrix(
            folder=folder,
            plan=plan,
            allocation=allocation,
            hosts=tuple(team.name for team in teams),
            teams={team.name: team for team in teams},
            on_record=recorded,
            on_line=_say,
            on_load=loaded,
            next_repeat=RecordedRepeats(folder, plan).next_block,
        ).carry_out()


def _say(line: str) -> None:
    errors.print(escape(line), soft_wrap=True)
