"""No other process used the processors of a program while it ran.

**Looks for** three signs that a program did not have its processors for itself:

- Foreign time is CPU time that other processes used on the processors of a measured program. If
  runfair has no processor of its own, the CPU time that runfair uses while the program runs is
  foreign time too. The check sums the foreign time over all executions of the program, and divides
  the sum by the processors' time. The processors' time is the wall time of the executions,
  multiplied by the number of processors on which the program could run. If a service runs on
  several hosts, the check examines each host by itself.
- Steal time is CPU time that a hypervisor gave to other virtual machines.
- Run-queue delay is the time for which a program was ready to run but had to wait for a processor.
  The check examines the run-queue delay, as a share of the wall time, only for programs with one
  thread in C, C++, Rust and Python. A CPU quota also makes a program wait, so the check ignores the
  delay if the experiment states a CPU quota, or if a CPU quota throttled the execution.

**Threshold** Other processes make times longer, never shorter. If other processes used more than
`FLAGGED_SHARE` of the processors' time, wall time is flagged (marked as doubtful). If other
processes used more than `VOID_SHARE` of the processors' time, the measured wall time is only an
upper limit of the true wall time. CPU time is then flagged too, because the other processes shared
caches and clock frequency with the program. The two limits `FLAGGED_SHARE` and `VOID_SHARE` also
apply to the run-queue delay as a share of the wall time. If steal time is more than `FLAGGED_STEAL`
of the processors' time, wall time is flagged.

Another rule holds for a program that starts threads or processes itself, if runfair cannot make a
cgroup. The measured foreign time then contains the last microseconds of each of the program's own
threads (see `uncounted_time`). So if the foreign time of such a program is above `FLAGGED_SHARE`,
only wall time is flagged. The limit `VOID_SHARE` does not apply to such a program.

In this check, latencies and start-up times count as wall times.

Wall time and the start-up time of a new process also get a lower limit, which runfair computes from
the lost time of the execution. The lost time is the CPU time that other processes used on the
execution's processors, plus the steal time. For some programs, only other processes can cause the
run-queue delay. The lost time of such a program is the smaller of two times (the run-queue delay,
and the CPU time of the other processes), plus the steal time. In mode `cold` (a new process for
each iteration), the lower limit is at least the measured time minus the lost time. In mode
`steady`, the lower limit is at least the smallest median that is possible if all iterations
together lost no more than the lost time.

The lower limit of a latency is the latency minus the lost time of the whole execution. runfair
subtracts the whole lost time from each latency, because several requests may have waited for the
same CPU time of another process. A latency that is not longer than the lost time gets no lower
limit.

Some kernels count the time of other processes in ticks of `TICK_NS`. The counted time may then be
too long by one tick for each execution, so the check subtracts one tick for each execution. If the
subtracted ticks are more than `FLAGGED_SHARE` of the processors' time, the check examines whole
blocks instead of single executions, and subtracts only one tick for each block and processor. (A
block contains executions of all compared programs, and lasts from the start of its first execution
to the end of its last execution.) All kernels count steal time in ticks, so the check subtracts
ticks from steal time too.

The time of other processes is unknown if the kernel does not report it. The time of other processes
is also unknown if even whole blocks are so short that one kernel tick (10 ms) is more than
`FLAGGED_SHARE` of the time of a block. In both cases, the check judges the run-queue delay instead
(the time for which the program was ready to run but had to wait for a processor). If the run-queue
delay is unknown for any execution, or if runfair did not start the service itself, wall time is
flagged, because nothing shows that the program was undisturbed.

**Source** The section "A noisy machine" of docs/statistics.md proposes the limits of 1% and 5%. The
same section shows that steal time alone does not reveal all disturbances: on one machine with a
steal time of 0.16%, a loop took up to 23 times as long as in its fastest run.

**What to do** Make the machine quieter with the commands that `./runfair calibrate` prints, or use
CPU time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from runfair.evidence.cell import CellEvidence, ExecutionEvidence
from runfair.evidence.loss import TICK_NS, WholeBlocks, delay_ns, waits_for_others_only
from runfair.evidence.run import RunEvidence
from runfair.fairness.findings import disturbance, grade, on_each_host, shares_processors
from runfair.formats.finding import Finding

NAME = "foreign_time"
DOUBT = "other processes"
VERSION = 9
FLAGGED_SHARE = 0.01
VOID_SHARE = 0.05
FLAGGED_STEAL = 0.01


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.external:
        if one.completed:
            found = disturbance(
                NAME,
                one,
                "warning",
                "it is unknown whether other processes used the processors of the external "
                "service (a service that runfair did not start)",
            )
            # No quieter machine removes this doubt.
            yield found.model_copy(update={"advice": ""})
    for one in run.launched:
        yield from on_each_host(one, partial(_disturbed, of=run))


def _disturbed(one: CellEvidence, of: RunEvidence) -> Iterator[Finding]:
    yield from _foreign(one, of)
    yield from _steal(one, of)
    if waits_for_others_only(one.cell):
        yield from _run_queue(one)


def _foreign(one: CellEvidence, of: RunEvidence) -> Iterator[Finding]:
    told = [run for run in one.completed if run.record.launch.foreign_ns is not None]
    if len(told) < len(one.completed):
        yield _unknown(one)
    if not told:
        return
    foreign_ns = sum(run.record.launch.foreign_ns or 0 for run in told)
    if shares_processors(one, of):
        # The load generator that drives the server is not a foreign process; the check
        # `driver_bound` judges its effect on wall time.
        foreign_ns -= sum(load.generator_ns for run in told for load in run.record.driven)
    share = max(0, foreign_ns) / _processor_time_ns(told)
    ticking = [run for run in told if run.record.launch.foreign_source == "stat"]
    doubt = _doubt(ticking, told)
    if doubt > FLAGGED_SHARE and (whole := _over_blocks(one, of)) is not None:
        share, doubt = whole.foreign, whole.doubt
    values = {"share": share}
    severity = grade(share - doubt, warning=FLAGGED_SHARE, fault=VOID_SHARE)
    if severity is not None and _may_be_own(one, told):
        yield disturbance(
            NAME,
            one,
            "warning",
            f"other processes seem to have used {_part(share)} of the processors' time, but some "
            "of this time may be the last microseconds of the program's own threads, which the "
            "kernel does not count for the program",
            values,
        )
    elif severity is not None:
        yield disturbance(
            NAME,
            one,
            severity,
            f"other processes used {_part(share)} of the processors' time",
            values,
        )
        if severity == "fault":
            yield disturbance(
                NAME,
                one,
                "warning",
                (
                    f"other processes used {_part(share)} of the processors' time, so the "
                    "program shared caches and clock frequency with them"
                ),
                values,
                ["cpu"],
            )
    elif doubt > FLAGGED_SHARE:
        yield _unknown(
            one, ", because the executions are too short for the kernel's ticks of 10 ms"
        )


def _may_be_own(one: CellEvidence, told: Sequence[ExecutionEvidence]) -> bool:
    """Whether foreign time may contain the last microseconds of the program's own threads, because
    no cgroup counted them."""
    return one.cell.starts_tasks and any(run.record.launch.uncounted_ns is None for run in told)


def _unknown(one: CellEvidence, why: str = "") -> Finding:
    """The finding that foreign time is unknown: without the CPU time of other processes and without
    the run-queue delay, no value shows that the program was alone."""
    queued = [delay_ns(one.cell, run.record.launch) for run in one.completed]
    return disturbance(
        NAME,
        one,
        "warning" if None in queued else "limitation",
        f"it is unknown how much CPU time other processes used{why}",
    )


def _steal(one: CellEvidence, of: RunEvidence) -> Iterator[Finding]:
    told = [run for run in one.completed if run.record.launch.steal_ns is not None]
    if not told:
        yield disturbance(
            NAME,
            one,
            "limitation",
            (
                "it is unknown how much processor time other guests of the host took (steal "
                "time), because the kernel does not report it"
            ),
        )
        return
    share = sum(run.record.launch.steal_ns or 0 for run in told) / _processor_time_ns(told)
    doubt = _doubt(told, told)
    if doubt > FLAGGED_SHARE and (whole := _over_blocks(one, of)) is not None:
        share, doubt = whole.steal, whole.doubt
    if share - doubt > FLAGGED_STEAL:
        yield disturbance(
            NAME,
            one,
            "warning",
            (
                f"the hypervisor gave {_part(share)} of the processors' time to other guests "
                "(steal time)"
            ),
            {"share": share},
        )
    elif doubt > FLAGGED_STEAL:
        yield disturbance(
            NAME,
            one,
            "limitation",
            "it is unknown how much processor time other guests of the host took (steal "
            "time), because the executions are too short for the kernel's ticks of 10 ms",
        )


def _run_queue(one: CellEvidence) -> Iterator[Finding]:
    told = [run for run in one.completed if delay_ns(one.cell, run.record.launch) is not None]
    if not told:
        yield disturbance(NAME, one, "limitation", "run-queue delay is unknown")
        return
    waited_ns = sum(run.record.launch.run_queue_ns or 0 for run in told)
    share = waited_ns / max(1, sum(run.record.launch.wall_ns for run in told))
    severity = grade(share, warning=FLAGGED_SHARE, fault=VOID_SHARE)
    if severity is not None:
        yield disturbance(
            NAME,
            one,
            severity,
            (
                f"for {_part(share)} of its time, the program was ready to run but had to wait for "
                "a processor (run queue)"
            ),
            {"share": share},
        )


def _over_blocks(one: CellEvidence, of: RunEvidence) -> WholeBlocks | None:
    mine = {each.record.id for each in one.completed}
    return None if of.blocks is None else of.blocks.over_blocks(mine)


def _processor_time_ns(runs: Sequence[ExecutionEvidence]) -> int:
    launches = [run.record.launch for run in runs]
    return max(1, sum(launch.wall_ns * max(1, len(launch.processors)) for launch in launches))


def _part(share: float) -> str:
    """A share as text. The launcher's counters cover a little more than the program's life, so the
    share can exceed 1 if the life is very short."""
    return f"{share:.1%}" if share < 1 else "all"


def _doubt(ticking: Sequence[ExecutionEvidence], told: Sequence[ExecutionEvidence]) -> float:
    return len(ticking) * TICK_NS / _processor_time_ns(told)
