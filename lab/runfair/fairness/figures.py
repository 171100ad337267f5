"""The value that an execution contributes to each figure of its cell."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import get_args
from weakref import WeakKeyDictionary

from runfair.evidence.cell import CellEvidence, ExecutionEvidence
from runfair.formats.distribution import SHARES as SAMPLE_SHARES
from runfair.formats.distribution import Better, FigureUnit, figure_names
from runfair.formats.finding import FigureName
from runfair.formats.plan import Cell
from runfair.formats.service import SHARES, Percentile
from runfair.statistics.blocks import mean, median
from runfair.statistics.headline import Headline, Location, headline, location, share
from runfair.statistics.log_interval import telling

TIMES: tuple[FigureName, ...] = ("wall", "cpu")
PERCENTILES: tuple[Percentile, ...] = get_args(Percentile)
LATENCIES: tuple[FigureName, ...] = (*PERCENTILES, "max")
# Shares of the processors' time. They may be 0, and have no ratio to a baseline.
OF_PROCESSORS: tuple[FigureName, ...] = ("idle", "queued")
NAMED: tuple[FigureName, ...] = (
    *("wall", "cpu", "memory", *LATENCIES, "start", "first", "work"),
    *OF_PROCESSORS,
)
SHOWN: tuple[FigureName, ...] = ("cpu", "wall", "memory")  # the default figures of a program

# Groups that a finding may name in place of figures; `those_of` resolves the names. They are, in
# order: all figures; the percentiles of distributions; wall-clock times, which are longer if the
# machine is slower; these and the shares of the processors' time, which other processes change;
# all of these and CPU time.
FIGURES: tuple[FigureName, ...] = ("all",)
SAMPLED: tuple[FigureName, ...] = ("sampled",)
CLOCKED: tuple[FigureName, ...] = ("clocked",)
ELAPSED: tuple[FigureName, ...] = ("elapsed",)
TIMED: tuple[FigureName, ...] = ("timed",)

_SHARES: dict[str, float] = {str(name): share for name, share in SAMPLE_SHARES.items()}
_OF_PROGRAMS: tuple[FigureName, ...] = ("wall", "cpu", "memory")
_OF_WHOLE_PROCESSES: tuple[FigureName, ...] = (*_OF_PROGRAMS, "start", "first", "work")
_OF_SERVICES: tuple[FigureName, ...] = (*LATENCIES, "cpu", "memory", "start")


def figures_of(cell: Cell) -> tuple[FigureName, ...]:
    """The figures that a cell has."""
    if cell.mode == "service":
        return _OF_SERVICES
    own = _OF_WHOLE_PROCESSES if cell.mode == "cold" else _OF_PROGRAMS
    shared = OF_PROCESSORS if cell.kind == "program" and cell.has_tasks else ()
    return (*own, *shared, *figure_names(cell.distributions))


def those_of(cell: Cell, figures: Iterable[FigureName]) -> list[FigureName]:
    """The figures of the cell with these names, which may also be names of groups."""
    named = set(figures)
    return [one for one in figures_of(cell) if one in named or named & _groups(cell, one)]


def others(cell: Cell, but: Collection[FigureName]) -> list[FigureName]:
    """All figures of the cell except these."""
    return [one for one in those_of(cell, FIGURES) if one not in but] if but else [*FIGURES]


def _groups(cell: Cell, figure: FigureName) -> set[FigureName]:
    if figure == "memory":
        return {"all"}
    if figure == "cpu":
        return {"all", "timed"}
    if figure in OF_PROCESSORS:
        return {"all", "timed", "elapsed"}
    if figure in NAMED:
        return {"all", "timed", "elapsed", "clocked"}
    times = {"timed", "elapsed", "clocked"} if unit_of(cell, figure) == "ns" else set()
    return {"all", "sampled"} | times


def unit_of(cell: Cell, figure: FigureName) -> FigureUnit:
    """The unit of the figure's values."""
    if figure in OF_PROCESSORS:
        return "share"
    if figure in NAMED:
        return "bytes" if figure == "memory" else "ns"
    return cell.distributions[_distribution(figure)].unit


