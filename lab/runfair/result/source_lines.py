"""Figures for lines of source, bytecodes, instructions and V8's checks, combined over a cell's
executions."""

from __future__ import annotations

from collections.abc import Sequence

from runfair.evidence.cell import CellEvidence, ReportedLines
from runfair.evidence.probed import ProbedEvidence, SlowRequests
from runfair.formats.finding import FigureName, Verdict, VerdictState, worst
from runfair.formats.probe import (
    ProbedProcess,
    ProbedResult,
    SampledPlace,
    Sampling,
    SlowRequestLines,
)
from runfair.formats.result import LineFigure, LineSeries
from runfair.formats.source_lines import SourceLines
from runfair.probing.cost_table import cost_tables, line_shares, summary
from runfair.probing.frames import frame_shares
from runfair.probing.instruction_counts import COUNTED_EXECUTIONS, by_place, per_iteration

Key = tuple[str, str, str, str]  # path, name, unit, SHA-256 of the text


def line_series(
    evidence: CellEvidence | None, verdicts: dict[FigureName, Verdict]
) -> list[LineSeries]:
    """A series for each file and name of a figure, the hottest file first. A void series has no
    lines."""
    if evidence is None:
        return []
    told: dict[Key, list[tuple[ReportedLines, SourceLines]]] = {}
    for one in evidence.reported_lines:
        for lines in one.lines:
            key = (lines.path, lines.name, lines.unit, lines.text_sha256)
            told.setdefault(key, []).append((one, lines))
    series = [_series(key, members, evidence, verdicts) for key, members in told.items()]
    return sorted(series, key=lambda one: -sum(line.value for line in one.lines.values()))


def lines_untold(evidence: CellEvidence | None) -> str:
    """The reason why an execution that should report lines reported none. The text is empty if the
    execution reported lines, or if lines were not requested."""
    return evidence.lines_untold if evidence is not None else ""


def _series(
    key: Key,
    members: Sequence[tuple[ReportedLines, SourceLines]],
    evidence: CellEvidence,
    verdicts: dict[FigureName, Verdict],
) -> LineSeries:
    path, name, unit, sha256 = key
    reason = _other_work([one for one, _ in members], evidence)
    timed = any(one.record.role == "block" for one, _ in members)
    states: list[VerdictState] = ["void" if reason else "fair"]
    if timed and "wall" in verdicts:
        states.append(verdicts["wall"].state)
        if verdicts["wall"].state == "void" and not reason:
            reason = (
                "the wall time of the timed executions is void (not valid), so the values of "
                "the source lines are void too"
            )
    state = worst(states)
    return LineSeries(
        path=path,
        name=name,
        unit=unit,
        source_sha256=sha256,
        executions=len(members),
        verdict=state,
        reason=reason,
        lines={} if state == "void" else _figures([lines for _, lines in members]),
    )


def _other_work(told: Sequence[ReportedLines], evidence: CellEvidence) -> str:
    """The reason why lines are void. If an execution gave another answer than the timed executions,
    it also ran other lines than they did."""
    timed = {one.record.digest for one in evidence.completed}
    for one in told:
        if timed and one.record.digest not in timed:
            return (
                f"the execution that counted lines gave the answer {one.record.digest}, but the "
                f"timed executions gave {_listed(timed)}"
            )
    return ""


def _figures(told: Sequence[SourceLines]) -> dict[int, LineFigure]:
    """The mean and the range over the executions, for each line. If an execution does not report a
    line, its value is 0."""
    figures = {}
    for line in sorted({line for one in told for line in one.values}):
        values = [one.values.get(line, 0.0) for one in told]
        figures[line] = LineFigure(
            value=sum(values) / len(values), least=min(values), greatest=max(values)
        )
    return figures


NOT_COMPARED = (
    "it is unknown whether the probed execution did the same work as the timed executions, because "
    "runfair could not compare their answers"
)


