"""`./runfair exec BENCHMARK`: runs one program by hand."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from runfair.catalogue.benchmark import benchmarks, select_benchmarks
from runfair.catalogue.runtime import select_one, variants
from runfair.cli.option import Parameters, parameters_named
from runfair.cli.terminal import output
from runfair.errors import InvalidResult, UserMistake
from runfair.experiment.by_hand import ProgramOptions, carried_out, cell_by_hand, command_of
from runfair.formats.distribution import SHARES, histogram
from runfair.formats.plan import Cell
from runfair.formats.transcript import Transcript
from runfair.paths import private_folder
from runfair.wording.quantity import duration, in_unit


def exec_(
    benchmark: Annotated[str, typer.Argument(help="The benchmark's name.")],
    runtime: Annotated[
        str,
        typer.Option(
            help=(
                "A variant (a runtime with its flags), or a language. A language stands for its "
                "default variant."
            )
        ),
    ] = "c++",
    workload: Annotated[str, typer.Option(help="The name of the input.")] = "default",
    size: Annotated[str, typer.Option(help="The size of the input.")] = "small",
    tier: Annotated[
        str,
        typer.Option(
            help=(
                "The tier of the program, such as 'virtual' (Java's virtual threads). The tier "
                "selects one of the benchmark's programs in the same language."
            )
        ),
    ] = "standard",
    seed: Annotated[int, typer.Option(help="Seed of the input.", min=0, max=2**64 - 1)] = 1,
    threads: Annotated[
        int,
        typer.Option(
            help="Largest number of threads that the program may use.", min=1, max=2**31 - 1
        ),
    ] = 1,
    iterations: Annotated[
        int,
        typer.Option(
            help=(
                "End the program after this number of iterations. With 0, the program ends when "
                "its standard input is closed."
            ),
            min=0,
        ),
    ] = 1,
    seconds: Annotated[
        float | None,
        typer.Option(
            help=(
                "After this number of seconds, complete the current iteration, and then end the "
                "program."
            ),
            min=0,
            max=1e9,
        ),
    ] = None,
    param: Parameters = None,
    input_: Annotated[
        Path | None,
        typer.Option("--input", help="Use this input file instead of the generated input."),
    ] = None,
    count: Annotated[
        bool,
        typer.Option(
            help=(
                "Count the operations of the program's task, such as comparisons. runfair then "
                "builds the program with its counting lines (source lines that count operations), "
                "which timed builds leave out."
            )
        ),
    ] = False,
    lines: Annotated[
        Path | None,
        typer.Option(
            help="Count how often each source line is executed, and write the counts to this file."
        ),
    ] = None,
    print_: Annotated[
        bool,
        typer.Option(
            "--print", help="Print the command that would start the program, but do not start it."
        ),
    ] = False,
) -> None:
    """Run a program by hand, and print its answer. runfair checks the options, but does not judge
    the measured times. To compare programs, use `./runfair run`."""
    (chosen,) = select_benchmarks([benchmark], benchmarks())
    variant = select_one(runtime, variants())
    asked = ProgramOptions(
        *(workload, size, tier, seed, threads, iterations, seconds, count, lines, input_),
        own=parameters_named(param or []),
    )
    cell = cell_by_hand(chosen, variant, asked)
    if print_:
        command = command_of(cell, asked, private_folder() / "samples")
        print(_shell(cell, command))
        return
    if cell.drive is not None:
        raise UserMistake(
            f"{benchmark} is a server, so by itself it does nothing; use ./runfair verify "
            f"{benchmark} --runtimes {variant.name}, which sends requests to it, or start the "
            "server by hand with the command that --print shows"
        )
    output.print(
        escape(f"{cell.benchmark} {cell.workload} {cell.size} · {cell.tier} · {cell.variant}")
    )
    with tempfile.TemporaryDirectory(prefix="runfair-exec-") as scratch:
        _show(cell, command_of(cell, asked, Path(scratch) / "samples"))


def _shell(cell: Cell, command: list[str]) -> str:
    """The command as one line for a shell. Variables that the program must not inherit
    are unset.
    """
    unset = [f"--unset={name}" for name, value in cell.artefact.environment.items() if not value]
    given = [f"{name}={value}" for name, value in cell.artefact.environment.items() if value]
    words = ["env", *unset, *given, *command] if cell.artefact.environment else command
    return f"cd {shlex.quote(cell.artefact.directory)} && {shlex.join(words)}"


def _show(cell: Cell, command: list[str]) -> None:
    """Prints each iteration when it ends. At the end it prints the answer and the counts, compared
    with the canonical answer and counts.
    """
    shown, transcript = 0, Transcript()
    output.print(f"{'iteration':>9} {'wall time':>12} {'CPU time':>12}")
    for transcript in carried_out(cell, command):
        for at in range(shown, transcript.iterations):
            wall, cpu = duration(transcript.wall_ns[at]), duration(transcript.cpu_ns[at])
            output.print(f"{at:>9} {wall:>12} {cpu:>12}")
        shown = transcript.iterations
    _show_distributions(cell, transcript)
    right = "correct"
    if cell.digest is None:
        right = "not checked, because no correct answer is known"
    wrong = cell.digest is not None and transcript.digest != cell.digest
    output.print(f"answer {transcript.digest}: {'WRONG' if wrong else right}")
    if transcript.operations is not None:
        counted = ", ".join(f"{name} {value:,}" for name, value in transcript.operations.items())
        unequal = cell.operations is not None and transcript.operations != cell.operations
        output.print(f"counted {counted}: {'UNEQUAL WORK' if unequal else right}")
        wrong = wrong or unequal
    if wrong:
        raise InvalidResult(f"{cell.benchmark} gives a wrong answer")


def _show_distributions(cell: Cell, transcript: Transcript) -> None:
    """Prints those percentiles of the distributions that are figures, computed over all
    iterations."""
    for name, distribution in cell.distributions.items():
        samples = histogram(each[name] for each in transcript.samples)
        percentiles = [
            f"{share.replace('_', '.')} {in_unit(value, distribution.unit)}"
            for share in distribution.percentiles
            if (value := samples.value_at(SHARES[share])) is not None
        ]
        output.print(f"{name} {' · '.join(percentiles)} ({samples.total:,} samples)")
