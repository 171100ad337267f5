"""The conclusion of a run: the facts, the answers, and the doubts about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from runfair.evidence.run import RunEvidence
from runfair.fairness.checks import executions, failures
from runfair.formats.decision import Answer
from runfair.formats.finding import Finding, VerdictState, worst
from runfair.formats.result import CellResult, RunResult
from runfair.report.conclusion.facts import fair, machine, measured
from runfair.report.conclusion.naming import listed, names_of
from runfair.report.conclusion.peaks import peak_questions
from runfair.report.conclusion.programs import distribution_questions, program_questions
from runfair.report.conclusion.question import Question, limited
from runfair.report.conclusion.services import service_questions
from runfair.report.conclusion.sweeps import sweep_questions
from runfair.wording.text import brief, shortened

MOST = 2


@dataclass
class _Doubt:
    """A check's findings of one severity, over all cells."""

    findings: list[tuple[CellResult, Finding]] = field(default_factory=list)

    @property
    def rank(self) -> tuple[bool, bool, int, float]:
        """The sort key of doubts. Failed executions come first, because the remaining executions
        are no longer a random selection. The other doubts are sorted by severity, then by the
        number of their figures, then by their size."""
        worst = self.worst[1]
        return (
            worst.check != failures.NAME,
            worst.severity != "fault",
            -len(self.findings),
            -_size(worst),
        )

    @property
    def worst(self) -> tuple[CellResult, Finding]:
        return max(self.findings, key=lambda one: _size(one[1]))

    def about(self, places: Mapping[str, int]) -> set[int]:
        """The numbers of the questions that the doubt concerns."""
        return {places[cell.id] for cell, _ in self.findings}

    def text(self, names: Mapping[str, str]) -> str:
        cell, finding = self.worst
        if finding.cell is None:
            return finding.text
        named = dict.fromkeys([names[cell.id], *(names[one.id] for one, _ in self.findings)])
        worst = f" ({names[cell.id]})" if len(named) > 1 else ""
        return f"{listed([*named])}: {finding.text}{worst}"


def doubts(result: RunResult, questions: Sequence[Question]) -> tuple[str, ...]:
    """The two most important doubts about the figures of the questions, with a line for each. The
    second doubt is about another question than the first, if there is such a doubt."""
    asked = {one for question in questions for one in question.concerns}
    found: dict[tuple[str, str], _Doubt] = {}
    for cell in result.cells:
        for name, figure in cell.figures.items():
            if (cell.id, name) not in asked:
                continue
            checks = {finding.check for finding in figure.findings}
            for finding in figure.findings:
                # If executions failed, the conclusion does not also report that there are too few.
                twice = finding.check == executions.NAME and failures.NAME in checks
                if finding.severity != "limitation" and not twice:
                    doubt = found.setdefault((finding.check, finding.severity), _Doubt())
                    doubt.findings.append((cell, finding))
    places = {cell: place for place, one in enumerate(questions) for cell, _ in one.concerns}
    left, chosen = sorted(found.values(), key=lambda one: one.rank), list[_Doubt]()
    covered: set[int] = set()
    while left and len(chosen) < MOST:
        # `min` keeps the order of rank if it cannot choose a doubt about another question.
        next_one = min(left, key=lambda one: one.about(places) <= covered)
        left.remove(next_one)
        chosen.append(next_one)
        covered |= next_one.about(places)
    names = names_of(result.cells)
    return tuple(one.text(names) for one in chosen)


def _size(finding: Finding) -> float:
    """The greatest number in the check's findings, whatever its unit."""
    return max(
        (float(one) for one in finding.values.values() if not isinstance(one, (bool, str))),
        default=0.0,
    )


@dataclass(frozen=True)
class Conclusion:
    """The conclusion. `state` is void if a limit is missed or a question has no answer,
    otherwise flagged if there are doubts. The state is None if nothing was measured."""

    facts: tuple[tuple[str, str], ...]
    questions: tuple[Question, ...]
    doubts: tuple[str, ...]
    state: VerdictState | None
    badge: str

    @property
    def open(self) -> tuple[Question, ...]:
        """The questions that have no answer."""
        return tuple(one for one in self.questions if one.state == "open")


def conclude(
    evidence: RunEvidence, result: RunResult, answers: Sequence[Answer] = ()
) -> Conclusion:
    """The conclusion from a run's figures and `decide`'s answers. Every text is one line."""
    result = shortened(result)
    limits = limited(evidence)
    questions = (
        *program_questions(result, limits),
        *distribution_questions(result, limits),
        *sweep_questions(result, limits),
        *service_questions(result, answers, limits),
        *peak_questions(result, limits),
    )
    facts = (
        ("Measured", measured(evidence, result)),
        ("Machine", machine(evidence.hosts)),
        ("Quality", fair(result)),
    )
    state, badge = _state(result, questions)
    return Conclusion(
        facts=tuple((name, brief(text)) for name, text in facts),
        questions=tuple(map(_plain, questions)),
        doubts=tuple(map(brief, doubts(result, questions))),
        state=state,
        badge=badge,
    )


def _state(result: RunResult, questions: Sequence[Question]) -> tuple[VerdictState | None, str]:
    if not any(cell.executions + cell.failed for cell in result.cells):
        return None, "nothing yet"
    states = {one.state for one in questions}
    if "open" in states:
        return "void", "not answered"
    if "missed" in states:
        objective = any(cell.service and cell.service.meets == "no" for cell in result.cells)
        return "void", "objective missed" if objective else "requirement missed"
    asked = {one for question in questions for one in question.concerns}
    verdicts = [
        figure.verdict
        for cell in result.cells
        for name, figure in cell.figures.items()
        if (cell.id, name) in asked
    ]
    return ("fair", "answered") if worst(verdicts) == "fair" else ("flagged", "with doubts")


def _plain(question: Question) -> Question:
    return replace(
        question,
        title=brief(question.title),
        sentences=tuple(map(brief, question.sentences)),
        rows=tuple(tuple(map(brief, row)) for row in question.rows),
        heading=tuple(map(brief, question.heading)),
    )
