"""The assessment of a recorded run: its verdicts, conclusion and pictures, written to the run's
derived files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runfair.decision.answer import Requirements, answer
from runfair.decision.contenders import NothingToDecide
from runfair.errors import UserMistake
from runfair.evidence.reading import GrowingRecords, events_of, evidence_of, own_values, traces_of
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
from runfair.report.page.page_input import PageInput
from runfair.report.page.rendering import html
from runfair.report.warm_up_csv import warm_up_csv
from runfair.result.judged_run import JudgedRun

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
