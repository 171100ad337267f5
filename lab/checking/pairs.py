"""Times two programs that do the same work, in pairs of executions.

The result is the ratio of the programs' CPU times, and whether the ratio is established to be
within a bound.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from checking.passes import ServerFailed, pass_cpu_ns
from checking.signed_ranks import Middle, middle
from checking.step import Counted, Output, Skipped, Step
from runfair.building.failure import BuildFailed, Unsupported
from runfair.catalogue.benchmark import Benchmark, benchmarks
from runfair.catalogue.runtime import variants
from runfair.errors import UserMistake
from runfair.experiment.by_hand import ProgramOptions, cell_by_hand, command_of
from runfair.experiment.program_executor import environment_of
from runfair.formats.plan import Cell
from runfair.formats.variant import Variant
from runfair.machine.processors import Assignment, assign

SIZE = "steady"
PAIRS = 8
EXECUTION_S = 2.0  # a JIT compiler finishes in the first half
ENDLESS = 1_000_000


@dataclass(frozen=True)
class Contest:
    """Two cells of the same variant. `first` is the program that is judged."""

    name: str
    first: Cell
    second: Cell


Contests = Callable[[Benchmark, Variant], Iterator[Contest]]


def contested(about: str, contests: Contests, bound: float) -> Iterator[Step]:
    """A step for each benchmark that has contests, with the default variant of each language."""
    for benchmark in benchmarks().values():
        yield _step(f"{about}: {benchmark.name}", benchmark, contests, bound)


def ratio(contest: Contest, pairs: int = PAIRS) -> Middle:
    """The CPU time of an iteration of the first program divided by that of the second."""
    assignment = assign(1)
    logs = []
    for pair in range(pairs):
        order = (contest.first, contest.second)
        mirrored = order if pair % 2 == 0 else order[::-1]
        cpu_ns = {cell.id: iteration_cpu_ns(cell, assignment) for cell in mirrored}
        logs.append(math.log(cpu_ns[contest.first.id] / cpu_ns[contest.second.id]))
    found = middle(logs)
    return Middle(math.exp(found.value), math.exp(found.low), math.exp(found.high))


def iteration_cpu_ns(cell: Cell, assignment: Assignment) -> float:
    """The median CPU time of an iteration in the second half of one execution. An iteration of a
    server is a pass of the load generator.
    """
    if cell.drive is not None:
        return pass_cpu_ns(cell, cell.drive, assignment, EXECUTION_S)
    asked = ProgramOptions(iterations=ENDLESS, seconds=EXECUTION_S)
    with tempfile.TemporaryDirectory() as samples:
        done = subprocess.run(
            command_of(cell, asked, Path(samples)),
            cwd=cell.artefact.directory,
            env=environment_of(cell.artefact),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            preexec_fn=lambda: os.sched_setaffinity(0, assignment.measured),
            check=True,
        )
    said = [json.loads(line) for line in done.stdout.splitlines()]
    times = [line["cpu_ns"] for line in said if line["event"] == "iteration"]
    return float(statistics.median(times[len(times) // 2 :]))


def judged(name: str, found: Middle, bound: float) -> Counted:
    """The outcome: failed if the ratio is established to be above the bound, skipped if it cannot
    be decided because of noise.
    """
    if found.high <= bound:
        return Counted(passed=1)
    if found.low > bound:
        return Counted(failed=1)
    noise = f"between {found.low:.3f} and {found.high:.3f}: the machine is too noisy"
    return Counted(skipped=(Skipped(name, f"{noise}; repeat it when nothing else runs"),))


def _step(name: str, benchmark: Benchmark, contests: Contests, bound: float) -> Step:
    def run(output: Output) -> Counted:
        counted = Counted()
        for variant in variants():
            if not variant.default or variant.state != "ready":
                continue
            try:
                for contest in contests(benchmark, variant):
                    found = ratio(contest)
                    interval = f"[{found.low:.3f}, {found.high:.3f}]"
                    print(
                        f"{contest.name:44} {found.value:.3f} {interval}", file=output, flush=True
                    )
                    counted += judged(f"{name}: {contest.name}", found, bound)
            except Unsupported as reason:
                counted += Counted(skipped=(Skipped(f"{name}: {variant.name}", str(reason)),))
            except (BuildFailed, ServerFailed, subprocess.CalledProcessError) as failure:
                print(f"{variant.name}: {failure}", file=output, flush=True)
                counted += Counted(failed=1)
        return counted

    return Step(name, run)


def cell_of(benchmark: Benchmark, variant: Variant, tier: str) -> Cell | None:
    """The cell of a tier's program, built as it is timed; None if there is no such program."""
    if benchmark.program(variant.language, tier) is None:
        return None
    try:
        return cell_by_hand(benchmark, variant, ProgramOptions(size=SIZE, tier=tier))
    except BuildFailed:
        raise
    except UserMistake as reason:
        raise Unsupported(str(reason)) from None
