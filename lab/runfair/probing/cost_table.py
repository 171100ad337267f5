"""The cost of each bytecode, from the counts and samples of processes.

A bytecode's share of the CPU time is its share of the samples. The bytecode's time per execution is
that share of the sampled time, divided by the exact number of executions, minus the probe's own
time. The result is the cost of the bytecode inside the running program, where the processor
overlaps neighbouring bytecodes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from math import hypot, sqrt
from typing import TypeVar

from runfair.formats.estimate import Estimate
from runfair.formats.probe import (
    BytecodeCost,
    Calibration,
    CountedPair,
    LineShare,
    Mode,
    PartShare,
    ProbedProcess,
    ProbeTable,
    ProcessSummary,
    SampledPlace,
)
from runfair.probing.frames import folded_stacks, frame_shares, function_shares
from runfair.statistics.percentile import Z_95, score_interval

MOST_LINES = 3  # the number of lines shown for a bytecode
MOST_BYTECODES = 4  # bytecodes shown for a line
TASK_CLOCK = "task clock"
CPU_TIMER = "CPU timer"
# The least sampled part of the CPU time. The sampler itself needs a part of the rest.
LEAST_SAMPLED = 0.8
# A number of samples lies further below its mean with a probability of 0.1%.
MOST_DEVIATIONS = 3
NOTHING = Estimate(value=0, low=0, high=0)
# Modes in which some executions of a bytecode are measured by themselves.
MEASURING: tuple[Mode, ...] = ("latency", "instructions")
LEAST_MEASURED = 10  # the least number of executions for a mean with an interval

Key = TypeVar("Key", bound=Hashable)


def cost_tables(processes: Sequence[ProbedProcess]) -> list[ProbeTable]:
    """A table for each runtime and version that was probed. The table with the most CPU time comes
    first. If a program was executed in several modes, the counts and shares are those of the first
    mode, and each measuring mode adds its measurements.
    """
    groups: dict[tuple[str, str], list[ProbedProcess]] = {}
    for process in processes:
        if not process.refused:
            groups.setdefault((process.runtime, process.version), []).append(process)
    return sorted(map(_table, groups.values()), key=lambda table: -table.cpu_ns)


def summary(process: ProbedProcess) -> ProcessSummary:
    return ProcessSummary(
        pid=process.pid,
        executable=process.executable,
        executions=sum(each.executions for each in process.bytecodes),
        cpu_ns=process.cpu_ns,
        refused=process.refused,
    )


def _table(every: Sequence[ProbedProcess]) -> ProbeTable:
    processes = [one for one in every if one.mode not in MEASURING] or [
        one for one in every if one.mode == every[0].mode
    ]
    samplings = [process.sampling for process in processes if process.sampling is not None]
    places = [place for sampling in samplings for place in sampling.places]
    samples = sum(place.samples for place in places)
    cpu_ns = sum(process.cpu_ns for process in processes)
    sampled_ns = sum(map(_sampled_ns, processes))
    executions = _summed((each.name, each.executions) for p in processes for each in p.bytecodes)
    families = {each.name: each.family for p in processes for each in p.bytecodes}
    copied = {each.name for p in processes for each in p.bytecodes if each.copied}
    probe_ns, cycle_ns = _probe_ns(processes), _cycle_ns(processes)
    copied_ns = _copied_ns(processes) if copied else None
    counted = all(sampling.period_cycles for sampling in samplings)
    no_times = _no_times(processes) if samples else ""
    costs = [
        _cost(
            name,
            families[name],
            count,
            places,
            samples,
            None if no_times else sampled_ns,
            copied_ns if name in copied else probe_ns,
        )
        for name, count in executions.items()
    ]
    costs = [
        cost.model_copy(
            update={
                "cycles_each": _cycles(cost.ns_each, cycle_ns, counted=counted),
                **_measured(cost.name, every),
            }
        )
        for cost in costs
    ]
    outside = sum(place.samples for place in places if place.bytecode is None)
    pairs = _summed(
        ((each.first, each.second), each.executions) for p in processes for each in p.pairs
    )
    return ProbeTable(
        runtime=processes[0].runtime,
        version=processes[0].version,
        compiles=any(process.compiles for process in processes),
        processes=[summary(process) for process in processes],
        cpu_ns=cpu_ns,
        executions=sum(executions.values()),
        sampled_by=", ".join(sorted({sampling.source for sampling in samplings})),
        samples=samples,
        lost_samples=sum(sampling.lost for sampling in samplings),
        outside=_share(outside, samples) if samples else None,
        parts=_parts(places, samples),
        probe_ns=probe_ns,
        copied_ns=copied_ns,
        cycle_ns=cycle_ns,
        bytecodes=sorted(
            costs,
            key=lambda cost: (
                -(cost.share.value if cost.share else 0),
                -cost.executions,
                cost.name,
            ),
        ),
        lines=line_shares(places, samples),
        functions=function_shares(samplings, samples),
        frames=frame_shares(samplings, samples),
        folded=folded_stacks(samplings),
        no_times=no_times,
        no_call_paths=_no_call_paths(processes),
        no_lines=next((one.no_lines for one in processes if one.no_lines), ""),
        pairs=[
            CountedPair(first=first, second=second, executions=count)
            for (first, second), count in pairs.most_common()
        ],
    )


def _cost(
    name: str,
    family: str,
    executions: int,
    places: Sequence[SampledPlace],
    samples: int,
    sampled_ns: int | None,
    probe_ns: Estimate | None,
) -> BytecodeCost:
    own = [place for place in places if place.bytecode == name]
    hits = sum(place.samples for place in own)
    if hits == 0:
        return BytecodeCost(name=name, family=family, executions=executions)
    share = _share(hits, samples)
    return BytecodeCost(
        name=name,
        family=family,
        executions=executions,
        share=share,
        ns_each=None
        if sampled_ns is None
        else _less(share, sampled_ns / executions, probe_ns or NOTHING),
        lines=_hottest_lines(own, hits),
    )


def _hottest_lines(places: Sequence[SampledPlace], samples: int) -> list[LineShare]:
    """The lines with the most samples of a bytecode. If a line belongs to several functions, such
    as a function and its generator expression, it is named after the hottest.
    """
    found: dict[tuple[str, int], LineShare] = {}
    for line in line_shares(places, samples):
        first = found.setdefault((line.path, line.line), line)
        share = line.share if first is line else first.share + line.share
        found[line.path, line.line] = first.model_copy(update={"share": share, "bytecodes": {}})
    return sorted(found.values(), key=lambda line: -line.share)[:MOST_LINES]


def _less(share: Estimate, whole_ns: float, probe_ns: Estimate) -> Estimate:
    """The part `share` of `whole_ns`, minus the probe's own time. Errors are added in
    quadrature.
    """
    value = share.value * whole_ns - probe_ns.value
    below = hypot((share.value - share.low) * whole_ns, probe_ns.high - probe_ns.value)
    above = hypot((share.high - share.value) * whole_ns, probe_ns.value - probe_ns.low)
    return _at_least_zero(Estimate(value=value, low=value - below, high=value + above))


def _at_least_zero(found: Estimate) -> Estimate:
    return Estimate(value=max(0.0, found.value), low=max(0.0, found.low), high=max(0.0, found.high))


def _sampled_ns(process: ProbedProcess) -> int:
    """The CPU time without the sampler's own time. The task clock and the counter of cycles stop
    while a sample is taken."""
    sampling = process.sampling
    if sampling is None:
        return process.cpu_ns
    samples = sum(place.samples for place in sampling.places)
    if sampling.period_cycles and process.cycle is not None:
        return round(sampling.period_cycles * process.cycle.mean_ns * samples)
    return sampling.period_ns * samples if sampling.source == TASK_CLOCK else process.cpu_ns


def _cycle_ns(processes: Sequence[ProbedProcess]) -> Estimate | None:
    """The duration of a cycle, as the process with the most CPU time reports it."""
    cycle = max(processes, key=lambda one: one.cpu_ns).cycle
    return None if cycle is None else _normal(cycle.mean_ns, cycle.deviation_ns)


def _cycles(ns: Estimate | None, cycle_ns: Estimate | None, *, counted: bool) -> Estimate | None:
    """The cycles of a duration. Errors are added in quadrature. If the cycles were `counted`, the
    duration was computed from them, and the duration of a cycle adds no error.
    """
    if ns is None or cycle_ns is None:
        return None
    value = ns.value / cycle_ns.value
    of_cycle = 0.0 if counted else value * (cycle_ns.high - cycle_ns.value) / cycle_ns.value
    return Estimate(
        value=value,
        low=max(0.0, value - hypot((ns.value - ns.low) / cycle_ns.value, of_cycle)),
        high=value + hypot((ns.high - ns.value) / cycle_ns.value, of_cycle),
    )


def _probe_ns(processes: Sequence[ProbedProcess]) -> Estimate | None:
    """The probe's own cost, as the first process reports it. One report suffices, because all
    processes run on one machine.
    """
    return _calibrated(processes, [one.calibration for one in processes])


def _copied_ns(processes: Sequence[ProbedProcess]) -> Estimate | None:
    """As `_probe_ns`, if the probe executes a copy of the bytecode's code."""
    if processes[0].mode == "latency":  # it measures the original code
        return None
    return _calibrated(processes, [one.copy_calibration for one in processes])