def better_of(cell: Cell, figure: FigureName) -> Better:
    """The direction in which a change of the figure is an improvement."""
    return "lower" if figure in NAMED else cell.distributions[_distribution(figure)].better


def _distribution(figure: FigureName) -> str:
    return figure.partition(".")[0]


def execution_value(evidence: ExecutionEvidence, figure: FigureName) -> float | None:
    """An execution's value of a figure, in nanoseconds, in bytes, as a count or as a share. The
    result is None if the execution failed or has no value.

    Memory is the peak of the process tree; `start` is the time from the process's start to the
    program's first line of output. A cold execution is measured as a whole process, from the
    launcher's report: `wall` is its total time, `first` the time to its first iteration (with the
    loading of the input), `work` the iteration. For a driven server these are the times of its
    pass, because the lifetime of a server is arbitrary. For a steady execution, they are the median
    wall time and the mean CPU time of an iteration over the steady part. CPU time is a mean,
    because a mean counts every step of a coarse clock. A median of CPU times would only be a
    multiple of the clock's step. For a service, they are the percentiles of the latency and the CPU
    time per request over the steady part; `start` is its first answer. If there is no steady state,
    the last half is used, and the check `warm_up` reports this.
    """
    if not evidence.completed:
        return None
    if figure in OF_PROCESSORS:
        return _processor_share(evidence, figure)
    if evidence.mode == "service":
        return _service_value(evidence, figure)
    if figure not in NAMED:
        return recorded(evidence, figure)
    return _program_value(evidence, figure)


def recorded(evidence: ExecutionEvidence, figure: FigureName) -> float | None:
    """The percentile of a distribution over an execution's samples, even if the execution failed.
    None if there are no samples."""
    name, _, share = figure.partition(".")
    samples = evidence.samples.get(name)
    value = None if samples is None else samples.value_at(_SHARES[share])
    return None if value is None else float(value)


def cut_short_figures(cell: CellEvidence) -> list[FigureName]:
    """The figures that get bounds from executions that were ended early: percentiles of the samples
    recorded until then."""
    return [figure for figure in those_of(cell.cell, SAMPLED) if cut_short_values(cell, figure)]


def cut_short_values(cell: CellEvidence, figure: FigureName) -> list[float]:
    """A bound of the figure from each execution that was ended early."""
    ended = [one for one in cell.failed if one.cut_short]
    return [value for one in ended if (value := recorded(one, figure)) is not None]


def _program_value(evidence: ExecutionEvidence, figure: FigureName) -> float | None:
    launch, start = evidence.record.launch, evidence.record.start
    if figure == "start":
        # The time until the program's first line of code: two readings of the realtime clock.
        return None if start is None else float(start.realtime_ns - launch.started_realtime_ns)
    if figure == "memory":
        return float(launch.peak_tree_bytes)
    if evidence.mode == "cold":
        return _whole_process(evidence, figure)
    if len(evidence.wall_ns) == 0:
        return None
    if figure == "wall":
        return median(evidence.wall_ns[evidence.steady_part])
    return mean(evidence.cpu_ns[evidence.steady_part])


def _processor_share(evidence: ExecutionEvidence, figure: FigureName) -> float | None:
    """A share of the processors' time, that is, of the wall time times the processors.

    `idle` is the share that the program did not use, in the steady part or, if the execution is
    cold, in the whole process. `queued` is the time for which threads of the program were ready and
    waited for a processor, over all threads and the whole process. It exceeds 1 if more threads
    wait than there are processors."""
    launch, processors = evidence.record.launch, max(1, len(evidence.record.processors))
    if figure == "queued":
        queued_ns, time_ns = launch.run_queue_ns, processors * launch.wall_ns
        return None if queued_ns is None or not time_ns else queued_ns / time_ns
    wall_ns, cpu_ns = launch.wall_ns, launch.cpu_ns
    if evidence.mode != "cold":
        part = evidence.steady_part
        wall_ns, cpu_ns = int(evidence.wall_ns[part].sum()), int(evidence.cpu_ns[part].sum())
    # Two clocks that are read one after the other can show a little more CPU time than there was.
    return max(0.0, 1 - cpu_ns / (processors * wall_ns)) if wall_ns else None


