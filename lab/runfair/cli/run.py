"""`./runfair run [EXPERIMENT]`: measures an experiment and prints its conclusion."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from runfair.catalogue.experiment import Experiment, read_experiment
from runfair.catalogue.profile import profile_name
from runfair.cli.fleet import measure_over, print_jobs, reached
from runfair.cli.machines import machines_for
from runfair.cli.measuring import carry_out, prepare_machine, require_answers, show, shown_path
from runfair.cli.option import Details, MachinesFile, Results, Wait
from runfair.cli.terminal import errors, lock_machine, output
from runfair.errors import UserMistake
from runfair.experiment.plan_draft import Request
from runfair.experiment.planning import resolve
from runfair.experiment.seal import seal
from runfair.experiment.unprivileged import unprivileged
from runfair.fleet.machines import least_processors
from runfair.fleet.team import roles_for
from runfair.formats.machines import Machines
from runfair.formats.plan import Plan
from runfair.formats.run_folder import RunFolder
from runfair.paths import results_folder


def run(
    experiment: Annotated[
        str,
        typer.Argument(
            help="The name of an experiment, or the path of an experiment's .toml file."
        ),
    ] = "default",
    profile: Annotated[
        str,
        typer.Option(
            help=(
                "How much to measure: smoke (least, only to try an experiment), quick, full "
                "or publish (most)."
            )
        ),
    ] = "quick",
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="Measure only this benchmark. You can repeat the option.", metavar="BENCHMARK"
        ),
    ] = None,
    runtimes: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "Measure only these variants (runtimes with their flags): a name, a pattern such "
                "as 'temurin-*', or a language. You can repeat the option."
            ),
            metavar="VARIANT",
        ),
    ] = None,
    results: Results = None,
    order_seed: Annotated[
        int | None,
        typer.Option(
            help=(
                "Seed of the random order of the executions. The default is a random seed, "
                "which the run records."
            )
        ),
    ] = None,
    wait: Wait = 0.0,
    details: Details = False,
    machines: MachinesFile = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help=(
                "Plan the run, build the programs, and print what would be measured, but measure "
                "nothing. With --machines, print the jobs for Slurm."
            ),
        ),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Measure an experiment and print its conclusion, on one screen.

    Without arguments, the command measures three services, and two benchmarks in six languages,
    within twenty minutes.
    """
    text = read_experiment(experiment)
    # A relative path would name another file, or none, when the command is given elsewhere.
    source = str(Path(experiment).absolute()) if experiment.endswith(".toml") else experiment
    request = Request(
        profile_name(profile), tuple(only or ()), tuple(runtimes or ()), order_seed, source=source
    )
    request.require_known()  # checked before the command waits for another run
    target = machines_for(experiment, machines)
    request = replace(request, service_hosts=target.service_hosts)
    kept_in = results or results_folder()
    if target.engine == "slurm":
        _over_hosts(
            text, request, target, kept_in, wait, dry_run=dry_run, details=details, json=json
        )
        return
    # The lock is also held during builds, because building and generating inputs would disturb
    # another run as much as a measurement.
    with lock_machine(text.name, wait):
        if not dry_run:
            RunFolder.require_writable(kept_in)  # before anything is built
        plan = _planned(text, request, kept_in)
        if dry_run:
            print_plan(plan)
            return
        launcher, host = prepare_machine(plan)
        folder = RunFolder.create(kept_in, plan, host)
        seal(folder)
        try:
            carry_out(folder, plan, host, launcher, tables=not json)
        except (KeyboardInterrupt, UserMistake) as stopped:
            said = _what_is_kept(folder)
            if isinstance(stopped, KeyboardInterrupt):
                said = "interrupted"
            if said:
                errors.print(
                    f"{said}; to complete the run, use ./runfair resume {shown_path(folder.path)}",
                    soft_wrap=True,
                )
            raise
    require_answers(show(folder, as_json=json, details=details))


def _planned(text: Experiment, request: Request, kept_in: Path) -> Plan:
    with errors.status("planning") as status:
        plan = resolve(text, request, lambda step: status.update(escape(step)))
    return unprivileged(plan, kept_in, text.run_as_root)


def print_plan(plan: Plan) -> None:
    """Prints each cell with the number of its executions, or why it cannot run here."""
    counts = Counter(one.cell for one in plan.executions)
    for cell in plan.cells:
        said = cell.absent or f"{counts[cell.id]} executions"
        output.print(escape(f"{cell.id}: {said}"), soft_wrap=True, highlight=False)
    for limitation in plan.limitations:
        output.print(escape(f"limitation: {limitation}"), soft_wrap=True, highlight=False)


def _over_hosts(
    text: Experiment,
    request: Request,
    target: Machines,
    kept_in: Path,
    wait: float,
    *,
    dry_run: bool,
    details: bool,
    json: bool,
) -> None:
    """Plans and builds on this machine, and measures on the hosts. While the hosts measure, this
    machine is free for other runs.
    """
    nodes = reached(target).nodes(target.partition)  # checked before anything is built
    request = replace(request, host_processors=least_processors(target, nodes))
    with lock_machine(text.name, wait):
        if not dry_run:
            RunFolder.require_writable(kept_in)
        plan = _planned(text, request, kept_in)
    reached(target, roles_for(plan, target))
    if dry_run:
        print_plan(plan)
        print_jobs(plan, target)
        return
    folder = measure_over(plan, target, kept_in)
    require_answers(show(folder, as_json=json, details=details))


def _what_is_kept(folder: RunFolder) -> str:
    """A text that says how many executions are stored; empty if there are none. The text is added
    to the error if something has disappeared, for example the user's database.
    """
    measured, planned = len(folder.attempts()), len(folder.plan().executions)
    return f"{measured} of {planned} executions are measured and stored" if measured else ""