def _calibrated(
    processes: Sequence[ProbedProcess], calibrations: Sequence[Calibration | None]
) -> Estimate | None:
    calibration = next((one for one in calibrations if one), None)
    if calibration is None or processes[0].mode == "instructions":
        return None
    return _normal(calibration.mean_ns, calibration.deviation_ns)


def _measured(name: str, every: Sequence[ProbedProcess]) -> dict[str, Estimate]:
    """The means over those executions of one bytecode that were measured individually."""
    found = {}
    if mean := _mean(name, [one for one in every if one.mode == "instructions"]):
        found["instructions"] = _normal(*mean)
    timed = [one for one in every if one.mode == "latency"]
    if (mean := _mean(name, timed)) and (probe_ns := _probe_ns(timed)):
        value, deviation = mean
        of_probe = (probe_ns.high - probe_ns.value) / Z_95
        found["latency_ns"] = _at_least_zero(
            _normal(value - probe_ns.value, hypot(deviation, of_probe))
        )
    return found


def _mean(name: str, processes: Sequence[ProbedProcess]) -> tuple[float, float] | None:
    """The mean of a bytecode's measured executions, and the standard deviation of the mean."""
    own = [one for process in processes for one in process.measured if one.bytecode == name]
    count = sum(one.count for one in own)
    if count < LEAST_MEASURED:
        return None
    mean = sum(one.sum for one in own) / count
    square = sum(one.sum_of_squares for one in own) / count
    return mean, sqrt(max(0.0, square - mean * mean) / (count - 1))