def _whole_process(evidence: ExecutionEvidence, figure: FigureName) -> float | None:
    record, launch = evidence.record, evidence.record.launch
    if figure in ("first", "work"):
        began_ns = record.first_iteration_monotonic_ns
        if record.driven or began_ns is None:
            return None
        first_ns = began_ns - launch.started_monotonic_ns
        return float(first_ns if figure == "first" else evidence.wall_ns[0])
    if record.driven:
        return float((evidence.wall_ns if figure == "wall" else evidence.cpu_ns).sum())
    return float(launch.wall_ns if figure == "wall" else launch.cpu_ns)


def _service_value(evidence: ExecutionEvidence, figure: FigureName) -> float | None:
    load, served = evidence.load, evidence.record.served
    if load is None or served is None:
        return None
    value: float | None = None
    if figure == "max":
        value = load.latency.max
    elif figure == "cpu":
        value = load.own.cpu_ns
    elif figure == "memory":
        # Later loads may have raised the service's memory, so only the peak until the end of this
        # load is used.
        whole_life = evidence.record.launch.peak_tree_bytes
        value = whole_life if whole_life and len(served.loads) == 1 else load.peak_bytes
    elif figure == "start":
        cold = served.start
        if cold is not None and cold.first_answer_ns is not None:
            value = cold.first_answer_ns - cold.process_ns
    else:
        share = next(share for name, share in SHARES.items() if name == figure)
        value = load.latency.value_at(share)
    return None if value is None else float(value)


# The checks, the verdicts, the ratios and the result need the same values.
_COMPUTED: WeakKeyDictionary[CellEvidence, dict[FigureName, dict[str, float]]] = WeakKeyDictionary()


def values_by_execution(cell: CellEvidence, figure: FigureName) -> Mapping[str, float]:
    """The values of a cell's completed executions, pilots excluded, by the execution's id and in
    the records' order. They are computed once."""
    computed = _COMPUTED.setdefault(cell, {})
    if figure not in computed:
        values = {one.record.id: execution_value(one, figure) for one in cell.completed}
        computed[figure] = {name: value for name, value in values.items() if value is not None}
    return computed[figure]


def cell_values(cell: CellEvidence, figure: FigureName) -> list[float]:
    """The values of a cell's completed executions, pilots excluded, in the records' order."""
    return [*values_by_execution(cell, figure).values()]


def centre(values: Sequence[float], figure: FigureName) -> Headline | Location:
    """The centre of positive values (a value for each execution), with its confidence interval.
    Shares of the processors' time may also be 0; their interval is not computed on logarithms. For
    percentiles, the interval is computed from order statistics, because a few stalls split the
    executions into two groups (with and without a stall)."""
    if figure in OF_PROCESSORS:
        return share(values)
    tailed = figure in LATENCIES or figure not in NAMED
    return headline(values) if tailed else location(values)


def interval(middle: Headline | Location) -> tuple[float, float] | None:
    """The confidence interval around a centre. None if there is no interval, or if a t interval is
    so wide that it only shows the need for more executions. An interval from order statistics is
    always shown, because its ends are measured values. So is the interval of a share, which may
    begin at 0."""
    seen = isinstance(middle, Headline) and middle.method != "t on logs"
    if seen and middle.low is not None and middle.high is not None:
        return middle.low, middle.high
    return telling(middle.low, middle.high)
