"""`./runfair probe --checks`: the checks in V8's optimised code, and what they cost."""

from __future__ import annotations

from collections import Counter
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
from runfair.formats.checks import CheckPlace, ChecksResult, CodeSummary, RemovalCost
from runfair.formats.plan import Cell
from runfair.formats.transcript import ContractBroken, Transcript
from runfair.probing.checks.cost import Effort, measure
from runfair.probing.checks.known_check import negative_control
from runfair.probing.checks.patched_process import PatchedProcess, Start
from runfair.wording.quantity import duration

PLACES = 4  # shown in a row
BUILTINS = 6  # shown


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
        result = _result(start, names, effort, scratch)
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
    return _result(start, names, effort, scratch)


def named_functions(text: str) -> list[str]:
    """The functions of `--checks`. Raises UserMistake if there are none."""
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise UserMistake("--checks needs the names of functions, separated by commas")
    return names


def _result(start: Start, names: Sequence[str], effort: Effort, scratch: Path) -> ChecksResult:
    with PatchedProcess(start) as process:
        control = negative_control(process.executable, scratch / "control")
        measured = measure(process, names, effort)
        if (status := process.end()) != 0:
            raise InvalidResult(f"{start.command[0]} ended with status {status}")
        return ChecksResult(
            command=list(start.command),
            runtime="node",
            version=process.version,
            functions=list(names),
            rounds=measured.rounds,
            iterations_each=measured.iterations_each,
            cpu_ns=measured.cpu_ns,
            restored_bytes=measured.restored_bytes,
            differing=measured.selection.differing,
            codes=measured.selection.summaries(names),
            places=measured.selection.places(),
            costs=measured.costs,
            control=control,
        )


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
        places = [place for place in result.places if place.kind == cost.removed]
        grid.add_row(
            "control: nothing" if cost.removed == "nothing" else cost.removed,
            str(cost.checks),
            _saved(cost),
            Text(_places(places)),
        )
    output.print(grid)
    output.print(
        "The savings of several rows cannot be added. Each saving is a lower bound of the cost of "
        "the removed checks, because the code still loads the hidden classes and lengths that "
        "these checks compared."
    )
    if called := _called(result.codes):
        output.print(
            "The table does not include the checks inside V8's built-in functions, because runfair "
            f"does not remove these checks. The measured code calls these functions: {called}"
        )
    control = result.control
    output.print(
        "Negative control (a small program that reads past the end of an array): without the "
        f"bounds check, the read gave {control.without_check}. With the check, it gave "
        f"{control.with_check}, and V8 deoptimised ({control.deoptimised_for}), as expected. "
        f"All checks were restored: all {result.restored_bytes:,} compared bytes equal V8's "
        "listing of the code.",
        soft_wrap=True,
    )
    if result.differing:
        output.print(
            f"runfair could not remove the checks of {result.differing} pieces of code, because "
            "V8 had freed or changed this code since it listed the code."
        )


def _saved(cost: RemovalCost) -> str:
    if cost.saved is None:
        return "—"
    value, low, high = (
        f"{100 * each:.1f}" for each in (cost.saved.value, cost.saved.low, cost.saved.high)
    )
    return f"{value}% [{low}, {high}]"


def _called(codes: Sequence[CodeSummary]) -> str:
    total: Counter[str] = Counter()
    for code in codes:
        total.update(code.builtins)
    return "  ".join(f"{name} ×{count}" for name, count in total.most_common(BUILTINS))


def _places(places: Sequence[CheckPlace]) -> str:
    shown = [
        f"{Path(place.path).name}:{_where(place)}"
        + (f" ×{place.checks}" if place.checks > 1 else "")
        for place in places[:PLACES]
    ]
    more = len(places) - PLACES
    return "  ".join([*shown, f"{more} more places"] if more > 0 else shown)


def _where(place: CheckPlace) -> str:
    if place.line is None:
        return f"position {place.position}"
    return f"{place.line}:{place.column}"
