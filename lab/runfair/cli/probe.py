"""`./runfair probe`: what each bytecode of a program costs, on a stock runtime."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, get_args

import typer
from rich.markup import escape

from runfair.catalogue.benchmark import benchmarks
from runfair.catalogue.runtime import select_one, variants
from runfair.cli.checks import benchmark_checks, command_checks, named_functions, print_checks
from runfair.cli.instructions import benchmark_instructions, print_instructions
from runfair.cli.probe_table import print_table
from runfair.cli.terminal import errors
from runfair.errors import InvalidResult, UserMistake
from runfair.experiment.by_hand import ProgramOptions, carry_out, cell_by_hand, command_of
from runfair.formats.plan import Cell
from runfair.formats.probe import AskedMode, ProbeResult
from runfair.formats.variant import Variant
from runfair.machine.environment import own_environment
from runfair.probing.adapter import adapter_of, supported
from runfair.probing.checks.cost import Effort
from runfair.probing.instruction_counts import NATIVE_LANGUAGES, NOT_COUNTED
from runfair.probing.interruption import interruptible
from runfair.probing.probed_command import (
    Rounds,
    check_machine,
    modes_of,
    probe_library,
    run_command,
)
from runfair.probing.running_process import RunningProcess, observed


def probe(
    what: Annotated[
        list[str] | None,
        typer.Argument(help="The name of a benchmark, or `--` and a command.", metavar="[WHAT]"),
    ] = None,
    pid: Annotated[
        int | None,
        typer.Option(
            help="The ID of a running process to probe, instead of a benchmark or a command "
            "(HotSpot only).",
            min=1,
        ),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(
            help=("With --pid: the number of seconds for which the process is probed."),
            min=0.1,
            max=86_400,
        ),
    ] = 10.0,
    runtime: Annotated[
        str,
        typer.Option(
            help="The runtime of the benchmark. Leave --runtime out if you probe a command."
        ),
    ] = "",
    mode: Annotated[
        str,
        typer.Option(
            help=(
                "`count` counts the bytecodes. `mark` also samples their CPU time. `pairs` "
                "counts which bytecode follows which. `profile` does what `mark` and `pairs` do. "
                "`latency` measures the time of some executions of each bytecode. `instructions` "
                "counts the processor's instructions in some executions of each bytecode. `all` "
                "uses `profile`, `latency` and `instructions`, one after the other."
            )
        ),
    ] = "mark",
    bytecodes: Annotated[
        str,
        typer.Option(
            help=(
                "Show only these bytecodes and their specialised forms. Separate the names by "
                "commas."
            )
        ),
    ] = "",
    checks: Annotated[
        str,
        typer.Option(
            help=(
                "Measure the cost of checks instead of bytecodes. (An example is a check of a "
                "value's type in V8's optimised code.) Name the functions whose checks are "
                "measured, separated by commas. (Node only.)"
            )
        ),
    ] = "",
    rounds: Annotated[
        int, typer.Option(help="With --checks: the number of rounds of measurements.", min=2)
    ] = 40,
    top: Annotated[int, typer.Option(help="The largest number of rows of a table.", min=1)] = 20,
    workload: Annotated[str, typer.Option(help="The name of the benchmark's input.")] = "default",
    size: Annotated[str, typer.Option(help="The size of the input.")] = "small",
    tier: Annotated[
        str,
        typer.Option(
            help=(
                "The tier of the program, which selects one of the benchmark's programs in the "
                "same language."
            )
        ),
    ] = "standard",
    iterations: Annotated[
        int, typer.Option(help="The number of iterations that the program runs.", min=1)
    ] = 1,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Count and time the bytecodes of a program, and show how much of the time each source line
    takes. The runtime is not modified: the probe works inside the program's process, and removes
    itself at the end. If the benchmark's program is in C++ or Rust, count the instructions of each
    function under valgrind instead."""
    if checks:
        if pid is not None:
            raise UserMistake(
                "--checks starts the program itself, so it cannot probe a running process; leave "
                "--pid out, and give a benchmark or a command"
            )
        _probe_checks(
            what or [],
            named_functions(checks),
            runtime,
            ProgramOptions(workload=workload, size=size, tier=tier, iterations=0),
            Effort(rounds=rounds),
            as_json=json,
        )
        return
    options = ProgramOptions(workload=workload, size=size, tier=tier, iterations=iterations)
    if native := _native(what or [], runtime):
        if pid is not None or bytecodes or mode not in ("mark", "instructions"):
            raise UserMistake(
                f"{native.name} executes no bytecodes, so runfair can only count the instructions "
                "of a whole execution; leave --pid, --bytecodes and --mode out"
            )
        _probe_native(_cell((what or [])[0], native, options), options, top, as_json=json)
        return
    wanted = [name.strip() for name in bytecodes.split(",") if name.strip()]
    chosen = _mode(mode)
    check_machine()
    if (pid is None) == (not what):
        raise UserMistake(
            "the command does not say what to probe; give a benchmark, or `--` and a command, or "
            "--pid and the ID of a process"
        )
    with tempfile.TemporaryDirectory(prefix="runfair-probe-") as scratch:
        if pid is not None:
            result = observed(RunningProcess(pid), chosen, wanted, seconds, Path(scratch))
        elif what and len(what) == 1 and what[0] in benchmarks():
            cell = _cell(what[0], _variant(runtime or "python"), options)
            command = command_of(cell, options, Path(scratch) / "samples")

            def run_benchmark(variables: dict[str, str]) -> int:
                with interruptible():
                    carry_out(_with_environment(cell, variables), command)
                return 0

            given = dict(cell.artefact.environment)
            executions = Rounds(probe_library(), Path(scratch) / "processes", chosen, wanted)
            result = executions.result(command, given, run_benchmark)
        else:
            command = what or []
            if runtime:
                raise UserMistake(_no_benchmark(command[0]))
            given = own_environment()

            def run_own(variables: dict[str, str]) -> int:
                return run_command(command, given | variables, quiet=json)

            executions = Rounds(probe_library(), Path(scratch) / "processes", chosen, wanted)
            result = executions.result(command, given, run_own)
    if json:
        print(result.model_dump_json(indent=1))
    else:
        _print(result, wanted, top)
    if result.exit_status != 0:
        raise InvalidResult(f"{result.command[0]} ended with status {result.exit_status}")


