"""Every execution gives the canonical answer.

**Looks for** missing and wrong digests. A digest is a checksum of a program's answer. The canonical
answer is the digest that is recorded as right. A digest is wrong if it differs from the canonical
answer. If no canonical answer is recorded, all executions of all programs of a benchmark must give
the same digest for the same workload, size and seed. Programs in at least two languages must give
the same digest, because two builds of the same source contain the same mistakes. An execution whose
iterations give different digests is a failed execution, so the check `failures` reports it.

**Threshold** If even one execution gave a wrong digest, all measured values of this program on this
runtime are void (invalid), because a program with a wrong answer may have done less work. A wrong
digest makes the values void even if the execution that gave this digest failed. If there is no
canonical answer and no program in a second language, runfair cannot tell whether the answer is
right. All measured values of the program are then flagged (marked as doubtful).

**Source** The benchmark's contract requires the digest. The section "Fairness" of
docs/statistics.md says why runfair compares digests.

**What to do** Run `./runfair verify BENCHMARK`, correct the program, and record the right digest as
the canonical answer.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.cell import CellEvidence
from runfair.evidence.run import RunEvidence, same_work
from runfair.fairness.figures import FIGURES
from runfair.formats.finding import Finding, Severity

NAME = "digest"
DOUBT = "unchecked answer"  # a wrong answer makes figures void, which need no remark
VERSION = 2


def check(run: RunEvidence) -> Iterator[Finding]:
    for cells in run.groups(same_work, run.programs):
        for one in cells:
            yield from _missing(one)
            if one.cell.digest is not None:
                yield from _wrong(one, one.cell.digest)
        yield from _without_canonical([one for one in cells if one.cell.digest is None])


def _missing(one: CellEvidence) -> Iterator[Finding]:
    silent = sum(1 for execution in one.completed if execution.record.digest is None)
    if silent:
        yield _finding(
            one,
            "fault",
            f"{silent} of {len(one.completed)} executions printed no digest, so it is unknown "
            "whether their answers are correct",
        )


def _wrong(one: CellEvidence, canonical: str) -> Iterator[Finding]:
    wrong = sorted(_digests(one) - {canonical})
    if wrong:
        yield _finding(
            one,
            "fault",
            f"the program gave the answer {', '.join(wrong)}, but the right answer is {canonical}",
        )


def _without_canonical(cells: list[CellEvidence]) -> Iterator[Finding]:
    answering = {one.cell.id: _digests(one) for one in cells}
    digests = set().union(*answering.values())
    languages = {one.cell.language for one in cells if answering[one.cell.id]}
    for one in cells:
        if not answering[one.cell.id]:
            continue
        if len(digests) > 1:
            yield _finding(
                one,
                "fault",
                "no right answer is recorded for this task, and the programs gave different "
                f"answers ({', '.join(sorted(digests))})",
            )
        elif len(languages) == 1:
            yield _finding(
                one,
                "warning",
                (
                    "it is unknown whether the answer is correct, because no right answer is "
                    "recorded for this task, and no program in a second language gave the same "
                    "answer"
                ),
            )


def _digests(one: CellEvidence) -> set[str]:
    return {run.record.digest for run in one.executions if run.record.digest is not None}


def _finding(one: CellEvidence, severity: Severity, text: str) -> Finding:
    return Finding(
        check=NAME,
        severity=severity,
        cell=one.cell.id,
        figures=[*FIGURES],
        text=text,
        advice=f"run `./runfair verify {one.cell.benchmark}`",
    )
