"""The machines that a command uses: those of the option `--machines`, or of a file beside the
experiment."""

from __future__ import annotations

from pathlib import Path

from rich.markup import escape

from runfair.cli.terminal import errors
from runfair.fleet.machines import LOCAL, machines_beside, read_machines
from runfair.formats.machines import Machines


def machines_for(experiment: str, stated: Path | None) -> Machines:
    """The machines that `--machines` states. If the option is missing, the machines of the file
    `machines.toml` beside the experiment's file, which is then named on standard error."""
    beside = machines_beside(experiment) if stated is None else None
    if beside is not None:
        errors.print(
            f"runfair uses the machines named in the file {escape(str(beside))} beside the "
            f"experiment (to use this machine instead, add --machines {LOCAL})",
            soft_wrap=True,
        )
    return read_machines(stated or beside)
