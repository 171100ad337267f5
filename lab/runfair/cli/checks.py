"""`./runfair probe --checks`: the checks in V8's optimised code, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from rich import box
from rich.table import Table as Grid
from rich.text import Text

from runfair.cli.terminal import output
from runfair.errors import InvalidResult, UserMistake
from runfair.experiment.by_hand import ProgramOptions, command_of
from runfair.experiment.program_executor import environment_of
from runfair.formats.checks import ChecksResult
from runfair.formats.plan import Cell
from runfair.formats.transcript import ContractBroken, Transcript
from runfair.probing.checks.cost import Effort
from runfair.probing.checks.patched_process import Start
from runfair.probing.checks.result import measured_checks
from runfair.wording.checks import (
    LOWER_BOUNDS,
    calls_of_builtins,
    places_text,
    removal_name,
    saving,
)
from runfair.wording.quantity import duration


def benchmark_checks(
    cell: Cell, asked: ProgramOptions, names: Sequence[str], effort: Effort, scratch: Path
) -> ChecksResult:
    """The costs of checks in a benchmark's program. Every answer of the program is verified."""
    command = command_of(cell, asked, scratch / "samples")
    printed = scratch / "output"
    with printed.open("wb") as file:
        start = Start(
            command,
            environment_of(cell.artefact),
            scratch / "process",
            file,
            directory=Path(cell.artefact.directory),
            stoppable=True,
        )
        result = measured_checks(start, names, effort, scratch)
    transcript = Transcript(cell.distributions)
    try:
        transcript.feed(printed.read_bytes())
        transcript.finish()
    except ContractBroken as error:
        raise InvalidResult(
            f"after V8's checks were removed, the output of {cell.program} did not follow the "
            f"program contract: {error}"
        ) from None
    if cell.digest is not None and transcript.digest != cell.digest:
        raise InvalidResult(
            f"after V8's checks were removed, {cell.benchmark} gave a wrong answer, so the "
            "measurement of the checks' cost is not valid"
        )
    return result


def command_checks(
    command: Sequence[str],
    environment: Mapping[str, str],
    names: Sequence[str],
    effort: Effort,
    scratch: Path,
    output_file: IO[bytes] | int | None,
) -> ChecksResult:
    """The costs of checks in a command of the user's own."""
    start = Start(command, environment, scratch / "process", output_file)
    return measured_checks(start, names, effort, scratch)


def named_functions(text: str) -> list[str]:
    """The functions of `--checks`. Raises UserMistake if there are none."""
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise UserMistake("--checks needs the names of functions, separated by commas")
    return names


def print_checks(result: ChecksResult) -> None:
    """The table of a result."""
    codes = len(result.codes)
    pieces = "1 piece" if codes == 1 else f"{codes} pieces"
    output.print(
        f"{result.runtime} {result.version} · checks of {', '.join(result.functions)} in"
        f" {pieces} of optimised code · {result.rounds} rounds of"
        f" {result.iterations_each} iterations,"
        f" {duration(result.cpu_ns)} of CPU time per iteration",
        soft_wrap=True,
    )
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    grid.add_column("removed", no_wrap=True)
    grid.add_column("checks", justify="right", no_wrap=True)
    grid.add_column("CPU time saved", justify="right", no_wrap=True)
    grid.add_column("source line:column × checks")
    for cost in result.costs:
        grid.add_row(
            removal_name(cost), str(cost.checks), saving(cost), Text(places_text(result, cost))
        )
    output.print(grid)
    output.print(f"{LOWER_BOUNDS}.")
    if called := calls_of_builtins(result):
        output.print(f"{called}.")
    control = result.control
    output.print(
        "Negative control (a small program that reads past the end of an array): without the "
        f"bounds check, the read gave {control.without_check}. With the check, it gave "
        f"{control.with_check}, and V8 deoptimised ({control.deoptimised_for}), as expected. "
        "All checks were restored: runfair compared "
        f"{result.restored_bytes:,} bytes of the code with V8's listing, and all are equal.",
        soft_wrap=True,
    )
    if result.differing:
        output.print(
            f"runfair could not remove the checks of {result.differing} pieces of code, because "
            "V8 had freed or changed this code since it listed the code."
        )
