"""`./runfair probe` of a native program: the instructions of its functions."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from rich import box
from rich.table import Table as Grid
from rich.text import Text

from runfair.cli.terminal import output
from runfair.experiment.by_hand import ProgramOptions, carry_out, command_of
from runfair.formats.callgrind import Place
from runfair.formats.instructions import InstructionResult
from runfair.formats.plan import Cell
from runfair.probing.instruction_counts import (
    counted,
    per_iteration,
    read_counts,
    valgrind,
    valgrind_version,
)
from runfair.wording.instructions import function_name, hottest_lines, whole
from runfair.wording.quantity import percent

NO_LINES = (
    "The source lines are unknown, because the program was built without line information (the "
    "compiler's option -g). runfair does not add this option, because it must count the "
    "instructions of the same build that it times."
)


def benchmark_instructions(cell: Cell, asked: ProgramOptions) -> InstructionResult:
    """The instructions per iteration of a benchmark's program. The program is executed twice, and
    each answer is verified. Raises UserMistake if valgrind is missing.
    """
    executable = valgrind()
    with tempfile.TemporaryDirectory(prefix="runfair-probe-") as folder:
        one = _counts(executable, cell, asked, 1, Path(folder))
        more = _counts(executable, cell, asked, 1 + asked.iterations, Path(folder))
        command = command_of(cell, asked, Path(folder) / "samples")
    found = per_iteration(more, one, asked.iterations, valgrind_version(executable))
    return InstructionResult(
        command=command,
        variant=cell.variant,
        iterations=found.iterations,
        outside=found.outside,
        iteration=found.iteration,
    )


def _counts(
    executable: str, cell: Cell, asked: ProgramOptions, iterations: int, folder: Path
) -> Counter[Place]:
    given = replace(asked, iterations=iterations)
    counts = folder / f"{iterations}-iterations"
    counts.mkdir()
    command = command_of(cell, given, folder / f"samples-{iterations}")
    carry_out(cell, counted(executable, command, counts))
    return read_counts(counts)


def print_instructions(result: InstructionResult, top: int) -> None:
    """The table of a result."""
    table = result.iteration
    output.print(
        f"{result.variant} · {whole(table.instructions)} instructions per iteration, and "
        f"{whole(result.outside)} before and after the iterations, counted under valgrind "
        f"{table.valgrind}",
        soft_wrap=True,
    )
    program = {one.object for one in table.functions[:1]}
    has_lines = any(one.lines for one in table.functions if one.object in program)
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    grid.add_column("function")
    grid.add_column("instructions", justify="right", no_wrap=True)
    grid.add_column("share", justify="right", no_wrap=True)
    if has_lines:
        grid.add_column("hottest lines")
    for one in table.functions[:top]:
        lines = [Text(hottest_lines(one))] if has_lines else []
        grid.add_row(Text(function_name(one)), whole(one.instructions), percent(one.share), *lines)
    output.print(grid)
    if len(table.functions) > top:
        output.print(
            f"functions not shown: {len(table.functions) - top}; to show all functions, add "
            f"--top {len(table.functions)}"
        )
    if not has_lines:
        output.print(NO_LINES, soft_wrap=True)
