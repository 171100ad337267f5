"""The result of a service at its peak over all its executions, and the composite scores of the
frameworks of each class.

Sources of the scores: the TechEmpower benchmarks add weighted rates (`rate`). Fleming and Wallace,
"How not to lie with statistics" (CACM 1986), show that only the geometric mean of shares (`share`)
does not depend on the choice of the reference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from runfair.evidence.cell import CellEvidence
from runfair.evidence.costs import request_system_calls
from runfair.evidence.peak import PeakEvidence, peak_evidence
from runfair.fairness.checks import database_bound
from runfair.formats.finding import FigureName, worst
from runfair.formats.peak import REQUESTS, Classification, Score
from runfair.formats.peak_result import Measured, PeakResult, ScoreResult, ScoreRow
from runfair.formats.plan import Cell, Factors
from runfair.formats.result import CellResult, Figure
from runfair.formats.service import service_name

NOT_MEASURED = Measured(value=None, verdict="void")
NS_PER_S = 1e9


def peak_result(
    cell: Cell, evidence: CellEvidence | None, figures: Mapping[FigureName, Figure]
) -> PeakResult | None:
    """The result of a cell at its peak; None for other cells. `figures` are the cell's figures."""
    if cell.peak is None:
        return None
    completed = evidence.completed if evidence is not None else ()
    found = [one for one in map(peak_evidence, completed) if one is not None]
    rate, cpu = rate_of(figures.get("wall")), cpu_of(figures.get("cpu"))
    void = cpu.verdict == "void"

    def middle(value: Callable[[PeakEvidence], float | None]) -> float | None:
        told = [one for each in found if (one := value(each)) is not None]
        return median(told) if told and not void else None

    calls = [one.record.peak.system_calls for one in completed if one.record.peak is not None]
    wall = figures.get("wall")
    return PeakResult(
        service=service_name(cell.tier, cell.variant),
        connections=cell.peak.connections,
        pipeline=cell.peak.pipeline,
        with_database=cell.peak.database is not None,
        rate_per_s=rate,
        rate_per_processor_s=None if rate.value is None else rate.value / cell.factors.processors,
        cpu_ns=cpu,
        database_cpu_ns=middle(lambda one: one.database_cpu_ns),
        switches=middle(lambda one: one.switches),
        server_share=middle(lambda one: one.server_share),
        database_share=middle(lambda one: one.database_share),
        paused_share=middle(lambda one: one.paused_share),
        collecting_share=middle(lambda one: one.collecting_share),
        database_bound=wall is not None
        and any(one.check == database_bound.NAME for one in wall.findings),
        system_calls=request_system_calls(calls, cpu.verdict),
    )


def cpu_of(figure: Figure | None) -> Measured:
    """The CPU time of a request in the server, from the CPU time of an iteration."""
    return _measured(figure, lambda time_ns: time_ns / REQUESTS)


def rate_of(figure: Figure | None) -> Measured:
    """The requests per second, from the wall time of an iteration. The longest time gives the
    lowest rate, so the ends of interval and bounds change places."""
    found = _measured(figure, lambda time_ns: REQUESTS * NS_PER_S / time_ns)
    return found.model_copy(
        update={
            "interval": None if found.interval is None else found.interval[::-1],
            "bounds": None if found.bounds is None else found.bounds[::-1],
        }
    )


def _measured(figure: Figure | None, of: Callable[[float], float]) -> Measured:
    if figure is None:
        return NOT_MEASURED

    def end(value: float | None) -> float | None:
        return None if value is None or value <= 0 else of(value)

    interval, bounds = figure.interval, figure.bounds
    return Measured(
        value=end(figure.value),
        interval=None
        if interval is None or interval[0] <= 0
        else (of(interval[0]), of(interval[1])),
        bounds=None if bounds is None else (end(bounds[0]), end(bounds[1])),
        verdict=figure.verdict,
    )


BEST = 100.0


@dataclass(frozen=True)
class Contender:
    """A service under a variant and its factors, which a score ranks."""

    service: str
    variant: str
    language: str
    threads: int
    factors: Factors


Peaks = Mapping[str, CellResult]  # the peak of each test
ClassOf = tuple[str, str, Classification | None]  # a benchmark, a size and a class
Total = Callable[[Mapping[str, float]], float]


def contender(cell: CellResult) -> Contender:
    assert cell.peak is not None
    return Contender(cell.peak.service, cell.variant, cell.language, cell.threads, cell.factors)


def peak_cells(
    cells: Iterable[CellResult],
) -> dict[ClassOf, dict[Contender, dict[str, CellResult]]]:
    """The peak of each contender in each test, by benchmark, size and class: of the cells that
    differ only in connections and pipelining, the cell with the highest rate. If none of these
    cells has a rate, the first of them stands for all."""
    found: dict[ClassOf, dict[Contender, dict[str, CellResult]]] = {}
    for cell in cells:
        if cell.peak is None:
            continue
        members = found.setdefault((cell.benchmark, cell.size, cell.classification), {})
        tests = members.setdefault(contender(cell), {})
        known = tests.get(cell.workload)
        if known is None or _rate(cell) > _rate(known):
            tests[cell.workload] = cell
    return found


def _rate(cell: CellResult) -> float:
    assert cell.peak is not None
    return cell.peak.rate_per_s.value or 0.0


def score_results(
    cells: Sequence[CellResult], scores: Mapping[str, Sequence[Score]]
) -> list[ScoreResult]:
    """The scores of each class. A class whose run lacks a test of a score has rows with the
    reason."""
    return [
        ScoreResult(
            benchmark=benchmark,
            size=size,
            name=score.name,
            version=score.version,
            about=score.about,
            source=score.source,
            verified=score.verified,
            of=score.of,
            classification=classification,
            rows=list(_rows(score, members)),
        )
        for (benchmark, size, classification), members in peak_cells(cells).items()
        for score in scores.get(benchmark, ())
    ]


