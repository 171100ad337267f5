"""The measured time is long enough for the claimed work.

**Looks for** signs that a compiler removed work whose result the program does not use (dead code).
One sign is a program that reports more operations per nanosecond of CPU time than hardware can do.
If a program was measured at several sizes, another sign is a CPU time that does not grow with the
number of operations.

**Threshold** If a program did more than `MOST_OPERATIONS_PER_NS` operations per nanosecond, all its
measured values are void (invalid). Before the check computes this rate, it adds the largest
possible error of the CPU clock to the CPU time, so a coarse clock causes no false alarm.

The check also compares two sizes of the input, if the larger input needs at least `LEAST_GROWTH`
times as many operations as the smaller input. If the number of operations grows by a factor g, the
CPU time must grow by a factor of at least the fourth root of g (`LEAST_EXPONENT`). For example, 16
times as many operations must take at least twice the CPU time. If the CPU time grows by less, all
measured values of the program at both sizes are void. Inputs for which the experiment states
different parameters (`params`) are not compared, because a parameter may change the kind of work.

The check reads the number of operations from the canonical answer (the answer that is recorded as
right). If the canonical answer contains no operation counts, the check notes that it cannot decide.

**Source** The section "Fairness" of docs/statistics.md describes dead code. Eight operations per
nanosecond are two operations per processor cycle at 4 GHz. Hardware cannot reach this rate, because
a counted operation, such as a swap or a comparison of strings, needs several instructions. Because
of caches and fixed costs, an honest program's CPU time may grow by a smaller factor than its number
of operations. So the check requires only that the CPU time grows by the fourth root of the growth
of the operations.

**What to do** Find out which work the compiler removed, by reading the generated code. Include
every result of the program in its digest (the checksum of its answer).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import sqrt
from statistics import median

from runfair.evidence.cell import CellEvidence, ExecutionEvidence
from runfair.evidence.run import Group, RunEvidence
from runfair.fairness.figures import FIGURES
from runfair.formats.finding import Finding, Severity
from runfair.formats.plan import Cell
from runfair.formats.record import Scalar
from runfair.statistics.blocks import mean

NAME = "dead_code"
DOUBT = "dead code"
VERSION = 1
MOST_OPERATIONS_PER_NS = 8.0
LEAST_GROWTH = 4.0
LEAST_EXPONENT = 0.25


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.programs:
        if one.completed:
            yield from _rate(one)
    for cells in run.groups(_program, run.programs):
        for pair in combinations(cells, 2):
            yield from _growth(*pair)


def _program(cell: Cell) -> Group:
    """The fields of a cell that identify a program and do not depend on the size."""
    work = (cell.benchmark, cell.workload, cell.own, cell.tier, cell.mode, cell.threads)
    return (*work, cell.variant, cell.language, cell.factors)


def _rate(one: CellEvidence) -> Iterator[Finding]:
    operations = _operations(one)
    times_ns = [time for run in one.completed if (time := _longest_iteration_ns(run)) is not None]
    if operations is None or not times_ns:
        yield _finding(
            one,
            "limitation",
            (
                "it is unknown whether the program did all of its work, because the number of "
                "its operations or the resolution of its clock is unknown"
            ),
        )
        return
    rate = operations / median(times_ns)
    if rate > MOST_OPERATIONS_PER_NS:
        yield _finding(
            one,
            "fault",
            (
                f"the program reports {rate:.1f} operations per nanosecond, which is more "
                "than a processor can execute, so it probably skipped work"
            ),
            {"operations_per_ns": rate},
        )


def _growth(one: CellEvidence, other: CellEvidence) -> Iterator[Finding]:
    if one.cell.mode != "steady":
        return
    small, large = sorted((one, other), key=lambda cell: _operations(cell) or 0)
    few, many = _operations(small), _operations(large)
    least_ns, most_ns = _mean_ns(small), _mean_ns(large)
    if not few or not many or not least_ns or most_ns is None:
        return
    work, time = many / few, most_ns / least_ns
    if work >= LEAST_GROWTH and time < work**LEAST_EXPONENT:
        for cell in (small, large):
            yield _finding(
                cell,
                "fault",
                f"the program probably skipped work: the size {large.cell.size} has "
                f"{work:.1f} times the work of the size {small.cell.size}, but took only "
                f"{time:.2f} times the CPU time",
                {"work_growth": work, "time_growth": time},
            )


def _operations(one: CellEvidence) -> int | None:
    return None if one.cell.operations is None else sum(one.cell.operations.values())


def _longest_iteration_ns(run: ExecutionEvidence) -> float | None:
    """The greatest mean CPU time of an iteration that the clock's resolution allows. None if there
    were no iterations, or if the program does not report the resolution."""
    part_ns, resolution_ns = run.cpu_ns[run.steady_part], run.cpu_resolution_ns
    if len(part_ns) == 0 or resolution_ns is None:
        return None
    return mean(part_ns) + resolution_ns / sqrt(len(part_ns))


def _mean_ns(one: CellEvidence) -> float | None:
    means = [mean(run.cpu_ns[run.steady_part]) for run in one.completed if len(run.cpu_ns)]
    return median(means) if means else None


def _finding(
    one: CellEvidence, severity: Severity, text: str, values: dict[str, Scalar] | None = None
) -> Finding:
    return Finding(
        check=NAME,
        severity=severity,
        cell=one.cell.id,
        figures=[*FIGURES],
        text=text,
        advice=""
        if severity == "limitation"
        else (
            "look in the generated code for work that the compiler removed, and include every "
            "result in the digest"
        ),
        values=values or {},
    )
