"""Whether the probe's in-flow costs predict what more copies of a bytecode cost.

    PYTHONPATH=lab python lab/benchmarks/probe_prediction.py [--rounds N] [--top N] [RUNTIME…]

For each interpreter (CPython, `java -Xint`, Ignition alone), takes the commonest bytecodes of the
benchmarks `sudoku` and `log-indexed`. For each of them, writes a loop with 20 copies of a statement
that executes the bytecode once, and a loop with 40 copies. The probe's counts must show exactly 20
more executions of the bytecode in each iteration. Among all statements, the one with the fewest
other bytecodes is taken.

A round runs the shorter loop under the probe (mode `mark`), and both loops without the probe. The
prediction multiplies each added bytecode by its in-flow cost in the probed shorter loop. The actual
cost is the difference in CPU time between the two loops.

Prints the predicted and the actual CPU time of a copy, and the error, each with its 95% interval
over rounds. A copy is the bytecode with its partners: for example, a bytecode that pushes a value
needs one that removes it. Goals: the median error is at most 10%, and the largest at most 25%.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from benchmarks.bytecode_loops.added import CountedLoop, added, best
from benchmarks.bytecode_loops.java import JAVA
from benchmarks.bytecode_loops.javascript import JAVASCRIPT
from benchmarks.bytecode_loops.loop import Language, Loop
from benchmarks.bytecode_loops.prediction import (
    MEDIAN_GOAL,
    WORST_GOAL,
    LoopCosts,
    Prediction,
    median_distance,
    predicted_ns,
    prediction,
    worst_distance,
)
from benchmarks.bytecode_loops.python import PYTHON
from benchmarks.interpreters import Interpreter, interpreters
from benchmarks.measured_process import Ended, run
from benchmarks.paired_rounds import outcome, rounds
from checking.signed_ranks import Middle
from runfair.catalogue.benchmark import benchmarks
from runfair.experiment.by_hand import ProgramOptions
from runfair.experiment.program_executor import environment_of
from runfair.formats.probe import Mode, ProbedProcess

LANGUAGES = {"cpython": PYTHON, "hotspot": JAVA, "node": JAVASCRIPT}
BENCHMARKS = ("sudoku", "log-indexed")
COPIES = MORE_COPIES = 20
ROUNDS, TOP = 20, 10
EXECUTION_NS = 1e9
# Iterations of the counted executions. After the first ones, the loop's bytecodes are specialised.
SHORT, LONGER = 10_000, 50_000
PROBED, FEW, MANY = "probed", "few", "many"


@dataclass(frozen=True)
class Pair:
    """The two loops with a statement, and the bytecodes that the longer loop adds."""

    few: Loop
    many: Loop
    added: Mapping[str, int]


@dataclass(frozen=True)
class Loops:
    """The loops in an interpreter's language, written to `folder`."""

    interpreter: Interpreter
    folder: Path

    @property
    def language(self) -> Language:
        return LANGUAGES[self.interpreter.runtime]

    def run(self, loop: Loop, iterations: int, mode: Mode | None = None) -> Ended:
        arguments = self.language.arguments(self.folder, loop)
        command = [*self.interpreter.start, *arguments, str(iterations)]
        environment = {"PATH": os.environ["PATH"]}
        return run(command, environment, mode)

    def pairs(self) -> list[Pair]:
        """The pairs of loops for all statements that add whole numbers of bytecodes."""
        made = [
            (
                Loop(f"Few{number}", statement, COPIES),
                Loop(f"Many{number}", statement, COPIES + MORE_COPIES),
            )
            for number, statement in enumerate(self.language.statements)
        ]
        self.language.write(self.folder, [loop for pair in made for loop in pair])
        found = []
        for few, many in made:
            more = added(self._counted(few), self._counted(many))
            if more is not None:
                found.append(Pair(few, many, more))
        return found

    def _counted(self, loop: Loop) -> CountedLoop:
        short, long = (
            executions(self.run(loop, iterations, "count").probed)
            for iterations in (SHORT, SHORT + LONGER)
        )
        return CountedLoop(short, long, LONGER)

    def costs(self, pair: Pair, number: int, execution_ns: float) -> list[LoopCosts]:
        """The costs of each round."""
        iterations = self._iterations(pair.few, execution_ns)

        def measure(subject: str) -> float:
            if subject == PROBED:
                return predicted_ns(pair.added, self.run(pair.few, iterations, "mark").probed)
            loop = pair.few if subject == FEW else pair.many
            return self.run(loop, iterations).cpu_ns / iterations

        return [
            LoopCosts(one[PROBED], one[MANY] - one[FEW])
            for one in rounds([PROBED, FEW, MANY], measure, number)
        ]

    def _iterations(self, loop: Loop, execution_ns: float) -> int:
        """The number of iterations that takes about `execution_ns`."""
        start_ns, start_and_loop_ns = (
            self.run(loop, iterations).cpu_ns for iterations in (1, LONGER)
        )
        each_ns = max((start_and_loop_ns - start_ns) / LONGER, 1.0)
        return max(LONGER, ceil(execution_ns / each_ns))


