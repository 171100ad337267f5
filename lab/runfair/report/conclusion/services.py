"""The questions about services: whether each service meets its objective, the answer of
`./runfair decide`, and, for each class of frameworks, the best at their peak."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import inf

from runfair.decision.sentence import UNCLEAR
from runfair.fairness.figures import LATENCIES
from runfair.fairness.objective import limit_of
from runfair.formats.decision import Answer, CandidateAnswer
from runfair.formats.finding import FigureName
from runfair.formats.peak import Classification
from runfair.formats.peak_result import ScoreResult
from runfair.formats.result import CellResult, RunResult
from runfair.formats.service import spoken
from runfair.formats.service_result import CapacityResult, Meets
from runfair.report.conclusion.question import (
    Concern,
    Question,
    Row,
    listed,
    marks,
    names_of,
    row,
    unanswered,
    who,
    why,
)
from runfair.report.peak_tables import class_text, measured, ranked, tests
from runfair.report.requirements import unmet
from runfair.report.service_tables import service_groups
from runfair.wording import quantity
from runfair.wording.naming import label, name_of, surroundings
from runfair.wording.text import short

VERBS: dict[Meets, tuple[str, str]] = {"yes": ("meet", "meets"), "no": ("miss", "misses")}
MET: dict[Meets, str] = {"yes": "met", "no": "missed", "unclear": "unclear"}


def service_questions(
    result: RunResult, answers: Sequence[Answer], limits: Collection[str]
) -> Iterator[Question]:
    for cells in service_groups(result):
        names = {cell.id for cell in cells}
        mine = next((one for one in answers if names.issuperset(one.cells)), None)
        yield _question(cells, mine, limits)


def _question(
    cells: Sequence[CellResult], answer: Answer | None, limits: Collection[str]
) -> Question:
    first = cells[0].service
    assert first is not None
    asked: FigureName = "p99" if first.objective is None else first.objective.percentile
    names = names_of(cells)
    figures: tuple[FigureName, ...] = (asked, "cpu", "memory")
    lacking = _lacking(cells, limits)
    candidates = [] if answer is None else answer.candidates
    if lacking:  # with these verdicts, `./runfair decide` has no answer either
        candidates = [one for one in candidates if one.outcome != "cannot be told"]
    said = [
        _unclear(lacking, asked) if lacking else "",
        *_unmet(cells, names),
        *_capacities(cells, names),
        *(_decided(candidates, names, cells) or [_standing(cells, names, asked)]),
    ]
    met = {
        one
        for cell in cells
        if cell.service and not cell.absent
        for one in (cell.service.meets, *(each.meets for each in cell.service.requirements))
    }
    return Question(
        title=_title(cells[0]),
        sentences=tuple(one for one in said if one) or ("Nothing was measured.",),
        rows=tuple(
            row(names[cell.id], cell, _texts(cell, asked), figures, limits) for cell in cells
        ),
        state="open" if lacking else "missed" if "no" in met else "answered",
        concerns=tuple(
            (cell.id, name) for cell in cells for name in figures if name in cell.figures
        ),
        heading=(
            "service",
            name_of(asked),
            *([] if first.meets is None else ["objective"]),
            "CPU per request",
            "memory",
        ),
    )


def _lacking(cells: Sequence[CellResult], limits: Collection[str]) -> list[CellResult]:
    """The services without an answer. If there is an objective, the question is whether the service
    meets it; otherwise any latency is an answer."""
    told = [cell for cell in cells if cell.service and cell.service.meets in ("yes", "no")]
    asked = [cell for cell in cells if cell not in told]
    without = [cell for cell in asked if cell.service and cell.service.objective is None]
    unclear = [cell for cell in asked if cell not in without]
    return [*unanswered(without, LATENCIES, limits), *unanswered(unclear, (), limits)]


def _title(cell: CellResult) -> str:
    service = cell.service
    assert service is not None
    parts = [
        f"{short(cell.benchmark)} · {short(cell.workload)} at {service.rate_per_s:,g} requests/s"
        f"{spoken(service.protocol)}"
    ]
    if service.objective is not None:
        parts.append(f"objective {limit_of(service.objective)}")
    parts += [one for one in surroundings(cell.threads, cell.factors) if one != "1 thread"]
    parts += service.distinction
    return ", ".join(parts)


def _texts(cell: CellResult, asked: FigureName) -> list[str]:
    met = cell.service.meets if cell.service else None
    return [
        quantity.shown(cell.figures.get(asked)),
        *([] if met is None else [MET[met]]),
        quantity.shown(cell.figures.get("cpu")),
        quantity.shown(cell.figures.get("memory")),
    ]


def _unclear(cells: Sequence[CellResult], asked: FigureName) -> str:
    """The reason why these services have no answer."""
    first = cells[0]
    figure, service = first.figures.get(asked), first.service
    if service is None or service.objective is None or figure is None or figure.value is None:
        return why(cells, [asked])
    known = "bounds" if figure.bounds else "confidence interval"
    reason = f"the objective's limit lies inside the {known} of {name_of(asked)}"
    if service.doubt:
        reason = re.split(r"; | \(", service.doubt)[0]
    if figure.interval is None:
        reason = "there are too few executions for a confidence interval"
    verb = "meets" if len(cells) == 1 else "meet"
    return (
        f"Whether {who(cells)} {verb} {limit_of(service.objective)} is unclear, because {reason}."
    )


def _standing(cells: Sequence[CellResult], names: Mapping[str, str], asked: FigureName) -> str:
    """The sentence that says which services meet the objective or, if there is no objective, which
    service is fastest and which is slowest."""
    runnable = [cell for cell in cells if not cell.absent]
    told = [
        f"{listed(named)} {verb if len(named) > 1 else alone} it"
        for met, (verb, alone) in VERBS.items()
        if (
            named := [
                names[cell.id] for cell in runnable if cell.service and cell.service.meets == met
            ]
        )
    ]
    ranked = sorted(
        (figure.value, names[cell.id])
        for cell in runnable
        if (figure := cell.figures.get(asked)) is not None and figure.value is not None
    )
    if told or len(ranked) < 2:
        return f"{', '.join(told)}." if told else ""
    return f"The fastest by {name_of(asked)} is {ranked[0][1]}, and the slowest is {ranked[-1][1]}."


def _decided(
    candidates: Sequence[CandidateAnswer], names: Mapping[str, str], cells: Sequence[CellResult]
) -> list[str]:
    """The verdict of `./runfair decide` on each candidate, and then its advice. A sentence that is
    the same for all candidates appears once. The advice about the candidate that needs the least
    CPU time comes first, because the short form may leave out the others. An advice that only says
    that something is unclear comes last."""
    cpu = {
        label(cell): figure.value or inf
        for cell in cells
        if (figure := cell.figures.get("cpu")) is not None
    }
    said, advised = [], []
    for one in candidates:
        outcome, _, advice = one.sentence.partition(". ")
        # The answer "room to spare" is possible only for the baseline.
        name = "" if one.reason == "room to spare" else f"{one.service}: "
        said.append(f"{name}{outcome}{'.' if advice else ''}")
        advised.append((advice.startswith(UNCLEAR), cpu.get(one.service, inf), advice))
    advised.sort(key=lambda one: one[:2])
    advice_texts = dict.fromkeys(advice for *_, advice in advised)
    sentences = [*dict.fromkeys(said), *filter(None, advice_texts)]
    for cell in cells:
        sentences = [text.replace(label(cell), names[cell.id]) for text in sentences]
    return sentences


def _unmet(cells: Sequence[CellResult], names: Mapping[str, str]) -> list[str]:
    return [
        unmet(names[cell.id], one)
        for cell in cells
        if cell.service
        for one in cell.service.requirements
        if one.meets != "yes"
    ]


def _capacities(cells: Sequence[CellResult], names: Mapping[str, str]) -> list[str]:
    told = [
        f"{names[cell.id]} {_capacity(cell.service.capacity)}"
        for cell in cells
        if cell.service and cell.service.capacity
    ]
    return (
        [(f"The highest rate at which each service meets the objective: {', '.join(told)}.")]
        if told
        else []
    )


def _capacity(found: CapacityResult) -> str:
    met, missed = found.highest_met_per_s, found.lowest_missed_per_s
    if met is None:
        return "none" if missed is None else f"below {missed:,.0f}/s"
    said = f"above {met:,.0f}/s" if missed is None else f"{met:,.0f} to {missed:,.0f}/s"
    return said if found.verdict == "fair" else f"{said} ({found.verdict})"


MOST_NAMED = 3  # services in a row, and in the sentence about a score
ClassOf = tuple[str, str, Classification | None]


def peak_questions(result: RunResult, limits: Collection[str]) -> Iterator[Question]:
    """A question for each class, which is answered test by test."""
    classes: dict[ClassOf, dict[str, list[CellResult]]] = {}
    for (benchmark, size, classification, test), cells in tests(result).items():
        classes.setdefault((benchmark, size, classification), {})[test] = cells
    for of, by_test in classes.items():
        scores = [one for one in result.scores if _class_of(one) == of]
        yield _class_question(of, by_test, scores, limits)


def _class_of(score: ScoreResult) -> ClassOf:
    return score.benchmark, score.size, score.classification


def _class_question(
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
    named = ", ".join(f"{short(cell.peak.service)} {_value(cell)}" for cell in shown if cell.peak)
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
    doubt = "" if score.verified else ", whose weights are not verified"
    return f"Score {score.name!r}{doubt}: {named}."
