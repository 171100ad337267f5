"""The top of the page: what was measured, where, when, and the verdict in one sentence."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runfair.fairness.evidence import RunEvidence
from runfair.fairness.objective_evidence import WORDS
from runfair.formats.finding import VerdictState
from runfair.formats.host import Host
from runfair.formats.result import CellResult, Figure, GeometricMean, RunResult
from runfair.report import quantity
from runfair.report.page.wording import brief, label, short
from runfair.report.service_tables import objective_text
from runfair.report.verdict_words import worst

MOST_NAMED = 2  # checks


@dataclass(frozen=True)
class Headline:
    """`state` is the worst verdict of all figures; `facts` are lines with their names."""

    state: VerdictState | None
    verdict: str
    answers: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]


def headline(evidence: RunEvidence, result: RunResult) -> Headline:
    figures = [
        figure
        for cell in result.cells
        if cell.executions + cell.failed
        for figure in cell.figures.values()
    ]
    state = worst([one.verdict for one in figures]) if figures else None
    return Headline(
        state=state,
        verdict=_sentence(result, figures),
        answers=tuple(_answers(result)),
        facts=tuple(_facts(evidence, result)),
    )


def _sentence(result: RunResult, figures: Sequence[Figure]) -> str:
    """Of how many figures how many may be believed, and what spoke most often against the rest."""
    failed = sum(cell.failed for cell in result.cells)
    parts = []
    if not figures:
        parts.append("Nothing has been measured yet: no execution is recorded")
    else:
        counts = Counter(one.verdict for one in figures)
        total = f"{len(figures):,} figure" + ("" if len(figures) == 1 else "s")
        if counts["fair"] == len(figures):
            parts.append(f"All of {total} are fair" if len(figures) > 1 else "The figure is fair")
        else:
            parts.append(
                f"Of {total} {counts['fair']:,} are fair, {counts['flagged']:,} flagged and "
                f"{counts['void']:,} void{_because(figures)}"
            )
    if failed:
        parts.append(f"{failed:,} execution{'s' * (failed != 1)} failed")
    if not result.complete:
        parts.append("the run is incomplete")
    return "; ".join(parts) + "."


def _because(figures: Sequence[Figure]) -> str:
    """The checks that spoke against most figures."""
    against: Counter[str] = Counter()
    for one in figures:
        against.update({each.check for each in one.findings if each.severity != "limitation"})
    named = [short(check) for check, _ in against.most_common(MOST_NAMED)]
    return f", most of all because of {' and '.join(named)}" if named else ""


def _answers(result: RunResult) -> Iterator[str]:
    """What was asked and what came of it, a line each: means of all, objectives."""
    kinds: dict[object, list[GeometricMean]] = {}
    for mean in result.geometric_means:
        if mean.figure == "cpu":
            key = (mean.size, mean.mode, mean.tier, mean.threads, mean.factors, mean.driven)
            kinds.setdefault(key, []).append(mean)
    yield from (_means(means) for means in kinds.values())
    for cell in result.cells:
        yield from _objective(cell)


def _means(means: Sequence[GeometricMean]) -> str:
    first = means[0]
    others = sorted(
        (one for one in means if one.variant != one.baseline), key=lambda one: one.value
    )
    told = ", ".join(
        f"{short(one.variant)} {quantity.three_digits(one.value)}"
        + ("" if one.verdict == "fair" else f" ({one.verdict})")
        for one in others
    )
    of = "passes over servers" if first.driven else first.mode
    threads = f"{first.threads} thread" + ("" if first.threads == 1 else "s")
    return (
        f"CPU time in multiples of {short(first.baseline)}'s, the geometric mean of "
        f"{first.workloads} workloads ({first.size}, {of}, {threads}): {told}."
    )


def _objective(cell: CellResult) -> Iterator[str]:
    asked = cell.service
    if asked is None or asked.objective is None or asked.meets is None or cell.unsupported:
        return
    figure = cell.figures.get(asked.objective.percentile)
    found = ""
    if figure is not None and figure.value is not None:
        found = f": {quantity.duration(figure.value)}"
        found += f" ({figure.verdict})" if figure.verdict != "fair" else ""
    yield (
        f"{label(cell)} at {asked.rate_per_s:g} requests a second, objective "
        f"{objective_text(asked.objective)}: {WORDS[asked.meets]}{found}."
    )


def _facts(evidence: RunEvidence, result: RunResult) -> Iterator[tuple[str, str]]:
    plan, host = evidence.plan, evidence.host
    programs = [cell for cell in result.cells if cell.service is None]
    services = len(result.cells) - len(programs)
    benchmarks = list(dict.fromkeys(short(cell.benchmark) for cell in result.cells))
    if plan.about:
        yield "About", brief(plan.about)
    yield "Experiment", f"{brief(plan.experiment)}, profile {plan.profile}"
    counted = [f"{len(benchmarks)} benchmark{'s' * (len(benchmarks) != 1)}"]
    variants = {cell.variant for cell in result.cells}
    counted.append(f"{len(variants)} variant{'s' * (len(variants) != 1)}")
    counted.append(f"{len(result.cells):,} cell{'s' * (len(result.cells) != 1)}")
    if services:
        counted.append(f"{services:,} of services")
    executions = sum(cell.executions for cell in result.cells)
    counted.append(f"{executions:,} completed executions")
    named = ", ".join(benchmarks[:8]) + (" …" if len(benchmarks) > 8 else "")
    yield "Measured", f"{', '.join(counted)}: {named}"
    yield (
        "When",
        time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(plan.created_realtime_ns // 10**9)),
    )
    yield "Where", _machine(host)
    if host.calibration is not None:
        yield (
            "Noise floor",
            f"{quantity.percent(host.calibration.noise_floor_cpu)} of CPU time, "
            f"{quantity.percent(host.calibration.noise_floor_wall)} of wall time: the least "
            "difference that this machine lets one see",
        )
    yield "Made by", f"runfair {short(plan.runfair)}, order seed {plan.order_seed}"


def _machine(host: Host) -> str:
    return brief(
        f"{host.name}: {len(host.processors)} × {host.processor_model}, "
        f"{quantity.size(host.memory_bytes)}, {host.system}, kernel {host.kernel}"
    )
