"""The conclusion of a run: what was measured, what it answers, what speaks against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from runfair.evidence.run import RunEvidence
from runfair.formats.decision import Answer
from runfair.formats.finding import VerdictState, worst
from runfair.formats.result import RunResult
from runfair.report.conclusion.courses import sweep_questions
from runfair.report.conclusion.doubts import doubts
from runfair.report.conclusion.facts import fair, machine, measured
from runfair.report.conclusion.gaps import limited
from runfair.report.conclusion.programs import distribution_questions, program_questions
from runfair.report.conclusion.question import Question
from runfair.report.conclusion.services import service_questions
from runfair.wording.text import brief, shortened


@dataclass(frozen=True)
class Conclusion:
    """`state` is red, as it were, only where an answer is: an objective is missed, or a question
    has no answer. It is None where nothing was measured."""

    facts: tuple[tuple[str, str], ...]
    questions: tuple[Question, ...]
    doubts: tuple[str, ...]
    state: VerdictState | None
    badge: str

    @property
    def open(self) -> tuple[Question, ...]:
        """Questions without an answer."""
        return tuple(one for one in self.questions if one.state == "open")


def conclude(
    evidence: RunEvidence, result: RunResult, answers: Sequence[Answer] = ()
) -> Conclusion:
    """From a run's figures and what `decide` says of its services. Every text is one line."""
    result = shortened(result)
    limits = limited(evidence)
    questions = (
        *program_questions(result, limits),
        *distribution_questions(result, limits),
        *sweep_questions(result, limits),
        *service_questions(result, answers, limits),
    )
    concerns = {one for question in questions for one in question.concerns}
    facts = (
        ("Measured", measured(evidence, result)),
        ("Machine", machine(evidence.host)),
        ("Verdict", fair(result)),
    )
    state, badge = _state(result, questions)
    return Conclusion(
        facts=tuple((name, brief(text)) for name, text in facts),
        questions=tuple(map(_plain, questions)),
        doubts=tuple(map(brief, doubts(result, concerns))),
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
        return "void", "objective missed"
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
    )
