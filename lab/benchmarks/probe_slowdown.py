"""What the probe costs the probed program, in each mode: CPU time, in paired rounds.

    PYTHONPATH=lab python lab/benchmarks/probe_slowdown.py [--rounds N] [--modes M…] [RUNTIME…]

Measures the benchmarks `sudoku` and `log-indexed` in the interpreters of CPython, HotSpot
(`java -Xint`) and V8 (Ignition alone). A round runs a program once in each mode and twice without
the probe. The second run without the probe is the control: its ratio shows the error of the
measurement. All answers are verified.

Prints a table in Markdown. The slow-down is the CPU time of the program's iterations under the
probe, divided by the CPU time without the probe: the typical ratio with its 95% interval over
rounds (Hodges and Lehmann's estimate, Wilcoxon's signed ranks). The first iteration is left out.
The column `at start and end` has the additional CPU time outside the iterations, in milliseconds.
A goal is `met` if the whole interval lies below it, and `missed` if the interval lies above it.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from benchmarks.interpreters import Interpreter, interpreters
from benchmarks.measured_process import run
from benchmarks.paired_rounds import Ratio, outcome, rounds
from runfair.catalogue.benchmark import benchmarks
from runfair.experiment.by_hand import ProgramOptions
from runfair.experiment.program_executor import environment_of
from runfair.formats.plan import Cell
from runfair.formats.probe import Mode
from runfair.formats.transcript import Transcript
from runfair.probing.adapter import EVERY_MODE

BENCHMARKS = ("sudoku", "log-indexed")
ROUNDS = 20
EXECUTION_NS = 2e9
SHORTEST_NS = 1e6  # a clock may show less for an iteration
PLAIN, CONTROL = "plain", "control: no probe"
GOALS: Mapping[str, Mapping[str, float]] = {
    "cpython": {"count": 1.10, "mark": 1.10, "latency": 1.25},
    "hotspot": {"count": 1.15, "mark": 1.15, "latency": 1.3},
    "node": {"count": 1.4, "mark": 1.4, "latency": 1.6},
}
HEAD = (
    "| interpreter | benchmark | mode | slow-down | goal | met | rounds within the goal "
    "| at start and end |\n|---|---|---|---|---|---|---|---|"
)


@dataclass(frozen=True)
class Cost:
    """The CPU time of one execution, in nanoseconds: of its iterations without the first, and of
    everything outside the iterations."""

    iterations_ns: int
    outside_ns: int


@dataclass(frozen=True)
class Slowdown:
    """The slow-down in one mode, and the goal for it, if there is one."""

    mode: str
    ratio: Ratio
    outside_ns: float
    goal: float | None


@dataclass(frozen=True)
class Program:
    """A benchmark's program in an interpreter."""

    interpreter: Interpreter
    cell: Cell
    iterations: int

    def cost(self, mode: Mode | None) -> Cost:
        """Runs the program. Ends this command with the reason if the answer is wrong."""
        asked = ProgramOptions(iterations=self.iterations)
        with tempfile.TemporaryDirectory() as samples:
            ended = run(
                self.interpreter.command(self.cell, asked, Path(samples)),
                environment_of(self.cell.artefact),
                mode,
                self.cell.artefact.directory,
            )
        transcript = Transcript(self.cell.distributions)
        transcript.feed(ended.output)
        transcript.finish()
        if self.cell.digest is not None and transcript.digest != self.cell.digest:
            raise SystemExit(f"{self.cell.program} gives a wrong answer in the mode {mode}")
        first_ns, *others_ns = transcript.cpu_ns
        return Cost(sum(others_ns), ended.cpu_ns - first_ns - sum(others_ns))

    def costs(self, modes: Mapping[str, Mode | None], number: int) -> list[dict[str, Cost]]:
        """The costs in each round, by the names of the modes."""
        return list(rounds(list(modes), lambda name: self.cost(modes[name]), number))

    def lasting(self, execution_ns: float) -> Program:
        """The program with as many iterations as take `execution_ns`, but at least two."""
        once_ns = Program(self.interpreter, self.cell, iterations=2).cost(None).iterations_ns
        iterations = 1 + max(1, ceil(execution_ns / max(once_ns, SHORTEST_NS)))
        return Program(self.interpreter, self.cell, iterations)


def slowdowns(measured: Sequence[Mapping[str, Cost]], goals: Mapping[str, float]) -> list[Slowdown]:
    """The slow-down in each mode, computed from the rounds."""
    plain = [one[PLAIN] for one in measured]
    found = []
    for mode in measured[0]:
        if mode != PLAIN:
            own = [one[mode] for one in measured]
            ratio = Ratio.of(
                [cost.iterations_ns for cost in own], [cost.iterations_ns for cost in plain]
            )
            outside_ns = statistics.median(
                one.outside_ns - other.outside_ns for one, other in zip(own, plain, strict=True)
            )
            found.append(Slowdown(mode, ratio, outside_ns, goals.get(mode)))
    order = [CONTROL, *EVERY_MODE]
    return sorted(found, key=lambda one: order.index(one.mode))


def row(interpreter: str, benchmark: str, found: Slowdown) -> str:
    """A row of the table."""
    typical, each = found.ratio.typical, found.ratio.each
    value = (
        f"{typical.value:.3f} [{typical.low:.3f}, {typical.high:.3f}]"
        if typical
        else f"{statistics.median(each):.3f}"
    )
    goal, met, within = "", "", ""
    if found.goal is not None:
        goal, met = f"{found.goal:.2f}", outcome(typical, found.goal)
        within = f"{found.ratio.within(found.goal)} of {len(each)}"
    cells = (interpreter, benchmark, found.mode, value, goal, met, within)
    return f"| {' | '.join(cells)} | {found.outside_ns / 1e6:+.0f} ms |"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="What the probe costs the probed program.")
    parser.add_argument("runtimes", nargs="*", help="variants; without names, the default ones")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--modes", nargs="+", choices=EVERY_MODE, default=EVERY_MODE)
    parser.add_argument("--benchmarks", nargs="+", default=BENCHMARKS)
    parser.add_argument("--size", default="steady")
    parser.add_argument("--seconds", type=float, default=EXECUTION_NS / 1e9)
    given = parser.parse_args(arguments)
    modes: dict[str, Mode | None] = {PLAIN: None, CONTROL: None}
    modes.update((mode, mode) for mode in given.modes)
    print(HEAD, flush=True)
    for interpreter in interpreters(given.runtimes):
        for name in given.benchmarks:
            cell = interpreter.cell(benchmarks()[name], ProgramOptions(size=given.size))
            program = Program(interpreter, cell, iterations=2).lasting(given.seconds * 1e9)
            for found in slowdowns(program.costs(modes, given.rounds), GOALS[interpreter.runtime]):
                print(row(interpreter.name, name, found), flush=True)


if __name__ == "__main__":
    main()