def probed_results(evidence: CellEvidence | None) -> list[ProbedResult]:
    if evidence is None:
        return []
    timed = {one.record.digest for one in evidence.completed}
    native = [one for one in evidence.probed if one.probed.instructions is not None]
    checked = [one for one in evidence.probed if one.probed.checks is not None]
    interpreted = [one for one in evidence.probed if one not in native and one not in checked]
    return [
        *_bytecodes(interpreted, timed),
        *_instructions(native, timed),
        *(_checks(one, timed) for one in checked),
    ]


def _bytecodes(executions: Sequence[ProbedEvidence], timed: set[str | None]) -> list[ProbedResult]:
    """The bytecodes of a program, from its executions in one or several modes of the probe."""
    if not executions:
        return []
    judged = _judged(executions, timed)
    if judged.verdict == "void":
        return [judged]
    processes = [process for one in executions for process in one.probed.processes]
    slow = executions[0].slow
    return [
        judged.model_copy(
            update={
                "tables": cost_tables(processes),
                "refused": [summary(process) for process in processes if process.refused],
                "unfinished": sum(one.probed.unfinished for one in executions),
                "slow": None if slow is None else _slow(slow, processes),
            }
        )
    ]


def _instructions(
    executions: Sequence[ProbedEvidence], timed: set[str | None]
) -> list[ProbedResult]:
    """The instructions of a native program's iterations, which are the difference between two
    executions. The result is missing if one of the executions is missing, which may have failed.
    """
    both = sorted(executions, key=lambda each: each.record.iterations)
    if len(both) != COUNTED_EXECUTIONS:
        return []
    judged = _judged(both, timed)
    one, more = (each.probed.instructions for each in both)
    if judged.verdict == "void" or one is None or more is None:
        return [judged]
    iterations = both[1].record.iterations - both[0].record.iterations
    found = per_iteration(by_place(more), by_place(one), iterations, more.valgrind)
    return [judged.model_copy(update={"instructions": found})]


def _checks(one: ProbedEvidence, timed: set[str | None]) -> ProbedResult:
    """The cost of V8's checks. The execution also gives its answers while checks are removed."""
    judged = _judged([one], timed)
    checks = None if judged.verdict == "void" else one.probed.checks
    return judged.model_copy(update={"checks": checks})


def _judged(executions: Sequence[ProbedEvidence], timed: set[str | None]) -> ProbedResult:
    """The result of these executions together, without its numbers."""
    record = executions[0].record
    answers = {one.record.digest for one in executions}
    if timed and (others := answers - timed):
        reason = (
            f"the probed execution gave the answer {_listed(others)}, but the timed executions "
            f"gave {_listed(timed)}"
        )
        return ProbedResult(execution=record.id, verdict="void", reason=reason)
    compared = timed and None not in answers
    return ProbedResult(
        execution=record.id,
        verdict="fair" if compared else "flagged",
        reason="" if compared else NOT_COMPARED,
    )


def _listed(answers: set[str | None]) -> str:
    return ", ".join(sorted(map(str, answers)))


def _slow(slow: SlowRequests, processes: Sequence[ProbedProcess]) -> SlowRequestLines:
    """The samples that were taken while the slowest requests were being answered."""
    samplings = [
        process.sampling.model_copy(update={"places": _within(slow, process.sampling)})
        for process in processes
        if process.sampling is not None
    ]
    places = [place for sampling in samplings for place in sampling.places]
    samples = sum(place.samples for place in places)
    return SlowRequestLines(
        requests=slow.requests,
        from_ns=slow.from_ns,
        samples=samples,
        lines=line_shares(places, samples),
        frames=frame_shares(samplings, samples),
    )


def _within(slow: SlowRequests, sampling: Sampling) -> list[SampledPlace]:
    """The places, with only those samples that were taken during the slowest requests."""
    return [
        place.model_copy(update={"samples": within, "instants_ns": []})
        for place in sampling.places
        if (within := slow.count(place.instants_ns))
    ]
