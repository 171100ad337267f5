"""A program that a user starts by hand: its checked options, its command, and its output as it
arrives."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from runfair.building.artefact import build
from runfair.building.failure import Unsupported
from runfair.building.launch import contract_options
from runfair.catalogue.benchmark import Benchmark, unknown
from runfair.errors import InvalidResult, UserMistake
from runfair.experiment.program_executor import environment_of
from runfair.experiment.program_planning import training
from runfair.experiment.work import Crossing, Prepared, Work
from runfair.formats.distribution import samples_option
from runfair.formats.plan import Cell, Factors
from runfair.formats.transcript import ContractBroken, Transcript
from runfair.formats.variant import Variant
from runfair.paths import stated_path

READ_BYTES = 1 << 16
REFUSED = 2  # a program's exit status after a user's mistake (benchmarks/contract.md, "Options")


@dataclass(frozen=True)
class ProgramOptions:
    """The options of a program, as given on the command line. The values of `own` are unparsed
    text."""

    workload: str = "default"
    size: str = "small"
    tier: str = "standard"
    seed: int = 1
    threads: int = 1
    iterations: int = 1
    seconds: float | None = None
    count: bool = False
    lines: Path | None = None
    input: Path | None = None
    own: Mapping[str, str] = field(default_factory=dict)


def cell_by_hand(benchmark: Benchmark, variant: Variant, asked: ProgramOptions) -> Cell:
    """The cell of a program, with checked options; the program is built. Raises UserMistake if an
    option is wrong or the variant cannot run the program."""
    (workload,) = benchmark.resolve_workloads([asked.workload])
    own = benchmark.read_parameters(asked.own)
    benchmark.parameters(asked.size, own)  # mistakes are found before anything is built
    program = benchmark.program(variant.language, asked.tier)
    if program is None:
        tiers = [one.tier for one in benchmark.programs if one.language == variant.language]
        raise unknown("tier", asked.tier, tiers, f" of {benchmark.name} in {variant.language}")
    if not program.has(workload):
        raise UserMistake(f"{program.name} has no workload {workload}: {program.absent[workload]}")
    work = Work(
        *(benchmark, workload, asked.size, asked.seed, variant, program),
        own_input=None if asked.input is None else stated_path(asked.input),
        own_parameters=own,
    )
    try:
        artefact = build(variant, program, training(benchmark), counted=asked.count)
    except Unsupported as error:
        raise UserMistake(
            f"{variant.name} cannot run {program.name}, because {error.reason}"
        ) from None
    crossing = Crossing("cold", asked.threads, Factors(processors=asked.threads))
    return work.cell(crossing, Prepared(artefact, work.inputs()))


def command_of(cell: Cell, asked: ProgramOptions, samples: Path) -> list[str]:
    """The whole command, as the lab would start it. `samples` is the folder for the program's
    recorders."""
    command = [*cell.artefact.command, *contract_options(cell), f"iterations={asked.iterations}"]
    command += [] if asked.seconds is None else [f"seconds={asked.seconds:g}"]
    command += ["count=1"] if asked.count else []
    command += samples_option(cell.distributions, samples)
    command += [] if asked.lines is None else [f"lines={asked.lines.resolve()}"]
    return command


def carried_out(cell: Cell, command: Sequence[str]) -> Iterator[Transcript]:
    """Start the program, and yield its whole output so far whenever there is new output.

    The program's standard error goes to the terminal. Raises UserMistake if the program refuses its
    input; the program itself prints the reason. Raises InvalidResult if the program's exit status
    or output breaks the contract.
    """
    transcript = Transcript(cell.distributions)
    with subprocess.Popen(
        list(command),
        cwd=cell.artefact.directory,
        env=environment_of(cell.artefact),
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        try:
            while data := process.stdout.read1(READ_BYTES):  # type: ignore[attr-defined]
                transcript.feed(data)
                yield transcript
            status = process.wait()
            if status == 0:
                transcript.finish()
        except KeyboardInterrupt:
            # Ctrl-C reaches the program too, but another signal to runfair does not.
            process.kill()
            process.wait()
            raise
        except ContractBroken as error:
            process.kill()
            raise InvalidResult(f"{cell.program}: {error}") from None
    if status == REFUSED:
        raise UserMistake(f"{cell.program} refused its input; the line above gives the reason")
    if status != 0:
        raise InvalidResult(f"{cell.program} ended with status {status}")


def carry_out(cell: Cell, command: Sequence[str]) -> None:
    """Run the program under a probe to its end. Raises InvalidResult also if the program gives a
    wrong answer.
    """
    digest = None
    for transcript in carried_out(cell, command):
        digest = transcript.digest
    if cell.digest is not None and digest != cell.digest:
        raise InvalidResult(
            f"the probe's results are not valid, because {cell.benchmark} gave a wrong answer "
            "under the probe"
        )
