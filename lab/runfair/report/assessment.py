"""The assessment of a recorded run: its verdicts, conclusion and pictures, and each service's
latency by window (`warm-up.csv`), written to the run's derived files."""

from __future__ import annotations

import csv
import io
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from runfair.decision.answer import Requirements, answer
from runfair.decision.contenders import NothingToDecide
from runfair.errors import UserMistake
from runfair.evidence.cell import ExecutionEvidence
from runfair.evidence.reading import GrowingRecords, events_of, evidence_of, own_values, traces_of
from runfair.evidence.run import RunEvidence
from runfair.formats.decision import Answer
from runfair.formats.event import Event
from runfair.formats.histogram import Interval, read_intervals
from runfair.formats.kept_file import keeping, write_whole
from runfair.formats.plan import Plan
from runfair.formats.result import RunResult
from runfair.formats.run_folder import RunFolder
from runfair.report.conclusion.conclusion import Conclusion, conclude
from runfair.report.markdown import markdown
from runfair.report.page.contents import Contents, contents
from runfair.report.page.picture import PageInput
from runfair.report.page.rendering import html
from runfair.result.judged_run import JudgedRun

COLUMNS = (
    "cell",
    "execution",
    "start_ns",
    "end_ns",
    "requests",
    "p50_ns",
    "p99_ns",
    "segment",
    "steady",
    "pauses",
    "paused_ns",
    "compilations",
    "deoptimisations",
)
# The last column is present if events and requests have different clocks.
UNCERTAINTY = "clock_uncertainty_ns"


def warm_up_csv(run: RunEvidence, events: Mapping[str, Sequence[Event]]) -> str:
    """The text of the file, with a line for each window; empty if no service was under load.
    Instants are counted from the load's start. `segment` is the number of the level that the
    steady-state detector found. The argument `events` is keyed by execution. Columns of events are
    empty if the runtime reported none."""
    lines = [
        line
        for one in run.services
        for each in one.executions
        for line in _lines(one.cell.id, each, events.get(each.record.id))
    ]
    if not lines:
        return ""
    uncertain = [
        each.pauses.uncertainty_ns
        for one in run.services
        for each in one.executions
        if each.pauses is not None
    ]
    apart = (max(uncertain),) if any(uncertain) else ()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((*COLUMNS, *[UNCERTAINTY] * len(apart)))
    writer.writerows((*line, *apart) for line in lines)
    return text.getvalue()


def _lines(
    cell: str, each: ExecutionEvidence, events: Sequence[Event] | None
) -> Iterator[tuple[object, ...]]:
    load = each.load
    if load is None:
        return
    windows = load.windows
    ends = [segment.end for segment in load.steady.segments]
    for place in range(len(windows.start_ns)):
        start_ns, end_ns = int(windows.start_ns[place]), int(windows.end_ns[place])
        began_ns = load.result.started.monotonic_ns
        steady = load.steady.start is not None and place >= load.steady.start
        yield (
            cell,
            each.record.id,
            start_ns,
            end_ns,
            int(windows.count[place]),
            int(windows.p50_ns[place]),
            int(windows.p99_ns[place]),
            bisect_left(ends, place + 1) + 1,
            int(steady),
            *_counted(events, began_ns + start_ns, began_ns + end_ns),
        )


def _counted(
    events: Sequence[Event] | None, start_ns: int, end_ns: int
) -> tuple[object, object, object, object]:
    """The events in a window: the number and the time of pauses, and the numbers of compilations
    and deoptimisations."""
    if events is None:
        return "", "", "", ""
    mine = [one for one in events if start_ns <= one.started_ns < end_ns]
    stops = [one.duration_ns for one in mine if one.stops_the_world]
    kinds = [one.kind for one in mine]
    return len(stops), sum(stops), kinds.count("compilation"), kinds.count("deoptimisation")


PAGE = "report.html"


def conclusion_of(records: GrowingRecords, part: Plan) -> Conclusion:
    """The conclusion from the completed executions of a run that is still in progress. No file is
    written."""
    run = JudgedRun.of(records.folder.path.name, records.evidence_of(part))
    return conclude(run.evidence, run.result, _answers(records.folder, run))


def _answers(folder: RunFolder, run: JudgedRun) -> list[Answer]:
    """The answers of `./runfair decide` with default options; empty if no decision is possible."""
    if not run.evidence.services:
        return []
    try:
        return answer(run.evidence, run.judged, lambda one: traces_of(folder, one), Requirements())
    except NothingToDecide:
        return []


def _page(folder: RunFolder, run: JudgedRun, events: Mapping[str, Sequence[Event]]) -> Contents:
    def intervals(execution: str) -> list[Interval]:
        path = folder.latency_file(execution)
        return list(read_intervals(path)) if path.exists() else []

    page_input = PageInput(
        evidence=run.evidence,
        result=run.result,
        events=events.get,
        intervals=intervals,
        own_values=lambda execution: own_values(folder, execution),
        answers=_answers(folder, run),
    )
    return contents(page_input)


@dataclass(frozen=True)
class Assessment:
    """An assessed run. `unwritten` says why the derived files could not be written; it is "" if
    they were written."""

    result: RunResult
    page: Contents
    unwritten: str = ""

    @property
    def conclusion(self) -> Conclusion:
        return self.page.header.conclusion


def assess(folder: RunFolder) -> Assessment:
    """Assess a run and write `verdict.json`, `tables.md`, `report.html` and, for services,
    `warm-up.csv` beside its records. A read-only folder can be assessed too.
    """
    run = JudgedRun.of(folder.path.name, evidence_of(folder))
    events = events_of(folder, run.evidence)
    page = _page(folder, run, events)
    try:
        with keeping(folder.path):
            write_whole(folder.path / "verdict.json", run.judged.model_dump_json(indent=1) + "\n")
            write_whole(folder.path / "tables.md", markdown(run.result, page.header.conclusion))
            if warm_up := warm_up_csv(run.evidence, events):
                write_whole(folder.path / "warm-up.csv", warm_up)
            write_whole(folder.path / PAGE, html(page))
    except UserMistake as mistake:
        return Assessment(run.result, page, str(mistake))
    return Assessment(run.result, page)
