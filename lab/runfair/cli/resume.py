"""`./runfair resume RUN`: completes an interrupted run, with the same plan and seed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from runfair.cli.fleet import complete_over
from runfair.cli.measuring import (
    carry_out,
    prepare_machine,
    require_answers,
    show,
)
from runfair.cli.option import Details, MachinesFile, Results, RunName, Wait
from runfair.cli.terminal import errors, lock_machine
from runfair.errors import UserMistake
from runfair.evidence.blocks import RecordedRepeats
from runfair.experiment.engine import remaining
from runfair.experiment.own_version import own_version
from runfair.experiment.seal import commands, is_sealed
from runfair.experiment.unprivileged import require_same_user
from runfair.fleet.machines import read_machines
from runfair.formats.host import Host
from runfair.formats.plan import Plan
from runfair.formats.run_folder import RunFolder
from runfair.paths import results_folder
from runfair.wording.text import plain


def resume(
    run: RunName = "latest",
    results: Results = None,
    wait: Wait = 0.0,
    details: Details = False,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust",
            help=(
                "Start the commands in the run's plan, even if another installation of runfair "
                "wrote the plan. Without this option, runfair only prints the commands of such a "
                "plan."
            ),
        ),
    ] = False,
    machines: MachinesFile = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Complete an interrupted run. A run consists of blocks (groups of executions). runfair first
    repeats the interrupted block, then measures the remaining blocks, and finally repeats the
    blocks that other processes disturbed."""
    folder = RunFolder.find(run, results or results_folder())
    plan, recorded = folder.plan(), folder.host()
    if remaining(plan, folder.attempts()) or RecordedRepeats(folder, plan).next_block():
        if not trust:
            require_own_plan(folder, plan)
        require_same_user(plan, folder.attempts())
        if folder.fleet_file.exists():
            folder.add_version(own_version())
            complete_over(folder, plan, machines)
        else:
            _complete(folder, plan, recorded, wait, tables=not json, machines=machines)
    else:
        errors.print("the run is complete")
    require_answers(show(folder, as_json=json, details=details))


def _complete(
    folder: RunFolder,
    plan: Plan,
    recorded: Host,
    wait: float,
    *,
    tables: bool,
    machines: Path | None,
) -> None:
    if read_machines(machines).engine == "slurm":
        raise UserMistake(
            f"{folder.path}: this run began on a single machine, so it cannot continue on several "
            "hosts; leave --machines out"
        )
    with lock_machine(plan.experiment, wait):
        launcher, host = prepare_machine(plan)
        require_same_machine(recorded, host)
        folder.add_version(own_version())
        carry_out(folder, plan, host, launcher, tables=tables)


def require_own_plan(folder: RunFolder, plan: Plan) -> None:
    """Asks the user before commands are started from a plan that this installation did not make.
    Raises UserMistake if there is no terminal to ask on, or if the answer is no.
    """
    if is_sealed(folder):
        return
    errors.print(
        "another installation of runfair made this run's plan. To resume the run, runfair would "
        "start these commands:"
    )
    machines = folder.machines() if folder.fleet_file.exists() else None
    for command in commands(plan, machines):
        errors.print(f"  {escape(plain(command))}", soft_wrap=True)
    if sys.stdin.isatty() and typer.confirm("start them?", err=True):
        return
    raise UserMistake(
        "runfair started nothing; to start these commands, use ./runfair resume --trust"
    )


def require_same_machine(recorded: Host, here: Host) -> None:
    """Raises UserMistake if the run began on another machine or kernel. A reboot alone is allowed;
    the checks report it.
    """
    for name in ("name", "kernel", "processor_model"):
        then, now = getattr(recorded, name), getattr(here, name)
        if then != now:
            raise UserMistake(
                f"this run began on a machine whose {name.replace('_', ' ')} was {then}, but the "
                f"{name.replace('_', ' ')} of this machine is {now}; resume the run on the machine "
                "on which it began, or begin a new run"
            )
