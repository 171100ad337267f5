"""The questions about peaks: for each class of frameworks, the best in each test, and the composite
scores."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from runfair.formats.finding import FigureName
from runfair.formats.peak import Classification
from runfair.formats.peak_result import ScoreResult
from runfair.formats.result import CellResult, RunResult
from runfair.report.classes import class_text
from runfair.report.conclusion.question import Concern, Question, Row, marks, unanswered, why
from runfair.report.peak_tables import measured, ranked, tests
from runfair.wording import quantity
from runfair.wording.text import short

MOST_NAMED = 3  # services in a row, and in the sentence about a score
ClassOf = tuple[str, str, Classification | None]


def peak_questions(result: RunResult, limits: Collection[str]) -> Iterator[Question]:
    """A question for each class, which is answered test by test."""
    classes: dict[ClassOf, dict[str, list[CellResult]]] = {}
    for (benchmark, size, classification, test), cells in tests(result).items():
        classes.setdefault((benchmark, size, classification), {})[test] = cells
    for of, by_test in classes.items():
        scores = [one for one in result.scores if _class_of(one) == of]
        yield _question(of, by_test, scores, limits)


def _class_of(score: ScoreResult) -> ClassOf:
    return score.benchmark, score.size, score.classification


def _question(
    of: ClassOf,
    by_test: dict[str, list[CellResult]],
    scores: Sequence[ScoreResult],
    limits: Collection[str],
) -> Question:
    benchmark, _, classification = of
    peaks = {test: ranked(members) for test, members in by_test.items()}
    cells = [cell for members in peaks.values() for cell in members]
    lacking = unanswered(cells, ("wall", "cpu"), limits)
    concerns: list[Concern] = [(cell.id, _figure(cell)) for cell in cells]
    told = [sentence for score in scores if (sentence := _score(score))]
    sentences = [why(lacking, ("wall", "cpu"))] if lacking else []
    in_rows = not sentences and not told
    return Question(
        title=f"{short(benchmark)} at its peak, {class_text(classification)}",
        sentences=(*sentences, *told) or ("Each test has its own ranking.",),
        rows=tuple(_row(test, members) for test, members in peaks.items()),
        state="open" if lacking else "answered",
        concerns=tuple(concerns),
        heading=("test", "best first"),
        in_rows=in_rows,
    )


def _figure(cell: CellResult) -> FigureName:
    """The figure that ranks a test."""
    return "cpu" if cell.peak is not None and cell.peak.with_database else "wall"


def _row(test: str, members: Sequence[CellResult]) -> Row:
    shown = [cell for cell in members if _value(cell)][:MOST_NAMED]
    if not shown:
        return (short(test), members[0].absent or "no number")
    named = ", ".join(f"{short(cell.tier)} {_value(cell)}" for cell in shown)
    unit = "CPU/request" if _figure(shown[0]) == "cpu" else "requests/s"
    return (short(test), f"{named} ({unit})", *marks(shown, (_figure(shown[0]),)))


def _value(cell: CellResult) -> str:
    """The quantity that ranks the test, without its interval; empty if there is no number."""
    assert cell.peak is not None
    by_cpu = _figure(cell) == "cpu"
    found = cell.peak.cpu_ns if by_cpu else cell.peak.rate_per_s
    if found.value is None:
        return ""
    text = quantity.duration if by_cpu else quantity.three_digits
    return measured(found.model_copy(update={"interval": None}), text)


def _score(score: ScoreResult) -> str:
    """A sentence with the best scores; empty if no service has a score."""
    rows = [row for row in score.rows if row.value is not None]
    if not rows:
        return ""
    named = ", ".join(
        f"{short(row.service)} {quantity.three_digits(row.value or 0.0)}"
        + (" (flagged)" if row.verdict == "flagged" else "")
        for row in rows[:MOST_NAMED]
    )
    doubt = "" if score.verified else ", with weights that are not verified"
    return f"Score {score.name!r}{doubt}: {named}."