def _normal(mean: float, deviation: float) -> Estimate:
    return Estimate(value=mean, low=mean - Z_95 * deviation, high=mean + Z_95 * deviation)


def line_shares(places: Sequence[SampledPlace], samples: int) -> list[LineShare]:
    """The CPU time of each line as a share of all `samples`, the hottest line first."""
    within: dict[tuple[str, int | None], Counter[str]] = {}
    for place in places:
        if place.bytecode is not None:
            own = within.setdefault((place.path, place.line), Counter())
            own[place.bytecode] += place.samples
    by_line = _summed(
        ((place.path, place.line, place.function), place.samples)
        for place in places
        if place.line is not None
    )
    return [
        LineShare(
            path=path,
            line=line,
            function=function,
            share=count / samples,
            bytecodes=_commonest(within.get((path, line), Counter())),
        )
        for (path, line, function), count in by_line.most_common()
        if line is not None
    ]


def _commonest(bytecodes: Counter[str]) -> dict[str, float]:
    total = bytecodes.total()
    return {name: count / total for name, count in bytecodes.most_common(MOST_BYTECODES)}


def _parts(places: Sequence[SampledPlace], samples: int) -> list[PartShare]:
    """The share of the CPU time in each part of the runtime, the largest first. Empty if the
    adapter does not distinguish parts.
    """
    by_part = _summed((place.part, place.samples) for place in places if place.part)
    return [
        PartShare(part=part, share=_share(count, samples)) for part, count in by_part.most_common()
    ]


def _no_times(processes: Sequence[ProbedProcess]) -> str:
    """The reason why the samples give no times; empty if they give times. A process may use almost
    a period of CPU time after its last sample. The first sample of a thread comes at a random time,
    so in a process of short threads the number of samples is binomial: its variance is at most the
    expected number. Only the task clock can be compared with the CPU time: cycles take longer on a
    slower processor.
    """
    sampled_ns = rest_ns = cpu_ns = variance_ns2 = 0
    for process in processes:
        if process.sampling is not None and process.sampling.source == TASK_CLOCK:
            sampled_ns += _sampled_ns(process)
            rest_ns += process.sampling.period_ns
            cpu_ns += process.cpu_ns
            variance_ns2 += process.sampling.period_ns * process.cpu_ns
    by_chance_ns = MOST_DEVIATIONS * sqrt(variance_ns2)
    if sampled_ns + rest_ns + by_chance_ns >= LEAST_SAMPLED * cpu_ns:
        return ""
    return (
        f"only {sampled_ns / cpu_ns:.1%} of the CPU time was sampled; a program is not sampled "
        "while it blocks all signals, or after it closed the probe's file descriptor"
    )


def _no_call_paths(processes: Sequence[ProbedProcess]) -> str:
    if not any(one.sampling is not None and one.sampling.calls is None for one in processes):
        return ""
    name = f"{processes[0].runtime} {processes[0].version}"
    return f"the flame graph has no call paths, because the probe recorded no callers in {name}"


def _share(hits: int, samples: int) -> Estimate:
    low, high = score_interval(hits, samples)
    return Estimate(value=hits / samples, low=low, high=high)


def _summed(counts: Iterable[tuple[Key, int]]) -> Counter[Key]:
    total: Counter[Key] = Counter()
    for key, count in counts:
        total[key] += count
    return total
