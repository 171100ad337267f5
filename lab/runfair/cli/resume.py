"""`./runfair resume RUN`: complete an interrupted run, with the same plan and seed."""

from __future__ import annotations

from typing import Annotated

import typer

from runfair.cli.measuring import carry_out, prepare_machine, require_answers, show
from runfair.cli.option import Details, Results, RunName, Wait
from runfair.cli.terminal import errors
from runfair.cli.turn import turn
from runfair.errors import UserMistake
from runfair.experiment.engine import remaining
from runfair.formats.host import Host
from runfair.formats.run_folder import RunFolder
from runfair.paths import results_folder


def resume(
    run: RunName = "latest",
    results: Results = None,
    wait: Wait = 0.0,
    details: Details = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Complete an interrupted run: the interrupted block is repeated, then the rest follows."""
    folder = RunFolder.find(run, results or results_folder())
    plan, recorded = folder.plan(), folder.host()
    if remaining(plan, folder.attempts()):
        with turn(plan.experiment, wait):
            launcher, host = prepare_machine(plan)
            require_same_machine(recorded, host)
            carry_out(folder, plan, host, launcher)
    else:
        errors.print("the run is complete")
    require_answers(show(folder, as_json=json, details=details))


def require_same_machine(recorded: Host, here: Host) -> None:
    """A run stays on one machine and kernel; a restart alone is noticed by the checks."""
    for name in ("name", "kernel", "processor_model"):
        then, now = getattr(recorded, name), getattr(here, name)
        if then != now:
            raise UserMistake(
                f"this run was begun where the machine's {name.replace('_', ' ')} was {then}, "
                f"here it is {now}: a run stays on one machine; begin a new one"
            )
