"""From a run on disk to its result: evidence, verdict, model; the derived files are renewed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from runfair.decision.answer import Wishes, answer
from runfair.decision.contenders import NothingToDecide
from runfair.errors import UserMistake
from runfair.fairness.evidence import Measured, RunEvidence, gather
from runfair.fairness.verdict import judge
from runfair.formats.decision import Answer
from runfair.formats.event import Event, read_events
from runfair.formats.execution import Execution
from runfair.formats.finding import VerdictFile
from runfair.formats.interval_log import Interval, read_intervals
from runfair.formats.result import RunResult
from runfair.formats.run_folder import RunFolder, keeping, write_whole
from runfair.formats.source_lines import SourceLines, read_lines
from runfair.report.conclusion.conclusion import Conclusion
from runfair.report.loads import measured, traces_of
from runfair.report.markdown import markdown
from runfair.report.model import assemble
from runfair.report.page.contents import Contents, contents
from runfair.report.page.material import Material
from runfair.report.page.own_values import own_values
from runfair.report.page.rendering import html
from runfair.report.warm_up_csv import warm_up_csv

PAGE = "report.html"


def evidence_of(folder: RunFolder) -> RunEvidence:
    """Everything the checks look at. UserMistake where this version cannot read the folder."""

    def iterations(execution: str) -> tuple[np.ndarray, np.ndarray]:
        wall_ns, cpu_ns = folder.iterations(execution)
        return np.asarray(wall_ns, dtype=np.int64), np.asarray(cpu_ns, dtype=np.int64)

    def loads(execution: Execution, tolerance: float, settled_ns: int) -> Measured:
        return measured(folder, execution, tolerance, settled_ns)

    def lines(execution: str) -> list[SourceLines]:
        return read_lines(folder.lines_file(execution))

    return gather(
        folder.plan(),
        folder.host(),
        folder.attempts(),
        iterations,
        loads,
        lines,
        folder.samples,
        folder.readings(),
    )


def _events(folder: RunFolder, evidence: RunEvidence) -> dict[str, list[Event]]:
    """What the runtimes told, by execution."""
    told = (each.record for one in evidence.services for each in one.executions)
    return {
        record.id: list(read_events(folder.events_file(record.id)))
        for record in told
        if record.served is not None and record.served.events is not None
    }


def _answers(folder: RunFolder, evidence: RunEvidence, judged: VerdictFile) -> list[Answer]:
    """What `decide` says by itself; nothing where there is nothing to decide."""
    if not evidence.services:
        return []
    try:
        return answer(evidence, judged, lambda one: traces_of(folder, one), Wishes())
    except NothingToDecide:
        return []


def _page(
    folder: RunFolder, evidence: RunEvidence, judged: VerdictFile, result: RunResult
) -> Contents:
    def intervals(execution: str) -> list[Interval]:
        path = folder.latency_file(execution)
        return list(read_intervals(path)) if path.exists() else []

    told = _events(folder, evidence)
    material = Material(
        evidence=evidence,
        result=result,
        events=told.get,
        intervals=intervals,
        own_values=lambda execution: own_values(folder, execution),
        answers=_answers(folder, evidence, judged),
    )
    return contents(material)


@dataclass(frozen=True)
class Assessment:
    """`unwritten` says why the derived files could not be renewed ("" where they were)."""

    result: RunResult
    page: Contents
    unwritten: str = ""

    @property
    def conclusion(self) -> Conclusion:
        return self.page.headline.conclusion


def assess(folder: RunFolder) -> Assessment:
    """`verdict.json`, `tables.md`, `report.html` and, of services, `warm-up.csv` are written beside
    the records; a recorded run can be read where nothing can be written.
    """
    evidence = evidence_of(folder)
    judged = judge(evidence)
    result = assemble(folder.path.name, evidence, judged)
    page = _page(folder, evidence, judged, result)
    try:
        with keeping(folder.path):
            write_whole(folder.path / "verdict.json", judged.model_dump_json(indent=1) + "\n")
            write_whole(folder.path / "tables.md", markdown(result, page.headline.conclusion))
            if warm_up := warm_up_csv(evidence, _events(folder, evidence)):
                write_whole(folder.path / "warm-up.csv", warm_up)
            write_whole(folder.path / PAGE, html(page))
    except UserMistake as mistake:
        return Assessment(result, page, str(mistake))
    return Assessment(result, page)