def _native(what: list[str], runtime: str) -> Variant | None:
    """The runtime of the benchmark, if it compiles the benchmark's program to native code."""
    if not runtime or len(what) != 1 or what[0] not in benchmarks():
        return None
    variant = _variant(runtime)
    return variant if variant.language in NATIVE_LANGUAGES else None


def _probe_native(cell: Cell, asked: ProgramOptions, top: int, *, as_json: bool) -> None:
    result = benchmark_instructions(cell, asked)
    if as_json:
        print(result.model_dump_json(indent=1))
    else:
        print_instructions(result, top)


def _probe_checks(
    what: list[str],
    names: list[str],
    runtime: str,
    asked: ProgramOptions,
    effort: Effort,
    *,
    as_json: bool,
) -> None:
    check_machine()
    if not what:
        raise UserMistake(
            "--checks needs a program to start; give a benchmark, or `--` and a command"
        )
    with tempfile.TemporaryDirectory(prefix="runfair-probe-") as folder:
        scratch = Path(folder)
        if len(what) == 1 and what[0] in benchmarks():
            variant = _variant(runtime or "node")
            if variant.implementation != "node":
                raise UserMistake(
                    f"--checks needs Node, but {variant.name} is not Node; name a version of Node "
                    "with --runtime"
                )
            result = benchmark_checks(_cell(what[0], variant, asked), asked, names, effort, scratch)
        elif runtime:
            raise UserMistake(_no_benchmark(what[0]))
        else:
            result = command_checks(
                what, own_environment(), names, effort, scratch, 2 if as_json else None
            )
    if as_json:
        print(result.model_dump_json(indent=1))
    else:
        print_checks(result)


def _mode(name: str) -> AskedMode:
    for mode in get_args(AskedMode):
        if mode == name:
            found: AskedMode = mode
            return found
    raise UserMistake(f"--mode {name}: unknown mode; choose from {', '.join(get_args(AskedMode))}")


def _no_benchmark(name: str) -> str:
    return (
        f"--runtime selects the runtime of a benchmark, but no benchmark is named {name}; choose "
        f"a benchmark from ./runfair list benchmarks, or leave --runtime out if {name} is a "
        "command"
    )


def _variant(runtime: str) -> Variant:
    found = select_one(runtime, variants())
    family = found.implementation
    if adapter_of(family) is None and found.language not in NATIVE_LANGUAGES:
        reason = f", because {NOT_COUNTED[family]}" if family in NOT_COUNTED else ""
        raise UserMistake(
            f"{found.name} cannot be probed{reason}; the runtimes that can be probed are "
            f"{supported()}, and native programs in C++ and Rust"
        )
    return found


def _cell(benchmark: str, variant: Variant, asked: ProgramOptions) -> Cell:
    cell = cell_by_hand(benchmarks()[benchmark], variant, asked)
    if cell.drive is not None:
        raise UserMistake(
            f"{benchmark} is a server; probe the command that starts the server, which ./runfair "
            "exec --print shows"
        )
    return cell


def _with_environment(cell: Cell, variables: dict[str, str]) -> Cell:
    environment = {**cell.artefact.environment, **variables}
    artefact = cell.artefact.model_copy(update={"environment": environment})
    return cell.model_copy(update={"artefact": artefact})


def _print(result: ProbeResult, wanted: list[str], top: int) -> None:
    for table in result.tables:
        print_table(table, wanted, top)
    if result.interrupted:
        missing = [mode for mode in modes_of(result.mode) if mode not in result.modes]
        errors.print(
            "the results are incomplete, because the probing was interrupted"
            + (f"; there are no results of these modes: {', '.join(missing)}" if missing else "")
        )
    if result.unfinished:
        errors.print(
            f"{result.unfinished} probed processes left no results, so their bytecodes are "
            "missing; either SIGKILL ended these processes, exec replaced them, or they are "
            "still running"
        )
    for process in result.refused:
        errors.print(f"process {process.pid} ran without the probe: {escape(process.refused)}")
