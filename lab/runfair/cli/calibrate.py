"""`./runfair calibrate`: this machine's noise floor, and the commands that would lower it."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from runfair.cli.fleet import calibrate_over
from runfair.cli.listing import print_entries
from runfair.cli.option import MachinesFile, Wait
from runfair.cli.terminal import errors, lock_machine, output
from runfair.fleet.machines import machine_entries, read_machines
from runfair.formats.variant import LISTING
from runfair.machine.calibration import calibrate as measure
from runfair.machine.host import describe
from runfair.machine.launching import Launcher
from runfair.machine.native import LAUNCHER, build_native
from runfair.machine.processors import assign, pin_self
from runfair.wording import quantity


def calibrate(
    pairs: Annotated[
        int,
        typer.Option(
            min=4,
            help=(
                "Number of pairs of executions to compare. Both executions of a pair run the "
                "same program, so any difference between them is noise of this machine."
            ),
        ),
    ] = 20,
    wait: Wait = 0.0,
    machines: MachinesFile = None,
    json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print the description of this machine and its calibration as JSON."
        ),
    ] = False,
) -> None:
    """Measure the smallest difference that can be detected on this machine, or on each host of a
    Slurm partition (`--machines`), by comparing a program with itself."""
    target = read_machines(machines)
    if target.engine == "slurm":
        calibrate_over(target)
        entries = machine_entries(target)
        if json:
            print(LISTING.dump_json(entries, indent=1).decode())
        else:
            print_entries(entries)
        return
    launcher = Launcher(build_native(LAUNCHER))
    assignment = assign(1)
    with lock_machine("calibrate", wait):
        pin_self(assignment.lab)
        with errors.status("calibrating") as status:
            found = measure(
                launcher,
                assignment.measured,
                pairs=pairs,
                on_progress=lambda done, total: status.update(f"calibrating {done}/{total}"),
            )
    host = describe(found)
    if json:
        print(host.model_dump_json(indent=1))
        return
    output.print(
        f"noise floor     {quantity.percent(found.noise_floor_cpu)} of CPU time, "
        f"{quantity.percent(found.noise_floor_wall)} of wall time "
        f"(from {found.pairs} pairs of executions of the same program)"
    )
    output.print(
        f"reference loop  {quantity.duration(found.reference_ns)}, "
        f"drift {quantity.percent(found.reference_drift)}"
    )
    output.print(
        f"foreign time    other processes used {quantity.percent(found.foreign_share)} of the "
        f"measured processors' time; steal time {quantity.percent(found.steal_share)}"
    )
    for gate in found.gates:
        output.print(f"{gate.state:<12}{escape(gate.name)}: {escape(gate.found)}", soft_wrap=True)
        if gate.command:
            output.print(f"            {escape(gate.command)}", soft_wrap=True)