def executions(processes: Sequence[ProbedProcess]) -> Counter[str]:
    """The number of executions of each bytecode, in all processes."""
    found: Counter[str] = Counter()
    for process in processes:
        found.update({one.name: one.executions for one in process.bytecodes})
    return found


def commonest(interpreter: Interpreter, size: str, number: int) -> list[str]:
    """The bytecodes with the most executions in the benchmarks."""
    found: Counter[str] = Counter()
    asked = ProgramOptions(size=size)
    for name in BENCHMARKS:
        cell = interpreter.cell(benchmarks()[name], asked)
        with tempfile.TemporaryDirectory() as samples:
            command = interpreter.command(cell, asked, Path(samples))
            directory = cell.artefact.directory
            ended = run(command, environment_of(cell.artefact), "count", directory)
        found += executions(ended.probed)
    return [bytecode for bytecode, _ in found.most_common(number)]


def row(pair: Pair, found: Prediction) -> str:
    partners = " ".join(
        name if number == 1 else f"{number:g} {name}" for name, number in found.partners.items()
    )
    cells = (
        found.bytecode,
        partners,
        f"`{pair.few.statement.text}`".replace("|", "\\|").replace("\n", " "),
        _interval(found.predicted_ns, "{:.2f}"),
        _interval(found.actual_ns, "{:.2f}"),
        _interval(found.error, "{:+.1%}"),
    )
    return f"| {' | '.join(cells)} |"


def _interval(found: Middle, form: str) -> str:
    value, low, high = (form.format(each) for each in (found.value, found.low, found.high))
    return f"{value} [{low}, {high}]"


def conclusion(found: Sequence[Prediction], missing: Sequence[str]) -> str:
    """Whether the goals are met. Bytecodes without a prediction do not meet them."""
    lines = []
    if found:
        for name, distance, goal in (
            ("median", median_distance(found), MEDIAN_GOAL),
            ("largest", worst_distance(found), WORST_GOAL),
        ):
            met = "missed" if missing else outcome(distance, goal)
            lines.append(f"{name} error {_interval(distance, '{:.1%}')}, goal {goal:.0%}: {met}")
    if missing:
        lines.append(f"no prediction: {', '.join(missing)}")
    return "\n".join(lines)


def measure_interpreter(interpreter: Interpreter, given: argparse.Namespace) -> None:
    print(
        f"\n{interpreter.name}\n\n| bytecode | partners | statement | predicted ns | actual ns "
        "| error |\n|---|---|---|---|---|---|",
        flush=True,
    )
    wanted = commonest(interpreter, given.size, given.top)
    found, missing = [], []
    with tempfile.TemporaryDirectory(prefix="runfair-loops-") as name:
        loops = Loops(interpreter, Path(name))
        pairs = loops.pairs()
        for bytecode in wanted:
            at = best(bytecode, MORE_COPIES, [pair.added for pair in pairs])
            if at is None:
                missing.append(f"{bytecode} (no statement executes it exactly once)")
                continue
            costs = loops.costs(pairs[at], given.rounds, given.seconds * 1e9)
            predicted = prediction(bytecode, pairs[at].added, costs)
            if predicted is None:
                missing.append(f"{bytecode} (too few rounds, or no measurable cost)")
                continue
            found.append(predicted)
            print(row(pairs[at], predicted), flush=True)
    print(f"\n{conclusion(found, missing)}", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="How well in-flow costs predict more copies.")
    parser.add_argument("runtimes", nargs="*", help="variants; without names, the default ones")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--top", type=int, default=TOP, help="how many bytecodes")
    parser.add_argument("--seconds", type=float, default=EXECUTION_NS / 1e9)
    parser.add_argument("--size", default="steady", help="of the benchmarks that are counted")
    given = parser.parse_args(arguments)
    for interpreter in interpreters(given.runtimes):
        measure_interpreter(interpreter, given)


if __name__ == "__main__":
    main()