def _rows(score: Score, members: Mapping[Contender, Peaks]) -> Iterator[ScoreRow]:
    if score.of == "rate":
        values = {one: _weighted_sum(score, peaks) for one, peaks in members.items()}
    else:
        best = _best_rates(score, members)
        values = {one: _weighted_mean(score, peaks, best) for one, peaks in members.items()}
    most = max((one.value for one in values.values() if one.value is not None), default=None)
    rows = [_row(score, one, members[one], values[one], most) for one in members]
    yield from sorted(rows, key=lambda row: (row.value is None, -(row.value or 0.0), row.service))


def _row(
    score: Score, one: Contender, peaks: Peaks, value: Measured, most: float | None
) -> ScoreRow:
    shown = value.value is not None and most is not None
    scale = BEST / most if most is not None else 0.0
    rates = [test for test in score.weights if _counts_rate(score, peaks.get(test))]
    return ScoreRow(
        service=one.service,
        variant=one.variant,
        language=one.language,
        threads=one.threads,
        factors=one.factors,
        value=value.value * scale if shown and value.value is not None else None,
        interval=(value.interval[0] * scale, value.interval[1] * scale)
        if shown and value.interval is not None
        else None,
        verdict=value.verdict,
        reason="" if shown else _reason(score, peaks),
        database_bound=[test for test in rates if _is_bound(peaks.get(test))] if shown else [],
    )


def _reason(score: Score, peaks: Peaks) -> str:
    """The reason why there is no score: the first test without a number."""
    for test in score.weights:
        cell = peaks.get(test)
        if cell is None:
            return f"the run did not measure {test}"
        if cell.absent:
            return f"{test}: {cell.absent}"
        if _term(score, cell).value is None:
            return f"{test} has no number"
    return ""


def _is_bound(cell: CellResult | None) -> bool:
    return cell is not None and cell.peak is not None and cell.peak.database_bound


def _counts_rate(score: Score, cell: CellResult | None) -> bool:
    """Whether the score contains the test's rate, not the CPU time of its requests."""
    return cell is not None and cell.peak is not None and not _by_cpu(score, cell.peak)


def _by_cpu(score: Score, peak: PeakResult) -> bool:
    return score.of == "share" and peak.with_database


def _term(score: Score, cell: CellResult) -> Measured:
    """The quantity of a test that a score contains; more is better: requests/s, or requests per
    nanosecond of the server's CPU time."""
    assert cell.peak is not None
    if not _by_cpu(score, cell.peak):
        return cell.peak.rate_per_s
    cpu = cell.peak.cpu_ns
    low, high = cpu.bounds or (None, None)
    return Measured(
        value=None if cpu.value is None else 1 / cpu.value,
        interval=None if cpu.interval is None else (1 / cpu.interval[1], 1 / cpu.interval[0]),
        bounds=None
        if cpu.bounds is None
        else (None if high is None else 1 / high, None if low is None else 1 / low),
        verdict=cpu.verdict,
    )


def _terms(score: Score, peaks: Peaks) -> dict[str, Measured] | None:
    """The quantity of each test of the score; None if one of them has no number."""
    found = {test: _term(score, peaks[test]) for test in score.weights if test in peaks}
    complete = len(found) == len(score.weights)
    return found if complete and all(one.value is not None for one in found.values()) else None


def _best_rates(score: Score, members: Mapping[Contender, Peaks]) -> dict[str, float]:
    """The best quantity of each test in the class."""
    best: dict[str, float] = {}
    for peaks in members.values():
        for test in score.weights:
            value = _term(score, peaks[test]).value if test in peaks else None
            if value is not None:
                best[test] = max(value, best.get(test, 0.0))
    return best


def _weighted_sum(score: Score, peaks: Peaks) -> Measured:
    terms = _terms(score, peaks)
    if terms is None:
        return Measured(value=None, verdict="void")

    def total(values: Mapping[str, float]) -> float:
        return math.fsum(weight * values[test] for test, weight in score.weights.items())

    return _combined(terms, total)


def _weighted_mean(score: Score, peaks: Peaks, best: Mapping[str, float]) -> Measured:
    terms = _terms(score, peaks)
    if terms is None:
        return Measured(value=None, verdict="void")
    whole = math.fsum(score.weights.values())

    def mean(values: Mapping[str, float]) -> float:
        logs = (w * math.log(values[test] / best[test]) for test, w in score.weights.items())
        return math.exp(math.fsum(logs) / whole)

    return _combined(terms, mean)


def _combined(terms: Mapping[str, Measured], of: Total) -> Measured:
    """The combination of the terms' values, and of the ends of their bounds. A term without bounds
    has its confidence interval. There is no interval if an end of a term is open."""
    values = {test: one.value for test, one in terms.items() if one.value is not None}
    ends = [_ends(terms, side) for side in (0, 1)]
    low, high = (None if len(end) < len(terms) else of(end) for end in ends)
    interval = None if low is None or high is None else (low, high)
    return Measured(
        value=of(values),
        interval=interval,
        verdict=worst([one.verdict for one in terms.values()]),
    )


def _ends(terms: Mapping[str, Measured], side: int) -> dict[str, float]:
    """The lower (0) or upper (1) ends of the terms that have this end."""
    limits = {test: one.bounds or one.interval for test, one in terms.items()}
    return {
        test: end
        for test, limit in limits.items()
        if limit is not None and (end := limit[side]) is not None
    }
