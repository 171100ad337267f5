"""The evidence of a recorded run, or of a run in progress, read from disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import TypeAdapter, ValidationError

from runfair.evidence.cell import ServiceEvidence
from runfair.evidence.costs import added_ns
from runfair.evidence.load import LoadEvidence, Probe, Queries, examine, probe
from runfair.evidence.pauses import PauseEvidence, examine_pauses
from runfair.evidence.probed import ProbedEvidence, slowest
from runfair.evidence.run import RunEvidence, gather
from runfair.formats.appended_lines import AppendedLines
from runfair.formats.event import Event, read_events
from runfair.formats.execution import Execution
from runfair.formats.histogram import Histogram, NotAHistogram, read_intervals
from runfair.formats.host import ReferenceReading
from runfair.formats.place import HERE, Location
from runfair.formats.plan import Plan
from runfair.formats.probe import read_probed
from runfair.formats.program import EVENT, SAMPLE, Iteration, Sample
from runfair.formats.records_file import Records, read_records
from runfair.formats.relay_report import RelayReport, read_queries, read_report
from runfair.formats.run_folder import RunFolder
from runfair.formats.service import MAIN_LOAD, Usage
from runfair.formats.source_lines import SourceLines, read_lines
from runfair.statistics.array import FloatArray


@dataclass(frozen=True, eq=False)
class Traces:
    """The detailed records of an execution: its requests at the operating point, the relay's
    queries (None if there is no relay), and the samples of all process trees."""

    records: Records
    queries: Queries | None = None
    usage: Sequence[Usage] = ()


TracesOf = Callable[[Execution], Traces | None]
"""A function that returns the traces of an execution, or None if single requests were not
recorded."""


def evidence_of(folder: RunFolder) -> RunEvidence:
    """The evidence of a run. Raises UserMistake if this version of runfair cannot read the
    folder."""
    plan = folder.plan()  # read first: it says whether this version can read the run
    return evidence_from(folder, plan, folder.attempts(), folder.readings())


def evidence_from(
    folder: RunFolder,
    plan: Plan,
    attempts: Sequence[Execution],
    readings: Sequence[ReferenceReading],
) -> RunEvidence:
    """The evidence of a run, or of a part of its plan, from records that were already read. All
    other data are read from the folder."""

    def iterations(execution: str) -> tuple[np.ndarray, np.ndarray]:
        wall_ns, cpu_ns = folder.iterations(execution)
        return np.asarray(wall_ns, dtype=np.int64), np.asarray(cpu_ns, dtype=np.int64)

    def loads(execution: Execution, tolerance: float, settled_ns: int) -> ServiceEvidence:
        return service_evidence(folder, execution, tolerance, settled_ns)

    with_lines = folder.with_lines()

    def lines(execution: str) -> list[SourceLines]:
        return read_lines(folder.lines_file(execution)) if execution in with_lines else []

    def probes(execution: Execution) -> ProbedEvidence | None:
        probed = read_probed(folder.probe_file(execution.id))
        if probed is None:
            return None
        records = records_of(folder, execution)
        return ProbedEvidence(execution, probed, None if records is None else slowest(records))

    hosts = folder.hosts()
    return gather(
        plan,
        hosts[0],
        attempts,
        iterations,
        loads,
        lines,
        folder.samples,
        readings,
        probes,
        hosts,
    )


def events_of(folder: RunFolder, evidence: RunEvidence) -> dict[str, list[Event]]:
    """The runtimes' events of each execution, on the lab's clock."""
    records = (each.record for one in evidence.services for each in one.executions)
    return {
        record.id: events for record in records if (events := _events(folder, record)) is not None
    }


def service_evidence(
    folder: RunFolder, execution: Execution, tolerance: float, settled_ns: int
) -> ServiceEvidence:
    """The evidence of an execution of a service. If the execution failed, it is the evidence from
    before the failure."""
    load = _load(folder, execution, tolerance, settled_ns)
    pauses = None if load is None else _pauses(folder, execution, load)
    return ServiceEvidence(load, _probes(folder, execution), pauses)


def traces_of(folder: RunFolder, execution: Execution) -> Traces | None:
    """The traces of an execution; None if single requests were not recorded."""
    records = records_of(folder, execution)
    if records is None:
        return None
    return Traces(records, _queries(folder, execution), folder.usage(execution.id))


def records_of(folder: RunFolder, execution: Execution) -> Records | None:
    """The record of every single request at the operating point; None if requests were not
    recorded."""
    path = folder.load_file(execution.id, MAIN_LOAD, "records")
    return read_records(path) if path.exists() else None


def _load(
    folder: RunFolder, execution: Execution, tolerance: float, settled_ns: int
) -> LoadEvidence | None:
    result = folder.load_result(execution.id, MAIN_LOAD)
    if result is None:
        return None
    place = _generator(execution)
    began = result.started
    began = began.model_copy(update={"monotonic_ns": place.clock.to_lab(began.monotonic_ns)})
    result = result.model_copy(update={"started": began})
    intervals = list(read_intervals(folder.latency_file(execution.id)))
    usage = folder.usage(execution.id)
    queries, records = _queries(folder, execution), records_of(folder, execution)
    relay = _relay_report(folder, execution)
    return examine(
        result,
        intervals,
        usage,
        tolerance,
        queries,
        records,
        relay,
        settled_ns,
        place,
        HERE if execution.served is None else execution.served.usage,
    )


def _generator(execution: Execution) -> Location:
    """The place in which the generator ran for the load at the operating point."""
    loads = execution.served.loads if execution.served is not None else []
    return next((one.place for one in loads if one.name == MAIN_LOAD), HERE)


def _queries(folder: RunFolder, execution: Execution) -> Queries | None:
    """The answered queries that passed the relay; None if there is no relay."""
    path = folder.relay_file(execution.id)
    if not path.exists():
        return None
    rows = read_queries(path)
    over = rows[rows["delivered_ns"] > 0]
    place = HERE if execution.served is None else execution.served.relay
    arrived, answered, delivered = (
        over[name].astype(np.int64) - place.clock.offset_ns
        for name in ("arrived_ns", "answered_ns", "delivered_ns")
    )
    # Even the shortest delivery includes the time of the network, so every answer was due at least
    # this long after it came.
    back_ns = int((delivered - answered).min()) if len(over) else 0
    relay = _relay_report(folder, execution)
    added = np.empty(0) if relay is None else added_ns(over, relay.delay_ns)
    return Queries(arrived, delivered, answered + back_ns, added, place)


def _relay_report(folder: RunFolder, execution: Execution) -> RelayReport | None:
    path = folder.relay_report_file(execution.id)
    return read_report(path) if path.exists() else None


def _probes(folder: RunFolder, execution: Execution) -> tuple[Probe, ...]:
    loads = execution.served.loads if execution.served is not None else []
    return tuple(
        probe(one.rate_per_s, found)
        for one in loads
        if one.purpose == "curve"
        and (found := folder.load_result(execution.id, one.name)) is not None
    )


def _pauses(folder: RunFolder, execution: Execution, load: LoadEvidence) -> PauseEvidence | None:
    events = _events(folder, execution)
    if events is None:
        return None
    return examine_pauses(events, load, records_of(folder, execution), execution.place)


def _events(folder: RunFolder, execution: Execution) -> list[Event] | None:
    """The runtime's events of an execution, on the lab's clock; None if it reported none."""
    path = folder.events_file(execution.id)
    if execution.served is None or execution.served.events is None or not path.exists():
        return None
    return [one.to_lab(execution.clock_of(one.instance)) for one in read_events(path)]


MOST_ITERATIONS = 200_000  # the greatest number of iterations of which metrics are read


@dataclass(frozen=True, eq=False)
class OwnValues:
    """A metric that a program reports itself: the values of one name in one execution, in order."""

    name: str
    unit: str
    values: FloatArray


def own_values(folder: RunFolder, execution: str) -> list[OwnValues]:
    """The metrics and the samples of all iterations. The run's folder has the program's lines
    verbatim; lines that violate the contract are ignored."""
    gathered: dict[tuple[str, str], list[FloatArray]] = {}
    for name, unit, values in (*_metrics(folder, execution), *_samples(folder, execution)):
        finite = values[np.isfinite(values)]
        if len(finite):
            gathered.setdefault((name, unit), []).append(finite)
    return [
        OwnValues(name, unit, np.concatenate(parts)) for (name, unit), parts in gathered.items()
    ]


def _metrics(folder: RunFolder, execution: str) -> Iterator[tuple[str, str, FloatArray]]:
    path = folder.iterations_file(execution)
    if not path.exists():
        return
    told: dict[tuple[str, str], list[float]] = {}
    with path.open("rb") as file:
        for number, line in enumerate(file):
            if number == MOST_ITERATIONS or b'"metrics"' not in line:
                break
            event = _event(line)
            if isinstance(event, Iteration):
                for name, metric in event.metrics.items():
                    told.setdefault((name, metric.unit), []).append(metric.value)
    for (name, unit), values in told.items():
        yield name, unit, np.array(values, dtype=np.float64)


def _samples(folder: RunFolder, execution: str) -> Iterator[tuple[str, str, FloatArray]]:
    """Programs of version 1 of the contract printed samples."""
    path = folder.raw_folder(execution) / "stdout"
    if not path.exists():
        return
    with path.open("rb") as file:
        for line in file:
            event = _event(line, SAMPLE) if b'"sample"' in line else None
            if isinstance(event, Sample):
                yield event.name, event.unit, _values(event)


def _event(line: bytes, kind: TypeAdapter[Any] = EVENT) -> object:
    try:
        return kind.validate_json(line)
    except ValidationError:
        return None


def _values(sample: Sample) -> FloatArray:
    """The values of a histogram: the upper end of each cell, repeated as often as the cell was
    counted."""
    if sample.values is not None:
        return np.array(sample.values, dtype=np.float64)
    if sample.hdr is None:
        return np.empty(0)
    try:
        histogram = Histogram.decoded(sample.hdr)
    except NotAHistogram:
        return np.empty(0)
    return np.repeat(histogram.greatest, histogram.counts).astype(np.float64)


class GrowingRecords:
    """The records in a run's folder, to which the run still appends. Each record is read once."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self._new_attempts = AppendedLines(folder.executions_file, Execution)
        self._new_readings = AppendedLines(folder.reference_file, ReferenceReading)
        self._attempts: list[Execution] = []
        self._readings: list[ReferenceReading] = []

    def evidence_of(self, part: Plan) -> RunEvidence:
        """The evidence of a part of the run's plan, from the records so far. Raises UserMistake if
        this version of runfair cannot read the folder."""
        self._attempts += self._new_attempts.read()
        self._readings += self._new_readings.read()
        return evidence_from(self.folder, part, self._attempts, self._readings)
