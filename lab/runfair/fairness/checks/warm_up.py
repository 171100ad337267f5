"""Steady times come from a steady state, and cold times come from a newly started process.

**Looks for** executions that should have become steady but never did, or that had too few
iterations to show whether they became steady. The check also looks for programs whose executions
became steady in different ways, for example some after a warm-up and others after a slowdown. In
mode `cold`, each execution must be a new process with a single iteration. The check looks for
executions in mode `cold` with more than one iteration.

To find the steady state, runfair compares the CPU times of an execution's iterations, or their wall
times if the CPU clock is too coarse. For a service, runfair compares the median latencies of
successive parts of the load (windows).

Before and after each execution, runfair also measures the time of a loop of constant work, the
reference loop. The time of the reference loop changes only if the speed of the machine changes. If
an execution never became steady, the check compares the change of the loop's time with the change
of the execution's own times. If the loop's time changed by at least half as much as the execution's
times, the check names the machine as the cause. If the loop's time changed by less than half as
much as the execution's times, the check names the program as the probable cause, and states both
changes.

The check examines the tail of a service's latencies separately. The tail consists of the slowest
requests, for example of the requests above p99 if the service's objective is `p99 < 25 ms`. For
this objective, the check takes three latencies as thresholds: the p99, the p99.5 and the p99.75.
The check divides each load into twenty parts. For each part, the check counts the requests above
each threshold, and adds up these counts over all executions. The tail changes at a part of the load
if, from this part on, the counts of slow requests are permanently higher, or permanently lower,
than before. The steady part of the tail begins after the last large change of the tail.

**Threshold** In two cases it is unknown whether an execution became steady. First, the execution
may have too few iterations. Second, its iteration times may be so noisy that a sudden change of
more than 10% in the middle of the execution would not show. The finding then states the largest
change that the noise could hide.

If an execution never became steady, or if this is unknown, the true value of the execution lies
between two limits: the lowest and the highest level in the last half of the execution. (A level is
the typical time in a part of the execution in which the times do not change.) If the last half has
a single level, the check uses the levels of the third and of the fourth quarter of the execution.
These limits apply to times, to latencies, and to a service's CPU time per request.

If most executions were still becoming faster at their end, the measured value has no lower limit.
If most executions were still becoming slower, the measured value has no upper limit. A stricter
rule holds if noise could hide a change of a program's times: the lower limit is missing only if all
executions became faster, and the upper limit is missing only if all executions became slower.

If the tail of the latencies (the slowest requests) still changed in the last quarter of the load,
the tail would perhaps have changed further in a longer load. So the objective's percentile (such as
p99) and each higher percentile have only one limit. If the slowest requests were becoming faster,
the measured percentile is an upper limit of the true percentile. If the slowest requests were
becoming slower, the measured percentile is a lower limit of the true percentile.

If some executions were steady from the beginning and the others after a warm-up, the check only
notes this difference, because it is harmless. If some executions became slower before they were
steady and others did not, the times of the program are flagged (marked as doubtful). In mode `cold`
(a new process for each iteration), an execution with more than one iteration mixes cold and warm
times. If a program has such an execution, all its measured values in mode `cold` are void
(invalid).

**Source** Barrett et al., "Virtual Machine Warmup Blows Hot and Cold" (OOPSLA 2017), define the
classes `flat`, `warmup`, `slowdown` and `no steady state`. Barrett et al. also distinguish harmless
differences between executions from harmful differences. In the data of Traini et al. (EMSE 2022),
10.9% of the executions were never steady. In 43.5% of the benchmarks in these data, some executions
became steady and others did not. The section "Services" of docs/statistics.md describes how the
check examines tails.

**What to do** Choose a profile with longer measurements. To find the cause, look at the runtime's
compilations and garbage collections.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from runfair.evidence.cell import CellEvidence, ExecutionEvidence
from runfair.evidence.machine_level import MachineLevel, spread, wandering
from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import FIGURES, LATENCIES, PERCENTILES, SAMPLED, TIMES, those_of
from runfair.formats.finding import FigureName, Finding, Severity
from runfair.formats.service import SHARES
from runfair.statistics.steady_state import HARMLESS, Classification

NAME = "warm_up"
DOUBT = "not steady"
VERSION = 11
NEVER: Classification = "no steady state"
UNTOLD: Classification = "too short"
STEADY = (*TIMES, "idle", *LATENCIES, *SAMPLED)


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.cells:
        if one.cell.mode == "cold":
            yield from _cold(one)
        elif one.completed:
            yield from _steady(one, run.level)
            yield from _tail(one)


def _cold(one: CellEvidence) -> Iterator[Finding]:
    mixed = sum(1 for execution in one.completed if execution.record.iterations != 1)
    if mixed:
        yield Finding(
            check=NAME,
            severity="fault",
            cell=one.cell.id,
            figures=[*FIGURES],
            text=(
                f"a cold execution must have exactly one iteration, but {mixed} of "
                f"{len(one.completed)} cold executions had none or several"
            ),
            advice="measure cold and steady executions separately",
        )


def _steady(one: CellEvidence, level: MachineLevel) -> Iterator[Finding]:
    count = len(one.completed)
    seen = Counter(
        UNTOLD if execution.steady is None else execution.steady.classification
        for execution in one.completed
    )
    if never := seen[NEVER]:
        text = f"{never} of {count} executions never became steady{_whose(one, level)}"
        if never < count:
            found = [_finding(one, "warning", text)]
        elif one.cell.mode == "service":
            # The detector examined latency, which other processes disturb far more than CPU time.
            found = [
                _finding(one, "fault", text, LATENCIES),
                _finding(one, "warning", text, ("cpu",)),
            ]
        else:
            found = [_finding(one, "fault", text)]
        for each in found:
            yield each.model_copy(update={"effect": "either", "values": {"executions": never}})
    if seen[UNTOLD]:
        finding = _finding(
            one,
            "warning",
            f"it is unknown whether {seen[UNTOLD]} of {count} executions became steady, because "
            f"there are {_too_few(one)}",
        )
        # The halves of a load or of a program's iterations give limits; a few iterations do not.
        limited = one.cell.mode == "service" or len(_hidden(one)) == seen[UNTOLD]
        effect = "either" if limited else None
        values = {"executions": seen[UNTOLD]}
        yield finding.model_copy(update={"effect": effect, "values": values})
    settled = {kind for kind in seen if kind not in (NEVER, UNTOLD)}
    if len(settled) > 1:
        yield _finding(
            one,
            "limitation" if settled <= HARMLESS else "warning",
            "executions became steady in different ways: "
            + ", ".join(f"{seen[kind]} {kind}" for kind in sorted(settled)),
        )


def _whose(one: CellEvidence, level: MachineLevel) -> str:
    """The text that says whether the machine's speed or the program itself changed in executions
    that never became steady. The text is empty if the reference loop cannot show this."""
    changes = {
        execution.record.id: _change(execution)
        for execution in one.completed
        if execution.steady is not None and execution.steady.classification == NEVER
    }
    moved = {
        execution.record.id: found
        for execution in one.completed
        if (change := changes.get(execution.record.id)) is not None
        and (found := level.moved(execution.record, execution.series or "wall", change))
    }
    if not moved:
        return ""
    with_it = [each for each in moved.values() if each.explains]
    if not with_it:
        return (
            f"; in {len(moved)} of these executions, the program itself probably became "
            "faster or slower: its times changed by up to "
            f"{max(changes[name] for name in moved):.0%}, but the times of runfair's "
            "reference loop (constant work) changed only by up to "
            f"{max(each.by for each in moved.values()):.1%}"
        )
    return (
        f"; in {len(with_it)} of these executions, the machine's speed changed: the times "
        "of runfair's reference loop (constant work) changed too, by up to "
        f"{max(each.by for each in with_it):.1%}"
    )


def _change(execution: ExecutionEvidence) -> float:
    """The share by which an execution's level changed over its last half."""
    times_ns = execution.cpu_ns if execution.series == "cpu" else execution.wall_ns
    if len(times_ns):
        return wandering(times_ns[len(times_ns) // 2 :])
    segments = execution.steady.segments if execution.steady is not None else ()
    levels = [each.median_ns for each in segments if 2 * each.end > segments[-1].end]
    return spread(levels)


def _tail(one: CellEvidence) -> Iterator[Finding]:
    tail = one.tail
    if tail.changing is None:
        return
    falls = tail.changing == "falls"
    above = [name for name in PERCENTILES if SHARES[name] >= SHARES[tail.percentile]]
    finding = _finding(
        one,
        "fault",
        (
            "the service was not steady: its slowest latencies still "
            f"{'fell' if falls else 'rose'} in the last quarter of the load"
        ),
        (*above, "max"),
    )
    yield finding.model_copy(update={"effect": "longer" if falls else "shorter"})


def _too_few(one: CellEvidence) -> str:
    few = "too few requests" if one.cell.mode == "service" else "too few iterations"
    hidden = _hidden(one)
    if not hidden:
        return few
    return f"{few}, and the noise of their times could hide a change of {max(hidden):.0%}"


def _hidden(one: CellEvidence) -> list[float]:
    """The largest changes, as fractions, that noise could hide in executions that are too short."""
    return [
        execution.steady.hidden_change
        for execution in one.completed
        if execution.steady is not None and execution.steady.hidden_change is not None
    ]


def _finding(
    one: CellEvidence, severity: Severity, text: str, figures: Sequence[FigureName] = STEADY
) -> Finding:
    return Finding(
        check=NAME,
        severity=severity,
        cell=one.cell.id,
        figures=those_of(one.cell, figures),
        text=text,
        advice="measure again with a longer profile (`--profile`)",
        effect="either" if severity == "fault" else None,
    )
